"""A second look at what the clause reader finds of a provision, and at what it does not find.

The clause reader knows the words of a provision, and is misled by others that share them. What it
would quote is read by the verdict reader, which tells whether the words are such a provision at
all: what surely is other business, or the contrary, is not quoted. Words with a denial are put to
the reader of questions, too: what surely answers that there is no such thing is not quoted, either.

The clause reader learned from American filings: of a contract drafted otherwise it puts the right
sentence among its first, and is not sure of it. Where it finds nothing, its first candidates are
read by two models that learned from other drafting, too: the verdict reader, and the reader of
questions, which tells whether the words answer what the provision asks. What both are sure of is
found.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Protocol

from fourcorners.library.contract import Contract
from fourcorners.models.entailment.features import DENIALS
from fourcorners.models.reader.reader import Answer, QuestionReader, RelevanceReader
from fourcorners.models.registry import default_reader, default_verdict_reader
from fourcorners.models.verdict_reader.clause import MarkedClause
from fourcorners.models.verdict_reader.reader import IS, SUCH, VerdictReader
from fourcorners.review.risk.clauses import ClauseMarker
from fourcorners.search.sentences.weights import chance_odds
from fourcorners.text.patterns import load_yaml
from fourcorners.text.span import Span
from fourcorners.text.tokenization import tokenize

CANDIDATES = 3  # candidates of a provision: of 63 sentences that were missed, 58 were among them
SUCH_FROM = 0.95  # probability that the words are such a provision
DENIED_FROM = (
    0.65  # probability that words deny it: of 342 quotes of trials no right one reaches .66
)
ANSWERS_FROM = 1.5  # log-odds that they answer what it asks: as likely as 1.0 of the reader before
# Log-odds that a quote is no such provision, from those that its words give and those with which it
# was found; and from which on a quote is left out where there are others, and where there are none
# (`training.verdicts.quoted` fits the weights, and prints what the limits cost and bring).
_BY_WORDS, _BY_FOUND, _CONSTANT = 0.55, -0.32, -0.23
OTHER_FROM, NONE_FROM = 0.6, 1.1
_DENYING = DENIALS | {"non", "cannot"}
_FAINTEST = 1e-3  # chance beyond which a model's certainty tells no more


class SecondReader(QuestionReader, RelevanceReader, Protocol):
    """Answers questions, and tells whether words answer them."""


class CandidateReader:
    """Looks again at candidates of one contract; its models are loaded on first use."""

    def __init__(
        self,
        reading: Contract,
        verdicts: VerdictReader | None = None,
        reader: SecondReader | None = None,
    ) -> None:
        self._text = reading.text
        self._verdicts = verdicts or default_verdict_reader()
        self._reader = reader or default_reader()
        self._marker = ClauseMarker(reading)

    def find(
        self, provision: str, candidates: Sequence[tuple[Span, float]]
    ) -> list[tuple[Span, float]]:
        """Return those of the first candidates that surely are such a provision, best first.

        Each has the probability that it is one. A provision that the models do not know has none.

        Raises:
            ModelError: If a file of a model is missing or damaged.
        """
        question = _questions()["asks"].get(provision)
        if question is None or not self._verdicts.is_known(provision):
            return []
        read = ((span, self._chance(provision, span)) for span, _ in candidates[:CANDIDATES])
        such = [(span, chance) for span, chance in read if chance >= SUCH_FROM]
        answers = self._reader.relevance(question, [span.text_in(self._text) for span, _ in such])
        return [each for each, odds in zip(such, answers, strict=True) if odds >= ANSWERS_FROM]

    def keep_such(
        self, provision: str, quotes: Sequence[tuple[Span, float]]
    ) -> list[tuple[Span, float]]:
        """Return the quotes without those that surely are no such provision, or deny one.

        Where all seem to be none, those stay that are not sure enough to find nothing.

        Raises:
            ModelError: If a file of a model is missing or damaged.
        """
        quotes = [each for each in quotes if not self._is_denied(provision, each[0])]
        if not self._verdicts.is_known(provision):
            return quotes
        doubts = [
            _BY_WORDS
            * chance_odds(self._verdicts.no_such_chance(provision, self._mark(span)), _FAINTEST)
            + _BY_FOUND * chance_odds(found, _FAINTEST)
            + _CONSTANT
            for span, found in quotes
        ]
        least = OTHER_FROM if min(doubts, default=0.0) < OTHER_FROM else NONE_FROM
        return [each for each, doubt in zip(quotes, doubts, strict=True) if doubt < least]

    def _chance(self, provision: str, span: Span) -> float:
        """Return the probability that words are such a provision."""
        verdict = self._verdicts.read(provision, self._mark(span))[IS]
        return verdict.probability if verdict.value == SUCH else 0.0

    def _is_denied(self, provision: str, span: Span) -> bool:
        leads = self._marker.mark(span).leads
        words = " ".join(each.text_in(self._text) for each in (*leads, span))
        return denied_chance(provision, words, self._reader) >= DENIED_FROM

    def _mark(self, span: Span) -> MarkedClause:
        return self._marker.mark(span).marked


def denied_chance(provision: str, words: str, reader: QuestionReader | None = None) -> float:
    """Return how likely words say that there is no such provision, 0 to 1.

    It is 0 where they have no word of denial, or nothing is asked of the provision. The reader is
    the one that ships by default.

    Raises:
        ModelError: If a file of the model is missing or damaged.
    """
    question = _questions()["exists"].get(provision)
    if question is None or _DENYING.isdisjoint(tokenize(words.replace("-", " ")).tokens):
        return 0.0
    (reading,) = (reader or default_reader()).read(words, [question])
    return reading.chance(Answer.NO)


@cache
def _questions() -> Mapping[str, Mapping[str, str]]:
    found: Mapping[str, Mapping[str, str]] = load_yaml(
        Path(__file__).with_suffix(".yaml").read_text("utf-8")
    )
    return found
