"""The archivist: what a person said becomes a question with its context and instructions.

It asks back at most once, where something is missing that changes the answer and that no contract
can tell; otherwise it goes on, and tells what it took for granted. It names what to look up first,
too, so that this takes no call of its own. (PAKTON, section 3.1)
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import replace

from fourcorners.llm import Port, QuotedText
from fourcorners.llm.prompt import Value
from fourcorners.research.agents.contract_tools import outline_map
from fourcorners.research.agents.meter import Meter
from fourcorners.research.agents.schemas import ToolCall, UnderstoodQuestion, with_tools
from fourcorners.research.answer import Answer
from fourcorners.research.context import ResearchContext
from fourcorners.research.events import ClarificationEvent, Event
from fourcorners.research.tool import Tool

Reply = Callable[[str], str]
MAX_CONTRACTS = 12
"""Contracts of which the archivist is told name, kind and parties."""
_MOST_ASSUMPTIONS = 5  # told in a report
_LONGEST = 1_000  # characters of what it writes
_HEADINGS = 1_000  # characters of a contract's headings


def understand_question(
    context: ResearchContext,
    port: Port,
    meter: Meter,
    tools: Sequence[Tool],
    reply: Reply | None,
) -> Generator[Event, None, list[ToolCall]]:
    """Ask the model what was meant; the generator returns what to look up first.

    What was understood is the report's head: `meter.started`.

    Yields:
        What the step used, and `ClarificationEvent` where the person is asked back.

    Raises:
        LlmError: If the model fails.
        BudgetExceeded: If the budget does not allow it.
    """
    started = meter.started
    form = with_tools(UnderstoodQuestion, [each.name for each in tools])
    replies: list[Value] = []
    values = prompt_values(context, started, tools, replies, may_ask=reply is not None)
    value = (yield from meter.ask(port, "archivist", values, form)).value
    if reply is not None and value.ask_back.strip():
        asked = _short(value.ask_back)
        yield ClarificationEvent(asked)
        response = reply(asked).strip()
        if response:
            replies.append({"asked": asked, "said": response})
            values = prompt_values(context, started, tools, replies, may_ask=False)
            value = (yield from meter.ask(port, "archivist", values, form)).value
        else:
            value.assumptions.append(f"Left open: {asked}")
    meter.started = replace(
        started,
        question=_short(value.question) or started.question,
        context=_short(value.context) or started.context,
        instructions=_short(value.instructions) or started.instructions,
        assumptions=tuple(
            _short(each) for each in value.assumptions[:_MOST_ASSUMPTIONS] if each.strip()
        ),
    )
    return value.looks


def prompt_values(
    context: ResearchContext,
    started: Answer,
    tools: Sequence[Tool],
    replies: list[Value],
    *,
    may_ask: bool,
) -> dict[str, Value]:
    return {
        "said": started.asked,
        "context": started.context,
        "instructions": started.instructions,
        "replies": replies,
        "contracts": [QuotedText("\n\n".join(_contracts(context)), "contracts in question")],
        "headings": quote_headings(context),
        "tools": describe_tools(tools),
        "may_ask": may_ask,
    }


def describe_tools(tools: Sequence[Tool]) -> list[Value]:
    return [{"name": each.name, "says": each.description} for each in tools]


def quote_headings(context: ResearchContext, *, longest: int = _HEADINGS) -> list[Value]:
    """Return the headings of the contracts as data, each in a line, as far as there is room."""
    return [
        QuotedText("; ".join(lines.splitlines())[:longest], f"headings of {name}")
        for name, lines in outline_map(context)
    ]


def _contracts(context: ResearchContext) -> list[str]:
    entries = context.entries or tuple(context.library.documents(context.collection))
    lines = []
    for entry in entries[:MAX_CONTRACTS]:
        card = context.library.card(entry.id)
        parties = "; ".join(
            fact.value.name + (f" ({fact.value.short})" if fact.value.short else "")
            for fact in card.parties
        )
        lines.append("\n".join(part for part in (entry.name, entry.type, parties) if part))
    if len(entries) > MAX_CONTRACTS:
        lines.append(f"and {len(entries) - MAX_CONTRACTS} more contracts")
    return lines


def _short(text: str) -> str:
    return " ".join(text.split())[:_LONGEST]
