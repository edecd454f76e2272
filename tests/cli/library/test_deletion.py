"""`fourcorners library delete`, `retention`, `hold` and `originals` as a user runs them."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest

from fourcorners.library.store import Library
from tests.conftest import Program
from tests.library.conftest import ENCODER, contract
from tests.library.test_read_only import read_only

OTHER = ["LICENCE.", "1. Term. It runs for two years.", "1.1 It ends.", "2. Law. Norway's."]
HELD = ["LEASE.", "1. Rent. It is due each month.", "1.1 It rises.", "2. Law. Sweden's."]


@pytest.fixture
def firm(make_program: Callable[[Path], Program], tmp_path: Path) -> Program:
    """Two contracts of Deal, one of them old, and one of Leases."""
    program = make_program(tmp_path)
    with Library.open(program.folder / "fourcorners.db") as library:
        library.set_encoder(ENCODER.name, ENCODER.dimension)
        contract("old.txt").add(library)
        contract("new.txt", OTHER).add(library)
        contract("held.txt", HELD).add(library, "Leases")
        library.execute(
            "UPDATE documents SET added = '2019-05-01T00:00:00+00:00' WHERE name != 'new.txt'"
        )
    return program


def names(firm: Program) -> set[str]:
    with Library.open(firm.folder / "fourcorners.db", create=False) as library:
        return {each.name for each in library.documents()}


def test_nothing_is_deleted_without_yes(firm: Program) -> None:
    refused = firm("library", "delete", "old", code=2)
    assert refused.out.startswith("old.txt ")
    assert "nothing was deleted: this would delete 1 contract." in refused.err
    assert "Add --yes" in refused.err
    refused = firm("library", "delete", "--collection", "deal", code=2)
    assert "this would delete 2 contracts, with the collection 'deal'." in refused.err
    firm("library", "retention", "--collection", "Deal", "--days", "30")
    assert names(firm) == {"old.txt", "new.txt", "held.txt"}


def test_a_contract_is_deleted_with_a_report(firm: Program) -> None:
    done = firm("library", "delete", "old", "old", "--yes", "--out", "gone.txt", "--by", "Ada")
    assert done.out.startswith("1 contract deleted by Ada, ")
    assert "The search found nothing of them" in done.out
    assert "No backups were searched" in done.out
    assert (firm.folder / "gone.txt").read_text().splitlines()[0] == done.out.splitlines()[0]
    assert names(firm) == {"new.txt", "held.txt"}


def test_the_report_as_json_has_the_hash_of_the_audit_trail(firm: Program) -> None:
    done = firm("library", "delete", "--collection", "Deal", "--yes", "--json", "-o", "gone.json")
    assert {each["name"] for each in done.json["contracts"]} == {"old.txt", "new.txt"}
    assert done.json["is_clean"]
    data = (firm.folder / "gone.json").read_bytes()
    assert json.loads(data) == done.json
    with Library.open(firm.folder / "fourcorners.db", create=False) as library:
        trail = [json.loads(each.detail) for each in library.audit_trail()]
    assert sha256(data).hexdigest() in [each.get("report") for each in trail]


def test_what_is_left_ends_with_1(firm: Program) -> None:
    with Library.open(firm.folder / "fourcorners.db") as library:
        note = "Either party may terminate upon a change of control of the other."
        library.execute("INSERT INTO meta VALUES ('note', ?)", (note,))
    done = firm("library", "delete", "old", "--yes", code=1)
    assert "Something of them is left" in done.out
    assert "- meta: 1. They are not removed with a contract." in done.out


def test_names_that_are_unknown_or_wrong(firm: Program) -> None:
    assert (
        "no document is called 'nothing'"
        in firm("library", "delete", "nothing", "--yes", code=2).err
    )
    assert (
        "collection 'Dael' not found"
        in firm("library", "delete", "-c", "Dael", "--yes", code=None).err
    )
    assert "Did you mean" in firm("library", "hold", "Dael", "--reason", "x", code=None).err
    assert "not found" in firm("library", "retention", "-c", "Dael", code=None).err
    assert "not found" in firm("library", "originals", "status", "-c", "Dael", code=None).err
    assert "not both" in firm("library", "delete", code=2).err
    assert "not both" in firm("library", "delete", "old", "-c", "Deal", "--yes", code=2).err
    assert "no folder" in firm("library", "delete", "old", "--yes", "--backups", "b", code=None).err
    assert "no bucket" in firm("library", "originals", "bucket", "Deal", "nowhere", code=None).err
    assert names(firm) == {"old.txt", "new.txt", "held.txt"}


def test_what_is_due_goes_and_what_is_held_stays(firm: Program) -> None:
    assert firm("library", "retention").out == "No contract is due for deletion.\n"
    shown = firm("library", "retention", "--collection", "Deal", "--days", "365").out
    assert "Deal: contracts are due 365 days after they were added." in shown
    firm("library", "retention", "--collection", "Leases", "--days", "365")
    held = firm("library", "hold", "Leases", "--reason", "Northmere v. Halden", "--by", "Ada").out
    assert "Leases is under a legal hold since " in held
    assert "placed by Ada: Northmere v. Halden" in held
    listed = firm("library", "retention").out
    assert "so nothing is deleted (Northmere v. Halden)" in listed
    assert "2020-04-30 old.txt" in listed
    assert "held.txt" not in listed
    assert "1 contract due for deletion. Delete them with --yes." in listed
    assert [each["name"] for each in firm("library", "retention", "--json").json] == ["old.txt"]
    for wanted in (("held",), ("--collection", "Leases"), ("held", "--yes")):
        refused = firm("library", "delete", *wanted, code=None)
        assert refused.code
        assert "under a legal hold" in refused.err
        assert "releases the hold" in refused.err
    done = firm("library", "retention", "--yes", "--out", "due.json")
    assert done.out.startswith("1 contract deleted by ")
    assert json.loads((firm.folder / "due.json").read_text())["is_clean"]
    assert names(firm) == {"new.txt", "held.txt"}
    assert firm("library", "hold", "Leases", "--json").json["hold"]["by"] == "Ada"
    assert "is not under a legal hold" in firm("library", "hold", "Leases", "--release").out
    assert "not under a hold" in firm("library", "hold", "Leases", "--release", code=None).err
    assert "1 contract due" in firm("library", "retention", "-c", "Leases").out


def test_a_rule_deletes_nothing_and_a_hold_is_placed_or_released(firm: Program) -> None:
    refused = firm("library", "retention", "-c", "Deal", "--days", "9", "--yes", code=2)
    assert "deletes nothing by itself" in refused.err
    assert "one collection" in firm("library", "retention", "--days", "9", code=2).err
    refused = firm("library", "hold", "Deal", "--reason", "x", "--release", code=2)
    assert "not both" in refused.err
    assert "no rule" not in firm("library", "retention", "-c", "Deal", "--days", "0").out


def test_a_library_that_may_only_be_read_is_not_changed(firm: Program) -> None:
    with read_only(firm.folder) as folder:
        reader = replace(firm, folder=folder)
        for command in (
            ("delete", "old", "--yes"),
            ("hold", "Deal", "--reason", "x"),
            ("retention", "-c", "Deal", "--days", "9"),
        ):
            refused = reader("library", *command, code=None)
            assert refused.code
            assert "read-only" in refused.err
        assert "in none" in reader("library", "originals", "status").out
    assert names(firm) == {"old.txt", "new.txt", "held.txt"}


def test_originals_are_counted(firm: Program) -> None:
    shown = firm("library", "originals", "status").out
    assert shown == "0 originals in a bucket, 0 waiting to be stored in one, 3 in none.\n"
    assert firm("library", "originals", "status", "--json").json["local"] == 3
    assert "0 originals stored" in firm("library", "originals", "move").out
