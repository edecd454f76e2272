"""`fourcorners precedents`: the clauses of a bank, or of contracts, to draft from."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from fourcorners.cli import options
from fourcorners.cli.model_port import open_model_port
from fourcorners.cli.options import argument, option, spread
from fourcorners.cli.output import console
from fourcorners.errors import ConfigError
from fourcorners.text.invisible_characters import show_invisible, single_line

if TYPE_CHECKING:
    from fourcorners.precedents.clause import Clause, ClausePlace
    from fourcorners.precedents.difference import DifferencePiece
    from fourcorners.precedents.rank import ModelVerdict, Ranked
    from fourcorners.precedents.references import ReferencedText
    from fourcorners.precedents.rerank import Expansion

MAX_PLACES = 3
"""How many places are printed at most for each clause."""


@dataclass(frozen=True, slots=True)
class PrecedentView:
    """A clause as it is shown: with the sections it refers to, and how it differs from a draft."""

    ranked: Ranked
    referred: tuple[ReferencedText, ...]
    pieces: tuple[DifferencePiece, ...]


@dataclass(frozen=True, slots=True)
class _ClauseSource:
    """What clauses are chosen from."""

    bank: Annotated[
        str | None,
        option("--bank -b NAME", "From this clause bank; else from the contracts of the library."),
    ] = None
    provision: Annotated[
        str | None, option("--provision NAME", "Only what the bank holds of this provision.")
    ] = None
    collection: options.Collection = None


@dataclass(frozen=True, slots=True)
class _RankingOptions:
    """How many there are, and how they are ranked."""

    limit: Annotated[int, option("--limit -n N", "How many clauses.", least=1)] = 5
    profile: options.Method = "default"
    reread: options.Reread = None
    expand: options.Expand = False
    no_adapter: Annotated[
        bool, option("--no-adapter", "Leave out what was learned from a bank.")
    ] = False


@spread
def precedents(
    *,
    query: Annotated[str, argument("QUERY", "What the clause should provide, in a phrase.")],
    stock: _ClauseSource,
    longer: Annotated[
        str | None,
        option("--describe TEXT", "The clause described at length; scores of both are averaged."),
    ] = None,
    draft: Annotated[
        Path | None, option("--draft FILE", "A text file: what would change in it, word by word.")
    ] = None,
    ranking: _RankingOptions,
    library: options.Library = None,
    as_json: options.Json = False,
) -> None:
    """Find the best clauses to draft from, with stars and reasons.

    Contracts are cut into clauses by their outlines. The same words are shown once, with their
    count and places.
    """
    from fourcorners.models import default_encoder, default_reranker, shipped_reranker
    from fourcorners.precedents import rerank as reranking
    from fourcorners.precedents.clause import bank_clauses, library_clauses
    from fourcorners.precedents.difference import word_difference
    from fourcorners.precedents.learning import adapters
    from fourcorners.precedents.profile import (
        parse_method,
        require_model_profile,
        uses_learned_model,
        uses_reranker,
    )
    from fourcorners.precedents.rank import ClauseStock, rank_clauses
    from fourcorners.precedents.references import find_references
    from fourcorners.precedents.scoring.score import Scoring, model_for
    from fourcorners.precedents.scoring.vectors import clause_vectors
    from fourcorners.settings import Settings

    if not query.strip():
        raise ConfigError("what should the clause provide?", remedy="Give a phrase as QUERY.")
    if stock.bank is not None and stock.collection is not None:
        raise ConfigError("a bank or a collection, not both.", remedy="Leave one of them out.")
    if stock.provision is not None and stock.bank is None:
        raise ConfigError("whose provision?", remedy="Name the bank with --bank.")
    way = parse_method(ranking.profile)
    require_model_profile(way, ranking.reread)
    how, again = way.profile, way.rerank
    words = None if draft is None else _read(draft)
    settings = Settings.load()
    encoder = default_encoder(settings.encoder)
    reranker = None
    if uses_reranker(how):
        reranker = default_reranker(settings.reranker) or shipped_reranker()
    roles = [
        *([reranking.ROLE] if again else []),
        *([reranking.WORDINGS_ROLE] if ranking.expand else []),
    ]
    with console.open_library(library) as store, open_model_port(store, roles) as port:
        clauses = (
            library_clauses(store, stock.collection)
            if stock.bank is None
            else bank_clauses(store, stock.bank, provision=stock.provision)
        )
        use = not ranking.no_adapter and uses_learned_model(how)
        chosen = adapters.choose_adapter(store, encoder) if use else adapters.NO_ADAPTER
        expansion = (
            reranking.expand_query(query, port, longer=longer) if port and ranking.expand else None
        )
        first = ranking.reread or reranking.MAX_RERANKED
        found = rank_clauses(
            query,
            ClauseStock(clauses, encoder, vectors=clause_vectors(store, clauses, encoder)),
            Scoring(
                profile=how,
                reranker=reranker,
                adapter=chosen.adapter,
                expansion=expansion.text if expansion else "",
            ),
            longer=longer,
            limit=max(ranking.limit, first) if again else ranking.limit,
        )
        if port and again:
            found = reranking.rerank_clauses(query, found, port, again, longer=longer, first=first)
        shown = [
            PrecedentView(
                each,
                tuple(find_references(store, each.clause.places[0])),
                () if words is None else tuple(word_difference(words, each.clause.text)),
            )
            for each in found[: ranking.limit]
        ]
    if uses_learned_model(how) and model_for(encoder) is None:
        console.print_note(f"No stars: what was learned is not for the encoder {encoder.name}.")
    if adapter_note := chosen.message:
        console.print_note(adapter_note)
    if as_json:
        name = None if chosen.installed is None else chosen.installed.identity
        console.print_json(
            [{**_value(each), "adapter": name, "expansion": expansion} for each in shown]
        )
        return
    if expansion is not None:
        _print_expansion(expansion)
    if not shown:
        console.print_text("No clauses to choose from.")
    for number, each in enumerate(shown, start=1):
        _print_clause(number, each)


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"{path}: {(error.strerror or str(error)).lower()}.") from error
    except UnicodeDecodeError as error:
        raise ConfigError(
            f"{path} is no text in UTF-8.", remedy="Save the draft as a plain text file."
        ) from error


def _value(shown: PrecedentView) -> dict[str, object]:
    from fourcorners.precedents.difference import similarity

    ranked, pieces = shown.ranked, list(shown.pieces)
    return {
        "text": ranked.clause.text,
        "provision": ranked.clause.provision,
        "score": round(ranked.score, 6),
        "stars": ranked.clause.stars,
        "predicted_stars": None if ranked.expected is None else round(ranked.expected, 2),
        "relevant": None if ranked.relevant is None else round(ranked.relevant, 4),
        "reasons": console.attributes(ranked.reasons, "covers missing unwanted remarks"),
        "count": len(ranked.clause.places),
        "places": _places(ranked.clause),
        "variants": [
            {"text": each.text, "stars": each.stars, "places": _places(each)}
            for each in ranked.variants
        ],
        "refers_to": [
            {
                "kind": each.kind,
                "reference": each.raw,
                "path": each.path,
                "document": each.document,
                "start": each.span.start,
                "end": each.span.end,
                "text": each.text,
                "whole": each.is_whole,
            }
            for each in shown.referred
        ],
        "model": ranked.verdict,
        "difference": pieces,
        "likeness": round(similarity(pieces), 4) if pieces else None,
    }


def _places(clause: Clause) -> list[object]:
    return [
        {
            **console.attributes(place, "source path document"),
            "start": place.span.start if place.span else None,
            "end": place.span.end if place.span else None,
        }
        for place in clause.places
    ]


def _print_expansion(expansion: Expansion) -> None:
    """Say what a model added to the query, or why it did not."""
    if expansion.failure:
        console.print_note(single_line(f"The query was not expanded: {expansion.failure}"))
        return
    if not expansion.text:
        console.print_note("The query was not expanded: the model added nothing.")
        return
    console.print_line(single_line(f"Also looked for: {', '.join(expansion.terms)}"))
    for each in expansion.wordings:
        console.print_indented(3, (single_line(each), "dim"))
    console.print_text()


def _print_clause(number: int, shown: PrecedentView) -> None:
    """Print a clause with its stars, places, reasons, and what it refers to."""
    ranked = shown.ranked
    clause, reasons = ranked.clause, ranked.reasons
    found_places = []
    if ranked.expected is not None:
        found_places.append(f"{ranked.expected:.1f} stars expected")
    if clause.stars is not None:
        found_places.append("★" * clause.stars + f" given as {clause.provision}")
    if len(clause.places) > 1:
        found_places.append(f"found {len(clause.places):,} times")
    origin = "; ".join(found_places) or clause.provision
    console.print_line((f"{number}.", "bold"), " ", single_line(origin))
    for place in filter(None, map(_place, clause.places[:MAX_PLACES])):
        console.print_indented(3, (single_line(place), "dim"))
    if ranked.variants:
        count = console.count_noun(len(ranked.variants), "variant")
        also = (_place(each.places[0]) for each in ranked.variants[:MAX_PLACES])
        where = f"{count} with nearly the same words: {'; '.join(filter(None, also))}"
        console.print_indented(3, (single_line(where), "dim"))
    for head, text in (
        ("covers", "; ".join(reasons.covers)),
        ("lacks", "; ".join(reasons.missing)),
        ("unwanted", "; ".join(reasons.unwanted)),
        ("note", "; ".join(reasons.remarks)),
        ("model", _verdict(ranked.verdict) if ranked.verdict else ""),
    ):
        if text:
            console.print_indented(11, single_line(text), head=f"   {head}")
    words = _mark_differences(shown.pieces) or [show_invisible(" ".join(clause.text.split()))]
    console.print_indented(3, *words)
    for each in shown.referred:
        rest = "" if each.is_whole else " …"
        refers = f"{each.raw}: {' › '.join(each.path)}: {' '.join(each.text.split())}{rest}"
        console.print_indented(5, (show_invisible(refers), "dim"), head="   →")
    console.print_text()


def _verdict(verdict: ModelVerdict) -> str:
    if verdict.is_empty:
        why = verdict.failure or "there was nothing to compare it with"
        return f"not read, and left at its place: {why}"
    if verdict.stars is not None:
        stars = f"{verdict.stars} star{'' if verdict.stars == 1 else 's'}"
        return f"{stars}: {verdict.reason}" if verdict.reason else stars
    line = f"better than {verdict.better} of those it was compared with, worse than {verdict.worse}"
    if verdict.undecided:
        line += f", undecided {verdict.undecided}"
    if verdict.failed:
        line += f"; {verdict.failed} of {verdict.asked} questions failed: {verdict.failure}"
    return line


def _place(place: ClausePlace) -> str:
    return ", ".join(filter(None, (place.source, " › ".join(place.path))))


def _mark_differences(pieces: tuple[DifferencePiece, ...]) -> list[console.Words]:
    """Return the pieces as words: `[-removed-]` and `{+added+}`, in colour where there is any."""
    marks = {"same": ("", "", ""), "added": ("{+", "+}", "green"), "removed": ("[-", "-]", "red")}
    words: list[console.Words] = []
    for piece in pieces:
        before, after, style = marks[piece.change]
        words += [(f"{before}{show_invisible(piece.text)}{after}", style), " "]
    return words
