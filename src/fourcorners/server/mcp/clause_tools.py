"""Tools to draft with: definitions, and precedent clauses."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from fourcorners.library.contract import read_contract
from fourcorners.operations.contracts.precedents import (
    Precedent,
    PrecedentsRequest,
    find_precedents,
)
from fourcorners.operations.principal import Role
from fourcorners.server.context import RequestContext
from fourcorners.server.mcp.library_tools import Collection, DocumentIds
from fourcorners.server.mcp.summaries import (
    DEFAULT_CHARACTERS,
    MAX_EXCERPT,
    Excerpt,
    MaxCharacters,
    PageCursor,
    excerpt,
    fill_page,
    without_own_orders,
)
from fourcorners.server.mcp.tool import McpTool, Progress, tool
from fourcorners.value import Value

_MOST_DOCUMENTS = 50  # in which a term is looked for, if no document is named
_MAX_CLAUSE = 1_200  # characters of a precedent: it is to be drafted from


class DefineRequest(Value):
    """Which term, and where."""

    term: str = Field(min_length=1, max_length=200, examples=["Fees"])
    documents: DocumentIds = Field(default_factory=list)
    collection: Collection = None
    cursor: PageCursor = ""
    max_characters: MaxCharacters = DEFAULT_CHARACTERS


class DefinitionSummary(Value):
    """How a contract defines a term."""

    term: str
    quote: Excerpt


class Definitions(Value):
    """The definitions found; `searched` is how many contracts were read for them."""

    definitions: list[DefinitionSummary]
    searched: int
    next: str | None = None


@tool("Definition of a term", "Brings how contracts define a term, in their own words.")
def _define(context: RequestContext, asked: DefineRequest, _: Progress) -> Definitions:
    wanted = asked.term.strip(" \"'“”‘’.").casefold()
    found: list[DefinitionSummary] = []
    with context.access() as access:
        if asked.documents:
            entries = [access.visible(each).entry for each in asked.documents]
        else:
            entries = access.documents(asked.collection)[:_MOST_DOCUMENTS]
        for entry in entries:
            reading = read_contract(access.library_of(entry.id, Role.READER), entry.id)
            for term in reading.outline.terms:
                if term.term.casefold() not in (wanted, wanted.removesuffix("s")):
                    continue
                span = reading.definition(term)
                node = reading.outline.node_at(span.start)
                path = reading.outline.path(node, reading.text) if node else ()
                where = ", ".join((entry.name, *path[-1:]))
                quote = excerpt(
                    entry.id, span.text_in(reading.text), span.start, where, 2 * MAX_EXCERPT
                )
                found.append(DefinitionSummary(term=term.term, quote=quote))
        access.record("define", {"documents": len(entries), "found": len(found)})
    here, after = fill_page(
        context,
        "mcp definitions",
        sorted(found, key=_definition_place),
        _definition_place,
        asked.cursor,
        asked.max_characters,
    )
    return Definitions(definitions=here, searched=len(entries), next=after)


def _definition_place(found: DefinitionSummary) -> tuple[str, str]:
    return found.quote.document, f"{found.quote.span.start:012}"


class PrecedentsToolRequest(PrecedentsRequest):
    """What a clause should provide, and whose clauses are ranked."""

    limit: int = Field(default=3, ge=1, le=20)


class PrecedentSummary(Value):
    """A clause to draft from, at the first of the places that have its words."""

    stars: float | None = Field(
        default=None, description="What a lawyer would give it, 1 to 5, if known."
    )
    clause: Excerpt
    places: int = Field(default=1, description="In how many places it occurs.")
    bank_clause: str = Field(default="", description="Its id in the clause bank.")
    lacks: list[str] = Field(default_factory=list, description="What it lacks of the query.")
    alike: int | None = Field(
        default=None, description="The share of words that are the draft's, in percent."
    )


class Precedents(Value):
    """The clauses that serve best, the best first."""

    precedents: list[PrecedentSummary]


@tool(
    "Precedent clauses",
    "Finds the clauses of a collection, or of a clause bank, that serve best to draft from; with a "
    "draft, how near each is to it.",
)
def _precedents(context: RequestContext, asked: PrecedentsToolRequest, _: Progress) -> Precedents:
    with context.access() as access:
        found = find_precedents(access, asked, context.state.engines).found
    return Precedents(precedents=list(filter(None, map(_summarise, found))))


def _summarise(found: Precedent) -> PrecedentSummary | None:
    """Return a clause at the first place that is known, or of a bank; else None."""
    source = next((each for each in found.sources if each.words or found.id), None)
    if source is None:
        return None
    where = ", ".join((source.name, *source.path[-1:]))
    start = source.words.start if source.words else 0
    words = without_own_orders(found.clause.text)
    clause = excerpt(source.document, words, start, where, _MAX_CLAUSE)
    if source.words is None:  # a clause of a bank leads nowhere
        clause = clause.model_copy(update={"href": "", "document": ""})
    expected = found.ranked.expected
    return PrecedentSummary(
        stars=None if expected is None else round(expected, 1),
        clause=clause,
        places=len(found.clause.places),
        bank_clause=found.id,
        lacks=list(found.ranked.reasons.missing),
        alike=found.alike,
    )


TOOLS: tuple[McpTool[Any], ...] = (_define, _precedents)
