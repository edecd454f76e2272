"""Features of candidates: the words around each, and its place.

A feature is a name. Those that begin with `!` give the kind of statement (`signs.yaml`); they are
few, and have a higher prior weight than single words.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import TypeAlias

from fourcorners.outline.card.values.candidates import PERPETUAL, Candidate
from fourcorners.outline.tree import Outline
from fourcorners.text.patterns import load_yaml
from fourcorners.text.span import Span
from fourcorners.text.values.periods import WrittenPeriod

Signs: TypeAlias = frozenset[str]
_TOKEN = re.compile(r"[A-Za-z]+|\d+|[\"“”(),:/]|_{2,}")
_DEFINES = re.compile(
    r"[^()\n]{0,60}?\(?[^()“\"\n]{0,50}[“\"](?:the\s+)?(?P<term>[A-Z][\w\s]{2,30})[”\"]"
)
_KINDS = {
    name: re.compile("".join(entry["pattern"].splitlines()))
    for name, entry in load_yaml(Path(__file__).with_suffix(".yaml").read_text("utf-8")).items()
}
_WHOLE_DAY = len("2005-04-30")
_NEAR, _FAR = 3, 12  # words around a candidate that count by position, and that count at all
_STATEMENT = 60  # maximum words of a statement on each side
_PAGE = 3_000  # characters
_MARKED = 40  # maximum dates and periods of one statement that are distinguished


class SignReader:
    """Reads the features of candidates of one contract."""

    def __init__(
        self,
        text: str,
        outline: Outline,
        dates: Sequence[Candidate],
        periods: Sequence[WrittenPeriod],
    ) -> None:
        self._text = text
        self._outline = outline
        whole = (each.span for each in dates if len(each.value) == _WHOLE_DAY)
        marks = [(span.start, span.end, "¤") for span in whole]
        marks += [(each.span.start, each.span.end, "¶") for each in periods]
        self._marks = sorted(marks)
        self._kinds: dict[tuple[Span, Span], frozenset[str]] = {}
        self._around: dict[tuple[Span, Span], tuple[str, ...]] = {}

    def kinds(self, each: Candidate) -> frozenset[str]:
        """Return the kinds of a candidate's statement."""
        place = (each.span, each.statement)
        if place not in self._kinds:
            statement = self._statement(each)
            found = [name for name, pattern in _KINDS.items() if pattern.search(statement)]
            self._kinds[place] = frozenset(found)
        return self._kinds[place]

    def strong(self, each: Candidate) -> Iterator[str]:
        """Yield the kinds of a candidate's statement, combined with the candidate's type."""
        kinds = self.kinds(each)
        yield from (f"!{kind}" for kind in kinds)
        if each.base:
            start = next((kind for kind in _KINDS if kind in kinds and kind[:5] in _STARTS), "none")
            yield f"!{start} & {each.base}"
        else:
            form = PERPETUAL if each.value == PERPETUAL else "written"
            yield from (f"!{kind} & {form}" for kind in kinds)

    def read(self, candidates: Sequence[Candidate]) -> list[Signs]:
        """Return the features of each candidate."""
        count = Counter(each.value for each in candidates)
        order = {value: at for at, value in enumerate(count)}
        dated = sorted(value for value in count if value[:2] in ("19", "20"))
        return [
            frozenset(
                [
                    *self.strong(each),
                    *self._about(each),
                    *_value_signs(each, count, order, dated),
                ]
            )
            for each in candidates
        ]

    def _about(self, each: Candidate) -> tuple[str, ...]:
        """Return the features of words and place, which are the same for every kind of value."""
        place = (each.span, each.statement)
        if place not in self._around:
            self._around[place] = (*self._words(each), *self._places(each))
        return self._around[place]

    def _statement(self, each: Candidate) -> str:
        parts, at = [], each.statement.start
        first = bisect_left(self._marks, (at,))
        near = [
            mark for mark in self._marks[first : first + _MARKED] if mark[0] < each.statement.end
        ]
        others = [mark for mark in near if mark[1] <= each.span.start or mark[0] >= each.span.end]
        for start, end, sign in sorted((*others, (each.span.start, each.span.end, "@"))):
            if start >= at:
                parts += [self._text[at:start], f" {sign} "]
                at = end
        parts.append(self._text[at : max(at, each.statement.end)])
        return " ".join("".join(parts).lower().split())

    def _words(self, each: Candidate) -> Iterator[str]:
        before = _words_of(self._text, Span(each.statement.start, each.span.start))[-_STATEMENT:]
        end = max(each.span.end, each.statement.end)
        after = _words_of(self._text, Span(each.span.end, end))[:_STATEMENT]
        yield from (f"b{at}:{word}" for at, word in enumerate(reversed(before[-_NEAR:]), 1))
        yield from (f"a{at}:{word}" for at, word in enumerate(after[:_NEAR], 1))
        for side, words in (("<", before[-_FAR:]), (">", after[:_FAR])):
            yield from (f"{side}{word}" for word in words)
            yield from (f"{side}{one} {two}" for one, two in pairwise(words))
        yield from (f"s:{word}" for word in (*before, *after))
        yield from (f"=:{word}" for word in _words_of(self._text, each.span))
        if not before:
            yield "first"
        if not after:
            yield "last"
        limit = min(len(self._text), each.span.end + 140)
        if defined := _DEFINES.match(self._text, each.span.end, limit):
            yield f"def:{' '.join(defined['term'].lower().split())}"

    def _places(self, each: Candidate) -> Iterator[str]:
        start, length = each.span.start, len(self._text)
        yield f"from start {min(6, int(math.log2(1 + start / 250)))}"
        yield f"share {10 * start // max(1, length)}"
        if start < _PAGE:
            yield "first page"
        if length - start < _PAGE:
            yield "last page"
        if "\n" in self._text[max(0, start - 3) : start]:
            yield "own line"
        node = self._outline.node_at(start)
        over = [*self._outline.ancestors(node), node] if node is not None else []
        headings = [each.heading for each in over if each.heading is not None]
        for heading in headings[-2:]:
            words = re.findall(r"[a-z]+", heading.text_in(self._text).lower())[:6]
            yield from (f"h:{word}" for word in words)


_STARTS = ("start", "begin")  # kinds that say from what a period is counted, the most certain first


def _words_of(text: str, span: Span) -> list[str]:
    found = []
    for token in _TOKEN.findall(text, span.start, span.end):
        kind = "#" if token.isdigit() else "_" if token[0] == "_" else token.lower()
        found.append('"' if kind in "“”" else kind)
    return found


def _value_signs(
    each: Candidate, count: Mapping[str, int], order: Mapping[str, int], dated: Sequence[str]
) -> Iterator[str]:
    at = order[each.value]
    yield f"named {min(4, count[each.value])}"
    yield f"order {at if at < 4 else 4 if at < 8 else 8}"
    yield f"base {each.base}"
    yield f"written {len(each.value)}"
    if each.value in dated[:1]:
        yield "earliest"
    if each.value in dated[-1:]:
        yield "latest"
    if each.value[0] == "P":
        yield f"period {each.value}"
