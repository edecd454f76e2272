"""Both versions as one sequence: what stays in place, what goes and what comes, in both orders."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum

from fourcorners.comparison.comparison import ClauseChange, Comparison


class Step(StrEnum):
    """What is done with clauses at one place: a moved one goes at one and comes at another."""

    STAY = "stay"
    GO = "go"
    COME = "come"


def both_orders(comparison: Comparison) -> Iterator[tuple[Step, ClauseChange]]:
    """Yield all clauses so that what stays or goes is in the first version's order.

    What stays or comes is in the second's; where clauses go and come at one place, they go first.
    """
    stays = [e for e in comparison.clauses if e.before and e.after and not e.is_moved]
    goes = [e for e in comparison.clauses if e.before and (not e.after or e.is_moved)]
    comes = [e for e in comparison.clauses if e.after and (not e.before or e.is_moved)]
    goes.sort(key=lambda each: each.before[0].span)
    gone = come = 0
    for stay in [*stays, None]:
        while gone < len(goes) and (
            stay is None or goes[gone].before[0].span < stay.before[0].span
        ):
            yield Step.GO, goes[gone]
            gone += 1
        while come < len(comes) and (
            stay is None or comes[come].after[0].span < stay.after[0].span
        ):
            yield Step.COME, comes[come]
            come += 1
        if stay is not None:
            yield Step.STAY, stay
