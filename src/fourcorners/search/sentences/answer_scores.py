"""What a reader makes of the sentences that a search puts first.

A search weighs words and meaning apart; a reader takes question and sentence together, and costs as
much for each of them as a search of a whole contract. So it reads the likeliest, and the log-odds
of both make one chance. The lines that do so (`answering.json`) were fitted on questions
that the reader had not learned (`training.questions.judge`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from pydantic import BaseModel, ConfigDict

from fourcorners.models.encoder.protocol import Encoder
from fourcorners.models.reader.reader import OnnxReader, RelevanceReader
from fourcorners.models.registry import default_reader
from fourcorners.search.sentences.units import SentenceIndex
from fourcorners.text.patterns import load_patterns

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

FILE = Path(__file__).with_name("answering.json")
MAX_SENTENCES = 24
"""Sentences that are read, of all documents together."""
MAX_PER_DOCUMENT = 8
"""Sentences that are read of each document at least."""
MAX_HEADINGS = 2
"""How many of the headings above a sentence are put in front of it, the innermost."""
MAX_LEAD = 160
"""Characters of the words that open its list, at most, from their end."""
_AHEAD = 12  # sentences before it among which those words are looked for
_PATTERNS = load_patterns("fourcorners.search.sentences", "answer_scores")
_ITEM = _PATTERNS["item"]
_OPEN = _PATTERNS["open"]
_TINY = 1e-6  # keeps a chance off 0 and 1
ReaderScores: TypeAlias = Mapping[int, float]
"""The logit of each sentence of a document that was read, by its place among the units."""


class ScoreWeights(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)
    bias: float
    search: float
    reader: float


class AnswerWeights(BaseModel):
    """The lines where a known kind of clause is asked for, and where none is.

    Attributes:
        unread: The logit that a sentence counts with which was not read.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)
    provenance: str
    encoder: str
    known: ScoreWeights
    unknown: ScoreWeights
    unread: float

    def line(self, *, known: bool) -> ScoreWeights:
        return self.known if known else self.unknown


@cache
def default_weights() -> AnswerWeights:
    return AnswerWeights.model_validate_json(FILE.read_text(encoding="utf-8"))


def reader_for(encoder: Encoder | None) -> OnnxReader | None:
    """Return the reader that is weighed with the search; None where the search has other vectors.

    Raises:
        ModelError: If its card is missing or damaged.
    """
    if encoder is None or encoder.name != default_weights().encoder:
        return None
    return default_reader()


def read_sentences(
    reader: RelevanceReader,
    question: str,
    documents: Sequence[tuple[SentenceIndex, NDArray[np.float64]]],
) -> list[ReaderScores]:
    chosen = _likeliest([chances for _, chances in documents])
    texts = [
        sentence_in_context(units, at)
        for (units, _), places in zip(documents, chosen, strict=True)
        for at in places
    ]
    scores = reader.relevance(question, texts).tolist()
    readings: list[ReaderScores] = []
    first = 0
    for places in chosen:
        readings.append(dict(zip(places, scores[first : first + len(places)], strict=True)))
        first += len(places)
    return readings


def _likeliest(documents: Sequence[NDArray[np.float64]]) -> list[list[int]]:
    """Return which sentences of each document are read: the likeliest of all, and of each."""
    import numpy as np

    orders = [np.argsort(-chances, kind="stable")[:MAX_SENTENCES].tolist() for chances in documents]
    ranked = sorted(
        ((place, at) for place, order in enumerate(orders) for at in order),
        key=lambda each: -documents[each[0]][each[1]],
    )
    chosen = [set(order[:MAX_PER_DOCUMENT]) for order in orders]
    for place, at in ranked[:MAX_SENTENCES]:
        chosen[place].add(at)
    return [sorted(each) for each in chosen]


def combine_scores(
    chances: NDArray[np.float64], reading: ReaderScores, line: ScoreWeights
) -> NDArray[np.float64]:
    """Return the chance of each sentence by search and reader."""
    import numpy as np

    sure = np.clip(chances, _TINY, 1 - _TINY)
    chances_read = np.full(len(chances), default_weights().unread)
    for at, answer in reading.items():
        chances_read[at] = answer
    odds = line.bias + line.search * np.log(sure / (1 - sure)) + line.reader * chances_read
    both: NDArray[np.float64] = 1.0 / (1.0 + np.exp(-odds))
    return both


def sentence_in_context(units: SentenceIndex, at: int) -> str:
    """Return a sentence below its headings, an item of a list after what opens the list."""
    unit = units.units[at]
    headings = [each.text_in(units.text) for each in units.headings[unit.passage][-MAX_HEADINGS:]]
    words = unit.span.text_in(units.text)
    lead = _lead(units, at) if _ITEM.match(words) else ""
    above = " / ".join(" ".join(each.split()) for each in headings)
    return "\n".join(each for each in (above, f"{lead} {' '.join(words.split())}".strip()) if each)


def _lead(units: SentenceIndex, at: int) -> str:
    """Return the end of the words that open the list to which a sentence belongs."""
    clause = units.clause_of[units.units[at].passage]
    for before in range(at - 1, max(-1, at - 1 - _AHEAD), -1):
        unit = units.units[before]
        if units.clause_of[unit.passage] != clause:
            return ""
        words = " ".join(unit.span.text_in(units.text).split())
        if _OPEN.search(words) and not _ITEM.match(words):
            return words[-MAX_LEAD:].split(" ", 1)[-1] if len(words) > MAX_LEAD else words
    return ""
