"""What speaks for each sentence as the answer to a provision, as numbers.

The keyword query is the playbook's knowledge: each of its parts carries a boost, and a sentence
collects the boosts of the parts that it matches. The clause around the sentence, the headings
above it, its meaning (the cosine of the clause with the provision's example clauses), look-alikes
to avoid and the contract card count as well. `calibration` turns all into one probability.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from fourcorners.errors import ModelError
from fourcorners.library.contract import Contract
from fourcorners.models.clause_reader.features import shown_places
from fourcorners.playbooks.passages.ranking import heading_boosts, match_boosts
from fourcorners.playbooks.playbook import Provision, card_facts
from fourcorners.search.query import Query, tree_leaves
from fourcorners.search.query.match import find_matches
from fourcorners.search.sentences.signals import remove_lookalikes

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

FEATURES = (
    "words",  # boosts of the parts of the query that match in the sentence
    "words_root",  # the same, dampened
    "words_of_best",  # the same, as a share of the document's best sentence
    "clause",  # boosts that match in the passage but not in the sentence
    "heading",  # boosts that match in the headings above
    "neighbours",  # boosts of the better of the two neighbouring sentences
    "avoid",  # look-alikes in the sentence
    "meaning",  # cosine of the passage with the nearest example clause
    "meaning_of_best",  # how far that is below the document's best passage
    "card",  # how sure the contract card is of a fact in the sentence
    "start",  # how near the sentence is to the document's start
    "length",  # log of the sentence's characters
)
_SCALE = 10.0  # words; the unit of length in the features, as trained
STRONGEST = 5.0  # a usual boost of the best part of a query in the playbooks, as trained


@dataclass(frozen=True, slots=True)
class PreparedProvision:
    """A provision with the vectors of its example clauses, one row each (or None)."""

    provision: Provision
    examples: NDArray[np.float32] | None


def score_segments(reading: Contract, prepared: PreparedProvision) -> NDArray[np.float32]:
    """Return the features of every segment: an array (segments, `FEATURES`)."""
    import numpy as np

    provision = prepared.provision
    segments = reading.sentences
    look_alikes = find_matches(provision.avoid, reading.index) if provision.avoid else []
    matched = remove_lookalikes(find_matches(provision.query, reading.index), look_alikes)
    spans = [segment.span for segment in segments]
    words = match_boosts(matched, spans)
    clause = match_boosts(matched, [passage.span for passage in reading.passages])
    heading = heading_boosts(reading.headings, matched)
    meaning = np.zeros(len(reading.passages), np.float32)
    if reading.vectors is not None and prepared.examples is not None:
        meaning = (reading.vectors @ prepared.examples.T).max(axis=1)
    in_passage = np.array([segment.passage for segment in segments], np.intp)
    meant = meaning[in_passage] if len(segments) else np.zeros(0, np.float32)
    card = np.zeros(len(segments), np.float32)
    for span, confidence in card_facts(reading.card, provision.card):
        at = reading.sentence_at(span.start)
        if at is not None:
            card[at] = confidence
    padded = np.concatenate([[0.0], words, [0.0]])
    starts, lengths, _ = shown_places(reading.text, spans, reading.unseen)
    return np.stack(
        [
            words / _SCALE,
            np.sqrt(words / _SCALE),
            words / max(1.0, float(words.max(initial=0.0))),
            (clause[in_passage] - words) / _SCALE if len(segments) else words,
            np.sqrt(heading[in_passage] / _SCALE) if len(segments) else words,
            np.maximum(padded[:-2], padded[2:]) / _SCALE,
            match_boosts(look_alikes, spans),
            meant,
            meant - float(meaning.max(initial=0.0)),
            card,
            np.exp(-starts / 3_000.0),
            np.log1p(lengths) / _SCALE,
        ],
        axis=1,
    ).astype(np.float32)


def level_boosts(features: NDArray[np.float32], query: Query) -> NDArray[np.float32]:
    """Return features as if the strongest part of their query had the boost `STRONGEST`.

    Boosts weigh the parts of one query against each other: their height is a matter of taste.
    """
    scale = STRONGEST / max(boost for _, boost, _ in tree_leaves(query.tree))
    levelled = features.copy()
    levelled[:, [FEATURES.index(name) for name in ("words", "clause", "neighbours")]] *= scale
    levelled[:, [FEATURES.index(name) for name in ("words_root", "heading")]] *= scale**0.5
    return levelled


def has_meaning(reading: Contract, prepared: PreparedProvision) -> bool:
    return reading.vectors is not None and prepared.examples is not None


def top_positions(scores: NDArray[np.float32], most: int) -> list[int]:
    """Return the positions of the highest scores, the earliest first where they tie."""
    import numpy as np

    return [int(at) for at in np.argsort(-scores, kind="stable")[:most]]


DEFAULT = "default"


@dataclass(frozen=True, slots=True)
class Curve:
    """The logistic model of one provision: a weight for each of `FEATURES`, and a bias.

    The probability is that of a contract holding the provision whose best sentence looks like this
    one. From `threshold` on the best sentence makes the cell found, and with it every other
    sentence from `also` on is quoted.
    """

    weights: tuple[float, ...]
    bias: float
    threshold: float
    also: float

    def probability(self, features: NDArray[np.float32]) -> NDArray[np.float32]:
        import numpy as np

        logits = features.astype(np.float64) @ np.array(self.weights) + self.bias
        probability: NDArray[np.float32] = (1.0 / (1.0 + np.exp(-logits))).astype(np.float32)
        return probability


@dataclass(frozen=True, slots=True)
class Calibration:
    """The curves by provision id, with the name that findings record.

    Attributes:
        curves: For documents with vectors.
        by_words: For documents without: there, meaning says nothing.
        learned_from: The ids of the documents whose annotations the curves were fitted to.
    """

    version: str
    curves: Mapping[str, Curve]
    by_words: Mapping[str, Curve]
    learned_from: frozenset[str]

    def curve(self, provision: str, *, meaning: bool) -> Curve:
        curves = self.curves if meaning else self.by_words
        return curves.get(provision) or curves[DEFAULT]

    def features(self, reading: Contract, prepared: PreparedProvision) -> NDArray[np.float32]:
        """Return the features of every segment as the provision's curve reads them."""
        features = score_segments(reading, prepared)
        if prepared.provision.id in self.curves:
            return features
        return level_boosts(features, prepared.provision.query)


def _parse_calibration(text: str) -> Calibration:
    """Read a calibration.

    Raises:
        ModelError: If it was made for other features than this version computes.
    """
    raw = json.loads(text)
    if tuple(raw["features"]) != FEATURES:
        raise ModelError(
            "the calibration was made for other features than this version computes.",
            remedy="Run training.extraction.train again.",
        )
    curves, by_words = (
        {
            name: Curve(tuple(entry["weights"]), entry["bias"], entry["threshold"], entry["also"])
            for name, entry in raw[kind].items()
        }
        for kind in ("provisions", "by_words")
    )
    return Calibration(raw["version"], curves, by_words, frozenset(raw["learned_from"]))


@cache
def default_calibration() -> Calibration:
    return _parse_calibration(Path(__file__).with_name("calibration.json").read_text("utf-8"))
