"""The obligations of a contract as they are listed, and those lists in the library."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from hashlib import sha256
from typing import Literal

from pydantic import Field, TypeAdapter, ValidationError

from fourcorners.library.contract import Contract
from fourcorners.library.database import as_string
from fourcorners.library.store import Library
from fourcorners.outline.card.term import Term
from fourcorners.review.obligations.obligation import ObligationKind, Time, TimeKind
from fourcorners.search.graph.in_force import InForce
from fourcorners.value import ChangeAuthors, PlacedWords, Value
from fourcorners.version import __version__


class ObligationTime(PlacedWords):
    """Words that say when, and the day they give if that is sure."""

    kind: TimeKind
    day: date | None
    unless: str | None = Field(description="What may move that day.")


class ContractObligation(Value):
    """What a sentence of a contract binds a party to."""

    party: str
    whose: Literal["ours", "theirs", ""] = Field(
        description="Whether it binds those for whom the contract is read; empty for nobody."
    )
    parties: tuple[str, ...] = Field(description="Those of the contract's card that are meant.")
    called: str = Field(description="What the contract calls the party.")
    kind: ObligationKind
    statement: str = Field(description="What must be done, or not, as amended: “must pay the fee”.")
    action: PlacedWords
    conditions: tuple[PlacedWords, ...]
    times: tuple[ObligationTime, ...]
    day: date | None
    unless: str | None
    document: str
    name: str
    title: str
    where: str = Field(description="How a lawyer cites the place, such as 4.1.")
    quote: PlacedWords
    lead: PlacedWords | None = Field(description="The words before a list, for a point of it.")
    changed_by: tuple[str, ...] = Field(description="Amendments of it, each with its clause.")
    proposed: ChangeAuthors = ()

    @property
    def time(self) -> ObligationTime | None:
        """Return the most precise time: a day before a period, and that before a duration."""
        return min(self.times, key=_rank_time, default=None)

    @property
    def days(self) -> list[ObligationTime]:
        """Return its times with a day, in order."""
        return sorted((each for each in self.times if each.day), key=day_or_last)

    @property
    def source(self) -> str:
        """Return the contract's words, with those before a list."""
        return f"{self.lead.text if self.lead else ''} {self.quote.text}".strip()


_RANKS = (
    *(TimeKind.DATE, TimeKind.PERIOD, TimeKind.EVENT, TimeKind.RECURRING, TimeKind.PROMPT),
    TimeKind.DURATION,
)


def _rank_time(each: ObligationTime) -> tuple[bool, int]:
    return each.day is None, _RANKS.index(each.kind)


def day_or_last(each: ObligationTime | Time) -> date:
    return each.day or date.max


_LISTS = TypeAdapter(list[ContractObligation])


class ObligationLists:
    """The stored lists of a library, and those that are to be stored.

    A list is valid for the version of the program, the card, the term and the amendments of which
    it was made. It says of nobody that they are on our side.
    """

    def __init__(self, library: Library) -> None:
        self._library = library
        self._new: list[tuple[str, str, str]] = []

    def find(self, document: str, state: str) -> list[ContractObligation] | None:
        """Return the list of a contract; None if none is stored for this state."""
        rows = self._library.execute(
            "SELECT found FROM obligation_lists WHERE document = ? AND state = ?", (document, state)
        )
        try:
            return _LISTS.validate_json(as_string(rows[0][0])) if rows else None
        except ValidationError:  # damaged: it is listed again
            return None

    def put(self, document: str, state: str, found: Sequence[ContractObligation]) -> None:
        """Keep a list, to be stored by `flush`."""
        self._new.append((document, state, _LISTS.dump_json([*found]).decode()))
        if len(self._new) >= _AT_ONCE:
            self.flush()

    def flush(self) -> None:
        """Store the new lists, in one transaction."""
        if self._new:
            with self._library.transaction():
                self._library.execute_many(
                    "INSERT INTO obligation_lists VALUES (?, ?, ?) ON CONFLICT (document) "
                    "DO UPDATE SET state = excluded.state, found = excluded.found",
                    self._new,
                )
            self._new = []


_AT_ONCE = 16  # lists stored in one transaction


def list_state(contract: Contract, amended: InForce | None, term: Term | None) -> str:
    """Return what identifies all that a list of obligations is made from."""
    changes = () if amended is None else (amended.contract.text, amended.revisions)
    made_from = (__version__, contract.card, term, changes)
    return sha256(repr(made_from).encode("utf-8", "surrogatepass")).hexdigest()
