"""`Port`: the one way in which the rooms ask a language model, synchronous outside."""

from __future__ import annotations

import asyncio
import queue
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future
from contextlib import AbstractContextManager
from copy import copy
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict, TypeVar, Unpack, overload

from fourcorners.errors import ConfigError, FourcornersError, LlmNotConfigured
from fourcorners.llm.exchange import (
    LanguageModel,
    Options,
    Request,
    Role,
    dump_response,
    load_response,
)
from fourcorners.llm.ledger import Budget, Cache, Ledger, MemoryLedger, Spending
from fourcorners.llm.limits import BudgetMeter, Price, RateLimiter, RoleModel
from fourcorners.llm.port.answers import AnswerParseError, answer_schema
from fourcorners.llm.port.conversation import (
    Conversation,
    Question,
    Result,
    Stream,
    call_record,
    continue_messages,
    reply_of,
    value_of,
)
from fourcorners.llm.port.event_loop import EventLoopThread
from fourcorners.llm.prompt import Prompt, Value, load_prompt
from fourcorners.llm.reply import Estimate, Outcome, PromptRequest, Reply

if TYPE_CHECKING:
    from pydantic import BaseModel

T = TypeVar("T", bound="BaseModel | str")

NOT_CONFIGURED = (
    'Name one under [llm] in fourcorners.toml (model = "ollama:llama3.2"), or as '
    "FOURCORNERS_LLM_MODEL in the environment."
)


class AskOptions(TypedDict, total=False):
    """How a question is asked, as `PromptRequest` has it."""

    role: Role | None
    after: Reply[BaseModel | str] | None
    sample: int
    tag: str


class PortOptions(TypedDict, total=False):
    """What a port is given beside its models; see `Port`."""

    cache: Cache | None
    ledger: Ledger | None
    job: str
    budget: Budget
    prompts: Path | None
    sleep: Callable[[float], Awaitable[None]]


class Port(AbstractContextManager["Port"]):
    """A model a role, with cache, ledger and budget; close it, or use it in a `with` statement.

    It may be used in several threads; cache and ledger are used in the thread that asks.

    Args:
        role_models: What answers for each role; a role that is missing has no model.
        ledger: By default one in memory, as `port.ledger`.
        job: What calls are charged to; the budget counts what the ledger has under this name.
        prompts: A folder whose files replace the package's prompts of the same name.
    """

    def __init__(
        self,
        role_models: Mapping[Role, RoleModel],
        *,
        cache: Cache | None = None,
        ledger: Ledger | None = None,
        job: str = "",
        budget: Budget = Budget(),  # noqa: B008 - it cannot change
        prompts: Path | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._role_models = dict(role_models)
        self._cache = cache
        self.ledger: Ledger = MemoryLedger() if ledger is None else ledger
        self.job = job
        self.budget = budget
        self._prompts = prompts
        self._replaced: Mapping[str, Prompt] = {}
        self._sleep = sleep
        self._budget = BudgetMeter(budget, self.ledger.job_spending(job))
        self._loop = EventLoopThread()
        self._owns_loop = True

    @classmethod
    def for_model(
        cls,
        model: LanguageModel,
        *,
        name: str = "fake:model",
        options: Options = Options(),  # noqa: B008
        timeout: float = 120.0,
        attempts: int = 4,
        concurrency: int = 4,
        price: Price | None = None,
        **other_options: Unpack[PortOptions],
    ) -> Port:
        """Return a port with one model for all roles, such as a fake or a recording."""
        pace = RateLimiter(concurrency=concurrency)
        role_model = RoleModel(name, model, pace, options, timeout, attempts, price)
        return cls(dict.fromkeys(Role, role_model), **other_options)

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Cancel what runs and give back connections; a port of `for_job` leaves that to its own.

        The port cannot be used after it.
        """
        if self._owns_loop:
            self._loop.close(_closed(self._role_models.values()))

    def for_job(self, job: str, budget: Budget | None = None) -> Port:
        """Return a port with the same models, cache and ledger, and the budget of another job."""
        port = copy(self)
        port.job, port.budget = job, self.budget if budget is None else budget
        port._budget = BudgetMeter(port.budget, self.ledger.job_spending(job))
        port._owns_loop = False
        return port

    def role_model(self, role: Role) -> RoleModel:
        """Return what answers for a role.

        Raises:
            LlmNotConfigured: If nothing does.
        """
        if role not in self._role_models:
            raise LlmNotConfigured(
                f"no language model is configured to {role.value.replace('_', ' ')}.",
                remedy=NOT_CONFIGURED,
            )
        return self._role_models[role]

    def has(self, role: Role) -> bool:
        return role in self._role_models

    @property
    def spending(self) -> Spending:
        return self._budget.spent

    def with_prompts(self, prompts: Mapping[str, Prompt]) -> Port:
        """Return a port that is this one, but for prompts in place of those of the same names."""
        port = copy(self)
        port._replaced = {**self._replaced, **prompts}
        port._owns_loop = False
        return port

    def load_prompt(self, name: str) -> Prompt:
        return self._replaced.get(name) or load_prompt(name, folder=self._prompts)

    @overload
    def ask(
        self, prompt: str | Prompt, values: Mapping[str, Value], **how: Unpack[AskOptions]
    ) -> Reply[str]: ...

    @overload
    def ask(
        self,
        prompt: str | Prompt,
        values: Mapping[str, Value],
        answer: type[T],
        **how: Unpack[AskOptions],
    ) -> Reply[T]: ...

    def ask(
        self,
        prompt: str | Prompt,
        values: Mapping[str, Value],
        answer: type[T] | type[str] = str,
        **how: Unpack[AskOptions],
    ) -> Reply[T] | Reply[str]:
        """Ask once, and return the answer.

        Args:
            prompt: The name of a prompt, or a prompt.
            values: What it names; words of documents as `QuotedText`.
            answer: A pydantic model whose schema the answer must hold; by default plain text.
            role: Whose model is asked; by default the prompt's.
            after: An answer that this question follows: the conversation goes on.
            sample: Which of several answers to the same question this is.
            tag: The caller's own name for it, for the ledger.

        Raises:
            LlmError: If no answer came that can be used; the subclass says why.
            BudgetExceeded: Before a call that may exceed the budget.
            ConfigError: If no model is configured, or prompt and values do not fit.
        """
        if issubclass(answer, str):
            return self._ask_model(PromptRequest(prompt, values, str, **how))
        return self._ask_model(PromptRequest(prompt, values, answer, **how))

    def _ask_model(self, ask: PromptRequest[T]) -> Reply[T]:
        question = self._question(ask)
        if (cached := self._cached_reply(question)) is not None:
            return cached
        return self._finish_reply(question, self._loop.run(self._conversation(question).run()))

    def ask_many(self, asks: Iterable[PromptRequest[T]]) -> Iterator[Outcome[T]]:
        """Ask many questions, several at once, and yield how each ended, as soon as it has.

        An error is the outcome of its question and stops no other. Once the budget is used up,
        each question that is left ends with `BudgetExceeded`. Questions are taken as they are
        needed; closing the iterator cancels those that run.
        """
        ended: queue.SimpleQueue[Future[Result[T]]] = queue.SimpleQueue()
        running: dict[Future[Result[T]], tuple[int, Question[T]]] = {}
        source = enumerate(asks)
        width = max(
            [each.rate_limiter.concurrency for each in self._role_models.values()], default=1
        )
        is_left = True
        try:
            while is_left or running:
                while is_left and len(running) < width:
                    index, ask = next(source, (-1, None))
                    if ask is None:
                        is_left = False
                        break
                    try:
                        question = self._question(ask)
                        cached = self._cached_reply(question)
                    except FourcornersError as error:
                        yield Outcome(index, ask, error=error)
                        continue
                    if cached is not None:
                        yield Outcome(index, ask, cached)
                        continue
                    future = self._loop.start(self._conversation(question).run())
                    running[future] = (index, question)
                    future.add_done_callback(ended.put)
                if running:
                    future = ended.get()
                    index, question = running.pop(future)
                    yield self._outcome(index, question, future.result())
        finally:
            for future, (_, question) in running.items():
                is_done = not future.cancel() and not future.cancelled()
                if is_done and future.exception() is None:
                    self._write_down(question, future.result())

    def stream(
        self, prompt: str | Prompt, values: Mapping[str, Value], **how: Unpack[AskOptions]
    ) -> Stream:
        """Ask once for plain text, and return what yields it as it comes.

        Its `reply` is the whole, once it has ended. What can go wrong is raised while it is read,
        as by `ask`.
        """
        question = self._question(PromptRequest(prompt, values, str, **how))
        pieces: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        if (cached := self._cached_reply(question)) is not None:
            pieces.put(cached.text)
            pieces.put(None)
            done: Future[Result[str]] = Future()
            done.set_result(Result())
            return Stream(pieces, done, lambda _: cached)
        conversation = self._conversation(question)
        future = self._loop.start(conversation.run(pieces.put))
        future.add_done_callback(lambda _: pieces.put(None))
        return Stream(pieces, future, lambda result: self._finish_reply(question, result))

    def estimate(
        self,
        prompt: str | Prompt,
        values: Mapping[str, Value],
        answer: type[BaseModel] | type[str] = str,
        **how: Unpack[AskOptions],
    ) -> Estimate:
        question = self._question(PromptRequest(prompt, values, answer, **how))
        role_model, request = question.model, question.request
        sent = role_model.tally.tokens_of(request)
        got = min(question.prompt.expected_tokens, request.options.max_tokens)
        stake = role_model.reservation(request)
        return Estimate(
            model=role_model.name,
            tokens_in=sent,
            tokens_out=got,
            cost=role_model.price(sent, got) if role_model.price else None,
            most_tokens=stake.tokens,
            most_cost=stake.cost if role_model.price else None,
            cached=self._cache is not None and self._cache.get(request.key) is not None,
        )

    def _question(self, ask: PromptRequest[T]) -> Question[T]:
        prompt = self.load_prompt(ask.prompt) if isinstance(ask.prompt, str) else ask.prompt
        role = prompt.role if ask.role is None else ask.role
        model = self.role_model(role)
        if self.budget.cost is not None and model.price is None:
            raise ConfigError(
                f"a budget is set, and the price of {model.name} is not known.",
                remedy="Say price_in and price_out under [llm], per million tokens, or "
                "budget_tokens in place of budget.",
            )
        messages = prompt.messages(ask.values)
        if ask.after is not None:
            messages = continue_messages(ask.after.messages, messages, prompt)
        request = Request(
            role=role,
            model=model.name,
            options=_limit_answer(model.options, prompt),
            messages=messages,
            prompt=prompt.id,
            shape=None if issubclass(ask.answer, str) else answer_schema(ask.answer),
            sample=ask.sample,
        )
        return Question(ask, prompt, model, request)

    def _conversation(self, question: Question[T]) -> Conversation[T]:
        repair = self.load_prompt("repair")
        return Conversation(question, self._budget, self.job, repair, self._sleep)

    def _cached_reply(self, question: Question[T]) -> Reply[T] | None:
        line = self._cache.get(question.request.key) if self._cache is not None else None
        response = load_response(line) if line is not None else None
        if response is None:
            return None
        try:
            value = value_of(response, question.ask.answer)
        except AnswerParseError:
            return None
        free = replace(response, tokens_in=0, tokens_out=0, cost=0.0, seconds=0.0)
        tag = question.ask.tag
        call = call_record(question.request, free, "cached", job=self.job, tag=tag)
        self.ledger.add(call)
        return reply_of(question, Result(response, value, calls=[call]), was_cached=True)

    def _finish_reply(self, question: Question[T], result: Result[T]) -> Reply[T]:
        self._write_down(question, result)
        if result.error is not None:
            raise result.error
        return reply_of(question, result, was_cached=False)

    def _outcome(self, index: int, question: Question[T], result: Result[T]) -> Outcome[T]:
        try:
            return Outcome(index, question.ask, self._finish_reply(question, result))
        except FourcornersError as error:
            return Outcome(index, question.ask, error=error)

    def _write_down(self, question: Question[T], result: Result[T]) -> None:
        """Tell ledger and cache, in the thread that asks."""
        for call in result.calls:
            self.ledger.add(call)
        if self._cache is not None and result.response is not None and result.is_complete:
            self._cache.put(question.request.key, dump_response(result.response))


def _limit_answer(options: Options, prompt: Prompt) -> Options:
    """Return options that allow, and so reserve, no longer an answer than a prompt needs.

    Whoever allows more than by default has a model that thinks before it answers: that stays.
    """
    most = options.max_tokens
    if prompt.most_tokens is None or most > Options().max_tokens:
        return options
    return replace(options, max_tokens=min(most, prompt.most_tokens))


async def _closed(role_models: Iterable[RoleModel]) -> None:
    for model in {id(each.model): each.model for each in role_models}.values():
        await model.close()
