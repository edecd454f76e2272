"""Clause banks: what is noted of their clauses, and clauses from a file.

Banks hold words of any collection: they are for people who may read all of the library.
"""

from __future__ import annotations

from datetime import UTC, date, datetime
from pathlib import Path
from typing import Annotated

from pydantic import Field

from fourcorners.operations.access import Access
from fourcorners.operations.errors import NotFound
from fourcorners.operations.principal import Role
from fourcorners.playbooks.bank import store as banks
from fourcorners.playbooks.bank.facts import MAX_WORDS, ClauseFacts, ClauseStanding
from fourcorners.playbooks.bank.files import read_clauses
from fourcorners.playbooks.bank.store import BankClause, BankSummary, ImportCounts
from fourcorners.value import Day, Value

BankName = Annotated[str, Field(min_length=1, max_length=120)]
_Word = Annotated[str, Field(max_length=MAX_WORDS)]


class ClauseFactsValue(Value):
    """What is noted of a clause; empty, or null, where nothing is."""

    owner: _Word = ""
    approved_by: _Word = ""
    approved: Day | None = None
    law: _Word = Field(default="", description="The governing law that it is written for.")
    expires: Day | None = Field(default=None, description="The last day on which it may be used.")


class BankClauseValue(Value):
    """A clause of a bank, with what is noted of it."""

    id: str
    provision: str
    text: str
    stars: int | None
    source: str
    facts: ClauseFactsValue
    standing: ClauseStanding

    @classmethod
    def from_clause(cls, clause: BankClause) -> BankClauseValue:
        return cls.make(
            clause,
            facts=ClauseFactsValue.make(clause.facts),
            standing=clause.facts.standing(current_day()),
        )


class BankRequest(Value):
    """Which clauses of a bank."""

    bank: BankName
    provision: str = Field(default="", max_length=200)
    stars: int = Field(default=0, ge=0, le=5, description="With so many stars or more.")
    standing: ClauseStanding | None = None
    owner: _Word = ""
    law: _Word = ""


class FactsRequest(Value):
    """What is to be noted of a clause, in place of what is."""

    bank: BankName
    clause: str = Field(min_length=6, max_length=12)
    facts: ClauseFactsValue


def may_use_banks(access: Access) -> bool:
    """Tell whether a person may read clause banks."""
    return access.principal.may_everywhere(Role.READER)


def list_banks(access: Access) -> list[BankSummary]:
    """Return how many clauses the banks have of each provision.

    Raises:
        NotAllowed: If they may not read all of the library.
    """
    return banks.bank_summary(access.full_library(Role.READER))


def list_clauses(access: Access, asked: BankRequest) -> list[BankClause]:
    """Return the clauses of a bank, the best rated first.

    Raises:
        NotAllowed: If they may not read all of the library.
        NotFound: If there is no such bank, or it has no clause of the provision.
    """
    library = access.full_library(Role.READER)
    held = list_banks(access)
    kind = asked.provision.casefold()
    if not any(
        each.bank == asked.bank and (not kind or each.provision.casefold() == kind) for each in held
    ):
        raise NotFound("clause bank not found, or it has no such clauses.")
    found = banks.bank_clauses(
        library, asked.bank, provision=asked.provision or None, least=asked.stars or None
    )
    day = current_day()
    return sorted(
        (
            each
            for each in found
            if (asked.standing is None or each.facts.standing(day) is asked.standing)
            and asked.owner.casefold() in each.facts.owner.casefold()
            and asked.law.casefold() in each.facts.law.casefold()
        ),
        key=lambda each: -(each.stars or 0),
    )


def set_facts(access: Access, asked: FactsRequest) -> BankClause:
    """Note what is known of a clause.

    Raises:
        NotAllowed: If they may not review all of the library.
        ConfigError: If there is no such clause, or the facts contradict each other.
    """
    facts = ClauseFacts(**asked.facts.model_dump())
    return banks.set_facts(access.full_library(Role.REVIEWER), asked.bank, asked.clause, facts)


def import_clauses(access: Access, bank: str, path: Path) -> ImportCounts:
    """Add the clauses of a file to a bank.

    Raises:
        NotAllowed: If they may not review all of the library.
        InputError: If the file cannot be read.
        ConfigError: If it has no such table, or a row contains an error.
    """
    library = access.full_library(Role.REVIEWER)
    return banks.store_clauses(library, bank, read_clauses(path))


def current_day() -> date:
    return datetime.now(UTC).date()
