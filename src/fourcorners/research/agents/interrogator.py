"""The interrogator: asks the researcher until an answer stands, and writes a report each turn.

Each turn is a question, what the researcher finds, and a draft (PAKTON, sections 3.2 and E.2). The
model's words are claims: the program checks each draft before anyone sees it (`report_check`). The
work ends when a draft is confident, the turns are used, nothing new is asked, the budget would be
passed, or a model fails; what was not done is said.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace

from fourcorners.errors import BudgetExceeded, LlmError
from fourcorners.llm import Port, QuotedText
from fourcorners.llm.prompt import Value
from fourcorners.research.agents.contract_tools import merge_materials
from fourcorners.research.agents.meter import Meter
from fourcorners.research.agents.report_check import check_report
from fourcorners.research.agents.researcher import Researcher, ResearchResult, number_materials
from fourcorners.research.agents.schemas import DraftReport, NextQuestion
from fourcorners.research.answer import (
    Answer,
    Draft,
    Gap,
    Verdict,
    Verification,
    draft_of,
)
from fourcorners.research.context import ResearchContext
from fourcorners.research.events import DraftEvent, Event, GapEvent
from fourcorners.research.question import split_question
from fourcorners.research.tool import Material
from fourcorners.search.stems import stems
from fourcorners.text.span import Span

MAX_PASSAGES = 20
"""Pieces of material that a draft is written from: what the last one cites, and what is new."""
_LONGEST = 600  # characters of a question to the researcher


@dataclass(frozen=True, slots=True)
class Turn:
    number: int
    questions: tuple[str, ...]
    materials: tuple[Material, ...]
    checked: Answer | None = None


class Interrogator:
    def __init__(
        self, context: ResearchContext, port: Port, researcher: Researcher, *, turns: int
    ) -> None:
        self._context, self._port, self._researcher = context, port, researcher
        self._turns = turns

    def inquire(self, meter: Meter) -> Generator[Event, None, Answer]:
        """Run the turns; the generator returns the report, without its record."""
        parts = tuple(part.text for part in split_question(meter.started.question))
        turn = Turn(0, (), ())
        drafts: list[Draft] = []
        stopped = ""
        try:
            for number in range(1, self._turns + 1):
                meter.turn = number
                asked = yield from self._question(meter, turn, parts)
                if asked is None:
                    break
                found = yield from self._researcher.research(meter, asked)
                materials = self._store_materials(turn, found)
                values = draft_values(
                    meter.started,
                    asked,
                    materials,
                    before=_unsupported_summary(turn.checked) if turn.checked else "",
                    response=found.response,
                    is_last=number >= self._turns,
                )
                draft = yield from meter.ask(self._port, "draft", values, DraftReport)
                checked = self._check_draft(meter.started, draft, materials, found)
                turn = Turn(number, (*turn.questions, asked), tuple(materials), checked)
                tools = (each.tool for each in found.materials)
                drafts.append(draft_of(checked, number, asked, tools))
                yield DraftEvent(drafts[-1])
                for gap in checked.gaps:
                    yield GapEvent(number, gap)
                if draft.confident and checked.answer.ruling is not Verdict.UNSURE:
                    break
        except (LlmError, BudgetExceeded) as error:
            stopped = f"in turn {meter.turn}: {error.message}"
        meter.turn = 0
        return _report(meter.started, turn.checked, drafts, stopped, parts)

    def _question(
        self, meter: Meter, turn: Turn, parts: Sequence[str]
    ) -> Generator[Event, None, str | None]:
        """Return the next question, or None where nothing new is asked any more."""
        values = question_values(meter.started, turn, parts, self._turns)
        next_question = yield from meter.ask(self._port, "interrogate", values, NextQuestion)
        asked = " ".join(next_question.question.split())[:_LONGEST]
        candidates = [asked, *(gap.what for gap in turn.checked.gaps)] if turn.checked else [asked]
        candidates += parts
        done = {_sense(each) for each in turn.questions}
        return next((each for each in candidates if each and _sense(each) not in done), None)

    def _store_materials(self, turn: Turn, found: ResearchResult) -> list[Material]:
        """Return what the next draft is written from: what the last one cites, and what is new."""
        cited = {
            (cited.document, cited.quote.span)
            for statement in (turn.checked.findings if turn.checked else ())
            for cited in statement.quotes
            if cited.quote.span is not None
        }
        old = [each for each in turn.materials if _is_cited(each, cited)]
        rest = [each for each in turn.materials if each not in old]
        return merge_materials(merge_materials(old, found.materials), rest)[:MAX_PASSAGES]

    def _check_draft(
        self,
        started: Answer,
        draft: DraftReport,
        materials: Sequence[Material],
        found: ResearchResult,
    ) -> Answer:
        checked = check_report(self._context, started, draft, materials)
        failed = tuple(Gap(f"Not looked up: {each}") for each in found.failed)
        gaps = (*checked.gaps, *failed)
        if checked.answer.ruling is Verdict.ABSENT:
            names = ", ".join(entry.name for entry in self._context.entries) or "the whole library"
            searched = f"{names}, with the tools and words that the record lists"
            gaps = (Gap("No passage that was found speaks of it.", "", searched), *gaps)
        return replace(checked, gaps=gaps)


def question_values(
    started: Answer, turn: Turn, parts: Sequence[str], turns: int
) -> dict[str, Value]:
    draft = (
        [QuotedText(_unsupported_summary(turn.checked), "the report so far")]
        if turn.checked
        else []
    )
    return {
        "question": started.question,
        "context": started.context,
        "instructions": started.instructions,
        "parts": list(parts),
        "asked": list(turn.questions),
        "remaining": turns - turn.number,
        "draft": draft,
    }


def draft_values(
    started: Answer,
    asked: str,
    materials: Sequence[Material],
    *,
    before: str = "",
    response: str = "",
    is_last: bool = False,
) -> dict[str, Value]:
    """Return what the prompt of a draft is filled with; passages keep their numbers."""
    passages = number_materials(materials)
    inside: list[Value] = []
    outside: list[Value] = []
    for passage, each in zip(passages, materials, strict=True):
        (outside if each.is_outside else inside).append(passage)
    return {
        "question": started.question,
        "context": started.context,
        "instructions": started.instructions,
        "assumptions": list(started.assumptions),
        "asked": asked,
        "is_last": is_last,
        "materials": inside,
        "outside": outside,
        "draft": [QuotedText(before, "the report so far")] if before else [],
        "response": [QuotedText(response, "what the researcher says")] if response else [],
    }


def _sense(question: str) -> frozenset[str]:
    return frozenset(stems(question))


def _is_cited(material: Material, cited: set[tuple[str, Span]]) -> bool:
    return any(
        document == material.document and material.span is not None and material.span.contains(span)
        for document, span in cited
    )


def _unsupported_summary(checked: Answer) -> str:
    """Return a draft as the next turn reads it, with what the program struck out."""
    lines = [f"Answer so far: {checked.answer.ruling.value} ({checked.answer.confidence:.0%})"]
    lines += [f"- {each.text}" for each in checked.answer.sentences]
    lines.append("Findings:")
    for each in checked.findings:
        mark = "" if each.standing is Verification.VERIFIED else f" [not verified: {each.problem}]"
        lines.append(f"- {each.text}{mark}")
        lines += [f"  “{cited.quote.words}” ({cited.name}, {cited.where})" for cited in each.quotes]
        lines += [f"  does not stand in the contract: “{claim}”" for claim in each.claims]
    lines.append("Gaps:")
    lines += [f"- {gap.what}" for gap in checked.gaps]
    return "\n".join(lines)


def _report(
    started: Answer,
    checked: Answer | None,
    drafts: Sequence[Draft],
    stopped: str,
    parts: Sequence[str],
) -> Answer:
    if checked is None:
        gaps = tuple(Gap("Nothing was found out about it.", part) for part in parts)
        return replace(started, stopped=stopped, gaps=gaps)
    title = checked.title or started.title
    return replace(checked, title=title, stopped=stopped, drafts=tuple(drafts))
