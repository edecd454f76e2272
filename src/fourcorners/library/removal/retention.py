"""How long contracts of a collection are kept, and legal holds, under which none may be deleted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from fourcorners.library.audit import utc_now
from fourcorners.library.database import as_integer, as_string
from fourcorners.library.tokens import fold_name

if TYPE_CHECKING:
    from fourcorners.library.catalogue import Catalogue
    from fourcorners.library.writer import Writer

_ROW = "(SELECT row FROM collections WHERE fold = ?)"


@dataclass(frozen=True, slots=True)
class Hold:
    """A legal hold; `at` is in UTC and ISO 8601."""

    reason: str
    by: str
    at: str

    def __str__(self) -> str:
        return f"since {self.at[:10]}, by {self.by}: {self.reason}"


def hold_of(library: Catalogue, collection: str) -> Hold | None:
    """Return the legal hold of a collection; None where there is none."""
    rows = library.execute(
        f"SELECT reason, by, at FROM collection_holds WHERE collection = {_ROW}",  # noqa: S608
        (fold_name(collection),),
    )
    return Hold(*map(as_string, rows[0])) if rows else None


def retention_days(library: Catalogue) -> Mapping[str, int]:
    """Return after how many days contracts are due, by the names of collections with a rule."""
    rows = library.execute(
        "SELECT c.name, r.days FROM collection_retention r "
        "JOIN collections c ON c.row = r.collection ORDER BY c.fold"
    )
    return {as_string(name): as_integer(days) for name, days in rows}


def due_day(added: datetime, days: int) -> datetime:
    """Return from when on a contract is due for deletion."""
    return added + timedelta(days=days)


def set_hold(library: Writer, collection: str, hold: Hold | None) -> None:
    """Place a collection under a legal hold, or release it, in the caller's transaction."""
    fold = fold_name(collection)
    sql = f"DELETE FROM collection_holds WHERE collection = {_ROW}"  # noqa: S608
    library.execute(sql, (fold,))
    if hold is not None:
        library.execute(
            f"INSERT INTO collection_holds VALUES ({_ROW}, ?, ?, ?)",  # noqa: S608
            (fold, hold.reason, hold.by, hold.at),
        )


def set_retention(library: Writer, collection: str, days: int | None, by: str) -> None:
    """Let contracts of a collection be due after so many days, or (None) never."""
    fold = fold_name(collection)
    sql = f"DELETE FROM collection_retention WHERE collection = {_ROW}"  # noqa: S608
    library.execute(sql, (fold,))
    if days is not None:
        library.execute(
            f"INSERT INTO collection_retention VALUES ({_ROW}, ?, ?, ?)",  # noqa: S608
            (fold, days, by, utc_now()),
        )
