"""Asking a language model the risk questions of what was found."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

from pydantic import BaseModel

from fourcorners.llm import PromptRequest, QuotedText, Reply, Value
from fourcorners.outline.card.card import Card
from fourcorners.outline.tree import NodeKind, ReferenceKind
from fourcorners.playbooks.playbook import AnswerKind, Provision, RiskQuestion
from fourcorners.review.applicability import applies_to_type
from fourcorners.review.finding import Author, Finding, RiskAnswer, Severity
from fourcorners.review.prompting.alignment import align_claim
from fourcorners.review.prompting.dialogue import Dialogue, Question, ask_question
from fourcorners.review.prompting.extraction import CellPrompt, align_passages
from fourcorners.review.prompting.passages import PromptPassage
from fourcorners.review.prompting.schemas import Passage, RiskAnswerClaim, RiskAnswersClaim
from fourcorners.review.risk.assessment import CANNOT_TELL
from fourcorners.search.graph.contract import Contract as Linked
from fourcorners.text.quote import Quote
from fourcorners.text.span import Span, merge_spans

_FORMS: dict[AnswerKind, str] = {
    "yes_no": "yes or no",
    "date": "a date as 2025-12-31",
    "amount": "an amount with its currency",
    "duration": "a duration",
    "party": "a party, as the contract calls it",
    "text": "a few words",
}
_MOST_REFERRED = 6  # clauses referred to that a model is shown
_UNSURE = {"", "cannot tell", "cannot tell from the document", "unknown", "unclear", "n/a"}
_UNSUPPORTED = "the words it gave for this are not in the contract"


class ModelAssessment(NamedTuple):
    """What the model said of a finding; `severity` is None where it was not to weigh it."""

    answers: tuple[RiskAnswer, ...]
    severity: Severity | None
    because: str


def applicable_questions(provision: Provision, card: Card) -> list[RiskQuestion]:
    """Return the questions that are asked of such a contract."""
    return [each for each in provision.questions if applies_to_type(each.applies_to, card)]


def risk_question(
    finding: Finding, provision: Provision, linked: Linked, tag: str = ""
) -> tuple[Question, list[PromptPassage]] | None:
    """Return what to ask of a finding, with the clauses given; None if there is nothing to ask."""
    asked = applicable_questions(provision, linked.card)
    if not asked and provision.severity:
        return None
    text = linked.text
    clauses = finding_clauses(finding, linked)
    values: dict[str, Value] = {
        "provision": provision.name,
        "questions": [
            {
                "id": each.id,
                "form": _FORMS[each.answer],
                "question": each.question,
                "guidance": each.guidance,
            }
            for each in asked
        ],
        "weigh": not provision.severity,
        "found": [
            QuotedText(each.quote.words, f"passage {at}")
            for at, each in enumerate(finding.evidence, start=1)
        ],
        "clauses": [QuotedText(each.span.text_in(text), each.label) for each in clauses],
    }
    return PromptRequest("risks", values, RiskAnswersClaim, tag=tag), clauses


def finding_clauses(finding: Finding, linked: Linked) -> list[PromptPassage]:
    """Return the clauses that hold what was found, and what they refer to."""
    quoted = [each.quote.span for each in finding.evidence if each.quote.span]
    own = merge_spans([*quoted, *(each.clause for each in finding.evidence)])
    given = [PromptPassage(span, f"clause {at}") for at, span in enumerate(own, start=1)]
    referred = dict.fromkeys([*_definitions(linked, quoted), *_cited(linked, own)])
    outside = [span for span in referred if not any(each.contains(span) for each in own)]
    return given + [
        PromptPassage(span, f"what they refer to, {at}")
        for at, span in enumerate(outside[:_MOST_REFERRED], start=1)
    ]


def _definitions(linked: Linked, quoted: Iterable[Span]) -> list[Span]:
    used = {
        term.term: (times, linked.definition(term))
        for span in quoted
        for term, times in linked.uses(span.text_in(linked.text))
    }
    return [span for _, span in sorted(used.values()) if span][: _MOST_REFERRED // 2]


def _cited(linked: Linked, own: Iterable[Span]) -> list[Span]:
    return [
        linked.opening(node.span)
        for span in own
        for reference, node in linked.references_from(span)
        if reference.kind is ReferenceKind.NUMBERED
        and node.label
        and node.kind is not NodeKind.TITLE
        and 2 * len(node.span) <= len(linked.text)
        and not node.span.contains(reference.span)
    ]


def assess_risks(
    finding: Finding, provision: Provision, linked: Linked, tag: str = ""
) -> Dialogue[ModelAssessment | None]:
    """Ask the risk questions of a finding; None if there are none.

    Raises:
        FourcornersError: If there is no answer that can be used.
    """
    asked = risk_question(finding, provision, linked, tag)
    if asked is None:
        return None
    question, clauses = asked
    said, reply = yield from ask_question(question, RiskAnswersClaim)
    cell = CellPrompt(linked.text, provision, tuple(clauses), tag=tag)
    known = {each.id: each for each in said.answers}
    answers = []
    for one in applicable_questions(provision, linked.card):
        answer, reply = yield from _answer(cell, one, known.get(one.id), reply)
        answers.append(answer)
    level = Severity(said.severity) if said.severity and not provision.severity else None
    return ModelAssessment(tuple(answers), level, " ".join(said.because.split()))


def _answer(
    cell: CellPrompt, question: RiskQuestion, told: RiskAnswerClaim | None, reply: Reply[BaseModel]
) -> Dialogue[tuple[RiskAnswer, Reply[BaseModel]]]:
    answer = RiskAnswer(
        question.question,
        CANNOT_TELL,
        "the model said nothing of it",
        id=question.id,
        author=Author.MODEL,
    )
    if told is None:
        return answer, reply
    quotes, claims, reply = yield from _quoted(cell, told.source, reply)
    against, _, reply = yield from _quoted(cell, told.against_source, reply)
    reason = _line(told.reasoning)
    if claims:
        reason = f"{reason} ({_UNSUPPORTED})" if reason else _UNSUPPORTED
    answer = replace(
        answer,
        answer=_said(question, told.answer),
        reason=reason,
        party=_line(told.party),
        quotes=quotes,
        against=_line(told.against) if against else "",
        against_quotes=against,
    )
    return answer, reply


def _quoted(
    cell: CellPrompt, words: Sequence[str], reply: Reply[BaseModel]
) -> Dialogue[tuple[tuple[Quote, ...], tuple[str, ...], Reply[BaseModel]]]:
    claimed = [Passage(words=each) for each in words]
    if not any(align_claim(each.words, cell.text, cell.spans) for each in claimed):
        return (), (), reply
    drawn, reply = yield from align_passages(cell, claimed, reply, 0)
    return drawn.quotes, drawn.claims, reply


def _said(question: RiskQuestion, answer: str) -> str:
    """Return an answer as it is shown."""
    told = _line(answer)
    plain = told.casefold().rstrip(".")
    if plain in _UNSURE:
        return CANNOT_TELL
    if question.answer == "yes_no":
        first = plain.split()[0].strip(",;:-–—")
        return {"yes": "Yes", "no": "No"}.get(first, CANNOT_TELL)
    return told


def _line(words: str) -> str:
    return " ".join(words.split())
