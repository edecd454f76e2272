"""What is read of the words found for a provision, and whether they contradict an answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from fourcorners.library.contract import Contract
from fourcorners.models.reader.reader import Answer, QuestionReader
from fourcorners.models.registry import default_reader
from fourcorners.models.verdict_reader.clause import MarkedClause, MentionKind
from fourcorners.models.verdict_reader.features import EACH_PARTY
from fourcorners.outline.card.card import Party
from fourcorners.outline.clause import find_lead_ins
from fourcorners.outline.tree import NodeKind
from fourcorners.playbooks.playbook import RiskQuestion
from fourcorners.review.mentions import MentionFinder
from fourcorners.review.parties import party_value
from fourcorners.text.patterns import load_patterns
from fourcorners.text.span import Span

CLAUSE = 1_600  # characters of a clause that are read, as trained
LEAST_CONTEXT = 200  # characters about a long quote that are read, as trained
CONTRARY_FROM = 0.75  # probability of the opposite: no right one of 70 answers in trials has it
_YES = {"effect": "free"}  # of questions with options that ask yes or no: what says yes
_EACH = frozenset(("each", "either", "both", "any", "all"))  # before "party" or "parties"
_PATTERNS = load_patterns("fourcorners.review.risk", "clauses")
_ENTITLED = _PATTERNS["entitled"]
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

    def first_party(self, sentence: Span, parties: Mapping[str, Party]) -> str:
        """Return the party with whose name a sentence begins; empty if it begins otherwise."""
        kinds = (MentionKind.PARTY, MentionKind.GROUP)
        first = next((e for e in self.mentions.find(sentence) if e.kind in kinds), None)
        if first is None:
            return ""
        text = self._contract.text
        lead = text[sentence.start : first.span.start].casefold().split()
        if any(len(word.strip("().")) > 1 and word.isalpha() and word != "the" for word in lead):
            return ""
        if first.kind is MentionKind.GROUP:
            return EACH_PARTY if first.key.split()[0] in _EACH else ""
        party = parties.get(first.key)
        return party_value(party) if party else ""

    def entitled(self, sentence: Span, parties: Mapping[str, Party]) -> set[str]:
        """Return the parties that a sentence gives a right: "the Supplier may"."""
        return {
            party_value(parties[each.key])
            for each in self.mentions.find(sentence)
            if each.key in parties
            and _ENTITLED.match(self._contract.text, each.span.end, sentence.end)
        }


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
