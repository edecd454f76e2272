"""Find the obligations of a contract, sentence by sentence: the binding words and who is bound.

A sentence binds a party that is the subject of words such as "shall", "agrees to" or "is
responsible for", or by whom something must be done. What the contract, its words or a third party
must do is not an obligation; nor is a right, or a condition.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator
from itertools import pairwise

from fourcorners.outline.card.card import Card
from fourcorners.outline.tree import Outline
from fourcorners.review.obligations.actors import find_mentions
from fourcorners.review.obligations.clauses import PREDICATE, ObligationReader
from fourcorners.review.obligations.obligation import Obligation
from fourcorners.review.obligations.subjects import CLAUSE, SubjectReader
from fourcorners.review.obligations.times import Calendar
from fourcorners.review.timeline.term import Term, read_term
from fourcorners.text.sentences import split_sentences
from fourcorners.text.span import Span


def find_obligations(
    text: str, outline: Outline, card: Card, term: Term | None = None
) -> list[Obligation]:
    """Return the obligations of a contract in the order of its text.

    `term` is its term if more is known of it than its card says, such as changes by others.
    """
    headings = frozenset(node.heading.end for node in outline.nodes if node.heading)
    subjects = SubjectReader(text, find_mentions(text, card, outline.terms), headings)
    calendar = Calendar(card, read_term(card) if term is None else term)
    clauses = ObligationReader(text, subjects, calendar)
    matches = [*PREDICATE.finditer(text)]
    starts = [match.start() for match in matches]
    found: dict[int, Obligation] = {}
    for sentence in _cut_sentences(text, outline):
        low, high = bisect_left(starts, sentence.start), bisect_left(starts, sentence.end)
        for each in clauses.read_sentence(sentence, matches[low:high]):
            found.setdefault(each.binding.start, each)
    return [found[start] for start in sorted(found)]


def _cut_sentences(text: str, outline: Outline) -> Iterator[Span]:
    """Yield the sentences of a text, split where a clause of the outline begins."""
    edges = sorted({node.span.start for node in outline.nodes})
    for sentence in _join_abbreviated(text, split_sentences(text)):
        low, high = bisect_left(edges, sentence.start + 1), bisect_left(edges, sentence.end)
        for start, end in pairwise([sentence.start, *edges[low:high], sentence.end]):
            part = Span(start, end).strip(text)
            if part:
                yield part


def _join_abbreviated(text: str, sentences: Iterable[Span]) -> Iterator[Span]:
    """Yield sentences, joining those split by "etc." within a name: "at Work etc. Act 1974"."""
    waiting: Span | None = None
    for each in sentences:
        whole = Span(waiting.start, each.end) if waiting else each
        short = text[max(whole.start, whole.end - len(" etc.")) : whole.end].rstrip(".")
        if short.endswith(" etc") and len(whole) <= CLAUSE:
            waiting = whole
            continue
        waiting = None
        yield whole
    if waiting:
        yield waiting
