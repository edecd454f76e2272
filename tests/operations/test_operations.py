"""What holds for every operation: it sees what the person may read, and the audit trail has it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path

import pytest

from fourcorners.library.prepare import PreparedFile, prepare_file
from fourcorners.library.store import Library
from fourcorners.operations.access import Access
from fourcorners.operations.contracts.comparison import CompareRequest, compare_contracts
from fourcorners.operations.contracts.dates import DatesRequest, list_dates
from fourcorners.operations.contracts.obligations import ObligationsRequest, read_obligations
from fourcorners.operations.errors import NotAllowed, NotFound
from fourcorners.operations.principal import Principal, Role
from fourcorners.operations.reviewing.findings import FindingsRequest
from fourcorners.operations.search import PassagesRequest, search_passages
from fourcorners.review.finding import CellState, Finding, Severity
from tests.server.conftest import LEASE

OTHER = LEASE.replace("Ada Turner", "Cleo Weaver").replace("five years", "seven years")


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    """Two collections with a lease each."""
    with Library.open(tmp_path / "library.db", create=True) as opened:
        for collection, text in (("Mill", LEASE), ("Loom", OTHER)):
            file = tmp_path / f"{collection}.txt"
            file.write_text(text, "utf-8")
            made = prepare_file(file)
            assert isinstance(made, PreparedFile)
            opened.add_columns(made.columns, None, collection=collection)
        yield opened


@pytest.fixture
def reader(library: Library) -> Access:
    """Someone who may read one of the two."""
    return Access(library, Principal("ann", roles={"mill": Role.READER}), watched=True)


def test_only_what_may_be_read_is_listed(reader: Access) -> None:
    dates = list_dates(reader, DatesRequest(as_of=date(2029, 3, 1), within=365))
    assert [each.name for each in dates.contracts] == ["Mill.txt"]
    found = read_obligations(reader, ObligationsRequest())
    assert {each.name for each in found.obligations} == {"Mill.txt"}
    assert found.contracts == 1
    hits = search_passages(reader, PassagesRequest(query="Turner OR Weaver"), None).hits
    assert {each.name for each in hits} == {"Mill.txt"}


HIDDEN: list[Callable[[Access, str], object]] = [
    lambda access, _: list_dates(access, DatesRequest(collection="Loom")),
    lambda access, _: read_obligations(access, ObligationsRequest(collection="Loom")),
    lambda access, other: read_obligations(access, ObligationsRequest(documents=[other])),
    lambda access, _: search_passages(
        access, PassagesRequest(query="lease", collection="Loom"), None
    ),
    lambda access, other: search_passages(
        access, PassagesRequest(query="lease", documents=(other,)), None
    ),
    lambda access, other: compare_contracts(
        access, CompareRequest(before=access.documents()[0].id, after=other), None
    ),
]


@pytest.mark.parametrize("ask", HIDDEN)
def test_another_collection_is_as_if_it_did_not_exist(
    library: Library, reader: Access, ask: Callable[[Access, str], object]
) -> None:
    (hidden,) = library.documents("Loom")
    with pytest.raises(NotFound) as told:
        ask(reader, hidden.id)
    with pytest.raises(NotFound) as invented:
        ask(reader, "0" * 16)
    assert str(told.value).replace(hidden.id, "0" * 16) == str(invented.value)


def test_the_audit_trail_has_who_asked(library: Library, reader: Access) -> None:
    list_dates(reader, DatesRequest(collection="Mill"))
    read_obligations(reader, ObligationsRequest(collection="Mill"))
    events = [(each.event, json.loads(each.detail).get("by")) for each in library.audit_trail()]
    assert events[-2:] == [("dates", "ann"), ("obligations", "ann")]


def test_an_obligation_has_its_words_in_their_place(library: Library, reader: Access) -> None:
    (document,) = library.documents("Mill")
    text = library.text(document.id)
    found = read_obligations(reader, ObligationsRequest()).obligations
    assert "must not assign this lease" in " ".join(each.statement for each in found)
    for each in found:
        for words in (each.quote, each.action, *each.conditions, *each.times):
            assert text[words.start : words.end] == words.text


def test_who_lacks_only_a_scope_is_not_sent_for_a_role(library: Library) -> None:
    ann = Principal("ann", roles={"mill": Role.EDITOR}, ceiling=Role.READER)
    with pytest.raises(NotAllowed, match="token's scope") as refused:
        Access(library, ann, watched=True).require(Role.EDITOR, "Mill")
    assert "scope" in refused.value.remedy
    with pytest.raises(NotAllowed, match="role 'admin'") as refused:
        Access(library, ann, watched=True).require(Role.ADMIN, "Mill")
    assert "administers" in refused.value.remedy
    everywhere = Principal("bo", Role.ADMIN, ceiling=Role.EDITOR)
    with pytest.raises(NotAllowed, match="token's scope"):
        Access(library, everywhere, watched=True).full_library(Role.ADMIN)


@pytest.mark.parametrize(
    ("state", "severity", "waits"),
    [
        (CellState.FOUND, Severity.TO_READ, True),
        (CellState.TO_READ, Severity.NONE, True),
        (CellState.TO_READ, Severity.TO_READ, True),
        (CellState.FOUND, Severity.LOW, False),
        (CellState.NOT_FOUND, Severity.HIGH, False),
    ],
)
def test_to_read_means_the_same_as_a_state_and_as_a_severity(
    state: CellState, severity: Severity, *, waits: bool
) -> None:
    finding = Finding("a", "cap", state, severity=severity)
    assert FindingsRequest(collection="c", state=CellState.TO_READ).fits(finding) is waits
    assert FindingsRequest(collection="c", severity=Severity.TO_READ).fits(finding) is waits
