"""`fourcorners precedents`: the clauses of a bank, or of contracts, to draft from."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fourcorners.cli.console import CollectionOption, JsonOption, LibraryOption

if TYPE_CHECKING:
    from rich.text import Text

    from fourcorners.cli.console import Json
    from fourcorners.precedents.clause import Place
    from fourcorners.precedents.difference import Piece
    from fourcorners.precedents.gather import Referred
    from fourcorners.precedents.rank import Ranked

PLACES = 3
"""How many places are printed of a clause that stands in more."""


@dataclass(frozen=True, slots=True)
class Shown:
    """A clause as it is shown: with the sections it refers to, and how it differs from a draft."""

    ranked: Ranked
    referred: tuple[Referred, ...]
    pieces: tuple[Piece, ...]


def precedents(
    query: Annotated[
        str, typer.Argument(metavar="QUERY", help="What the clause should provide, in a phrase.")
    ],
    bank: Annotated[
        str | None,
        typer.Option(
            "--bank",
            "-b",
            metavar="NAME",
            help="From this clause bank; else from the contracts of the library.",
            show_default=False,
        ),
    ] = None,
    provision: Annotated[
        str | None,
        typer.Option(
            "--provision",
            metavar="NAME",
            help="Only what the bank holds of this provision.",
            show_default=False,
        ),
    ] = None,
    collection: CollectionOption = None,
    longer: Annotated[
        str | None,
        typer.Option(
            "--describe",
            metavar="TEXT",
            help="The clause described at length; scores of both are averaged.",
            show_default=False,
        ),
    ] = None,
    draft: Annotated[
        Path | None,
        typer.Option(
            "--draft",
            metavar="FILE",
            help="A text file: what would change in it, word by word.",
            show_default=False,
        ),
    ] = None,
    limit: Annotated[
        int, typer.Option("--limit", "-n", metavar="N", min=1, help="How many clauses.")
    ] = 5,
    profile: Annotated[
        str,
        typer.Option(
            "--profile",
            metavar="NAME",
            help="default, hybrid, dense, bm25; dense-rerank and bm25-rerank: the first hundred "
            "read again by the reranker of the settings.",
        ),
    ] = "default",
    library: LibraryOption = None,
    as_json: JsonOption = False,
) -> None:
    """Find the best clauses to draft from, with stars and reasons.

    Contracts are cut into clauses by their outlines. The same words are shown once, with their
    count and places.
    """
    from fourcorners.cli import console
    from fourcorners.errors import ConfigError
    from fourcorners.models import default_encoder, default_reranker
    from fourcorners.precedents import gather, kept
    from fourcorners.precedents.difference import difference
    from fourcorners.precedents.profile import Profile, named, reranks
    from fourcorners.precedents.rank import rank
    from fourcorners.precedents.scoring import judge_for

    if not query.strip():
        raise ConfigError("what should the clause provide?", remedy="Give a phrase as QUERY.")
    if bank is not None and collection is not None:
        raise ConfigError("a bank or a collection, not both.", remedy="Leave one of them out.")
    if provision is not None and bank is None:
        raise ConfigError("whose provision?", remedy="Name the bank with --bank.")
    how = named(profile)
    words = None if draft is None else _read(draft)
    encoder = default_encoder()
    reranker = default_reranker() if reranks(how) else None
    with console.open_library(library, create=False) as store:
        clauses = (
            gather.of_contracts(store, collection)
            if bank is None
            else gather.of_bank(store, bank, provision=provision)
        )
        found = rank(
            query,
            clauses,
            encoder,
            longer=longer,
            limit=limit,
            profile=how,
            reranker=reranker,
            vectors=lambda texts: kept.vectors(store, texts, encoder),
        )
        shown = [
            Shown(
                each,
                tuple(gather.referred(store, each.clause.places[0])),
                () if words is None else tuple(difference(words, each.clause.text)),
            )
            for each in found
        ]
    if how is Profile.DEFAULT and judge_for(encoder) is None:
        console.err().print(
            f"No stars: what was learned is not for the encoder {encoder.name}.", soft_wrap=True
        )
    if as_json:
        console.print_json([_json(each) for each in shown])
        return
    if not shown:
        console.out().print("No clauses to choose from.")
    for number, each in enumerate(shown, start=1):
        _print(number, each)


def _read(path: Path) -> str:
    from fourcorners.errors import ConfigError

    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"{path}: {(error.strerror or str(error)).lower()}.") from error
    except UnicodeDecodeError as error:
        raise ConfigError(
            f"{path} is no text in UTF-8.", remedy="Save the draft as a plain text file."
        ) from error


def _json(shown: Shown) -> Json:
    from fourcorners.precedents.difference import likeness

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
        "places": [
            {
                "source": place.source,
                "path": list(place.path),
                "document": place.document,
                "start": place.span.start if place.span else None,
                "end": place.span.end if place.span else None,
            }
            for place in ranked.clause.places
        ],
        "refers_to": [
            {"reference": each.raw, "path": list(each.path), "text": each.text}
            for each in shown.referred
        ],
        "difference": [{"change": each.change.value, "text": each.text} for each in pieces],
        "likeness": round(likeness(pieces), 4) if pieces else None,
    }


def _print(number: int, shown: Shown) -> None:
    from rich.text import Text

    from fourcorners.cli import console
    from fourcorners.reports.visible import line, visible

    out = console.out()
    ranked = shown.ranked
    clause = ranked.clause
    told = []
    if ranked.expected is not None:
        told.append(f"{ranked.expected:.1f} stars expected")
    if clause.stars is not None:
        told.append("★" * clause.stars + " given")
    if len(clause.places) > 1:
        told.append(f"stands {len(clause.places):,} times")
    out.print(Text.assemble((f"{number}.", "bold"), " ", "; ".join(told) or line(clause.provision)))
    for place in clause.places[:PLACES]:
        if told_place := _place(place):
            console.print_indented(out, Text(line(told_place), "dim"), 3)
    for head, names in (
        ("covers", ranked.reasons.covers),
        ("lacks", ranked.reasons.missing),
        ("unwanted", ranked.reasons.unwanted),
        ("note", ranked.reasons.remarks),
    ):
        if names:
            console.print_indented(out, Text(line("; ".join(names))), 11, f"   {head}")
    words = _marked(shown.pieces) if shown.pieces else Text(visible(" ".join(clause.text.split())))
    console.print_indented(out, words, 3)
    for each in shown.referred:
        where = " › ".join(each.path)
        refers = f"{each.raw}: {where}: {' '.join(each.text.split())}"
        console.print_indented(out, Text(visible(refers), "dim"), 5, "   →")
    out.print()


def _place(place: Place) -> str:
    return ", ".join(filter(None, (place.source, " › ".join(place.path))))


def _marked(pieces: tuple[Piece, ...]) -> Text:
    """Return the pieces as text: `[-removed-]` and `{+added+}`, in colour where there is any."""
    from rich.text import Text

    from fourcorners.precedents.difference import Change
    from fourcorners.reports.visible import visible

    marks = {
        Change.SAME: ("", "", ""),
        Change.ADDED: ("{+", "+}", "green"),
        Change.REMOVED: ("[-", "-]", "red"),
    }
    told = Text()
    for piece in pieces:
        before, after, style = marks[piece.change]
        told.append(f"{before}{visible(piece.text)}{after}", style or None)
        told.append(" ")
    return told
