"""Find words of a contract that contradict each other, or themselves."""

from __future__ import annotations

from collections.abc import Iterator

from fourcorners.text.patterns import load_patterns
from fourcorners.text.sentences import split_sentences
from fourcorners.text.span import Span

_PATTERNS = load_patterns("fourcorners.review.checks", "contradictions")
_COURTS = _PATTERNS["courts"]
_ARBITRATION = _PATTERNS["arbitration"]
_RECONCILED = _PATTERNS["reconciled"]
_NEGATED_TWICE = _PATTERNS["negated_twice"]
_NEAR = 300  # characters of its paragraph around a sentence that may say how both go together


def find_conflicts(text: str) -> Iterator[tuple[Span, str]]:
    """Yield the sentence that gives courts exclusive jurisdiction where arbitration decides, too.

    Nothing if the words around either say how they go together, as for interim relief.
    """
    sentences = [each.strip(text) for each in split_sentences(text)]
    courts, arbitration = (
        [each for each in sentences if pattern.search(text, each.start, each.end)]
        for pattern in (_COURTS, _ARBITRATION)
    )
    both = [*courts, *arbitration]
    if not courts or not arbitration or any(_is_reconciled(text, each) for each in both):
        return
    quoted = " ".join(arbitration[0].text_in(text).split())
    short = quoted if len(quoted) <= 120 else f"{quoted[:117]}…"
    yield courts[0], f"Courts have exclusive jurisdiction, and arbitration decides: “{short}”"


def _is_reconciled(text: str, sentence: Span) -> bool:
    start = max(text.rfind("\n\n", 0, sentence.start), sentence.start - _NEAR, 0)
    paragraph_end = text.find("\n\n", sentence.end)
    end = min(paragraph_end if paragraph_end >= 0 else len(text), sentence.end + _NEAR)
    return _RECONCILED.search(text, start, end) is not None


def find_negatives(text: str) -> Iterator[tuple[Span, str]]:
    """Yield words that deny twice what they can only mean to deny once."""
    for found in _NEGATED_TWICE.finditer(text):
        words = " ".join(found["words"].split())
        yield Span(*found.span("words")), f"“{words}” denies twice."
