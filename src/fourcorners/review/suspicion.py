"""Find what in a document gives instructions to its reader, or is hidden from a reader.

No finding is based on these words (`outline.exclusions`); but anyone who relies on a review should
know about them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from fourcorners.documents.document import Document, MarkKind
from fourcorners.outline.exclusions import Exclusion, ExclusionKind
from fourcorners.text.injections import find_disguised_words, find_injections
from fourcorners.text.span import Span, merge_spans


class SuspicionKind(StrEnum):
    """What is suspicious."""

    ORDERS = "orders"  # instructions to a machine
    HIDDEN = "hidden"  # hidden words
    DISGUISED = "disguised"  # look-alike or invisible letters


@dataclass(frozen=True, slots=True)
class Suspicion:
    """One thing that a person should look at.

    Attributes:
        message: The problem, in one sentence, with some of the words.
        span: The words, or the first of them; None if they are outside the text.
    """

    sign: SuspicionKind
    message: str
    span: Span | None = None


_SHOWN = 80  # characters of the words in a message
_LEAST_HIDDEN = 12  # letters and digits: less is a stray mark


def find_suspicions(document: Document) -> tuple[Suspicion, ...]:
    """Return what is suspicious in a document, the most serious first."""
    text = document.text
    return (*_sort_suspicions(document), *_hidden(document), *_disguised(text))


_LEFT_OUT = {
    ExclusionKind.ORDERS: "Words that instruct a reader are not evidence, and were left out",
    ExclusionKind.HIDDEN: "Words that no reader sees are not evidence, and were left out",
    ExclusionKind.DELETED: "Words that are struck out are not evidence, and were left out",
}


_BESIDE = {
    MarkKind.DELETED: "Words that are struck out are not evidence, and were left out",
    MarkKind.COMMENT: "Comments are not evidence, and were left out",
}


def describe_left_out(document: Document, exclusions: Sequence[Exclusion]) -> tuple[str, ...]:
    """Say what was left out of a document's findings, one sentence per kind.

    A table of contents is not reported: its entries recur in the body.
    """
    words = {
        message: [each.span.text_in(document.text) for each in exclusions if each.kind is kind]
        for kind, message in _LEFT_OUT.items()
    }
    for kind, message in _BESIDE.items():
        notes = [each.detail for each in document.marks if each.kind is kind and not each.span]
        if kind is MarkKind.COMMENT:
            notes = [each.detail for each in document.marks if each.kind is kind]
        words.setdefault(message, []).extend(filter(str.strip, notes))
    return tuple(_describe_words(message, each) for message, each in words.items() if each)


def _sort_suspicions(document: Document) -> Iterator[Suspicion]:
    text = document.text
    spans = find_injections(text)
    if spans:
        yield Suspicion(SuspicionKind.ORDERS,
                        _describe_spans("It gives instructions to its reader", spans, text),
                        spans[0])  # fmt: skip
    for mark in document.marks:
        if mark.kind in (MarkKind.COMMENT, MarkKind.DELETED) and find_injections(mark.detail):
            what = "A comment" if mark.kind is MarkKind.COMMENT else "A deleted passage"
            yield Suspicion(
                SuspicionKind.ORDERS,
                f"{what} gives instructions to its reader: “{_cut(mark.detail)}”.",
                mark.span,
            )
    if find_injections(document.name.replace("_", " ")):
        yield Suspicion(
            SuspicionKind.ORDERS, "The name of its file gives instructions to its reader."
        )


def _hidden(document: Document) -> Iterator[Suspicion]:
    spans = merge_spans(mark.span for mark in document.marks if mark.kind is MarkKind.HIDDEN)
    spans = [each for each in spans if any(c.isalnum() for c in each.text_in(document.text))]
    shown = sum(c.isalnum() for each in spans for c in each.text_in(document.text))
    if shown >= _LEAST_HIDDEN:
        message = _describe_spans("It holds words that no reader sees", spans, document.text)
        yield Suspicion(SuspicionKind.HIDDEN, message, spans[0])


def _disguised(text: str) -> Iterator[Suspicion]:
    spans = find_disguised_words(text)
    if spans:
        what = "It holds letters that look like others, or that show nothing"
        yield Suspicion(SuspicionKind.DISGUISED, _describe_spans(what, spans, text), spans[0])


def _describe_spans(what: str, spans: Sequence[Span], text: str) -> str:
    return _describe_words(what, [each.text_in(text) for each in spans])


def _describe_words(what: str, words: Sequence[str]) -> str:
    more = f", and in {len(words) - 1} more places" if len(words) > 2 else ""
    more = ", and in one more place" if len(words) == 2 else more
    return f"{what}: “{_cut(words[0])}”{more}."


def _cut(words: str) -> str:
    text_shown = " ".join(words.split())
    return text_shown if len(text_shown) <= _SHOWN else f"{text_shown[: _SHOWN - 1].rstrip()}…"
