"""The audit trail, for admins of the whole library."""

from __future__ import annotations

import json
from typing import Annotated

from fastapi import APIRouter, Query

from fourcorners.server.api.models import Paged, Value
from fourcorners.server.auth.principal import Role
from fourcorners.server.context import Context
from fourcorners.server.store import audit_trail as trail

router = APIRouter(tags=["Audit"])


class AuditValue(Value):
    """One line of the trail, bound to the one before it by a hash."""

    seq: int
    at: str
    event: str
    detail: dict[str, str | int]
    previous: str
    hash: str


class VerdictValue(Value):
    """What reading the whole trail shows."""

    entries: int
    head: str
    faults: list[str]


@router.get("/audit")
def audit(
    context: Context,
    cursor: Annotated[str, Query(pattern=r"^\d{0,15}$")] = "",
    limit: Annotated[int, Query(ge=1, le=1000)] = 100,
) -> Paged[AuditValue]:
    """List the audit trail, the oldest entry first."""
    after = int(cursor or 0)
    with context.access() as access:
        found = trail.entries_after(access.full_library(Role.ADMIN), after, limit + 1)
    here = found[:limit]
    return Paged(
        items=[AuditValue.make(each, detail=json.loads(each.detail)) for each in here],
        next=str(here[-1].seq) if len(found) > limit else None,
    )


@router.get("/audit/verdict")
def verdict(context: Context) -> VerdictValue:
    """Read the whole trail, and tell whether any of it was changed."""
    with context.access() as access:
        found = access.full_library(Role.ADMIN).audit_verdict()
    return VerdictValue.make(found, faults=[each.description for each in found.faults])
