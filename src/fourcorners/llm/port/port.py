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
from typing import TYPE_CHECKING, TypedDict, Unpack

from fourcorners.errors import ConfigError, FourcornersError, LlmNotConfigured
from fourcorners.llm.exchange import (
    LanguageModel,
    OnPiece,
    Options,
    Request,
    Role,
    dump_response,
    load_response,
)
from fourcorners.llm.ledger import Budget, Cache, Ledger, MemoryLedger, Spending
from fourcorners.llm.limits import BudgetMeter, Price, RateLimiter, RoleModel
from fourcorners.llm.port.conversation import Conversation, answer_schema, continue_messages
from fourcorners.llm.port.event_loop import EventLoopThread
from fourcorners.llm.prompt import Prompt, Value, load_prompt
from fourcorners.llm.reply import Estimate, Outcome, PromptRequest, Reply

if TYPE_CHECKING:
    from pydantic import BaseModel
    from typing_extensions import TypeVar

    T = TypeVar("T", bound=BaseModel | str, default=str)

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
    """Options of a port in addition to its models; see `Port`."""

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
        role_models: The model of each role; a missing role has no model.
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
        self._models = dict(role_models)
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
            self._loop.close(_closed(self._models.values()))

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
        if role not in self._models:
            raise LlmNotConfigured(
                f"no language model is configured to {role.value.replace('_', ' ')}.",
                remedy=NOT_CONFIGURED,
            )
        return self._models[role]

    def has(self, role: Role) -> bool:
        return role in self._models

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

    def ask(
        self,
        prompt: str | Prompt,
        values: Mapping[str, Value],
        answer: type[T] = str,  # type: ignore[assignment]  # T is str by default
        **how: Unpack[AskOptions],
    ) -> Reply[T]:
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
        conversation = self._conversation(PromptRequest(prompt, values, answer, **how))
        return self._reply(conversation, self._start(conversation))

    def ask_many(self, asks: Iterable[PromptRequest[T]]) -> Iterator[Outcome[T]]:
        """Ask many questions, several at once, and yield how each ended, as soon as it has.

        An error is the outcome of its question and stops no other. Once the budget is used up,
        each question that is left ends with `BudgetExceeded`. Questions are taken as they are
        needed; closing the iterator cancels those that run.
        """
        ended: queue.SimpleQueue[Future[None]] = queue.SimpleQueue()
        running: dict[Future[None], tuple[int, Conversation[T]]] = {}
        source = enumerate(asks)
        width = max((each.rate_limiter.concurrency for each in self._models.values()), default=1)
        try:
            while True:
                while len(running) < width and (taken := next(source, None)) is not None:
                    index, ask = taken
                    try:
                        conversation = self._conversation(ask)
                    except FourcornersError as error:
                        yield Outcome(index, ask, error=error)
                        continue
                    future = self._start(conversation)
                    running[future] = (index, conversation)
                    future.add_done_callback(ended.put)
                if not running:
                    return
                future = ended.get()
                index, conversation = running.pop(future)
                yield self._outcome(index, conversation, future)
        finally:
            for future, (_, conversation) in running.items():
                self._settle(conversation, future)

    def stream(
        self, prompt: str | Prompt, values: Mapping[str, Value], **how: Unpack[AskOptions]
    ) -> Stream:
        """Ask once for plain text, and return what yields it as it comes.

        Its `reply` is the whole, once it has ended. What can go wrong is raised while it is read,
        as by `ask`.
        """
        conversation = self._conversation(PromptRequest(prompt, values, str, **how))
        pieces: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        if conversation.value is not None:
            pieces.put(conversation.value)
        future = self._start(conversation, pieces.put)
        future.add_done_callback(lambda _: pieces.put(None))
        return Stream(
            pieces,
            finish=lambda: self._reply(conversation, future),
            settle=lambda: self._settle(conversation, future),
        )

    def estimate(
        self,
        prompt: str | Prompt,
        values: Mapping[str, Value],
        answer: type[BaseModel] | type[str] = str,
        **how: Unpack[AskOptions],
    ) -> Estimate:
        conversation = self._conversation(PromptRequest(prompt, values, answer, **how))
        model, request = conversation.model, conversation.request
        sent = model.tally.tokens_of(request)
        got = min(conversation.prompt.expected_tokens, request.options.max_tokens)
        stake = model.reservation(request)
        return Estimate(
            model=model.name,
            tokens_in=sent,
            tokens_out=got,
            cost=model.price(sent, got) if model.price else None,
            most_tokens=stake.tokens,
            most_cost=stake.cost if model.price else None,
            cached=conversation.is_cached,
        )

    def _conversation(self, ask: PromptRequest[T]) -> Conversation[T]:
        """Return a question ready to be sent, or with its answer from the cache."""
        prompt = self.load_prompt(ask.prompt) if isinstance(ask.prompt, str) else ask.prompt
        role = prompt.role if ask.role is None else ask.role
        model = self.role_model(role)
        if self.budget.cost is not None and model.price is None:
            raise ConfigError(
                f"a budget is set, and the price of {model.name} is not known.",
                remedy="Set price_in and price_out under [llm], per million tokens, or "
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
        repair = self.load_prompt("repair")
        limits = (self._budget, self._sleep)
        conversation = Conversation(ask, prompt, request, model, repair, self.job, *limits)
        line = self._cache.get(request.key) if self._cache is not None else None
        if line is not None and (response := load_response(line)) is not None:
            conversation.take_cached(response)
        return conversation

    def _start(
        self, conversation: Conversation[T], on_piece: OnPiece | None = None
    ) -> Future[None]:
        if conversation.is_cached:
            done: Future[None] = Future()
            done.set_result(None)
            return done
        return self._loop.start(conversation.run(on_piece))

    def _reply(self, conversation: Conversation[T], future: Future[None]) -> Reply[T]:
        """Wait for a conversation's end; where the caller is interrupted, it is cancelled."""
        try:
            future.result()
        finally:
            self._settle(conversation, future)
        return conversation.reply()

    def _settle(self, conversation: Conversation[T], future: Future[None]) -> None:
        """Cancel a conversation that has not ended, and write down what it used."""
        future.cancel()
        self._write_down(conversation)

    def _outcome(
        self, index: int, conversation: Conversation[T], future: Future[None]
    ) -> Outcome[T]:
        try:
            return Outcome(index, conversation.ask, self._reply(conversation, future))
        except FourcornersError as error:
            return Outcome(index, conversation.ask, error=error)

    def _write_down(self, conversation: Conversation[T]) -> None:
        """Tell ledger and cache, in the thread that asks."""
        for call in tuple(conversation.calls):
            self.ledger.add(call)
        is_new = conversation.is_complete and not conversation.is_cached
        if self._cache is not None and conversation.response is not None and is_new:
            self._cache.put(conversation.request.key, dump_response(conversation.response))


def _limit_answer(options: Options, prompt: Prompt) -> Options:
    """Return options that allow, and so reserve, no longer an answer than a prompt needs.

    A setting above the default means a model that thinks before it answers: it is not reduced.
    """
    most = options.max_tokens
    if prompt.most_tokens is None or most > Options().max_tokens:
        return options
    return replace(options, max_tokens=min(most, prompt.most_tokens))


async def _closed(role_models: Iterable[RoleModel]) -> None:
    for model in {id(each.model): each.model for each in role_models}.values():
        await model.close()


class Stream(AbstractContextManager["Stream"]):
    """The pieces of an answer; `reply` is the whole, and reads to its end what is not read.

    Close it, or use it in a `with` statement, where the end is not waited for.
    """

    def __init__(
        self,
        pieces: queue.SimpleQueue[str | None],
        finish: Callable[[], Reply[str]],
        settle: Callable[[], None],
    ) -> None:
        self._pieces, self._finish, self._settle = pieces, finish, settle
        self._is_open = True
        self._reply: Reply[str] | None = None

    def __iter__(self) -> Iterator[str]:
        while self._is_open and (piece := self._pieces.get()) is not None:
            yield piece
        if self._is_open:
            self._is_open = False
            self._reply = self._finish()

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
        if self._is_open:
            self._is_open = False
            self._settle()
