"""The measures of a set of questions, with intervals by contract."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fourcorners_bench.record import Json
from fourcorners_bench.retrieval.loader import Answer, Question
from fourcorners_bench.retrieval.measures import MEASURES, Overlap

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

KS = (1, 2, 4, 8, 16, 32, 64)
FIRST = "first_in_contract"
"""The share of questions whose first snippet is from the contract that answers."""
SAMPLES = 1_000  # of the bootstrap


@dataclass(frozen=True, slots=True)
class MeanWithInterval:
    """A mean over questions with its 95% interval over contracts."""

    value: float
    low: float
    high: float

    def to_json(self) -> list[Json]:
        return [round(each, 6) for each in (self.value, self.low, self.high)]


@dataclass(frozen=True, slots=True)
class RetrievalScores:
    """The measures of a set, or the mean of several sets.

    `at` has for each measure a figure at each of `KS`.
    """

    name: str
    questions: int
    contracts: int
    at: dict[str, tuple[MeanWithInterval, ...]]
    first: MeanWithInterval

    def curve(self, kind: str = "union") -> list[tuple[float, float]]:
        """Return recall and precision at each of `KS`: the precision-recall curve."""
        return [
            (recall.value, precision.value)
            for recall, precision in zip(
                self.at[f"{kind}_recall"], self.at[f"{kind}_precision"], strict=True
            )
        ]

    def to_json(self) -> dict[str, Json]:
        return {
            "questions": self.questions,
            "contracts": self.contracts,
            FIRST: self.first.to_json(),
            **{
                name: {str(k): figure.to_json() for k, figure in zip(KS, figures, strict=True)}
                for name, figures in self.at.items()
            },
        }


def score_question(question: Question, answer: Answer) -> list[float]:
    """Return the measures of one question: each of `MEASURES` at each of `KS`, then `FIRST`."""
    overlaps = [Overlap(question.answers, answer.snippets[:k], k, answer.snippets) for k in KS]
    first = answer.snippets[:1]
    right = {each.file_path for each in question.answers}
    return [
        *(measure.score(each) for measure in MEASURES.values() for each in overlaps),
        float(bool(first) and first[0].file_path in right),
    ]


@dataclass(frozen=True, slots=True, eq=False)
class Resampled:
    """Means over questions, of the sample and of its resamples by contract."""

    name: str
    questions: int
    contracts: int
    mean: NDArray[np.float64]
    samples: NDArray[np.float64]

    def scores(self) -> RetrievalScores:
        import numpy as np

        low, high = np.percentile(self.samples, [2.5, 97.5], axis=0)
        figures = [
            MeanWithInterval(float(value), float(least), float(most))
            for value, least, most in zip(self.mean, low, high, strict=True)
        ]
        size = len(KS)
        return RetrievalScores(
            self.name,
            self.questions,
            self.contracts,
            {name: tuple(figures[size * at : size * (at + 1)]) for at, name in enumerate(MEASURES)},
            figures[-1],
        )


def resample_scores(
    name: str,
    questions: Sequence[Question],
    answers: Sequence[Answer],
    *,
    seed: int = 0,
    samples: int = SAMPLES,
) -> Resampled:
    """Measure the answers to a set, and draw its contracts again, with replacement.

    What is asked of one contract is not independent: a contract is drawn with all its questions.
    """
    import numpy as np

    rows = np.array(
        [score_question(*pair) for pair in zip(questions, answers, strict=True)], dtype=np.float64
    )
    contracts = sorted({question.file_path for question in questions})
    place = {path: at for at, path in enumerate(contracts)}
    of = np.array([place[question.file_path] for question in questions])
    sums = np.zeros((len(contracts), rows.shape[1]))
    np.add.at(sums, of, rows)
    counts = np.bincount(of, minlength=len(contracts)).astype(np.float64)
    random = np.random.default_rng(seed)
    times = np.stack(
        [
            np.bincount(
                random.integers(0, len(contracts), len(contracts)), minlength=len(contracts)
            )
            for _ in range(samples)
        ]
    ).astype(np.float64)
    drawn = (times @ sums) / (times @ counts)[:, None]
    return Resampled(name, len(questions), len(contracts), rows.mean(axis=0), drawn)


def mean_of_sets(sets: Sequence[Resampled]) -> Resampled:
    """Return the mean of several sets, each with the same weight whatever its size."""
    import numpy as np

    return Resampled(
        "all",
        sum(each.questions for each in sets),
        sum(each.contracts for each in sets),
        np.mean([each.mean for each in sets], axis=0),
        np.mean([each.samples for each in sets], axis=0),
    )
