"""What requests of the API share: how often they may come, writes done once, lists in parts."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial, wraps
from hashlib import sha256
from inspect import Parameter, iscoroutinefunction, signature
from typing import Annotated, Any, TypeVar

from fastapi import Header, Request, UploadFile
from fastapi.routing import APIRoute
from pydantic import BaseModel, TypeAdapter

from fourcorners.library.database import as_string
from fourcorners.library.jobs import is_worker_lost, worker_name
from fourcorners.library.store import Library
from fourcorners.operations.errors import Conflict, NotAllowed
from fourcorners.server.api.models import TaskValue
from fourcorners.server.context import Context, RequestContext
from fourcorners.server.rate_limit import REQUESTS_PER_MINUTE, RateLimiter
from fourcorners.server.security import SAFE_METHODS, is_form_token

_REPEAT_SECONDS = 24 * 3600.0  # for which a repeated request gets the first answer
_PART = 1 << 20  # bytes of a file that are read at once


IdempotencyKey = Annotated[
    str | None,
    Header(
        alias="idempotency-key",
        max_length=200,
        description="Any text of yours: the same key with the same request is done once, and "
        "answered the same for a day.",
    ),
]
Answer = TypeVar("Answer")


class ApiRoute(APIRoute):
    """A route of the API; each that writes takes an `Idempotency-Key`."""

    def __init__(self, path: str, endpoint: Callable[..., Any], **options: Any) -> None:  # noqa: ANN401 - FastAPI's own
        if not SAFE_METHODS.issuperset(options["methods"]) and not iscoroutinefunction(endpoint):
            endpoint = _keyed(endpoint)  # a coroutine reads a form first, and takes the key there
        super().__init__(path, endpoint, **options)


def _keyed(endpoint: Callable[..., Answer]) -> Callable[..., Answer]:
    takes = signature(endpoint, eval_str=True)

    @wraps(endpoint)
    def run(
        *, context: RequestContext, idempotency_key: str | None = None, **given: object
    ) -> Answer:
        parts = [context.request.url.query, *map(_text_of, given.values())]
        kind: type[Answer] = takes.return_annotation
        do = partial(endpoint, context=context, **given)
        return run_once(context, idempotency_key, "\n".join(parts), kind, do)

    key = Parameter(
        "idempotency_key", Parameter.KEYWORD_ONLY, default=None, annotation=IdempotencyKey
    )
    run.__signature__ = takes.replace(  # type: ignore[attr-defined]  # what FastAPI reads
        parameters=[*takes.parameters.values(), key]
    )
    return run


def _text_of(value: object) -> str:
    """Return what a request gives as text, the same for the same."""
    if isinstance(value, BaseModel):
        return value.model_dump_json()
    if isinstance(value, UploadFile):
        digest = sha256()
        while part := value.file.read(_PART):
            digest.update(part)
        value.file.seek(0)
        return f"{value.filename} {digest.hexdigest()}"
    return repr(value)


def _roles_digest(context: RequestContext) -> str:
    """Return a digest of the roles that a person has now."""
    held = context.principal
    roles = (held.global_role, held.ceiling, *sorted(held.roles.items()))
    return sha256(repr(roles).encode()).hexdigest()[:16]


def _answer_before(before: str, answer: str, digest: str) -> str:
    if before.partition(" ")[0] != digest.partition(" ")[0]:
        raise Conflict("this Idempotency-Key was used for another request.")
    if before != digest:  # the answer may hold words that they may not read any more
        raise Conflict(
            "your roles have changed since this request was done.",
            remedy="See whether it was done, and send it again under another key.",
        )
    if not answer:
        raise Conflict("the request with this Idempotency-Key is in progress.", remedy="Wait.")
    return answer


def run_once(
    context: RequestContext,
    key: str | None,
    asked: str,
    kind: type[Answer],
    do: Callable[[], Answer],
) -> Answer:
    """Do something, or return what it answered when it was asked under this key before.

    A task that it starts is there exactly if the key has its answer, whatever ends the server
    meanwhile; the answer tells where it is watched.

    Args:
        context: Whose key it is; another's is another key.
        key: The request's key; None to do it in any case.
        asked: What is asked for: the same key for something else is refused.
        kind: What it answers; a secret in it is answered once only.
        do: Does it; if it fails, the key is free again.

    Raises:
        Conflict: If the key was used for something else, what it was used for is going on, or the
            person's roles have changed since.
    """
    if key is None:
        return _located(context, do())
    name = sha256(f"{context.principal.name}\n{key}".encode()).hexdigest()
    route = f"{context.request.method} {context.request.url.path}"
    done = sha256(f"{key}\n{route}\n{asked}".encode()).hexdigest()  # it may hold a password
    digest = f"{done} {_roles_digest(context)}"
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
    form = TypeAdapter[Answer](kind)

    def save(library: Library, answer: Answer) -> None:
        if isinstance(answer, BaseModel) and "secret" in type(answer).model_fields:
            answer = answer.model_copy(update={"secret": ""})
        text = f"{context.location}\n{form.dump_json(answer).decode()}"
        library.execute("UPDATE server_once SET answer = ? WHERE key = ?", (text, name))

    if rows:
        answer = _answer_before(as_string(rows[0][0]), as_string(rows[0][1]), digest)
        location, _, text = answer.rpartition("\n")
        if location:
            context.set_location(location)
        return form.validate_json(text)
    if kind is TaskValue:
        context.on_task = lambda library, task: save(
            library, _located(context, form.validate_python(task, from_attributes=True))
        )
    try:
        made = _located(context, do())
    except BaseException:
        with context.state.connection_pool.library() as library:
            library.execute("DELETE FROM server_once WHERE key = ?", (name,))
        raise
    with context.state.connection_pool.library() as library:
        save(library, made)
    return made


def _located(context: RequestContext, answer: Answer) -> Answer:
    if isinstance(answer, TaskValue):
        context.set_location(f"/api/v1/tasks/{answer.id}")
    return answer


class RequestGuard:
    """Counts requests, and refuses a browser's write that its own page did not send."""

    def __init__(self) -> None:
        self._rate = RateLimiter(REQUESTS_PER_MINUTE, REQUESTS_PER_MINUTE // 2)

    def __call__(self, request: Request, context: Context) -> None:
        """Look at one request; its answer tells how many more there may be.

        Raises:
            TooManyRequests: If the caller has asked too often.
            NotAllowed: If a session's cookie writes without its page's token.
        """
        request.state.rate_status = self._rate.spend(context.principal.name)
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
