"""Prune what stands above the first clause: parties in a list, and items of the opening words."""

from __future__ import annotations

import re

from fourcorners.outline.parser.sequence import PlacedMarker

_CLAUSES = frozenset({"1.", "1)", "section", "article", "chapter", "I.", "A.", "first"})
_LEAST = 3  # clauses that the contract has, at least, for the items above them to be none
_OPENED = frozenset({"recitals", "body"})  # what the list of parties stands before


_ITEM = re.compile(r"[^\W\d]?\)|\(")


def prune_lists(taken: list[PlacedMarker]) -> list[PlacedMarker]:
    """Return the numbering without lists that stand above the recitals and the first clause.

    These are items in brackets, and numbered parties: a list that starts anew behind the recitals.
    """
    tops = [at for at, item in enumerate(taken) if item.depth <= 0]
    clauses = [at for at in tops if taken[at].reading.family in _CLAUSES]
    opened = next((at for at in tops if taken[at].reading.family in _OPENED), None)
    gone: set[int] = set()
    if len(clauses) >= _LEAST:
        limit = clauses[0] if opened is None else min(clauses[0], opened)
        first = next((at for at in clauses if opened is None or at > opened), limit)
        gone |= {at for at in tops if at < first and _ITEM.match(taken[at].reading.family)}
    if opened is not None:
        parties = [at for at in clauses if at < opened]
        after = next((at for at in clauses if at > opened), None)
        if parties and after is not None and taken[parties[0]].reading == taken[after].reading:
            gone |= set(parties)
            gone |= {at for at in tops if at < opened and "(" in taken[at].reading.family}
    if not gone:
        return taken
    kept: list[PlacedMarker] = []
    dropping = False
    for at, item in enumerate(taken):
        if item.depth <= 0:
            dropping = at in gone
        if not dropping:
            kept.append(item)
    return kept
