"""Writes that happen once, however often they are sent: by the `Idempotency-Key` of the request."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from hashlib import sha256
from typing import Annotated, TypeVar

from fastapi import Header
from pydantic import BaseModel

from fourcorners.library.database import as_string, register_tables
from fourcorners.server.context import RequestContext
from fourcorners.server.errors import Conflict

TABLE_SET = "server_once"
_KEPT_SECONDS = 24 * 3600.0  # for which a repeated request gets the first answer

register_tables(
    TABLE_SET,
    (
        """
        CREATE TABLE server_once(
            key    TEXT PRIMARY KEY,
            asked  TEXT NOT NULL,
            answer TEXT NOT NULL,
            at     REAL NOT NULL
        ) STRICT, WITHOUT ROWID;
        """,
    ),
)

IdempotencyKey = Annotated[
    str | None,
    Header(
        max_length=200,
        description="Any text of yours: the same key with the same request is done once, and "
        "answered the same for a day.",
    ),
]
Answer = TypeVar("Answer", bound=BaseModel)


def run_once(
    context: RequestContext,
    key: str | None,
    asked: str,
    kind: type[Answer],
    do: Callable[[], Answer],
) -> Answer:
    """Do something, or return what it answered when it was asked under this key before.

    Args:
        context: Whose key it is; another's is another key.
        key: What the request bears; None to do it in any case.
        asked: What is asked for: the same key for something else is refused.
        kind: What it answers.
        do: Does it; if it fails, the key is free again.

    Raises:
        Conflict: If the key was used for something else, or what it was used for is going on.
    """
    if key is None:
        return do()
    name = sha256(f"{context.principal.name}\n{key}".encode()).hexdigest()
    digest = sha256(
        f"{context.request.method} {context.request.url.path}\n{asked}".encode()
    ).hexdigest()
    with context.state.connection_pool.library() as library:
        library.migrate(TABLE_SET)
        with library.transaction():
            library.execute("DELETE FROM server_once WHERE at < ?", (time.time() - _KEPT_SECONDS,))
            rows = library.execute("SELECT asked, answer FROM server_once WHERE key = ?", (name,))
            if not rows:
                library.execute(
                    "INSERT INTO server_once VALUES (?, ?, '', ?)", (name, digest, time.time())
                )
    if rows:
        before, answer = as_string(rows[0][0]), as_string(rows[0][1])
        if before != digest:
            raise Conflict("this Idempotency-Key was used for another request.")
        if not answer:
            raise Conflict("the request of this Idempotency-Key is going on.", remedy="Wait.")
        return kind.model_validate(json.loads(answer))
    try:
        made = do()
    except BaseException:
        with context.state.connection_pool.library() as library:
            library.execute("DELETE FROM server_once WHERE key = ?", (name,))
        raise
    with context.state.connection_pool.library() as library:
        library.execute(
            "UPDATE server_once SET answer = ? WHERE key = ?", (made.model_dump_json(), name)
        )
    return made
