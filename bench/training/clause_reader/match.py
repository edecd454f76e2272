"""The last step of the clause reader: which sentences match an annotation by themselves.

One logistic regression over the candidates of all categories, with a constant and a slope of the
sentence's log-odds for each. It learns from the second step's out-of-fold answers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fourcorners.models.clause_reader.match import (
    MATCH_FEATURES,
    MIN_PROBABILITY,
    OWN_FEATURE,
    match_features,
)
from fourcorners.models.clause_reader.reader import Layout
from fourcorners.text.span import Span
from fourcorners_bench.extraction.loader import CATEGORIES, AnnotatedContract
from fourcorners_bench.extraction.precision_recall import (
    MIN_JACCARD,
    SPLIT_CATEGORY,
    distinct_words,
)
from training.common.logistic import fit_one

STRENGTH = 1.0  # inverse of the L2 penalty
STEPS = 8
SLOPE = 0.25  # keeps the weights of slopes small
Numbers = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Candidates:
    """The likeliest sentences of one contract and category, in order of their probability.

    `targets` tells of the first ones, those that are learned from, whether they match.
    """

    contract: int
    kind: int
    spans: tuple[Span, ...]
    signs: Numbers
    targets: Numbers


def candidates(
    contract: AnnotatedContract,
    place: tuple[int, int],
    read: tuple[NDArray[np.float32], NDArray[np.float32], Layout, Sequence[Span]],
    rows: Sequence[int],
    shown: Sequence[Span],
) -> Candidates:
    """Return the candidates of one contract and category, whose numbers are `place`.

    `read` are the reader's and the query's probability, the layout and the spans of all sentences;
    `rows` are the candidates' sentences, best first, and `shown` what is left of each.
    """
    probability, query, where, spans = read
    shortened = [spans[row] != left for row, left in zip(rows, shown, strict=True)]
    signs = match_features(probability, where, query, rows, shortened)
    likely = int(np.max(np.flatnonzero(probability[rows] > MIN_PROBABILITY), initial=-1)) + 1
    targets = _matches(contract, CATEGORIES[place[1]], shown[:likely])
    return Candidates(*place, tuple(shown), signs, targets)


def _matches(contract: AnnotatedContract, category: str, spans: Sequence[Span]) -> Numbers:
    """Tell which spans CUAD's scorer takes for an annotated instance."""
    marked = [span.text_in(contract.text) for span in contract.annotations[category]]
    bags = [distinct_words(words) for words in marked]
    found = np.zeros(len(spans))
    for at, span in enumerate(spans if marked else ()):
        text = span.text_in(contract.text)
        bag = distinct_words(text)
        found[at] = any(
            len(bag & other) >= max(1, MIN_JACCARD * len(bag | other)) for other in bags
        ) or (category == SPLIT_CATEGORY and any(words in text for words in marked))
    return found


def learn_matches(found: Sequence[Candidates], learned: Sequence[bool]) -> NDArray[np.float32]:
    """Fit on some contracts; return one row of weights a category, the constant last."""
    used = [each for each in found if learned[each.contract]]
    signs = [each.signs[: len(each.targets)] for each in used]
    kinds = [np.full(len(each.targets), each.kind) for each in used]
    targets = [each.targets for each in used]
    rows, kind = np.concatenate(signs), np.concatenate(kinds)
    own = np.zeros((len(rows), len(CATEGORIES)))
    own[np.arange(len(rows)), kind] = 1.0
    spread = rows.std(0) + 1e-3
    design = np.concatenate(
        [
            rows / spread,
            own,
            SLOPE * own * rows[:, OWN_FEATURE : OWN_FEATURE + 1],
            np.ones((len(rows), 1)),
        ],
        axis=1,
    )
    head = fit_one(design, np.concatenate(targets), STRENGTH, STEPS)
    weights = np.zeros((len(CATEGORIES), MATCH_FEATURES + 1))
    weights[:, :-1] = head[:MATCH_FEATURES] / spread
    weights[:, -1] = head[-1] + head[MATCH_FEATURES : MATCH_FEATURES + len(CATEGORIES)]
    weights[:, OWN_FEATURE] += SLOPE * head[MATCH_FEATURES + len(CATEGORIES) : -1]
    return weights.astype(np.float32)
