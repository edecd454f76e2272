"""Whether words that were not taken for an answer are near enough to be shown as if they were one.

"Not in the contract" is said of much that is there, in words of its own. So what speaks for the
best words found is weighed once more, and what passes is quoted with the warning that a person
must tell. Only where no known kind of clause is asked for: a search that knows the kind always
finds what looks like it, and `sufficiency` learned to tell.

The weights (`near.json`) were fitted on questions that a contract answers and on some put to a
contract of another kind, most of which it does not (`training/answerability/similarity.py`). The
chance from which words are shown lets 95 in 100 of the first pass, cross-validated: to call
something absent that is there misleads, and to show what does not answer, with that warning, costs
a glance.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from math import log1p
from pathlib import Path
from typing import TYPE_CHECKING

from fourcorners.search.sentences.units import PreparedDocument
from fourcorners.search.sentences.weights import LinearWeights, chance_odds, odds_chance
from fourcorners.search.stems import stems
from fourcorners.text.span import Span

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

FILE = Path(__file__).with_name("near.json")
FEATURES = ("chance", "meaning", "covered")
"""Log-odds that the contract answers, by the rule of `sufficiency`; the cosine of the question with
the nearest passage of the contract; the share of the question's words, by rarity, that stand in the
passages around what was found and in their headings."""
_TINY = 1e-3  # keeps a chance off 0 and 1


class SimilarityWeights(LinearWeights):
    """How the signs are weighed, and the chance from which words are shown."""

    provenance: str
    least: float


@cache
def default_weights() -> SimilarityWeights:
    return SimilarityWeights.model_validate_json(FILE.read_text(encoding="utf-8"))


@dataclass(frozen=True, slots=True)
class SimilarityFeatures:
    """What speaks for words, see `FEATURES`; `chance` is a probability."""

    chance: float
    meaning: float
    covered: float

    @property
    def row(self) -> tuple[float, float, float]:
        return (chance_odds(self.chance, _TINY), self.meaning, self.covered)

    @property
    def likelihood(self) -> float:
        return odds_chance(default_weights().log_odds(dict(zip(FEATURES, self.row, strict=True))))


def similarity_features(
    units: PreparedDocument,
    found: Span,
    asked: str,
    vector: NDArray[np.float32] | None,
    chance: float,
) -> SimilarityFeatures | None:
    """Return what speaks for words of a contract; None without vectors (of unit length)."""
    if vector is None or units.vectors is None or not len(units.vectors):
        return None
    nearest = float((units.vectors @ vector).max())
    return SimilarityFeatures(
        chance, nearest, _covered(units, found, list(dict.fromkeys(stems(asked))))
    )


def _covered(units: PreparedDocument, found: Span, wanted: list[str]) -> float:
    """Return how much of the question's words stand in the passages around words."""
    at = {unit.passage for unit in units.units if unit.span.overlaps(found)}
    texts = [units.passages[place].span.text_in(units.text) for place in at]
    texts += [heading.text_in(units.text) for place in at for heading in units.headings[place]]
    held = {stem for text in texts for stem in stems(text)}
    weight = {stem: stem_rarity(units, stem) for stem in wanted}
    total = sum(weight.values())
    return sum(weight[stem] for stem in wanted if stem in held) / total if total else 0.0


def stem_rarity(units: PreparedDocument, stem: str) -> float:
    """Return how much a stem tells in a contract: the log of how few sentences have it."""
    often = len(set(units.unit_at[units.places(stem)].tolist()))
    return log1p(len(units.units) / (often + 0.5))
