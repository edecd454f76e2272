"""Deleted contracts: a planted phrase is nowhere in the library, its files and its bucket."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import pytest

from fourcorners.library.database import SQLiteValue
from fourcorners.library.ingest import add_files
from fourcorners.library.originals.files import Originals
from fourcorners.library.removal import traces
from fourcorners.library.store import Library
from fourcorners.operations.access import Access
from fourcorners.operations.errors import NotAllowed, NotFound, Refusal
from fourcorners.operations.principal import Principal, Role
from fourcorners.operations.retention import (
    HoldRequest,
    RetentionChange,
    due_contracts,
    place_hold,
    set_retention,
)
from fourcorners.server.store.backup import write_backup
from fourcorners.server.store.deletion import Deletion, delete_contracts
from fourcorners.server.store.deletion_report import report_json, report_text
from fourcorners.settings import Settings
from fourcorners.source_settings import OriginalsSettings
from tests.cluster.postgres_server import PostgresServer
from tests.models.fake import HashEncoder
from tests.object_store import ObjectStore

pytestmark = pytest.mark.allow_hosts(["127.0.0.1"])
WORD = "zanzibarquux"
PHRASE = "The lantern of the zanzibarquux is kept at the seventh wharf"
TEXT = f"LEASE OF A WHARF\n\n1. Lantern. {PHRASE}, and lit each evening by the Tenant.\n"
SHARED = "2. Notices. Each notice under this lease is given in writing to the other party.\n"
OTHER = "LEASE OF A MILL\n\n1. Term. The Tenant leases the mill for five years.\n"
ADA = Principal("Ada", Role.ADMIN, local=True)


Contents = Callable[[], bytes]


@pytest.fixture(autouse=True)
def _uploads_of_this_test(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))


@pytest.fixture
def contents(library: Library, request: pytest.FixtureRequest) -> Contents:
    """Return all that a library has: each byte of its file, or of a dump of its schema."""

    def read() -> bytes:
        files = [each for each in library.files.rglob("*") if each.is_file()]
        if not library.shared:
            path = library.path.absolute()
            files += path.parent.glob(f"{path.name}*")
        found = b"".join(each.read_bytes() for each in files if each.is_file())
        if library.shared:
            server: PostgresServer = request.getfixturevalue("postgres")
            schema = library.url.rpartition("%3D")[2]
            found += server.run("pg_dump", "-n", schema, "postgres").encode()
        return found

    return read


def put(library: Library, files: dict[str, str], collection: str) -> dict[str, str]:
    """Add files as uploads; return the ids of the contracts by their names."""
    folder = library.files / collection
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / name).write_text(text)
    settings = Settings(library="unused.db", jobs=1, ocr=False)
    add_files(library, [folder], collection=collection, encoder=HashEncoder(16), settings=settings)
    return {each.name: each.id for each in library.documents(collection)}


def plant(library: Library, document: str) -> None:
    """Put the phrase where the program writes what it quotes."""
    quoted = json.dumps({"quote": PHRASE})
    library.execute(
        "INSERT INTO research_answers VALUES ('a', '', 'Where is it?', '', 'Ada', ?)", (quoted,)
    )
    library.execute("INSERT INTO research_sources VALUES ('a', ?)", (document,))
    library.execute(
        "INSERT INTO research_answers VALUES ('b', '', 'Where?', '', 'Ada', ?)", (quoted,)
    )
    library.execute("INSERT INTO server_steps VALUES ('t', 1, ?)", (quoted,))
    library.execute("INSERT INTO server_once VALUES ('k', 'x', ?, 0, '')", (quoted,))
    library.execute("INSERT INTO llm_answers(key, answer) VALUES ('k', ?)", (quoted,))
    library.execute("INSERT INTO obligation_lists VALUES (?, 's', '[]', ?)", (document, quoted))
    library.execute(
        "INSERT INTO review_findings VALUES (?, 'p', 'q', 'e', 'found', ?, '')", (document, quoted)
    )
    library.execute("INSERT INTO document_parties VALUES (?, ?)", (document, quoted))
    pages = library.files / "pages"
    pages.mkdir(exist_ok=True)
    (pages / f"{document}.pdf").write_text(PHRASE)


@pytest.mark.parametrize("versioned", [False, True])
def test_a_planted_phrase_is_in_no_byte(
    library: Library,
    contents: Contents,
    bucket_server: ObjectStore,
    tmp_path: Path,
    versioned: bool,
) -> None:
    bucket_server.make(versioned=versioned)
    originals = Originals(bucket_server.settings())
    known = put(library, {"wharf.txt": TEXT + SHARED, "mill.txt": OTHER + SHARED}, "Leases")
    originals.move(library)
    backups = tmp_path / "backups"
    backups.mkdir()
    if not library.shared:
        write_backup(library.path, backups / "firm-20261130-120000.zip")
    plant(library, known["wharf.txt"])
    assert PHRASE.encode() in contents()
    assert any(PHRASE.encode() in each for each in bucket_server.contents().values())

    access = Access(library, ADA, watched=False)
    asked = Deletion([known["wharf.txt"]], backups=backups)
    report = delete_contracts(access, originals, asked)
    found = report.search
    assert found

    assert PHRASE.encode() not in contents()
    assert WORD.encode() not in contents()
    left = bucket_server.contents()
    assert list(left.values()) == [(OTHER + SHARED).encode()]
    assert {key for key, _ in bucket_server.versions()} == set(left)
    assert [each.name for each in library.documents("Leases")] == ["mill.txt"]
    assert report.is_clean
    assert found.removed.keys() >= {
        *("documents", "research_answers", "server_steps", "server_once", "obligation_lists"),
        *("review_findings", "document_parties", "llm_answers"),
    }
    assert [each.proved for each in report.originals] == [True]
    assert [each.contracts for each in found.backups] == ([] if library.shared else [1])
    assert [each.place for each in found.remaining] == ["audit trail"]
    assert (str(library.path.absolute()) in found.files) != library.shared
    assert any("VACUUM FULL" in each for each in found.notes) == library.shared
    shown = report_text(report)
    assert "The search found nothing of them" in shown
    assert PHRASE not in shown
    assert PHRASE not in report.model_dump_json()
    assert library.check() == []
    assert not library.audit_verdict().faults


def test_a_longer_word_of_another_contract_is_no_trace(library: Library) -> None:
    longer = f"\n2. Stock. The {WORD}es stay at the mill.\n"
    known = put(library, {"wharf.txt": TEXT, "mill.txt": OTHER + longer}, "Leases")
    access = Access(library, ADA, watched=False)
    report = delete_contracts(
        access, Originals(OriginalsSettings()), Deletion([known["wharf.txt"]])
    )
    assert report.is_clean


def test_a_word_in_what_stays_is_no_trace(library: Library) -> None:
    known = put(library, {"wharf.txt": TEXT, "mill.txt": OTHER}, "Leases")
    library.execute(
        "INSERT INTO review_findings VALUES (?, 'p', ?, 'e', 'found', '{}', '')",
        (known["mill.txt"], f"{WORD}-of-goods"),
    )
    access = Access(library, ADA, watched=False)
    report = delete_contracts(
        access, Originals(OriginalsSettings()), Deletion([known["wharf.txt"]])
    )
    assert report.search
    assert [each.place for each in report.search.remaining] == ["audit trail"]


def test_what_people_wrote_down_is_reported(library: Library) -> None:
    known = put(library, {"wharf.txt": TEXT, "mill.txt": OTHER}, "Leases")
    library.execute(
        "INSERT INTO bank_clauses(id, bank, provision, text, source, tags, added) "
        "VALUES ('c', 'house', 'p', ?, '', '', '')",
        (TEXT,),
    )
    access = Access(library, ADA, watched=False)
    report = delete_contracts(
        access, Originals(OriginalsSettings()), Deletion([known["wharf.txt"]])
    )
    assert report.is_clean is False
    assert report.search
    places = {each.place: each for each in report.search.remaining}
    assert places["bank_clauses"].count == 1
    assert "clause bank" in places["bank_clauses"].reason
    assert (str(library.path.absolute()) in places) != library.shared
    assert "No backups were searched" in report_text(report)
    events = [each.event for each in library.audit_trail()]
    assert events[-1] == "contracts deleted"
    assert "deletion proved" not in events


def test_a_bucket_that_is_away_keeps_the_report_from_being_clean(
    library: Library, bucket_server: ObjectStore
) -> None:
    known = put(library, {"wharf.txt": TEXT, "mill.txt": OTHER}, "Leases")
    Originals(bucket_server.settings()).move(library)
    away = bucket_server.settings().model_copy(update={"endpoint": "http://127.0.0.1:9"})
    access = Access(library, ADA, watched=False)
    report = delete_contracts(access, Originals(away), Deletion([known["wharf.txt"]]))
    assert not report.is_clean
    assert len(report.originals_left) == 1
    deleted, _ = Originals(bucket_server.settings()).delete_loose(library)
    assert len(deleted) == 1


def test_a_collection_goes_whole(library: Library, contents: Contents) -> None:
    put(library, {"wharf.txt": TEXT, "pier.txt": TEXT.upper()}, "Wharves")
    put(library, {"mill.txt": OTHER}, "Mills")
    access = Access(library, ADA, watched=False)
    originals = Originals(OriginalsSettings())
    report = delete_contracts(access, originals, Deletion(collection="Wharves"))
    assert report.is_clean
    assert {each.name for each in report.contracts} == {"wharf.txt", "pier.txt"}
    assert library.collection_names() == ["Mills"]
    assert WORD.encode() not in contents()


def test_who_may_not_delete_is_refused(library: Library) -> None:
    known = put(library, {"wharf.txt": TEXT}, "Wharves")
    reader = Principal("Bram", roles={"wharves": Role.EDITOR})
    access, originals = Access(library, reader, watched=True), Originals(OriginalsSettings())
    with pytest.raises(NotAllowed):
        delete_contracts(access, originals, Deletion(collection="Wharves"))
    with pytest.raises(Refusal):
        delete_contracts(access, originals, Deletion())
    with pytest.raises(NotFound):
        delete_contracts(access, originals, Deletion(["0000000000000000"]))
    assert library.document_ids() == list(known.values())


LEFTOVERS = {
    "meta": "INSERT INTO meta VALUES ('note', ?)",
    "bank_clauses": "INSERT INTO bank_clauses(id, bank, provision, text, source, tags, added) "
    "VALUES ('c', 'house', 'p', ?, '', '', '')",
    "server_playbooks": "INSERT INTO server_playbooks(id, text, by, at) VALUES ('p', ?, '', '')",
    "server_tasks": "INSERT INTO server_tasks(id, kind, lane, collection, spec, asked_by, state, "
    "created, finished) VALUES ('t', 'ask', 'asking', '', ?, 'Ada', 'done', '', 'x')",
}


@pytest.mark.parametrize("table", LEFTOVERS)
def test_a_row_that_is_left_is_reported(library: Library, table: str) -> None:
    known = put(library, {"wharf.txt": TEXT, "mill.txt": OTHER}, "Leases")
    library.execute(LEFTOVERS[table], (json.dumps({"quote": f"“{PHRASE}”"}),))
    access = Access(library, ADA, watched=False)
    originals = Originals(OriginalsSettings())
    report = delete_contracts(access, originals, Deletion([known["wharf.txt"]]))
    assert report.is_clean is False
    assert report.search
    assert {each.place: each.count for each in report.search.remaining}[table] == 1
    assert "Something of them is left" in report_text(report)


def test_what_is_due_is_deleted_and_what_is_held_stays(
    library: Library, contents: Contents
) -> None:
    put(library, {"wharf.txt": TEXT, "pier.txt": TEXT.replace("Lantern", "Bell")}, "Wharves")
    put(library, {"mill.txt": OTHER}, "Mills")
    library.execute(
        "UPDATE documents SET added = '2019-05-01T00:00:00+00:00' WHERE name != 'pier.txt'"
    )
    access = Access(library, ADA, watched=False)
    for name in ("Wharves", "Mills"):
        set_retention(access, name, RetentionChange(days=365))
    place_hold(access, "Mills", HoldRequest(reason="Northmere v. Halden"))
    due = [each.id for each in due_contracts(access)]
    report = delete_contracts(access, Originals(OriginalsSettings()), Deletion(due))
    assert [each.name for each in report.contracts] == ["wharf.txt"]
    assert {each.name for each in library.documents()} == {"pier.txt", "mill.txt"}
    assert due_contracts(access) == []
    assert b"1. Lantern." not in contents()
    assert library.check() == []


def zipped(text: str) -> bytes:
    """Return a file of Word's kind with one paragraph."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("word/document.xml", f"<w:p><w:t>{text}</w:t></w:p>")
    return file.getvalue()


def export(library: Library, task: str, collection: str, data: bytes) -> None:
    library.execute(
        "INSERT INTO server_tasks(id, kind, lane, collection, spec, asked_by, state, created, "
        "finished) VALUES (?, 'export', 'looking', ?, '{}', 'Ada', 'done', '', 'x')",
        (task, collection),
    )
    library.execute("INSERT INTO server_exports VALUES (?, 'report.docx', 0, ?)", (task, data))


@pytest.mark.parametrize("write", [zipped, str.encode])
def test_an_exported_file_with_its_words_goes(
    library: Library, write: Callable[[str], bytes]
) -> None:
    known = put(library, {"wharf.txt": TEXT, "mill.txt": OTHER}, "Leases")
    export(library, "a", "Leases", write(PHRASE))
    export(library, "b", "Leases", write("No one wrote this in any contract at all."))
    access = Access(library, ADA, watched=False)
    originals = Originals(OriginalsSettings())
    report = delete_contracts(access, originals, Deletion([known["wharf.txt"]]))
    assert report.search
    assert report.search.removed["server_exports"] == 1
    assert report.is_clean
    assert library.execute("SELECT task FROM server_exports") == [("b",)]


def test_an_answer_of_another_collection_stays_though_six_words_are_the_same(
    library: Library,
) -> None:
    known = put(library, {"wharf.txt": TEXT}, "Leases")
    put(library, {"mill.txt": OTHER}, "Mills")
    for answer, collection in (("a", "Mills"), ("b", "leases"), ("c", "")):
        values = (answer, json.dumps({"question": PHRASE}))
        library.execute("INSERT INTO research_answers VALUES (?, '', '', '', 'Ada', ?)", values)
        home = (f"task {answer}", answer, collection)
        library.execute("INSERT INTO server_answers VALUES (?, ?, ?, 'Ada')", home)
    access = Access(library, ADA, watched=False)
    originals = Originals(OriginalsSettings())
    report = delete_contracts(access, originals, Deletion([known["wharf.txt"]]))
    assert library.execute("SELECT id FROM research_answers") == [("a",)]
    assert report.is_clean is False
    assert "answers: 1. Some belong to other collections" in report_text(report)


def test_an_archive_is_reported_until_its_last_contract_goes(
    library: Library, contents: Contents
) -> None:
    library.files.mkdir(parents=True, exist_ok=True)
    archive = library.files / "up" / "room.zip"
    archive.parent.mkdir()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("wharf.txt", TEXT)
        file.writestr("mill.txt", OTHER)
    settings = Settings(library="unused.db", jobs=1, ocr=False)
    encoder = HashEncoder(16)
    add_files(library, [archive], collection="Leases", encoder=encoder, settings=settings)
    known = {each.name: each.id for each in library.documents("Leases")}
    access, originals = Access(library, ADA, watched=False), Originals(OriginalsSettings())
    report = delete_contracts(access, originals, Deletion([known["wharf.txt"]]))
    assert report.is_clean is False
    assert f"{archive}: 1. The archive stays for other contracts" in report_text(report)
    assert delete_contracts(access, originals, Deletion([known["mill.txt"]])).is_clean
    assert not archive.exists()
    assert WORD.encode() not in contents()


def test_a_copy_of_the_file_is_found_by_its_hash(library: Library) -> None:
    known = put(library, {"wharf.txt": TEXT, "mill.txt": OTHER + TEXT}, "Leases")
    copy = library.files / "pages" / "left.bin"
    copy.parent.mkdir()
    copy.write_text(TEXT)
    access, originals = Access(library, ADA, watched=False), Originals(OriginalsSettings())
    report = delete_contracts(access, originals, Deletion([known["wharf.txt"]]))
    assert report.search
    assert [each.place for each in report.search.remaining] == [str(copy), "audit trail"]


def test_who_administers_one_collection_learns_nothing_of_others(library: Library) -> None:
    known = put(library, {"wharf.txt": TEXT, "pier.txt": TEXT.upper()}, "Wharves")
    put(library, {"mill.txt": TEXT.lower()}, "Mills")
    admin = Principal("Bram", roles={"wharves": Role.ADMIN})
    access, originals = Access(library, admin, watched=True), Originals(OriginalsSettings())
    report = delete_contracts(access, originals, Deletion([known["wharf.txt"]]))
    assert (report.is_clean, report.search) == (None, None)
    assert "The library was not searched" in report_text(report)
    report = delete_contracts(access, originals, Deletion(collection="Wharves"))
    assert [each.name for each in report.contracts] == ["pier.txt"]
    assert library.collection_names() == ["Mills"]


def test_the_audit_trail_has_the_hash_of_the_report(library: Library) -> None:
    known = put(library, {"wharf.txt": TEXT, "mill.txt": OTHER}, "Leases")
    access, originals = Access(library, ADA, watched=False), Originals(OriginalsSettings())
    report = delete_contracts(access, originals, Deletion([known["wharf.txt"]]))
    (entry,) = [each for each in library.audit_trail() if each.event == "deletion proved"]
    digest = sha256(report_json(report).encode()).hexdigest()
    assert json.loads(entry.detail)["report"] == digest
    assert digest in report_text(report)


def test_the_name_of_a_file_is_no_word_of_a_contract(library: Library) -> None:
    name = f"{PHRASE}.txt"  # as its title is, which the audit trail has for good
    known = put(library, {name: TEXT, "mill.txt": OTHER}, "Leases")
    access, originals = Access(library, ADA, watched=False), Originals(OriginalsSettings())
    report = delete_contracts(access, originals, Deletion([known[name]]))
    assert report.is_clean
    assert report.search
    assert [each.place for each in report.search.remaining] == ["audit trail"]


def test_a_row_is_found_though_another_goes_meanwhile(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = put(library, {"wharf.txt": TEXT, "mill.txt": OTHER}, "Leases")
    words = traces.collect_words(library, [known["wharf.txt"]])
    for key, answer in (("a", "goes"), ("z", PHRASE)):
        library.execute("INSERT INTO llm_answers(key, answer) VALUES (?, ?)", (key, answer))
    read = traces._words_in

    def read_while_one_goes(value: SQLiteValue) -> str:
        if value == "goes":
            with Library.open(library.url, create=False) as other:
                other.execute("DELETE FROM llm_answers WHERE key = 'a'")
        return read(value)

    monkeypatch.setattr(traces, "_PAGE", 1)
    monkeypatch.setattr(traces, "_words_in", read_while_one_goes)
    assert traces.search_tables(library, words)["llm_answers"] == 1
    assert library.execute("SELECT key FROM llm_answers") == [("z",)]
