"""Risk questions, severity and the house's position: what rules can say of a finding.

A question is answered from the words found, the clause around them, and what that clause refers
to: other clauses, and the definitions of its terms. Every answer carries the words that decide,
verified, and what cuts the other way. What wording cannot decide is left to a person.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

from fourcorners.outline.tree import NodeKind, ReferenceKind
from fourcorners.playbooks.playbook import Acting, CardField, Provision, RiskQuestion, card_facts
from fourcorners.review.applicability import applies_to_type
from fourcorners.review.finding import CellState, Finding, PositionMatch, RiskAnswer, Severity
from fourcorners.review.parties import ActorIndex, combine_actors, display_name
from fourcorners.review.prepared_document import PreparedDocument
from fourcorners.review.risk import severity
from fourcorners.review.values import Value, find_amounts, find_dates, find_durations
from fourcorners.search.graph.contract import Contract
from fourcorners.search.query import Query
from fourcorners.search.query.match import find_matches, is_match
from fourcorners.text import evidence
from fourcorners.text.quote import Quote
from fourcorners.text.span import Span, merge_spans
from fourcorners.text.tokenization import WordIndex

RULES = "4"
"""To be raised when wording is read otherwise: all cells are then filled anew."""
CANNOT_TELL = "Cannot tell from the document"
LIKELY_YES = "Likely yes"
LIKELY_NO = "Likely no"
CHECK_BY_PERSON = "a person should check"
_MOST_QUOTES = 3  # of an assessment
_MOST_VALUES = 4  # of an assessment
_MOST_REFERRED = 4  # clauses, and as many definitions
_TELLING = 0.2  # of the best quote's probability
_SHORT = 1_500  # characters of a clause that is about one thing
_CONDITION = re.compile(
    r"\b(?:(?P<opens>if|where|when|whenever)|may|shall|must|will|can|cannot)\b", re.IGNORECASE
)
_CARD_VALUES = {CardField.GOVERNING_LAW, CardField.TITLE}
_CARD_DATES = {CardField.AGREEMENT_DATE, CardField.EFFECTIVE_DATE, CardField.EXPIRY_DATE}


class RiskAssessor:
    """Answers for the findings of one document; made once for all its cells."""

    def __init__(self, reading: PreparedDocument) -> None:
        document = reading.document
        self._reading = reading
        self._text = document.text
        self._actors = ActorIndex(reading.card, reading.side)
        self._linked = Contract(document.id, "", document.text, reading.outline, reading.card)
        self._units = [unit.span for unit in reading.segments]
        self._starts = [span.start for span in self._units]
        self._words: dict[Span, WordIndex] = {}

    def assess(self, finding: Finding, provision: Provision) -> Finding:
        """Return a finding with severity, recommendation, position and answers by the rules."""
        ground = _Ground(self._linked, finding, self._units, self._starts)
        clauses = [self._index(span) for span in ground.clauses]
        telling = [self._index(span) for span in ground.telling_clauses]
        rule = severity.deciding_rule(
            provision, finding.state, telling, lambda query: self._acting(query, ground)
        )
        found = finding.state is CellState.FOUND
        return replace(
            finding,
            severity=Severity(rule.severity) if rule else Severity.NONE,
            reason=rule.because if rule else "",
            recommendation=rule.recommend if rule else "",
            position=self._position(provision, ground, clauses) if found else None,
            answers=tuple(self._answers(provision, ground)) if found else (),
        )

    def _position(
        self, provision: Provision, ground: _Ground, clauses: Sequence[WordIndex]
    ) -> PositionMatch | None:
        position = severity.position_taken(provision, clauses)
        if position is None:
            return None
        spans = self._deciding(position.matching, ground.clauses, ground)
        quotes = self._quotes(spans)
        return PositionMatch(position.kind, position.text, position.recommend, quotes)

    def _answers(self, provision: Provision, ground: _Ground) -> Iterator[RiskAnswer]:
        for question in provision.questions:
            if applies_to_type(question.applies_to, self._reading.card):
                answers = self._answer(provision, question, ground)
                yield replace(answers, id=question.id)

    def _answer(self, provision: Provision, question: RiskQuestion, ground: _Ground) -> RiskAnswer:
        if question.answer == "yes_no":
            return self._yes_or_no(question, ground)
        from_card = self._from_card(provision, question)
        if from_card is not None:
            return from_card
        return self._value(question, ground)

    def _yes_or_no(self, question: RiskQuestion, ground: _Ground) -> RiskAnswer:
        for spans, where in ground.places():
            no = self._deciding(question.no, spans, ground)
            yes = [each for each in self._deciding(question.yes, spans, ground) if each not in no]
            if not yes and not no:
                continue
            reason = (
                f"by its wording; {CHECK_BY_PERSON}"
                if not where
                else f"by {where}; {CHECK_BY_PERSON}"
            )
            if not yes:
                quotes = self._quotes(no)
                return RiskAnswer(question.question, LIKELY_NO, reason, quotes=quotes)
            answer = RiskAnswer(
                question.question,
                LIKELY_YES,
                reason,
                party=self._party(question, yes),
                quotes=self._quotes(yes),
            )
            other = [*no, *self._against(question, ground)]
            return self._weigh_opposing(answer, [each for each in other if each not in yes[:1]])
        if question.yes is not None and question.no is not None:
            reason = "neither the clause nor what it refers to says so, or says that it is not so"
            return RiskAnswer(question.question, CANNOT_TELL, reason)
        return RiskAnswer(question.question, "")

    def _against(self, question: RiskQuestion, ground: _Ground) -> list[Span]:
        if question.against is None:
            return []
        return [
            span
            for spans, _ in ground.places()
            for span in self._deciding(question.against, spans, ground, whole=False)
        ]

    def _weigh_opposing(self, answer: RiskAnswer, against: Sequence[Span]) -> RiskAnswer:
        """Set beside an answer what cuts the other way."""
        if not against:
            return answer
        ordered = list(dict.fromkeys(against))[:_MOST_QUOTES]
        places = dict.fromkeys(self._place(span) for span in ordered)
        reason = f"Cuts the other way: {', '.join(places)}."
        return replace(answer, against=reason, against_quotes=self._quotes(ordered))

    def _from_card(self, provision: Provision, question: RiskQuestion) -> RiskAnswer | None:
        """Answer by the contract card where the provision is a fact that it has."""
        card, field = self._reading.card, provision.card
        places = card_facts(card, field)
        if field is None or not places:
            return None
        if field in _CARD_DATES and question.answer == "date":
            fact = {
                CardField.AGREEMENT_DATE: card.agreement_date,
                CardField.EFFECTIVE_DATE: card.effective_date,
                CardField.EXPIRY_DATE: card.expiry_date,
            }[field]
            value = fact.value.isoformat() if fact else ""
        elif field in _CARD_VALUES and question.answer == "text":
            named_by = card.governing_law if field is CardField.GOVERNING_LAW else card.title
            value = named_by.value if named_by else ""
        elif field is CardField.PARTIES and question.answer == "party":
            value = "; ".join(display_name(party.value) for party in card.parties)
        else:
            return None
        quotes = self._quotes([span for span, _ in places], most=_MOST_VALUES)
        reason = f"as the contract card reads it; {CHECK_BY_PERSON}"
        return RiskAnswer(question.question, value, reason, quotes=quotes)

    def _value(self, question: RiskQuestion, ground: _Ground) -> RiskAnswer:
        for spans, where in ground.narrowing():
            chosen = ground.sentences(spans)
            if question.yes is not None:
                chosen = self._deciding(question.yes, spans, ground, whole=False)
            if question.no is not None:
                other = self._deciding(question.no, spans, ground, whole=False)
                chosen = [span for span in chosen if span not in other]
            found_values = [
                (value, span) for span in chosen for value in self._values(question, span)
            ]
            if not found_values:
                continue
            values = list(dict.fromkeys(value for value, _ in found_values))
            quoted = dict.fromkeys(
                span for value, span in found_values if value in values[:_MOST_VALUES]
            )
            more = f"; and {len(values) - _MOST_VALUES} more" if len(values) > _MOST_VALUES else ""
            answer = RiskAnswer(
                question.question,
                "; ".join(values[:_MOST_VALUES]) + more,
                f"read from {where or 'its words'}; {CHECK_BY_PERSON}",
                quotes=self._quotes(list(quoted)),
            )
            against = [
                span for span in self._against(question, ground) if span not in list(quoted)[:1]
            ]
            return self._weigh_opposing(answer, against)
        return RiskAnswer(question.question, "")

    def _values(self, question: RiskQuestion, span: Span) -> list[str]:
        readers: dict[str, Callable[[str, Span], list[Value]]] = {
            "date": find_dates,
            "amount": find_amounts,
            "duration": find_durations,
        }
        if question.answer == "party":
            return self._actors.all_actors(self._text, span)
        reader = readers.get(question.answer)
        return [value.text for value in reader(self._text, span)] if reader else []

    def _party(self, question: RiskQuestion, spans: Sequence[Span]) -> str:
        """Return who acts in the words that decide; empty if that is not clear."""
        for span in spans:
            near = None
            if question.yes is not None:
                ends = [each.span.end for each in find_matches(question.yes, self._index(span))]
                near = span.start + max(ends) if ends else None
            who = self._actors.last_actor(self._text, span, near)
            if who:
                return who
        return ""

    def _acting(self, query: Query | None, ground: _Ground) -> str:
        """Return whose side acts in the words found, or in those that satisfy a query."""
        sentences = ground.telling
        if query is not None:
            sentences = self._deciding(query, ground.telling, ground, whole=False)
            sentences = sentences or self._deciding(query, ground.telling_clauses, ground)
        return combine_actors(self._acting_in(query, span) for span in sentences)

    def _acting_in(self, query: Query | None, sentence: Span) -> Acting | Literal[""]:
        """Return whose side acts in a sentence: before the first words that a query wants.

        Where a condition comes first, with such words, whoever must act stands before later ones.
        """
        found = [] if query is None else find_matches(query, self._index(sentence))
        if not found:
            return self._actors.acting_side(self._text, sentence)
        ends = sorted({sentence.start + each.span.end for each in found})
        first = _CONDITION.search(self._text, sentence.start, sentence.end)
        if first is None or not first["opens"]:
            ends = ends[:1]
        acting = (self._actors.acting_side(self._text, sentence, near) for near in ends)
        return next((who for who in acting if who), "")

    def _deciding(
        self, query: Query | None, spans: Sequence[Span], ground: _Ground, *, whole: bool = True
    ) -> list[Span]:
        """Return the sentences that satisfy a query; else, of a clause as a whole, its words."""
        if query is None:
            return []
        found = [each for each in ground.sentences(spans) if is_match(query, self._index(each))]
        if found or not whole:
            return found
        for span in spans:
            places = [
                each.span.shift(span.start) for each in find_matches(query, self._index(span))
            ]
            if places:
                return [
                    sentence
                    for sentence in ground.sentences([span])
                    if any(sentence.overlaps(place) for place in places)
                ]
        return []

    def _index(self, span: Span) -> WordIndex:
        if span not in self._words:
            self._words[span] = WordIndex(span.text_in(self._text))
        return self._words[span]

    def _quotes(self, spans: Sequence[Span], most: int = _MOST_QUOTES) -> tuple[Quote, ...]:
        quotes = tuple(evidence.quote_span(self._text, span) for span in spans[:most])
        for quote in quotes:
            evidence.verify_quote(quote, self._text)
        return quotes

    def _place(self, span: Span) -> str:
        node = self._reading.outline.node_at(span.start)
        while node is not None and not node.label:
            node = self._reading.outline.nodes[node.parent] if node.parent is not None else None
        return f"clause {node.label}" if node is not None else "the same contract"


@dataclass(frozen=True)
class _Ground:
    """What the questions of one finding are answered from."""

    linked: Contract
    finding: Finding
    units: Sequence[Span]
    starts: Sequence[int]

    @cached_property
    def found(self) -> tuple[Span, ...]:
        return tuple(each.quote.span for each in self.finding.evidence if each.quote.span)

    @cached_property
    def telling(self) -> list[Span]:
        """The sentences that carry the finding: not those that only stand beside the best."""
        best = self.finding.best
        least = _TELLING * best.score if best else 0.0
        return self.sentences(
            [e.quote.span for e in self.finding.evidence if e.quote.span and e.score >= least]
        )

    @cached_property
    def telling_clauses(self) -> tuple[Span, ...]:
        """The clauses that hold them, each once."""
        best = self.finding.best
        least = _TELLING * best.score if best else 0.0
        return tuple(
            dict.fromkeys(each.clause for each in self.finding.evidence if each.score >= least)
        )

    @cached_property
    def clauses(self) -> tuple[Span, ...]:
        return tuple(dict.fromkeys(each.clause for each in self.finding.evidence))

    def places(self) -> Iterator[tuple[Sequence[Span], str]]:
        """Yield where answers are looked for, with how a reason names it: its own clause first."""
        yield merge_spans([*self.found, *self.clauses]), ""
        for span, called in self._referred:
            yield [span], called

    def narrowing(self) -> Iterator[tuple[Sequence[Span], str]]:
        """Yield where values are looked for: the sentences found, short clauses, and the rest."""
        own, *referred = self.places()
        yield [unit for unit in self.units if any(unit.overlaps(each) for each in self.found)], ""
        short = [span for span in own[0] if len(span) <= _SHORT]
        if short:
            yield short, "its clause"
        yield from referred

    @cached_property
    def _referred(self) -> tuple[tuple[Span, str], ...]:
        """What the words found refer to: definitions of their terms, and other clauses."""
        own = merge_spans([*self.found, *self.clauses])
        known: dict[Span, str] = {}
        for span, called in (*self._definitions(), *self._cited_clauses(own)):
            if not any(each.contains(span) for each in own):
                known.setdefault(span, called)
        return tuple(known.items())

    def _definitions(self) -> list[tuple[Span, str]]:
        used = {
            term.term: (times, term)
            for span in self.found
            for term, times in self.linked.uses(span.text_in(self.linked.text))
        }
        rarest = sorted(used.values(), key=lambda each: (each[0], each[1].span))[:_MOST_REFERRED]
        return [
            (self.linked.definition(term), f"the definition of “{term.term}”") for _, term in rarest
        ]

    def _cited_clauses(self, own: Sequence[Span]) -> list[tuple[Span, str]]:
        cited: list[tuple[Span, str]] = []
        for span in own:
            for reference, node in self.linked.references_from(span):
                vague = reference.kind is not ReferenceKind.NUMBERED or not node.label
                large = 2 * len(node.span) > len(self.linked.text) or node.kind is NodeKind.TITLE
                if not vague and not large and not node.span.contains(reference.span):
                    raw = " ".join((reference.raw or node.label).split())
                    cited.append((self.linked.opening(node.span), f"{raw}, which it refers to"))
        return cited[:_MOST_REFERRED]

    def sentences(self, spans: Sequence[Span]) -> list[Span]:
        """Return the sentences of some spans, in order, cut where a span ends."""
        found = []
        for span in spans:
            at = max(0, bisect_right(self.starts, span.start) - 1)
            inside = []
            while at < len(self.units) and self.starts[at] < span.end:
                inside.append(self.units[at].intersection(span))
                at += 1
            found += [each for each in inside if each] or [span]
        return list(dict.fromkeys(found))
