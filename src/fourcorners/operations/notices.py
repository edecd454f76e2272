"""What people are notified of: a finding assigned to them, files that arrived in their deal."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from fourcorners.library.audit import utc_now
from fourcorners.library.store import Library
from fourcorners.library.tokens import fold_name
from fourcorners.value import Value


class NoticeKind(StrEnum):
    ASSIGNED = "assigned"
    MENTIONED = "mentioned"
    ANSWERED = "answered"
    ADDED = "added"
    HELP = "help"
    EXPIRING = "expiring"
    NO_FOLDER = "no_folder"  # that is watched for the collection
    NO_COLLECTION = "no_collection"  # for which a folder is watched


class Notice(Value):
    """What one person is notified of; it holds no words of a contract.

    Attributes:
        collection: As it is named; empty where it concerns none.
        provision: With `document` and `playbook`, the finding that it concerns; of a clause of a
            bank that expires, its id, and the bank is in the place of the playbook. So is a
            collection that was deleted.
        findings: How many findings it concerns at once.
    """

    kind: NoticeKind
    by: str
    collection: str = ""
    document: str = ""
    playbook: str = ""
    provision: str = ""
    findings: int = 1


def notify(library: Library, person: str, notice: Notice) -> None:
    """Put a notice before a person, in the transaction that is open; nobody notifies themselves."""
    if person == notice.by:
        return
    library.execute(
        "INSERT INTO server_notices(person, kind, by, at, collection, document, playbook,"
        " provision) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (
            person,
            notice.kind.value,
            notice.by,
            utc_now(),
            fold_name(notice.collection),
            notice.document,
            notice.playbook,
            notice.provision,
        ),
    )
    if notice.findings > 1:
        library.execute(
            "INSERT INTO server_notice_findings SELECT max(row), ? FROM server_notices "
            "WHERE person = ? AND by = ?",
            (notice.findings, person, notice.by),
        )


def is_notified(library: Library, person: str, notice: Notice, since: datetime) -> bool:
    """Tell whether someone was notified of a thing since a time, whether they saw it or not."""
    rows = library.execute(
        "SELECT 1 FROM server_notices WHERE person = ? AND kind = ? AND playbook = ? "
        "AND provision = ? AND at >= ? LIMIT 1",
        (person, notice.kind.value, notice.playbook, notice.provision, since.isoformat()),
    )
    return bool(rows)


def withdraw_notice(library: Library, entry: int, by: str, collection: str, playbook: str) -> None:
    """Take back, unless it was read, the notice of what an entry of the trail says was done."""
    library.execute(
        "DELETE FROM server_notices WHERE seen = '' AND row = (SELECT min(row) FROM server_notices "
        "WHERE by = ? AND collection = ? AND playbook = ? AND document = '' "
        "AND at >= (SELECT at FROM audit WHERE seq = ?))",
        (by, fold_name(collection), playbook, entry),
    )


def is_unseen(library: Library, person: str, notice: Notice) -> bool:
    """Tell whether someone has not seen yet a notice of this kind, about this collection."""
    rows = library.execute(
        "SELECT 1 FROM server_notices WHERE person = ? AND seen = '' AND kind = ? "
        "AND collection = ? LIMIT 1",
        (person, notice.kind.value, fold_name(notice.collection)),
    )
    return bool(rows)
