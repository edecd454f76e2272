"""Obligations: who must do what by when, and what nobody may do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from pydantic import Field

from fourcorners.operations.access import SET_APART, Access
from fourcorners.operations.reviewing.reviews import PartyNames
from fourcorners.outline.card.party_names import party_key
from fourcorners.reports.icalendar import obligation_days, write_calendar
from fourcorners.reports.workbook_obligations import write_workbook
from fourcorners.review.obligations.listed import ContractObligation, ObligationHead
from fourcorners.review.obligations.obligation import ObligationKind
from fourcorners.review.obligations.table import RELIANCE, list_obligations
from fourcorners.review.parties import MAX_NAME, require_parties, side_in
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
    party: str = Field(
        default="",
        max_length=MAX_NAME,
        description="Only what binds this party: its name, the first words of it, or its role.",
    )
    whose: Literal["ours", "theirs"] | None = Field(
        default=None, description="Only what binds those for whom one reads, or the others."
    )
    kind: ObligationKind | None = None
    due: Literal["dated", "undated"] | None = Field(
        default=None, description="Only what has a day, or what has none."
    )

    after: int = Field(default=0, ge=0, le=10_000_000, description="How many to leave out first.")
    limit: int | None = Field(default=None, ge=1, le=10_000, description="How many; all if null.")

    def fits(self, each: ObligationHead) -> bool:
        has_day = self.due is None or (self.due == "dated") == (each.day is not None)
        is_kind = self.whose in (None, each.whose) and self.kind in (None, each.kind)
        return has_day and is_kind


class Obligations(Value):
    """Obligations by party and day, those of the party for whom one reads first."""

    parties: dict[str, int] = Field(
        default_factory=dict, description="How many obligations each party has, before a filter."
    )
    contracts: int
    total: int = Field(description="How many obligations a filter leaves.")
    subject: str = Field(
        default="",
        description="What the contract is called, if only one was read; else the collection's "
        "name; empty if they are of several collections.",
    )
    reliance: str = Field(default=RELIANCE, description="How far the list can be relied on.")
    obligations: list[ContractObligation]
    unread: int = Field(
        default=0,
        description="Contracts that are not read for obligations yet; a task reads them.",
    )
    set_apart: list[str] = Field(default_factory=list, description=SET_APART)


def read_obligations(
    access: Access,
    asked: ObligationsRequest,
    on_document: Callable[[int, int], None] = lambda _done, _total: None,
    most_new: int | None = None,
) -> Obligations:
    """List what contracts bind their parties to.

    Args:
        access: What they may use.
        asked: Which obligations.
        on_document: Called with how many contracts are read, and how many there are.
        most_new: How many contracts may be read that never were; all of them if None.

    Raises:
        NotFound: If they may not know of the collection, or of a document.
        ConfigError: If nobody in these contracts has a name of `read_for`, or the party's.
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
        most_new=most_new,
    )
    access.record("obligations", {"collection": asked.collection or "", "found": len(found.heads)})
    read = asked.documents or [each.id for each in entries]
    apart = access.set_apart(read)
    heads = found.heads
    if asked.party.strip():
        heads = _of_party(access, asked.party, heads, read)
    fitting = [each for each in heads if asked.fits(each)]
    last = None if asked.limit is None else asked.after + asked.limit
    return Obligations(
        contracts=len(read),
        total=len(fitting),
        subject=str(access.titles(read)[read[0]]) if len(read) == 1 else asked.collection or "",
        obligations=found.lists.take(fitting[asked.after : last]),
        unread=found.unread,
        set_apart=apart,
        parties=dict(Counter(each.party for each in found.heads)),
    )


def _of_party(
    access: Access, name: str, heads: Sequence[ObligationHead], documents: Sequence[str]
) -> list[ObligationHead]:
    """Return the obligations of a party, by its name or as `read_for` names one.

    Raises:
        ConfigError: If there are obligations, and nobody in these contracts has the name.
    """
    key = party_key(name)
    if same := [each for each in heads if party_key(each.party) == key]:
        return same
    library = access.common()
    if heads:
        require_parties(library, [name], documents, "contract")
    meant = {document: side_in(library, document, [name]).names for document in documents}
    keys = {document: {party_key(each) for each in names} for document, names in meant.items()}
    return [each for each in heads if party_key(each.party) in keys.get(each.document, ())]


FORMS = ("xlsx", "docx", "pdf", "html", "ics")
"""What obligations are written as."""


def write_obligations(found: Obligations, path: Path) -> None:
    """Write obligations in the format that the path's suffix names.

    Raises:
        ConfigError: If the file cannot be written, or what writes it is not installed.
    """
    from fourcorners.reports.lists.obligations import obligations_report
    from fourcorners.reports.send import format_for

    suffix = path.suffix.lower()
    if suffix == ".xlsx":
        write_workbook(found.obligations, found.reliance, path)
    elif suffix == ".ics":
        text = write_calendar(obligation_days(found.obligations), datetime.now(UTC))
        path.write_text(text, encoding="utf-8", newline="")
    else:
        report = obligations_report(
            found.obligations, found.contracts, found.reliance, subject=found.subject
        )
        format_for(path).export(report, path)
