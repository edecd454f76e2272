"""Measures of entailment: labels, and how well the evidence is ranked, as ContractNLI counts it.

The paper's evidence measure is average precision over the document's given spans, where something
is entailed or contradicted. Its program gives it in several means: here of each question (a
document and a hypothesis), and pooled over the documents for each hypothesis or for all.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import mean
from typing import TYPE_CHECKING

from fourcorners.models.entailment.verdict import LABELS, Label
from fourcorners.text.span import Span, covered_length, intersect_spans, merge_spans
from fourcorners_bench.entailment.loader import AnnotatedDocument, JudgedHypothesis, Quote
from fourcorners_bench.measures.statistics import bootstrap_interval, sample_interval
from fourcorners_bench.record import Json, json_figures

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

EVIDENCE_RANKS = (1, 3, 5)
MAX_CHARACTERS = 600
"""Quotes are read, the best first, as long as they have no more characters in all."""
MIN_OVERLAP = 0.5
"""A quote ranks a given span when it covers at least this share of it."""
SAMPLES = 400  # of the bootstrap


@dataclass(frozen=True, slots=True)
class Evidence:
    """How the evidence of one question was ranked.

    Attributes:
        relevant: Whether each given span is evidence.
        scores: How surely each is, by the quotes; `-inf` where none covers it.
        recall: The share of the evidence among the first spans, for each of `EVIDENCE_RANKS`.
        characters: The share of the evidence's characters in quotes of so many characters at most.
    """

    relevant: NDArray[np.bool_]
    scores: NDArray[np.float64]
    precision: float
    recall: tuple[float, ...]
    characters: float


@dataclass(frozen=True, slots=True)
class ScoredQuestion:
    """One question, scored; no evidence where nothing is mentioned."""

    hypothesis: str
    truth: Label
    label: Label
    evidence: Evidence | None


def score_document(
    document: AnnotatedDocument, answers: Mapping[str, JudgedHypothesis]
) -> list[ScoredQuestion]:
    return [
        ScoredQuestion(
            key,
            truth.label,
            answers[key].label,
            _evidence(document, truth.evidence, answers[key].quotes) if truth.evidence else None,
        )
        for key, truth in document.truths.items()
    ]


def _evidence(
    document: AnnotatedDocument, gold: frozenset[int], quotes: Sequence[Quote]
) -> Evidence:
    import numpy as np

    scores = span_scores(document.spans, quotes)
    relevant = np.zeros(len(scores), np.bool_)
    relevant[sorted(gold)] = True
    order = np.argsort(-scores, kind="stable")
    read: list[Span] = []
    for quote in sorted(quotes, key=lambda each: -each.score):
        if covered_length(merge_spans([*read, quote.span])) <= MAX_CHARACTERS:
            read.append(quote.span)
    wanted = [document.spans[at] for at in sorted(gold)]
    found = covered_length(intersect_spans(merge_spans(wanted), merge_spans(read)))
    return Evidence(
        relevant,
        scores,
        average_precision(relevant, scores),
        tuple(float(relevant[order[:k]].sum()) / len(gold) for k in EVIDENCE_RANKS),
        found / covered_length(merge_spans(wanted)),
    )


def span_scores(spans: Sequence[Span], quotes: Sequence[Quote]) -> NDArray[np.float64]:
    """Return for each given span the score of the best quote that covers half of it."""
    import numpy as np

    scores = np.full(len(spans), -np.inf)
    for at, span in enumerate(spans):
        for quote in quotes:
            shared = span.intersection(quote.span)
            if shared and len(shared) >= MIN_OVERLAP * len(span):
                scores[at] = max(scores[at], quote.score)
    return scores


def average_precision(relevant: NDArray[np.bool_], scores: NDArray[np.float64]) -> float:
    """Return the mean precision at each relevant item; equal scores have one rank."""
    import numpy as np

    order = np.argsort(-scores, kind="stable")
    sorted_scores = scores[order]
    hits = np.cumsum(relevant[order])
    last = np.append(sorted_scores[1:] != sorted_scores[:-1], True)
    gained = np.diff(hits[last], prepend=0)
    return float((gained * hits[last] / (np.flatnonzero(last) + 1)).sum() / max(1, hits[-1]))


def f1(outcomes: Sequence[ScoredQuestion], label: Label) -> float:
    """Return F1 of a label; 0 where it neither is nor was said."""
    counts = Counter((each.truth is label, each.label is label) for each in outcomes)
    right, wrong = counts[True, True], counts[True, False] + counts[False, True]
    return 2 * right / (2 * right + wrong) if right or wrong else 0.0


def accuracy(outcomes: Sequence[ScoredQuestion]) -> float:
    return mean(each.truth is each.label for each in outcomes) if outcomes else 0.0


def weighted_f1(outcomes: Sequence[ScoredQuestion]) -> float:
    """Return the mean F1 of the labels, each weighed by how often it is the truth."""
    often = Counter(each.truth for each in outcomes)
    return sum(often[label] * f1(outcomes, label) for label in LABELS) / max(1, len(outcomes))


def macro_f1(outcomes: Sequence[ScoredQuestion], label: Label) -> float:
    """Return the mean F1 of a label over the hypotheses of which it is ever the truth."""
    parts = group_by_hypothesis(outcomes).values()
    having = [part for part in parts if any(each.truth is label for each in part)]
    return mean(f1(part, label) for part in having) if having else 0.0


def group_by_hypothesis(outcomes: Sequence[ScoredQuestion]) -> dict[str, list[ScoredQuestion]]:
    parts: dict[str, list[ScoredQuestion]] = {}
    for each in outcomes:
        parts.setdefault(each.hypothesis, []).append(each)
    return parts


def pooled_average_precision(outcomes: Sequence[ScoredQuestion]) -> float:
    import numpy as np

    found = [each.evidence for each in outcomes if each.evidence is not None]
    if not found:
        return 0.0
    return average_precision(
        np.concatenate([each.relevant for each in found]),
        np.concatenate([each.scores for each in found]),
    )


def _mean(values: Sequence[float]) -> float:
    return mean(values) if values else 0.0


def point_figures(outcomes: Sequence[ScoredQuestion]) -> dict[str, float]:
    """Return the figures that are quick to count: those that get intervals."""
    found = [each.evidence for each in outcomes if each.evidence is not None]
    return {
        "accuracy": accuracy(outcomes),
        "f1_weighted": weighted_f1(outcomes),
        **{f"f1_{label.value.lower()}": f1(outcomes, label) for label in LABELS},
        "evidence_map": _mean([each.precision for each in found]),
        **{
            f"evidence_recall@{k}": _mean([each.recall[at] for each in found])
            for at, k in enumerate(EVIDENCE_RANKS)
        },
        f"evidence_recall_{MAX_CHARACTERS}_characters": _mean([each.characters for each in found]),
    }


def entailment_measures(
    documents: Sequence[Sequence[ScoredQuestion]], *, seed: int = 0
) -> dict[str, Json]:
    outcomes = [each for document in documents for each in document]
    figures = point_figures(outcomes)
    drawn: dict[str, list[float]] = {name: [] for name in figures}

    def count(units: Sequence[Sequence[ScoredQuestion]]) -> float:
        for name, value in point_figures([each for unit in units for each in unit]).items():
            drawn[name].append(value)
        return 0.0

    bootstrap_interval(documents, count, samples=SAMPLES, seed=seed)
    parts = group_by_hypothesis(outcomes)
    macro = {
        "accuracy": _mean([accuracy(part) for part in parts.values()]),
        **{f"f1_{label.value.lower()}": macro_f1(outcomes, label) for label in LABELS},
        "evidence_map": _mean(
            [
                pooled_average_precision(part)
                for part in parts.values()
                if any(each.evidence is not None for each in part)
            ]
        ),
    }
    confusion = Counter((each.truth, each.label) for each in outcomes)
    return {
        "documents": len(documents),
        "questions": len(outcomes),
        **{name: round(value, 4) for name, value in figures.items()},
        "intervals": {
            name: json_figures(sample_interval(values)) for name, values in drawn.items()
        },
        "macro": json_figures(macro),
        "evidence_map_pooled": round(pooled_average_precision(outcomes), 4),
        "hypotheses": {key: json_figures(point_figures(part)) for key, part in parts.items()},
        "confusion": {
            truth.value: {given.value: confusion[truth, given] for given in LABELS}
            for truth in LABELS
        },
    }
