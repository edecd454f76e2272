"""The tools that answer a question with a report, and bring a report that was made before."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from pydantic import Field

from fourcorners.errors import LlmNotConfigured
from fourcorners.library.llm_store import library_port
from fourcorners.library.store import Library
from fourcorners.llm import Port, is_configured
from fourcorners.llm.port.port import NOT_CONFIGURED
from fourcorners.operations import answers
from fourcorners.operations.answers import AnswerOrigin
from fourcorners.operations.ask import AskRequest, answer_question, check_question
from fourcorners.operations.errors import NotAllowed
from fourcorners.research import events as research_events
from fourcorners.research.answer import Answer
from fourcorners.research.events import Event
from fourcorners.server.api.answers import ReportValue, RulingValue, StatementValue
from fourcorners.server.context import RequestContext
from fourcorners.server.mcp.summaries import (
    DEFAULT_CHARACTERS,
    FRAME,
    CharacterBudget,
    Excerpt,
    MaxCharacters,
    Statement,
    cited_excerpt,
    statement,
)
from fourcorners.server.mcp.tool import McpTool, Progress, tool
from fourcorners.text.invisible_characters import shorten
from fourcorners.value import Value

_STEPS = 3  # of a turn that are shown
_NEXT = 3  # follow-up questions that are offered
_SHOWN = 200  # characters of a question in a progress message


class AskToolRequest(AskRequest):
    """A question, and of what."""

    rules: bool = Field(
        default=True,
        description="Put the answer together from the contracts' sentences by rules; false lets "
        "the language model answer that the operator configured.",
    )
    max_characters: MaxCharacters = DEFAULT_CHARACTERS


class GapSummary(Value):
    """What is missing, and the nearest words."""

    what: str
    nearest: Excerpt | None = None


class RowSummary(Value):
    """What one contract of a collection says to the question."""

    document: str
    title: str
    state: str = Field(examples=["yes", "no", "not said", "to be read"])
    value: str
    quote: Excerpt | None = None


class AnswerSummary(RulingValue):
    """The report to a question, the answer first."""

    headline: str = Field(default="", description="The answer in a line, where there is one.")
    because: str = ""
    sentences: list[Statement] = Field(default_factory=list, description="The answer.")
    conditions: list[Statement] = Field(
        default_factory=list, description="On what the answer depends."
    )
    readings: list[Statement] = Field(
        default_factory=list, description="Other ways in which the words can be read."
    )
    gaps: list[GapSummary] = Field(
        default_factory=list, description="What the contracts do not say."
    )
    rows: list[RowSummary] = Field(
        default_factory=list, description="Each contract, for a question to a collection."
    )
    findings: list[Statement] = Field(
        default_factory=list, description="What else was found, definitions among it."
    )
    left_out: int = Field(
        default=0, description="Statements that did not fit: `answer` brings them, with more "
        "characters.",
    )  # fmt: skip
    directions: list[str] = Field(default_factory=list, description="Where to research further.")
    next_questions: list[str] = Field(default_factory=list)
    assumptions: list[str] = Field(default_factory=list)
    stopped: str = Field(default="", description="Why it ended before it was done.")
    read: list[str] = Field(description="The ids of the contracts that were read.")
    made_by: str
    answer: str = Field(
        description="Under this id the report is kept: `answer`, the page and the API bring it.",
        examples=["83cfd2903285"],
    )
    href: str = Field(description="The page that shows it.")


def _value(answer: Answer, identity: str, most: int) -> AnswerSummary:
    whole, budget = ReportValue.from_answer(answer), CharacterBudget(most - 2 * FRAME)
    shown: set[str] = set()

    def part(statements: Iterable[StatementValue]) -> list[Statement]:
        """Return what fits; the same words twice tell nobody more."""
        new = []
        for each in map(statement, statements):
            text = each.model_dump_json()
            if text not in shown:
                new.append(each)
            shown.add(text)
        return budget.take(new)

    return AnswerSummary.make(
        whole,
        sentences=part([] if whole.rows else whole.answer),
        conditions=part(whole.conditions),
        readings=part(whole.readings),
        gaps=budget.take(
            GapSummary(
                what=each.what, nearest=cited_excerpt(each.nearest) if each.nearest else None
            )
            for each in whole.gaps
        ),
        rows=budget.take(
            RowSummary.make(each, quote=cited_excerpt(each.quote) if each.quote else None)
            for each in whole.rows
        ),
        findings=part([] if whole.rows else [*whole.findings, *whole.beside]),
        left_out=budget.left_out,
        directions=whole.directions[:_NEXT],
        next_questions=whole.next_questions[:_NEXT],
        read=[each.document for each in answer.sources],
        made_by=answer.made.by,
        answer=identity,
        href=f"/ask/{identity}",
    )


@tool(
    "Ask contracts a question",
    "Answers a question with a report: the conclusion, the words behind each statement with "
    "their place, on what it depends, and what the contracts do not say. It reports its "
    "progress, and the report is kept under its id.",
    open_world=True,
)
def _ask(context: RequestContext, asked: AskToolRequest, tell: Progress) -> AnswerSummary:
    settings = context.state.settings
    with context.access() as access:
        checked = check_question(access, asked, settings)
        library, collection = access.common(), checked.collection
        with _port(context, library, wanted=not asked.rules) as port:
            engines = context.state.engines
            events = answer_question(
                library, checked, settings, job="ask", engines=engines, port=port
            )
            answer = _report_progress(events, tell)
        home = AnswerOrigin(collection, context.principal.name, checked.follows)
        identity = answers.save_answer(library, answer, f"mcp {secrets.token_hex(8)}", home)
        access.record("ask", {"collection": collection, "read": len(answer.sources)})
    return _value(answer, identity, asked.max_characters)


def _report_progress(events: Iterator[Event], tell: Progress) -> Answer:
    """Return the report that a run ends with, and tell of what happens until then."""
    done, most = 0, 1
    for event in events:
        if isinstance(event, research_events.AnswerEvent):
            tell(most, most, "The report is done.")
            return event.answer
        if isinstance(event, research_events.PlanEvent):
            # A turn asks, finds and drafts; one without a model drafts at the end alone.
            most = _STEPS * (event.turns or len(event.parts)) + 1
        words = _event_line(event)
        if words:
            done = min(done + 1, most - 1)
            tell(done, most, words)
    raise RuntimeError("a run ended without its report")


def _event_line(event: Event) -> str:
    """Return an event in words; empty for what nobody waits to hear."""
    if isinstance(event, research_events.QuestionEvent):
        return f"Looks for: {shorten(event.question, _SHOWN)}"
    if isinstance(event, research_events.EvidenceEvent):
        count = len(event.materials)
        return f"Found {count} passage{'' if count == 1 else 's'}." if count else "Found none."
    if isinstance(event, research_events.DraftEvent):
        return f"So far: {shorten(event.draft.answer.line, _SHOWN)}"
    return ""


class ReportRequest(Value):
    """Which report."""

    answer: str = Field(min_length=4, max_length=40, description="Its id, as `ask` returned it.")
    max_characters: MaxCharacters = DEFAULT_CHARACTERS


@tool(
    "A report that was made before",
    "Brings the report to an earlier question again, by its id: one that a program asked, or a "
    "person.",
)
def _answer(context: RequestContext, asked: ReportRequest, _: Progress) -> AnswerSummary:
    with context.access() as access:
        found, stored = answers.find_answer(access, asked.answer)
    return _value(found, stored.summary.id, asked.max_characters)


def _port(
    context: RequestContext, library: Library, *, wanted: bool
) -> AbstractContextManager[Port | None]:
    if not wanted:
        return nullcontext()
    settings = context.state.settings
    if not settings.mcp.with_model:
        raise NotAllowed(
            "the language model does not answer here.",
            remedy="The operator allows it with `with_model = true` in the section [mcp].",
        )
    if not is_configured(settings.llm):
        raise LlmNotConfigured("no language model is configured.", remedy=NOT_CONFIGURED)
    return library_port(library, settings.llm, "ask", context.state.telemetry.ledger)


TOOLS: tuple[McpTool[Any], ...] = (_ask, _answer)
