"""Hypotheses that were never learned: which spans speak of one, and what they say.

A model learned from other hypotheses sees the words and the meaning that a span shares with the
hypothesis and, where a playbook tells, with what answers it. Which way a span speaks is decided by
rules made by hand: too few hypotheses are ever contradicted to learn it from the others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from fourcorners.models.encoder.protocol import Encoder
from fourcorners.models.entailment.features import (
    DENIALS,
    NONE,
    PERMISSIONS,
    SpanPositions,
    content_stems,
    modality_features,
    neighbour_scores,
    tokenize_entailment,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_SCALE = 10.0  # of boosts
_TOP = 3  # best spans that a label reads, as trained
_BEFORE = 9  # words before a word of the hypothesis that may deny or permit it
_STEM = 5  # letters that words are compared by
_OPEN = frozenset(["except", "unless", "other", "only", "until"])  # what turns a denial
_QUALIFIED = _OPEN | {"provided", "however", "notwithstanding", "without", "solely"}
_EVERYWHERE = frozenset(["confi", "infor", "agree"])  # in all that is judged: they tell nothing
_MERELY = frozenset(["be", "include", "contain", "survive", "continue", "last", "arise"])
_CONFINING = frozenset(["only", "solely", "exclusively"])
# How likely a span contradicts the hypothesis, set by hand: for statements that confine something,
# in words that do not confine and in words that do; for a denial where the hypothesis permits or
# obliges, or a permission where it denies; otherwise, as often as in the training contracts.
_UNCONFINED, _CONFINED, CLASH, _ELSE = 0.85, 0.2, 0.65, 0.08


@dataclass(frozen=True, slots=True)
class HypothesisGuide:
    """What a playbook knows of where a hypothesis is answered.

    Attributes:
        boosts: For each span, the boosts of the parts of the playbook's query that match in it.
        texts: The definition of what answers, then examples of clauses that do.
    """

    boosts: NDArray[np.float32]
    texts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SpanSet:
    texts: Sequence[str]
    place: SpanPositions
    vectors: NDArray[np.float32]


def span_features(
    spans: SpanSet, hypothesis: str, guide: HypothesisGuide | None, encoder: Encoder
) -> SpanFeatures:
    """Return what speaks for each span as evidence of a hypothesis: one row a span."""
    import numpy as np

    cosines = spans.vectors @ encoder.encode([hypothesis])[0]
    columns: list[NDArray[np.generic]] = [_shared_features(spans, hypothesis, cosines)]
    whole = [float(cosines.max(initial=-1.0))]
    if guide is not None:
        given = spans.vectors @ encoder.encode(list(guide.texts)).T
        defined = given[:, 0]
        example = given[:, 1:].max(axis=1) if given.shape[1] > 1 else defined
        boosts = np.asarray(guide.boosts, np.float64) / _SCALE
        most = float(boosts.max(initial=0.0))
        led = spans.place.leading >= 0
        padded = np.concatenate([[0.0], boosts, [0.0]])
        columns += [
            *(example, example - example.max(initial=-1.0)),
            *(defined, defined - defined.max(initial=-1.0)),
            *(np.sqrt(boosts), boosts / max(0.1, most), boosts - most),
            np.full(len(boosts), np.sqrt(most)),
            np.where(led, boosts[np.maximum(spans.place.leading, 0)], 0.0),
            np.maximum(padded[:-2], padded[2:]),
        ]
        whole += [float(example.max(initial=-1.0)), float(defined.max(initial=-1.0)), most**0.5]
    return SpanFeatures(np.column_stack(columns).astype(np.float64), tuple(whole))


@dataclass(frozen=True, slots=True)
class SpanFeatures:
    """What speaks for the spans of a document; `whole` is what speaks of it as a whole."""

    rows: NDArray[np.float64]
    document_features: tuple[float, ...]


def _shared_features(
    spans: SpanSet, hypothesis: str, cosines: NDArray[np.float32]
) -> NDArray[np.float64]:
    """Return the words and the meaning that each span shares with a hypothesis, and its looks."""
    import numpy as np

    place = spans.place
    stems = [content_stems(text) for text in spans.texts]
    held = [frozenset(each) for each in stems]
    asked = content_stems(hypothesis)
    rarity = {
        word: float(np.log1p(len(held) / (0.5 + sum(word in each for each in held))))
        for word in asked
    }
    most = sum(rarity.values()) or 1.0

    def share(words: frozenset[str]) -> float:
        return sum(weight for word, weight in rarity.items() if word in words) / most

    own = np.array([share(each) for each in held])
    led = np.array(
        [
            share(held[at] | held[lead]) if lead >= 0 else own[at]
            for at, lead in enumerate(place.leading.tolist())
        ]
    )
    pairs = frozenset(pairwise(asked))
    paired = np.array([len(pairs & frozenset(pairwise(each))) for each in stems])
    meaning = cosines.astype(np.float64)
    return np.column_stack(
        [
            *(own, own - own.max(initial=0.0), led, paired / max(1, len(pairs))),
            *(meaning, meaning - meaning.max(initial=-1.0), meaning * own),
            *(place.leading >= 0, place.appearance),
        ]
    )


def evidence_features(
    signs: SpanFeatures, first: NDArray[np.float64], place: SpanPositions
) -> NDArray[np.float64]:
    import numpy as np

    return np.concatenate([neighbour_scores(first, place), signs.rows], axis=1)


def label_features(signs: SpanFeatures, first: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return what tells whether a document speaks of a hypothesis at all."""
    import numpy as np

    best = np.sort(np.concatenate([first, np.full(_TOP, NONE)]))[::-1][:_TOP]
    mass = np.log1p((1.0 / (1.0 + np.exp(-np.clip(first, -30, 30)))).sum())
    return np.concatenate(
        [best, [mass], signs.rows[int(np.argmax(first))], signs.document_features]
    )


@dataclass(frozen=True, slots=True)
class UnseenHypotheses:
    """What was learned from other hypotheses; each pair is weights and a bias, in log odds.

    Attributes:
        first: Of `signs`.
        ranked: Of `beside`: that a span is evidence.
        mentioned: Of `label_signs`: that the document speaks of it.
        margin: As in `Verdict`.
    """

    first: tuple[NDArray[np.float64], float]
    ranked: tuple[NDArray[np.float64], float]
    mentioned: tuple[NDArray[np.float64], float]
    margin: float

    def judge(self, signs: SpanFeatures, place: SpanPositions) -> tuple[float, NDArray[np.float64]]:
        """Return how likely the document speaks of it, and the log odds of each span."""
        first = signs.rows @ self.first[0] + self.first[1]
        ranked = evidence_features(signs, first, place) @ self.ranked[0] + self.ranked[1]
        odds = float(label_features(signs, first) @ self.mentioned[0]) + self.mentioned[1]
        return 1.0 / (1.0 + 2.718281828459045 ** -max(-30.0, min(30.0, odds))), ranked


def contradiction_score(hypothesis: str, text: str) -> float:
    """Return how likely a span contradicts a hypothesis of which it speaks: a rule by hand."""
    asked, tokens = tokenize_entailment(hypothesis), tokenize_entailment(text)
    if not _CONFINING.isdisjoint(asked):
        return _UNCONFINED if _CONFINING.isdisjoint(tokens) else _CONFINED
    return CLASH if is_clash(hypothesis, text) else _ELSE


def is_clash(hypothesis: str, text: str) -> bool:
    """Tell whether a span forbids what a hypothesis permits or obliges to, or the reverse."""
    if text.rstrip().endswith(":"):
        return False  # a lead-in: its items say what it denies
    asked, tokens = tokenize_entailment(hypothesis), tokenize_entailment(text)
    denies = modality_features(hypothesis)[0] > 0
    if denies and not _QUALIFIED.isdisjoint(asked):
        return False  # "for no other purpose than": what it denies is only what it does not except
    if "may" in asked and not _MERELY.isdisjoint(asked[asked.index("may") :][1:2]):
        return False  # what may be, not what someone may do
    stems = frozenset(content_stems(hypothesis)) - _EVERYWHERE
    places = [at for at, word in enumerate(tokens) if _stem(word) in stems]
    if denies:
        allowed = any(not _PERMITTED.isdisjoint(tokens[max(0, at - _BEFORE) : at]) for at in places)
        return allowed and DENIALS.isdisjoint(tokens)
    denied = [_governed(tokens, at) for at in places]
    return bool(denied) and all(denied) and _QUALIFIED.isdisjoint(tokens)


def _stem(word: str) -> str:
    singular = f"{word[:-3]}y" if word.endswith(("ies", "ied")) else word
    return singular[:_STEM]


_PERMITTED = PERMISSIONS | {"free", "freely"}


def _governed(tokens: Sequence[str], at: int) -> bool:
    """Tell whether a denial precedes a word, with nothing between that reverses it."""
    for word in reversed(tokens[max(0, at - _BEFORE) : at]):
        if word in _OPEN:
            return False
        if word in DENIALS:
            return True
    return False
