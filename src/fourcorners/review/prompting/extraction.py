"""Ask a language model for the passages of one provision in one contract, and its risks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from pydantic import BaseModel

from fourcorners.errors import LlmError
from fourcorners.library.contract import Contract
from fourcorners.llm import PromptRequest, QuotedText, Reply, Value
from fourcorners.outline.tree import NodeKind, ReferenceKind
from fourcorners.playbooks.playbook import AnswerKind, Provision, RiskQuestion
from fourcorners.review.finding import CANNOT_TELL, Author, Finding, RiskAnswer, Severity
from fourcorners.review.prompting.dialogue import (
    Dialogue,
    ExtractionAnswer,
    FollowUpAnswer,
    Passage,
    ProposalAnswer,
    ProposalVerdict,
    Question,
    RequoteAnswer,
    RiskAnswerClaim,
    RiskAnswersClaim,
    align_claim,
    ask_question,
    merge_quotes,
)
from fourcorners.review.prompting.passages import PromptPassage, query_keywords
from fourcorners.review.prompting.settings import PromptProfile, PromptSettings
from fourcorners.review.risk.answers import answer_statement, read_answer
from fourcorners.review.risk.assessment import applicable_questions
from fourcorners.text import evidence
from fourcorners.text.quote import Quote
from fourcorners.text.span import Span, merge_spans

_SHOWN = 160  # characters of a passage by which a follow-up names it


@dataclass(frozen=True, slots=True)
class CellPrompt:
    """What one dialogue is about.

    Attributes:
        passages: The passages, in the order in which they are given.
        finds: Finds of the local reader; empty if the model is not asked to judge any.
        considered: The reader's next candidates; a find only if the model says so.
        tag: What the ledger calls the questions.
    """

    text: str = field(repr=False)
    provision: Provision
    passages: tuple[PromptPassage, ...]
    finds: tuple[Span, ...] = ()
    considered: tuple[Span, ...] = ()
    tag: str = ""

    @property
    def spans(self) -> list[Span]:
        return [each.span for each in self.passages]

    @property
    def proposals(self) -> tuple[Span, ...]:
        """Return what the model is asked to judge, in the order of its numbers."""
        return (*self.finds, *self.considered)


@dataclass(frozen=True, slots=True)
class ExtractionResult:
    """The result of a dialogue.

    Attributes:
        claims: Words attributed to the contract that are not in it, after a second request.
    """

    quotes: tuple[Quote, ...]
    claims: tuple[str, ...] = ()


def first_question(cell: CellPrompt, asking: PromptSettings) -> Question:
    provision = cell.provision
    values: dict[str, Value] = {
        "provision": provision.name,
        "definition": " ".join(provision.definition.split()),
        "instructions": " ".join(provision.instructions.split()),
        "keywords": query_keywords(provision.query) if asking.keywords else [],
        "excerpts": [
            QuotedText(each.span.text_in(cell.text), each.label) for each in cell.passages
        ],
    }
    if asking.profile is PromptProfile.PAPER:
        return PromptRequest("extract", values, ExtractionAnswer, tag=cell.tag)
    proposed = [span.text_in(cell.text) for span in cell.proposals]
    values["proposals"] = [*_numbered(proposed, "proposal")]
    return PromptRequest("weigh", values, ProposalAnswer, tag=cell.tag)


def _numbered(listed: Iterable[str], called: str) -> list[dict[str, Value]]:
    return [
        {"number": number, "words": QuotedText(words, f"{called} {number}")}
        for number, words in enumerate(listed, start=1)
    ]


def extract_passages(cell: CellPrompt, asking: PromptSettings) -> Dialogue[ExtractionResult]:
    """Ask for the passages of a cell.

    Raises:
        FourcornersError: If there is no answer that can be used.
    """
    first = first_question(cell, asking)
    drawn_quotes: list[Quote] = []
    if asking.profile is PromptProfile.PAPER:
        answer, reply = yield from ask_question(first, ExtractionAnswer)
        passages = answer.passages
    else:
        weighed, reply = yield from ask_question(first, ProposalAnswer)
        passages = weighed.added
        drawn_quotes = [
            evidence.quote_span(cell.text, span)
            for span in _accepted_proposals(cell, weighed.verdicts)
        ]
    drawn, reply = yield from _align_passages(cell, passages, reply)
    drawn = replace(drawn, quotes=merge_quotes((*drawn_quotes, *drawn.quotes), cell.text))
    if not asking.follow_up:
        return drawn
    return (yield from _followed_up(cell, asking, drawn, reply))


def _accepted_proposals(cell: CellPrompt, verdicts: Sequence[ProposalVerdict]) -> list[Span]:
    """Return the accepted proposals; the reader's finds are accepted unless rejected."""
    belongs = {each.proposal for each in verdicts if each.belongs}
    rejected = {each.proposal for each in verdicts if not each.belongs}
    return [
        span
        for number, span in enumerate(cell.proposals, start=1)
        if number not in rejected and (number in belongs or number <= len(cell.finds))
    ]


def _followed_up(
    cell: CellPrompt,
    asking: PromptSettings,
    drawn: ExtractionResult,
    reply: Reply[BaseModel],
) -> Dialogue[ExtractionResult]:
    values: dict[str, Value] = {
        "provision": cell.provision.name,
        "keywords": query_keywords(cell.provision.query) if asking.keywords else [],
        "given": [*_numbered([quote.words[:_SHOWN] for quote in drawn.quotes], "passage")],
    }
    question: Question = PromptRequest(
        "follow_up", values, FollowUpAnswer, after=reply, tag=cell.tag
    )
    answer, again = yield from ask_question(question, FollowUpAnswer)
    more, _ = yield from _align_passages(cell, answer.missed, again)
    wrong = set(answer.wrong)
    left = [quote for number, quote in enumerate(drawn.quotes, start=1) if number not in wrong]
    return replace(
        drawn,
        quotes=merge_quotes((*left, *more.quotes), cell.text),
        claims=tuple(dict.fromkeys((*drawn.claims, *more.claims))),
    )


def _align_passages(
    cell: CellPrompt, passages: Sequence[Passage], reply: Reply[BaseModel]
) -> Dialogue[tuple[ExtractionResult, Reply[BaseModel]]]:
    """Align what a model quoted with the contract; ask once about quotes that are not found.

    What is still not found is a claim. Also returns the reply that a further question can follow.
    """
    placed = [
        found for each in passages if (found := align_claim(each.words, cell.text, cell.spans))
    ]
    quotes = [quote for each in placed for quote in each.quotes]
    wrong = [each for each in placed if not each.quotes]
    if not wrong:
        return ExtractionResult(tuple(quotes)), reply
    values: list[Value] = [
        {"problem": each.problem, **listed}
        for each, listed in zip(
            wrong, _numbered([each.claim for each in wrong], "your quotation"), strict=True
        )
    ]
    question: Question = PromptRequest(
        "requote",
        {"wrong": values},
        RequoteAnswer,
        role=reply.role,
        after=reply,
        tag=cell.tag,
    )
    try:
        answer, again = yield from ask_question(question, RequoteAnswer)
    except LlmError:
        # An unusable second answer changes nothing: the claims stay claims.
        return ExtractionResult(tuple(quotes), tuple(each.claim for each in wrong)), reply
    aligned = {
        each.number: align_claim(each.words, cell.text, cell.spans) for each in answer.passages
    }
    claims = []
    for number, each in enumerate(wrong, start=1):
        second = aligned.get(number)
        if second is not None and second.quotes:
            quotes += second.quotes
        else:
            claims.append(each.claim)
    return ExtractionResult(tuple(quotes), tuple(dict.fromkeys(claims))), again


_FORMS: dict[AnswerKind, str] = {
    "yes_no": "yes or no",
    "date": "a date as 2025-12-31",
    "amount": "an amount with its currency",
    "duration": "a duration",
    "party": "a party, as the contract calls it",
    "text": "a few words",
    "one_of": "the id of one of its options",
}
_MOST_REFERRED = 6  # clauses referred to that a model is shown
_UNSURE = {"", "cannot tell", "cannot tell from the document", "unknown", "unclear", "n/a"}
_UNSUPPORTED = "the words it gave for this are not in the contract"


class ModelAssessment(NamedTuple):
    """What the model said of a finding; `severity` is None if it was not asked for.

    `claims` are the sources that it gave and that are not in the contract.
    """

    answers: tuple[RiskAnswer, ...]
    claims: tuple[str, ...]
    severity: Severity | None
    because: str


def risk_question(
    finding: Finding, provision: Provision, linked: Contract, exemplars: Sequence[Value], tag: str
) -> tuple[Question, list[PromptPassage]] | None:
    """Return what to ask of a finding, with the clauses given; None if there is nothing to ask.

    `exemplars` are clauses of other contracts with their answers, as `AnsweredClauses` has them.
    """
    asked = applicable_questions(provision, linked.card)
    if not asked and provision.severity:
        return None
    text = linked.text
    clauses = _finding_clauses(finding, linked)
    values: dict[str, Value] = {
        "provision": provision.name,
        "questions": [
            {
                "id": each.id,
                "form": _FORMS[each.answer],
                "question": each.question,
                "guidance": each.guidance,
                "options": [
                    {"id": key, "means": words or key} for key, words in each.options.items()
                ]
                if each.answer == "one_of"
                else [],
            }
            for each in asked
        ],
        "weigh": not provision.severity,
        "found": [
            QuotedText(each.quote.words, f"passage {at}")
            for at, each in enumerate(finding.evidence, start=1)
        ],
        "clauses": [QuotedText(each.span.text_in(text), each.label) for each in clauses],
        "exemplars": exemplars,
    }
    return PromptRequest("risks", values, RiskAnswersClaim, tag=tag), clauses


def _finding_clauses(finding: Finding, linked: Contract) -> list[PromptPassage]:
    """Return the clauses that hold what was found, and what they refer to."""
    quoted = [each.quote.span for each in finding.evidence if each.quote.span]
    own = merge_spans([*quoted, *(each.clause for each in finding.evidence)])
    given = [PromptPassage(span, f"clause {at}") for at, span in enumerate(own, start=1)]
    referred = dict.fromkeys([*_definitions(linked, quoted), *_cited_spans(linked, own)])
    outside = [span for span in referred if not any(each.contains(span) for each in own)]
    return given + [
        PromptPassage(span, f"what they refer to, {at}")
        for at, span in enumerate(outside[:_MOST_REFERRED], start=1)
    ]


def _definitions(linked: Contract, quoted: Iterable[Span]) -> list[Span]:
    used = {
        term.term: (times, linked.definition(term))
        for span in quoted
        for term, times in linked.uses(span.text_in(linked.text))
    }
    return [span for _, span in sorted(used.values()) if span][: _MOST_REFERRED // 2]


def _cited_spans(linked: Contract, own: Iterable[Span]) -> list[Span]:
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
    finding: Finding, provision: Provision, linked: Contract, exemplars: Sequence[Value], tag: str
) -> Dialogue[ModelAssessment | None]:
    """Ask the risk questions of a finding; None if there are none.

    Raises:
        FourcornersError: If there is no usable answer.
    """
    asked = risk_question(finding, provision, linked, exemplars, tag)
    if asked is None:
        return None
    question, clauses = asked
    claims, reply = yield from ask_question(question, RiskAnswersClaim)
    cell = CellPrompt(linked.text, provision, tuple(clauses), tag=tag)
    known = {each.id: each for each in claims.answers}
    answers: list[RiskAnswer] = []
    unsupported: list[str] = []
    for one in applicable_questions(provision, linked.card):
        answer, missing, reply = yield from _answer(cell, one, known.get(one.id), reply)
        unsupported += missing
        if not answer.is_open:
            value = read_answer(one, answer.answer, linked.card)
            answer = replace(
                answer,
                value=value,
                statement=answer_statement(one, value, linked.card) if value else "",
            )
        answers.append(answer)
    level = Severity(claims.severity) if claims.severity and not provision.severity else None
    because = " ".join(claims.because.split())
    return ModelAssessment(tuple(answers), tuple(dict.fromkeys(unsupported)), level, because)


def _answer(
    cell: CellPrompt, question: RiskQuestion, claim: RiskAnswerClaim | None, reply: Reply[BaseModel]
) -> Dialogue[tuple[RiskAnswer, tuple[str, ...], Reply[BaseModel]]]:
    answer = RiskAnswer(
        question.question,
        CANNOT_TELL,
        "the model said nothing of it",
        id=question.id,
        author=Author.MODEL,
    )
    if claim is None:
        return answer, (), reply
    quotes, claims, reply = yield from _quoted(cell, claim.source, reply)
    against, others, reply = yield from _quoted(cell, claim.against_source, reply)
    reason = _line(claim.reasoning)
    if claims:
        reason = f"{reason} ({_UNSUPPORTED})" if reason else _UNSUPPORTED
    answer = replace(
        answer,
        answer=_answer_line(question, claim.answer),
        reason=reason,
        party=_line(claim.party),
        quotes=quotes,
        against=_line(claim.against) if against else "",
        against_quotes=against,
    )
    return answer, (*claims, *others), reply


def _quoted(
    cell: CellPrompt, words: Sequence[str], reply: Reply[BaseModel]
) -> Dialogue[tuple[tuple[Quote, ...], tuple[str, ...], Reply[BaseModel]]]:
    claimed = [Passage(words=each) for each in words]
    if not any(align_claim(each.words, cell.text, cell.spans) for each in claimed):
        return (), (), reply
    drawn, reply = yield from _align_passages(cell, claimed, reply)
    return drawn.quotes, drawn.claims, reply


def _answer_line(question: RiskQuestion, answer: str) -> str:
    line = _line(answer)
    plain = line.casefold().rstrip(".")
    if plain in _UNSURE:
        return CANNOT_TELL
    if question.answer == "yes_no":
        first = plain.split()[0].strip(",;:-–—")
        return {"yes": "Yes", "no": "No"}.get(first, CANNOT_TELL)
    return line


def _line(words: str) -> str:
    return " ".join(words.split())
