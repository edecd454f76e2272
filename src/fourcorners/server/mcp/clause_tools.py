"""Tools to draft with: definitions, and precedent clauses."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from fourcorners.library.contract import read_contract
from fourcorners.operations.principal import Role
from fourcorners.server.api import search
from fourcorners.server.context import RequestContext
from fourcorners.server.mcp.library_tools import Collection, DocumentIds, Query
from fourcorners.server.mcp.summaries import (
    DEFAULT_CHARACTERS,
    MAX_EXCERPT,
    Excerpt,
    MaxCharacters,
    PageCursor,
    excerpt,
    fill_page,
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


class PrecedentsRequest(Value):
    """What a clause should provide."""

    query: Query = Field(description="In a phrase: mutual cap on liability, twelve months' fees.")
    collection: str = Field(max_length=500, description="Whose clauses, by its name.")
    limit: int = Field(default=3, ge=1, le=20)


class PrecedentSummary(Value):
    """A clause to draft from, at the first of the places that have its words."""

    stars: float | None = Field(
        default=None, description="What a lawyer would give it, 1 to 5, if known."
    )
    clause: Excerpt
    places: int = Field(default=1, description="In how many places it occurs.")


class Precedents(Value):
    """The clauses that serve best, the best first."""

    precedents: list[PrecedentSummary]


@tool("Precedent clauses", "Finds the clauses of a collection that serve best to draft from.")
def _precedents(context: RequestContext, asked: PrecedentsRequest, _: Progress) -> Precedents:
    ranked = search.find_precedents(context, asked.query, asked.collection, asked.limit)
    shown = []
    for each in ranked:
        place = next((one for one in each.places if one.span is not None), None)
        if place is not None and place.span is not None:
            where = ", ".join((place.name, *place.path[-1:]))
            start = place.span.start
            clause = excerpt(place.document, each.text, start, where, _MAX_CLAUSE)
            stars = None if each.stars is None else round(each.stars, 1)
            shown.append(PrecedentSummary(stars=stars, clause=clause, places=len(each.places)))
    return Precedents(precedents=shown)


TOOLS: tuple[McpTool[Any], ...] = (_define, _precedents)
