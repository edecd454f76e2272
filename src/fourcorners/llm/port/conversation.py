"""One question's way to an answer: attempts, waits, one repair, and what each call used."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from fourcorners.errors import (
    FourcornersError,
    LlmRefused,
    LlmTimedOut,
    LlmUnparsable,
    LlmUnreachable,
)
from fourcorners.llm.attempt_error import AttemptError
from fourcorners.llm.exchange import Finish, Message, Request, Response, Speaker
from fourcorners.llm.ledger import Call
from fourcorners.llm.limits.budget import BudgetMeter
from fourcorners.llm.port.answers import AnswerParseError, parse_answer
from fourcorners.llm.port.role_model import BYTES_PER_TOKEN, RoleModel
from fourcorners.llm.prompt import Prompt
from fourcorners.net import MAX_WAIT

if TYPE_CHECKING:
    from pydantic import BaseModel

_FIRST_WAIT = 1.0  # seconds; twice as many before each further attempt
_CHARACTERS_A_TOKEN = 16  # more than any usual text has: what is longer has no end
_REPEATED = 4_000  # characters of a wrong answer that the model is shown again


@dataclass(slots=True)
class Result:
    """What a conversation came to: a response or an error, and the calls it took."""

    response: Response | None = None
    error: FourcornersError | None = None
    calls: list[Call] = field(default_factory=list)
    was_repaired: bool = False

    @property
    def is_complete(self) -> bool:
        return self.response is not None and self.response.finish is Finish.STOP


@dataclass(frozen=True, slots=True)
class Conversation:
    """A question on its way; `run` it on the loop.

    Attributes:
        answer: What the words must hold; None for plain text.
    """

    request: Request
    answer: type[BaseModel] | None
    model: RoleModel
    budget: BudgetMeter
    job: str
    tag: str
    repair: Prompt
    sleep: Callable[[float], Awaitable[None]]

    async def run(self, tell: Callable[[str], None] | None = None) -> Result:
        """Ask until there is an answer or an error; a stream's pieces are told as they come."""
        result = Result()
        try:
            await self._answer(result, tell)
        except FourcornersError as error:
            result.error = error
            result.response = None
        return result

    async def _answer(self, result: Result, tell: Callable[[str], None] | None) -> None:
        request = self.request
        result.response = response = await self._sent(request, result, tell)
        if self.answer is None:
            return
        try:
            parse_answer(response.text, self.answer)
        except AnswerParseError as error:
            self._mark(result, LlmUnparsable.kind)
            if response.finish is Finish.LENGTH:
                raise self._cut() from None
            told = Message(Speaker.ASSISTANT, response.text[:_REPEATED] or "{}")
            (asked,) = self.repair.messages({"problems": error.problems})
            again = replace(request, messages=(*request.messages, told, asked))
        else:
            return
        result.was_repaired = True
        result.response = response = await self._sent(again, result, None)
        try:
            parse_answer(response.text, self.answer)
        except AnswerParseError as error:
            self._mark(result, LlmUnparsable.kind)
            if response.finish is Finish.LENGTH:
                raise self._cut() from None
            raise LlmUnparsable(
                f"{self.model.name} gave twice an answer without the form of "
                f"{self.answer.__name__} ({error.told}).",
                remedy="Try a larger model for this role, or another `structured` under [llm].",
            ) from None

    def _cut(self) -> LlmUnparsable:
        most = self.request.options.max_tokens
        return LlmUnparsable(
            f"{self.model.name} came to no end of its answer within {most:,} tokens.",
            remedy="Raise max_tokens under [llm], or try a larger model for this role.",
        )

    async def _sent(
        self, request: Request, result: Result, tell: Callable[[str], None] | None
    ) -> Response:
        """Return the response to a request, after as many attempts as are allowed."""
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
                    raise _final(trouble, attempt) from None
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
        self, request: Request, result: Result, tell: Callable[[str], None] | None
    ) -> Response:
        voice = self.model
        stake = voice.reservation(request)
        await self.budget.reserve(stake)
        call: Call | None = None
        heard = _Heard(tell)
        began = time.monotonic()
        try:
            async with voice.rate_limiter.acquire(stake.tokens), self._watched():
                began = time.monotonic()
                response = await self._spoken(request, heard if tell else None)
            response = replace(response, seconds=time.monotonic() - began)
            response = _bounded(response, request)
            if response.measured:
                voice.tally.add(request, response.tokens_in)
            call = self._written_down(request, self._priced(response), "answered")
        except (AttemptError, TimeoutError) as error:
            trouble = _told_of(error, voice)
            if heard.size:  # what was told cannot be told again
                trouble = AttemptError(trouble.error, sent=True)
            lost = Response("")
            if trouble.sent:
                sent, got = voice.tally.tokens_of(request), round(heard.size / BYTES_PER_TOKEN)
                lost = Response("", tokens_in=sent, tokens_out=got, measured=False)
            lost = replace(self._priced(lost), seconds=time.monotonic() - began)
            call = self._written_down(request, lost, trouble.error.kind)
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
        except TimeoutError:
            breaker.record_failure()
            raise
        except BaseException:
            breaker.record_abandoned()
            raise
        breaker.record_answer()

    async def _spoken(self, request: Request, heard: _Heard | None) -> Response:
        """Return the whole answer; where it is told piece by piece, it is cut if it has no end."""
        voice = self.model
        async with asyncio.timeout(voice.timeout):
            if heard is None:
                return await voice.model.send(request, voice.timeout)
            most = request.options.max_tokens * _CHARACTERS_A_TOKEN
            async with aclosing(voice.model.stream(request, voice.timeout)) as pieces:
                async for piece in pieces:
                    if isinstance(piece, Response):
                        return piece
                    heard.take(piece[: most - heard.size])
                    if heard.size >= most:
                        break
        text = "".join(heard.pieces)
        return Response(
            text,
            tokens_in=voice.tally.tokens_of(request),
            tokens_out=round(len(text) / BYTES_PER_TOKEN),
            measured=False,
            finish=Finish.LENGTH,
        )

    def _priced(self, response: Response) -> Response:
        price = self.model.price
        if response.cost is not None or price is None:
            return response
        return replace(response, cost=price(response.tokens_in, response.tokens_out))

    def _written_down(self, request: Request, response: Response, outcome: str) -> Call:
        return call_record(request, response, outcome, job=self.job, tag=self.tag)

    @staticmethod
    def _mark(result: Result, outcome: str) -> None:
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


def _bounded(response: Response, request: Request) -> Response:
    most = request.options.max_tokens * _CHARACTERS_A_TOKEN
    if len(response.text) <= most:
        return response
    return replace(response, text=response.text[:most], finish=Finish.LENGTH)


class _Heard:
    def __init__(self, tell: Callable[[str], None] | None) -> None:
        self._tell = tell
        self.pieces: list[str] = []
        self.size = 0

    def take(self, piece: str) -> None:
        self.pieces.append(piece)
        self.size += len(piece)
        if self._tell is not None:
            self._tell(piece)


def _told_of(error: AttemptError | TimeoutError, voice: RoleModel) -> AttemptError:
    if isinstance(error, AttemptError):
        return error
    late = LlmTimedOut(
        f"{voice.name} gave no whole answer in {voice.timeout:g} seconds.",
        remedy="Raise timeout under [llm], lower max_tokens, or name a faster model.",
    )
    return AttemptError(late, may_pass=True, sent=True, silent=True)


def _final(trouble: AttemptError, attempts: int) -> FourcornersError:
    """Return the error that a person is told, with how often it was tried."""
    error = trouble.error
    if attempts == 1:
        return error
    return type(error)(f"{error.message.rstrip('.')}, {attempts} times.", remedy=error.remedy)
