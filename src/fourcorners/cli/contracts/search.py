"""`fourcorners search`: the passages that match a query, or answer a plain question."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Annotated, Literal

from fourcorners.cli import options
from fourcorners.cli.options import argument, option, spread
from fourcorners.cli.output import console
from fourcorners.text.invisible_characters import shorten, single_line

if TYPE_CHECKING:
    from fourcorners.library.catalogue import Catalogue
    from fourcorners.library.store import Library
    from fourcorners.search.graph import LinkedPassage
    from fourcorners.search.hit import Hit
    from fourcorners.search.run import PlanStep, SearchResult


LIKELY = 0.1
"""The chance from which a contract is listed as one that a question may name."""
MAX_LINKS = 2
"""How many linked passages there are for each hit, taken together."""
MAX_NAMED = 500
"""Contracts whose clauses that give orders are named."""
_SHOWN = 300  # characters of each linked passage in the terminal


@dataclass(frozen=True, slots=True)
class _SearchOptions:
    """Where to look, how many passages, and how the query is read."""

    collection: options.Collection = None
    contract: Annotated[
        list[str] | None, option("--in CONTRACT", "Only in this contract. May be given again.")
    ] = None
    kind: Annotated[list[str] | None, option("--type TYPE", "Only in contracts of this type.")] = (
        None
    )
    label: Annotated[
        list[str] | None, option("--label LABEL", "Only under this label, such as 7.2.")
    ] = None
    limit: Annotated[int, option("--limit -n N", "How many passages.", least=1)] = 10
    mode: Annotated[
        Literal["symmetric", "lucene"],
        option("--mode MODE", 'Read "a b"~5 in either order (symmetric), or as lucene.'),
    ] = "symmetric"
    stem: Annotated[bool, option("--stem", "Let assign find assigned and assignment too.")] = False


@spread
def search(
    query: Annotated[str, argument("QUERY", "A query, or three or more words of a question.")],
    asked: _SearchOptions,
    explain: Annotated[
        bool, option("--explain", "Show the plan, and each part of each score.")
    ] = False,
    expand: Annotated[
        bool, option("--expand", "Add what belongs to each: definitions, exceptions, amendments.")
    ] = False,
    words_only: options.Words = False,
    library: options.Library = None,
    as_json: options.Json = False,
) -> None:
    """Find passages, or the sentences that answer a question.

    With quotes, ~N, AND, OR, NOT, w/N, pre/N, * or brackets, every passage shown satisfies the
    query. Three or more bare words are a question in plain language. It may name its contract.
    """
    from fourcorners.operations.local_models import LocalModels
    from fourcorners.operations.search import PassagesRequest, search_filters, search_passages
    from fourcorners.search.query import Mode, parse_query
    from fourcorners.search.run import explain_plan
    from fourcorners.settings import Settings

    with console.open_access(library) as access:
        store = access.common()
        contracts = [access.find(each, asked.collection).id for each in asked.contract or ()]
        request = PassagesRequest.from_fields(
            query=query,
            collection=asked.collection,
            documents=tuple(contracts),
            types=tuple(asked.kind or ()),
            labels=tuple(asked.label or ()),
            limit=asked.limit,
            mode=Mode(asked.mode),
            stem=asked.stem,
        )
        engines = None if words_only else LocalModels(Settings.load())
        searched = search_passages(access, request, engines)
        hits = searched.hits
        steps = (
            explain_plan(
                store,
                parse_query(query, mode=request.mode, stem=request.stem),
                encoder=engines.encoder if engines and store.encoder else None,
                filters=search_filters(access, request),
            )
            if explain and searched.scope is None
            else ()
        )
        plan_steps = _plan_steps(store, searched)
        linked = _expansion(store, hits, asked.collection) if expand else None
        everything = (each.id for each in access.documents(asked.collection))
        apart = access.set_apart(contracts or islice(everything, MAX_NAMED))
    for note in filter(None, (searched.failure, *apart)):
        console.print_note(single_line(note), style="yellow")
    if as_json:
        values = [_value(hit) for hit in hits]
        for at, value in enumerate(values):
            value |= {} if linked is None else {"linked": [_linked_value(e) for e in linked[at]]}
        console.print_json(values)
        return
    for step in (*steps, *plan_steps):
        console.print_indented(0, (f"{step.name}: ", "dim"), single_line(step.description))
    if steps or plan_steps:
        console.print_text()
    for number, hit in enumerate(hits, start=1):
        _print_hit(number, hit, explain=explain)
        if linked is not None:
            _print_linked(linked[number - 1])
    if not hits:
        console.print_text("No passage matches.")


def _expansion(
    library: Library, hits: Sequence[Hit], collection: str | None
) -> list[list[LinkedPassage]]:
    """Return what belongs to each hit by the graph."""
    from fourcorners.search.graph import expand_hits

    found: list[list[LinkedPassage]] = [[] for _ in hits]
    for linked in expand_hits(library, hits, limit=MAX_LINKS * len(hits), collection=collection):
        found[linked.source].append(linked)
    return found


def _plan_steps(library: Catalogue, searched: SearchResult) -> list[PlanStep]:
    """Return how a question was read: what it asks for, and which contracts were searched."""
    from fourcorners.search.run import PlanStep

    scope = searched.scope
    if scope is None:
        return []
    plan_steps = []
    if searched.concepts:
        names = ", ".join(concept.name for concept, _ in searched.concepts)
        plan_steps.append(("Asked for", names))
    names_of = {entry.id: entry.name for entry in library.documents()}
    named = [scope.documents[0][0]] if scope.is_certain else scope.candidates
    if named:
        meant = " and ".join(names_of[document] for document in named)
        plan_steps.append(("Searched", f"{meant}, which the question names"))
    elif scope.documents:
        likely = [document for document, chance in scope.documents if chance >= LIKELY]
        meant = " or ".join(names_of[document] for document in likely[:3])
        plan_steps.append(("Preferred", f"{meant}, which the question may name"))
    elif scope.naming:
        plan_steps.append(("Not found", f"a contract named “{scope.naming}”; all were searched"))
    return [PlanStep(name, description) for name, description in plan_steps]


def _value(hit: Hit) -> dict[str, object]:
    return {
        "document": hit.document,
        "name": hit.name,
        "span": [hit.span.start, hit.span.end],
        "page": hit.page,
        "path": hit.path,
        "words": hit.words,
        "matched": [[span.start, span.end] for span in hit.matched],
        "scores": {name: round(value, 6) for name, value in hit.scores.items()},
    }


def _linked_value(linked: LinkedPassage) -> dict[str, object]:
    return {
        "document": linked.document,
        "name": linked.name,
        "span": [linked.span.start, linked.span.end],
        "words": linked.words,
        "tie": linked.kind,
        "because": linked.because,
        "score": linked.score,
    }


def _print_hit(number: int, hit: Hit, *, explain: bool) -> None:
    from fourcorners.cli.output.contract import highlight_quotes
    from fourcorners.search.hit import explain_score
    from fourcorners.text.span import intersect_spans

    page = "" if hit.page is None else f", page {hit.page}"
    place = f"{page}, characters {hit.span.start}-{hit.span.end}"
    console.print_indented(
        0, (f"{number}. ", "dim"), (single_line(hit.name), "bold"), (place, "dim")
    )
    if hit.path:
        console.print_indented(3, (" › ".join(single_line(step) for step in hit.path), "dim"))
    inside = [span.shift(-hit.span.start) for span in intersect_spans(hit.matched, [hit.snippet])]
    words = highlight_quotes(hit.words, hit.snippet.shift(-hit.span.start), inside, one_line=True)
    before = "… " if hit.snippet.start > hit.span.start else ""
    after = " …" if hit.snippet.end < hit.span.end else ""
    console.print_indented(3, (before, "dim"), words, (after, "dim"))
    for part in explain_score(hit) if explain else ():
        value = f"{part.value:.0f}" if part.name.endswith("_rank") else f"{part.value:.4f}"
        console.print_indented(5, (f"{single_line(part.name)} {value}: {part.description}", "dim"))
    console.print_text()


def _print_linked(linked: Sequence[LinkedPassage]) -> None:
    """Print what belongs to a hit, with the reason, and that it came by the graph."""
    if not linked:
        return
    console.print_text(("   By the graph:", "dim"))
    for each in linked:
        place = (f", characters {each.span.start}-{each.span.end}: ", "dim")
        name = (single_line(each.name), "bold")
        console.print_indented(5, name, place, single_line(each.because), head="   +")
        console.print_indented(7, shorten(each.words, _SHOWN))
    console.print_text()
