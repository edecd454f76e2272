"""One question with everything found that it names, and the reply that it comes to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

from fourcorners.errors import ConfigError
from fourcorners.llm.exchange import Message, Request, Response, Speaker
from fourcorners.llm.port.answers import parse_answer
from fourcorners.llm.port.conversation import Result
from fourcorners.llm.port.role_model import RoleModel
from fourcorners.llm.prompt import Prompt
from fourcorners.llm.reply import PromptRequest, Reply

if TYPE_CHECKING:
    from pydantic import BaseModel

T = TypeVar("T", bound="BaseModel | str")


@dataclass(frozen=True, slots=True)
class Question(Generic[T]):
    ask: PromptRequest[T]
    prompt: Prompt
    model: RoleModel
    request: Request


def value_of(response: Response, answer: type[T]) -> T:
    """Return what a response holds.

    Raises:
        Unparsable: If it does not hold the form.
    """
    if issubclass(answer, str):
        return answer(response.text)
    return parse_answer(response.text, answer)


def reply_of(question: Question[T], value: T, result: Result, *, was_cached: bool) -> Reply[T]:
    response = result.response
    if response is None:
        raise RuntimeError("a reply needs a response")
    costs = [call.cost for call in result.calls]
    known = [cost for cost in costs if cost is not None]
    return Reply(
        value=value,
        text=response.text,
        role=question.request.role,
        model=question.model.name,
        prompt=question.prompt.id,
        key=question.request.key,
        complete=result.is_complete,
        cached=was_cached,
        repaired=result.was_repaired,
        tokens_in=sum(call.tokens_in for call in result.calls),
        tokens_out=sum(call.tokens_out for call in result.calls),
        cost=sum(known) if len(known) == len(costs) else None,
        seconds=sum(call.seconds for call in result.calls),
        calls=tuple(result.calls),
        messages=(*question.request.messages, Message(Speaker.ASSISTANT, response.text)),
    )


def continue_messages(
    before: Sequence[Message], new: Sequence[Message], prompt: Prompt
) -> tuple[Message, ...]:
    """Return a conversation that goes on: under one system's message, the first one's first."""
    if prompt.system.strip():
        raise ConfigError(
            f"the prompt {prompt.id} follows another, and has a system part of its own.",
            remedy="Put what it says into its user part.",
        )
    rules = [each.text for each in new if each.speaker is Speaker.SYSTEM]
    first = before[0]
    if rules and first.speaker is not Speaker.SYSTEM:
        first, before = Message(Speaker.SYSTEM, rules[0]), (first, *before)
    elif rules and rules[0] not in first.text:
        first = Message(Speaker.SYSTEM, f"{first.text}\n\n{rules[0]}")
    return (first, *before[1:], *(each for each in new if each.speaker is not Speaker.SYSTEM))
