"""The interrogator: has looked up what a report needs, and writes it, until an answer stands.

Each turn is a question, what the researcher finds, and a draft that names the next question, too
(PAKTON, sections 3.2 and E.2). The model's words are claims: the program checks each draft before
anyone sees it (`report_check`), and returns what fails once, with the reason. The work ends when a
draft is confident, the turns are used, nothing new is asked, the budget would be passed, or a model
fails; what was not done is said.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import replace

from fourcorners.errors import BudgetExceeded, LlmError
from fourcorners.llm import Port, QuotedText, Reply
from fourcorners.llm.prompt import Value
from fourcorners.research.agents.archivist import describe_tools, quote_headings
from fourcorners.research.agents.meter import Meter
from fourcorners.research.agents.report_check import CheckedReport, Claims, ReportCheck
from fourcorners.research.agents.researcher import Researcher
from fourcorners.research.agents.schemas import Correction, DraftReport, ToolCall, with_tools
from fourcorners.research.agents.sentence_list import SentenceList
from fourcorners.research.answer import Answer, Draft, Gap, Verdict, Verification, draft_of
from fourcorners.research.context import ResearchContext
from fourcorners.research.events import DraftEvent, Event, GapEvent
from fourcorners.research.question import split_question
from fourcorners.search.stems import stems

_LONGEST = 600  # characters of a question to the researcher
_HEADINGS = 500  # characters of a contract's headings, which the archivist has seen whole


class Interrogator:
    def __init__(
        self, context: ResearchContext, port: Port, researcher: Researcher, *, turns: int
    ) -> None:
        self._context, self._port, self._researcher = context, port, researcher
        self._turns = turns
        self._sentences = SentenceList(context)
        self._checker = ReportCheck(context, self._sentences)
        self._form = with_tools(DraftReport, [each.name for each in researcher.tools])
        self._known: set[str] = set()

    def inquire(self, meter: Meter, looks: Sequence[ToolCall]) -> Generator[Event, None, Answer]:
        """Run the turns; the generator returns the report, without its record."""
        self._sentences.add_contracts()
        asked = meter.started.question
        questions: list[str] = []
        failed: list[str] = []
        drafts: list[Draft] = []
        claims: Claims | None = None
        checked: CheckedReport | None = None
        stopped = ""
        try:
            while True:
                meter.turn = turn = len(questions) + 1
                questions.append(asked)
                found = yield from self._researcher.research(meter, asked, looks, self._sentences)
                failed += found.failed
                before = ""
                if claims and checked:
                    before = _describe_claims(claims, checked)
                    self._known |= {each.text for each in checked.problems}
                values = draft_values(
                    self._context,
                    meter.started,
                    self._researcher,
                    self._sentences,
                    asked,
                    before=before,
                    response=found.response,
                    is_last=turn >= self._turns,
                )
                reply = yield from meter.ask(self._port, "draft", values, self._form)
                draft = reply.value
                claims = (
                    claims.with_correction(draft)
                    if claims
                    else Claims({each.number: each for each in draft.findings}, draft.answer)
                )
                checked = self._checker.check(meter.started, claims, draft)
                asked = " ".join(draft.next_question.split())[:_LONGEST]
                looks = draft.looks
                ends = (
                    turn >= self._turns
                    or (draft.confident and checked.answer.answer.ruling is not Verdict.UNSURE)
                    or _sense(asked) in {frozenset(), *map(_sense, questions)}
                )
                if ends:
                    claims, checked, stopped = yield from self._mend(
                        meter, reply, claims, checked, draft
                    )
                report = self._add_gaps(checked.answer, failed)
                drafts.append(
                    draft_of(report, turn, questions[-1], (each.tool for each in found.materials))
                )
                yield DraftEvent(drafts[-1])
                for gap in report.gaps:
                    yield GapEvent(turn, gap)
                if ends:
                    break
        except (LlmError, BudgetExceeded) as error:
            stopped = f"in turn {meter.turn}: {error.message}"
        meter.turn = 0
        if checked is None:
            parts = split_question(meter.started.question)
            gaps = tuple(Gap("Nothing was found out about it.", part.text) for part in parts)
            return replace(meter.started, stopped=stopped, gaps=gaps)
        report = self._add_gaps(checked.answer, failed)
        return replace(report, stopped=stopped, drafts=tuple(drafts))

    def _mend(
        self,
        meter: Meter,
        reply: Reply[DraftReport],
        claims: Claims,
        checked: CheckedReport,
        draft: DraftReport,
    ) -> Generator[Event, None, tuple[Claims, CheckedReport, str]]:
        """Return what failed to the model once; what fails again stays, and is marked."""
        problems = [each for each in checked.problems if each.text not in self._known]
        if not problems:
            return claims, checked, ""
        listed = "\n".join(f"{each.name}: {each.text} ({each.reason})" for each in problems)
        values: dict[str, Value] = {"problems": [QuotedText(listed, "what failed")]}
        try:
            correction = yield from meter.ask(self._port, "mend", values, Correction, after=reply)
        except (LlmError, BudgetExceeded) as error:
            return claims, checked, f"in turn {meter.turn}: {error.message}"
        corrected = claims.with_correction(correction.value)
        return corrected, self._checker.check(meter.started, corrected, draft), ""

    def _add_gaps(self, report: Answer, failed: Sequence[str]) -> Answer:
        found = [Gap(f"Not looked up: {each}") for each in dict.fromkeys(failed)]
        found += [
            Gap(f"Words that are addressed to a machine were not used as a source: {each}.")
            for each in self._sentences.left_out
        ]
        return replace(report, gaps=(*report.gaps, *found))


def draft_values(
    context: ResearchContext,
    started: Answer,
    researcher: Researcher,
    sentences: SentenceList,
    asked: str,
    *,
    before: str = "",
    response: str = "",
    is_last: bool = False,
) -> dict[str, Value]:
    """Return what the prompt of a draft is filled with; what stays the same comes first."""
    is_known = is_last or sentences.is_whole
    headings = [] if is_known else quote_headings(context, started.question, longest=_HEADINGS)
    is_outside = any(each.source.is_outside for each in sentences)
    return {
        "sentences": sentences.blocks,
        "headings": headings,
        "draft": [QuotedText(before, "the report so far")] if before else [],
        "response": [QuotedText(response, "what the researcher says")] if response else [],
        "question": started.question,
        "parts": [part.text for part in split_question(started.question)],
        "context": started.context,
        "instructions": started.instructions,
        "assumptions": list(started.assumptions),
        "asked": asked,
        "looked": list(researcher.searched),
        "tools": [] if is_last else describe_tools(researcher.tools),
        "has_outside": is_outside,
        "is_last": is_last,
        "is_whole": sentences.is_whole,
    }


def _sense(question: str) -> frozenset[str]:
    return frozenset(stems(question))


def _describe_claims(claims: Claims, checked: CheckedReport) -> str:
    """Return a draft as the next turn reads it, with what failed a check."""
    reasons = {each.text: each.reason for each in checked.problems}
    lines = []
    for number, claim in claims.findings.items():
        statement = checked.findings[number]
        failed = statement.standing is Verification.UNVERIFIED
        mark = f" FAILED: {statement.problem}" if failed else ""
        lines.append(f"F{number} {claim.statement} {claim.sentences}{mark}")
    claimed = claims.answer
    lines.append(f"Answer so far: {claimed.ruling} ({claimed.confidence:.0%})")
    for each in (*claimed.sentences, *claimed.conditions, *claimed.readings):
        mark = f" FAILED: {reasons[each.text]}" if each.text in reasons else ""
        lines.append(f"- {each.text} {each.findings}{mark}")
    return "\n".join(lines)
