"""A second look at a provision that the clause reader does not find.

The clause reader learned from American filings: of a contract drafted otherwise it puts the right
sentence among its first, and is not sure of it. Where it finds nothing, its first candidates are
read by two models that learned from other drafting, too: the verdict reader tells whether the words
are such a provision, and the reader of questions whether they answer what the provision asks. What
both are sure of is found.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from fourcorners.library.contract import Contract
from fourcorners.models.reader.reader import RelevanceReader
from fourcorners.models.registry import default_reader, default_verdict_reader
from fourcorners.models.verdict_reader.clause import MarkedClause
from fourcorners.models.verdict_reader.reader import IS, SUCH, VerdictReader
from fourcorners.review.mentions import MentionFinder
from fourcorners.review.risk.assessment import clause_around
from fourcorners.text.span import Span
from fourcorners.text.yaml_data import load_yaml

CANDIDATES = 3  # candidates of a provision: of 63 sentences that were missed, 58 were among them
SUCH_FROM = 0.95  # probability that the words are such a provision
ANSWERS_FROM = 1.0  # log-odds that they answer what it asks


class CandidateReader:
    """Looks again at candidates of one contract; its models are loaded on first use."""

    def __init__(
        self,
        reading: Contract,
        verdicts: VerdictReader | None = None,
        reader: RelevanceReader | None = None,
    ) -> None:
        self._text = reading.text
        self._verdicts = verdicts or default_verdict_reader()
        self._reader = reader or default_reader()
        self._mentions = reading.compute(
            MentionFinder, lambda: MentionFinder(reading.text, reading.card)
        )

    def find(
        self, provision: str, candidates: Sequence[tuple[Span, float]]
    ) -> list[tuple[Span, float]]:
        """Return those of the first candidates that surely are such a provision, best first.

        Each has the probability that it is one. A provision that the models do not know has none.

        Raises:
            ModelError: If a file of a model is missing or damaged.
        """
        question = _questions().get(provision)
        if question is None or not self._verdicts.is_known(provision):
            return []
        read = ((span, self._chance(provision, span)) for span, _ in candidates[:CANDIDATES])
        such = [(span, chance) for span, chance in read if chance >= SUCH_FROM]
        answers = self._reader.relevance(question, [span.text_in(self._text) for span, _ in such])
        return [each for each, odds in zip(such, answers, strict=True) if odds >= ANSWERS_FROM]

    def _chance(self, provision: str, span: Span) -> float:
        """Return the probability that words are such a provision."""
        clause = clause_around(self._text, span)
        marked = MarkedClause(self._text, clause, span, self._mentions.find(clause))
        verdict = self._verdicts.read(provision, marked)[IS]
        return verdict.probability if verdict.value == SUCH else 0.0


@cache
def _questions() -> Mapping[str, str]:
    found: Mapping[str, str] = load_yaml(Path(__file__).with_suffix(".yaml").read_text("utf-8"))
    return found
