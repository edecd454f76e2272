"""Obligations: who must do what by when, and what nobody may do."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from typing import Literal

from pydantic import Field

from fourcorners.operations.access import SET_APART, Access
from fourcorners.review.obligations.obligation import ObligationKind, TimeKind
from fourcorners.review.obligations.table import RELIANCE, ListedObligation, list_obligations
from fourcorners.review.parties import MAX_NAMES
from fourcorners.value import PlacedWords, Value


class ObligationsRequest(Value):
    """Whose obligations: of contracts, of a collection, or of all that may be read."""

    collection: str | None = Field(default=None, max_length=500)
    documents: list[str] = Field(
        default_factory=list, max_length=50, description="Only of these contracts, by id."
    )
    read_for: list[str] = Field(
        default_factory=list,
        max_length=MAX_NAMES,
        description="For whom one reads; empty for the party that the collection is read for.",
    )


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
    parties: list[str] = Field(description="The parties of the contract's card that are meant.")
    called: str = Field(description="What the contract calls the party.")
    kind: ObligationKind
    statement: str = Field(description="What must be done, or not, such as “must pay the fee”.")
    action: PlacedWords
    conditions: list[PlacedWords]
    times: list[ObligationTime]
    day: date | None
    unless: str | None
    document: str
    name: str
    title: str
    where: str = Field(description="How a lawyer cites the place, such as 4.1.")
    quote: PlacedWords
    lead: PlacedWords | None = Field(description="The words before a list, for a point of it.")
    changed_by: list[str] = Field(description="Documents that change the clause.")


class Obligations(Value):
    """Obligations by party and day, those of the party for whom one reads first."""

    contracts: int
    reliance: str = Field(default=RELIANCE, description="How far the list can be relied on.")
    obligations: list[ContractObligation]
    set_apart: list[str] = Field(default_factory=list, description=SET_APART)


@dataclass(frozen=True, slots=True)
class FoundObligations:
    """What was found in so many contracts; reports are written from what is `listed`."""

    contracts: int
    listed: tuple[ListedObligation, ...]
    set_apart: tuple[str, ...] = ()

    @property
    def value(self) -> Obligations:
        return Obligations(
            contracts=self.contracts,
            obligations=[*map(_obligation, self.listed)],
            set_apart=[*self.set_apart],
        )


def read_obligations(
    access: Access,
    asked: ObligationsRequest,
    on_document: Callable[[int, int], None] = lambda _done, _total: None,
) -> FoundObligations:
    """List what contracts bind their parties to.

    Raises:
        NotFound: If they may not know of the collection, or of a document.
        ConfigError: If nobody in these contracts has a name of `read_for`.
    """
    for document in asked.documents:
        access.visible(document)
    entries = access.documents(asked.collection)
    found = list_obligations(
        access.common(),
        entries,
        documents=asked.documents,
        read_for=asked.read_for,
        on_document=on_document,
    )
    access.record("obligations", {"collection": asked.collection or "", "found": len(found)})
    read = asked.documents or [each.id for each in entries]
    apart = access.set_apart(read)
    return FoundObligations(len(read), tuple(found), tuple(apart))


def _obligation(each: ListedObligation) -> ContractObligation:
    found = each.obligation
    return ContractObligation.make(
        each,
        parties=found.actor.parties,
        called=found.actor.name,
        kind=found.kind,
        action=PlacedWords.from_span(each.words, found.action),
        conditions=[*map(PlacedWords.from_span, each.conditions, found.conditions)],
        times=[
            ObligationTime(
                kind=time.kind,
                day=time.day,
                unless=time.unless or None,
                text=words,
                start=time.span.start,
                end=time.span.end,
            )
            for words, time in zip(each.times, found.times, strict=True)
        ],
        unless=each.unless or None,
        quote=PlacedWords.from_span(each.quote, found.quote),
        lead=PlacedWords.from_span(each.lead, found.lead) if found.lead else None,
    )
