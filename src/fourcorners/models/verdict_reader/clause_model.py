"""`ClauseModel`: a small transformer over a clause, with a head for each question.

It reads what words in a row cannot tell (what a proviso qualifies, who is the subject), and is less
often right alone than the regressions; together they are right more often than either.
It is given a clause as tokens, with marks. The state of each token comes from a graph; what is
asked of the states is small and done here.
Architecture and training: `training.verdicts.transformer`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from io import BytesIO
from typing import TYPE_CHECKING, Protocol
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from fourcorners.errors import ModelError
from fourcorners.models.card import ModelInfo
from fourcorners.models.session import open_graph, read_tokenizer, readable_text
from fourcorners.models.verdict_reader.clause import MarkedClause, MentionKind
from fourcorners.models.verdict_reader.features import EACH_PARTY, NO_MENTION
from fourcorners.text.span import Span

if TYPE_CHECKING:
    from onnxruntime import InferenceSession
    from tokenizers import Tokenizer

HEADS = "heads.npz"
MARKED = 2.0  # what attention adds for the marked words
_FLAT = 1e-5  # of the normalisation
Floats = NDArray[np.float32]


class Question(Protocol):
    """What is asked: a head of the verdict reader."""

    @property
    def name(self) -> str: ...
    @property
    def question(self) -> str: ...
    @property
    def kind(self) -> MentionKind | None: ...
    @property
    def group(self) -> str: ...
    @property
    def options(self) -> Sequence[str]: ...


@dataclass(frozen=True)
class ClauseModel:
    """The transformer in a folder: `model.onnx`, `heads.npz`, `tokenizer.json`; loaded on use."""

    info: ModelInfo

    def read(
        self, provision: str, questions: Sequence[Question], clause: MarkedClause
    ) -> dict[str, dict[str, float]]:
        """Return for each known question the logarithm of each choice's probability.

        A mention too far from the marked words to be read is no choice.

        Raises:
            ModelError: If a file of the model is missing or damaged.
        """
        tokens = read_tokens(self._tokenizer, provision, clause)
        states = self._states(tokens)
        heads = self._heads
        return {
            each.question: heads.choose(each, tokens, states)
            for each in questions
            if each.name in heads.rows
        }

    def _states(self, tokens: ClauseTokens) -> Floats:
        ids = np.array([tokens.ids], np.int64)
        kinds = np.ones_like(ids)
        kinds[0, : tokens.first] = 0
        given = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": kinds}
        return np.asarray(self._session.run(None, given)[0][0], np.float32)

    @cached_property
    def _session(self) -> InferenceSession:
        return open_graph(self.info)

    @cached_property
    def _tokenizer(self) -> Tokenizer:
        return read_tokenizer(self.info)

    @cached_property
    def _heads(self) -> ClauseHeads:
        try:
            return _read_clause_heads(self.info.read(HEADS))
        except (BadZipFile, EOFError, KeyError, TypeError, ValueError) as error:
            raise ModelError(
                f"model {self.info.name}: {HEADS} is damaged: {error!r}.", remedy=self.info.remedy
            ) from error


@dataclass(frozen=True)
class ClauseHeads:
    """What is asked of the states; shapes with H = size of a state, Q = questions.

    Attributes:
        rows: The row of each question by its name; `groups` those of groups and of questions alone.
        weights: `look` (Q, H), `norm.weight` and `norm.bias` (2H), `out` (Q, 2H, options), `bias`
            (Q, options), `key_kind`, `key_group`, `key_q` (rows, H), and of three linear layers
            `mix` (H, 2H), `score` (1, H), `blank` (2, 2H), each with its bias.
    """

    rows: Mapping[str, int]
    groups: Mapping[str, int]
    weights: Mapping[str, Floats]

    def choose(self, question: Question, tokens: ClauseTokens, states: Floats) -> dict[str, float]:
        """Return the logarithm of each choice's probability."""
        row = self.rows[question.name]
        pooled = self._pool(row, tokens, states)
        if question.kind is None:
            odds = pooled @ self.weights["out"][row] + self.weights["bias"][row]
            return _shares(dict(zip(question.options, odds.tolist(), strict=False)))
        return self._choose_mention(question, question.kind, pooled, tokens, states)

    def _pool(self, row: int, tokens: ClauseTokens, states: Floats) -> Floats:
        """Return the mean state, as the question weighs it, followed by the first one."""
        attention = states @ self.weights["look"][row] / np.sqrt(states.shape[1])
        attention[slice(*tokens.marked)] += MARKED
        attention = np.exp(attention - attention.max())
        mean = attention @ states / attention.sum()
        return self._normalise(np.concatenate([mean, states[0]]))

    def _choose_mention(
        self,
        question: Question,
        kind: MentionKind,
        pooled: Floats,
        tokens: ClauseTokens,
        states: Floats,
    ) -> dict[str, float]:
        key = (
            self.weights["key_kind"][list(_KINDS).index(kind)]
            + self.weights["key_group"][self.groups[question.group or question.name]]
            + self.weights["key_q"][self.rows[question.name]]
        )
        none, each = self._linear(
            "blank", self._normalise(np.concatenate([pooled[: len(key)], key]))
        )
        odds = {
            mention: float(np.logaddexp.reduce([self._score(key, states, at) for at in places]))
            for mention, places in tokens.places[kind].items()
        }
        odds[NO_MENTION] = float(none)
        if kind is MentionKind.PARTY:
            odds[EACH_PARTY] = float(each)
        return _shares(odds)

    def _score(self, key: Floats, states: Floats, place: Place) -> float:
        start, end = place
        ends = (states[start] + states[end - 1]) / 2
        mixed = _gelu(self._linear("mix", np.concatenate([ends, key])))
        return float(self._linear("score", mixed)[0])

    def _linear(self, name: str, values: Floats) -> Floats:
        made: Floats = self.weights[f"{name}.weight"] @ values + self.weights[f"{name}.bias"]
        return made

    def _normalise(self, values: Floats) -> Floats:
        even = (values - values.mean()) / np.sqrt(values.var() + _FLAT)
        made: Floats = even * self.weights["norm.weight"] + self.weights["norm.bias"]
        return made


_KINDS = (MentionKind.PARTY, MentionKind.DURATION, MentionKind.AMOUNT, MentionKind.DATE)


def _gelu(values: Floats) -> Floats:
    made: Floats = values / 2 * (1 + np.tanh(np.sqrt(2 / np.pi) * (values + 0.044715 * values**3)))
    return made


def _shares(odds: Mapping[str, float]) -> dict[str, float]:
    total = float(np.logaddexp.reduce(list(odds.values())))
    return {choice: value - total for choice, value in odds.items()}


def _read_clause_heads(content: bytes) -> ClauseHeads:
    """Return the heads in a file.

    Raises:
        BadZipFile, EOFError, KeyError, TypeError, ValueError: If the file is damaged.
    """
    with np.load(BytesIO(content)) as arrays:
        weights = {name: arrays[name] for name in arrays}
    rows = {str(name): at for at, name in enumerate(weights.pop("questions"))}
    groups = {str(name): at for at, name in enumerate(weights.pop("groups"))}
    return ClauseHeads(
        rows, groups, {name: value.astype(np.float32) for name, value in weights.items()}
    )


LONGEST = 210  # tokens of a clause that are read, as trained
_AROUND = 4_000  # characters around the marked words that are cut into tokens at all
_START, _END = 101, 102  # of a text, and of each of its two parts
_OPEN, _CLOSE = 1, 2  # around the marked words
_PLACES = 6  # of one mention that are read
Place = tuple[int, int]


@dataclass(frozen=True, slots=True)
class ClauseTokens:
    """A provision's name and a clause, of which the words farthest from the marked ones are cut.

    Attributes:
        ids: Token ids, specials included.
        first: How many of them are the provision's.
        marked: The first and one past the last token of the marked words.
        places: By kind what is mentioned, with its tokens; in the marked words, where it is there.
    """

    ids: tuple[int, ...]
    first: int
    marked: Place
    places: Mapping[MentionKind, Mapping[str, tuple[Place, ...]]]


def read_tokens(tokenizer: Tokenizer, provision: str, clause: MarkedClause) -> ClauseTokens:
    """Return a clause as tokens; the tokenizer adds no specials and cuts nothing."""
    start = max(clause.clause.start, clause.marked.start - _AROUND)
    end = min(clause.clause.end, clause.marked.start + 2 * _AROUND)
    encoding = tokenizer.encode(readable_text(clause.text[start:end]), add_special_tokens=False)
    spans = [Span(start + low, start + high) for low, high in encoding.offsets]
    inside = [at for at, span in enumerate(spans) if span.overlaps(clause.marked)] or [0]
    low, high = inside[0], min(inside[-1] + 1, inside[0] + LONGEST)
    spare = LONGEST - (high - low)
    after = min(len(spans) - high, spare - min(low, spare // 2))
    before = min(low, spare - after)

    ids = [_START, *_name_tokens(tokenizer, provision), _END]
    first = len(ids)
    where: dict[int, int] = {}
    for at in range(low - before, min(high + after, len(spans))):
        if at == low:
            ids.append(_OPEN)
        where[at] = len(ids)
        ids.append(encoding.ids[at])
        if at == high - 1:
            ids.append(_CLOSE)
    marked = (where.get(low, first + 1) - 1, where.get(high - 1, first) + 2)
    places = {
        kind: _place(clause.mentioned(kind), clause.marked, spans, where) for kind in MentionKind
    }
    return ClauseTokens((*ids, _END), first, marked, places)


def _place(
    mentioned: Mapping[str, Sequence[Span]],
    marked: Span,
    spans: Sequence[Span],
    where: Mapping[int, int],
) -> dict[str, tuple[Place, ...]]:
    """Return the tokens of what is mentioned; what was cut is left out."""
    found = {}
    for key, named in mentioned.items():
        own = [(each, _tokens_of(each, spans, where)) for each in named]
        held = [(each, place) for each, place in own if place is not None]
        chosen = [place for each, place in held if each.overlaps(marked)]
        if held:
            found[key] = tuple((chosen or [place for _, place in held])[:_PLACES])
    return found


def _tokens_of(named: Span, spans: Sequence[Span], where: Mapping[int, int]) -> Place | None:
    own = [place for at, place in where.items() if spans[at].overlaps(named)]
    return (own[0], own[-1] + 1) if own else None


@lru_cache(maxsize=256)
def _name_tokens(tokenizer: Tokenizer, provision: str) -> tuple[int, ...]:
    words = provision.replace("-", " ")
    return tuple(tokenizer.encode(words, add_special_tokens=False).ids)
