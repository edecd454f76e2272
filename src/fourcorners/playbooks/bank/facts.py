"""What a firm notes of a clause of a bank: owner, approval, governing law, and until when."""

from __future__ import annotations

from dataclasses import astuple, dataclass
from datetime import UTC, date, datetime, timedelta
from enum import StrEnum

from fourcorners.errors import ConfigError
from fourcorners.library.database import SQLiteValue, as_string
from fourcorners.library.store import Library
from fourcorners.text.span import Span
from fourcorners.text.values.dates import find_dates

MAX_WORDS = 200  # characters of a name or a law
_EPOCH = date(1899, 12, 30)  # from which a spreadsheet counts days
_SERIALS = range(20_000, 80_000)  # days of 1954 to 2119


class ClauseStanding(StrEnum):
    """Whether a clause may be used as it is."""

    EXPIRED = "expired"
    UNAPPROVED = "unapproved"
    APPROVED = "approved"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class ClauseFacts:
    """What is noted of a clause; empty, or None, where nothing is.

    Attributes:
        approved: The day of the approval.
        law: The governing law that it is written for.
        expires: The last day on which it may be used.
    """

    owner: str = ""
    approved_by: str = ""
    approved: date | None = None
    law: str = ""
    expires: date | None = None

    def is_expired(self, on: date) -> bool:
        return self.expires is not None and self.expires < on

    def standing(self, on: date) -> ClauseStanding:
        if self.is_expired(on):
            return ClauseStanding.EXPIRED
        if self.approved_by or self.approved:
            return ClauseStanding.APPROVED
        return ClauseStanding.UNAPPROVED if self != NO_FACTS else ClauseStanding.UNKNOWN


NO_FACTS = ClauseFacts()


def read_facts(row: tuple[SQLiteValue, ...]) -> ClauseFacts:
    """Return the facts of the columns of `bank_facts`, which are null where none are noted."""
    owner, by, approved, law, expires = (as_string(each or "") for each in row)
    return ClauseFacts(owner, by, _day(approved), law, _day(expires))


def write_facts(library: Library, bank: str, clause: str, facts: ClauseFacts) -> None:
    """Note the facts of a clause in place of those that are, within the caller's transaction.

    Raises:
        ConfigError: If a word is too long, or it is approved in the future or after it expires.
    """
    values = ["" if each is None else str(each) for each in astuple(facts)]
    if any(len(each) > MAX_WORDS for each in values):
        raise ConfigError(f"a name or a law has at most {MAX_WORDS} characters.")
    today = datetime.now(UTC).date()
    if facts.approved and facts.approved > today + timedelta(days=1):  # it may be that day already
        raise ConfigError(
            f"the approval is in the future: {facts.approved}.",
            remedy="Give the day of the approval.",
        )
    if facts.approved and facts.expires and facts.expires < facts.approved:
        raise ConfigError("a clause cannot expire before it is approved.")
    library.execute("DELETE FROM bank_facts WHERE bank = ? AND clause = ?", (bank, clause))
    if facts != NO_FACTS:
        library.execute(
            "INSERT INTO bank_facts(bank, clause, owner, approved_by, approved, law, expires) "
            "VALUES (?, ?, ?, ?, ?, ?, ?)",
            (bank, clause, *values),
        )


def clause_facts(library: Library, bank: str) -> dict[str, ClauseFacts]:
    """Return what is noted of the clauses of a bank, by their ids."""
    rows = library.execute(
        "SELECT clause, owner, approved_by, approved, law, expires FROM bank_facts WHERE bank = ?",
        (bank,),
    )
    return {as_string(clause): read_facts(tuple(rest)) for clause, *rest in rows}


def expiring_clauses(
    library: Library, first: date, last: date
) -> list[tuple[str, str, ClauseFacts]]:
    """Return the clauses that have an owner and expire in these days: bank, id, and facts."""
    rows = library.execute(
        "SELECT bank, clause, owner, approved_by, approved, law, expires FROM bank_facts "
        "WHERE owner != '' AND expires BETWEEN ? AND ? ORDER BY expires, bank, clause",
        (first.isoformat(), last.isoformat()),
    )
    return [(as_string(b), as_string(c), read_facts(tuple(rest))) for b, c, *rest in rows]


def parse_day(words: str) -> date | None:
    """Return a day as people and spreadsheets write it; None where there are no words.

    Raises:
        ConfigError: If it is no day, or could be two.
    """
    plain = " ".join(words.split())
    if not plain:
        return None
    if plain.isascii() and plain.isdigit() and int(plain) in _SERIALS:
        return _EPOCH + timedelta(days=int(plain))
    try:
        return date.fromisoformat(plain[:10])
    except ValueError:
        found = list(find_dates(plain, Span(0, len(plain))))
    if len(found) != 1 or found[0].other is not None:
        raise ConfigError(f"{plain[:40]!r} is not a date.", remedy="Write it as 2027-12-31.")
    return found[0].value


def _day(words: str) -> date | None:
    return date.fromisoformat(words) if words else None
