"""A server that does not answer is left alone, and tried again by one question."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

from fourcorners.errors import LlmRefused, LlmUnreachable
from fourcorners.llm import (
    AttemptError,
    FakeModel,
    MemoryLedger,
    Port,
    PromptRequest,
    Request,
    Role,
)
from fourcorners.llm.limits import CircuitBreaker
from fourcorners.llm.offline import Answer


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def attempt(breaker: CircuitBreaker, error: BaseException | None = None) -> None:
    """Make an attempt that ends with an answer, or with an error."""
    with suppress(AttemptError, KeyboardInterrupt), breaker.attempt("m"):
        if error is not None:
            raise error


SILENT = AttemptError(LlmUnreachable("m: no connection."), silent=True)
REFUSED = AttemptError(LlmRefused("m: no."))


@pytest.mark.parametrize("sign_of_life", [None, REFUSED])
def test_so_many_losses_in_a_row_and_no_fewer_open_it(sign_of_life: AttemptError | None) -> None:
    breaker = CircuitBreaker(after=3, rest=10, clock=Clock())
    for error in (SILENT, SILENT, sign_of_life, SILENT, SILENT):
        attempt(breaker, error)
    assert not breaker.is_open(), "a sign of life between them"
    attempt(breaker, SILENT)
    assert breaker.is_open()
    with pytest.raises(LlmUnreachable, match=r"m was not asked.*3 times in a row") as caught:
        attempt(breaker)
    assert "server runs" in caught.value.remedy


def test_after_a_rest_one_goes_through_and_decides() -> None:
    clock = Clock()
    breaker = CircuitBreaker(after=1, rest=10, clock=clock)
    attempt(breaker, SILENT)
    clock.now = 9.9
    assert breaker.is_open()
    clock.now = 10.0
    with suppress(AttemptError), breaker.attempt("m"):
        assert breaker.is_open(), "one at a time"
        raise SILENT
    assert breaker.is_open(), "another rest"
    clock.now = 20.0
    attempt(breaker, KeyboardInterrupt())
    with breaker.attempt("m"):
        assert breaker.is_open(), "what was cancelled has shown nothing: this is a probe, too"
    assert not breaker.is_open()
    with breaker.attempt("m"):
        assert not breaker.is_open()


class Server:
    """A model whose server answers while it is `up`; it counts who comes."""

    def __init__(self, dies_after: int) -> None:
        self.came, self._dies_after, self.up = 0, dies_after, True

    def __call__(self, _: Request) -> Answer:
        self.came += 1
        if self.came > self._dies_after:
            self.up = False
        if self.up:
            return "It may."
        lost = LlmUnreachable("fake: no connection.", remedy="Check that the server runs.")
        return AttemptError(lost, may_pass=True, silent=True)


def dying(server: Server, prompts: Path, breaker: CircuitBreaker, ledger: MemoryLedger) -> Port:
    async def at_once(_: float) -> None:
        await asyncio.sleep(0)

    port = Port.for_model(
        FakeModel(server), prompts=prompts, sleep=at_once, ledger=ledger, concurrency=2
    )
    voice = replace(port.role_model(Role.EXTRACT), breaker=breaker)
    return Port(dict.fromkeys(Role, voice), prompts=prompts, sleep=at_once, ledger=ledger)


def asks(count: int) -> list[PromptRequest[str]]:
    return [PromptRequest("again", {"question": f"Question {at}?"}, str) for at in range(count)]


def test_a_server_that_dies_costs_few_attempts_over_all_questions(prompts: Path) -> None:
    clock, server, ledger = Clock(), Server(dies_after=10), MemoryLedger()
    with dying(server, prompts, CircuitBreaker(5, 30, clock), ledger) as port:
        ended = sorted(port.ask_many(asks(200)), key=lambda each: each.index)
        errors = [each.error for each in ended if each.error is not None]
        assert len(ended) == 200
        assert len(errors) == 190
        assert all(isinstance(error, LlmUnreachable) and error.remedy for error in errors)
        assert sum("was not asked" in error.message for error in errors) >= 186
        assert 15 <= server.came <= 16, "ten answers, five losses, and one beside the fifth"
        assert len(ledger.calls) == server.came, "what is not sent is no call"
        assert port.spending.cost == ledger.job_spending("").cost

        clock.now = 31.0
        assert [each.error is None for each in port.ask_many(asks(20))] == [False] * 20
        assert server.came <= 17, "one probe"

        server.up, server._dies_after, clock.now = True, 10_000, 62.0
        ended = list(port.ask_many(asks(20)))
        answered = [each for each in ended if each.error is None]
        assert len(answered) >= 18, "all but those beside the probe"
        assert all(each.error is None for each in port.ask_many(asks(20)))


def test_an_answer_that_is_none_is_a_sign_of_life(prompts: Path) -> None:
    clock, ledger = Clock(), MemoryLedger()
    model = FakeModel(lambda _: LlmRefused("fake: no.", remedy="Ask otherwise."))
    breaker = CircuitBreaker(2, 30, clock)
    with Port.for_model(model, prompts=prompts, ledger=ledger) as plain:
        voice = replace(plain.role_model(Role.EXTRACT), breaker=breaker)
        with Port(dict.fromkeys(Role, voice), prompts=prompts, ledger=ledger) as port:
            ended = list(port.ask_many(asks(6)))
    assert all(isinstance(each.error, LlmRefused) for each in ended)
    assert len(model.requests) == 6
    assert not breaker.is_open()
