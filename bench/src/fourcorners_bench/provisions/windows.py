"""Choose the parts of a stored contract that are worth the most, in windows of limited length."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fourcorners.playbooks.passages.ranking import MAX_LENGTH
from fourcorners.text.span import Span

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Window:
    """A part of a document with the total value of its contents."""

    span: Span
    weight: float


def choose_windows(
    parts: Sequence[Span],
    worth: Sequence[float] | NDArray[np.float64],
    *,
    most: int,
    longest: int = MAX_LENGTH,
) -> list[Window]:
    """Return at most `most` disjoint windows with the highest total value, the best first.

    The optimum, not an approximation: for each number of windows, the best that can be had of the
    first parts is known from that of one window less.

    `parts` are adjacent spans in order; a window is a run of them.

    Raises:
        ValueError: If a part alone is longer than a window may be, or worth less than nothing.
    """
    import numpy as np

    if not parts or most < 1:
        return []
    value = np.asarray(worth, np.float64)
    starts = np.array([part.start for part in parts], np.int64)
    ends = np.array([part.end for part in parts], np.int64)
    if (ends - starts).max() > longest or value.min() < 0:
        raise ValueError("each part must fit in a window, and be worth 0 or more")
    first = np.searchsorted(starts, ends - longest)  # of the longest window that ends with a part
    total = np.concatenate([[0.0], np.cumsum(value)])
    gained = total[1:] - total[first]
    best = [np.zeros(len(parts) + 1)]
    taken = []
    for _ in range(min(most, len(parts))):
        with_last = np.concatenate([[0.0], best[-1][first] + gained])
        taken.append(with_last)
        best.append(np.maximum(best[-1], np.maximum.accumulate(with_last)))
    windows = []
    end = len(parts)
    for number in range(len(taken), 0, -1):
        reached = best[number][end]
        if reached <= best[number - 1][end]:
            continue
        last = int(np.argmax(taken[number - 1][: end + 1] >= reached))
        begin = int(first[last - 1])
        span = Span(parts[begin].start, parts[last - 1].end)
        windows.append(Window(span, float(total[last] - total[begin])))
        end = begin
    return sorted(windows, key=lambda window: (-window.weight, window.span))
