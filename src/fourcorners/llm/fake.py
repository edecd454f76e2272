"""`FakeModel`: a language model for tests, which answers what it is told to. Nothing is called."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, TypeAlias

from fourcorners.errors import LlmError
from fourcorners.llm.exchange import AttemptError, Pieces, Request, Response

if TYPE_CHECKING:
    from pydantic import BaseModel

Answer: TypeAlias = "str | BaseModel | Response | LlmError | AttemptError"
"""Words, a value (its JSON is said), a whole response, or what goes wrong."""


class FakeModel:
    """Answers from a function of the request, or from a list in turn.

    An `LlmError` is final; a `Trouble` with `may_pass` is tried again by the port. Tokens are
    counted as four bytes each, so that ledgers and budgets can be tested.

    Args:
        answers: The function, or the list; a list that has run out fails the request.
    """

    def __init__(self, answers: Callable[[Request], Answer] | Iterable[Answer]) -> None:
        self._answer = answers if callable(answers) else None
        self._rest = iter(()) if callable(answers) else iter(answers)
        self._lock = threading.Lock()
        self.requests: list[Request] = []

    async def send(self, request: Request, seconds: float) -> Response:  # noqa: ARG002
        return self._next(request)

    async def stream(self, request: Request, seconds: float) -> Pieces:  # noqa: ARG002
        response = self._next(request)
        for piece in response.text.splitlines(keepends=True):
            head, *rest = piece.split(" ")
            yield head
            for word in rest:
                yield f" {word}"
        yield response

    async def close(self) -> None:
        pass

    def _next(self, request: Request) -> Response:
        with self._lock:
            self.requests.append(request)
            answer = self._answer(request) if self._answer else next(self._rest, None)
        if answer is None:
            raise AttemptError(LlmError("the fake model has no further answer."))
        if isinstance(answer, LlmError):
            raise AttemptError(answer)
        if isinstance(answer, AttemptError):
            raise answer
        if isinstance(answer, Response):
            return answer
        words = answer if isinstance(answer, str) else json.dumps(answer.model_dump(mode="json"))
        return Response(
            words,
            model="fake",
            tokens_in=request.size // 4,
            tokens_out=len(words.encode("utf-8", "replace")) // 4,
        )
