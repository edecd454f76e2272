"""The researcher: chooses tools for a question, runs them, and brings the contracts' words.

Which tools, and with which words, is a model's answer in a fixed form; the program runs them. What
stands in a contract can neither name a tool nor add one. (PAKTON, section 3.3)
"""

from __future__ import annotations

import time
from collections.abc import Generator, Sequence
from dataclasses import dataclass

from fourcorners.errors import FourcornersError
from fourcorners.llm import Port, QuotedText
from fourcorners.llm.prompt import Value
from fourcorners.research.agents.contract_maps import outline_map
from fourcorners.research.agents.contract_tools import merge_materials
from fourcorners.research.agents.meter import Meter
from fourcorners.research.agents.schemas import PassageResponse, ToolCall, ToolChoice
from fourcorners.research.answer import Step
from fourcorners.research.context import ResearchContext
from fourcorners.research.events import Event, EvidenceEvent, QuestionEvent, StepEvent
from fourcorners.research.tool import Material, Tool, ToolQuery

MAX_TOOL_CALLS = 4
"""Tools that one question may use."""
MAX_RESULTS = 6
"""Pieces of material that one look may bring."""
_LONGEST = 400  # characters of a look's words


@dataclass(frozen=True, slots=True)
class ResearchResult:
    materials: tuple[Material, ...]
    failed: tuple[str, ...] = ()
    response: str = ""


class Researcher:
    def __init__(
        self, context: ResearchContext, port: Port, tools: Sequence[Tool], *, responds: bool
    ) -> None:
        self._context, self._port, self._responds = context, port, responds
        self._tools = {tool.name: tool for tool in tools}

    def research(self, meter: Meter, asked: str) -> Generator[Event, None, ResearchResult]:
        """Look up one question.

        Raises:
            LlmError: If the model fails.
            BudgetExceeded: If the budget does not allow it.
        """
        chosen = yield from meter.ask(
            self._port, "research", self.values(asked, meter.started.question), ToolChoice
        )
        looks = self._able(chosen.looks, asked)
        yield QuestionEvent(meter.turn, asked, tuple(dict.fromkeys(each.tool for each in looks)))
        materials: list[Material] = []
        failed: list[str] = []
        for each in looks:
            began = time.monotonic()
            outcome = "done"
            try:
                inquiry = ToolQuery(
                    each.words,
                    meter.started.question,
                    self._context.documents,
                    each.contract,
                    MAX_RESULTS,
                )
                materials = merge_materials(materials, self._tools[each.tool].run(inquiry))
            except FourcornersError as error:
                outcome = error.message
                failed.append(f"{each.tool}: {error.message}")
            step = Step(
                agent="researcher",
                turn=meter.turn,
                did=f"{each.tool}: {each.words}{f' in {each.contract}' if each.contract else ''}",
                seconds=round(time.monotonic() - began, 3),
                outcome=outcome,
            )
            meter.steps.append(step)
            yield StepEvent(step)
        yield EvidenceEvent(meter.turn, tuple(materials))
        response = ""
        if self._responds:
            values: dict[str, Value] = {"asked": asked, "materials": number_materials(materials)}
            passage_response = yield from meter.ask(self._port, "respond", values, PassageResponse)
            response = passage_response.response
        return ResearchResult(tuple(materials), tuple(failed), response)

    def values(self, asked: str, question: str) -> dict[str, Value]:
        return {
            "asked": asked,
            "question": question,
            "tools": [
                {"name": each.name, "says": each.description} for each in self._tools.values()
            ],
            "most": MAX_TOOL_CALLS,
            "map": [QuotedText(text, name) for name, text in outline_map(self._context, question)],
        }

    def _able(self, looks: Sequence[ToolCall], asked: str) -> list[ToolCall]:
        """Return the looks that can be run, each once; a plain search if there is none."""
        able = {
            (each.tool, " ".join(each.words.split())[:_LONGEST], each.contract.strip()): None
            for each in looks
            if each.tool in self._tools and each.words.strip()
        }
        calls = [
            ToolCall(tool=tool, words=words, contract=contract) for tool, words, contract in able
        ][:MAX_TOOL_CALLS]
        return calls or [ToolCall(tool="search", words=asked[:_LONGEST])]


def number_materials(materials: Sequence[Material]) -> list[Value]:
    """Return materials as fenced passages, numbered from 1; where they are from is data, too."""
    numbered: list[Value] = []
    for number, each in enumerate(materials, start=1):
        origin = "; ".join(part for part in (each.source, each.where, each.because) if part)
        numbered.append(QuotedText(f"[{origin}]\n{each.shown}", f"passage {number}"))
    return numbered
