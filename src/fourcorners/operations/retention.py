"""How long a collection is kept: rules, legal holds, and which contracts are due for deletion."""

from __future__ import annotations

from datetime import UTC, datetime

from pydantic import Field

from fourcorners.library.audit import utc_now
from fourcorners.library.removal import retention
from fourcorners.library.removal.retention import Hold, due_day, hold_of, retention_days
from fourcorners.library.tokens import fold_name
from fourcorners.operations.access import Access
from fourcorners.operations.errors import Refusal
from fourcorners.operations.principal import Role
from fourcorners.value import Value


class RetentionChange(Value):
    """How long contracts of a collection are kept."""

    days: int | None = Field(
        ge=1,
        le=36_500,
        description="Days after they were added; null for no rule.",
        examples=[2_555],
    )


class HoldRequest(Value):
    """Why nothing of a collection may be deleted."""

    reason: str = Field(min_length=1, max_length=500, examples=["Northmere v. Halden, 2026-1432"])


class HoldValue(Value):
    """A legal hold."""

    reason: str
    by: str
    at: str = Field(description="UTC.")


class DueContract(Value):
    """A contract that the rule of its collection lets be deleted."""

    id: str
    name: str
    collection: str
    added: str = Field(description="UTC.")
    due: str = Field(description="Since when it may be deleted; UTC.")


class RetentionValue(Value):
    """How long a collection is kept."""

    days: int | None = Field(
        description="Days after which its contracts are due; null for no rule."
    )
    hold: HoldValue | None = Field(description="The legal hold, under which nothing is deleted.")
    due: list[DueContract] = Field(description="Contracts that are due, the oldest first.")


class CollectionRule(Value):
    """The rule and the legal hold of a collection that has one of them."""

    collection: str
    days: int | None
    hold: HoldValue | None


def list_rules(access: Access, collection: str | None = None) -> list[CollectionRule]:
    """List the rules and holds of the collections (or of one) that they administer, by name.

    Raises:
        NotFound: If they may not know of the collection.
        NotAllowed: If they are no admin there.
    """
    if collection is not None:
        access.require(Role.ADMIN, collection)
    library, found = access.common(), list[CollectionRule]()
    days = retention_days(library)
    for each in access.collections():
        name = each.name
        if collection is not None and fold_name(name) != fold_name(collection):
            continue
        if not access.principal.may(Role.ADMIN, name):
            continue
        hold = hold_of(library, name)
        if name in days or hold is not None:
            value = None if hold is None else HoldValue.make(hold)
            found.append(CollectionRule(collection=name, days=days.get(name), hold=value))
    return found


def retention_of(access: Access, collection: str) -> RetentionValue:
    """Return how long a collection is kept.

    Raises:
        NotFound: If they may not know of the collection.
        NotAllowed: If they are no admin there.
    """
    library = access.library_for(collection, Role.ADMIN)
    hold = hold_of(library, collection)
    days = {fold_name(name): days for name, days in retention_days(library).items()}
    return RetentionValue(
        days=days.get(fold_name(collection)),
        hold=None if hold is None else HoldValue.make(hold),
        due=due_contracts(access, collection),
    )


def due_contracts(access: Access, collection: str | None = None) -> list[DueContract]:
    """List the contracts (of a collection) that are due for deletion, the oldest first.

    Those of collections under a legal hold are not among them, nor those of collections that they
    do not administer.

    Raises:
        NotFound: If they may not know of the collection.
    """
    if collection is not None:
        access.require(Role.ADMIN, collection)
    now, found = datetime.now(UTC), list[tuple[datetime, DueContract]]()
    for name, days in retention_days(access.common()).items():
        if collection is not None and fold_name(name) != fold_name(collection):
            continue
        if not access.principal.may(Role.ADMIN, name) or hold_of(access.common(), name):
            continue
        for each in access.documents(name):
            due = due_day(each.added, days)
            if due <= now:
                about = DueContract(
                    id=each.id,
                    name=each.name,
                    collection=name,
                    added=each.added.isoformat(),
                    due=due.isoformat(),
                )
                found.append((due, about))
    return [each for _, each in sorted(found, key=lambda pair: (pair[0], pair[1].id))]


def set_retention(access: Access, collection: str, asked: RetentionChange) -> RetentionValue:
    """Say how long contracts of a collection are kept; nothing is deleted by that alone.

    Raises:
        NotFound: If they may not know of the collection.
        NotAllowed: If they are no admin there.
    """
    library = access.library_for(collection, Role.ADMIN)
    with library.transaction():
        retention.set_retention(library, collection, asked.days, access.principal.name)
        detail: dict[str, str | int] = {"collection": collection}
        days = {} if asked.days is None else {"days": asked.days}
        access.record("retention", {**detail, **days}, always=True)
    return retention_of(access, collection)


def place_hold(access: Access, collection: str, asked: HoldRequest) -> RetentionValue:
    """Place a collection under a legal hold: nothing of it can be deleted then.

    Raises:
        NotFound: If they may not know of the collection.
        NotAllowed: If they are no admin there.
        Refusal: If no reason is given.
    """
    library, reason = access.library_for(collection, Role.ADMIN), " ".join(asked.reason.split())
    if not reason:
        raise Refusal("a hold needs a reason.")
    with library.transaction():
        hold = Hold(reason, access.principal.name, utc_now())
        retention.set_hold(library, collection, hold)
        access.record("hold placed", {"collection": collection, "reason": reason}, always=True)
    return retention_of(access, collection)


def release_hold(access: Access, collection: str) -> RetentionValue:
    """Release a collection from its legal hold.

    Raises:
        NotFound: If they may not know of the collection.
        NotAllowed: If they are no admin there.
        Refusal: If it is under none.
    """
    library = access.library_for(collection, Role.ADMIN)
    with library.transaction():
        hold = hold_of(library, collection)
        if hold is None:
            raise Refusal("this collection is not under a hold.")
        retention.set_hold(library, collection, None)
        detail: dict[str, str | int] = {"collection": collection, "reason": hold.reason}
        access.record("hold released", detail, always=True)
    return retention_of(access, collection)
