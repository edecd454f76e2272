"""Whether what was found answers at all: the rule by which a report says "not in the contract".

The search orders sentences, and the best of a contract that says nothing is still the best. So what
speaks for it is weighed once more, by how strong it is in itself and not beside the others; neither
the length of the contract nor the headings above count. The weights (`sufficiency.json`) were
learned from contracts out of which the answering clauses had been taken
(`training/answerability/absence.py`), and the thresholds with them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from pydantic import BaseModel, ConfigDict, Field

from fourcorners.models.encoder.protocol import Encoder
from fourcorners.research.answerability.clause_kinds import BestSentence, ClauseOpinions
from fourcorners.search.concepts import Concept
from fourcorners.search.sentences.signals import ASKED, KNOWN, signals
from fourcorners.search.sentences.units import PreparedDocument
from fourcorners.search.sentences.weights import LinearWeights, default_weights, odds_chance

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

FILE = Path(__file__).with_name("sufficiency.json")
MAX_SNIPPETS = 6
"""So many of the sentences that a search finds best are looked at by themselves."""
_NAMES = (*ASKED, *KNOWN)


class EvidenceBasis(StrEnum):
    CLAUSE_READER = "taught"  # the clause reader, which knows the kind that is asked for
    KNOWN = "known"  # a playbook's query for the kind
    UNKNOWN = "unknown"  # the search: no kind is asked for that a playbook knows


FEATURES: Mapping[EvidenceBasis, tuple[str, ...]] = {
    EvidenceBasis.CLAUSE_READER: (
        "belongs",  # log-odds that the likeliest sentence belongs to the kind
        "marked",  # that an expert would mark it by itself
        "limit",  # from which a review finds the kind
        "alone",  # by its words alone
        "question",  # its cosine with the question
        "example",  # its cosine with the nearest example clause
    ),
    EvidenceBasis.KNOWN: (
        "above",  # how far a sentence is above the limit from which a review finds the kind
        "question",
        "example",
        "known_words",  # how much of the kind's query the search's best sentence has
    ),
    EvidenceBasis.UNKNOWN: (
        "words",  # how much of the question's words the search's best sentence has
        "sentence",  # cosine of one of the search's best with the question, the highest
    ),
}
Features = Mapping[EvidenceBasis, Mapping[str, float]]


@dataclass(frozen=True, slots=True)
class Judgement:
    """How likely the best of what was found answers, and from what chance on it counts.

    Attributes:
        display_threshold: From what chance on it is shown as what may answer; by default it must
            count.
    """

    chance: float
    threshold: float
    display_threshold: float = 1.0

    @property
    def answers(self) -> bool:
        return self.chance >= self.threshold

    @property
    def may_answer(self) -> bool:
        return self.answers or self.chance >= self.display_threshold


def sufficiency_features(
    units: PreparedDocument,
    asked: str,
    vector: NDArray[np.float32] | None,
    concepts: Sequence[tuple[Concept, float]],
    encoder: Encoder | None,
    opinions: ClauseOpinions | None,
) -> Features:
    """Return what speaks for a contract answering: `FEATURES` of each ground there is."""
    if opinions is None:
        found = _searched(units, asked, vector, concepts, encoder)
        return {EvidenceBasis.UNKNOWN: {"words": found["words"], "sentence": found["sentence"]}}
    asking, reader = opinions.by_query, opinions.by_reader
    grounds = {
        EvidenceBasis.KNOWN: {
            **_near_to(asking, vector, concepts, encoder),
            "above": asking.margin,
            "known_words": _searched(units, asked, vector, concepts, None)["known_words"],
        }
    }
    if reader is not None:
        grounds[EvidenceBasis.CLAUSE_READER] = {
            **_near_to(reader, vector, concepts, encoder),
            "belongs": reader.score,
            "marked": reader.marked,
            "limit": reader.threshold,
            "alone": reader.alone,
        }
    return grounds


def _near_to(
    likeliest: BestSentence,
    vector: NDArray[np.float32] | None,
    concepts: Sequence[tuple[Concept, float]],
    encoder: Encoder | None,
) -> dict[str, float]:
    sentences = [likeliest.words] if likeliest.words else []
    question, example = _near_features(sentences, vector, concepts, encoder)
    return {"question": question, "example": example}


def _searched(
    units: PreparedDocument,
    asked: str,
    vector: NDArray[np.float32] | None,
    concepts: Sequence[tuple[Concept, float]],
    encoder: Encoder | None,
) -> dict[str, float]:
    """Return what speaks for the sentences that a search finds best."""
    import numpy as np

    if not units.units:
        return {"words": 0.0, "known_words": 0.0, "sentence": 0.0}
    rows = signals(units, asked, vector, concepts)
    weighing = default_weights().known if concepts else default_weights().unknown
    order = np.argsort(-weighing.probabilities(rows), kind="stable")
    first = rows[order[0]]
    best = [units.units[at].span.text_in(units.text) for at in order[:MAX_SNIPPETS].tolist()]
    return {
        "words": float(first[_NAMES.index("words")]),
        "known_words": float(first[_NAMES.index("known_words")]),
        "sentence": _near_features(best, vector, (), encoder)[0],
    }


def _near_features(
    sentences: Sequence[str],
    vector: NDArray[np.float32] | None,
    concepts: Sequence[tuple[Concept, float]],
    encoder: Encoder | None,
) -> tuple[float, float]:
    """Return how near sentences come to the question, and to the examples, at the nearest."""
    import numpy as np

    if encoder is None or vector is None or not sentences:
        return 0.0, 0.0
    made = encoder.encode(sentences)
    examples = [each.examples for each, _ in concepts if each.examples is not None]
    nearest = float((made @ np.concatenate(examples).T).max()) if examples else 0.0
    return float((made @ vector).max()), nearest


class LinearRule(LinearWeights):
    """A linear weighing of `FEATURES`, and the chance from which it counts.

    Attributes:
        kinds: What is added for a kind of clause: some are seldom answered by what looks like it.
    """

    threshold: float
    kinds: dict[str, float] = Field(default_factory=dict)

    def log_odds(self, features: Mapping[str, float], kind: str = "") -> float:
        return super().log_odds(features) + self.kinds.get(kind, 0.0)


Rules: TypeAlias = Mapping[EvidenceBasis, LinearRule]


def judge(rules: Rules, found: Features, kind: str = "") -> Judgement:
    """Judge by the features of a question; where reader and query speak, by the mean of both.

    The threshold is then that of the reader, which was learned for that mean.
    """
    odds = [rules[ground].log_odds(each, kind) for ground, each in found.items()]
    ground = (
        EvidenceBasis.CLAUSE_READER if EvidenceBasis.CLAUSE_READER in found else next(iter(found))
    )
    return Judgement(odds_chance(sum(odds) / len(odds)), rules[ground].threshold)


class RulesFile(BaseModel):
    """The file of the rules: those for libraries with vectors, and those for words alone."""

    model_config = ConfigDict(extra="forbid")
    provenance: str
    with_vectors: dict[EvidenceBasis, LinearRule]
    by_words: dict[EvidenceBasis, LinearRule]

    def rules(self, *, with_vectors: bool) -> Rules:
        return self.with_vectors if with_vectors else self.by_words


@cache
def load_rules(*, with_vectors: bool) -> Rules:
    content = RulesFile.model_validate_json(FILE.read_text(encoding="utf-8"))
    return content.rules(with_vectors=with_vectors)
