"""What stands in a document's text and is no evidence of what its parties agreed.

No reader sees it, someone struck it out, it is addressed to a machine, or it lists in a table of
contents what stands further down. Nothing is quoted, valued or concluded from such words: what
reads for evidence reads `blank_text`, in which white space stands in their place.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from fourcorners.documents.document import Document, MarkKind
from fourcorners.text.injections import find_injections
from fourcorners.text.sentences import split_sentences
from fourcorners.text.span import Span, merge_spans


class AsideKind(StrEnum):
    """Why words are no evidence."""

    HIDDEN = "hidden"  # no reader sees them
    DELETED = "deleted"  # they are struck out
    ORDERS = "orders"  # they are addressed to a machine
    CONTENTS = "contents"  # a table of contents


@dataclass(frozen=True, slots=True, order=True)
class Aside:
    """Words that are no evidence, and why."""

    span: Span
    kind: AsideKind


_MARKS = {MarkKind.HIDDEN: AsideKind.HIDDEN, MarkKind.DELETED: AsideKind.DELETED}
_REACH = 2_000  # characters of a sentence around an order, at most


def find_unseen(document: Document) -> tuple[Aside, ...]:
    """Return what is hidden, struck out or addressed to a machine, in order and disjoint."""
    text = document.text
    found = []
    for mark, kind in _MARKS.items():
        spans = merge_spans(each.span for each in document.marks if each.kind is mark)
        found += [Aside(each, kind) for each in spans if _has_words(each.text_in(text))]
    orders = merge_spans(_sentences(text, find_injections(text)))
    found += [Aside(each, AsideKind.ORDERS) for each in orders]
    return tuple(_disjoint(found))


def shown_document(document: Document) -> Document:
    """Return a document with white space for what is unseen; what it marks stays where it is."""
    unseen = find_unseen(document)
    if not unseen:
        return document
    return replace(document, text=blank_text(document.text, unseen))


def document_aside(document: Document, contents: Iterable[Span]) -> tuple[Aside, ...]:
    """Return all that is aside in a document, with the tables of contents of its outline."""
    return find_aside(find_unseen(document), contents)


def find_aside(unseen: Iterable[Aside], contents: Iterable[Span]) -> tuple[Aside, ...]:
    """Return with what is unseen the tables of contents of an outline."""
    listed = [Aside(each, AsideKind.CONTENTS) for each in contents if each]
    return tuple(_disjoint([*unseen, *listed]))


def blank_text(text: str, aside: Iterable[Aside]) -> str:
    """Return a text of the same length with white space for what is aside; lines stay lines."""
    parts, done = [], 0
    for each in aside:
        parts.append(text[done : each.span.start])
        words = each.span.text_in(text)
        parts.append("".join("\n" if letter == "\n" else " " for letter in words))
        done = each.span.end
    return "".join([*parts, text[done:]]) if parts else text


def cut_aside(span: Span, aside: Sequence[Aside], text: str) -> list[Span]:
    """Return the parts of a span that are not aside and hold words, without white space around."""
    parts, start = [], span.start
    for each in aside:
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


def longest_shown(span: Span, aside: Sequence[Aside], text: str) -> Span:
    """Return the longest part of a span that is not aside; the span where all of it is."""
    return max(cut_aside(span, aside, text), key=len, default=span)


def _has_words(text: str) -> bool:
    return any(letter.isalnum() for letter in text)


def _sentences(text: str, orders: Iterable[Span]) -> Iterator[Span]:
    """Yield the sentences in which orders stand, each within its paragraph."""
    for order in orders:
        start = max(text.rfind("\n\n", 0, order.start) + 2, order.start - _REACH, 0)
        end = text.find("\n\n", order.end)
        end = min(len(text) if end < 0 else end, order.end + _REACH)
        own = [each for each in split_sentences(text, Span(start, end)) if each.overlaps(order)]
        yield from own
        yield order


def _disjoint(found: Iterable[Aside]) -> Iterator[Aside]:
    """Yield in order; of words that are aside twice the first reason counts."""
    done = 0
    for each in sorted(found, key=lambda one: (one.span.start, -one.span.end)):
        start = max(done, each.span.start)
        if start < each.span.end:
            done = each.span.end
            yield Aside(Span(start, done), each.kind)
