"""Requests to a language model and its responses, independent of the provider."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from functools import cached_property
from hashlib import sha256
from typing import Protocol, TypeAlias

from fourcorners.errors import LlmError


class Role(StrEnum):
    """The role of a model; each role may have a different model."""

    EXTRACT = "extract"
    FOLLOW_UP = "follow_up"
    JUDGE = "judge"
    WRITE = "write"
    ARCHIVIST = "archivist"
    INTERROGATOR = "interrogator"
    RESEARCHER = "researcher"


class Speaker(StrEnum):
    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"


class Finish(StrEnum):
    STOP = "stop"
    LENGTH = "length"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class Message:
    speaker: Speaker
    text: str


@dataclass(frozen=True, slots=True)
class AnswerSchema:
    """The form an answer must have.

    Attributes:
        schema: JSON Schema, as JSON with sorted keys.
    """

    name: str
    schema: str


@dataclass(frozen=True, slots=True)
class PromptId:
    """Which prompt was used: its name, version, and the hash of what its file says."""

    name: str
    version: int
    hash: str

    def __str__(self) -> str:
        return f"{self.name}@{self.version}"


@dataclass(frozen=True, slots=True)
class Options:
    """Further options for the provider; None for the provider's default."""

    temperature: float | None = 0.0
    seed: int | None = None
    max_tokens: int = 4_096


@dataclass(frozen=True)
class Request:
    """One question to one model, with everything that its answer may depend on.

    Attributes:
        model: Provider and name, such as `openai:gpt-4o`; not the address of its server.
        sample: Which of several answers to the same question this is; it is added to the seed.
    """

    role: Role
    model: str
    options: Options
    messages: tuple[Message, ...] = field(repr=False)
    prompt: PromptId
    shape: AnswerSchema | None = field(default=None, repr=False)
    sample: int = 0

    @cached_property
    def key(self) -> str:
        """Return the hash of all that the answer may depend on, the same on every machine."""
        values = {
            "model": self.model,
            "options": asdict(self.options),
            "prompt": self.prompt.hash,
            "shape": asdict(self.shape) if self.shape else None,
            "messages": [[each.speaker.value, each.text] for each in self.messages],
            "sample": self.sample,
        }
        line = json.dumps(values, sort_keys=True, separators=(",", ":"))
        return sha256(line.encode()).hexdigest()

    @property
    def size(self) -> int:
        schema = len(self.shape.schema) if self.shape else 0
        return schema + sum(len(each.text.encode("utf-8", "replace")) for each in self.messages)


@dataclass(frozen=True, slots=True)
class Response:
    """What a model answered.

    Attributes:
        tokens_in: Of the question, as the provider counts.
        measured: Whether the provider reported the tokens; else they are estimates.
        cost: In US dollars, where the provider's price is known.
        seconds: From the question to the end of the answer.
    """

    text: str = field(repr=False)
    model: str = ""
    tokens_in: int = 0
    tokens_out: int = 0
    measured: bool = True
    finish: Finish = Finish.STOP
    cost: float | None = None
    seconds: float = 0.0


def dump_response(response: Response) -> str:
    return json.dumps(asdict(response), ensure_ascii=False, sort_keys=True)


def load_response(line: str) -> Response | None:
    """Return what `dump_response` wrote; None if it is something else."""
    try:
        held = json.loads(line)
        return Response(**{**held, "finish": Finish(held["finish"])})
    except (ValueError, TypeError, KeyError, RecursionError):
        return None


OnPiece: TypeAlias = Callable[[str], None]
"""What is called with each piece of an answer, as it comes."""


class LanguageModel(Protocol):
    """What can answer a request: a provider, a recording, a fake."""

    async def send(self, request: Request, on_piece: OnPiece | None = None) -> Response:
        """Return the answer; stream it if somebody listens. What the listener raises ends it.

        Raises:
            AttemptError: If there is no answer; it says whether another attempt may have one.
        """
        ...

    async def close(self) -> None:
        """Close connections, if there are any."""
        return


class AttemptError(Exception):
    """One attempt failed.

    Attributes:
        error: What a person sees if no other attempt is made.
        may_pass: Whether the same request may succeed a little later.
        wait: Seconds that the server asks to wait; 0 if it does not say.
        sent: Whether the model may have read the request, so that it may be charged.
        silent: Whether the server gave no sign of life: no connection, or no answer in time.
    """

    def __init__(
        self,
        error: LlmError,
        *,
        may_pass: bool = False,
        wait: float = 0.0,
        sent: bool = False,
        silent: bool = False,
    ) -> None:
        super().__init__(error.message)
        self.error = error
        self.may_pass, self.wait, self.sent, self.silent = may_pass, wait, sent, silent
