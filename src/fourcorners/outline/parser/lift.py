"""Repair the numbering: lift what is too deep, and drop lists above the first clause."""

from __future__ import annotations

import re
from dataclasses import replace

from fourcorners.outline.parser.sequence import PlacedMarker

_CLAUSES = frozenset({"1.", "section", "article", "I.", "part", "chapter"})
_LEAST = 4  # minimum clauses of a list, for it to be the contract's own
_SHARE = 0.5  # minimum share of the text up to the next attachment
_COUNTED = frozenset({"1.", "1)", "section", "article", "chapter", "I.", "A.", "first"})
_FEWEST = 3  # minimum clauses of the contract, for the items above them not to be clauses
_OPENED = frozenset({"recitals", "body"})  # what follows the list of parties
ITEM = re.compile(r"[^\W\d]?\)|\(")
"""The start of a family of list items, which sentences hold too."""


def lift_levels(taken: list[PlacedMarker], length: int) -> list[PlacedMarker]:
    """Return the numbering with the contract's own clauses on the level of the headings above them.

    A heading in capitals without a number contains what follows, up to the next one. If a single
    one contains clauses counted from the first, and these are most of the text, it is their
    sibling.
    """
    result = list(taken)
    begin = 0
    for end in [*_attachments(taken), len(taken)]:
        holding = [at for at in range(begin, end) if _clauses(taken, at, end)]
        if len(holding) == 1:
            heading = holding[0]
            clauses = _clauses(taken, heading, end)
            start = taken[begin].marker.start if begin else 0
            stop = taken[end].marker.start if end < len(taken) else length
            if stop - taken[clauses[0]].marker.start >= _SHARE * (stop - start):
                for at in range(clauses[0], _end(taken, heading, end)):
                    result[at] = replace(taken[at], depth=taken[at].depth - 1)
        begin = end
    return result


def _attachments(taken: list[PlacedMarker]) -> list[int]:
    return [at for at, item in enumerate(taken) if item.reading.family == "attachment"]


def _end(taken: list[PlacedMarker], heading: int, limit: int) -> int:
    depth = taken[heading].depth
    return next((at for at in range(heading + 1, limit) if taken[at].depth <= depth), limit)


def _clauses(taken: list[PlacedMarker], heading: int, limit: int) -> list[int]:
    """Return the clauses right under a heading in capitals, if they are a list from the first.

    There are none if another such heading ends the list: then each heads a separate text.
    """
    if taken[heading].reading.family != "caps":
        return []
    depth = taken[heading].depth + 1
    stop = _end(taken, heading, limit)
    if stop < limit and taken[stop].reading.family == "caps":
        return []
    inside = range(heading + 1, stop)
    under = [at for at in inside if taken[at].depth == depth]
    found = [at for at in under if taken[at].reading.family in _CLAUSES]
    whole = len(found) >= _LEAST and taken[found[0]].reading.path == (1,)
    return found if whole else []


def prune_lists(taken: list[PlacedMarker]) -> list[PlacedMarker]:
    """Return the numbering without lists above the recitals and the first clause.

    These are items in brackets, and numbered parties: a list that restarts after the recitals.
    """
    tops = [at for at, item in enumerate(taken) if item.depth <= 0]
    clauses = [at for at in tops if taken[at].reading.family in _COUNTED]
    opened = next((at for at in tops if taken[at].reading.family in _OPENED), None)
    gone: set[int] = set()
    if len(clauses) >= _FEWEST:
        limit = clauses[0] if opened is None else min(clauses[0], opened)
        first = next((at for at in clauses if opened is None or at > opened), limit)
        gone |= {at for at in tops if at < first and ITEM.match(taken[at].reading.family)}
    if opened is not None:
        parties = [at for at in clauses if at < opened]
        after = next((at for at in clauses if at > opened), None)
        if parties and after is not None and taken[parties[0]].reading == taken[after].reading:
            gone |= set(parties)
            gone |= {at for at in tops if at < opened and "(" in taken[at].reading.family}
    if not gone:
        return taken
    remaining: list[PlacedMarker] = []
    dropping = False
    for at, item in enumerate(taken):
        if item.depth <= 0:
            dropping = at in gone
        if not dropping:
            remaining.append(item)
    return remaining
