"""Sends signed messages to webhooks until each has arrived or was tried for a day.

Messages are signed as Standard Webhooks 1.0 has it, and go by `net`, which follows no redirect.
"""

from __future__ import annotations

import base64
import hmac
import logging
import time
from collections.abc import Callable
from hashlib import sha256

from fourcorners import net
from fourcorners.errors import CallError, FourcornersError
from fourcorners.library.store import Library
from fourcorners.operations.principal import Role
from fourcorners.server.auth.accounts import Accounts
from fourcorners.server.store import webhooks
from fourcorners.server.store.connection_pool import ConnectionPool
from fourcorners.server.store.webhooks import SECRET_PREFIX, Delivery, Webhook
from fourcorners.server.tasks.periodic import Periodic, brief_reason

DELAYS = (5.0, 30.0, 120.0, 600.0, 3_600.0, 14_400.0, 64_800.0)
"""Seconds between attempts; after the last one a message is given up."""
_LOOK = 2.0  # seconds between looks for messages
_AT_ONCE = 20  # messages of one look
_TIMEOUT = 10.0  # seconds that a receiver may take
_MAX_ANSWER = 1 << 16  # bytes that a receiver may answer
_log = logging.getLogger("fourcorners.server")


def _sign_message(secret: str, identifier: str, timestamp: int, body: bytes) -> str:
    """Return the signature of a message, for the header `webhook-signature`."""
    key = base64.b64decode(secret.removeprefix(SECRET_PREFIX))
    signed = f"{identifier}.{timestamp}.".encode() + body
    return "v1," + base64.b64encode(hmac.new(key, signed, sha256).digest()).decode()


class WebhookSender(Periodic):
    """Sends messages; nothing runs where the operator named no host.

    Args:
        hosts: Where messages may be sent.
        post: What sends one: URL, body, headers.
    """

    def __init__(
        self,
        pool: ConnectionPool,
        hosts: tuple[str, ...],
        *,
        post: Callable[[str, bytes, dict[str, str]], object] | None = None,
    ) -> None:
        super().__init__("webhooks", _LOOK, wanted=bool(hosts))
        self._pool, self._hosts, self._post = pool, hosts, post or _post

    def run_round(self) -> None:
        """Send the messages that are due, each once."""
        with self._pool.library() as library:
            due = webhooks.due_deliveries(library, _AT_ONCE)
            known = {each.id: each for each in webhooks.list_webhooks(library)} if due else {}
            may = {each.row: _may_know(library, known[each.webhook], each) for each in due}
        for each in due:
            if self.is_stopping:
                return
            state, reason, wait = "failed", "who set it up may not read this any more", 0.0
            if may[each.row]:
                state, reason, wait = self._send(known[each.webhook], each)
            with self._pool.library() as library:
                webhooks.settle_delivery(library, each, state, reason, time.time() + wait)

    def _send(self, hook: Webhook, delivery: Delivery) -> tuple[str, str, float]:
        """Send a message; return its state, why it did not arrive, and how long to wait."""
        body, now, identifier = delivery.body.encode(), int(time.time()), f"msg_{delivery.row}"
        headers = {
            "webhook-id": identifier,
            "webhook-timestamp": str(now),
        }
        try:
            headers["webhook-signature"] = _sign_message(hook.secret, identifier, now, body)
            webhooks.require_allowed(hook.url, self._hosts)
            self._post(hook.url, body, headers)
        except CallError as error:
            # Not the receiver's own words: they could be anything.
            reason = f"it answered {error.status}" if error.status else "it could not be reached"
            if delivery.attempts < len(DELAYS):
                return "waiting", reason, DELAYS[delivery.attempts]
            return "failed", reason, 0.0
        except FourcornersError as error:
            return "failed", error.message, 0.0
        except Exception as error:  # noqa: BLE001 - others are sent nevertheless
            _log.error("a message to a webhook cannot be sent: %s", brief_reason(error))
            return "failed", "the message cannot be sent", 0.0
        return "delivered", "", 0.0


def _may_know(library: Library, hook: Webhook, delivery: Delivery) -> bool:
    """Tell whether who set a webhook up may still read the collection of a task."""
    if hook.local:
        return True
    person = Accounts(library).active_principal(hook.by)
    return person is not None and person.may(Role.READER, delivery.collection)


def _post(url: str, body: bytes, headers: dict[str, str]) -> object:
    policy = net.RetryPolicy(timeout=_TIMEOUT, attempts=1)
    return net.post_bytes(
        url, body, "application/json", headers=headers, retry_policy=policy, most_bytes=_MAX_ANSWER
    )
