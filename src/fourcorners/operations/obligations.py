"""Obligations: who must do what by when, and what nobody may do."""

from __future__ import annotations

from collections.abc import Callable

from pydantic import Field

from fourcorners.operations.access import SET_APART, Access
from fourcorners.operations.reviews import PartyNames
from fourcorners.review.obligations.table import RELIANCE, ContractObligation, list_obligations
from fourcorners.value import Value


class ObligationsRequest(Value):
    """Whose obligations: of contracts, of a collection, or of all that may be read."""

    collection: str | None = Field(default=None, max_length=500)
    documents: list[str] = Field(
        default_factory=list, max_length=50, description="Only of these contracts, by id."
    )
    read_for: PartyNames = Field(
        default_factory=list,
        description="For whom one reads; empty for the party that the collection is read for.",
    )


class Obligations(Value):
    """Obligations by party and day, those of the party for whom one reads first."""

    contracts: int
    reliance: str = Field(default=RELIANCE, description="How far the list can be relied on.")
    obligations: list[ContractObligation]
    set_apart: list[str] = Field(default_factory=list, description=SET_APART)


def read_obligations(
    access: Access,
    asked: ObligationsRequest,
    on_document: Callable[[int, int], None] = lambda _done, _total: None,
) -> Obligations:
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
    return Obligations(contracts=len(read), obligations=found, set_apart=apart)
