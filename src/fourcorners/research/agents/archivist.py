"""The archivist: what a person said becomes a question with its context and instructions.

It asks back at most once, where something is missing that changes the answer and that no contract
can tell; otherwise it goes on, and tells what it took for granted. (PAKTON, section 3.1)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from fourcorners.llm import Port, QuotedText
from fourcorners.llm.prompt import Value
from fourcorners.research.agents.meter import Meter
from fourcorners.research.agents.schemas import UnderstoodQuestion
from fourcorners.research.answer import Answer
from fourcorners.research.context import ResearchContext
from fourcorners.research.events import ClarificationEvent, Event

Reply = Callable[[str], str]
MAX_CONTRACTS = 12
"""Contracts of which the archivist is told name, kind and parties."""
_MOST_ASSUMPTIONS = 5  # told in a report
_LONGEST = 1_000  # characters of what it writes


def understand_question(
    context: ResearchContext, port: Port, meter: Meter, started: Answer, reply: Reply | None
) -> Iterator[Event]:
    """Ask the model what was meant; the generator returns the report's head.

    Yields:
        What the step used, and `ClarificationEvent` where the person is asked back.

    Raises:
        LlmError: If the model fails.
        BudgetExceeded: If the budget does not allow it.
    """
    replies: list[Value] = []
    values = prompt_values(context, started, replies, may_ask=reply is not None)
    value = yield from meter.ask(port, "archivist", values, UnderstoodQuestion)
    if reply is not None and value.ask_back.strip():
        asked = _short(value.ask_back)
        yield ClarificationEvent(asked)
        response = reply(asked).strip()
        if response:
            replies.append({"asked": asked, "said": response})
            values = prompt_values(context, started, replies, may_ask=False)
            value = yield from meter.ask(port, "archivist", values, UnderstoodQuestion)
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


def prompt_values(
    context: ResearchContext, started: Answer, replies: list[Value], *, may_ask: bool
) -> dict[str, Value]:
    return {
        "said": started.asked,
        "context": started.context,
        "instructions": started.instructions,
        "replies": replies,
        "contracts": [QuotedText(each, "contract on the desk") for each in _contracts(context)],
        "may_ask": may_ask,
    }


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
