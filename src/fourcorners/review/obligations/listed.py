"""The obligations of a contract as they are listed, and those lists in the library."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from hashlib import sha256
from typing import Literal, NamedTuple

from pydantic import Field, TypeAdapter, ValidationError

from fourcorners.errors import LibraryError
from fourcorners.library.database import as_string, transact
from fourcorners.library.store import Library
from fourcorners.outline.card.term import Term
from fourcorners.review.obligations.obligation import ObligationKind, Time, TimeKind
from fourcorners.search.graph.in_force import InForce
from fourcorners.text.span import Span
from fourcorners.value import ChangeAuthors, PlacedWords, Value
from fourcorners.version import __version__


class AmendedWords(PlacedWords):
    """Words of a contract, and what an amendment makes of them."""

    amended: str | None = Field(
        default=None, description="The words in force instead, if an amendment changes these."
    )

    @property
    def in_force(self) -> str:
        return self.text if self.amended is None else self.amended


class ObligationTime(AmendedWords):
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
    conditions: tuple[AmendedWords, ...]
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


class ObligationHead(NamedTuple):
    """What an obligation is filtered and sorted by; the rest of it is read when it is shown.

    Attributes:
        number: Its place in the list of its contract.
        quote: Where its sentence is.
        action: Where its action begins.
    """

    document: str
    number: int
    party: str
    parties: Sequence[str]
    called: str
    kind: ObligationKind
    day: date | None
    quote: Span
    action: int
    whose: Literal["ours", "theirs", ""] = ""


_LISTS = TypeAdapter(list[ContractObligation])


class ObligationLists:
    """The stored lists of a library, and those that are to be stored.

    A list is valid for the version of the program, the contract, its term and the amendments of
    which it was made. It says of nobody that they are on our side.
    """

    def __init__(self, library: Library) -> None:
        self._library = library
        self._new: list[tuple[str, str, str, str]] = []
        self._states: dict[str, str] = {}  # of the heads that were given

    def heads(self, document: str, state: str) -> list[ObligationHead] | None:
        """Return the heads of a contract's list; None if none is stored for this state."""
        self._states[document] = state
        rows = self._library.execute(
            "SELECT heads FROM obligation_lists WHERE document = ? AND state = ?", (document, state)
        )
        try:
            return [*_load_heads(document, as_string(rows[0][0]))] if rows else None
        except (ValueError, TypeError):  # damaged: it is listed again
            return None

    def take(self, heads: Iterable[ObligationHead]) -> list[ContractObligation]:
        """Return the obligations with these heads, in their order.

        Raises:
            LibraryError: If a stored list is damaged, or another took its place meanwhile.
        """
        lists: dict[str, list[ContractObligation]] = {}
        found = []
        for head in heads:
            if head.document not in lists:
                lists[head.document] = self._load(head.document)
            each = lists[head.document][head.number]
            found.append(each.model_copy(update={"party": head.party, "whose": head.whose}))
        return found

    def _load(self, document: str) -> list[ContractObligation]:
        new = [found for name, *_, found in self._new if name == document]
        rows = self._library.execute(
            "SELECT found FROM obligation_lists WHERE document = ? AND state = ?",
            (document, self._states[document]),
        )
        if not new and not rows:
            raise LibraryError("a contract was changed meanwhile.", remedy="Try again.")
        try:
            return _LISTS.validate_json(new[0] if new else as_string(rows[0][0]))
        except ValidationError as error:
            if not self._library.is_read_only:
                self._library.execute(
                    "DELETE FROM obligation_lists WHERE document = ?", (document,)
                )
            raise LibraryError(
                "a stored list of obligations was damaged.", remedy="Try again: it is read again."
            ) from error

    def put(
        self, document: str, state: str, found: Sequence[ContractObligation]
    ) -> list[ObligationHead]:
        """Add a list, to be stored by `flush`; return its heads."""
        heads = [
            (
                *(each.party, each.parties, each.called, each.kind.value),
                each.day and each.day.toordinal(),
                *(each.quote.start, each.quote.end, each.action.start),
            )
            for each in found
        ]
        text = json.dumps(heads)
        self._new.append((document, state, text, _LISTS.dump_json([*found]).decode()))
        if len(self._new) >= _AT_ONCE:
            self.flush()
        return [*_load_heads(document, text)]

    def flush(self) -> None:
        """Store the new lists, in one transaction; one that cannot be stored stays in memory."""
        if self._new and not self._library.is_read_only:
            transact(self._library, self._store)
            self._new = []

    def _store(self) -> None:
        self._library.execute_many(
            "INSERT INTO obligation_lists VALUES (?, ?, ?, ?) ON CONFLICT (document) DO UPDATE "
            "SET state = excluded.state, heads = excluded.heads, found = excluded.found",
            self._new,
        )


def _load_heads(document: str, text: str) -> Iterator[ObligationHead]:
    for number, each in enumerate(json.loads(text)):
        party, parties, called, kind, day, start, end, action = each
        yield ObligationHead(
            *(document, number, party, parties, called, ObligationKind(kind)),
            date.fromordinal(day) if day else None,
            Span(start, end),
            action,
        )


_AT_ONCE = 16  # lists stored in one transaction


def list_state(library: Library, document: str, amended: InForce | None, term: Term | None) -> str:
    """Return what identifies all that a list of obligations is made from."""
    changes = () if amended is None else (amended.contract.text, amended.revisions)
    made_from = (__version__, library.state_of(document), term, changes)
    return sha256(repr(made_from).encode("utf-8", "surrogatepass")).hexdigest()
