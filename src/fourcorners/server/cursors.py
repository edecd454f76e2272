"""Cursors: where a list goes on, sealed, so that they tell their bearer nothing.

The key of the last item shown may hold a path of this server, or the id of what another may not
know of. It is encrypted and authenticated (AES-SIV, RFC 5297) for one person and one list, with a
secret of the library: a made-up cursor and another person's get the same answer.
"""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESSIV

from fourcorners.library.database import as_bytes
from fourcorners.operations.errors import Refusal
from fourcorners.server.context import RequestContext
from fourcorners.server.tasks.queue import Task

T = TypeVar("T")
Key = tuple[str, ...]


def encode_cursor(context: RequestContext, name: str, key: Key) -> str:
    """Return the cursor of a list, by its name, that goes on after an item's key."""
    text = json.dumps(key).encode()
    sealed = AESSIV(_secret(context)).encrypt(text, _associated_data(context, name))
    return base64.urlsafe_b64encode(sealed).decode().rstrip("=")


def decode_cursor(context: RequestContext, name: str, cursor: str) -> Key:
    """Return the key that a cursor was made from.

    Raises:
        Refusal: If it was not made for this person and this list.
    """
    try:
        sealed = base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4))
        text = AESSIV(_secret(context)).decrypt(sealed, _associated_data(context, name))
    except (binascii.Error, InvalidTag, ValueError):
        raise Refusal(
            "this cursor is invalid.", remedy="Use the cursor that `next` gave."
        ) from None
    return tuple(json.loads(text))


def cut_page(
    context: RequestContext, name: str, rest: Sequence[T], key: Callable[[T], Key], limit: int
) -> tuple[list[T], str | None]:
    """Return at most `limit` of the items that follow, and the cursor of what follows these."""
    here = list(rest[:limit])
    return here, encode_cursor(context, name, key(here[-1])) if len(rest) > limit else None


def page_of(
    context: RequestContext,
    name: str,
    items: Iterable[T],
    key: Callable[[T], Key],
    cursor: str,
    limit: int,
) -> tuple[list[T], str | None]:
    """Return at most `limit` items of a list after a cursor, and the cursor of what follows.

    The items come in the order of their keys; what was added or removed meanwhile moves nothing
    else into, or out of, the parts.

    Raises:
        Refusal: If it is no cursor of this list.
    """
    after = decode_cursor(context, name, cursor) if cursor else None
    rest = [item for item in items if after is None or key(item) > after]
    return cut_page(context, name, rest, key, limit)


def part_of_tasks(
    context: RequestContext, cursor: str, limit: int
) -> tuple[list[Task], str | None]:
    """Return at most `limit` tasks after a cursor, the latest first, and the cursor of the rest.

    Raises:
        Refusal: If it is no cursor of this list.
    """
    before = decode_cursor(context, "tasks", cursor)[0] if cursor else ""
    found = context.tasks(limit=limit + 1, before=before)
    return cut_page(context, "tasks", found, lambda each: (each.id,), limit)


def _associated_data(context: RequestContext, name: str) -> list[bytes]:
    return [context.principal.name.encode(), name.encode()]


def _secret(context: RequestContext) -> bytes:
    with context.state.connection_pool.library() as library:
        known = library.execute("SELECT value FROM server_secrets WHERE name = 'cursors'")
        if not known:
            library.execute(
                "INSERT OR IGNORE INTO server_secrets VALUES ('cursors', ?)",
                (AESSIV.generate_key(512),),
            )
            known = library.execute("SELECT value FROM server_secrets WHERE name = 'cursors'")
        return as_bytes(known[0][0])
