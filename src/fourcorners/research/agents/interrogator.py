"""The interrogator: has the researcher look up what a report needs, and writes the report.

Each turn is a question, what the researcher finds, and a draft that also names the next question
(PAKTON, sections 3.2 and E.2). The model's words are claims: the program checks each draft before
anyone sees it (`report_check`), and returns what fails once, with the reason. All turns are one
conversation, so that nothing is repeated; the correction at the end needs little of it. It ends
when there is no further question, nothing is found that the model has not read, a plain question is
answered, the turns are used up, the budget would be exceeded, or a model fails; the report says
what was not done.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from fourcorners.errors import BudgetExceeded, LlmError
from fourcorners.llm import Port, QuotedText, Reply, Role
from fourcorners.llm.limits import BYTES_PER_TOKEN
from fourcorners.llm.prompt import Value
from fourcorners.research.agents.archivist import describe_tools, known_before
from fourcorners.research.agents.contract_maps import top_headings
from fourcorners.research.agents.meter import Meter
from fourcorners.research.agents.report_check import CheckedReport, ReportCheck
from fourcorners.research.agents.researcher import Researcher, ResearchResult
from fourcorners.research.agents.schemas import (
    AmendedReport,
    Claims,
    Correction,
    DraftReport,
    ToolCall,
    build_form,
)
from fourcorners.research.agents.sentence_list import SHORT, SentenceList
from fourcorners.research.answer import (
    Answer,
    Draft,
    Gap,
    Statement,
    Verdict,
    Verification,
)
from fourcorners.research.context import ResearchContext
from fourcorners.research.events import DraftEvent, Event, GapEvent, draft_of
from fourcorners.research.question import split_question
from fourcorners.research.tool import Tool
from fourcorners.text.stems import stems

_LONGEST = 600  # characters of a question to the researcher


@dataclass(frozen=True)
class _State:
    """The current report, and the model's last reply on it."""

    reply: Reply[AmendedReport]
    claims: Claims
    checked: CheckedReport


class Interrogator:
    def __init__(
        self, context: ResearchContext, port: Port, researcher: Researcher, *, turns: int
    ) -> None:
        self._context, self._port, self._researcher = context, port, researcher
        self._turns = turns
        self._sentences = SentenceList(context, researcher.budget)
        self._checker = ReportCheck(context, self._sentences)
        self._returned: set[str] = set()  # failed statements returned with reasons

    def inquire(self, meter: Meter, looks: Sequence[ToolCall]) -> Generator[Event, None, Answer]:
        """Run the turns; the generator returns the report, without its record."""
        self._sentences.add_contracts(SHORT)
        self._sentences.add(meter.cited)
        asked = meter.started.question
        questions: list[str] = []
        failed: list[str] = []
        drafts: list[Draft] = []
        state: _State | None = None
        stopped = ""
        try:
            while True:
                meter.turn = turn = len(questions) + 1
                whole = self._add_whole() if drafts else []
                found = yield from self._researcher.research(meter, asked, looks, self._sentences)
                failed += found.failed
                if state is not None and not (whole or found.new):
                    state, stopped = yield from self._correct_once(meter, state)
                    report = self._add_gaps(state.checked.answer, failed)
                    last = drafts[-1]
                    drafts[-1] = draft_of(report, last.turn, last.asked, last.tools)
                    break
                questions.append(asked)
                found = replace(found, new=[*whole, *found.new])
                state = yield from self._write(meter, asked, found, state)
                asked = " ".join(state.reply.value.next_question.split())[:_LONGEST]
                looks = state.reply.value.looks
                known = {frozenset(), *map(_sense, questions)}
                ends = turn >= self._turns or _sense(asked) in known
                if not ends and _is_settled(meter.started.question, state):
                    ends = True
                    if not self._sentences.is_whole:
                        failed.append(f"{asked} The answer was settled without it.")
                if ends:
                    state, stopped = yield from self._correct_once(meter, state)
                report = self._add_gaps(state.checked.answer, failed)
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
        if state is None:
            parts = split_question(meter.started.question)
            gaps = tuple(Gap("Nothing was found out about it.", part.text) for part in parts)
            return replace(meter.started, stopped=stopped, gaps=gaps)
        report = self._add_gaps(state.checked.answer, failed)
        return replace(report, stopped=stopped, drafts=tuple(drafts))

    def _add_whole(self) -> list[Value]:
        """Add the contracts whole if half of what the job may still use pays for them."""
        budget, spent = self._port.budget, self._port.spending
        price = self._port.role_model(Role.INTERROGATOR).price
        left = [float("inf") if budget.tokens is None else budget.tokens - spent.tokens]
        if budget.cost is not None and price and (of_a_million := price(1_000_000, 0)):
            left.append((budget.cost - spent.cost) / of_a_million * 1e6)
        return self._sentences.add_contracts(min(left) / 2 * BYTES_PER_TOKEN)

    def _write(
        self, meter: Meter, asked: str, found: ResearchResult, state: _State | None
    ) -> Generator[Event, None, _State]:
        """Have the report written, or amended by what is new, in the same conversation."""
        is_last = meter.turn >= self._turns
        if state is None:
            values = draft_values(
                self._context, meter.started, self._researcher, self._sentences,
                response=found.response, is_last=is_last,
            )  # fmt: skip
            form = draft_form(
                () if is_last else self._researcher.tools,
                has_outside=bool(values["has_outside"]),
            )
            draft = yield from meter.ask(self._port, "draft", values, form)
            claims = Claims.of_draft(draft.value)
            checked = self._checker.check(meter.started, meter.own_words, claims)
            return _State(draft, claims, checked)
        has_outside = any(each.is_outside for each in found.materials)
        values = {
            "sentences": found.new,
            "problems": self._return_problems(state.checked),
            "response": _quote(found.response, "what the researcher says"),
            "asked": asked,
            "looked": list(found.searched),
            "has_outside": has_outside,
            "is_last": is_last,
        }
        names = [] if is_last else [each.name for each in self._researcher.tools]
        amended = build_form(AmendedReport, names, () if has_outside else ("external",))
        reply = yield from meter.ask(self._port, "amend", values, amended, after=state.reply)
        claims = state.claims.with_correction(reply.value)
        return _State(reply, claims, self._checker.check(meter.started, meter.own_words, claims))

    def _return_problems(self, checked: CheckedReport) -> list[Value]:
        """Return what failed a check and has not been returned yet, with the reasons."""
        problems = [each for each in checked.problems if each.text not in self._returned]
        self._returned |= {each.text for each in problems}
        listed = "\n".join(f"{each.name}: {each.text} ({each.reason})" for each in problems)
        return _quote(listed, "what failed a check")

    def _correct_once(
        self, meter: Meter, state: _State
    ) -> Generator[Event, None, tuple[_State, str]]:
        """Return failed statements to the model once; those that fail again are marked.

        What fails and carries nothing of the answer is marked without a further call.
        """
        is_wrong = any(each.standing is Verification.UNVERIFIED for each in _answer_of(state))
        problems = self._return_problems(state.checked) if is_wrong else []
        if not problems:
            return state, ""
        claims = state.claims
        values: dict[str, Value] = {
            "sentences": self._cited_by(claims),
            "report": _quote(claims.in_form(), "the report"),
            "problems": problems,
            "asked": meter.started.question,
        }
        try:
            correction = yield from meter.ask(self._port, "mend", values, Correction)
        except (LlmError, BudgetExceeded) as error:
            return state, f"in turn {meter.turn}: {error.message}"
        claims = claims.with_correction(correction.value)
        checked = self._checker.check(meter.started, meter.own_words, claims)
        return replace(state, claims=claims, checked=checked), ""

    def _cited_by(self, claims: Claims) -> list[Value]:
        """Return the sentences that findings name, as data."""
        numbers = {one for each in claims.findings.values() for one in each.sentences}
        lines: dict[str, list[str]] = {}
        for each in self._sentences:
            if each.number in numbers:
                line = f"[{each.number}] {self._sentences.line(each.source)}"
                lines.setdefault(each.source.source, []).append(line)
        return [QuotedText("\n".join(each), f"from {name}") for name, each in lines.items()]

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
    *,
    response: str = "",
    is_last: bool = False,
) -> dict[str, Value]:
    """Return the values for the prompt of the first draft; what stays the same comes first."""
    is_known = is_last or sentences.is_whole
    maps = [] if is_known else top_headings(context)
    return {
        "sentences": sentences.blocks,
        "headings": [QuotedText(text, name) for name, text in maps],
        "response": _quote(response, "what the researcher says"),
        "asked": started.asked,
        "question": started.question if started.question != started.asked else "",
        "context": known_before(started),
        "instructions": started.instructions,
        "assumptions": list(started.assumptions),
        "looked": list(researcher.searched),
        "tools": [] if is_last else describe_tools(researcher.tools),
        "has_outside": any(each.source.is_outside for each in sentences),
        "is_last": is_last,
        "is_whole": sentences.is_whole,
        "left_out": len(sentences.left_out),
    }


def draft_form(tools: Sequence[Tool], *, has_outside: bool = False) -> type[DraftReport]:
    unused = ("removed",) if has_outside else ("removed", "external")
    return build_form(DraftReport, [each.name for each in tools], unused)


def _answer_of(state: _State) -> tuple[Statement, ...]:
    report = state.checked.answer
    answer, reasoning = report.answer, chain.from_iterable(report.reasoning)
    own = (*answer.sentences, *answer.conditions, *answer.readings)
    return (*own, *report.summary, *reasoning)


def _is_settled(question: str, state: _State) -> bool:
    """Return whether a question of one part has a ruling, no statement failed, none is missing."""
    answer = state.checked.answer.answer
    ruling = answer.unchecked or answer.ruling
    is_ruled = ruling not in (Verdict.UNSURE, Verdict.ABSENT)  # what is absent is looked for again
    is_plain = len(split_question(question)) == 1
    is_open = any(map(str.strip, state.claims.gaps)) or bool(state.checked.problems)
    return is_plain and is_ruled and not is_open


def _quote(words: str, label: str) -> list[Value]:
    return [QuotedText(words, label)] if words else []


def _sense(question: str) -> frozenset[str]:
    return frozenset(stems(question))
