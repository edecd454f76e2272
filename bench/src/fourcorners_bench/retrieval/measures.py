"""The measures of retrieval: for each, a label and a function from what overlaps to a number.

LegalBench-RAG measures characters (its section 4); its program adds up every overlap, so that a
place retrieved twice counts twice: that is `official`. `union` counts each character once. Hits of
spans, characters at k and the bounds of perfect retrieval are those of PAKTON's appendix F.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from fourcorners.text.span import Span, covered_length, intersect_spans, merge_spans, subtract_spans
from fourcorners_bench.measures.statistics import ratio
from fourcorners_bench.retrieval.loader import Snippet

PER_SNIPPET = 500
"""Characters for each of k snippets, where methods are compared at equal characters."""


@dataclass(frozen=True)
class Overlap:
    """The first k snippets of an answer, and the places that answer the question.

    `ranked` are all its snippets.
    """

    gold: Sequence[Snippet]
    found: Sequence[Snippet]
    k: int
    ranked: Sequence[Snippet] = ()

    @property
    def answer_length(self) -> int:
        return sum(len(each.span) for each in self.gold)

    @property
    def length(self) -> int:
        return sum(len(each.span) for each in self.found)

    @cached_property
    def pairs(self) -> list[tuple[int, int]]:
        """Return the characters that a snippet, by its place, shares with a place that answers."""
        return [
            (at, len(both))
            for at, one in enumerate(self.found)
            for other in self.gold
            if one.file_path == other.file_path and (both := one.span.intersection(other.span))
        ]

    @property
    def overlap(self) -> int:
        """Return the characters that snippets share with places, each as often as it is shared."""
        return sum(length for _, length in self.pairs)

    @cached_property
    def found_by_file(self) -> dict[str, list[Span]]:
        return _by_file(self.found)

    @cached_property
    def gold_by_file(self) -> dict[str, list[Span]]:
        return _by_file(self.gold)

    @cached_property
    def union(self) -> int:
        """Return the characters that snippets share with places, each once."""
        gold = self.gold_by_file
        return sum(
            covered_length(intersect_spans(spans, gold.get(path, ())))
            for path, spans in self.found_by_file.items()
        )


@dataclass(frozen=True, slots=True)
class Measure:
    """A measure of one question at one k; a share (0 to 1) where it has a label for tables."""

    score: Callable[[Overlap], float]
    label: str = ""


def official_precision(overlap: Overlap) -> float:
    """Return the share of the retrieved characters that answer."""
    return ratio(overlap.overlap, overlap.length)


def official_recall(overlap: Overlap) -> float:
    """Return the share of the answering characters that were retrieved."""
    return ratio(overlap.overlap, overlap.answer_length)


def union_precision(overlap: Overlap) -> float:
    """Return the same, each character counted once."""
    return ratio(overlap.union, sum(map(covered_length, overlap.found_by_file.values())))


def union_recall(overlap: Overlap) -> float:
    """Return the same, each character counted once."""
    return ratio(overlap.union, sum(map(covered_length, overlap.gold_by_file.values())))


def span_precision(overlap: Overlap) -> float:
    """Return the share of the snippets that touch an answer."""
    return ratio(len({at for at, _ in overlap.pairs}), len(overlap.found))


def span_recall(overlap: Overlap) -> float:
    """Return the share of the answers that a snippet touches."""
    touched = sum(
        any(
            other.file_path == one.file_path and other.span.overlaps(one.span)
            for one in overlap.found
        )
        for other in overlap.gold
    )
    return ratio(touched, len(overlap.gold))


def recall_in_characters(overlap: Overlap) -> float:
    """Return the union recall of the first `PER_SNIPPET` times k characters, whatever they fill.

    Methods whose snippets differ in length are compared by it; characters count once.
    """
    room = PER_SNIPPET * overlap.k
    read: dict[str, list[Span]] = {}
    for each in overlap.ranked:
        spans = read.setdefault(each.file_path, [])
        for span in subtract_spans([each.span], spans):
            part = Span(span.start, min(span.end, span.start + room))
            room -= len(part)
            spans.append(part)
        if room <= 0:
            break
    gold = overlap.gold_by_file
    found = sum(
        covered_length(intersect_spans(merge_spans(spans), gold.get(path, ())))
        for path, spans in read.items()
        if spans
    )
    return ratio(found, sum(map(covered_length, gold.values())))


def bound_recall(overlap: Overlap) -> float:
    """Return the official recall of the answers themselves, the longest first."""
    longest = sorted((len(each.span) for each in overlap.gold), reverse=True)
    return ratio(sum(longest[: overlap.k]), overlap.answer_length)


MEASURES: Mapping[str, Measure] = {
    "union_precision": Measure(union_precision, "precision, union"),
    "union_recall": Measure(union_recall, "recall, union"),
    "official_precision": Measure(official_precision, "precision, official"),
    "official_recall": Measure(official_recall, "recall, official"),
    "span_precision": Measure(span_precision, "precision, spans"),
    "span_recall": Measure(span_recall, "recall, spans"),
    "bound_recall": Measure(bound_recall, "recall, perfect"),
    "recall_in_characters": Measure(recall_in_characters, f"recall, {PER_SNIPPET} k chars"),
    "characters": Measure(lambda overlap: float(overlap.length)),
}
"""By name, in the order of tables and records."""


def _by_file(snippets: Iterable[Snippet]) -> dict[str, list[Span]]:
    spans: dict[str, list[Span]] = {}
    for each in snippets:
        spans.setdefault(each.file_path, []).append(each.span)
    return {path: merge_spans(found) for path, found in spans.items()}
