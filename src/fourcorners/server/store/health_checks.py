"""The check of a collection's papers, as it was last made: what it found, and when."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date
from enum import StrEnum
from hashlib import sha256

from fourcorners.library.audit import utc_now
from fourcorners.library.database import Row, as_integer, as_string
from fourcorners.library.store import Library
from fourcorners.library.tables.stored_json import StoredJson
from fourcorners.library.tokens import fold_name
from fourcorners.operations.access import Access
from fourcorners.operations.principal import Role
from fourcorners.review.health import Health, Symptom, SymptomKind

_HEALTH: StoredJson[Health] = StoredJson(Health)


class ProblemClass(StrEnum):
    UNREADABLE = "unreadable"
    DUPLICATES = "duplicates"
    MISSING = "missing"
    UNSIGNED = "unsigned"
    LANGUAGE = "other-languages"
    EXPIRED = "expired"
    SUSPICIOUS = "suspicious"
    UNSTRUCTURED = "unstructured"

    @property
    def heading(self) -> str:
        return _CLASSES[self][0]


_CLASSES: dict[ProblemClass, tuple[str, str]] = {  # what each is called, and its symptoms
    ProblemClass.UNREADABLE: ("Unreadable", "UNREAD PAGES_UNREAD PARTLY_UNREAD EMPTY"),
    ProblemClass.DUPLICATES: ("Duplicates and versions", "SAME NEARLY_SAME"),
    ProblemClass.MISSING: ("Missing exhibits and contracts", "MISSING_ATTACHMENT MISSING_CONTRACT"),
    ProblemClass.UNSIGNED: ("Unsigned or unfinished", "UNSIGNED UNDATED UNFILLED ONE_PARTY"),
    ProblemClass.LANGUAGE: ("Other languages", "LANGUAGE"),
    ProblemClass.EXPIRED: ("Expired, or soon to be", "EXPIRED EXPIRING"),
    ProblemClass.SUSPICIOUS: ("Meant for a machine, or hidden", "ORDERS HIDDEN DISGUISED"),
    ProblemClass.UNSTRUCTURED: ("Without a structure", "UNSTRUCTURED"),
}
CLASS_OF = {
    SymptomKind[name]: each for each, (_, names) in _CLASSES.items() for name in names.split()
}


@dataclass(frozen=True, slots=True)
class HealthCheck:
    """A check of papers.

    Attributes:
        as_of: The day on which terms were judged.
        made: When, in UTC and ISO 8601.
    """

    health: Health
    as_of: date
    made: str
    stale: bool


@dataclass(frozen=True, slots=True)
class HealthSummary:
    symptoms: int
    stale: bool


def group_by_class(found: Health) -> Iterator[tuple[ProblemClass, list[Symptom]]]:
    for each in ProblemClass:
        symptoms = [one for one in found.symptoms if CLASS_OF[one.concern] is each]
        if symptoms:
            yield each, symptoms


def save_check(library: Library, collection: str, found: Health, as_of: date, members: str) -> None:
    library.execute(
        "INSERT OR REPLACE INTO server_papers VALUES (?, ?, ?, ?, ?, ?)",
        (
            *(fold_name(collection), as_of.isoformat(), utc_now(), members),
            *(len(found.symptoms), _HEALTH.dump(found)),
        ),
    )


def last_summary(library: Library, collection: str) -> HealthSummary | None:
    last = _last_check(library, collection, "symptoms")
    return None if last is None else HealthSummary(as_integer(last[1][0]), stale=last[0])


def _last_check(library: Library, collection: str, columns: str) -> tuple[bool, Row] | None:
    """Return whether the last check is stale, and these columns of it; None if there was none."""
    rows = library.execute(
        f"SELECT members, {columns} FROM server_papers WHERE fold = ?",  # noqa: S608 - ours
        (fold_name(collection),),
    )
    if not rows:
        return None
    members, *held = rows[0]
    return members != membership_digest(library, collection), tuple(held)


def membership_digest(library: Library, collection: str) -> str:
    """Return words that change whenever files join or leave a collection, or cannot be read."""
    unread = "\n".join(sorted(each.path for each in library.failures(collection)))
    digest = sha256(unread.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    count, places = library.membership(fold_name(collection))
    return f"{count} {places} {digest}"


def visible_check(access: Access, collection: str) -> HealthCheck | None:
    """Return the last check of a collection's papers; None if there was none.

    What has left the collection since is left out of it.

    Raises:
        NotFound: If they may not know of the collection.
    """
    last = _last_check(
        access.library_for(collection, Role.READER), collection, "found, as_of, made"
    )
    if last is None:
        return None
    found, as_of, made = map(as_string, last[1])
    health, inside = _HEALTH.load(found), {entry.id for entry in access.documents(collection)}
    symptoms = [each for each in health.symptoms if not each.document or each.document in inside]
    return HealthCheck(
        replace(health, symptoms=tuple(symptoms)), date.fromisoformat(as_of), made, stale=last[0]
    )
