"""Webhooks: who is notified when a task has ended, and what is still to be sent.

What is sent names a task, its kind and how it ended: no word of a contract, no name of a file or a
collection. Whoever gets it asks the API for the rest, as who they are.
"""

from __future__ import annotations

import base64
import json
import secrets
import time
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from fourcorners import net
from fourcorners.errors import ConfigError
from fourcorners.library.audit import utc_now
from fourcorners.library.database import as_integer, as_string, in_transaction
from fourcorners.library.store import Library
from fourcorners.library.tokens import fold_name

MAX_WEBHOOKS = 50
"""Webhooks of one library, at most."""
SECRET_PREFIX = "whsec_"  # noqa: S105 - what secrets begin with
_COLUMNS = "row, attempts, due, webhook, task, collection, body, state, reason"
_MAX_AGE = 30 * 86_400.0  # seconds for which a delivery that ended is remembered


@dataclass(frozen=True, slots=True)
class Webhook:
    """An address that is notified of tasks.

    Attributes:
        collection: Of which tasks; empty for those of all collections.
        secret: What the messages are signed with, base64 after `SECRET_PREFIX`.
        by: Who set it up; once they may not read a collection, nothing about it is sent.
        local: Whether that was the one person at this machine, who needs no account.
    """

    local: bool
    id: str
    collection: str
    url: str
    secret: str
    by: str
    created: str


@dataclass(frozen=True, slots=True)
class Delivery:
    """A message, and how far it came.

    Attributes:
        collection: Of the task; for the walls, it is not sent.
        state: `waiting`, `delivered` or `failed`.
        due: When it is tried next, in seconds since the epoch.
    """

    row: int
    attempts: int
    due: float
    webhook: str
    task: str
    collection: str
    body: str
    state: str
    reason: str


def require_allowed(url: str, hosts: Sequence[str]) -> None:
    """Check that messages may be sent to a URL.

    Raises:
        ConfigError: If its host is none that the operator named, or it is not of https.
    """
    net.require_url(url)
    parts = urlsplit(url)
    if parts.netloc.casefold() not in {host.casefold() for host in hosts}:
        raise ConfigError(
            f"webhooks may not be sent to {parts.netloc!r}.",
            remedy="The operator names the hosts: `hosts` in the section [webhooks].",
        )
    if parts.scheme != "https" and not net.is_loopback(url):
        raise ConfigError("a webhook needs https.", remedy="Write its URL like https://host/path.")


def add_webhook(library: Library, url: str, collection: str, *, by: str, local: bool) -> Webhook:
    """Keep an address to notify of a collection's tasks, or of all.

    Raises:
        ConfigError: If there are as many as may be.
    """
    secret = SECRET_PREFIX + base64.b64encode(secrets.token_bytes(32)).decode()
    added = Webhook(local, secrets.token_hex(8), collection, url, secret, by, utc_now())
    with library.transaction():
        if library.execute("SELECT count(*) FROM server_webhooks")[0][0] == MAX_WEBHOOKS:
            raise ConfigError(f"a library has at most {MAX_WEBHOOKS} webhooks.")
        library.execute(
            "INSERT INTO server_webhooks VALUES (?, ?, ?, ?, ?, ?, ?)",
            (added.id, collection, url, secret, by, int(local), added.created),
        )
        host = urlsplit(url).netloc
        library.record(
            "webhook added", {"webhook": added.id, "collection": collection, "host": host, "by": by}
        )
    return added


def list_webhooks(library: Library) -> list[Webhook]:
    rows = library.execute(
        "SELECT local, id, collection, url, secret, by, created FROM server_webhooks "
        "ORDER BY created, id"
    )
    return [Webhook(bool(local), *map(as_string, texts)) for local, *texts in rows]


def delete_webhook(library: Library, webhook: Webhook, *, by: str) -> None:
    with library.transaction():
        library.execute("DELETE FROM server_webhooks WHERE id = ?", (webhook.id,))
        library.record(
            "webhook deleted", {"webhook": webhook.id, "collection": webhook.collection, "by": by}
        )


def announce(library: Library, task: str, kind: str, collection: str, state: str) -> None:
    """Leave a message for each webhook that is to know that a task has ended."""
    fold = fold_name(collection)
    wanted = [each for each in list_webhooks(library) if fold_name(each.collection) in ("", fold)]
    content = {"task": task, "kind": kind, "state": state, "href": f"/api/v1/tasks/{task}"}
    body = json.dumps({"type": f"task.{state}", "timestamp": utc_now(), "data": content})
    library.execute_many(
        "INSERT INTO server_deliveries(webhook, task, collection, body, state, attempts, due, "
        "reason) VALUES (?, ?, ?, ?, 'waiting', 0, ?, '')",
        [(each.id, task, collection, body, time.time()) for each in wanted],
    )


def due_deliveries(library: Library, limit: int) -> list[Delivery]:
    """Return the messages that are to be sent now, those that wait longest first."""
    return _deliveries(
        library, "state = 'waiting' AND due <= ? ORDER BY due, row LIMIT ?", time.time(), limit
    )


def deliveries_of(library: Library, webhook: str, before: int, limit: int) -> list[Delivery]:
    """Return the messages of a webhook before one (0: the last), the latest first."""
    return _deliveries(
        library, "webhook = ? AND row < ? ORDER BY row DESC LIMIT ?", webhook,
        before or 1 << 62, limit,
    )  # fmt: skip


@in_transaction
def settle_delivery(
    library: Library, delivery: Delivery, state: str, reason: str = "", due: float = 0.0
) -> None:
    """Note what came of an attempt; `due` is when the next is made, if it waits."""
    library.execute(
        "UPDATE server_deliveries SET state = ?, attempts = attempts + 1, due = ?, "
        "reason = ? WHERE row = ?",
        (state, due or time.time(), reason, delivery.row),
    )
    library.execute(
        "DELETE FROM server_deliveries WHERE state <> 'waiting' AND due < ?",
        (time.time() - _MAX_AGE,),
    )


def _deliveries(library: Library, where: str, *values: str | float) -> list[Delivery]:
    rows = library.execute(
        f"SELECT {_COLUMNS} FROM server_deliveries WHERE {where}",  # noqa: S608 - ours
        values,
    )
    return [
        Delivery(as_integer(row), as_integer(attempts), float(str(due)), *map(as_string, texts))
        for row, attempts, due, *texts in rows
    ]
