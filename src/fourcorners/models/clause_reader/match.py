"""How likely a sentence's words are, by themselves, what an expert would mark.

The reader's probability is that a sentence belongs to a kind of clause. Where its neighbours belong
to it as well, an expert marks them together; where they do not, the sentence alone. What was
considered is ordered by this second probability, what is quoted by the first. It was learned from
sentences that are `LIKELY` to belong to the kind; of others it says no more than the first does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from fourcorners.models.clause_reader.reader import Layout

MATCH_FEATURES = 18  # columns, as trained
OWN_FEATURE = 1  # where in the signs the sentence's own log-odds are
MIN_PROBABILITY = 0.05  # below it, words match no more than they belong
PROBABILITY_FLOOR = 1e-4  # probabilities nearer to 0 or 1 are clipped to this distance


def log_odds(probability: NDArray[np.float32]) -> NDArray[np.float64]:
    import numpy as np

    bounded = np.clip(probability.astype(np.float64), PROBABILITY_FLOOR, 1 - PROBABILITY_FLOOR)
    odds: NDArray[np.float64] = np.log(bounded / (1 - bounded))
    return odds


def match_features(
    probability: NDArray[np.float32],
    where: Layout,
    query: NDArray[np.float32],
    rows: Sequence[int],
    shortened: Sequence[bool],
) -> NDArray[np.float64]:
    """Return what speaks for some sentences of a document, one row each.

    The probabilities, by the reader and by the playbook's query, are of all its sentences;
    `shortened` tells of which only a part is meant: a date.
    """
    import numpy as np

    floor = float(np.log(PROBABILITY_FLOOR / (1 - PROBABILITY_FLOOR)))
    odds = np.concatenate([[floor], log_odds(probability), [floor, floor]])
    passages = np.concatenate([[-1], where.passages, [-2, -3]])
    length = np.concatenate([[0.0], np.log1p(where.lengths), [0.0, 0.0]])
    lower = np.concatenate([[0.0], where.lower, [0.0, 0.0]])
    at = np.asarray(rows, np.int64) + 1
    before, own, after, beyond = (odds[at + step] for step in (-1, 0, 1, 2))
    with_before, with_after, with_beyond = (
        (passages[at + step] == passages[at]).astype(np.float64) for step in (-1, 1, 2)
    )
    columns = [
        before,
        own,
        after,
        beyond,
        before * with_before,
        after * with_after,
        beyond * with_beyond,
        np.minimum(own, after),
        np.maximum(before, after),
        length[at] - 5,
        np.where(length[at + 1] > 0, length[at + 1] - length[at], 0.0),
        with_after,
        with_before,
        lower[at],
        lower[at + 1],
        np.asarray(shortened, np.float64),
        own**2 / 10,
        query[rows].astype(np.float64),
    ]
    signs: NDArray[np.float64] = np.stack(columns, axis=1)
    return signs


def match_probability(
    signs: NDArray[np.float64], weights: NDArray[np.float32]
) -> NDArray[np.float32]:
    """Return the probabilities by one kind's weights; the last weight is the constant."""
    import numpy as np

    odds = signs @ weights[:-1].astype(np.float64) + float(weights[-1])
    matches, belongs = (1 / (1 + np.exp(-each)) for each in (odds, signs[:, OWN_FEATURE]))
    bounded = np.where(belongs > MIN_PROBABILITY, matches, np.minimum(matches, belongs))
    probability: NDArray[np.float32] = bounded.astype(np.float32)
    return probability
