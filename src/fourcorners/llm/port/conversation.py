"""One question's way to a reply: attempts, waits, one repair, and what each call used."""

from __future__ import annotations

import asyncio
import json
import random
import re
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Generic, TypeVar

from fourcorners.errors import ConfigError, LlmRefused, LlmTimedOut, LlmUnparsable
from fourcorners.llm.exchange import (
    AnswerSchema,
    AttemptError,
    Finish,
    Message,
    OnPiece,
    Request,
    Response,
    Speaker,
)
from fourcorners.llm.ledger import Call, total_spending
from fourcorners.llm.limits import BYTES_PER_TOKEN, BudgetMeter, RoleModel
from fourcorners.llm.prompt import Prompt
from fourcorners.llm.reply import PromptRequest, Reply
from fourcorners.net import MAX_WAIT

if TYPE_CHECKING:
    from pydantic import BaseModel

    M = TypeVar("M", bound=BaseModel)

T = TypeVar("T", bound="BaseModel | str")
_FIRST_WAIT = 1.0  # seconds; twice as many before each further attempt
_CHARACTERS_A_TOKEN = 16  # more than any usual text has: what is longer has no end
_REPEATED = 4_000  # characters of a wrong answer that the model is shown again


class _EndlessAnswer(Exception):
    """A stream was cut where it became too long."""


@dataclass(slots=True)
class Conversation(Generic[T]):
    """A question to one model, and what has come of it so far.

    Attributes:
        repair: The prompt that says what is wrong with an answer.
        calls: What was used, for the ledger; also where there is no answer in the end.
        value: The answer; None until there is one.
    """

    ask: PromptRequest[T]
    prompt: Prompt
    request: Request
    model: RoleModel
    repair: Prompt
    job: str
    budget: BudgetMeter
    sleep: Callable[[float], Awaitable[None]]
    calls: list[Call] = field(default_factory=list)
    response: Response | None = None
    value: T | None = None
    is_cached: bool = False
    is_repaired: bool = False

    async def run(self, on_piece: OnPiece | None = None) -> None:
        """Ask until there is an answer; once more if the first is not of the form.

        Raises:
            FourcornersError: If there is none.
        """
        request = self.request
        while self.value is None:
            response = await self._send(request, on_piece)
            try:
                self.value = value_of(response, self.ask.answer)
                self.response = response
            except AnswerParseError as wrong:
                self._mark(LlmUnparsable.kind)
                if response.finish is Finish.LENGTH or self.is_repaired:
                    raise self._unparsable(response, wrong) from None
                self.is_repaired, on_piece = True, None
                previous = Message(Speaker.ASSISTANT, response.text[:_REPEATED] or "{}")
                reason = self.repair.messages({"problems": wrong.problems})
                request = replace(request, messages=(*request.messages, previous, *reason))

    def take_cached(self, response: Response) -> None:
        """Take an answer from the cache, if it is of the form."""
        try:
            self.value = value_of(response, self.ask.answer)
        except AnswerParseError:
            return
        self.response, self.is_cached = response, True
        free = replace(response, tokens_in=0, tokens_out=0, cost=0.0, seconds=0.0)
        self._record(self.request, free, "cached")

    @property
    def is_complete(self) -> bool:
        return self.response is not None and self.response.finish is Finish.STOP

    def reply(self) -> Reply[T]:
        """Return the answer of a conversation that has ended with one."""
        if self.response is None or self.value is None:
            raise RuntimeError("a conversation ended with neither answer nor error")
        request, spent = self.request, total_spending(self.calls)
        return Reply(
            value=self.value,
            text=self.response.text,
            role=request.role,
            model=request.model,
            prompt=request.prompt,
            key=request.key,
            complete=self.is_complete,
            cached=self.is_cached,
            repaired=self.is_repaired,
            tokens_in=spent.tokens_in,
            tokens_out=spent.tokens_out,
            cost=None if spent.unpriced else spent.cost,
            seconds=spent.seconds,
            calls=tuple(self.calls),
            messages=(*request.messages, Message(Speaker.ASSISTANT, self.response.text)),
        )

    async def _send(self, request: Request, on_piece: OnPiece | None) -> Response:
        """Return the first answer that is one; what may pass is tried again after a while."""
        model, wait, attempt = self.model, _FIRST_WAIT, 1
        while True:
            model.breaker.require_server(model.name)
            try:
                response = await self._attempt(request, on_piece)
                break
            except AttemptError as trouble:
                is_last = attempt >= model.attempts or model.breaker.is_open()
                if is_last or not trouble.may_pass or trouble.wait > MAX_WAIT:
                    error = trouble.error
                    if attempt > 1:
                        reason = f"{error.message.rstrip('.')}, {attempt} times."
                        error = type(error)(reason, remedy=error.remedy)
                    raise error from None
                if trouble.wait:
                    model.rate_limiter.pause(trouble.wait)
                await self.sleep(trouble.wait or wait * random.uniform(0.75, 1.25))  # noqa: S311
                wait, attempt = min(2 * wait, MAX_WAIT), attempt + 1
        if response.finish is Finish.REFUSED:
            self._mark(LlmRefused.kind)
            raise LlmRefused(
                f"{model.name} declined to answer.",
                remedy="Ask otherwise, or name another model for this role.",
            )
        if not response.text.strip():
            self._mark(LlmUnparsable.kind)
            raise LlmUnparsable(
                f"{model.name} answered nothing.",
                remedy="Raise max_tokens under [llm] if the model thinks before it answers; "
                "else name another model for this role.",
            )
        return response

    async def _attempt(self, request: Request, on_piece: OnPiece | None) -> Response:
        """Ask once: within the budget, at the model's pace, and with what it used written down."""
        model = self.model
        stake = model.reservation(request)
        await self.budget.reserve(stake)
        call: Call | None = None
        received: list[str] = []
        began = time.monotonic()
        try:
            async with model.rate_limiter.acquire(stake.tokens):
                with model.breaker.attempt(model.name):
                    began = time.monotonic()
                    response = await self._receive(request, received, on_piece)
            response = replace(response, seconds=time.monotonic() - began)
            if len(response.text) > (most := _longest(request)):
                response = replace(response, text=response.text[:most], finish=Finish.LENGTH)
            if response.measured:
                model.tally.add(request, response.tokens_in)
            call = self._record(request, response, "answered")
        except AttemptError as trouble:
            lost = Response("", seconds=time.monotonic() - began)
            if received:  # what was shown cannot be shown again
                trouble = AttemptError(trouble.error, sent=True)
            if trouble.sent:
                lost = replace(self._estimate(request, received), seconds=lost.seconds)
            call = self._record(request, lost, trouble.error.kind)
            raise trouble from None
        finally:
            await self.budget.charge(stake, call)
        return response

    async def _receive(
        self, request: Request, received: list[str], on_piece: OnPiece | None
    ) -> Response:
        """Return the whole answer, in time; one that is streamed is cut if it has no end."""
        model, left = self.model, _longest(request)

        def send_piece(piece: str) -> None:
            nonlocal left
            received.append(piece[:left])
            left -= len(received[-1])
            if on_piece is not None:
                on_piece(received[-1])
            if left <= 0:
                raise _EndlessAnswer

        try:
            async with asyncio.timeout(model.timeout):
                return await model.model.send(request, None if on_piece is None else send_piece)
        except _EndlessAnswer:
            return self._estimate(request, received)
        except TimeoutError:
            late = LlmTimedOut(
                f"{model.name} gave no whole answer in {model.timeout:g} seconds.",
                remedy="Raise timeout under [llm], lower max_tokens, or name a faster model.",
            )
            raise AttemptError(late, may_pass=True, sent=True, silent=True) from None

    def _estimate(self, request: Request, received: Sequence[str]) -> Response:
        """Return an answer of which only these pieces came, with an estimate of its tokens."""
        text = "".join(received)
        return Response(
            text,
            tokens_in=self.model.tally.tokens_of(request),
            tokens_out=round(len(text) / BYTES_PER_TOKEN),
            measured=False,
            finish=Finish.LENGTH,
        )

    def _unparsable(self, response: Response, wrong: AnswerParseError) -> LlmUnparsable:
        if response.finish is Finish.LENGTH:
            return LlmUnparsable(
                f"{self.model.name} came to no end of its answer within "
                f"{self.request.options.max_tokens:,} tokens.",
                remedy="Raise max_tokens under [llm], or try a larger model for this role.",
            )
        return LlmUnparsable(
            f"{self.model.name} gave twice an answer without the form of "
            f"{self.ask.answer.__name__} ({wrong.summary}).",
            remedy="Try a larger model for this role, or another `structured` under [llm].",
        )

    def _record(self, request: Request, response: Response, outcome: str) -> Call:
        cost = response.cost
        if cost is None and self.model.price is not None:
            cost = self.model.price(response.tokens_in, response.tokens_out)
        call = Call(
            at=datetime.now(UTC).isoformat(timespec="milliseconds"),
            job=self.job,
            role=request.role,
            model=request.model,
            prompt=request.prompt,
            key=request.key,
            tokens_in=response.tokens_in,
            tokens_out=response.tokens_out,
            cost=cost,
            seconds=response.seconds,
            measured=response.measured,
            outcome=outcome,
            tag=self.ask.tag,
        )
        self.calls.append(call)
        return call

    def _mark(self, outcome: str) -> None:
        self.calls[-1] = replace(self.calls[-1], outcome=outcome)


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


def continue_messages(
    before: Sequence[Message], new: Sequence[Message], prompt: Prompt
) -> tuple[Message, ...]:
    """Return a conversation that goes on: under one system's message, the first one's first."""
    if prompt.system.strip():
        raise ConfigError(
            f"the prompt {prompt.id} follows another prompt, but has a system part.",
            remedy="Move it to the user part.",
        )
    rules = [each.text for each in new if each.speaker is Speaker.SYSTEM]
    first = before[0]
    if rules and first.speaker is not Speaker.SYSTEM:
        first, before = Message(Speaker.SYSTEM, rules[0]), (first, *before)
    elif rules and rules[0] not in first.text:
        first = Message(Speaker.SYSTEM, f"{first.text}\n\n{rules[0]}")
    return (first, *before[1:], *(each for each in new if each.speaker is not Speaker.SYSTEM))


MAX_PROBLEMS = 8  # shown to the model
_FENCED = re.compile(r"```[a-zA-Z]*\s*\n(.*?)```", re.S)
_THOUGHT = re.compile(r"^\s*<think>.*?</think>", re.S)


class AnswerParseError(Exception):
    """Words that hold no value of the form.

    Attributes:
        problems: For the model: what is wrong, and where.
        summary: For people and logs: the same without any words of the answer.
    """

    def __init__(self, problems: list[str], summary: str) -> None:
        super().__init__(summary)
        self.problems = problems
        self.summary = summary


def answer_schema(answer: type[BaseModel]) -> AnswerSchema:
    schema = answer.model_json_schema()
    return AnswerSchema(answer.__name__, json.dumps(schema, sort_keys=True, separators=(",", ":")))


def parse_answer(text: str, answer: type[M]) -> M:
    """Return the value that a model's words hold.

    Raises:
        AnswerParseError: If they hold none.
    """
    from pydantic import ValidationError

    faults = []
    for candidate in _candidates(text):
        try:
            return answer.model_validate_json(candidate)
        except ValidationError as error:
            found = error.errors(include_input=False, include_url=False)
            if found[0]["type"] != "json_invalid":
                faults = found
    if not faults:
        raise AnswerParseError(["it is no JSON, or not all of it"], "it is no JSON")
    known = answer_schema(answer).schema
    problems, kinds = [], []
    for fault in faults[:MAX_PROBLEMS]:
        where = ".".join(str(step) for step in fault["loc"]) or "the whole"
        problems.append(f"{where}: {fault['msg']}")
        safe = [str(s) if isinstance(s, int) or f'"{s}"' in known else "…" for s in fault["loc"]]
        kinds.append(f"{'.'.join(safe) or 'the whole'}: {fault['type']}")
    raise AnswerParseError(problems, "; ".join(kinds))


def _candidates(text: str) -> Iterator[str]:
    """Yield what may be the JSON of an answer, the likeliest first."""
    words = _THOUGHT.sub("", text).strip()
    yield words
    yield from (each.strip() for each in _FENCED.findall(words))
    if (start := words.find("{")) >= 0:
        try:
            _, end = json.JSONDecoder().raw_decode(words, start)
        except (ValueError, RecursionError):
            return
        yield words[start:end]
