"""`Meter`: questions to the agents' models, each recorded as a step with what it used."""

from __future__ import annotations

import time
from collections.abc import Generator, Mapping, Sequence
from typing import TYPE_CHECKING, TypeVar

from fourcorners.errors import FourcornersError
from fourcorners.llm import Port, Reply
from fourcorners.llm.prompt import Value
from fourcorners.research.answer import Answer, Step
from fourcorners.research.events import Event, StepEvent
from fourcorners.research.tool import Material

if TYPE_CHECKING:
    from pydantic import BaseModel

T = TypeVar("T", bound="BaseModel")


class Meter:
    """The steps of one run.

    Attributes:
        started: The head of the report, as the archivist understood it.
        own_words: What the person said, in their own words.
        cited: The words that the answer before rests on.
    """

    def __init__(self, started: Answer, cited: Sequence[Material] = ()) -> None:
        self.started, self.cited = started, cited
        own_words = (started.asked, started.context, started.instructions, started.earlier)
        self.own_words: tuple[str, ...] = own_words
        self.turn = 0
        self.steps: list[Step] = []

    def ask(
        self,
        port: Port,
        prompt: str,
        values: Mapping[str, Value],
        answer: type[T],
        after: Reply[BaseModel | str] | None = None,
    ) -> Generator[Event, None, Reply[T]]:
        """Ask a question, which may follow an answer; the generator returns the reply.

        Yields:
            What it used.

        Raises:
            FourcornersError: If no answer came; the step is recorded all the same.
        """
        loaded = port.load_prompt(prompt)
        before, began = port.spending, time.monotonic()
        outcome = "done"
        try:
            reply = port.ask(
                loaded, values, answer, after=after, tag=f"{loaded.role.value} turn {self.turn}"
            )
            outcome = "kept" if reply.cached else "done"
        except FourcornersError as error:
            outcome = error.message
            raise
        finally:
            spent = port.spending
            unknown = spent.unpriced > before.unpriced
            step = Step(
                agent=loaded.role.value,
                turn=self.turn,
                did=prompt,
                calls=spent.calls - before.calls,
                tokens_in=spent.tokens_in - before.tokens_in,
                tokens_out=spent.tokens_out - before.tokens_out,
                seconds=round(time.monotonic() - began, 3),
                cost=None if unknown else round(spent.cost - before.cost, 6),
                model=port.role_model(loaded.role).name,
                outcome=outcome,
            )
            self.steps.append(step)
        yield StepEvent(step)
        return reply
