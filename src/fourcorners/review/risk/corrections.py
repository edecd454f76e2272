"""What people's word makes of a cell: its words, answers and severity, with all that follows.

A person's word is final. What they reject is not found: the program has nothing else to show, and
a rule that asks for what is missing holds as if it had never proposed the words. What they put in
its place is found: words of the contract are read for their answers like any that the program
finds. Their answers stand for the program's, and severity, recommendation and position are
derived again from the answers, unless they set the severity themselves.
"""

from __future__ import annotations

from dataclasses import fields, replace
from functools import cached_property

from fourcorners.library.contract import Contract
from fourcorners.library.memory import VersionedCache
from fourcorners.library.store import Library
from fourcorners.models.registry import default_verdict_reader
from fourcorners.playbooks.playbook import Playbook, Provision
from fourcorners.review.annotations import ReviewStatus, assigned_to
from fourcorners.review.evidence import evidence_at
from fourcorners.review.finding import (
    Author,
    CellState,
    Finding,
    Proposal,
    ReviewState,
    RiskAnswer,
    Severity,
)
from fourcorners.review.parties import find_sides
from fourcorners.review.risk.assessment import RiskAssessor, RiskConclusion, applicable_questions
from fourcorners.review.risk.rules import raise_by_rules
from fourcorners.text.span import Span

SILENT = "The contract does not say"


class Corrections:
    """Applies what people said to the cells of a playbook; documents are read where it needs."""

    def __init__(self, library: Library, playbook: Playbook) -> None:
        self._library, self._playbook = library, playbook
        self._documents: dict[str, _CorrectedDocument] = {}

    def apply(self, finding: Finding, status: ReviewStatus, provision: Provision) -> Finding:
        """Return a cell as people corrected it; the program's value is kept with it."""
        rejected = status.review is ReviewState.REJECTED
        if finding.state is CellState.TO_READ and status.review is ReviewState.CONFIRMED:
            rejected = True  # who confirms it has read what was set apart, and found nothing
        if not (rejected or status.value or status.answers or status.severity):
            return finding
        document = self._document(finding.document)
        place = status.place
        if place is not None and place.text_in(document.contract.full_text) != status.value:
            place = None  # the file was read again, and has these words elsewhere or no more
        cell = replace(finding, place=place)
        if rejected:
            cell = replace(_without_words(cell, CellState.NOT_FOUND), author=Author.PERSON)
        elif place is not None:
            cell = self._read(cell, document, provision, place)
        elif status.value and cell.state is not CellState.FOUND:
            asked = applicable_questions(provision, document.contract.card)
            cell = replace(
                _without_words(cell, CellState.FOUND),
                answers=tuple(RiskAnswer(each.question, "", id=each.id) for each in asked),
                author=Author.PERSON,
            )
        if status.answers and cell.state is CellState.FOUND:
            cell = _answer(cell, status, provision, document.conclusion)
        if _proposal(cell) != _proposal(finding) and (provision.severity or rejected):
            cell = raise_by_rules(document.conclusion.conclude(cell, provision), provision)
        if status.severity is not None and status.severity.severity is not None:
            level, remark = status.severity.severity, status.severity
            reason = (
                "" if assigned_to(remark.comment) else remark.comment
            )  # that is for a colleague
            cell = replace(
                cell,
                severity=level,
                possible_severity=Severity.NONE,
                open_questions=(),
                reason=reason or f"{remark.by} set the severity.",
                recommendation="" if level is Severity.NONE else cell.recommendation,
                severity_by=remark.by,
            )
        changed = _proposal(cell) != _proposal(finding)
        return replace(cell, proposed=_proposal(finding)) if changed else cell

    def _read(
        self, cell: Finding, document: _CorrectedDocument, provision: Provision, place: Span
    ) -> Finding:
        """Return a cell with the words at a place, read for their answers; kept in memory."""
        known: VersionedCache[Finding] = self._library.memory.cache("corrections")
        key = (cell.document, self._playbook.hash, provision.id, place, document.side.key)

        def read() -> Finding:
            evidence = (evidence_at(document.contract, place, 1.0),)
            found = Finding(cell.document, provision.id, CellState.FOUND, evidence)
            return document.assessor.assess(found, provision)

        version = f"{self._library.content_version} {default_verdict_reader().name}"
        found = known.get(version, key, read)
        rules = {rule.id for rule in provision.rules}  # they are of the whole contract
        rule_answers = tuple(each for each in cell.answers if each.id in rules)
        return replace(
            _without_words(cell, CellState.FOUND),
            evidence=found.evidence,
            answers=(*found.answers, *rule_answers),
            author=Author.PERSON,
        )

    def _document(self, document: str) -> _CorrectedDocument:
        if document not in self._documents:
            self._documents[document] = _CorrectedDocument(self._library, document)
        return self._documents[document]


class _CorrectedDocument:
    """A document of which people spoke, read as far as their word needs."""

    def __init__(self, library: Library, document: str) -> None:
        (self.side,) = find_sides(library, [library.entry(document)]).values()
        self.contract = Contract(library, document)

    @cached_property
    def conclusion(self) -> RiskConclusion:
        return RiskConclusion(self.contract.card, self.side)

    @cached_property
    def assessor(self) -> RiskAssessor:
        return RiskAssessor(self.contract, self.side)


def _proposal(finding: Finding) -> Proposal:
    """Return what a cell holds, as a proposal has it."""
    return Proposal(**{each.name: getattr(finding, each.name) for each in fields(Proposal)})


def _without_words(cell: Finding, state: CellState) -> Finding:
    """Return a cell in another state, without what was said of the words that it had."""
    return replace(
        cell,
        state=state,
        evidence=(),
        answers=(),
        claims=(),
        error="",
        remedy="",
        position=None,
    )


def _answer(
    cell: Finding, status: ReviewStatus, provision: Provision, conclusion: RiskConclusion
) -> Finding:
    """Return a cell with people's answers in the place of the program's."""
    asked = {each.id: each for each in provision.questions}
    given = {}
    for name, value in status.answers.items():
        if name not in asked:  # a later version of the playbook does not ask it
            continue
        question = asked[name]
        words = conclusion.words(question, value) if value else SILENT
        given[name] = RiskAnswer(
            question.question,
            words,
            id=name,
            author=Author.PERSON,
            value=value,
            statement=conclusion.statement(question, value) if value else "",
        )
    there = {each.id for each in cell.answers}
    return replace(
        cell,
        answers=(
            *(given.get(each.id, each) for each in cell.answers),
            *(each for name, each in given.items() if name not in there),
        ),
    )
