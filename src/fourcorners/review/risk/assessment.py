"""Risk questions, severity and the house's position: what is said of the words found.

A question is answered by the verdict reader, from the words found with the clause around them, and
only where answers of its kind were measured to be right 95 times in 100 (the law of assertion,
`docs/decisions`); a fact of the contract card is answered from the card. What two clauses tell
differently, and all else, is left to a person. Severity and position follow from the answers.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from fourcorners.library.contract import Contract
from fourcorners.models.registry import default_verdict_reader
from fourcorners.models.verdict_reader.features import EACH_PARTY
from fourcorners.models.verdict_reader.reader import Verdict, VerdictReader
from fourcorners.outline.card.card import Card, Party
from fourcorners.playbooks.playbook import (
    CARD_ANSWERS,
    CardField,
    Position,
    Provision,
    RiskQuestion,
    SeverityRule,
    card_facts,
)
from fourcorners.review.applicability import applies_to_type
from fourcorners.review.finding import (
    Author,
    CellState,
    Evidence,
    Finding,
    PositionMatch,
    RiskAnswer,
    Severity,
)
from fourcorners.review.mentions import fold_party
from fourcorners.review.parties import UNKNOWN_SIDE, Side, display_name, party_value
from fourcorners.review.risk.answers import answer_statement, answer_words
from fourcorners.review.risk.clauses import ClauseMarker, is_contrary
from fourcorners.review.severity import NOT_RECOGNISED, leave_to_read, open_question_reason
from fourcorners.text.quote import Quote
from fourcorners.text.span import Span
from fourcorners.text.values.periods import find_durations, period_parts

DOUBT = 0.25  # from this probability on another answer in the same cell leaves a question open
MOST_QUOTES = 3  # of an answer
_VALUE: Mapping[str, Callable[[str], object]] = {
    "date": re.compile(r"\d{4}-\d{2}-\d{2}$").match,
    "duration": period_parts,
}
_RIGHT = re.compile(r"\{\} (?:may|is free)\b")  # how a cell says whose a right is


@dataclass(frozen=True, slots=True)
class _Reading:
    """What one quote says, with the lead-ins of its list: its verdicts by question."""

    quote: Evidence
    verdicts: Mapping[str, Verdict]
    leads: tuple[Span, ...]


class RiskConclusion:
    """What follows from the answers of one contract's cells, whoever gave them."""

    def __init__(self, card: Card, side: Side) -> None:
        self._card, self._side = card, side
        roles = map(Party, side.roles)
        self.parties = _parties_by_name([*(fact.value for fact in card.parties), *roles])

    def conclude(self, finding: Finding, provision: Provision) -> Finding:
        """Return a finding with severity, recommendation and position."""
        given = {each.id: each for each in finding.answers if each.value}
        unanswered = {
            each.id
            for each in finding.answers
            if not each.value and each.author is not Author.PERSON
        }
        questions = {each.id: each.question for each in finding.answers}
        asked = {each.id: each for each in provision.questions}
        undecided: list[tuple[SeverityRule, list[str]]] = []  # each with what it depends on
        rule = mild = None
        for each in provision.severity:
            if each.when != finding.state.value or each.ends_within is not None:
                continue
            depends = self._find_open(each, asked, given, unanswered)
            if depends == []:
                rule = each
                break
            if depends:
                undecided.append((each, depends))
                if not {*depends} & {*each.answers}:  # it holds, for whomever
                    mild = mild or each
        possible = max(
            (Severity(each.severity) for each, _ in undecided),
            key=lambda level: level.rank,
            default=Severity.NONE,
        )
        deciding = [
            name for each, names in undecided if each.severity == possible.value for name in names
        ]
        if rule is None and possible is Severity.LOW:
            rule = mild
        position = None
        for stance in provision.positions if finding.state is CellState.FOUND else ():
            depends = self._find_open(stance, asked, given, unanswered)
            if stance.answers and depends is not None and not {*depends} & {*stance.answers}:
                position = None if depends else stance  # it depends on whose it is
                break
        is_read = finding.author is Author.PERSON
        lead = "" if finding.state is not CellState.NOT_FOUND or is_read else NOT_RECOGNISED
        decided = replace(
            finding,
            severity=Severity(rule.severity) if rule else Severity.NONE,
            possible_severity=Severity.NONE,
            open_questions=(),
            reason=" ".join(filter(None, (lead, rule.because))) if rule else "",
            recommendation=rule.recommend if rule else "",
            position=_position_match(position, given) if position else None,
        )
        reason = open_question_reason(possible, questions[deciding[0]]) if deciding else ""
        return leave_to_read(decided, possible, reason, deciding)

    def statement(self, question: RiskQuestion, value: str) -> str:
        """Return how a cell says an answer; empty where it does not."""
        return answer_statement(question, value, self._card)

    def words(self, question: RiskQuestion, value: str) -> str:
        """Return an answer in words; a party as the contract calls it."""
        if question.answer == "party":
            party = self.parties.get(fold_party(value))
            return display_name(party) if party else value
        return answer_words(question, value)

    def _find_open(
        self,
        conditions: SeverityRule | Position,
        asked: Mapping[str, RiskQuestion],
        given: Mapping[str, RiskAnswer],
        unanswered: Container[str],
    ) -> list[str] | None:
        """Return the questions on which it depends whether conditions hold; None if they do not."""
        depends = []
        parties = [(conditions.burdens, "theirs")]
        acting = given.get(conditions.favours)
        # Of a burden with a known bearer it need not be known whom it favours.
        if not conditions.burdens or (acting and self._whose(acting.value) == "ours"):
            parties.append((conditions.favours, "ours"))
        for name, wanted in conditions.answers.items():
            if name in given and given[name].value in wanted:
                parties.append((asked[name].whose if name in asked else "", "theirs"))
            elif name not in given and name in unanswered:
                depends.append(name)
            else:
                return None
        for name, passed_over in parties:
            if name not in given:
                if name in unanswered and (self._side.names or not conditions.answers):
                    depends.append(name)
                continue
            whose = self._whose(given[name].value)
            if whose == passed_over:
                return None
            if not whose:
                depends.append(name)
        return depends

    def _whose(self, party: str) -> Literal["ours", "theirs", "each", ""]:
        """Return to which side what an answer names belongs; empty if that is not known."""
        if party == EACH_PARTY or not self._side.names:
            return "each"
        known = self.parties.get(fold_party(party))
        return self._side.whose(known) if known else ""


class RiskAssessor:
    """Answers for the findings of one document; made once for all its cells."""

    def __init__(
        self,
        reading: Contract,
        side: Side = UNKNOWN_SIDE,
        reader: VerdictReader | None = None,
    ) -> None:
        self._reading = reading
        self._text = reading.text
        self._reader = reader or default_verdict_reader()
        self._marker = ClauseMarker(reading)
        self._conclusion = RiskConclusion(reading.card, side)

    def assess(self, finding: Finding, provision: Provision) -> Finding:
        """Return a finding with answers, severity, recommendation and position."""
        answers: tuple[RiskAnswer, ...] = ()
        if finding.state is CellState.FOUND:
            is_read = self._reader.is_known(provision.id)
            readings = list(self._readings(finding, provision)) if is_read else []
            answers = tuple(self._add_owners(provision, [*self._answers(provision, readings)]))
        return self._conclusion.conclude(replace(finding, answers=answers), provision)

    def _answers(self, provision: Provision, readings: Sequence[_Reading]) -> Iterator[RiskAnswer]:
        for question in applicable_questions(provision, self._reading.card):
            answer = (
                self._from_value(question)
                if question.card_value
                else self._from_card(provision, question) or self._answer(question, readings)
            )
            yield replace(answer, id=question.id)

    def _add_owners(
        self, provision: Provision, answers: Sequence[RiskAnswer]
    ) -> Iterator[RiskAnswer]:
        """Answer whose a right or exception is by the party with which all its sentences begin."""
        questions = {each.id: each for each in provision.questions}
        owners = {
            question.whose: self._find_owner(each)
            for each in answers
            if each.value and (question := questions[each.id]).whose
        }
        for each in answers:
            owner, quotes = owners.get(each.id, ("", ()))
            if each.value or not owner:
                yield each
                continue
            asked = questions[each.id]
            yield replace(
                each,
                answer=self._conclusion.words(asked, owner),
                value=owner,
                statement=self._conclusion.statement(asked, owner),
                quotes=quotes,
            )

    def _find_owner(self, answer: RiskAnswer) -> tuple[str, tuple[Quote, ...]]:
        found = {
            self._marker.first_party(unit.span, self._conclusion.parties)
            for quote in answer.quotes
            for unit in self._reading.sentences
            if quote.span is not None and unit.span.overlaps(quote.span)
        }
        return (found.pop() if len(found) == 1 else "", answer.quotes)

    def _readings(self, finding: Finding, provision: Provision) -> Iterator[_Reading]:
        for each in finding.evidence:
            if each.quote.span is None:
                continue
            found = self._marker.mark(each.quote.span)
            yield _Reading(each, self._reader.read(provision.id, found.marked), found.leads)

    def _answer(self, question: RiskQuestion, readings: Iterable[_Reading]) -> RiskAnswer:
        """Return what the quotes assert; nothing where they assert nothing, or may differ."""
        stated = [
            (verdict, each)
            for each in readings
            if (verdict := each.verdicts.get(question.id)) is not None and verdict.says
        ]
        asserted = [(verdict, each) for verdict, each in stated if verdict.is_asserted]
        unanswered = RiskAnswer(question.question, "")
        if not asserted:
            return unanswered
        values = {
            self._value(question, verdict)
            for verdict, _ in stated
            if verdict.is_asserted or verdict.probability >= DOUBT
        }
        if len(values) > 1:
            return replace(unanswered, reason="the clauses found say different things")
        best, _ = max(asserted, key=lambda each: each[0].probability)
        value = next(iter(values))
        quotes = [
            quote
            for verdict, each in asserted
            for quote in (*map(self._quote, each.leads), self._telling_quote(verdict, each))
        ]
        words = " ".join(dict.fromkeys(each.words for each in quotes))
        if is_contrary(question, value, words):
            return replace(unanswered, reason="the words may say the contrary")
        if _RIGHT.match(question.says) and self._has_two_holders(quotes):
            return replace(unanswered, reason="the words give such a right to more than one party")
        return RiskAnswer(
            question.question,
            self._conclusion.words(question, value),
            value=value,
            statement=self._conclusion.statement(question, value),
            confidence=round(best.probability, 4),
            quotes=tuple(dict.fromkeys(quotes))[:MOST_QUOTES],
        )

    def _has_two_holders(self, quotes: Iterable[Quote]) -> bool:
        """Return whether a sentence says of two parties in turn what they may do."""
        spans = [each.span for each in quotes if each.span is not None]
        sentences = (unit.span for unit in self._reading.sentences)
        return any(
            len(self._marker.entitled(sentence, self._conclusion.parties)) > 1
            for sentence in sentences
            if any(sentence.overlaps(span) for span in spans)
        )

    def _value(self, question: RiskQuestion, verdict: Verdict) -> str:
        if question.answer == "duration" and verdict.spans:
            return _period_value(verdict.value, verdict.spans[0], self._text)
        if question.answer != "party":
            return verdict.value
        party = self._conclusion.parties.get(verdict.value)
        if verdict.value == EACH_PARTY or party is None:
            return verdict.words_in(self._text)
        return party_value(party)

    def _telling_quote(self, verdict: Verdict, reading: _Reading) -> Quote:
        """Return the sentence of a quote that carries an answer; else the quote."""
        quote = reading.quote.quote
        assert quote.span is not None  # noqa: S101
        for unit in self._reading.sentences:
            within = unit.span.intersection(quote.span)
            if within and any(within.contains(span) for span in verdict.spans):
                return self._quote(within)
        return quote

    def _from_value(self, question: RiskQuestion) -> RiskAnswer:
        """Answer by a value that the card is sure of; a date is no answer to a period."""
        is_value = _VALUE[question.answer]
        value = next(
            (
                each
                for each in self._reading.card.values
                if each.kind == question.card_value and each.asserted and is_value(each.text)
            ),
            None,
        )
        if value is None:
            return RiskAnswer(question.question, "")
        return RiskAnswer(
            question.question,
            answer_words(question, value.text),
            value=value.text,
            statement=self._conclusion.statement(question, value.text),
            confidence=value.confidence,
            quotes=(self._quote(value.span),),
        )

    def _from_card(self, provision: Provision, question: RiskQuestion) -> RiskAnswer | None:
        """Answer by the contract card where the provision is a fact that it has."""
        card, field = self._reading.card, provision.card
        places = card_facts(card, field)
        if field is None or not places or question.answer != CARD_ANSWERS.get(field):
            return None
        if question.answer == "date":
            fact = {
                CardField.AGREEMENT_DATE: card.agreement_date,
                CardField.EFFECTIVE_DATE: card.effective_date,
                CardField.EXPIRY_DATE: card.expiry_date,
            }[field]
            value = fact.value.isoformat() if fact else ""
        elif question.answer == "text":
            named_by = card.governing_law if field is CardField.GOVERNING_LAW else card.title
            value = named_by.value if named_by else ""
        else:
            value = "; ".join(display_name(party.value) for party in card.parties)
        return RiskAnswer(
            question.question,
            value,
            value=value,
            statement=self._conclusion.statement(question, value),
            quotes=tuple(self._quote(span) for span, _ in places[:MOST_QUOTES]),
        )

    def _quote(self, span: Span) -> Quote:
        return self._reading.quote(span)


def applicable_questions(provision: Provision, card: Card) -> list[RiskQuestion]:
    """Return the risk questions of a provision that are asked of such a contract."""
    return [each for each in provision.questions if applies_to_type(each.applies_to, card)]


def _period_value(period: str, span: Span, text: str) -> str:
    """Return a period in ISO 8601; of business days, which that has not, as it is written."""
    written = next(find_durations(text, span), None)
    return written.text if written and written.is_business else period


def _position_match(position: Position, given: Mapping[str, RiskAnswer]) -> PositionMatch:
    quotes = [quote for asked in position.answers for quote in given[asked].quotes]
    return PositionMatch(
        position.kind, position.text, position.recommend, tuple(dict.fromkeys(quotes))[:MOST_QUOTES]
    )


def _parties_by_name(parties: Iterable[Party]) -> dict[str, Party]:
    """Return the parties by their folded names; a name that two share names neither."""
    named: dict[str, list[Party]] = {}
    for party in parties:
        for name in {fold_party(each) for each in (party.name, party.short, party.role) if each}:
            named.setdefault(name, []).append(party)
    return {name: own[0] for name, own in named.items() if len(own) == 1}
