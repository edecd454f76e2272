"""Precedents as `fourcorners precedents` shows them: for the terminal and as JSON."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.text import Text

    from fourcorners.cli.output.console import Json
    from fourcorners.precedents.clause import Clause, Place
    from fourcorners.precedents.difference import Piece
    from fourcorners.precedents.rank import ModelVerdict, Ranked
    from fourcorners.precedents.references import ReferencedText
    from fourcorners.precedents.rerank import Expansion

MAX_PLACES = 3
"""How many places are printed of a clause that stands in more."""


@dataclass(frozen=True, slots=True)
class PrecedentView:
    """A clause as it is shown: with the sections it refers to, and how it differs from a draft."""

    ranked: Ranked
    referred: tuple[ReferencedText, ...]
    pieces: tuple[Piece, ...]


def to_json(shown: PrecedentView) -> dict[str, Json]:
    """Return a clause with all that is known of it."""
    from fourcorners.precedents.difference import similarity

    ranked = shown.ranked
    why = ranked.reasons
    pieces = list(shown.pieces)
    return {
        "text": ranked.clause.text,
        "provision": ranked.clause.provision,
        "score": round(ranked.score, 6),
        "stars": ranked.clause.stars,
        "predicted_stars": None if ranked.expected is None else round(ranked.expected, 2),
        "relevant": None if ranked.relevant is None else round(ranked.relevant, 4),
        "reasons": {
            "covers": list(why.covers),
            "missing": list(why.missing),
            "unwanted": list(why.unwanted),
            "remarks": list(why.remarks),
        },
        "count": len(ranked.clause.places),
        "places": _places(ranked.clause),
        "variants": [
            {"text": each.text, "stars": each.stars, "places": _places(each)}
            for each in ranked.variants
        ],
        "refers_to": [
            {
                "kind": each.kind.value,
                "reference": each.raw,
                "path": list(each.path),
                "document": each.document,
                "start": each.span.start,
                "end": each.span.end,
                "text": each.text,
                "whole": each.is_whole,
            }
            for each in shown.referred
        ],
        "model": None if ranked.verdict is None else asdict(ranked.verdict),
        "difference": [{"change": each.change.value, "text": each.text} for each in pieces],
        "likeness": round(similarity(pieces), 4) if pieces else None,
    }


def _places(clause: Clause) -> Json:
    return [
        {
            "source": place.source,
            "path": list(place.path),
            "document": place.document,
            "start": place.span.start if place.span else None,
            "end": place.span.end if place.span else None,
        }
        for place in clause.places
    ]


def expansion_json(expansion: Expansion) -> dict[str, Json]:
    """Return what a model added to the query, or why it did not."""
    return {
        "terms": list(expansion.terms),
        "wordings": list(expansion.wordings),
        "failure": expansion.failure,
    }


def print_expansion(expansion: Expansion) -> None:
    """Say what a model added to the query, or why it did not."""
    from rich.text import Text

    from fourcorners.cli.output import console
    from fourcorners.text.invisible_characters import single_line

    out = console.stdout_console()
    if expansion.failure:
        told = f"The query stands as it is: {expansion.failure}"
        console.err().print(Text(single_line(told)), soft_wrap=True)
        return
    if not expansion.text:
        console.err().print("The query stands as it is: the model added nothing.")
        return
    out.print(Text(single_line(f"Also looked for: {', '.join(expansion.terms)}")), soft_wrap=True)
    for each in expansion.wordings:
        console.print_indented(out, Text(single_line(each), "dim"), 3)
    out.print()


def print_clause(number: int, shown: PrecedentView) -> None:
    """Print a clause with its stars, places, reasons, and what it refers to."""
    from rich.text import Text

    from fourcorners.cli.output import console
    from fourcorners.text.invisible_characters import show_invisible, single_line

    out = console.stdout_console()
    ranked = shown.ranked
    clause = ranked.clause
    told = []
    if ranked.expected is not None:
        told.append(f"{ranked.expected:.1f} stars expected")
    if clause.stars is not None:
        told.append("★" * clause.stars + f" given as {clause.provision}")
    if len(clause.places) > 1:
        told.append(f"stands {len(clause.places):,} times")
    said = "; ".join(told) or clause.provision
    out.print(Text.assemble((f"{number}.", "bold"), " ", single_line(said)), soft_wrap=True)
    for place in clause.places[:MAX_PLACES]:
        if told_place := _place(place):
            console.print_indented(out, Text(single_line(told_place), "dim"), 3)
    if ranked.variants:
        count = console.count_noun(len(ranked.variants), "variant")
        also = [_place(each.places[0]) for each in ranked.variants[:MAX_PLACES]]
        where = "; ".join(filter(None, also))
        console.print_indented(
            out, Text(single_line(f"{count} with nearly the same words: {where}"), "dim"), 3
        )
    for head, names in (
        ("covers", ranked.reasons.covers),
        ("lacks", ranked.reasons.missing),
        ("unwanted", ranked.reasons.unwanted),
        ("note", ranked.reasons.remarks),
    ):
        if names:
            console.print_indented(out, Text(single_line("; ".join(names))), 11, f"   {head}")
    if ranked.verdict is not None:
        told_by_model = _verdict(ranked.verdict)
        console.print_indented(out, Text(single_line(told_by_model)), 11, "   model")
    words = (
        _marked(shown.pieces)
        if shown.pieces
        else Text(show_invisible(" ".join(clause.text.split())))
    )
    console.print_indented(out, words, 3)
    for each in shown.referred:
        where = " › ".join(each.path)
        rest = "" if each.is_whole else " …"
        refers = f"{each.raw}: {where}: {' '.join(each.text.split())}{rest}"
        console.print_indented(out, Text(show_invisible(refers), "dim"), 5, "   →")
    out.print()


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


def _marked(pieces: tuple[Piece, ...]) -> Text:
    """Return the pieces as text: `[-removed-]` and `{+added+}`, in colour where there is any."""
    from rich.text import Text

    from fourcorners.precedents.difference import Change
    from fourcorners.text.invisible_characters import show_invisible

    marks = {
        Change.SAME: ("", "", ""),
        Change.ADDED: ("{+", "+}", "green"),
        Change.REMOVED: ("[-", "-]", "red"),
    }
    told = Text()
    for piece in pieces:
        before, after, style = marks[piece.change]
        told.append(f"{before}{show_invisible(piece.text)}{after}", style or None)
        told.append(" ")
    return told
