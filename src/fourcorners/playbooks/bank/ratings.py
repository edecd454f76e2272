"""Store independent ratings of a bank's clauses by several people.

After ACORD (2025), section 3: a clause's stars are the mean of its ratings, rounded; where people
differ by more than two stars, or on whether it is relevant at all (three stars and more), a panel
decides. A rating without a name is such a decision, and overrides people's ratings.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from statistics import mean

from fourcorners.errors import ConfigError
from fourcorners.library.database import as_integer, as_string, in_transaction
from fourcorners.library.store import Library
from fourcorners.playbooks.bank.store import STARS, BankClause, find_clause, set_stars

RELEVANT = 3
"""Stars from which a clause is relevant to its provision."""
MAX_SPREAD = 2
"""Stars by which ratings may differ before a panel decides."""
_PANEL = ""


@dataclass(frozen=True, slots=True)
class Ratings:
    """What people said of a clause, by their names, and what a panel decided."""

    clause: str
    given: Mapping[str, int]
    decided: int | None = None

    @property
    def average(self) -> float | None:
        return mean(self.given.values()) if self.given else None

    @property
    def stars(self) -> int | None:
        """Return the panel's stars, else the mean, halves rounded up; None without ratings."""
        if self.decided is not None or self.average is None:
            return self.decided
        return int(self.average + 0.5)

    @property
    def is_disputed(self) -> bool:
        """Return whether people differ so much that a panel must decide."""
        given = self.given.values()
        if len(given) < 2:
            return False
        return max(given) - min(given) > MAX_SPREAD or min(given) < RELEVANT <= max(given)


@in_transaction
def rate_clause(
    library: Library, bank: str, clause: str, stars: int | None, rater: str | None = None
) -> BankClause:
    """Store the rating of a person, or of a panel if no name is given; None withdraws it.

    Returns:
        The clause with the stars that follow from all its ratings.

    Raises:
        ConfigError: If the stars are not 1 to 5, the name is empty, or no clause or several are
            called so.
    """
    if stars is not None and stars not in STARS:
        raise ConfigError(
            f"a clause has 1 to 5 stars, not {stars}.", remedy="Give a number from 1 to 5."
        )
    name = _PANEL if rater is None else " ".join(rater.split())
    if rater is not None and not name:
        raise ConfigError("a rating needs a name.", remedy="Give it with --as.")
    found = find_clause(library, bank, clause)
    library.execute(
        "DELETE FROM bank_ratings WHERE bank = ? AND clause = ? AND rater = ?",
        (bank, found.id, name),
    )
    if stars is not None:
        now = datetime.now(UTC).isoformat(timespec="seconds")
        library.execute(
            "INSERT INTO bank_ratings(bank, clause, rater, stars, rated) VALUES (?, ?, ?, ?, ?)",
            (bank, found.id, name, stars, now),
        )
    return set_stars(library, bank, found, _read(library, bank, found.id).stars)


def bank_ratings(library: Library, bank: str) -> dict[str, Ratings]:
    """Return the ratings of each clause that has any, by its id."""
    rows = library.execute(
        "SELECT DISTINCT clause FROM bank_ratings WHERE bank = ? ORDER BY clause", (bank,)
    )
    return {as_string(clause): _read(library, bank, as_string(clause)) for (clause,) in rows}


def _read(library: Library, bank: str, clause: str) -> Ratings:
    rows = library.execute(
        "SELECT rater, stars FROM bank_ratings WHERE bank = ? AND clause = ? ORDER BY rater",
        (bank, clause),
    )
    given = {as_string(rater): as_integer(stars) for rater, stars in rows}
    decided = given.pop(_PANEL, None)
    return Ratings(clause, given, decided)


def own_stars(ratings: Mapping[str, Ratings], clause: str, rater: str) -> int | None:
    """Return one person's rating of a clause; None if there is none."""
    held = ratings.get(clause)
    return held.given.get(" ".join(rater.split())) if held else None


def disagreement(ratings: Iterable[Ratings]) -> tuple[int, int]:
    """Return how many clauses are disputed, of how many that several people rated."""
    several: Sequence[Ratings] = [each for each in ratings if len(each.given) > 1]
    return sum(each.is_disputed for each in several), len(several)
