"""Tools to find contracts, and to read them."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from fourcorners.documents.document import Box, PageLabel
from fourcorners.library.tokens import fold_name
from fourcorners.operations.documents import MAX_TAG, document_tags
from fourcorners.server.api import collections, documents, search
from fourcorners.server.context import RequestContext
from fourcorners.server.mcp.summaries import (
    DEFAULT_CHARACTERS,
    Excerpt,
    MaxCharacters,
    PageCursor,
    excerpt,
    fill_page,
    without_orders,
)
from fourcorners.server.mcp.tool import McpTool, Progress, tool
from fourcorners.server.rendering.typesetting import node_depths
from fourcorners.text.span import Span
from fourcorners.value import Value

MAX_TEXT = 20_000
"""Characters that one reading brings."""

DocumentId = Annotated[
    str,
    Field(min_length=1, max_length=40, description="A contract's id: `document` in all answers."),
]
DocumentIds = Annotated[
    list[DocumentId],
    Field(max_length=50, description="Only these contracts, by id."),
]
Collection = Annotated[
    str | None, Field(max_length=500, description="Only this collection, by its name.")
]
Query = Annotated[str, Field(min_length=1, max_length=2_000)]


class NoArguments(Value):
    """No arguments."""


class CollectionEntry(Value):
    """A named part of the library."""

    collection: str
    documents: int
    unread: int = Field(default=0, description="Files that could not be read.")
    read_for: list[str] = Field(
        default_factory=list, description="The party for whom its contracts are read."
    )


class Collections(Value):
    """The collections that you may read."""

    collections: list[CollectionEntry]


@tool("Collections", "Lists the collections of contracts that you may read.")
def _collections(context: RequestContext, _: NoArguments, __: Progress) -> Collections:
    return Collections(
        collections=[
            CollectionEntry.make(each, collection=each.name)
            for each in collections.list_collections(context)
        ]
    )


class DocumentsRequest(Value):
    """Which documents to list."""

    collection: Collection = None
    find: str = Field(
        default="", max_length=200, description="Only those with these words in their title."
    )
    tag: str = Field(default="", max_length=MAX_TAG, description="Only those with this tag.")
    cursor: PageCursor = ""
    max_characters: MaxCharacters = DEFAULT_CHARACTERS


class DocumentEntry(Value):
    """A contract, by what it is called."""

    document: str
    title: str = Field(description="With parties and date, where these are known.")
    file: str
    collection: str
    characters: int
    tags: list[str] = Field(default_factory=list, description="What people gave it.")


class Documents(Value):
    """Contracts, by the names of their files."""

    documents: list[DocumentEntry]
    total: int
    next: str | None = None


@tool("Documents", "Lists the contracts of a collection, or all, with their ids.")
def _documents(context: RequestContext, asked: DocumentsRequest, _: Progress) -> Documents:
    with context.access() as access:
        entries = sorted(access.documents(asked.collection), key=lambda each: each.name.casefold())
        called = access.titles(each.id for each in entries)
        tags: dict[str, list[str]] = {}
        for collection in {each.collection for each in entries}:
            tags |= document_tags(access, collection)
    wanted, tag = asked.find.casefold().split(), fold_name(asked.tag)
    found = [
        DocumentEntry.make(
            each,
            document=each.id,
            title=str(called[each.id]),
            file=each.name,
            tags=tags.get(each.id, []),
        )
        for each in entries
        if all(word in f"{called[each.id]} {each.name}".casefold() for word in wanted)
        and (not tag or tag in map(fold_name, tags.get(each.id, ())))
    ]
    here, after = fill_page(
        context,
        "mcp documents",
        found,
        lambda each: (each.file.casefold(), each.document),
        asked.cursor,
        asked.max_characters,
    )
    return Documents(documents=here, total=len(found), next=after)


class SearchRequest(Value):
    """What to find."""

    query: Query = Field(
        description='Words, a query ("change control"~5, liability AND cap*), or a question.'
    )
    collection: Collection = None
    documents: DocumentIds = Field(default_factory=list)
    cursor: PageCursor = ""
    limit: int = Field(default=8, ge=1, le=50)


class Hits(Value):
    """The passages found, the best first."""

    hits: list[Excerpt]
    next: str | None = None
    warnings: list[str] = Field(
        default_factory=list, description="Contracts and clauses that were left out, and why."
    )


@tool(
    "Search contracts",
    "Finds passages by words, by a query, or by a question in three or more plain words, in a "
    "collection or in single contracts. Each hit has the words that matched, their place, and a "
    "link; `read` brings the words around them.",
)
def _search(context: RequestContext, asked: SearchRequest, _: Progress) -> Hits:
    hits, after, warnings = search.find_hits(
        context, asked.query, asked.collection, asked.documents, asked.cursor, asked.limit
    )
    shown = []
    for hit in hits:
        words = hit.snippet.shift(-hit.span.start).text_in(hit.words)
        words = without_orders(context, hit.document, words, hit.snippet.start)
        if not words.strip():
            continue
        page = None if hit.page is None else f"page {hit.page}"
        where = ", ".join(filter(None, (hit.name, *hit.path[-1:], page)))
        found = excerpt(hit.document, words, hit.snippet.start, where)
        shown.append(found.model_copy(update={"cut": len(found.words) < len(hit.words)}))
    return Hits(hits=shown, next=after, warnings=warnings)


class ReadRequest(Value):
    """Which words to read."""

    document: DocumentId
    start: int = Field(ge=0, description="The first character, counted from 0.")
    end: int = Field(ge=1, description="The character after the last.")
    around: int = Field(default=200, ge=0, le=2_000, description="Characters on either side.")
    boxes: bool = Field(default=False, description="Whether to give their place on the page.")


class Reading(Value):
    """Words in context."""

    words: str
    before: str = ""
    after: str = ""
    path: list[str] = Field(
        default_factory=list, description="Label and heading of each part down to them."
    )
    page: PageLabel | None = None
    document: str
    span: Span
    href: str
    boxes: list[Box] = Field(default_factory=list)
    next: int | None = Field(default=None, description="`start` of what follows.")
    cut: str = Field(default="", description="Why there are fewer words than were asked for.")
    left_out: bool = Field(
        default=False,
        description="Whether words that give orders to their reader are left out: white space "
        "replaces them. A person should read them.",
    )


@tool(
    "Read words of a contract",
    "Brings the words at a span with the words before and after them, the headings above "
    "them, and their page. At most 20,000 characters at once; `next` is the `start` of the rest.",
)
def _read(context: RequestContext, asked: ReadRequest, _: Progress) -> Reading:
    end = min(asked.end, asked.start + MAX_TEXT)
    found = documents.read_span(
        context, asked.document, asked.start, end, asked.around, boxes=asked.boxes
    )
    parts = {
        "before": (found.before, found.span.start - len(found.before)),
        "words": (found.words, found.span.start),
        "after": (found.after, found.span.end),
    }
    shown = {
        name: without_orders(context, asked.document, words, start)
        for name, (words, start) in parts.items()
    }
    left_out = any(shown[name] != words for name, (words, _) in parts.items())
    cut = found.cut or (f"one reading has {MAX_TEXT:,} characters" if end < asked.end else "")
    return Reading.make(found, **shown, left_out=left_out, cut=cut)


class OutlineRequest(Value):
    """Whose outline, and how deep."""

    document: DocumentId
    depth: int = Field(default=2, ge=1, le=12, description="How many levels of it.")
    cursor: PageCursor = ""
    max_characters: MaxCharacters = DEFAULT_CHARACTERS


class OutlinePart(Value):
    """A part of a contract; `level` counts from 1."""

    label: str = ""
    heading: str = ""
    level: int
    span: Span


class OutlineSummary(Value):
    """The parts of a contract in their order; where `trusted` is false they are mere windows."""

    parts: list[OutlinePart]
    trusted: bool = True
    next: str | None = None


@tool(
    "Outline of a contract",
    "Brings the parts of a contract in order, with their level: labels, headings and spans, to be "
    "read next.",
)
def _outline(context: RequestContext, asked: OutlineRequest, _: Progress) -> OutlineSummary:
    whole = documents.get_outline(context, asked.document)
    with context.access() as access:
        depths = node_depths(access.outline(asked.document))
    parts = [
        OutlinePart(
            label=node.label, heading=" ".join(node.heading.split()), level=depth + 1,
            span=node.span,
        )
        for node, depth in zip(whole.nodes, depths, strict=True)
        if depth < asked.depth
    ]  # fmt: skip
    here, after = fill_page(
        context,
        f"mcp outline {asked.document}",
        parts,
        lambda each: (f"{each.span.start:012}", f"{each.level:03}", f"{each.span.end:012}"),
        asked.cursor,
        asked.max_characters,
    )
    return OutlineSummary(parts=here, trusted=not whole.windows, next=after)


class CardRequest(Value):
    """Whose card."""

    document: DocumentId


class FactSummary(Value):
    """Something that a contract says of itself."""

    name: str
    value: str
    quote: Excerpt


class CardSummary(Value):
    """What a contract says of itself; what is missing was not found."""

    facts: list[FactSummary]


@tool(
    "Contract card",
    "Brings what a contract says of itself: type, parties, dates, governing law, what it "
    "amends; each with its words.",
)
def _card(context: RequestContext, asked: CardRequest, _: Progress) -> CardSummary:
    found = documents.get_card(context, asked.document)
    return CardSummary(
        facts=[
            FactSummary.make(
                each,
                quote=excerpt(asked.document, each.words, each.span.start, named=False),
            )
            for each in found.facts
        ]
    )


TOOLS: tuple[McpTool[Any], ...] = (_collections, _documents, _search, _read, _outline, _card)
