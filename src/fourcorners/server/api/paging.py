"""Lists in parts: a cursor says after what the next part begins."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Callable, Iterable
from typing import TypeVar

from fourcorners.server.errors import HttpError

T = TypeVar("T")
Key = tuple[str, ...]


def page_of(
    items: Iterable[T], key: Callable[[T], Key], cursor: str, limit: int
) -> tuple[list[T], str | None]:
    """Return at most `limit` items after a cursor, and the cursor of what follows.

    The items come in the order of their keys; what was added or removed meanwhile moves nothing
    else into, or out of, the parts.

    Raises:
        Refusal: If the cursor is none of ours.
    """
    after = decode_cursor(cursor) if cursor else None
    rest = [item for item in items if after is None or key(item) > after]
    here = rest[:limit]
    return here, encode_cursor(key(here[-1])) if len(rest) > limit else None


def encode_cursor(key: Key) -> str:
    """Return a key as a cursor."""
    return base64.urlsafe_b64encode(json.dumps(key).encode()).decode().rstrip("=")


def decode_cursor(cursor: str) -> Key:
    """Return the key that a cursor was made from.

    Raises:
        Refusal: If the cursor is none of ours.
    """
    try:
        found = json.loads(base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
    except (binascii.Error, ValueError) as error:
        raise _bad() from error
    if not isinstance(found, list) or not all(isinstance(each, str) for each in found):
        raise _bad()
    return tuple(found)


def _bad() -> HttpError:
    return HttpError("this cursor is none of ours.", remedy="Take the one that `next` gave.")
