"""What is read of the words found for a provision, and whether they contradict an answer."""

from __future__ import annotations

from dataclasses import dataclass

from fourcorners.library.contract import Contract
from fourcorners.models.reader.reader import Answer, QuestionReader
from fourcorners.models.registry import default_reader
from fourcorners.models.verdict_reader.clause import MarkedClause
from fourcorners.outline.clause import find_lead_ins
from fourcorners.outline.tree import NodeKind
from fourcorners.playbooks.playbook import RiskQuestion
from fourcorners.review.mentions import MentionFinder
from fourcorners.text.span import Span

CLAUSE = 1_600  # characters of a clause that are read, as trained
LEAST_CONTEXT = 200  # characters about a long quote that are read, as trained
CONTRARY_FROM = 0.75  # probability of the opposite: no right one of 70 answers in trials has it
_YES = {"effect": "free"}  # of questions with options that ask yes or no: what says yes
_LEAD = range(20, 600)  # characters of the words before a list


@dataclass(frozen=True, slots=True)
class FoundClause:
    """Words found, marked for the verdict reader.

    Attributes:
        leads: Of a point of a list, the words that lead to it and are not around it.
    """

    marked: MarkedClause
    leads: tuple[Span, ...] = ()


class ClauseMarker:
    """Marks words of one contract; `mentions` finds what they mention."""

    def __init__(self, contract: Contract) -> None:
        self._contract = contract
        self.mentions = contract.compute(
            MentionFinder, lambda: MentionFinder(contract.text, contract.card)
        )

    def mark(self, span: Span) -> FoundClause:
        """Mark words with the clause around them.

        A point of a long list says nothing by itself: "(m) Reseller is merged". If what leads to it
        is not around it, the point is read behind that, as if it came first.
        """
        text = self._contract.text
        clause = clause_around(text, span)
        outline = self._contract.outline
        item = outline.node_at(span.start)
        leads = find_lead_ins(outline, text, span.start, _LEAD, (NodeKind.ITEM,))
        if item is None or not leads or leads[0].start >= clause.start:
            return FoundClause(MarkedClause(text, clause, span, self.mentions.find(clause)))
        parts = [*leads, Span(max(item.span.start, clause.start), clause.end)]
        pieces, end = [], 0
        for part in parts:
            pieces += [" " * (part.start - end), part.text_in(text)]
            end = part.end
        mentions = tuple(each for part in parts for each in self.mentions.find(part))
        whole = Span(leads[0].start, clause.end)
        return FoundClause(MarkedClause("".join(pieces), whole, span, mentions), tuple(leads))


def clause_around(text: str, span: Span) -> Span:
    """Return the paragraphs around a span, cut at `CLAUSE` characters in all."""
    room = max(CLAUSE - len(span), LEAST_CONTEXT)
    start = max(text.rfind("\n\n", 0, span.start), span.start - room // 2, 0)
    end = text.find("\n\n", span.end)
    end = min(len(text) if end < 0 else end, span.end + room // 2)
    return Span(start, end)


def is_contrary(
    asked: RiskQuestion, value: str, words: str, reader: QuestionReader | None = None
) -> bool:
    """Tell whether the reader of questions surely reads the opposite of an answer in the words.

    It is the one that ships by default. Only what is asked with yes or no can be contradicted.
    """
    says_yes = "yes" if asked.answer == "yes_no" else _YES.get(asked.id, "")
    if asked.answer != "yes_no" and says_yes not in asked.options:
        return False
    opposite = Answer.NO if value == says_yes else Answer.YES
    (reading,) = (reader or default_reader()).read(words, [asked.question])
    return reading.chance(opposite) >= CONTRARY_FROM
