"""What a caller asks and gets: `PromptRequest`, `Reply`, `Outcome`, `Estimate`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Generic, TypeVar

from fourcorners.errors import FourcornersError
from fourcorners.llm.exchange import Message, PromptId, Role
from fourcorners.llm.ledger import Call
from fourcorners.llm.prompt import Prompt, Value

if TYPE_CHECKING:
    from pydantic import BaseModel

T = TypeVar("T", bound="BaseModel | str")
T_co = TypeVar("T_co", bound="BaseModel | str", covariant=True)


@dataclass(frozen=True, slots=True)
class Reply(Generic[T_co]):
    """A model's answer, as a value of the type that was asked for.

    Attributes:
        value: The answer: validated, or the text itself.
        complete: False where the text was cut at its limit.
        repaired: Whether the first answer had to be corrected.
        cost: In the currency of the prices; None where the price is not known; 0 from the cache.
        seconds: From the first attempt to the answer; 0 from the cache.
        key: The request's hash, as in the cache, the ledger and recordings.
        messages: The conversation up to and with this answer; a question can follow it.
    """

    value: T_co = field(repr=False)
    text: str = field(repr=False)
    role: Role
    model: str
    prompt: PromptId
    key: str
    complete: bool
    cached: bool
    repaired: bool
    tokens_in: int
    tokens_out: int
    cost: float | None
    seconds: float
    calls: tuple[Call, ...] = field(repr=False)
    messages: tuple[Message, ...] = field(repr=False)


@dataclass(frozen=True, slots=True)
class PromptRequest(Generic[T]):
    """One question of many.

    Attributes:
        answer: A pydantic model whose schema the answer must hold, or `str`.
        role: Whose model is asked; None for the prompt's.
        sample: Which of several answers to the same question this is.
        tag: The caller's own name for it, handed back, and for the ledger.
    """

    prompt: str | Prompt
    values: Mapping[str, Value] = field(repr=False)
    answer: type[T]
    role: Role | None = None
    after: Reply[BaseModel | str] | None = None
    sample: int = 0
    tag: str = ""


@dataclass(frozen=True, slots=True)
class Outcome(Generic[T]):
    """How one question of many ended: with a reply, or with the error that says why not."""

    index: int
    ask: PromptRequest[T]
    reply: Reply[T] | None = None
    error: FourcornersError | None = None


@dataclass(frozen=True, slots=True)
class Estimate:
    """What a question would use, before anything is sent.

    Attributes:
        tokens_in: Four bytes a token, until the model has reported its own count.
        tokens_out: What its prompt expects.
        cost: Of these; None where the price is not known.
        most_tokens: In, and as long an answer as is allowed.
        cached: Whether the answer is in the cache: nothing would be used.
    """

    model: str
    tokens_in: int
    tokens_out: int
    cost: float | None
    most_tokens: int
    most_cost: float | None
    cached: bool
