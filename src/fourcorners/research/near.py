"""Whether words that were not taken for an answer are near enough to be shown as if they were one.

"Not in the contract" is said of much that is there, in words of its own. So what speaks for the
best words found is weighed once more, and what passes is quoted with the warning that a person
must tell. Only where no known kind of clause is asked for: a search that knows the kind always
finds what looks like it, and `sufficiency` was taught to tell.

The weights were fitted on 59 questions that the contracts of the example answer and on 196 that
were put to a contract of another kind, most of which do not (`training/near_answers.yaml`). Of the
first 88% pass, cross-validated and with those that were taken for an answer, and of the second 8%;
both were taken once, and no command prints them.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, log, log1p
from typing import TYPE_CHECKING

from fourcorners.search.stems import stems
from fourcorners.search.units import Units
from fourcorners.text.span import Span

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

LEAST = 0.31
"""The chance from which words are shown."""
_BIAS = -8.638
_CHANCE = 1.351  # log-odds that the contract answers, by the rule of `sufficiency`
_MEANING = 14.361  # cosine of the question with the nearest passage of the contract
_COVERED = 8.556  # share of the question's words, by rarity, in the passage and its headings
_TINY = 1e-3


@dataclass(frozen=True, slots=True)
class Signs:
    """What speaks for words: see the weights; `chance` is a probability."""

    chance: float
    meaning: float
    covered: float

    @property
    def likelihood(self) -> float:
        """Return the chance that the words answer."""
        sure = min(max(self.chance, _TINY), 1 - _TINY)
        odds = _CHANCE * log(sure / (1 - sure)) + _MEANING * self.meaning
        return 1.0 / (1.0 + exp(-(odds + _COVERED * self.covered + _BIAS)))


def signs(
    units: Units, found: Span, asked: str, vector: NDArray[np.float32] | None, chance: float
) -> Signs | None:
    """Return what speaks for words of a contract; None without vectors.

    Args:
        units: The contract.
        found: The words.
        asked: The question, in the contract's own words.
        vector: The question's, of unit length.
        chance: That the contract answers.
    """
    if vector is None or units.vectors is None or not len(units.vectors):
        return None
    nearest = float((units.vectors @ vector).max())
    return Signs(chance, nearest, _covered(units, found, list(dict.fromkeys(stems(asked)))))


def _covered(units: Units, found: Span, wanted: list[str]) -> float:
    """Return how much of the question's words stand in the passages around words."""
    at = {unit.passage for unit in units.units if unit.span.overlaps(found)}
    texts = [units.passages[place].span.of(units.text) for place in at]
    texts += [heading.of(units.text) for place in at for heading in units.headings[place]]
    held = {stem for text in texts for stem in stems(text)}
    weight = {stem: rarity(units, stem) for stem in wanted}
    total = sum(weight.values())
    return sum(weight[stem] for stem in wanted if stem in held) / total if total else 0.0


def rarity(units: Units, stem: str) -> float:
    """Return how much a stem tells in a contract: the log of how few sentences have it."""
    often = len(set(units.unit_at[units.places(stem)].tolist()))
    return log1p(len(units.units) / (often + 0.5))
