"""What requests of the API share: how often they may come, writes done once, lists in parts."""

from __future__ import annotations

import time
from collections.abc import Callable
from hashlib import sha256
from typing import Annotated, TypeVar

from fastapi import Header, Request, Response
from pydantic import BaseModel

from fourcorners.library.database import as_string
from fourcorners.library.jobs import is_worker_lost, worker_name
from fourcorners.library.store import Library
from fourcorners.operations.errors import Conflict, NotAllowed
from fourcorners.server.api.models import TaskValue
from fourcorners.server.context import Context, RequestContext
from fourcorners.server.rate_limit import REQUESTS_PER_MINUTE, RateLimiter
from fourcorners.server.security import SAFE_METHODS, is_form_token

_REPEAT_SECONDS = 24 * 3600.0  # for which a repeated request gets the first answer


IdempotencyKey = Annotated[
    str | None,
    Header(
        alias="idempotency-key",
        max_length=200,
        description="Any text of yours: the same key with the same request is done once, and "
        "answered the same for a day.",
    ),
]
Answer = TypeVar("Answer", bound=BaseModel)


def run_once(
    context: RequestContext,
    key: str | None,
    asked: BaseModel | str,
    kind: type[Answer],
    do: Callable[[], object],
) -> Answer:
    """Do something, or return what it answered when it was asked under this key before.

    Args:
        context: Whose key it is; another's is another key.
        key: The request's key; None to do it in any case.
        asked: What is asked for: the same key for something else is refused.
        kind: What it answers.
        do: Does it, and returns one of the kind or what has its attributes; if it fails, the key
            is free again.

    Raises:
        Conflict: If the key was used for something else, or what it was used for is going on.
    """
    if key is None:
        return kind.model_validate(do())
    body = asked if isinstance(asked, str) else asked.model_dump_json()
    name = _key_name(context, key)
    route = f"{context.request.method} {context.request.url.path}"
    digest = sha256(f"{route}\n{body}".encode()).hexdigest()
    with context.state.connection_pool.library() as library, library.transaction():
        library.execute("DELETE FROM server_once WHERE at < ?", (time.time() - _REPEAT_SECONDS,))
        rows = library.execute(
            "SELECT asked, answer, worker FROM server_once WHERE key = ?", (name,)
        )
        if rows and not rows[0][1] and (worker := as_string(rows[0][2])):
            rows = [] if is_worker_lost(worker) else rows  # killed before it was done
        if not rows:
            library.execute(
                "INSERT OR REPLACE INTO server_once(key, asked, answer, at, worker) "
                "VALUES (?, ?, '', ?, ?)",
                (name, digest, time.time(), worker_name()),
            )
    if rows:
        before, answer = as_string(rows[0][0]), as_string(rows[0][1])
        if before != digest:
            raise Conflict("this Idempotency-Key was used for another request.")
        if not answer:
            raise Conflict("the request with this Idempotency-Key is in progress.", remedy="Wait.")
        return kind.model_validate_json(answer)
    try:
        made = kind.model_validate(do())
    except BaseException:
        with context.state.connection_pool.library() as library:
            library.execute("DELETE FROM server_once WHERE key = ?", (name,))
        raise
    with context.state.connection_pool.library() as library:
        _save_answer(library, name, made)
    return made


def start_task(
    context: RequestContext, key: str | None, asked: BaseModel | str, start: Callable[[], object]
) -> TaskValue:
    """Start a task, once under a key, and tell where it is watched.

    Whatever ends the server meanwhile: the task is there exactly if the key has its answer.
    """
    if key is not None:
        name = _key_name(context, key)
        context.on_task = lambda library, task: _save_answer(
            library, name, TaskValue.model_validate(task)
        )
    task = run_once(context, key, asked, TaskValue, start)
    context.set_location(f"/api/v1/tasks/{task.id}")
    return task


def _key_name(context: RequestContext, key: str) -> str:
    return sha256(f"{context.principal.name}\n{key}".encode()).hexdigest()


def _save_answer(library: Library, name: str, answer: BaseModel) -> None:
    library.execute(
        "UPDATE server_once SET answer = ? WHERE key = ?", (answer.model_dump_json(), name)
    )


class RequestGuard:
    """Counts requests, and refuses a browser's write that its own page did not send."""

    def __init__(self) -> None:
        self._rate = RateLimiter(REQUESTS_PER_MINUTE, REQUESTS_PER_MINUTE // 2)

    def __call__(self, request: Request, response: Response, context: Context) -> None:
        """Look at one request; its answer tells how many more there may be.

        Raises:
            TooManyRequests: If the caller has asked too often.
            NotAllowed: If a session's cookie writes without its page's token.
        """
        response.headers.update(self._rate.spend(context.principal.name).headers)
        if (
            request.method in SAFE_METHODS
            or context.principal.local
            or not context.principal.secret
        ):
            return
        if not is_form_token(request.headers.get("x-csrf-token", ""), context.principal.secret):
            raise NotAllowed(
                "a write in a session needs the header X-CSRF-Token.",
                remedy="Programs should send an API token instead.",
            )
