"""`ClauseReader`: how likely each sentence of a contract belongs to each kind of clause.

Two steps, both learned by `training.clause_reader.train`. The first reads the words of every
sentence (`features`) and gives one log-odds a kind. The second weighs what the first says of
the sentence, of its neighbours and of the whole contract, what the other kinds say of it, what the
vector of its passage says, and what the playbook's own query says: its answer is a probability.
The model is one file of arrays; it is read and verified on first use.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

from fourcorners.errors import ModelError
from fourcorners.models.card import CARD_FILE, REMEDY, ModelInfo, load_card
from fourcorners.models.clause_reader.features import PARTS, Sentences, SparseRows, Vocabulary
from fourcorners.text.span import Span
from fourcorners.text.tokenization import WordIndex

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

FILE = "model.npz"
MEANING_SCALE = 4.0  # of unit vectors, so that weights on them stay small
MEANING_FEATURES = (10, 11)  # where in `signs` the vector speaks
QUERY_FEATURES = 15  # where in `signs` the query's begin
BATCH = 4_000  # sentences that are judged at a time: some hundred megabytes
OUTSIDE_LOG_ODDS = -8.0  # the log-odds of the sentence before the first and after the last


@dataclass(frozen=True, slots=True)
class Layout:
    """Where the sentences of a contract are.

    Attributes:
        passages: For each sentence the number of its passage, from 0.
        starts: Characters from the document's start.
        lengths: Characters.
        lower: 1 where a sentence begins with a small letter, as it continues something.
    """

    passages: NDArray[np.int64]
    starts: NDArray[np.float32]
    lengths: NDArray[np.float32]
    lower: NDArray[np.float32]


def build_layout(sentences: Sentences, passages: NDArray[np.int64]) -> Layout:
    import numpy as np

    spans = sentences.spans
    return Layout(
        passages,
        np.array([span.start for span in spans], np.float32),
        np.array([len(span) for span in spans], np.float32),
        np.array([sentences.text[span.start].islower() for span in spans], np.float32),
    )


@dataclass(frozen=True, slots=True)
class SecondStepFeatures:
    """What the second step weighs of each sentence of a document.

    Attributes:
        columns: What needs the whole document to be known: one number a sentence in each.
        query: What the playbook's query says (sentences, signs of `review.extract.scoring`).
        words: The first step's log-odds (sentences, kinds).
    """

    columns: tuple[NDArray[np.floating], ...]
    query: NDArray[np.float32]
    words: NDArray[np.float32]

    def __len__(self) -> int:
        return len(self.words)

    def rows(self, start: int = 0, end: int | None = None) -> NDArray[np.float32]:
        """Return one row a sentence, for those from `start` to `end`: of a long text, a part."""
        import numpy as np

        part = slice(start, len(self) if end is None else min(end, len(self)))
        query, words = self.query[part], self.words[part]
        own = len(self.columns)
        found = np.empty((len(words), own + query.shape[1] + words.shape[1]), np.float32)
        for at, column in enumerate(self.columns):
            found[:, at] = column[part]
        found[:, own : own + query.shape[1]] = query
        others = found[:, own + query.shape[1] :]
        np.clip(words, -7.0, 4.0, out=others)
        others *= np.float32(0.3)
        return found


def second_step_features(
    words: NDArray[np.float32],
    meaning: NDArray[np.float32] | None,
    query: NDArray[np.float32],
    where: Layout,
    kind: int,
) -> SecondStepFeatures:
    """Return what the second step weighs.

    Args:
        words: The first step's log-odds (sentences, kinds).
        meaning: The log-odds by the vector of the sentence's passage (sentences, kinds), or None.
        query: What the playbook's query says (sentences, signs of `review.extract.scoring`).
        where: Where the sentences are.
        kind: The column of the kind of clause that is judged.
    """
    import numpy as np

    own = words[:, kind]
    count = len(own)
    before = np.concatenate([[OUTSIDE_LOG_ODDS], own[:-1]])[:count]
    after = np.concatenate([own[1:], [OUTSIDE_LOG_ODDS]])[:count]
    of_passage = np.full(int(where.passages.max()) + 1 if count else 0, -20.0)
    np.maximum.at(of_passage, where.passages, own)
    best = float(own.max()) if count else OUTSIDE_LOG_ODDS
    rank = np.empty(count)
    rank[np.argsort(-own, kind="stable")] = np.arange(count)
    mass = np.log(float((1 / (1 + np.exp(-own.astype(np.float64)))).sum()) + 1e-3)
    meant = np.zeros(count) if meaning is None else meaning[:, kind]
    meant_best = float(meant.max()) if count else 0.0
    columns = (
        own,
        0.1 * np.sign(own) * np.maximum(own, -4.0) ** 2,
        before,
        after,
        np.maximum(before, after),
        of_passage[where.passages] - own,
        own - best,
        np.broadcast_to(best, count),
        np.log1p(rank),
        np.broadcast_to(mass, count),
        meant,
        meant - meant_best,
        np.log1p(where.lengths),
        where.lower,
        np.exp(-where.starts / 3_000.0),
    )
    return SecondStepFeatures(columns, query, words)


@dataclass(frozen=True, slots=True)
class SentenceScores:
    """What the reader makes of a document's sentences before a provision is asked for."""

    words: NDArray[np.float32]
    meaning: NDArray[np.float32] | None
    layout: Layout


@dataclass(frozen=True, slots=True)
class Weights:
    """The arrays of a model.

    Attributes:
        first: Log-odds of the first step: (columns of the vocabulary, kinds), with `first_bias`.
        meaning: The same of a passage's vector: (dimension + 1, kinds).
        second: The second step: (2, kinds, signs + 1); the first row is for documents with
            vectors, the second for documents without.
        limits: For each kind the probability from which a cell is found, that from which a
            sentence is quoted with it, and the margin of the playbook's query: how far on the way
            from its threshold to certainty it must be to count where the reader is not sure.
    """

    vocabulary: Vocabulary
    first: NDArray[np.float32]
    first_bias: NDArray[np.float32]
    meaning: NDArray[np.float32]
    second: NDArray[np.float32]
    limits: NDArray[np.float32]
    match: NDArray[np.float32]


@dataclass(frozen=True)
class ClauseReader:
    """A reader of the kinds of clause that its card names.

    Attributes:
        kinds: The ids of the provisions that it judges.
        queries: What each was trained with: the playbook's query and what it avoids.
        encoder: What made the vectors that it was trained with; it must not be given others.
        learned_from: The ids of the documents that it was trained with.
    """

    info: ModelInfo
    kinds: tuple[str, ...]
    queries: tuple[str, ...]
    encoder: str
    learned_from: frozenset[str]

    @cached_property
    def _kind_numbers(self) -> dict[str, int]:
        return {kind: at for at, kind in enumerate(self.kinds)}

    @property
    def name(self) -> str:
        return self.info.identity

    def is_known(self, kind: str, query: str) -> bool:
        """Tell whether the reader was trained for a kind of clause with this query."""
        at = self._kind_numbers.get(kind)
        return at is not None and self.queries[at] == query

    @cached_property
    def weights(self) -> Weights:
        """Return the model's arrays.

        Raises:
            ModelError: If the file is missing, damaged, or made by another version.
        """
        return load_weights(self.info.read(FILE))

    def read(
        self,
        sentences: Sentences,
        passages: NDArray[np.int64],
        vectors: NDArray[np.float32] | None,
    ) -> SentenceScores:
        import numpy as np

        weights = self.weights
        meaning = None if vectors is None else score_vectors(vectors, weights.meaning)[passages]
        words = np.empty((len(sentences.spans), len(self.kinds)), np.float32)
        read = 0
        for rows in weights.vocabulary.row_blocks(sentences, BATCH):
            count = len(rows.starts) - 1
            words[read : read + count] = _score_words(rows, weights.first, weights.first_bias)
            read += count
        return SentenceScores(words, meaning, build_layout(sentences, passages))

    def probability(
        self, first_step: SentenceScores, query: NDArray[np.float32], kind: str
    ) -> NDArray[np.float32]:
        import numpy as np

        at = self._kind_numbers[kind]
        second_step = second_step_features(
            first_step.words, first_step.meaning, query, first_step.layout, at
        )
        weights = self.weights.second[0 if first_step.meaning is not None else 1, at]
        odds = np.empty(len(second_step))
        for low in range(0, len(second_step), BATCH):  # in double precision, a part at a time
            part = second_step.rows(low, low + BATCH).astype(np.float64)
            odds[low : low + BATCH] = part @ weights[:-1] + weights[-1]
        probability: NDArray[np.float32] = (1.0 / (1.0 + np.exp(-odds))).astype(np.float32)
        return probability

    def score_by_words(self, words: str, kind: str) -> float:
        """Return the log-odds of a sentence by its words alone: no heading, no neighbour counts."""
        index = WordIndex(words)
        one = Sentences(words, index, [Span(0, len(words))], [()])
        weights = self.weights
        (rows,) = weights.vocabulary.row_blocks(one, BATCH)
        return float(
            _score_words(rows, weights.first, weights.first_bias)[0, self._kind_numbers[kind]]
        )

    def limits(self, kind: str) -> tuple[float, float]:
        found, also, _ = self.weights.limits[self._kind_numbers[kind]]
        return float(found), float(also)

    def match_weights(self, kind: str) -> NDArray[np.float32]:
        weights: NDArray[np.float32] = self.weights.match[self._kind_numbers[kind]]
        return weights

    def margin(self, kind: str) -> float:
        """Return how sure the playbook's query must be to count with the reader (1: never)."""
        return float(self.weights.limits[self._kind_numbers[kind], 2])


def _score_words(
    rows: SparseRows, weights: NDArray[np.float32], bias: NDArray[np.float32]
) -> NDArray[np.float32]:
    import numpy as np

    count = len(rows.starts) - 1
    odds = np.tile(bias, (count, 1)).astype(np.float32)
    filled = np.flatnonzero(np.diff(rows.starts))
    if len(filled):
        parts = weights[rows.columns] * rows.values[:, None]
        odds[filled] += np.add.reduceat(parts, rows.starts[filled], axis=0)
    return odds


def score_vectors(
    vectors: NDArray[np.float32], weights: NDArray[np.float32]
) -> NDArray[np.float32]:
    odds: NDArray[np.float32] = MEANING_SCALE * vectors @ weights[:-1] + weights[-1]
    return odds


def open_reader(folder: Path) -> ClauseReader:
    """Return the reader whose card is in a folder; its arrays are read on first use.

    Raises:
        ModelError: If the card is missing or damaged.
    """
    from fourcorners.text.patterns import load_yaml

    info = load_card(folder)
    try:
        body = load_yaml((folder / CARD_FILE).read_text("utf-8"))
        return ClauseReader(
            info,
            tuple(str(kind) for kind in body["kinds"]),
            tuple(str(query) for query in body["queries"]),
            str(body["encoder"]),
            frozenset(str(body["learned_from"]).split()),
        )
    except (KeyError, TypeError) as error:
        raise ModelError(
            f"the card in {folder} is of no reader: {error!r}.", remedy=REMEDY
        ) from error


def load_weights(content: bytes) -> Weights:
    """Read the arrays of a model file.

    Raises:
        ModelError: If it lacks any.
    """
    import numpy as np

    try:
        with np.load(BytesIO(content), allow_pickle=False) as arrays:
            words = bytes(arrays["words"]).decode("utf-8").split("\n")
            codes = {part: np.cumsum(arrays[f"codes_{part}"], dtype=np.int64) for part in PARTS}
            sizes = [len(codes[part]) for part in PARTS]
            scale = np.repeat(arrays["first_scale"].astype(np.float32), sizes, axis=0)
            first = arrays["first"].astype(np.float32) * scale
            return Weights(
                Vocabulary(
                    {word: at for at, word in enumerate(words)},
                    codes,
                    arrays["rarity"].astype(np.float32),
                ),
                first,
                arrays["first_bias"],
                arrays["meaning"].astype(np.float32),
                arrays["second"],
                arrays["limits"].reshape(-1, 3),
                arrays["match"],
            )
    except (KeyError, ValueError, OSError) as error:
        raise ModelError(
            f"the clause reader's file is not of this version: {error}.", remedy=REMEDY
        ) from error
