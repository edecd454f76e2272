"""A small adapter of vectors, learned from graded examples in minutes: matrices and heads.

The vector of a query and those of clauses each go through a matrix, the identity at first and held
near to it; a head adds for one query a direction of clause vectors. What is learned is how far the
scores of a list must be moved so that their softmax comes near the softmax over the stars
(Kullback and Leibler's divergence, as in ListNet: Cao et al., 2007). NumPy alone is needed.
"""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, TypeAlias

from fourcorners.errors import ModelError
from fourcorners.text.tokenization import tokenize

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats: TypeAlias = NDArray[np.floating]

GAIN, NOTHING = 1.2, -3.0
"""How much a star more counts in the target, and what a clause without merit is worth there."""
SHARPNESS = 5.0
"""The weight of a difference of cosines in the scores that it is added to."""
STEPS, BATCH, RATE, DECAY = 60, 8, 1e-3, 0.2
HEAD_STEPS, HEAD_RATE, HEAD_DECAY = 120, 0.1, 0.02
SEEDS = (0, 1, 2)


@dataclass(frozen=True, slots=True, eq=False)
class TrainingQuery:
    """A query with clauses that were judged for it.

    Attributes:
        vector: Its unit vector.
        clauses: The clauses' unit vectors, a row each.
        gains: Their stars less one, 0 to 4.
    """

    query: str
    vector: NDArray[np.float32]
    clauses: NDArray[np.float32]
    base: Floats
    gains: NDArray[np.intp]


@dataclass(frozen=True, slots=True, eq=False)
class Adapter:
    """What was learned.

    Attributes:
        query_matrix: What a query's vector is multiplied with.
        clause_matrix: The same of a clause's.
        heads: By the words of a query, what is added for each dimension of a clause's vector.
    """

    query_matrix: NDArray[np.float32]
    clause_matrix: NDArray[np.float32]
    heads: Mapping[str, NDArray[np.float32]]

    def score_gain(
        self, query: str, vector: NDArray[np.float32], clauses: NDArray[np.float32]
    ) -> Floats:
        """Return by how much the score of each clause moves: rows and query are unit vectors."""
        import numpy as np

        asked, held = self.query_matrix @ vector, clauses @ self.clause_matrix.T
        lengths = np.linalg.norm(held, axis=1) * np.linalg.norm(asked)
        cosines = (held @ asked) / np.maximum(lengths, 1e-12)
        lift: Floats = SHARPNESS * (cosines - clauses @ vector).astype(np.float64)
        head = self.head_of(query)
        if head is not None:
            lift = lift + (clauses @ self.heads[head]).astype(np.float64)
        return lift

    def head_of(self, query: str) -> str | None:
        """Return the head for a query: that whose words it has all, of several the longest."""
        asked = set(tokenize(query).tokens)
        found = [name for name in self.heads if set(tokenize(name).tokens) <= asked]
        return max(found, key=lambda name: (len(name), name), default=None)


def softmax(scores: Floats) -> Floats:
    import numpy as np

    risen = np.exp(scores - scores.max())
    shares: Floats = risen / risen.sum()
    return shares


def target_shares(gains: NDArray[np.intp]) -> Floats:
    import numpy as np

    return softmax(np.where(gains == 0, NOTHING, gains) * GAIN)


def move_vectors(
    lesson: TrainingQuery, query_matrix: Floats, clause_matrix: Floats
) -> tuple[Floats, Floats, Floats, Floats, Floats]:
    """Return the change of the scores, then what its gradient needs.

    These are the moved unit vectors of query and clauses, and their lengths before.
    """
    import numpy as np

    asked, held = query_matrix @ lesson.vector, lesson.clauses @ clause_matrix.T
    length = np.sqrt((asked * asked).sum(keepdims=True))
    lengths = np.sqrt((held * held).sum(axis=1, keepdims=True))
    asked, held = asked / length, held / lengths
    change: Floats = SHARPNESS * (held @ asked - lesson.clauses @ lesson.vector)
    return change, asked, held, length, lengths


def matrix_gradients(
    lesson: TrainingQuery, query_matrix: Floats, clause_matrix: Floats, rest: Floats
) -> tuple[Floats, Floats, Floats]:
    """Return the error of the shares, and the gradient of the loss by each matrix.

    `rest` are the scores but for what the matrices change.
    """
    import numpy as np

    change, asked, held, length, lengths = move_vectors(lesson, query_matrix, clause_matrix)
    error = (softmax(rest + change) - target_shares(lesson.gains)).astype(clause_matrix.dtype)
    to_asked = SHARPNESS * (held.T @ error)
    to_asked = (to_asked - asked * (asked @ to_asked)) / length
    to_held = SHARPNESS * np.outer(error, asked)
    to_held = (to_held - held * (to_held * held).sum(axis=1, keepdims=True)) / lengths
    return error, np.outer(to_asked, lesson.vector), to_held.T @ lesson.clauses


class Adam:
    """Steps for values that are changed in place (Kingma and Ba, 2015)."""

    def __init__(self, values: Sequence[Floats], rates: Sequence[float]) -> None:
        import numpy as np

        self._values, self._rates = list(values), list(rates)
        self._first = [np.zeros_like(each) for each in values]
        self._second = [np.zeros_like(each) for each in values]
        self._step = 0

    def update(self, slopes: Sequence[Floats], slower: float = 1.0) -> None:
        import numpy as np

        self._step += 1
        grown, square = 1 - 0.9**self._step, 1 - 0.999**self._step
        for at, (value, slope) in enumerate(zip(self._values, slopes, strict=True)):
            one, two = self._first[at], self._second[at]
            one += 0.1 * (slope - one)
            two += 0.001 * (slope * slope - two)
            value -= slower * self._rates[at] * (one / grown) / (np.sqrt(two / square) + 1e-8)


def rate_at(step: int, steps: int) -> float:
    """Return the share of the rate at a step (from 0): the whole at first, then less to the end."""
    return min(1.0, 3 * (1 - step / steps))


def _fit_matrices(lessons: Sequence[TrainingQuery], *, seed: int = 0) -> tuple[Floats, Floats]:
    import numpy as np

    size = lessons[0].clauses.shape[1]
    unit = np.eye(size, dtype=np.float32)  # half the time of double precision
    query_matrix, clause_matrix = unit.copy(), unit.copy()
    adam = Adam([query_matrix, clause_matrix], [RATE, RATE])
    random = np.random.default_rng(seed)
    count = min(BATCH, len(lessons))
    for step in range(STEPS):
        slopes = [DECAY * (query_matrix - unit), DECAY * (clause_matrix - unit)]
        for at in random.choice(len(lessons), count, replace=False).tolist():
            lesson = lessons[at]
            parts = matrix_gradients(lesson, query_matrix, clause_matrix, lesson.base)[1:]
            for whole, part in zip(slopes, parts, strict=True):
                whole += part / count
        adam.update(slopes, rate_at(step, STEPS))
    return query_matrix, clause_matrix


def fit_head(lesson: TrainingQuery, base: Floats) -> Floats:
    """Learn the head of one query on top of some scores; the problem is convex."""
    import numpy as np

    head = np.zeros(lesson.clauses.shape[1])
    wanted = target_shares(lesson.gains)
    adam = Adam([head], [HEAD_RATE])
    for step in range(HEAD_STEPS):
        error = softmax(base + lesson.clauses @ head) - wanted
        adam.update([lesson.clauses.T @ error + HEAD_DECAY * head], rate_at(step, HEAD_STEPS))
    return head


def learn_adapter(
    lessons: Sequence[TrainingQuery],
    *,
    matrices: bool = True,
    heads: bool = True,
    seeds: Sequence[int] = SEEDS,
) -> Adapter:
    """Learn an adapter: matrices from all lists together (the mean of some seeds), then heads."""
    import numpy as np

    size = lessons[0].clauses.shape[1]
    found = [_fit_matrices(lessons, seed=seed) for seed in seeds] if matrices else []
    query_matrix = np.mean([each[0] for each in found], axis=0) if found else np.eye(size)
    clause_matrix = np.mean([each[1] for each in found], axis=0) if found else np.eye(size)
    trained = {}
    for lesson in lessons if heads else ():
        base = lesson.base + move_vectors(lesson, query_matrix, clause_matrix)[0]
        trained[lesson.query] = fit_head(lesson, base).astype(np.float32)
    return Adapter(query_matrix.astype(np.float32), clause_matrix.astype(np.float32), trained)


def pack_adapter(adapter: Adapter) -> bytes:
    """Return an adapter as a file of arrays, in half precision."""
    import numpy as np

    size = len(adapter.query_matrix)
    buffer = io.BytesIO()
    np.savez_compressed(
        buffer,
        query_matrix=(adapter.query_matrix - np.eye(size)).astype(np.float16),
        clause_matrix=(adapter.clause_matrix - np.eye(size)).astype(np.float16),
        names=np.array(list(adapter.heads), np.str_),
        heads=np.array(list(adapter.heads.values()), np.float16).reshape(-1, size),
    )
    return buffer.getvalue()


def unpack_adapter(content: bytes, digest: str, name: str) -> Adapter:
    """Return the adapter of a file, verified.

    Raises:
        ModelError: If the content is not what the digest (SHA-256) was taken of.
    """
    import numpy as np

    if sha256(content).hexdigest() != digest:
        raise ModelError(
            f"the adapter {name!r} is damaged: its SHA-256 is not the one it was installed with.",
            remedy=f"Remove it with `fourcorners models remove {name}`, and train it again.",
        )
    with np.load(io.BytesIO(content), allow_pickle=False) as held:
        size = len(held["query_matrix"])
        unit = np.eye(size, dtype=np.float32)
        names = [str(each) for each in held["names"]]
        return Adapter(
            unit + held["query_matrix"].astype(np.float32),
            unit + held["clause_matrix"].astype(np.float32),
            dict(zip(names, held["heads"].astype(np.float32), strict=True)),
        )
