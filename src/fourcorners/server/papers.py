"""The check of a collection's papers, as it was last made: what it found, and when."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from hashlib import sha256

from fourcorners.library.audit import now
from fourcorners.library.codec import Codec
from fourcorners.library.database import integer, register, string
from fourcorners.library.store import Library
from fourcorners.library.tokens import folded
from fourcorners.review.symptom import Concern, Health, Symptom

_ROOM = "server_papers"
_HEALTH: Codec[Health] = Codec(Health)

register(
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


class PaperClass(StrEnum):
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
    PaperClass.UNREADABLE: "Unreadable",
    PaperClass.DUPLICATES: "Duplicates and versions",
    PaperClass.MISSING: "Missing exhibits and contracts",
    PaperClass.UNSIGNED: "Unsigned",
    PaperClass.LANGUAGE: "Other languages",
    PaperClass.EXPIRED: "Expired, or soon to be",
    PaperClass.SUSPICIOUS: "Meant for a machine, or hidden",
    PaperClass.UNSTRUCTURED: "Without a structure",
}
_OF: dict[Concern, PaperClass] = {
    Concern.UNREAD: PaperClass.UNREADABLE,
    Concern.PAGES_UNREAD: PaperClass.UNREADABLE,
    Concern.EMPTY: PaperClass.UNREADABLE,
    Concern.SAME: PaperClass.DUPLICATES,
    Concern.NEARLY_SAME: PaperClass.DUPLICATES,
    Concern.MISSING_ATTACHMENT: PaperClass.MISSING,
    Concern.MISSING_CONTRACT: PaperClass.MISSING,
    Concern.UNSIGNED: PaperClass.UNSIGNED,
    Concern.LANGUAGE: PaperClass.LANGUAGE,
    Concern.EXPIRED: PaperClass.EXPIRED,
    Concern.EXPIRING: PaperClass.EXPIRED,
    Concern.ORDERS: PaperClass.SUSPICIOUS,
    Concern.HIDDEN: PaperClass.SUSPICIOUS,
    Concern.DISGUISED: PaperClass.SUSPICIOUS,
    Concern.UNSTRUCTURED: PaperClass.UNSTRUCTURED,
}


@dataclass(frozen=True, slots=True)
class Checked:
    """A check of papers.

    Attributes:
        as_of: The day on which terms were judged.
        made: When, in UTC and ISO 8601.
        stale: Whether files have come or gone since.
    """

    found: Health
    as_of: date
    made: str
    stale: bool


@dataclass(frozen=True, slots=True)
class Glance:
    """A check of papers in short: how much there is to look at."""

    symptoms: int
    stale: bool


def class_of(concern: Concern) -> PaperClass:
    """Return which class a concern is of."""
    return _OF[concern]


def by_class(found: Health) -> Iterator[tuple[PaperClass, list[Symptom]]]:
    """Yield the classes in which anything was found, each with that, the gravest first."""
    for each in PaperClass:
        symptoms = [one for one in found.symptoms if class_of(one.concern) is each]
        if symptoms:
            yield each, symptoms


def keep(library: Library, collection: str, found: Health, as_of: date, members: str) -> None:
    """Keep a check in the place of the one before; `members` is of when it began."""
    library.prepare(_ROOM)
    library.execute(
        "INSERT OR REPLACE INTO server_papers VALUES (?, ?, ?, ?, ?, ?)",
        (
            *(folded(collection), as_of.isoformat(), now(), members),
            *(len(found.symptoms), _HEALTH.dump(found)),
        ),
    )


def last(library: Library, collection: str) -> Checked | None:
    """Return the last check of a collection; None if there was none."""
    library.prepare(_ROOM)
    rows = library.execute(
        "SELECT as_of, made, members, found FROM server_papers WHERE fold = ?",
        (folded(collection),),
    )
    if not rows:
        return None
    as_of, made, before, found = (string(value) for value in rows[0])
    return Checked(
        _HEALTH.load(found),
        date.fromisoformat(as_of),
        made,
        stale=before != members(library, collection),
    )


def glance(library: Library, collection: str) -> Glance | None:
    """Return the last check of a collection in short; None if there was none."""
    library.prepare(_ROOM)
    rows = library.execute(
        "SELECT symptoms, members FROM server_papers WHERE fold = ?", (folded(collection),)
    )
    if not rows:
        return None
    return Glance(integer(rows[0][0]), stale=string(rows[0][1]) != members(library, collection))


def members(library: Library, collection: str) -> str:
    """Return words that change whenever files join or leave a collection, or cannot be read."""
    unread = "\n".join(sorted(each.path for each in library.failures(collection)))
    digest = sha256(unread.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    count, places = library.membership(folded(collection))
    return f"{count} {places} {digest}"
