"""The researcher: run the tools that a question needs, and return the contracts' words.

A model names the tools and their words in a fixed form; the program runs them, after a search for
the question itself. Contract text can neither name a tool nor add one. (PAKTON, section 3.3)
"""

from __future__ import annotations

import time
from collections.abc import Generator, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from fourcorners.errors import FourcornersError
from fourcorners.llm import Port, Role
from fourcorners.llm.prompt import Value
from fourcorners.research.agents.meter import Meter
from fourcorners.research.agents.schemas import PassageResponse, ToolCall
from fourcorners.research.agents.sentence_list import EvidenceBudget, SentenceList
from fourcorners.research.answer import Step
from fourcorners.research.context import ResearchContext
from fourcorners.research.events import Event, EvidenceEvent, QuestionEvent, StepEvent
from fourcorners.research.tool import (
    EXACT_TOOLS,
    Material,
    Tool,
    ToolQuery,
    is_computed,
    merge_materials,
)
from fourcorners.text.invisible_characters import single_line

MAX_TOOL_CALLS = 5
"""Lookups that one question may take, including the search for the question itself."""
MAX_RESULTS = 6
"""Pieces of material that one lookup may return."""
_LONGEST = 400  # characters of a lookup's words
_LONGEST_NAME = 40  # characters of a tool's name
_SEARCH = "search"


@dataclass(frozen=True, slots=True)
class ResearchResult:
    """The result of one question.

    Attributes:
        new: The sentences not seen before, as data.
        searched: The lookups, each with how much it found.
    """

    materials: tuple[Material, ...]
    new: Sequence[Value] = ()
    searched: tuple[str, ...] = ()
    failed: tuple[str, ...] = ()
    response: str = ""


class Researcher:
    def __init__(
        self, context: ResearchContext, port: Port, tools: Sequence[Tool], *, responds: bool
    ) -> None:
        self._context, self._port, self._responds = context, port, responds
        self._tools = {tool.name: tool for tool in tools}
        self.searched: list[str] = []
        self.budget = EvidenceBudget.of_context(port.role_model(Role.INTERROGATOR).context)

    @property
    def tools(self) -> list[Tool]:
        return list(self._tools.values())

    def research(
        self, meter: Meter, asked: str, looks: Sequence[ToolCall], sentences: SentenceList
    ) -> Generator[Event, None, ResearchResult]:
        """Look up one question; add what is found to the sentences.

        Raises:
            LlmError: If the model fails.
            BudgetExceeded: If the budget does not allow it.
        """
        search = ToolCall(tool=_SEARCH, words=asked)
        able = self._runnable_calls([search, *looks] if meter.turn == 1 else looks) or [search]
        calls, more = able[:MAX_TOOL_CALLS], len(able[MAX_TOOL_CALLS:])
        calls.sort(key=lambda each: each.tool not in EXACT_TOOLS)
        strange = dict.fromkeys(each.tool for each in looks if each.tool not in self._tools)
        yield QuestionEvent(meter.turn, asked, tuple(dict.fromkeys(each.tool for each in calls)))
        found: list[Sequence[Material]] = []
        failed = [
            f"{single_line(each)[:_LONGEST_NAME]}: there is no such tool." for each in strange
        ]
        failed += [f"{more} further looks: a turn has {MAX_TOOL_CALLS}."] if more else []
        searched: list[str] = []
        for each in calls:
            began = time.monotonic()
            outcome = "done"
            result: Sequence[Material] = ()
            try:
                inquiry = ToolQuery(
                    each.words,
                    meter.started.question,
                    self._context.documents,
                    each.contract,
                    MAX_RESULTS,
                    self.budget.part,
                )
                result = self._tools[each.tool].run(inquiry)
            except FourcornersError as error:
                outcome = error.message
                failed.append(f"{each.tool}: {error.message}")
            found.append(result)
            called = f"{each.tool}: {each.words}{f' in {each.contract}' if each.contract else ''}"
            count = sum(not one.by_program or is_computed(one) for one in result)
            searched.append(f"{called} ({count or 'nothing'} found)")
            step = Step(
                agent="researcher",
                turn=meter.turn,
                did=called,
                seconds=round(time.monotonic() - began, 3),
                outcome=outcome,
            )
            meter.steps.append(step)
            yield StepEvent(step)
        ranks = (one for rank in zip_longest(*found) for one in rank if one is not None)
        materials = merge_materials([], ranks)  # the first of each lookup, then the second
        new = sentences.add(*found)
        self.searched += searched
        yield EvidenceEvent(meter.turn, tuple(materials))
        response = ""
        if self._responds:
            values: dict[str, Value] = {"asked": asked, "sentences": sentences.blocks}
            reply = yield from meter.ask(self._port, "respond", values, PassageResponse)
            response = reply.value.response
        return ResearchResult(tuple(materials), new, tuple(searched), tuple(failed), response)

    def _runnable_calls(self, looks: Sequence[ToolCall]) -> list[ToolCall]:
        """Return the lookups that can be run, each once."""
        able = {
            (each.tool, " ".join(each.words.split())[:_LONGEST], each.contract.strip()): None
            for each in looks
            if each.tool in self._tools and each.words.strip()
        }
        return [
            ToolCall(tool=tool, words=words, contract=contract) for tool, words, contract in able
        ]
