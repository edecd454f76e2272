"""Why some things are ours: what the library does in their place (decision 29)."""

from __future__ import annotations

import asyncio
import traceback

import pytest
from pydantic import BaseModel
from pydantic_ai import Agent, NativeOutput, UnexpectedModelBehavior, UsageLimits
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.usage import RequestUsage, RunUsage


class Found(BaseModel):
    quote: str
    pages: int


def model(text: str) -> FunctionModel:
    def answer(_: list[ModelMessage], __: AgentInfo) -> ModelResponse:
        return ModelResponse([TextPart(text)], usage=RequestUsage(input_tokens=100))

    return FunctionModel(answer)


def test_its_limits_are_passed_by_calls_at_once() -> None:
    async def run() -> int:
        agent, usage = Agent(model("x")), RunUsage()
        limits = UsageLimits(total_tokens_limit=250)
        runs = [agent.run("?", usage=usage, usage_limits=limits) for _ in range(8)]
        await asyncio.gather(*runs, return_exceptions=True)
        return usage.total_tokens

    assert asyncio.run(run()) == 800


@pytest.mark.parametrize(
    "text", ['Here: {"quote": "x", "pages": 1}.', '<think>{no}</think>{"quote": "x", "pages": 1}']
)
def test_its_reader_takes_an_answer_as_it_is(text: str) -> None:
    with pytest.raises(UnexpectedModelBehavior):
        asyncio.run(Agent(model(text), output_type=NativeOutput(Found)).run("?"))


def test_its_error_holds_the_words_that_were_wrong() -> None:
    agent = Agent(
        model('{"quote": "", "pages": "Northmere pays"}'), output_type=NativeOutput(Found)
    )
    with pytest.raises(UnexpectedModelBehavior) as caught:
        asyncio.run(agent.run("?"))
    assert "Northmere pays" in "".join(traceback.format_exception(caught.value))
