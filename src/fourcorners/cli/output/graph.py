"""What belongs to hits by the graph, in the terminal and as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

    from fourcorners.cli.output.console import Json
    from fourcorners.library.store import Library
    from fourcorners.search.graph import LinkedPassage
    from fourcorners.search.hit import Hit

MAX_LINKS = 2
"""How many linked passages there are for each hit, taken together."""
_SHOWN = 300  # characters of each in the terminal


def expansion(
    library: Library, hits: Sequence[Hit], collection: str | None
) -> dict[int, list[LinkedPassage]]:
    """Return what belongs to each hit, by the hit's place."""
    from fourcorners.search.graph import expand_hits

    found: dict[int, list[LinkedPassage]] = {at: [] for at in range(len(hits))}
    for linked in expand_hits(library, hits, limit=MAX_LINKS * len(hits), collection=collection):
        found[linked.source].append(linked)
    return found


def linked_json(linked: Sequence[LinkedPassage]) -> Json:
    """Return what belongs to a hit as JSON."""
    return [
        {
            "document": each.document,
            "name": each.name,
            "span": [each.span.start, each.span.end],
            "words": each.words,
            "tie": each.kind.value,
            "because": each.because,
            "score": each.score,
        }
        for each in linked
    ]


def print_linked(out: Console, linked: Sequence[LinkedPassage]) -> None:
    """Print what belongs to a hit, with the reason, and that it came by the graph."""
    from rich.text import Text

    from fourcorners.cli.output.console import print_indented
    from fourcorners.text.invisible_characters import shorten, single_line

    if not linked:
        return
    out.print(Text("   By the graph:", "dim"))
    for each in linked:
        head = Text.assemble(
            (single_line(each.name), "bold"),
            (f", characters {each.span.start}-{each.span.end}: ", "dim"),
            single_line(each.because),
        )
        print_indented(out, head, 5, "   +")
        print_indented(out, Text(shorten(each.words, _SHOWN)), 7)
    out.print()
