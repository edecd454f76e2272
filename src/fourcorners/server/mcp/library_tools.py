"""Tools to find and read contracts, and for reviews: playbooks, findings, starting one."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from fourcorners.search.graph.contract import read_contract as read_whole
from fourcorners.server.api import documents, tasks
from fourcorners.server.api import findings as finding
from fourcorners.server.api.documents import PrecedentValue
from fourcorners.server.api.findings import FindingValue, ReviewRequest
from fourcorners.server.api.models import (
    CardValue,
    CollectionValue,
    DocumentValue,
    HitValue,
    NeighbourhoodValue,
    OutlineValue,
    Paged,
    SpanValue,
    TaskValue,
    Value,
)
from fourcorners.server.api.requests import page_of
from fourcorners.server.auth.principal import Role
from fourcorners.server.context import RequestContext
from fourcorners.server.links import quote_href
from fourcorners.server.mcp.tool import McpTool, Progress, tool
from fourcorners.server.rendering.typesetting import node_depths

MAX_TEXT = 20_000
"""Characters that one reading brings."""
_ALL = 1_000_000  # cells of a grid, at most: they are counted in thousands
_MOST_DOCUMENTS = 50  # in which a term is looked for, if no document is named

DocumentId = Annotated[
    str,
    Field(min_length=1, max_length=40, description="A document's id, as `documents` tells it."),
]
Collection = Annotated[
    str | None, Field(max_length=500, description="Only this collection, by its name.")
]
Query = Annotated[str, Field(min_length=1, max_length=2_000)]


class NoArguments(Value):
    """No arguments."""


class Collections(Value):
    """The collections that you may read."""

    collections: list[CollectionValue]


@tool("Collections", "Lists the collections of contracts that you may read.")
def _collections(context: RequestContext, _: NoArguments, __: Progress) -> Collections:
    return Collections(collections=documents.collections(context))


class ListRequest(Value):
    """Which documents to list."""

    collection: Collection = None
    cursor: str = Field(default="", max_length=2_000, description="`next` of the part before.")
    limit: int = Field(default=50, ge=1, le=200)


@tool("Documents", "Lists the contracts of a collection, or all, with their ids.")
def _documents(context: RequestContext, asked: ListRequest, _: Progress) -> Paged[DocumentValue]:
    return documents.documents(context, asked.collection, asked.cursor, asked.limit)


class SearchRequest(Value):
    """What to find."""

    query: Query = Field(
        description='Words, a query ("change control"~5, liability AND cap*), or a question.'
    )
    collection: Collection = None
    limit: int = Field(default=10, ge=1, le=50)


class Hits(Value):
    """The passages found, the best first."""

    hits: list[HitValue]


@tool(
    "Search contracts",
    "Finds passages by words, by a query, or by a question in three or more plain words. Each "
    "hit has its exact words, its place, and a link.",
)
def _search(context: RequestContext, asked: SearchRequest, _: Progress) -> Hits:
    return Hits(hits=documents.search(context, asked.query, asked.collection, asked.limit))


class ReadRequest(Value):
    """Which words to read."""

    document: DocumentId
    start: int = Field(ge=0, description="The first character, counted from 0.")
    end: int = Field(ge=1, description="The character after the last.")
    around: int = Field(default=400, ge=0, le=2_000, description="Characters on either side.")


@tool(
    "Read words of a contract",
    "Brings the words at a span with what stands before and after them, the headings above "
    "them, and their page. At most 20,000 characters at once.",
)
def _read(context: RequestContext, asked: ReadRequest, _: Progress) -> NeighbourhoodValue:
    end = min(asked.end, asked.start + MAX_TEXT)
    return documents.span(context, asked.document, asked.start, end, asked.around)


class OutlineRequest(Value):
    """Whose outline, and how deep."""

    document: DocumentId
    depth: int = Field(default=2, ge=1, le=12, description="How many levels of it.")


@tool(
    "Outline of a contract",
    "Brings the parts of a contract as a tree: labels, headings and spans, to be read next.",
)
def _outline(context: RequestContext, asked: OutlineRequest, _: Progress) -> OutlineValue:
    whole = documents.outline(context, asked.document)
    with context.access() as access:
        depths = node_depths(access.outline(asked.document))
    shown = zip(whole.nodes, depths, strict=True)
    nodes = [node for node, depth in shown if depth < asked.depth]
    return whole.model_copy(update={"nodes": nodes})


class CardRequest(Value):
    """Whose card."""

    document: DocumentId


@tool(
    "Contract card",
    "Brings what a contract says of itself: type, parties, dates, governing law, what it "
    "amends; each with its words.",
)
def _card(context: RequestContext, asked: CardRequest, _: Progress) -> CardValue:
    return documents.card(context, asked.document)


class DefineRequest(Value):
    """Which term, and where."""

    term: str = Field(min_length=1, max_length=200, examples=["Fees"])
    document: DocumentId | None = None
    collection: Collection = None


class DefinitionValue(Value):
    """How a contract defines a term."""

    term: str
    document: str
    name: str
    span: SpanValue
    words: str
    path: list[str]
    href: str


class Definitions(Value):
    """The definitions found; `searched` is how many documents were read for them."""

    definitions: list[DefinitionValue]
    searched: int


@tool("Definition of a term", "Brings how contracts define a term, as it stands there.")
def _define(context: RequestContext, asked: DefineRequest, _: Progress) -> Definitions:
    wanted = asked.term.strip(" \"'“”‘’.").casefold()
    found: list[DefinitionValue] = []
    with context.access() as access:
        if asked.document is not None:
            entries = [access.visible(asked.document).entry]
        else:
            entries = access.documents(asked.collection)[:_MOST_DOCUMENTS]
        for entry in entries:
            reading = read_whole(access.library_of(entry.id, Role.READER), entry.id)
            for term in reading.outline.terms:
                if term.term.casefold() not in (wanted, wanted.removesuffix("s")):
                    continue
                span = reading.definition(term)
                node = reading.outline.node_at(span.start)
                words = span.text_in(reading.text)
                path = reading.outline.path(node, reading.text) if node else ()
                more = {"span": span, "words": words, "path": path, "document": entry.id}
                href = quote_href(entry.id, span, words)
                found.append(DefinitionValue.make(term, name=entry.name, href=href, **more))
        access.record("define", {"documents": len(entries), "found": len(found)})
    return Definitions(definitions=found, searched=len(entries))


class PrecedentsRequest(Value):
    """What a clause should provide."""

    query: Query = Field(description="In a phrase: mutual cap on liability, twelve months' fees.")
    collection: str = Field(max_length=500, description="Whose clauses, by its name.")
    limit: int = Field(default=5, ge=1, le=20)


class Precedents(Value):
    """The clauses that serve best, the best first."""

    precedents: list[PrecedentValue]


@tool("Precedent clauses", "Finds the clauses of a collection that serve best to draft from.")
def _precedents(context: RequestContext, asked: PrecedentsRequest, _: Progress) -> Precedents:
    return Precedents(
        precedents=documents.precedents(context, asked.query, asked.collection, asked.limit)
    )


class PlaybookEntry(Value):
    """A playbook with the ids of its provisions."""

    id: str
    name: str
    provisions: list[str]


class Playbooks(Value):
    """The playbooks that reviews can follow."""

    playbooks: list[PlaybookEntry]


@tool("Playbooks", "Lists the playbooks that reviews follow, with the ids of their provisions.")
def _playbooks(context: RequestContext, _: NoArguments, __: Progress) -> Playbooks:
    return Playbooks(
        playbooks=[
            PlaybookEntry.make(each, provisions=[one.id for one in each.provisions])
            for each in finding.playbooks(context)
        ]
    )


class FindingsRequest(Value):
    """Which findings."""

    collection: str = Field(max_length=500, description="Whose, by its name.")
    playbook: str = Field(default="due-diligence", max_length=200)
    document: DocumentId | None = None
    provision: Annotated[str | None, Field(max_length=200)] = None
    state: Literal["found", "not_found", "failed", "not_applicable"] | None = None
    cursor: str = Field(default="", max_length=2_000, description="`next` of the part before.")
    limit: int = Field(default=50, ge=1, le=200)


@tool(
    "Findings of a review",
    "Brings what a review found: for each provision and contract a `headline` of what is "
    "asserted, the answers to its questions with the words for each, the clause's words and "
    "place, how grave it is, and what people said of it. An answer that is empty is left to a "
    "person: read the words, and assert no more than they do. A contract without findings was "
    "not reviewed by that playbook.",
)
def _findings(context: RequestContext, asked: FindingsRequest, _: Progress) -> Paged[FindingValue]:
    cells = finding.findings(context, asked.collection, asked.playbook, asked.document, "", _ALL)
    wanted = [
        each
        for each in cells.items
        if asked.provision in (None, each.provision) and asked.state in (None, each.state)
    ]
    here, after = page_of(
        context,
        "findings",
        wanted,
        lambda each: (each.document, each.provision),
        asked.cursor,
        asked.limit,
    )
    return Paged(items=here, next=after)


@tool(
    "Start a review",
    "Starts a review of a collection by a playbook and returns its task, which `task` tells "
    "the progress of.",
    writes=True,
)
def _start_review(context: RequestContext, asked: ReviewRequest, _: Progress) -> TaskValue:
    return finding.review(context, asked)


class TaskRequest(Value):
    """Which task."""

    task: str = Field(max_length=40, description="Its id, as `start_review` tells it.")


@tool("Progress of long work", "Tells how far a task is, and what came of it.")
def _task(context: RequestContext, asked: TaskRequest, _: Progress) -> TaskValue:
    return tasks.task(context, asked.task)


TOOLS: tuple[McpTool[Any], ...] = (
    *(_collections, _documents, _search, _read, _outline, _card, _define, _precedents),
    *(_playbooks, _findings, _start_review, _task),
)
