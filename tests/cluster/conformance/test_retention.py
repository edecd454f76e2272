"""Retention rules and legal holds: what is due, and that no door deletes what is held."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from fourcorners.library.originals.files import Originals
from fourcorners.library.store import Library
from fourcorners.library.tables.migration import VERSION
from fourcorners.operations.access import Access
from fourcorners.operations.errors import Conflict, NotAllowed, NotFound, Refusal
from fourcorners.operations.failures import FailuresRequest, dismiss_failures
from fourcorners.operations.principal import Principal, Role
from fourcorners.operations.retention import (
    HoldRequest,
    RetentionChange,
    due_contracts,
    place_hold,
    release_hold,
    retention_of,
    set_retention,
)
from fourcorners.server.store.collections import delete_collection
from fourcorners.server.store.deletion import Deletion, delete_contracts
from fourcorners.source_settings import OriginalsSettings
from tests.library.conftest import contract

ADA = Principal("Ada", Role.ADMIN, local=True)
OLD = "UPDATE documents SET added = '2019-05-01T00:00:00+00:00' WHERE name = ?"


@pytest.fixture
def access(library: Library) -> Access:
    contract("old.txt").add(library)
    clauses = ["LICENCE.", "1. Term. It runs for two years.", "1.1 It ends.", "2. Law. Norway's."]
    contract("new.txt", clauses).add(library)
    library.execute(OLD, ("old.txt",))
    return Access(library, ADA, watched=False)


def doors(access: Access) -> dict[str, Callable[[], object]]:
    """Return each way to delete something of the collection."""
    library = access.full_library(Role.ADMIN)
    document = library.resolve("old").id
    library.fail("/x/bad.pdf", "it is damaged", collection="Deal")
    originals = Originals(OriginalsSettings())
    return {
        "contract": lambda: access.remove(document),
        "library": lambda: library.remove(document),
        "collection": lambda: delete_collection(library, "Deal", by="Ada"),
        "proved": lambda: delete_contracts(access, originals, Deletion([document])),
        "proved collection": lambda: delete_contracts(
            access, originals, Deletion(collection="Deal")
        ),
        "upload": lambda: dismiss_failures(access, FailuresRequest(collection="Deal")),
        "rows": lambda: library.execute("DELETE FROM documents WHERE id = ?", (document,)),
        "collection's row": lambda: library.execute("DELETE FROM collections"),
    }


def test_contracts_are_due_by_the_rule_of_their_collection(access: Access) -> None:
    assert due_contracts(access) == []
    value = set_retention(access, "deal", RetentionChange(days=365))
    assert value.days == 365
    assert [each.name for each in value.due] == ["old.txt"]
    assert value.due[0].due[:10] == "2020-04-30"
    assert [each.name for each in due_contracts(access)] == ["old.txt"]
    assert {each.name for each in access.documents("Deal")} == {"old.txt", "new.txt"}
    assert set_retention(access, "Deal", RetentionChange(days=None)).due == []


def test_nothing_of_a_held_collection_is_deleted_at_any_door(access: Access) -> None:
    set_retention(access, "Deal", RetentionChange(days=1))
    held = place_hold(access, "Deal", HoldRequest(reason="Northmere v. Halden"))
    assert held.hold
    assert (held.hold.reason, held.hold.by) == ("Northmere v. Halden", "Ada")
    assert held.due == due_contracts(access) == []
    for name, remove in doors(access).items():
        with pytest.raises(Exception, match="legal hold"):
            remove()
        assert len(access.documents("Deal")) == 2, name
    library = access.full_library(Role.ADMIN)
    assert len(library.document_ids("Deal")) == 2
    assert len(library.failures("Deal")) == 1
    assert library.check() == []
    release_hold(access, "Deal")
    assert [each.name for each in due_contracts(access)] == ["old.txt"]
    doors(access)["contract"]()
    doors_left = library.document_ids("Deal")
    assert len(doors_left) == 1
    events = [each.event for each in library.audit_trail()]
    assert {"hold placed", "hold released", "retention"} <= set(events)


def test_a_refusal_names_the_hold(access: Access) -> None:
    place_hold(access, "Deal", HoldRequest(reason="Northmere v. Halden"))
    document = access.documents("Deal")[0].id
    with pytest.raises(Conflict, match="by Ada: Northmere v"):
        access.remove(document)


def test_only_admins_of_a_collection_keep_it(access: Access) -> None:
    library = access.full_library(Role.ADMIN)
    editor = Access(library, Principal("Bram", roles={"deal": Role.EDITOR}), watched=True)
    stranger = Access(library, Principal("Cleo", roles={"other": Role.ADMIN}), watched=True)
    with pytest.raises(NotAllowed):
        place_hold(editor, "Deal", HoldRequest(reason="x"))
    with pytest.raises(NotFound):
        retention_of(stranger, "Deal")
    set_retention(access, "Deal", RetentionChange(days=1))
    assert due_contracts(stranger) == due_contracts(editor) == []
    with pytest.raises(Refusal, match="not under a hold"):
        release_hold(access, "Deal")


def test_a_contract_that_is_added_again_stays_under_a_hold(access: Access) -> None:
    library = access.full_library(Role.ADMIN)
    place_hold(access, "Deal", HoldRequest(reason="x"))
    before = library.document_ids("Deal")
    assert not contract("old.txt").add(library)
    assert library.document_ids("Deal") == before


def test_a_library_of_an_earlier_version_gets_holds(access: Access) -> None:
    library = access.full_library(Role.ADMIN)
    set_version_back(library)
    with Library.open(library.url) as opened:
        access = Access(opened, ADA, watched=False)
        place_hold(access, "Deal", HoldRequest(reason="x"))
        for table in ("documents", "collections"):
            with pytest.raises(Exception, match="legal hold"):
                opened.execute(f"DELETE FROM {table}")  # noqa: S608
        assert len(opened.document_ids("Deal")) == 2
        assert retention_of(access, "Deal").hold


def set_version_back(library: Library) -> None:
    """Make it a library of the version before holds."""
    earlier = VERSION - 1
    for table in ("documents", "collections"):
        trigger = f"collection_holds_keep_{table}"
        library.execute(
            f"DROP FUNCTION {trigger}() CASCADE" if library.shared else f"DROP TRIGGER {trigger}"
        )
    for table in ("collection_holds", "collection_retention"):
        library.execute(f"DROP TABLE {table}")
    library.execute(
        f"COMMENT ON TABLE meta IS 'Fourcorners library, version {earlier}'"
        if library.shared
        else f"PRAGMA user_version = {earlier}"
    )
