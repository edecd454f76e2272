"""Webhooks: addresses that are notified when a task has ended."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Literal

from fastapi import APIRouter, Path
from pydantic import Field

from fourcorners.operations.access import Access
from fourcorners.operations.errors import NotFound
from fourcorners.operations.principal import Role
from fourcorners.server.api.models import Cursor, Limit, Moment, Paged
from fourcorners.server.api.requests import ApiRoute
from fourcorners.server.context import Context
from fourcorners.server.cursors import cut_page, decode_cursor
from fourcorners.server.store import webhooks
from fourcorners.server.store.webhooks import Webhook
from fourcorners.value import Value

router = APIRouter(tags=["Webhooks"], route_class=ApiRoute)
_Webhook = Annotated[str, Path(max_length=40, examples=["0123456789abcdef"])]


class WebhookRequest(Value):
    """An address to notify when tasks have ended."""

    url: str = Field(
        min_length=1,
        max_length=2_000,
        description="Of https, at a host that the operator named.",
        examples=["https://hooks.firm.example/fourcorners"],
    )
    collection: str = Field(
        default="",
        max_length=500,
        description="Of which tasks: you must be an admin there. Empty for those of all "
        "collections, for admins of the library.",
    )


class WebhookValue(Value):
    """An address that is notified of tasks, without its secret."""

    id: str
    url: str
    collection: str
    by: str
    created: Moment


class NewWebhookValue(WebhookValue):
    """A webhook that was just made."""

    secret: str = Field(
        description="The key of the signatures (Standard Webhooks 1.0); shown only once.",
        examples=["whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="],
    )


class DeliveryValue(Value):
    """A message, and whether it has arrived."""

    task: str
    state: Literal["waiting", "delivered", "failed"]
    attempts: int
    at: Moment = Field(description="When it was tried last, or is tried next.")
    reason: str = Field(description="Why it did not arrive.")


@router.get("/webhooks")
def list_webhooks(context: Context) -> list[WebhookValue]:
    """List the webhooks of the collections that you administer."""
    with context.access() as access:
        return [WebhookValue.make(each) for each in _webhooks_to_administer(access)]


@router.post("/webhooks", status_code=201)
def add_webhook(context: Context, asked: WebhookRequest) -> NewWebhookValue:
    """Notify an address when a task has ended: which, of what kind, and how.

    The message has no word of a contract. It is signed, and sent again for a day until it is
    answered 2xx. It stops where you may not read the task's collection any more.
    """
    person = context.principal
    with context.access() as access:
        if asked.collection:
            library = access.library_for(asked.collection, Role.ADMIN)
        else:
            library = access.full_library(Role.ADMIN)
        webhooks.require_allowed(asked.url, context.state.settings.webhooks.hosts)
        added = webhooks.add_webhook(
            library, asked.url, asked.collection, by=person.name, local=person.local
        )
    context.set_location(f"/api/v1/webhooks/{added.id}")
    return NewWebhookValue.make(added)


@router.get("/webhooks/{webhook}")
def get_webhook(context: Context, webhook: _Webhook) -> WebhookValue:
    """Return a webhook."""
    with context.access() as access:
        return WebhookValue.make(_find(access, webhook))


@router.delete("/webhooks/{webhook}", status_code=204)
def delete_webhook(context: Context, webhook: _Webhook) -> None:
    """Take a webhook away, with the messages that wait for it."""
    with context.access() as access:
        found = _find(access, webhook)
        webhooks.delete_webhook(access.common(), found, by=context.principal.name)


@router.get("/webhooks/{webhook}/deliveries")
def list_deliveries(
    context: Context, webhook: _Webhook, cursor: Cursor = "", limit: Limit = 50
) -> Paged[DeliveryValue]:
    """List the messages of a webhook, the latest first; they are remembered for 30 days."""
    before = int(decode_cursor(context, "deliveries", cursor)[0]) if cursor else 0
    with context.access() as access:
        found = _find(access, webhook)
        held = webhooks.deliveries_of(access.common(), found.id, before, limit + 1)
    here, after = cut_page(context, "deliveries", held, lambda each: (str(each.row),), limit)
    return Paged(
        items=[
            DeliveryValue.make(
                each, at=datetime.fromtimestamp(each.due, UTC).isoformat(timespec="seconds")
            )
            for each in here
        ],
        next=after,
    )


def _webhooks_to_administer(access: Access) -> list[Webhook]:
    is_admin = access.principal.may_everywhere(Role.ADMIN)
    return [
        each
        for each in webhooks.list_webhooks(access.common())
        if (access.principal.may(Role.ADMIN, each.collection) if each.collection else is_admin)
    ]


def _find(access: Access, identifier: str) -> Webhook:
    found = next((each for each in _webhooks_to_administer(access) if each.id == identifier), None)
    if found is None:
        raise NotFound(f"webhook {identifier[:40]!r} not found, or you don't have access.")
    return found
