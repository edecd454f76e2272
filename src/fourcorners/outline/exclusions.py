"""Find text of a document that is not evidence of what its parties agreed.

It is invisible, struck out, gives instructions to its reader, or is a table of contents. Nothing is
quoted or concluded from such words: code that looks for evidence reads `blank_text`, in which they
are replaced by white space.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from fourcorners.documents.document import Document, MarkKind, PageLabel
from fourcorners.outline.tree import Outline
from fourcorners.text.injections import find_injections, find_reversed_words
from fourcorners.text.span import Span, merge_spans, subtract_spans


class ExclusionKind(StrEnum):
    """Why words are not evidence."""

    HIDDEN = "hidden"  # no reader sees them
    DELETED = "deleted"  # they are struck out
    ORDERS = "orders"  # they instruct a machine or a person who reports on the text
    CONTENTS = "contents"  # a table of contents
    HEADING = "heading"  # the number and heading of a clause whose words are all excluded


@dataclass(frozen=True, slots=True, order=True)
class Exclusion:
    """Words that are not evidence, and why."""

    span: Span
    kind: ExclusionKind


@dataclass(frozen=True, slots=True)
class SetApartClause:
    """A clause that gives instructions to its reader, and is not evidence.

    Attributes:
        label: Its number by the outline; empty where it has none.
        page: The first page it is on; None for formats without pages.
    """

    span: Span
    words: str
    label: str
    page: PageLabel | None

    @property
    def place(self) -> str:
        number = f"clause {self.label}" if self.label else ""
        page = "" if self.page is None else f"page {self.page}"
        characters = f"characters {self.span.start:,} to {self.span.end:,}"
        return ", ".join(filter(None, (number, page))) or characters


_MARKS = {MarkKind.HIDDEN: ExclusionKind.HIDDEN, MarkKind.DELETED: ExclusionKind.DELETED}
_LINE = 200  # characters of a line after excluded words that are examined
_REACH = 2_000  # maximum characters of a sentence around an instruction
_LEAD = " \t\xa0*#>-–—•[(<{\"“'"  # what may precede the first word of a line
_CLOSING = " \t\xa0\r\"”’'*)]}>|`"  # what may follow the end of a sentence
_BEFORE = " \t\n\xa0\r.:;!?|])\"”’'"  # what may end the sentence before an instruction
_ENDS = ".;:!?"
_END = re.compile(r"[.!?][\"”’'*)\]}>|`]*(?=\s|$)")  # of a sentence
_NUMBERED = re.compile(
    r"[^\S\n]*(?:(?:clause|section|article|§)\s*)?"
    r"(?:\d{1,3}(?:\.\d{1,3})*[A-Z]?[.):]?|\([a-zA-Z\d]{1,4}\)|[A-Z]\.|[a-z]{1,4}\))\s+",
    re.IGNORECASE,
)
_NUMBERS = re.compile(rf"(?:{_NUMBERED.pattern}|\s)*", re.IGNORECASE)
_SPACE = re.compile(r"\s*")
_ITEM = re.compile(r"[^\S\n]*(?:\([a-zA-Z\d]{1,4}\)|[a-z\d]{1,4}\)|[•●▪*\-–])\s")
_NEXT_CLAUSE = re.compile(r"(?<=[.;:!?])\s+(?=\d{1,2}\.(?:\d{1,2}\.?)*\s+[A-Z])")  # in its line
_LEAST_WRAPPED, _MOST_WRAPPED = 60, 120  # characters of a full line if lines are broken by hand
_SIGN_LINES = 3  # above an instruction, and below it
_SHORT = 45  # characters of a line after which a sentence does not continue


def find_unseen(document: Document) -> tuple[Exclusion, ...]:
    """Return what is hidden, struck out or instructs its readers, in order and disjoint."""
    text = document.text
    found = []
    for mark, kind in _MARKS.items():
        spans = merge_spans(each.span for each in document.marks if each.kind is mark)
        found += [Exclusion(each, kind) for each in spans if _has_words(each.text_in(text))]
    found += [Exclusion(each, ExclusionKind.HIDDEN) for each in find_reversed_words(text)]
    orders = merge_spans(_ordered_clauses(text, find_injections(text)))
    orders = merge_spans(_with_signs(text, each) for each in orders)
    found += [Exclusion(each, ExclusionKind.ORDERS) for each in orders]
    return tuple(_disjoint(found))


def shown_document(document: Document) -> Document:
    """Return a document with white space for what is unseen; its marks keep their places."""
    unseen = find_unseen(document)
    if not unseen:
        return document
    return replace(document, text=blank_text(document.text, unseen))


def document_exclusions(document: Document, outline: Outline) -> tuple[Exclusion, ...]:
    """Return all that is excluded in a document, with its tables of contents.

    Of a clause whose words are all excluded the number and the heading are no evidence either.
    """
    listed = [Exclusion(each, ExclusionKind.CONTENTS) for each in outline.contents if each]
    found = [*_disjoint([*find_unseen(document), *listed])]
    headings = [
        Exclusion(part, ExclusionKind.HEADING)
        for each in merge_spans(_empty_clauses(document.text, outline, found))
        for part in shown_parts(each, found, document.text)
    ]
    return tuple(_disjoint([*found, *headings]))


def _empty_clauses(text: str, outline: Outline, found: Sequence[Exclusion]) -> Iterator[Span]:
    """Yield the clauses with orders of which only numbers and headings are left."""
    orders = [each.span for each in found if each.kind is ExclusionKind.ORDERS]
    aside = [each.span for each in found]
    aside += [each.heading for each in outline.nodes if each.heading] if orders else []
    for node in outline.nodes:
        beyond = _SPACE.match(text, node.span.end)
        reach = Span(node.span.start, (beyond.end() if beyond else node.span.end) + 1)
        if any(reach.overlaps(each) for each in orders):
            left = subtract_spans([node.span], aside)
            if _NUMBERS.fullmatch("".join(f"{each.text_in(text)} " for each in left)):
                yield node.span


def blank_text(text: str, exclusions: Iterable[Exclusion]) -> str:
    """Return a text of the same length with white space for what is excluded.

    Lines that are wholly excluded vanish: the text above and below them is adjacent.
    """
    parts, done = [], 0
    for each in exclusions:
        start, end = each.span.start, each.span.end
        beyond = text.find("\n", end)
        ends_line = not text[end : len(text) if beyond < 0 else min(beyond, end + _LINE)].strip()
        before = start - 1
        while before > done and text[before] in " \t\xa0\r":
            before -= 1
        if ends_line and before >= done and text[before] == "\n":
            start = before
        parts.append(text[done:start])
        parts.append(" " * (end - start))
        done = end
    return "".join([*parts, text[done:]]) if parts else text


def shown_parts(span: Span, exclusions: Sequence[Exclusion], text: str) -> list[Span]:
    """Return the parts of a span that are not excluded and contain words."""
    parts, start = [], span.start
    for each in exclusions:
        if each.span.end <= start:
            continue
        if each.span.start >= span.end:
            break
        parts.append(Span(start, max(start, each.span.start)))
        start = each.span.end
    if start < span.end:
        parts.append(Span(start, span.end))
    if parts == [span]:
        return parts
    return [own for each in parts if _has_words((own := each.strip(text)).text_in(text))]


def longest_shown(span: Span, exclusions: Sequence[Exclusion], text: str) -> Span:
    """Return the longest part of a span that is not excluded; the span if all of it is."""
    return max(shown_parts(span, exclusions, text), key=len, default=span)


def _has_words(text: str) -> bool:
    return any(letter.isalnum() for letter in text)


def _ordered_clauses(text: str, orders: Iterable[Span]) -> Iterator[Span]:
    """Yield the clauses of instructions, from the sentence with the instruction to the end.

    The beginning of a clause governs the rest of it. The number of the clause is not included: it
    keeps its place in the outline.
    """
    for found in orders:
        order = found
        while len(order) > 1 and text[order.start] in _BEFORE:
            order = Span(order.start + 1, order.end)
        start = _clause_start(text, order)
        ends = [each.end() for each in _END.finditer(text, start, order.start)]
        start = ends[-1] if ends else start
        number = _NUMBERED.match(text, start, order.start)
        yield Span(number.end() if number else start, _clause_end(text, order)).strip(text)


def _with_signs(text: str, span: Span) -> Span:
    """Return an instruction with adjacent lines that contain signs and no words."""
    start, end = span.start, span.end
    for _ in range(_SIGN_LINES):
        above = text.rfind("\n", 0, start)
        first = text.rfind("\n", 0, max(0, above)) + 1
        if above < 0 or text[above:start].strip() or not _is_signs(text[first:above]):
            break
        start = first
    for _ in range(_SIGN_LINES):
        beyond = text.find("\n", end)
        last = text.find("\n", beyond + 1)
        last = len(text) if last < 0 else last
        if beyond < 0 or text[end:beyond].strip() or not _is_signs(text[beyond:last]):
            break
        end = last
    return Span(start, end).strip(text)


def _is_signs(line: str) -> bool:
    return 0 < len(line.strip()) <= _SHORT and not _has_words(line)


def _clause_start(text: str, order: Span) -> int:
    """Return the start of the lines over which the sentence with an instruction may extend."""
    start = text.rfind("\n", 0, order.start) + 1
    while start and order.start - start < _REACH:
        if _NUMBERED.match(text, start):
            break
        above = text.rfind("\n", 0, start - 1) + 1
        if not _runs_on(text[above : start - 1]):
            break
        start = above
    return start


def _clause_end(text: str, order: Span) -> int:
    """Return where the clause with an instruction ends, including a list that it introduces."""
    limit = min(len(text), order.end + _REACH)
    end, is_listing = order.end, False
    while True:
        first = text.rfind("\n", 0, end) + 1
        newline = text.find("\n", end, limit)
        if newline < 0 and limit - first >= _REACH:  # a text without lines
            number = _NEXT_CLAUSE.search(text, end, limit)
            return number.start() if number else limit
        if newline < 0:
            return limit
        rest = text[newline:limit]
        after = newline + len(rest) - len(rest.lstrip())
        start = text.rfind("\n", 0, after) + 1
        line = text[max(first, order.start) : newline].rstrip(_CLOSING)
        is_listing = _ITEM.match(text, start) is not None and (is_listing or line.endswith(":"))
        if not is_listing and (
            _NUMBERED.match(text, start)
            or not (line.endswith(":") or (start == newline + 1 and _fills_line(line)))
        ):
            return newline
        if after >= limit:
            return newline
        end = after


def _fills_line(line: str) -> bool:
    """Return whether a sentence, or its paragraph, may continue after a line."""
    return _runs_on(line) or _LEAST_WRAPPED <= len(line) <= _MOST_WRAPPED


def _runs_on(line: str) -> bool:
    """Return whether a sentence may continue on the next line: the line is long, without an end."""
    shown = line.rstrip(_CLOSING)
    return len(shown) > _SHORT and shown[-1] not in _ENDS


def _disjoint(found: Iterable[Exclusion]) -> Iterator[Exclusion]:
    """Yield in order; if words are excluded twice, the first reason counts."""
    done = 0
    for each in sorted(found, key=lambda one: (one.span.start, -one.span.end)):
        start = max(done, each.span.start)
        if start < each.span.end:
            done = each.span.end
            yield Exclusion(Span(start, done), each.kind)
