"""The check of a collection's papers, as it was last made: what it found, and when."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from hashlib import sha256

from fourcorners.library.audit import utc_now
from fourcorners.library.codec import Codec
from fourcorners.library.database import as_integer, as_string, register_tables
from fourcorners.library.store import Library
from fourcorners.library.tokens import fold_name
from fourcorners.review.health import Health, Symptom, SymptomKind

_ROOM = "server_papers"
_HEALTH: Codec[Health] = Codec(Health)

register_tables(
    _ROOM,
    (
        """
        CREATE TABLE server_papers(
            fold     TEXT PRIMARY KEY,
            as_of    TEXT NOT NULL,
            made     TEXT NOT NULL,
            members  TEXT NOT NULL,
            symptoms INTEGER NOT NULL,
            found    TEXT NOT NULL
        ) STRICT, WITHOUT ROWID;
        """,
    ),
)


class ProblemClass(StrEnum):
    """What kind of trouble a paper is in, as a person looks for it."""

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
        """Return what it is called."""
        return _TITLES[self]


_TITLES = {
    ProblemClass.UNREADABLE: "Unreadable",
    ProblemClass.DUPLICATES: "Duplicates and versions",
    ProblemClass.MISSING: "Missing exhibits and contracts",
    ProblemClass.UNSIGNED: "Unsigned",
    ProblemClass.LANGUAGE: "Other languages",
    ProblemClass.EXPIRED: "Expired, or soon to be",
    ProblemClass.SUSPICIOUS: "Meant for a machine, or hidden",
    ProblemClass.UNSTRUCTURED: "Without a structure",
}
_OF: dict[SymptomKind, ProblemClass] = {
    SymptomKind.UNREAD: ProblemClass.UNREADABLE,
    SymptomKind.PAGES_UNREAD: ProblemClass.UNREADABLE,
    SymptomKind.EMPTY: ProblemClass.UNREADABLE,
    SymptomKind.SAME: ProblemClass.DUPLICATES,
    SymptomKind.NEARLY_SAME: ProblemClass.DUPLICATES,
    SymptomKind.MISSING_ATTACHMENT: ProblemClass.MISSING,
    SymptomKind.MISSING_CONTRACT: ProblemClass.MISSING,
    SymptomKind.UNSIGNED: ProblemClass.UNSIGNED,
    SymptomKind.LANGUAGE: ProblemClass.LANGUAGE,
    SymptomKind.EXPIRED: ProblemClass.EXPIRED,
    SymptomKind.EXPIRING: ProblemClass.EXPIRED,
    SymptomKind.ORDERS: ProblemClass.SUSPICIOUS,
    SymptomKind.HIDDEN: ProblemClass.SUSPICIOUS,
    SymptomKind.DISGUISED: ProblemClass.SUSPICIOUS,
    SymptomKind.UNSTRUCTURED: ProblemClass.UNSTRUCTURED,
}


@dataclass(frozen=True, slots=True)
class HealthCheck:
    """A check of papers.

    Attributes:
        as_of: The day on which terms were judged.
        made: When, in UTC and ISO 8601.
        stale: Whether files have come or gone since.
    """

    health: Health
    as_of: date
    made: str
    stale: bool


@dataclass(frozen=True, slots=True)
class HealthSummary:
    """A check of papers in short: how much there is to look at."""

    symptoms: int
    stale: bool


def problem_class(concern: SymptomKind) -> ProblemClass:
    """Return which class a concern is of."""
    return _OF[concern]


def group_by_class(found: Health) -> Iterator[tuple[ProblemClass, list[Symptom]]]:
    """Yield the classes in which anything was found, each with that, the gravest first."""
    for each in ProblemClass:
        symptoms = [one for one in found.symptoms if problem_class(one.concern) is each]
        if symptoms:
            yield each, symptoms


def save_check(library: Library, collection: str, found: Health, as_of: date, members: str) -> None:
    """Keep a check in the place of the one before; `members` is of when it began."""
    library.migrate(_ROOM)
    library.execute(
        "INSERT OR REPLACE INTO server_papers VALUES (?, ?, ?, ?, ?, ?)",
        (
            *(fold_name(collection), as_of.isoformat(), utc_now(), members),
            *(len(found.symptoms), _HEALTH.dump(found)),
        ),
    )


def last_check(library: Library, collection: str) -> HealthCheck | None:
    """Return the last check of a collection; None if there was none."""
    library.migrate(_ROOM)
    rows = library.execute(
        "SELECT as_of, made, members, found FROM server_papers WHERE fold = ?",
        (fold_name(collection),),
    )
    if not rows:
        return None
    as_of, made, before, found = (as_string(value) for value in rows[0])
    return HealthCheck(
        _HEALTH.load(found),
        date.fromisoformat(as_of),
        made,
        stale=before != membership_digest(library, collection),
    )


def last_summary(library: Library, collection: str) -> HealthSummary | None:
    """Return the last check of a collection in short; None if there was none."""
    library.migrate(_ROOM)
    rows = library.execute(
        "SELECT symptoms, members FROM server_papers WHERE fold = ?", (fold_name(collection),)
    )
    if not rows:
        return None
    return HealthSummary(
        as_integer(rows[0][0]),
        stale=as_string(rows[0][1]) != membership_digest(library, collection),
    )


def membership_digest(library: Library, collection: str) -> str:
    """Return words that change whenever files join or leave a collection, or cannot be read."""
    unread = "\n".join(sorted(each.path for each in library.failures(collection)))
    digest = sha256(unread.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    count, places = library.membership(fold_name(collection))
    return f"{count} {places} {digest}"
