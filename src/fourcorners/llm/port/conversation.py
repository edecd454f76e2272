"""One question's way to a reply: attempts, waits, one repair, and what each call used."""

from __future__ import annotations

import asyncio
import queue
import random
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import AbstractContextManager, aclosing, asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Generic, TypeVar

from fourcorners.errors import (
    ConfigError,
    FourcornersError,
    LlmRefused,
    LlmTimedOut,
    LlmUnparsable,
    LlmUnreachable,
)
from fourcorners.llm.exchange import AttemptError, Finish, Message, Request, Response, Speaker
from fourcorners.llm.ledger import Call
from fourcorners.llm.limits import BYTES_PER_TOKEN, BudgetMeter, RoleModel
from fourcorners.llm.port.answers import AnswerParseError, parse_answer
from fourcorners.llm.prompt import Prompt
from fourcorners.llm.reply import PromptRequest, Reply
from fourcorners.net import MAX_WAIT

if TYPE_CHECKING:
    from pydantic import BaseModel

T = TypeVar("T", bound="BaseModel | str")
_FIRST_WAIT = 1.0  # seconds; twice as many before each further attempt
_CHARACTERS_A_TOKEN = 16  # more than any usual text has: what is longer has no end
_REPEATED = 4_000  # characters of a wrong answer that the model is shown again


@dataclass(frozen=True, slots=True)
class Question(Generic[T]):
    ask: PromptRequest[T]
    prompt: Prompt
    model: RoleModel
    request: Request


@dataclass(slots=True)
class Result(Generic[T]):
    """What a conversation came to: a response and its value, or an error, and the calls it took."""

    response: Response | None = None
    value: T | None = None
    error: FourcornersError | None = None
    calls: list[Call] = field(default_factory=list)
    was_repaired: bool = False

    @property
    def is_complete(self) -> bool:
        return self.response is not None and self.response.finish is Finish.STOP


@dataclass(frozen=True, slots=True)
class Conversation(Generic[T]):
    """A question on its way; `run` it on the loop."""

    question: Question[T]
    budget: BudgetMeter
    job: str
    repair: Prompt
    sleep: Callable[[float], Awaitable[None]]

    @property
    def model(self) -> RoleModel:
        return self.question.model

    async def run(self, tell: Callable[[str], None] | None = None) -> Result[T]:
        """Ask until there is an answer or an error; a stream's pieces are told as they come."""
        result: Result[T] = Result()
        try:
            await self._answer(result, tell)
        except FourcornersError as error:
            result.error = error
            result.response = None
        return result

    async def _answer(self, result: Result[T], tell: Callable[[str], None] | None) -> None:
        request, form = self.question.request, self.question.ask.answer
        while result.value is None:
            result.response = response = await self._send_request(request, result, tell)
            try:
                result.value = value_of(response, form)
            except AnswerParseError as error:
                self._mark(result, LlmUnparsable.kind)
                if response.finish is Finish.LENGTH:
                    raise LlmUnparsable(
                        f"{self.model.name} came to no end of its answer within "
                        f"{request.options.max_tokens:,} tokens.",
                        remedy="Raise max_tokens under [llm], or try a larger model for this role.",
                    ) from None
                if result.was_repaired:
                    raise LlmUnparsable(
                        f"{self.model.name} gave twice an answer without the form of "
                        f"{form.__name__} ({error.summary}).",
                        remedy="Try a larger model for this role, or another `structured` under "
                        "[llm].",
                    ) from None
                previous = Message(Speaker.ASSISTANT, response.text[:_REPEATED] or "{}")
                (asked,) = self.repair.messages({"problems": error.problems})
                request = replace(request, messages=(*request.messages, previous, asked))
                result.was_repaired, tell = True, None

    async def _send_request(
        self, request: Request, result: Result[T], tell: Callable[[str], None] | None
    ) -> Response:
        wait = _FIRST_WAIT
        attempt = 1
        while True:
            if self.model.breaker.is_open():
                raise self.model.breaker.open_error(self.model.name)
            try:
                response = await self._attempt(request, result, tell)
            except AttemptError as trouble:
                is_last = attempt >= self.model.attempts
                is_dead = self.model.breaker.is_open()
                if is_last or is_dead or not trouble.may_pass or trouble.wait > MAX_WAIT:
                    error = trouble.error
                    if attempt > 1:
                        reason = f"{error.message.rstrip('.')}, {attempt} times."
                        error = type(error)(reason, remedy=error.remedy)
                    raise error from None
                if trouble.wait:
                    self.model.rate_limiter.pause(trouble.wait)
                await self.sleep(trouble.wait or wait * random.uniform(0.75, 1.25))  # noqa: S311
                wait, attempt = min(2 * wait, MAX_WAIT), attempt + 1
                continue
            if response.finish is Finish.REFUSED:
                self._mark(result, LlmRefused.kind)
                raise LlmRefused(
                    f"{self.model.name} declined to answer.",
                    remedy="Ask otherwise, or name another model for this role.",
                )
            if not response.text.strip():
                self._mark(result, LlmUnparsable.kind)
                raise LlmUnparsable(
                    f"{self.model.name} answered nothing.",
                    remedy="Raise max_tokens under [llm] if the model thinks before it answers; "
                    "else name another model for this role.",
                )
            return response

    async def _attempt(
        self, request: Request, result: Result[T], tell: Callable[[str], None] | None
    ) -> Response:
        asked_model = self.model
        stake = asked_model.reservation(request)
        await self.budget.reserve(stake)
        call: Call | None = None
        received: list[str] = []
        began = time.monotonic()
        try:
            async with asked_model.rate_limiter.acquire(stake.tokens), self._watched():
                began = time.monotonic()
                response = await self._stream_response(request, received, tell)
            response = replace(response, seconds=time.monotonic() - began)
            if len(response.text) > (most := _longest(request)):
                response = replace(response, text=response.text[:most], finish=Finish.LENGTH)
            if response.measured:
                asked_model.tally.add(request, response.tokens_in)
            call = self._call(request, response, "answered")
        except AttemptError as trouble:
            size = sum(map(len, received))
            if size:  # what was told cannot be told again
                trouble = AttemptError(trouble.error, sent=True)
            lost = Response("", seconds=time.monotonic() - began)
            if trouble.sent:
                sent, got = asked_model.tally.tokens_of(request), round(size / BYTES_PER_TOKEN)
                lost = replace(lost, tokens_in=sent, tokens_out=got, measured=False)
            call = self._call(request, lost, trouble.error.kind)
            raise trouble from None
        finally:
            if call is not None:
                result.calls.append(call)
            await self.budget.charge(stake, call)
        return response

    @asynccontextmanager
    async def _watched(self) -> AsyncIterator[None]:
        """Tell the breaker how an attempt ended; refuse it where the server is taken for dead."""
        breaker = self.model.breaker
        try:
            breaker.enter(self.model.name)
        except LlmUnreachable as error:
            raise AttemptError(error) from None
        try:
            yield
        except AttemptError as trouble:
            breaker.record_failure() if trouble.silent else breaker.record_answer()
            raise
        except BaseException:
            breaker.record_abandoned()
            raise
        breaker.record_answer()

    async def _stream_response(
        self, request: Request, received: list[str], tell: Callable[[str], None] | None
    ) -> Response:
        """Return the whole answer; where it is told piece by piece, it is cut if it has no end."""
        asked_model = self.model
        try:
            async with asyncio.timeout(asked_model.timeout):
                if tell is None:
                    return await asked_model.model.send(request, asked_model.timeout)
                left = _longest(request)
                async with aclosing(
                    asked_model.model.stream(request, asked_model.timeout)
                ) as pieces:
                    async for piece in pieces:
                        if isinstance(piece, Response):
                            return piece
                        received.append(piece[:left])
                        tell(received[-1])
                        left -= len(received[-1])
                        if left <= 0:
                            break
        except TimeoutError:
            late = LlmTimedOut(
                f"{asked_model.name} gave no whole answer in {asked_model.timeout:g} seconds.",
                remedy="Raise timeout under [llm], lower max_tokens, or name a faster model.",
            )
            raise AttemptError(late, may_pass=True, sent=True, silent=True) from None
        text = "".join(received)
        return Response(
            text,
            tokens_in=asked_model.tally.tokens_of(request),
            tokens_out=round(len(text) / BYTES_PER_TOKEN),
            measured=False,
            finish=Finish.LENGTH,
        )

    def _call(self, request: Request, response: Response, outcome: str) -> Call:
        price = self.model.price
        if response.cost is None and price is not None:
            response = replace(response, cost=price(response.tokens_in, response.tokens_out))
        return call_record(request, response, outcome, job=self.job, tag=self.question.ask.tag)

    @staticmethod
    def _mark(result: Result[T], outcome: str) -> None:
        result.calls[-1] = replace(result.calls[-1], outcome=outcome)


def call_record(request: Request, response: Response, outcome: str, *, job: str, tag: str) -> Call:
    return Call(
        at=datetime.now(UTC).isoformat(timespec="milliseconds"),
        job=job,
        role=request.role,
        model=request.model,
        prompt=request.prompt,
        key=request.key,
        tokens_in=response.tokens_in,
        tokens_out=response.tokens_out,
        cost=response.cost,
        seconds=response.seconds,
        measured=response.measured,
        outcome=outcome,
        tag=tag,
    )


def _longest(request: Request) -> int:
    return request.options.max_tokens * _CHARACTERS_A_TOKEN


def value_of(response: Response, answer: type[T]) -> T:
    """Return what a response holds.

    Raises:
        AnswerParseError: If it does not hold the form.
    """
    if issubclass(answer, str):
        return answer(response.text)
    return parse_answer(response.text, answer)


def reply_of(question: Question[T], result: Result[T], *, was_cached: bool) -> Reply[T]:
    response, value = result.response, result.value
    if response is None or value is None:
        raise RuntimeError("a conversation ended with neither answer nor error")
    costs = [call.cost for call in result.calls if call.cost is not None]
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
        cost=sum(costs) if len(costs) == len(result.calls) else None,
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


class Stream(AbstractContextManager["Stream"]):
    """The pieces of an answer; `reply` is the whole, and reads to its end what is not read.

    Close it, or use it in a `with` statement, where the end is not waited for.
    """

    def __init__(
        self,
        pieces: queue.SimpleQueue[str | None],
        future: Future[Result[str]],
        finish: Callable[[Result[str]], Reply[str]],
    ) -> None:
        self._pieces = pieces
        self._future: Future[Result[str]] | None = future
        self._finish = finish
        self._reply: Reply[str] | None = None

    def __iter__(self) -> Iterator[str]:
        if self._future is None:
            return
        while (piece := self._pieces.get()) is not None:
            yield piece
        future, self._future = self._future, None
        if future is not None:
            self._reply = self._finish(future.result())

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def reply(self) -> Reply[str]:
        """Return the whole answer.

        Raises:
            LlmError: If none came that can be used, as by `Port.ask`.
        """
        for _ in self:
            pass
        if self._reply is None:
            raise RuntimeError("the stream was closed, or has failed, before its end")
        return self._reply

    def close(self) -> None:
        """Stop asking; what came is lost."""
        if self._future is not None:
            future, self._future = self._future, None
            if not future.cancel() and not future.cancelled():
                future.result()
