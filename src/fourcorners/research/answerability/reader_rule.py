"""Whether a contract answers, once its likeliest sentences were read beside the question.

`sufficiency` judges by what a search sees: shares of words, cosines, the opinions of a review. A
reader that takes question and sentence together tells more of questions in everyday words, so both
are weighed once more, where no known kind of clause is asked for: of such a kind a review tells all
there is. The weights and the two chances, from which words count as an answer and from which they
are shown as words that may be one, are in `answered.json`
(`training/answerability/reader_rule.py`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path

from fourcorners.research.answerability.sufficiency import Judgement
from fourcorners.search.sentences.answer_scores import ReaderScores
from fourcorners.search.sentences.answer_scores import default_weights as fitted_weights
from fourcorners.search.sentences.weights import LinearWeights, chance_odds, odds_chance

FILE = Path(__file__).with_name("answered.json")
FEATURES = ("search", "reader", "second", "both")
"""How far the log-odds of `sufficiency` are above what would count; the reader's logit of the best
sentence, and of the second; the log-odds of search and reader of the best."""
_TINY = 1e-4  # keeps a chance off 0 and 1


class ReaderRule(LinearWeights):
    """How `FEATURES` are weighed.

    Attributes:
        answers: The chance from which on words count as an answer.
        may_answer: The chance from which on they are shown as words that may answer.
    """

    provenance: str
    answers: float
    may_answer: float


@cache
def default_rule() -> ReaderRule:
    return ReaderRule.model_validate_json(FILE.read_text(encoding="utf-8"))


def reader_features(judged: Judgement, reader: ReaderScores, both: float) -> Mapping[str, float]:
    """Return what speaks for a contract answering: `FEATURES`."""
    best = sorted(reader.values(), reverse=True)[:2]
    best += [fitted_weights().unread] * (2 - len(best))
    return {
        "search": chance_odds(judged.chance, _TINY) - chance_odds(judged.threshold, _TINY),
        "reader": best[0],
        "second": best[1],
        "both": chance_odds(both, _TINY),
    }


def combine_judgement(judged: Judgement, reader: ReaderScores, both: float) -> Judgement:
    rule = default_rule()
    chance = odds_chance(rule.log_odds(reader_features(judged, reader, both)))
    return replace(judged, chance=chance, threshold=rule.answers, display_threshold=rule.may_answer)
