"""Activity: what is at work, what was done and by whom, and what language models cost."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from fastapi import APIRouter, Query
from fastapi.responses import Response

from fourcorners.library.entries import AuditEntry
from fourcorners.review import annotations as remarks
from fourcorners.server.auth.access import Access
from fourcorners.server.auth.principal import Role
from fourcorners.server.context import Context
from fourcorners.server.store import audit_trail as trail

if TYPE_CHECKING:
    from fourcorners.llm.ledger import Spending

router = APIRouter()
_PAGE = 100  # rows
_LOOKED = 5_000  # entries looked through for a name; the page leads on from there
_HIDDEN = frozenset(
    {"fingerprint", "sha256", "hash", "author", "said_at"}
)  # of the trail's details: for programs


@dataclass(frozen=True, slots=True)
class Event:
    """An entry of the audit trail as a page shows it."""

    number: int
    at: str
    event: str
    by: str
    description: str


@dataclass(frozen=True, slots=True)
class ModelSpending:
    """What one model cost in one role."""

    model: str
    role: str
    sum: Spending


@router.get("/activity")
def tasks(context: Context, before: Annotated[str, Query(max_length=40)] = "") -> Response:
    """List the tasks, the latest first."""
    found = context.tasks(limit=_PAGE, before=before)
    partial = context.is_partial
    return context.page(
        "_activity.html.j2" if partial else "activity.html.j2",
        tasks=found,
        more=found[-1].id if len(found) == _PAGE else "",
        at_work=any(not each.state.is_final for each in found),
        may_see_all=_is_admin(context),
        tab="tasks",
    )


@router.get("/activity/audit")
def audit(
    context: Context,
    event: Annotated[str, Query(max_length=60)] = "",
    by: Annotated[str, Query(max_length=120)] = "",
    before: Annotated[int, Query(ge=0)] = 0,
    verify: Annotated[str, Query(max_length=3)] = "",
) -> Response:
    """Show the audit trail, and prove that it is whole where that is asked."""
    with context.access() as access:
        library = access.full_library(Role.ADMIN)
        most = _LOOKED if by else _PAGE
        looked = trail.entries_before(library, before, most, event)
        kept = [each for each in looked if by.casefold() in _by(each).casefold()][:_PAGE]
        names = trail.document_names(library, kept)
        kinds = trail.event_kinds(library)
        proof = _proof(access) if verify else None
    return context.page(
        "audit.html.j2",
        entries=[_event(each, names) for each in kept],
        kinds=kinds,
        event=event,
        by=by,
        more=_next(kept, looked, most),
        proof=proof,
        may_see_all=True,
        tab="audit",
    )


@router.get("/activity/models")
def models(context: Context) -> Response:
    """Show what language models were asked, by model and role, and what that cost."""
    from fourcorners.library.llm_store import LibraryLedger
    from fourcorners.llm.ledger import Spending

    with context.access() as access:
        calls = LibraryLedger(access.full_library(Role.ADMIN)).calls()
    sums: dict[tuple[str, str], Spending] = {}
    whole = Spending()
    for call in calls:
        key = (call.model, call.role.value)
        sums[key] = sums.get(key, Spending()).add_call(call)
        whole = whole.add_call(call)
    return context.page(
        "ledger.html.j2",
        spent=[ModelSpending(model, role, value) for (model, role), value in sorted(sums.items())],
        whole=whole,
        calls=calls[: -_PAGE - 1 : -1],
        may_see_all=True,
        tab="models",
    )


@dataclass(frozen=True, slots=True)
class TrailVerdict:
    """Whether the trail is whole; `head` stands for all of it."""

    entries: int
    head: str
    problems: tuple[str, ...]


def _proof(access: Access) -> TrailVerdict:
    library = access.full_library(Role.ADMIN)
    verdict = library.audit_verdict()
    wrong = tuple(each.description for each in verdict.faults) or tuple(
        remarks.annotation_faults(library)
    )
    return TrailVerdict(verdict.entries, verdict.head, wrong)


def _next(kept: list[AuditEntry], looked: list[AuditEntry], most: int) -> int:
    """Return before which entry the next page begins; 0 if the trail has no more."""
    if len(kept) == _PAGE:
        return kept[-1].seq
    return looked[-1].seq if len(looked) == most else 0


def _by(entry: AuditEntry) -> str:
    return str(json.loads(entry.detail).get("by", ""))


def _event(entry: AuditEntry, names: Mapping[str, str]) -> Event:
    """Return an entry as it is shown; documents that are still there go by their names."""
    values = {key: str(value) for key, value in json.loads(entry.detail).items()}
    told = ", ".join(
        f"{key} {names.get(value, value) if key == 'document' else value}"
        for key, value in values.items()
        if value and key != "by" and key not in _HIDDEN
    )
    return Event(entry.seq, entry.at, entry.event, values.get("by", ""), told)


def _is_admin(context: Context) -> bool:
    return (context.principal.role_everywhere or 0) >= Role.ADMIN
