"""`fourcorners search`: the passages that match a query, or answer a plain question."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from fourcorners.cli.output.console import CollectionOption, Json, JsonOption, LibraryOption

if TYPE_CHECKING:
    from rich.console import Console

    from fourcorners.library.catalogue import Catalogue
    from fourcorners.search.hit import Hit
    from fourcorners.search.plan import PlanStep
    from fourcorners.search.run import SearchResult


LIKELY = 0.1
"""The chance from which a contract is told as one that a question may name."""


class ProximityMode(StrEnum):
    """How `"a b"~5` is read."""

    SYMMETRIC = "symmetric"
    LUCENE = "lucene"


def search(
    query: Annotated[
        str, typer.Argument(metavar="QUERY", help="A query, or three or more words of a question.")
    ],
    collection: CollectionOption = None,
    contract: Annotated[
        list[str] | None,
        typer.Option("--in", metavar="CONTRACT", help="Only in this contract. May be given again."),
    ] = None,
    kind: Annotated[
        list[str] | None,
        typer.Option("--type", metavar="TYPE", help="Only in contracts of this type."),
    ] = None,
    label: Annotated[
        list[str] | None,
        typer.Option("--label", metavar="LABEL", help="Only under this label, such as 7.2."),
    ] = None,
    limit: Annotated[
        int, typer.Option("--limit", "-n", metavar="N", min=1, help="How many passages.")
    ] = 10,
    mode: Annotated[
        ProximityMode,
        typer.Option(
            "--mode", metavar="MODE", help='Read "a b"~5 in either order (symmetric), or as lucene.'
        ),
    ] = ProximityMode.SYMMETRIC,
    stem: Annotated[
        bool, typer.Option("--stem", help="Let assign find assigned and assignment too.")
    ] = False,
    explain: Annotated[
        bool, typer.Option("--explain", help="Show the plan, and each part of each score.")
    ] = False,
    expand: Annotated[
        bool,
        typer.Option(
            "--expand", help="Add what belongs to each: definitions, exceptions, amendments."
        ),
    ] = False,
    words_only: Annotated[
        bool, typer.Option("--words-only", help="Do without the local encoder.")
    ] = False,
    library: LibraryOption = None,
    as_json: JsonOption = False,
) -> None:
    """Find passages, or the sentences that answer a question.

    With quotes, ~N, AND, OR, NOT, w/N, pre/N, * or brackets, every passage shown satisfies the
    query. Three or more bare words are a question in plain language. It may name its contract.
    """
    from fourcorners.cli.output import console, graph
    from fourcorners.models import default_encoder, default_reranker
    from fourcorners.playbooks.concepts import default_concepts
    from fourcorners.search.filters import Filters
    from fourcorners.search.plan import explain_plan
    from fourcorners.search.query import Mode, parse_query
    from fourcorners.search.run import search_library

    with console.open_library(library, create=False) as store:
        encoder = default_encoder() if store.encoder and not words_only else None
        filters = Filters(
            collection=collection,
            documents=tuple(store.resolve(name, collection).id for name in contract or ()),
            types=tuple(kind or ()),
            labels=tuple(label or ()),
        )
        how = Mode(mode.value)
        question = encoder is not None and parse_query(query).plain
        searched = search_library(
            store,
            query,
            encoder=encoder,
            concepts=default_concepts() if question else (),
            reranker=default_reranker() if question else None,
            filters=filters,
            limit=limit,
            mode=how,
            stem=stem,
        )
        hits = searched.hits
        steps = (
            explain_plan(store, query, encoder=encoder, filters=filters, mode=how, stem=stem)
            if explain and searched.scope is None
            else ()
        )
        told = _told(store, searched)
        linked = graph.expansion(store, hits, collection) if expand else None
    if as_json:
        values = [_value(hit) for hit in hits]
        if linked is not None:
            values = [
                {**value, "linked": graph.linked_json(linked[at])}
                for at, value in enumerate(values)
            ]
        console.print_json(values)
        return
    out = console.stdout_console()
    for step in (*steps, *told):
        _print_step(out, step)
    if steps or told:
        out.print()
    for number, hit in enumerate(hits, start=1):
        _print_hit(out, number, hit, explain=explain)
        if linked is not None:
            graph.print_linked(out, linked[number - 1])
    if not hits:
        out.print("No passage matches.")


def _told(library: Catalogue, searched: SearchResult) -> list[PlanStep]:
    """Return how a question was read: what it asks for, and which contracts were searched."""
    from fourcorners.search.plan import PlanStep

    scope = searched.scope
    if scope is None:
        return []
    told = []
    if searched.concepts:
        names = ", ".join(concept.name for concept, _ in searched.concepts)
        told.append(PlanStep("Asked for", names))
    names_of = {entry.id: entry.name for entry in library.documents()}
    if scope.is_certain:
        told.append(
            PlanStep("Searched", f"{names_of[scope.documents[0][0]]}, which the question names")
        )
    elif scope.candidates:
        named = " and ".join(names_of[document] for document in scope.candidates)
        told.append(PlanStep("Searched", f"{named}, which the question names"))
    elif scope.documents:
        likely = [document for document, chance in scope.documents if chance >= LIKELY]
        meant = " or ".join(names_of[document] for document in likely[:3])
        told.append(PlanStep("Preferred", f"{meant}, which the question may name"))
    elif scope.naming:
        told.append(PlanStep("Not found", f"a contract named “{scope.naming}”; all were searched"))
    return told


def _value(hit: Hit) -> dict[str, Json]:
    return {
        "document": hit.document,
        "name": hit.name,
        "span": [hit.span.start, hit.span.end],
        "page": hit.page,
        "path": list(hit.path),
        "words": hit.words,
        "matched": [[span.start, span.end] for span in hit.matched],
        "scores": {name: round(value, 6) for name, value in hit.scores.items()},
    }


def _print_step(out: Console, step: PlanStep) -> None:
    from rich.text import Text

    from fourcorners.cli.output.console import print_indented
    from fourcorners.text.invisible_characters import single_line

    told = Text.assemble((f"{step.name}: ", "dim"), single_line(step.description))
    print_indented(out, told, 0)


def _print_hit(out: Console, number: int, hit: Hit, *, explain: bool) -> None:
    from rich.text import Text

    from fourcorners.cli.output.console import print_indented
    from fourcorners.cli.output.contract import highlight_quotes
    from fourcorners.search.hit import explain_score as parts_of
    from fourcorners.text.invisible_characters import single_line
    from fourcorners.text.span import intersect_spans

    head = Text.assemble((f"{number}. ", "dim"), (single_line(hit.name), "bold"))
    if hit.page is not None:
        head.append(f", page {hit.page}", "dim")
    head.append(f", characters {hit.span.start}-{hit.span.end}", "dim")
    print_indented(out, head, 0)
    if hit.path:
        print_indented(out, Text(" › ".join(single_line(step) for step in hit.path), "dim"), 3)
    inside = [span.shift(-hit.span.start) for span in intersect_spans(hit.matched, [hit.snippet])]
    words = highlight_quotes(hit.words, hit.snippet.shift(-hit.span.start), inside, one_line=True)
    before = "… " if hit.snippet.start > hit.span.start else ""
    after = " …" if hit.snippet.end < hit.span.end else ""
    print_indented(out, Text.assemble((before, "dim"), words, (after, "dim")), 3)
    if explain:
        for part in parts_of(hit):
            value = f"{part.value:.0f}" if part.name.endswith("_rank") else f"{part.value:.4f}"
            told = f"{single_line(part.name)} {value}: {part.description}"
            print_indented(out, Text(told, "dim"), 5)
    out.print()
