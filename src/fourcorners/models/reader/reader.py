"""`OnnxReader`: reads a clause with a question: whether it says so, in which words, and whose.

A question of yes or no and a statement are the same to it: a statement that the clause makes is
answered with yes, its contrary with no. Its `relevance` is whether a sentence answers at all. It
learned from contrasted clauses and from questions to contracts (`training/README.md`).
`AnswerReranker` ranks passages by it.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Protocol

from fourcorners.errors import ModelError
from fourcorners.models.card import ModelInfo, load_card
from fourcorners.models.session import (
    MAX_CHARACTERS,
    file_error,
    open_graph,
    read_tokenizer,
    readable_text,
    run_in_threads,
)
from fourcorners.system.processes import usable_cores
from fourcorners.text.sentences import split_sentences
from fourcorners.text.span import Span

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from onnxruntime import InferenceSession
    from tokenizers import Encoding, Tokenizer

    Floats = NDArray[np.float32]
    import numpy as np
    from numpy.typing import NDArray

KIND = "reader"
LIMITS = "limits.json"
OUTPUTS = ("answers", "words", "parties")  # of the graph
STATED, UNSTATED = "stated", "unstated"  # limits of statements
OWN_SHARES = (0.0, 0.1, 0.3)
"""From which share of new words a statement has another limit.

Statements that repeat a clause but for a word need to be surer than those in other words: a
contract's sentence with one denial moved reads like the sentence (`training.reader.limits`).
"""
NEVER = 2.0  # a limit that no probability reaches
QUESTION_TOKENS = 96  # of a question are read; those that it learned are shorter
LONGEST = 60  # tokens of the words that answer
_MOST_CACHED = 4_096  # pairs of question and sentence whose relevance stays at hand


class Answer(StrEnum):
    """What a clause says to a question; in the order of the model's outputs."""

    YES = "yes"
    NO = "no"
    DEPENDS = "depends"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Named:
    """What a clause names: words of it, each party, or nothing.

    Attributes:
        span: The likeliest words; None where it is likelier that each party is named, or nothing.
        both: The probability that each party is named.
        silence: The probability that nothing is.
    """

    span: Span | None
    both: float
    silence: float

    @property
    def is_both(self) -> bool:
        return self.span is None and self.both > self.silence


@dataclass(frozen=True, slots=True)
class Reading:
    """How a clause answers one question.

    Attributes:
        chances: The probability of each `Answer`, in their order.
        words: The words that answer, to a question for words.
        party: Whose right or duty, to a question for a party.
        own: The share of the question's tokens that the clause does not have, 0 to 1.
        is_whole: Whether clause and question were read to their ends; if not, nothing is said.
    """

    chances: tuple[float, float, float, float]
    words: Named
    party: Named
    own: float = 0.0
    is_whole: bool = True

    @property
    def answer(self) -> Answer:
        return list(Answer)[max(range(len(self.chances)), key=self.chances.__getitem__)]

    @property
    def probability(self) -> float:
        return max(self.chances)

    def chance(self, answer: Answer) -> float:
        return self.chances[list(Answer).index(answer)]


class QuestionReader(Protocol):
    """Questions of one clause in, a reading of each out."""

    @property
    def name(self) -> str: ...

    def read(self, clause: str, questions: Sequence[str]) -> list[Reading]:
        """Return a reading of each question, in their order."""

    def is_asserted(self, reading: Reading) -> bool:
        """Tell whether the answer is yes or no, and sure enough to be said."""

    def is_verified(self, reading: Reading) -> bool:
        """Tell whether a clause surely says a statement."""

    def is_refused(self, reading: Reading) -> bool:
        """Tell whether a clause surely does not say a statement."""


class RelevanceReader(Protocol):
    """A question and sentences in, log-odds each out: the higher, the likelier it answers."""

    @property
    def name(self) -> str: ...

    def relevance(self, question: str, sentences: Sequence[str]) -> NDArray[np.float64]:
        """Return the log-odds of each sentence, in their order; not calibrated by themselves."""


class OnnxReader:
    """The reader in a folder; its files are read on first use. Threads may share one.

    What was read last is cached: a question is put to one contract in several ways.
    """

    def __init__(self, info: ModelInfo, *, threads: int | None = None) -> None:
        self.info = info
        self._relevance: dict[tuple[str, str], float] = {}
        self._threads = threads or usable_cores()
        self._loading = Lock()

    @property
    def name(self) -> str:
        return self.info.identity

    @cached_property
    def limits(self) -> dict[str, float]:
        """Return the probability from which an answer is asserted, or a statement verified.

        Raises:
            ModelError: If the file is missing or damaged.
        """
        try:
            return {
                name: float(limit) for name, limit in json.loads(self.info.read(LIMITS)).items()
            }
        except (AttributeError, TypeError, ValueError) as error:
            raise file_error(self.info, LIMITS, error) from error

    def is_asserted(self, reading: Reading) -> bool:
        return self._reaches(reading, reading.answer, reading.probability)

    def is_verified(self, reading: Reading) -> bool:
        return self._reaches(reading, stated_limit(reading.own), reading.chance(Answer.YES))

    def is_refused(self, reading: Reading) -> bool:
        return self._reaches(reading, UNSTATED, 1 - reading.chance(Answer.YES))

    def _reaches(self, reading: Reading, limit: str, chance: float) -> bool:
        return reading.is_whole and chance >= self.limits.get(limit, NEVER)

    def read(self, clause: str, questions: Sequence[str]) -> list[Reading]:
        """Return a reading of each question; of what is too long, the beginning is read.

        Raises:
            ModelError: If a file of the model is missing, damaged or no reader's.
        """
        if not questions:
            return []
        read = self._tokenizer.encode(readable_text(clause))
        is_whole = len(clause) <= MAX_CHARACTERS and len(read.ids) <= self.info.max_tokens
        read.truncate(self.info.max_tokens)
        return run_in_threads(
            lambda question: self._read(read, question, is_whole=is_whole),
            questions,
            self._threads,
        )

    def relevance(self, question: str, sentences: Sequence[str]) -> NDArray[np.float64]:
        """Return the log-odds that each sentence answers a question; equal ones are read once.

        Of what is too long, the beginning is read.

        Raises:
            ModelError: If a file of the model is missing, damaged or no reader's.
        """
        import numpy as np

        cached = self._relevance
        found = {each: cached[question, each] for each in sentences if (question, each) in cached}
        missing = [each for each in dict.fromkeys(sentences) if each not in found]
        if missing:
            asked = self._tokens(question, QUESTION_TOKENS)[1:]
            longest = self.info.max_tokens

            def read(sentence: str) -> float:
                answers, *_ = self.run(self._tokens(sentence, longest), asked)
                return float(answers[-1])

            odds = run_in_threads(read, missing, self._threads)
            found |= zip(missing, odds, strict=True)
            if len(cached) + len(missing) > _MOST_CACHED:
                cached = {}
            self._relevance = cached | {
                (question, each): found[each] for each in missing[:_MOST_CACHED]
            }
        return np.array([found[each] for each in sentences], np.float64)

    def _tokens(self, text: str, most: int) -> list[int]:
        encoded = self._tokenizer.encode(readable_text(text))
        encoded.truncate(most)
        return list(encoded.ids)

    def _read(self, clause: Encoding, question: str, *, is_whole: bool) -> Reading:
        """Read one question: with others, its answer would depend on them."""
        asked = self._tokenizer.encode(readable_text(question))
        is_short = len(question) <= MAX_CHARACTERS and len(asked.ids) <= QUESTION_TOKENS
        asked.truncate(QUESTION_TOKENS)
        answers, words, parties = self.run(clause.ids, asked.ids[1:])
        return Reading(
            tuple(_shares(answers[: len(Answer)]).tolist()),
            _find_named(words, clause),
            _find_named(parties, clause),
            own_share(clause.ids, asked.ids[1:]),
            is_whole=is_whole and is_short,
        )

    def run(self, clause: Sequence[int], question: Sequence[int]) -> list[Floats]:
        """Return the log-odds that the graph gives for the tokens of a clause and of a question.

        Of `answers`, and of an answer at all (5,); of the first and the last of `words` (tokens +
        1, 2), and of those of `parties` (tokens + 2, 2).

        Raises:
            ModelError: If a file of the model is missing, damaged or no reader's.
        """
        import numpy as np

        size, every = len(clause), len(clause) + len(question)
        feed = {
            "ids": [*clause, *question],
            "positions": range(every),
            "segments": [0] * size + [1] * len(question),
            "ends": [every - 1],
            "size": size,
        }
        with self._loading:
            session = self._session
        inputs = {name: np.array(values, np.int64) for name, values in feed.items()}
        return [each[0] for each in session.run(None, inputs)]

    @cached_property
    def _tokenizer(self) -> Tokenizer:
        return read_tokenizer(self.info)

    @cached_property
    def _session(self) -> InferenceSession:
        session = open_graph(self.info)
        outputs = [each.name for each in session.get_outputs()]
        width = session.get_outputs()[0].shape[-1]
        if outputs != list(OUTPUTS) or width != len(Answer) + 1:
            given = f"{', '.join(outputs)} ({width} values of the first)"
            raise ModelError(
                f"model {self.info.name}: its graph gives {given}, and is no reader.",
                remedy=self.info.remedy,
            )
        return session


def stated_limit(own: float) -> str:
    """Return the name of the limit of a statement with such a share of new words."""
    least = max(each for each in OWN_SHARES if own >= each)
    return f"{STATED} {least}" if least else STATED


def own_share(clause: Sequence[int], question: Sequence[int]) -> float:
    """Return the share of a question's tokens that a clause does not have."""
    tokens = {*question}
    return len(tokens - {*clause}) / len(tokens) if tokens else 0.0


def _shares(odds: Floats) -> Floats:
    import numpy as np

    chances = np.exp(odds - odds.max(0))
    shares: Floats = chances / chances.sum(0)
    return shares


def _find_named(odds: Floats, clause: Encoding) -> Named:
    """Return what is named; `odds` (places, 2): first and last token, silence, each party."""
    import numpy as np

    size = len(clause.ids)
    starts, ends = _shares(odds).T
    other = starts[size:] * ends[size:]
    pairs = np.tril(np.triu(np.outer(starts[:size], ends[:size])), LONGEST)
    total = float(other.sum() + pairs.sum()) or 1.0
    silence, *each = (other / total).tolist()
    likeliest = max(silence, *each, float(pairs.sum()) / total)
    span = None
    if likeliest > max((silence, *each)):
        first, last = divmod(int(pairs.argmax()), size)
        span = Span(clause.offsets[first][0], clause.offsets[last][1])
    return Named(span, sum(each), silence)


def open_reader(folder: Path, *, threads: int | None = None) -> OnnxReader:
    """Return the reader in a folder.

    Raises:
        ModelError: If its card is missing or damaged, or another model's.
    """
    info = load_card(folder)
    if info.kind != KIND:
        raise ModelError(f"the model in {folder} is no reader: its kind is {info.kind}.")
    return OnnxReader(info, threads=threads)


class AnswerReranker:
    """Reads a passage sentence by sentence, as the reader was taught to; the likeliest counts."""

    def __init__(self, reader: RelevanceReader) -> None:
        self._reader = reader

    @property
    def name(self) -> str:
        return self._reader.name

    def scores(self, question: str, passages: Sequence[str]) -> NDArray[np.float32]:
        """Return one logit a passage, in the order of the passages.

        Raises:
            ModelError: If a file of the model is missing or damaged.
        """
        import numpy as np

        parts = [_sentences(each) for each in passages]
        logits = iter(
            self._reader.relevance(question, [one for each in parts for one in each]).tolist()
        )
        return np.array([max(next(logits) for _ in each) for each in parts], np.float32)


def _sentences(passage: str) -> list[str]:
    spans = split_sentences(passage, Span(0, len(passage)))
    found = [words for span in spans if (words := span.text_in(passage).strip())]
    return found or [passage]
