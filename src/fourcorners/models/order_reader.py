"""`OrderReader`: which sentences give orders to whoever reads a contract, and not to its parties.

Words decide for most sentences; those that they leave in doubt are read by the transformer of the
verdict reader, whose states a small head weighs. A sentence in letters that only look like Latin
ones, or that are spaced, is read as what it looks like, too. Architecture and training:
`training.orders.train`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from io import BytesIO
from typing import TYPE_CHECKING
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from fourcorners.models.card import ModelInfo, load_card
from fourcorners.models.entailment.features import hash_ngrams
from fourcorners.models.registry import ORDER_READER, VERDICT_READER, WEIGHTS
from fourcorners.models.session import file_error, open_graph, read_tokenizer, readable_text
from fourcorners.text.injections import to_joined_text, to_plain_text
from fourcorners.text.sentences import split_sentences
from fourcorners.text.span import Span

if TYPE_CHECKING:
    from onnxruntime import InferenceSession
    from tokenizers import Tokenizer

FILE = "model.npz"
ROOM = 158  # tokens of a sentence that are read, as trained
_START, _END = 101, 102
_FLAT = 1e-5  # of the normalisation
_PART = re.compile(r"(?<=[.!?;])\s+(?=\W?[A-Z])")  # where a sentence may end
_LEAST = 12  # characters of a sentence
Floats = NDArray[np.float32]


@dataclass(frozen=True)
class OrderReader:
    """The model in a folder, and the card of the verdict reader; both are loaded on first use."""

    info: ModelInfo
    states_of: ModelInfo

    def find(self, text: str) -> list[Span]:
        """Return the sentences that surely give orders to a reader, in order.

        Raises:
            ModelError: If a file of a model is missing or damaged.
        """
        found = []
        for span in split_sentences(text):
            parts = _parts(text, span)
            orders = [each for each in parts if self._is_order(each.text_in(text))]
            if not orders and len(parts) > 1 and self._is_order(span.text_in(text)):
                orders = [span]
            found += orders
        return found

    def _is_order(self, sentence: str) -> bool:
        bias, doubt, limit = self._weights["limits"].tolist()
        for words in _readings(sentence):
            odds = bias + self._odds_of_words(words)
            if odds >= doubt and odds + self._odds_of_states(self.states(words)) > limit:
                return True
        return False

    def states(self, words: str) -> Floats:
        """Return what the transformer makes of each token: (tokens, size)."""
        tokens = self._tokenizer.encode(readable_text(words), add_special_tokens=False).ids
        ids = np.array([[_START, *tokens[:ROOM], _END]], np.int64)
        every = np.ones_like(ids)
        given = {"input_ids": ids, "attention_mask": every, "token_type_ids": every}
        return np.asarray(self._session.run(None, given)[0][0], np.float32)

    def _odds_of_words(self, words: str) -> float:
        features, columns = hash_ngrams(words), self._weights["columns"]
        at = np.minimum(np.searchsorted(columns, features), len(columns) - 1)
        known = at[columns[at] == features]
        return float(self._weights["weights"][known].sum() / np.sqrt(max(1, len(features))))

    def _odds_of_states(self, states: Floats) -> float:
        weights = self._weights
        centred = states - states.mean(-1, keepdims=True)
        plain = centred / np.sqrt(centred.var(-1, keepdims=True) + _FLAT)
        scaled = plain * weights["norm.weight"] + weights["norm.bias"]
        look = scaled @ weights["look.weight"].T + weights["look.bias"]
        look = np.exp(look - look.max(0))
        value = _gelu(scaled @ weights["value.weight"].T + weights["value.bias"])
        pooled = ((look / look.sum(0)).T @ value).ravel()
        mixed = _gelu(weights["mix.weight"] @ pooled + weights["mix.bias"])
        return float((weights["out.weight"] @ mixed + weights["out.bias"])[0])

    @cached_property
    def _weights(self) -> dict[str, NDArray[np.float32]]:
        try:
            with np.load(BytesIO(self.info.read(FILE))) as stored:
                columns = stored["columns"].astype(np.int64)
                rest = {name: stored[name].astype(np.float32) for name in stored}
        except (BadZipFile, KeyError, OSError, ValueError) as error:
            raise file_error(self.info, FILE, error) from None
        return {**rest, "columns": columns}

    @cached_property
    def _session(self) -> InferenceSession:
        return open_graph(self.states_of)

    @cached_property
    def _tokenizer(self) -> Tokenizer:
        return read_tokenizer(self.states_of)


@cache
def default_order_reader() -> OrderReader:
    """Return the reader that comes with the package; nothing is loaded before it is asked.

    Raises:
        ModelError: If a card is missing or damaged.
    """
    return OrderReader(load_card(WEIGHTS / ORDER_READER), load_card(WEIGHTS / VERDICT_READER))


def _parts(text: str, sentence: Span) -> list[Span]:
    """Return the parts of what may be several sentences."""
    cuts = list(_PART.finditer(text, sentence.start, sentence.end))
    starts = [sentence.start, *(each.end() for each in cuts)]
    ends = [*(each.start() for each in cuts), sentence.end]
    return [Span(start, end) for start, end in zip(starts, ends, strict=True)]


def _readings(sentence: str) -> Iterator[str]:
    """Yield the words of a sentence, and what they look like if that differs."""
    seen = to_joined_text(to_plain_text(sentence).text).text
    for words in dict.fromkeys(" ".join(each.split()) for each in (sentence, seen)):
        if len(words) > _LEAST:
            yield words


def _gelu(values: Floats) -> Floats:
    slope = np.tanh(np.sqrt(2 / np.pi) * (values + 0.044715 * values**3))
    return np.asarray(0.5 * values * (1 + slope), np.float32)
