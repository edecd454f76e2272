"""Layers of style over a text, flattened: the runs in which the text looks the same."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from heapq import heappop, heappush
from itertools import pairwise
from typing import TypeAlias

from fourcorners.text.span import Span


@dataclass(frozen=True, slots=True)
class TextRun:
    """Words that are set alike.

    Attributes:
        classes: How they look, as names of style classes.
        href: Where they lead; empty for nowhere.
        term: The index of the defined term that they are; None for none.
        marked: Whether they are highlighted.
        anchor: The id of the place that starts here; empty for none.
        change: The id of the change that removes these words, or adds them; empty for none.
        is_new: Whether the change adds them: then they are no words of the contract.
    """

    text: str
    classes: str = ""
    href: str = ""
    term: int | None = None
    marked: bool = False
    anchor: str = ""
    change: str = ""
    is_new: bool = False


Layer: TypeAlias = tuple[Span, TextRun]
"""A span with what it adds to the words in it."""


@dataclass(slots=True)
class _Open:
    """The layers that lie over one place; of links and changes the first counts."""

    classes: Counter[str] = field(default_factory=Counter)
    links: list[tuple[int, int]] = field(default_factory=list)  # (order, end), a heap
    changes: list[tuple[int, int]] = field(default_factory=list)
    marks: int = 0

    def first(self, heap: list[tuple[int, int]], at: int) -> int | None:
        while heap and heap[0][1] <= at:
            heappop(heap)
        return heap[0][0] if heap else None


def flatten_layers(layers: Iterable[Layer], within: Span) -> list[Layer]:
    """Return the runs of a part of a text over which layers lie, in order; none overlap.

    The time grows with the number of layers, however many lie over each other.
    """
    clipped = [
        (cut, style) for span, style in layers if (cut := span.intersection(within)) is not None
    ]
    clipped.sort(key=lambda each: each[0])
    edges = sorted({edge for span, _ in clipped for edge in (span.start, span.end)})
    ends = sorted(range(len(clipped)), key=lambda order: clipped[order][0].end)
    runs: list[Layer] = []
    over = _Open()
    opened = closed = 0
    for at, after in pairwise(edges):
        while closed < len(ends) and clipped[ends[closed]][0].end <= at:
            _count(over, clipped[ends[closed]][1], -1)
            closed += 1
        while opened < len(clipped) and clipped[opened][0].start <= at:
            span, style = clipped[opened]
            _count(over, style, 1)
            if style.href:
                heappush(over.links, (opened, span.end))
            if style.change:
                heappush(over.changes, (opened, span.end))
            opened += 1
        if opened == closed:
            continue
        link, change = over.first(over.links, at), over.first(over.changes, at)
        style = TextRun(
            "",
            classes=" ".join(over.classes),
            href="" if link is None else clipped[link][1].href,
            term=None if link is None else clipped[link][1].term,
            marked=over.marks > 0,
            change="" if change is None else clipped[change][1].change,
        )
        runs.append((Span(at, after), style))
    return runs


def _count(over: _Open, style: TextRun, by: int) -> None:
    over.marks += by * style.marked
    if style.classes:
        over.classes[style.classes] += by
        if not over.classes[style.classes]:
            del over.classes[style.classes]


class RunCutter:
    """Cuts spans of a text into the runs that it is set in.

    Args:
        runs: What `flatten_layers` returned.
        soft: Where the text has line ends that only its paper's width made, in order.
        added: Words to show at offsets of the text, once each.
        anchor: The id of the place where the first highlighted run starts.
    """

    def __init__(
        self,
        text: str,
        runs: Sequence[Layer],
        soft: Sequence[int],
        added: dict[int, list[TextRun]],
        anchor: str,
    ) -> None:
        self._text, self._runs, self._soft = text, runs, soft
        self._ends = [span.end for span, _ in runs]
        self._added, self._places = added, sorted(added)
        self._anchor = anchor

    def runs(self, span: Span) -> tuple[TextRun, ...]:
        """Return the runs of a span, with what is added in it."""
        runs: list[TextRun] = []
        at = span.start
        for place in self._places[
            bisect_left(self._places, span.start) : bisect_left(self._places, span.end + 1)
        ]:
            runs += [*self._cut(at, place), *self._added.pop(place, ())]
            at = place
        runs += self._cut(at, span.end)
        return tuple(runs)

    def _cut(self, start: int, end: int) -> list[TextRun]:
        runs: list[TextRun] = []
        number = bisect_left(self._ends, start + 1)
        while start < end:
            here = self._runs[number] if number < len(self._runs) else None
            if here is None or here[0].start >= end:
                runs.append(TextRun(self._join_lines(start, end)))
                break
            span, style = here
            if span.start > start:
                runs.append(TextRun(self._join_lines(start, span.start)))
                start = span.start
            cut = min(span.end, end)
            runs.append(self._style(style, self._join_lines(start, cut)))
            start, number = cut, number + 1
        return runs

    def _style(self, style: TextRun, words: str) -> TextRun:
        anchor = ""
        if style.marked:
            anchor, self._anchor = self._anchor, ""
        return replace(style, text=words, anchor=anchor)

    def _join_lines(self, start: int, end: int) -> str:
        """Return the words of a span, without the line ends that the paper made."""
        first, last = bisect_left(self._soft, start), bisect_left(self._soft, end)
        if first == last:
            return self._text[start:end]
        pieces = []
        for at in self._soft[first:last]:
            pieces.append(self._text[start:at])
            start = at + 1
        return " ".join([*pieces, self._text[start:end]])
