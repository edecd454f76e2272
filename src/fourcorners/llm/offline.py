"""Record exchanges as lines of JSON, and answer offline from such lines or with a fake.

A line holds the request's hash, its model and prompt by name, and the response, in which words that
are also in the request are replaced by their place in it: contract text is not recorded, and anyone
who replays a recording has it. What an answer says about it is recorded.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Iterable
from dataclasses import asdict, replace
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from fourcorners.errors import ConfigError, LlmError, LlmUnrecorded
from fourcorners.llm.exchange import (
    AttemptError,
    LanguageModel,
    OnPiece,
    Request,
    Response,
    load_response,
)
from fourcorners.system import private_files

if TYPE_CHECKING:
    from pydantic import BaseModel

_FORMAT = 2  # of a recording; the first held whole requests and answers
_SHORTEST_QUOTE = 24
"""Characters from which on words that the request has are named by their place."""
_WRITING = threading.Lock()  # several models may share a file

_Parts: TypeAlias = "list[str | tuple[int, int]]"
"""An answer: its own words, and the start and end of words in the request."""


def _words(request: Request) -> str:
    return "\n".join(each.text for each in request.messages)


def _cite(answer: str, asked: str) -> _Parts:
    """Return an answer with what it has word for word from the request as places in that."""
    parts: _Parts = []
    own = at = 0
    while at < len(answer):
        start = asked.find(answer[at : at + _SHORTEST_QUOTE])
        pairs = zip(answer[at:], asked[start:] if start >= 0 else "", strict=False)
        length = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
        if length < _SHORTEST_QUOTE:
            at += 1
            continue
        parts += [answer[own:at]] * (own < at)
        parts.append((start, start + length))
        own = at = at + length
    return [*parts, *[answer[own:]] * (own < at)]


def _resolve(parts: _Parts, asked: str) -> str:
    return "".join(each if isinstance(each, str) else asked[slice(*each)] for each in parts)


def _streamed(response: Response, on_piece: OnPiece | None) -> Response:
    """Return a response, passing it word by word to a listener."""
    if on_piece is not None:
        for piece in re.findall(r"\S+\s*|\s+", response.text):
            on_piece(piece)
    return response


class Recorder(LanguageModel):
    """A model whose exchanges are appended to a file, each at once and whole."""

    def __init__(self, model: LanguageModel, path: Path) -> None:
        self._model = model
        self._path = path
        try:
            private_files.make_folder(path.parent)
            private_files.open_to_append(path).close()
        except OSError as error:
            raise ConfigError(
                f"{path} cannot be written: {error.strerror}.",
                remedy="Name another file as record under [llm].",
            ) from None

    async def send(self, request: Request, on_piece: OnPiece | None = None) -> Response:
        response = await self._model.send(request, on_piece)
        values = {
            "format": _FORMAT,
            "key": request.key,
            "request": {"model": request.model, "prompt": asdict(request.prompt)},
            "response": {**asdict(response), "text": _cite(response.text, _words(request))},
        }
        line = json.dumps(values, ensure_ascii=True, sort_keys=True) + "\n"
        with _WRITING, self._path.open("a", encoding="ascii") as file:
            file.write(line)
        return response

    async def close(self) -> None:
        await self._model.close()


class Replay(LanguageModel):
    """A model that answers what was recorded, and nothing else; nothing is called.

    Where one request was recorded more than once, its answers come in turn, the last again.

    Raises:
        ConfigError: If the recording cannot be read; the message names the line.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._answers: dict[str, list[tuple[Response, _Parts]]] = {}
        self._models: dict[str, set[str]] = {}
        self._lock = threading.Lock()
        try:
            lines = path.read_text("utf-8").splitlines()
        except (OSError, UnicodeDecodeError) as error:
            why = error.strerror if isinstance(error, OSError) else "it is not text"
            raise ConfigError(
                f"{path} cannot be read: {why}.", remedy="Name a recording as replay under [llm]."
            ) from None
        for number, line in enumerate(lines, start=1):
            if line.strip():
                self._read_line(number, line)

    def _read_line(self, number: int, line: str) -> None:
        try:
            held = json.loads(line)
            key, request, text = held["key"], held["request"], held["response"]["text"]
            listed = [text] if isinstance(text, str) else text
            parts: _Parts = [
                each if isinstance(each, str) else (int(each[0]), int(each[1])) for each in listed
            ]
            response = load_response(json.dumps({**held["response"], "text": ""}))
            prompt, model = request["prompt"]["name"], request["model"]
        except (ValueError, KeyError, TypeError, IndexError, RecursionError):
            response = None
        if response is None:
            raise ConfigError(
                f"line {number} of {self._path} is not an exchange.",
                remedy="Remove the line, or record again.",
            )
        self._answers.setdefault(key, []).append((response, parts))
        self._models.setdefault(prompt, set()).add(model)

    async def send(self, request: Request, on_piece: OnPiece | None = None) -> Response:
        with self._lock:
            answers = self._answers.get(request.key, [])
            if not answers:
                raise AttemptError(self._missing(request))
            response, parts = answers.pop(0) if len(answers) > 1 else answers[0]
        return _streamed(replace(response, text=_resolve(parts, _words(request))), on_piece)

    def _missing(self, request: Request) -> LlmUnrecorded:
        models = self._models.get(request.prompt.name)
        if models is None:
            why = "nothing was recorded with this prompt"
        elif request.model not in models:
            why = f"the prompt was recorded with {', '.join(sorted(models))}"
        else:
            why = "its words, its settings or the prompt were others"
        return LlmUnrecorded(
            f"{self._path} has no answer of {request.model} to this question by the prompt "
            f"{request.prompt} ({why}).",
            remedy="Record again with record under [llm], or ask what was recorded.",
        )


Answer: TypeAlias = "str | BaseModel | Response | LlmError | AttemptError"
"""Words, a value (its JSON is the answer), a whole response, or what goes wrong."""


class FakeModel(LanguageModel):
    """Answers from a function of the request, or from a list in turn.

    An `LlmError` is final; an `AttemptError` with `may_pass` is tried again by the port. Tokens are
    counted as four bytes each, so that ledgers and budgets can be tested.

    Args:
        answers: The function, or the list; a list that has run out fails the request.
    """

    def __init__(self, answers: Callable[[Request], Answer] | Iterable[Answer]) -> None:
        rest = iter(()) if callable(answers) else iter(answers)
        ended = LlmError("the fake model has no further answer.")
        self._answer = answers if callable(answers) else lambda _: next(rest, ended)
        self._lock = threading.Lock()
        self.requests: list[Request] = []

    async def send(self, request: Request, on_piece: OnPiece | None = None) -> Response:
        with self._lock:
            self.requests.append(request)
            answer = self._answer(request)
        if isinstance(answer, LlmError):
            raise AttemptError(answer)
        if isinstance(answer, AttemptError):
            raise answer
        response = answer if isinstance(answer, Response) else _response(answer, request)
        return _streamed(response, on_piece)


def _response(answer: str | BaseModel, request: Request) -> Response:
    words = answer if isinstance(answer, str) else json.dumps(answer.model_dump(mode="json"))
    return Response(
        words,
        model="fake",
        tokens_in=request.size // 4,
        tokens_out=len(words.encode("utf-8", "replace")) // 4,
    )
