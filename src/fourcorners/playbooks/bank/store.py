"""Clause banks: examples of clauses by provision, stored in the library.

A bank has a name; each of its clauses has a provision, its words, stars if someone gave any, and
its source. The same words are stored once per provision: white space, case and typography do not
make another clause.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from hashlib import sha256

from fourcorners.errors import ConfigError
from fourcorners.library.database import SQLiteValue, as_integer, as_string, in_transaction
from fourcorners.library.store import Library
from fourcorners.playbooks.bank.facts import NO_FACTS, ClauseFacts, read_facts, write_facts
from fourcorners.playbooks.learning.learn import Clause
from fourcorners.text.normalisation import normalise_text

STARS = range(1, 6)
_SELECT = (
    'SELECT provision, text, stars, source, start, "end", tags, '
    "owner, approved_by, approved, law, expires FROM bank_clauses "
    "LEFT JOIN bank_facts ON bank_facts.bank = bank_clauses.bank AND clause = id "
)


@dataclass(frozen=True, slots=True)
class BankClause:
    """A clause of a bank.

    Attributes:
        stars: How good an example it is, 1 to 5; None if it is not rated.
        source: The document or the citation that it is from; empty if that is not known.
        start: Its offset in the source, in characters; None if that is not known.
    """

    provision: str
    text: str
    stars: int | None = None
    source: str = ""
    start: int | None = None
    end: int | None = None
    tags: tuple[str, ...] = ()
    facts: ClauseFacts = NO_FACTS

    @property
    def id(self) -> str:
        """Return the name by which it is rated: the same for the same words and provision."""
        same = f"{self.provision.casefold()}\n{_fold_text(self.text)}"
        return sha256(same.encode("utf-8", "surrogatepass")).hexdigest()[:12]


@dataclass(frozen=True, slots=True)
class ImportCounts:
    """The result of an import of clauses."""

    added: int
    known: int


@dataclass(frozen=True, slots=True)
class BankSummary:
    """How much a bank holds of one provision."""

    bank: str
    provision: str
    clauses: int
    rated: int


def _fold_text(text: str) -> str:
    """Return a key that is equal for clauses with the same words."""
    return " ".join(normalise_text(text).text.casefold().split())


@in_transaction
def store_clauses(library: Library, bank: str, clauses: Iterable[BankClause]) -> ImportCounts:
    """Add clauses to a bank; one it holds already keeps its place, and takes stars if it had none.

    What is noted of a clause replaces what was; a clause of which nothing is leaves it.

    Raises:
        ConfigError: If the bank has no name.
    """
    bank = " ".join(bank.split())
    if not bank:
        raise ConfigError("a clause bank needs a name.", remedy="Give one with --bank.")
    now = datetime.now(UTC).isoformat(timespec="seconds")
    added = known = 0
    for clause in clauses:
        row = (clause.id, bank, clause.provision, clause.text, clause.stars, clause.source)
        tags = json.dumps(clause.tags, ensure_ascii=True)
        fresh = library.execute(
            "INSERT INTO bank_clauses(id, bank, provision, text, stars, source, start, "
            '"end", tags, added) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) '
            "ON CONFLICT (bank, id) DO NOTHING RETURNING row",
            (*row, clause.start, clause.end, tags, now),
        )
        if clause.facts != NO_FACTS:
            write_facts(library, bank, clause.id, clause.facts)
        if fresh:
            added += 1
            continue
        known += 1
        library.execute(
            "UPDATE bank_clauses SET stars = coalesce(stars, ?) WHERE bank = ? AND id = ?",
            (clause.stars, bank, clause.id),
        )
    library.record("bank-import", {"bank": bank, "added": added, "known": known})
    return ImportCounts(added, known)


def bank_summary(library: Library) -> list[BankSummary]:
    rows = library.execute(
        "SELECT bank, provision, count(*), count(stars) FROM bank_clauses "
        "GROUP BY bank, provision ORDER BY bank, provision",
    )
    return [
        BankSummary(as_string(name), as_string(provision), as_integer(count), as_integer(rated))
        for name, provision, count, rated in rows
    ]


def bank_clauses(
    library: Library, bank: str, *, provision: str | None = None, least: int | None = None
) -> list[BankClause]:
    """Return the clauses of a bank in the order in which they came.

    Raises:
        ConfigError: If there is no such bank, or it holds nothing of the provision.
    """
    rows = library.execute(
        f"{_SELECT} WHERE bank_clauses.bank = ?1 AND (?2 IS NULL OR lower(provision) = lower(?2)) "
        "AND (?3 IS NULL OR stars >= ?3) ORDER BY row",
        (bank, provision, least),
    )
    if not rows and least is None:
        raise _missing(library, bank, provision)
    return [_clause(row) for row in rows]


def find_clause(library: Library, bank: str, clause: str) -> BankClause:
    """Return a clause by its id or the start of it.

    Raises:
        ConfigError: If no clause or several are called so.
    """
    found = library.execute(
        f"{_SELECT} WHERE bank_clauses.bank = ? AND substr(id, 1, ?) = ? LIMIT 2",
        (bank, len(clause), clause),
    )
    if len(found) != 1:
        several = "more than one clause" if found else "no clause"
        raise ConfigError(
            f"the bank {bank!r} has {several} whose id starts with {clause!r}.",
            remedy=f"fourcorners bank list --bank {bank!r} prints the ids.",
        )
    return _clause(found[0])


def set_stars(library: Library, bank: str, clause: BankClause, stars: int | None) -> BankClause:
    """Give a clause stars, or take them, within the caller's transaction."""
    library.execute(
        "UPDATE bank_clauses SET stars = ? WHERE bank = ? AND id = ?", (stars, bank, clause.id)
    )
    library.record("bank-rate", {"bank": bank, "clause": clause.id, "stars": stars or 0})
    return replace(clause, stars=stars)


@in_transaction
def set_facts(library: Library, bank: str, clause: str, facts: ClauseFacts) -> BankClause:
    """Note the facts of a clause.

    Raises:
        ConfigError: If no clause or several are called so, or the facts cannot be.
    """
    found = find_clause(library, bank, clause)
    write_facts(library, bank, found.id, facts)
    library.record("bank-facts", {"bank": bank, "clause": found.id})
    return replace(found, facts=facts)


def clause_lines(clauses: Iterable[BankClause]) -> Iterator[str]:
    """Yield each clause as a line of JSON, as an import reads it."""
    for clause in clauses:
        whole: Mapping[str, object] = {
            "provision": clause.provision,
            "text": clause.text,
            "stars": clause.stars,
            "source": clause.source or None,
            "start": clause.start,
            "end": clause.end,
            "tags": list(clause.tags) or None,
            **{key: None if not each else str(each) for key, each in asdict(clause.facts).items()},
        }
        yield json.dumps(
            {key: value for key, value in whole.items() if value is not None}, ensure_ascii=False
        )


def training_clauses(clauses: Iterable[BankClause]) -> list[Clause]:
    """Return clauses as examples; those of one source are a group, others are separate."""
    return [
        Clause(each.provision, each.text, each.source or each.id, each.stars) for each in clauses
    ]


def _clause(row: tuple[SQLiteValue, ...]) -> BankClause:
    provision, text, stars, source, start, end, tags, *facts = row
    return BankClause(
        provision=as_string(provision),
        text=as_string(text),
        stars=None if stars is None else as_integer(stars),
        source=as_string(source),
        start=None if start is None else as_integer(start),
        end=None if end is None else as_integer(end),
        tags=tuple(json.loads(as_string(tags))),
        facts=read_facts(tuple(facts)),
    )


def _missing(library: Library, bank: str, provision: str | None) -> ConfigError:
    held = bank_summary(library)
    banks = list(dict.fromkeys(each.bank for each in held))
    if bank in banks:
        own = [each.provision for each in held if each.bank == bank]
        return ConfigError(
            f"the bank {bank!r} holds no clause of {provision!r}.",
            remedy=f"It holds: {', '.join(own)}.",
        )
    return ConfigError(
        f"the library has no clause bank {bank!r}.",
        remedy=f"It has: {', '.join(banks)}." if banks else "Import one: fourcorners bank import.",
    )
