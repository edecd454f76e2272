"""Precedents as `fourcorners precedents` shows them: for the terminal and as JSON."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fourcorners.cli.output import console
from fourcorners.text.invisible_characters import show_invisible, single_line

if TYPE_CHECKING:
    from fourcorners.precedents.clause import Clause, Place
    from fourcorners.precedents.difference import Piece
    from fourcorners.precedents.rank import Ranked
    from fourcorners.precedents.references import ReferencedText
    from fourcorners.precedents.rerank.expansion import Expansion
    from fourcorners.precedents.verdict import ModelVerdict

MAX_PLACES = 3
"""How many places are printed of a clause that stands in more."""


@dataclass(frozen=True, slots=True)
class PrecedentView:
    """A clause as it is shown: with the sections it refers to, and how it differs from a draft."""

    ranked: Ranked
    referred: tuple[ReferencedText, ...]
    pieces: tuple[Piece, ...]


def to_json(shown: PrecedentView) -> dict[str, object]:
    """Return a clause with all that is known of it."""
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


def print_expansion(expansion: Expansion) -> None:
    """Say what a model added to the query, or why it did not."""
    if expansion.failure:
        console.print_note(single_line(f"The query stands as it is: {expansion.failure}"))
        return
    if not expansion.text:
        console.print_note("The query stands as it is: the model added nothing.")
        return
    console.print_line(single_line(f"Also looked for: {', '.join(expansion.terms)}"))
    for each in expansion.wordings:
        console.print_indented(3, (single_line(each), "dim"))
    console.print_text()


def print_clause(number: int, shown: PrecedentView) -> None:
    """Print a clause with its stars, places, reasons, and what it refers to."""
    ranked = shown.ranked
    clause, reasons = ranked.clause, ranked.reasons
    told = []
    if ranked.expected is not None:
        told.append(f"{ranked.expected:.1f} stars expected")
    if clause.stars is not None:
        told.append("★" * clause.stars + f" given as {clause.provision}")
    if len(clause.places) > 1:
        told.append(f"stands {len(clause.places):,} times")
    said = "; ".join(told) or clause.provision
    console.print_line((f"{number}.", "bold"), " ", single_line(said))
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
    words = _marked(shown.pieces) or [show_invisible(" ".join(clause.text.split()))]
    console.print_indented(3, *words)
    for each in shown.referred:
        rest = "" if each.is_whole else " …"
        refers = f"{each.raw}: {' › '.join(each.path)}: {' '.join(each.text.split())}{rest}"
        console.print_indented(5, (show_invisible(refers), "dim"), head="   →")
    console.print_text()


def _verdict(verdict: ModelVerdict) -> str:
    """Return what a model said of a clause, as a person reads it."""
    if verdict.is_empty:
        why = verdict.failure or "there was nothing to compare it with"
        return f"not read, and left at its place: {why}"
    if verdict.stars is not None:
        stars = f"{verdict.stars} star{'' if verdict.stars == 1 else 's'}"
        return f"{stars}: {verdict.reason}" if verdict.reason else stars
    told = f"better than {verdict.better} of those it was compared with, worse than {verdict.worse}"
    if verdict.undecided:
        told += f", undecided {verdict.undecided}"
    if verdict.failed:
        told += f"; {verdict.failed} of {verdict.asked} questions failed: {verdict.failure}"
    return told


def _place(place: Place) -> str:
    return ", ".join(filter(None, (place.source, " › ".join(place.path))))


def _marked(pieces: tuple[Piece, ...]) -> list[console.Words]:
    """Return the pieces as words: `[-removed-]` and `{+added+}`, in colour where there is any."""
    marks = {"same": ("", "", ""), "added": ("{+", "+}", "green"), "removed": ("[-", "-]", "red")}
    told: list[console.Words] = []
    for piece in pieces:
        before, after, style = marks[piece.change]
        told += [(f"{before}{show_invisible(piece.text)}{after}", style), " "]
    return told
