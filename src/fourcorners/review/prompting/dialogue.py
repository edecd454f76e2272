"""Dialogues with a language model, many at once: each says what to ask next, until it has ended.

A dialogue is a generator that yields questions and is sent how they ended; so what is asked after
an answer stands where a reader looks for it, and the port still has many questions at a time.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import TypeAlias, TypeVar, cast

from pydantic import BaseModel

from fourcorners.errors import FourcornersError
from fourcorners.llm import Outcome, Port, PromptRequest, Reply

T = TypeVar("T")
M = TypeVar("M", bound=BaseModel)
Question: TypeAlias = PromptRequest[BaseModel]
Dialogue: TypeAlias = Generator[list[Question], list[Outcome[BaseModel]], T]


def run_dialogue(port: Port, dialogue: Dialogue[T]) -> T:
    """Ask what a dialogue wants to know until it has ended, and return what it came to."""
    try:
        asks = next(dialogue)
        while True:
            outcomes = sorted(port.ask_many(asks), key=lambda outcome: outcome.index)
            asks = dialogue.send(outcomes)
    except StopIteration as end:
        return cast("T", end.value)


def run_together(dialogues: Sequence[Dialogue[T]]) -> Dialogue[list[T | FourcornersError]]:
    """Hold several dialogues side by side; an error is what its own dialogue came to."""
    ended: dict[int, T | FourcornersError] = {}
    waiting: dict[int, list[Question]] = {}

    def step(at: int, outcomes: list[Outcome[BaseModel]] | None) -> None:
        dialogue = dialogues[at]
        try:
            waiting[at] = next(dialogue) if outcomes is None else dialogue.send(outcomes)
        except StopIteration as end:
            ended[at] = cast("T", end.value)
        except FourcornersError as error:
            ended[at] = error

    for at in range(len(dialogues)):
        step(at, None)
    while waiting:
        asked = dict(waiting)
        waiting.clear()
        outcomes = yield [ask for asks in asked.values() for ask in asks]
        for at, asks in asked.items():
            step(at, outcomes[: len(asks)])
            outcomes = outcomes[len(asks) :]
    return [ended[at] for at in range(len(dialogues))]


def ask_question(question: Question, answer: type[M]) -> Dialogue[tuple[M, Reply[BaseModel]]]:
    """Ask one question; return the answer with the reply that a further question may follow.

    Raises:
        FourcornersError: If there is no answer that can be used.
    """
    (outcome,) = yield [question]
    if outcome.error is not None:
        raise outcome.error
    if outcome.reply is None or not isinstance(outcome.reply.value, answer):
        raise TypeError(f"an answer of the form {answer.__name__} was asked for")
    return outcome.reply.value, outcome.reply
