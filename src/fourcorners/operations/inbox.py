"""The inbox of a person: what they are notified of, as far as they may see it now.

Who may not read a collection any more sees none of its notices, and they are not counted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Annotated

from pydantic import Field

from fourcorners.library.audit import utc_now
from fourcorners.library.database import SQLiteValue, as_integer, as_string
from fourcorners.operations.access import Access
from fourcorners.operations.knowledge.titles import PlaybookTitles
from fourcorners.operations.notices import NoticeKind
from fourcorners.operations.principal import Role
from fourcorners.value import Flag, Value

MAX_NOTICES = 500
"""Notices that are marked or listed at once."""
_MAX_AGE = timedelta(days=90)  # since a notice came, once it was read
_SEEN = "n.person = ? AND (n.document = '' OR d.id IS NOT NULL)"
_FROM = (
    "server_notices AS n LEFT JOIN documents AS d ON d.id = n.document "
    "LEFT JOIN collections AS c ON c.row = d.collection "
    "LEFT JOIN server_notice_findings AS f ON f.notice = n.row"
)


class InboxRequest(Value):
    """Which notices, and how many."""

    unread: Flag = Field(default=False, description="Only those that were not read.")
    limit: int = Field(default=50, ge=1, le=MAX_NOTICES)


class InboxNotice(Value):
    """One thing that a person is notified of; it holds no words of a contract."""

    id: int
    kind: NoticeKind
    by: str
    at: str
    read: bool
    collection: str = Field(description="Empty where it concerns none.")
    document: str
    title: str = Field(description="What the contract is called.")
    playbook: str
    provision: str = Field(
        description="With the contract and the playbook, the finding; of a bank's clause that "
        "expires, its id, and `playbook` is the bank."
    )
    name: str = Field(default="", description="What the finding's provision is called.")
    findings: int = Field(default=1, description="How many findings it concerns, if any.")


class Inbox(Value):
    """The notices of a person, the unread first, then the latest first."""

    unread: int
    notices: list[InboxNotice]


class ReadRequest(Value):
    """Which notices are read."""

    notices: Annotated[
        list[Annotated[int, Field(ge=1, lt=1 << 60)]], Field(max_length=MAX_NOTICES)
    ] = Field(default_factory=list, description="By id; none for all.")


def read_inbox(access: Access, asked: InboxRequest) -> Inbox:
    where, values = _visible(access)
    rows = access.common().execute(
        "SELECT n.row, n.kind, n.by, n.at, n.seen <> '', "  # noqa: S608 - ours
        "coalesce(c.name, o.name, ''), "
        f"n.document, n.playbook, n.provision, coalesce(f.findings, 1) FROM {_FROM} "
        f"LEFT JOIN collections AS o ON o.fold = n.collection WHERE {where}"
        f"{' AND n.seen = ?' if asked.unread else ''} "
        "ORDER BY n.seen <> '', n.row DESC LIMIT ?",
        (*values, *([""] if asked.unread else []), asked.limit),
    )
    names = PlaybookTitles(access)
    titles = access.titles(document for document in (as_string(row[6]) for row in rows) if document)
    notices = [
        InboxNotice(
            id=as_integer(row[0]),
            kind=NoticeKind(as_string(row[1])),
            by=as_string(row[2]),
            at=as_string(row[3]),
            read=bool(row[4]),
            collection=as_string(row[5]),
            document=document,
            title=titles[document].title if document else "",
            playbook=as_string(row[7]),
            provision=as_string(row[8]),
            name=names.provision(*map(as_string, (row[5], row[7], row[8]))) if document else "",
            findings=as_integer(row[9]),
        )
        for row in rows
        for document in (as_string(row[6]),)
    ]
    return Inbox(unread=count_unread(access), notices=notices)


def count_unread(access: Access) -> int:
    """Return how many notices a person has not read; no more than they may see."""
    where, values = _visible(access)
    rows = access.common().execute(
        f"SELECT count(*) FROM {_FROM} WHERE {where} AND n.seen = ''",  # noqa: S608 - ours
        values,
    )
    return as_integer(rows[0][0])


@dataclass(frozen=True, slots=True)
class UnreadNotice:
    """A notice without what it is about; `row` is its place among all."""

    row: int
    by: str
    kind: NoticeKind
    findings: int


def unread_since(access: Access, row: int) -> list[UnreadNotice]:
    """Return the notices after one that are not read, the first first."""
    where, values = _visible(access)
    rows = access.common().execute(
        f"SELECT n.row, n.by, n.kind, coalesce(f.findings, 1) FROM {_FROM} WHERE {where} "  # noqa: S608 - ours
        "AND n.seen = '' AND n.row > ? ORDER BY n.row LIMIT ?",
        (*values, row, MAX_NOTICES),
    )
    return [
        UnreadNotice(
            as_integer(row), as_string(by), NoticeKind(as_string(kind)), as_integer(findings)
        )
        for row, by, kind, findings in rows
    ]


def mark_read(access: Access, asked: ReadRequest) -> Inbox:
    """Mark notices as read, and return those that are left; what is another's is passed over."""
    library, name = access.common(), access.principal.name
    where, values = _visible(access)
    among = ", ".join("?" * len(asked.notices))
    with library.transaction():
        library.execute(
            "UPDATE server_notices SET seen = ? WHERE row IN "  # noqa: S608 - ours
            f"(SELECT n.row FROM {_FROM} WHERE {where} AND n.seen = ''"
            f"{f' AND n.row IN ({among})' if among else ''}) AND person = ?",
            (utc_now(), *values, *asked.notices, name),
        )
        library.execute(
            "DELETE FROM server_notices WHERE person = ? AND seen <> '' AND at < ?",
            (name, (datetime.now(UTC) - _MAX_AGE).isoformat()),
        )
    return read_inbox(access, InboxRequest())


def _visible(access: Access) -> tuple[str, Sequence[SQLiteValue]]:
    """Return the condition of the notices that a person may see."""
    principal = access.principal
    if principal.role_everywhere is not None:
        return _SEEN, (principal.name,)
    folds = [each for each in principal.roles if principal.may(Role.READER, each)]
    may = f"coalesce(c.fold, n.collection) IN ({', '.join('?' * len(folds))})"
    is_common = "coalesce(c.fold, n.collection) = ''"
    # Clause banks are for those who may read the whole library.
    return f"{_SEEN} AND n.kind <> ? AND ({is_common} OR {may})", (
        principal.name,
        NoticeKind.EXPIRING.value,
        *folds,
    )
