"""Find what a contract leaves blank: signature lines, dates, and words to be filled in.

Only the contract itself is examined: a form among its exhibits is meant to be blank. Words removed
for confidentiality ("[***]") are not blanks.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from fourcorners.outline.tree import NodeKind, Outline
from fourcorners.text.patterns import load_patterns
from fourcorners.text.span import Span, merge_spans

_PATTERNS = load_patterns("fourcorners.review", "blanks")
_END = 12_000  # characters at the end of a body that hold the signatures if no part does
_BEFORE, _AFTER = 250, 80  # characters around a signature line that may hold its signature
_AROUND = 120  # characters around another blank that are examined


class BlankKind(StrEnum):
    SIGNATURE = "signature"
    DATE = "date"
    PLACEHOLDER = "placeholder"
    GAP = "gap"


@dataclass(frozen=True, slots=True)
class Blank:
    kind: BlankKind
    span: Span


def find_blanks(text: str, outline: Outline) -> tuple[Blank, ...]:
    """Return the blanks outside exhibits, in order; each place has one kind."""
    attached = [each.span for each in outline.nodes if each.kind is NodeKind.SCHEDULE]
    parts = [each.span for each in outline.nodes if each.kind is NodeKind.SIGNATURE]
    outer = merge_spans(attached)
    own = [part for part in parts if not _is_within(outer, part)]
    end = min((each.start for each in attached), default=len(text))
    signing = own or [Span(max(0, end - _END), end)]
    unsigned = [*_find_unsigned_lines(text, signing, lone=bool(own))]
    found = [Blank(BlankKind.SIGNATURE, span) for span in unsigned]
    found += _others(text, [*attached, *own, *unsigned])
    return tuple(sorted(found, key=lambda each: each.span))


def _is_within(spans: list[Span], inner: Span) -> bool:
    """Return whether one of the ordered, disjoint spans contains another span."""
    at = bisect_right(spans, inner.start, key=lambda span: span.start) - 1
    return at >= 0 and spans[at].contains(inner)


def _find_unsigned_lines(text: str, parts: list[Span], *, lone: bool) -> Iterator[Span]:
    """Yield the signature lines without a signature on them, next to them or above them.

    Lines side by side are blank if none of them is signed, and drawn lines without words before
    them (`lone`) if nothing is signed at all.
    """
    for part in parts:
        rows: list[list[re.Match[str]]] = []
        for line in _PATTERNS["line"].finditer(text, part.start, part.end):
            if _PATTERNS["witness"].search(text, max(0, line.start() - 20), line.start()):
                continue
            if rows and not _PATTERNS["apart"].search(text, rows[-1][-1].end(), line.start()):
                rows[-1].append(line)
            else:
                rows.append([line])
        starts = [*(row[0].start() for row in rows), part.end]
        previous = part.start
        for row, following in zip(rows, starts[1:], strict=True):
            before = max(previous, row[0].start() - _BEFORE)
            after = min(following, row[-1].end() + _AFTER)
            signature = _PATTERNS["signed"].search(text, before, after)
            previous = signature.end() if signature else row[-1].end()
            for line in () if signature else row:
                if blank := _PATTERNS["rule"].match(text, line.end(), part.end):
                    yield Span(line.start(), blank.end()).strip(text)
        if lone and not rows and not _PATTERNS["signed"].search(text, part.start, part.end):
            for blank in _PATTERNS["lone"].finditer(text, part.start, part.end):
                yield Span(*blank.span()).strip(text)


def _others(text: str, aside: list[Span]) -> Iterator[Blank]:
    taken = bytearray(len(text))
    for span in aside:
        taken[span.start : span.end] = b"\x01" * len(span)
    for kind, pattern in (
        (BlankKind.DATE, _PATTERNS["date"]),
        (BlankKind.PLACEHOLDER, _PATTERNS["placeholder"]),
        (BlankKind.GAP, _PATTERNS["gap"]),
    ):
        for match in pattern.finditer(text):
            span = Span(*match.span())
            if any(taken[span.start : span.end]):
                continue
            if kind is not BlankKind.DATE and not _is_to_fill(text, span, kind):
                continue
            taken[span.start : span.end] = b"\x01" * len(span)
            yield Blank(kind, span)


def _is_to_fill(text: str, span: Span, kind: BlankKind) -> bool:
    """Return whether a blank is in a sentence or follows a label of the contract."""
    near = max(0, span.start - _AROUND)
    before = text[max(near, text.rfind("\n", near, span.start) + 1) : span.start]
    if _PATTERNS["signing"].search(before):
        return False
    if kind is BlankKind.PLACEHOLDER:
        return True
    after = text[span.end : span.end + _AROUND].split("\n", 1)[0]
    if _PATTERNS["signed"].search(before + after) or _PATTERNS["captioned"].match(text, span.end):
        return False
    return bool(re.search(r"[a-z]", before[-40:]) or re.match(r"\W{0,3}[a-z]", after))
