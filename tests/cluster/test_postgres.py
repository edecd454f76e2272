"""What is PostgreSQL's own: roles, backups, a server that goes away, and what it cannot hold."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from fourcorners.errors import ConfigError, InputError, LibraryError
from fourcorners.library.store import Library
from fourcorners.operations.errors import Conflict
from fourcorners.operations.principal import Role
from fourcorners.search.filters import Filters
from fourcorners.search.find import find_passages
from fourcorners.server.auth.accounts import Accounts
from fourcorners.server.store.collections import rename_collection
from tests.cluster.postgres_server import PostgresServer
from tests.conftest import ROOT, Program
from tests.library.conftest import CLAUSES, ENCODER, contract


@pytest.fixture
def url(postgres: PostgresServer) -> str:
    """A library with one contract."""
    made = postgres.new_library()
    with Library.open(made) as library:
        library.set_encoder(ENCODER.name, ENCODER.dimension)
        contract().add(library)
    return made


@pytest.fixture
def library(url: str) -> Iterator[Library]:
    """The library, open."""
    with Library.open(url, create=False) as opened:
        yield opened


def schema_of(url: str) -> str:
    return url.rpartition("%3D")[2]


def test_its_url_is_shown_whole_and_has_one_spelling(
    url: str, program: Program, tmp_path: Path
) -> None:
    short = url.replace("postgresql:", "postgres:")
    (tmp_path / "lease.txt").write_text(
        "LEASE\n\n1. Term. The lease of the mill ends on 1 May 2030.\n"
    )
    shown = program("add", str(tmp_path / "lease.txt"), "--words-only", "-l", short)
    assert url in "".join(shown.out.split())
    assert program("status", "-l", short, "--json").json["library"] == url
    with Library.open(short, create=False) as one, Library.open(url, create=False) as other:
        assert one.files == other.files
        with pytest.raises(ConfigError) as missing:
            one.documents("Leases")
    assert url in missing.value.message


def test_a_role_that_may_only_read_reads(url: str, postgres: PostgresServer) -> None:
    schema, guide = schema_of(url), (ROOT / "docs" / "scale.md").read_text("utf-8")
    documented = guide.partition("```sql\nCREATE ROLE readers;")[2].partition("```")[0]
    assert "GRANT SELECT" in documented
    grants = documented.replace("public", schema).replace("readers", f"reader_{schema}")
    postgres.run(
        "psql", "-qX", "-v", "ON_ERROR_STOP=1", "-c", f"CREATE ROLE reader_{schema} LOGIN",
        "-c", grants, "postgres",
    )  # fmt: skip
    with Library.open(postgres.url(schema, user=f"reader_{schema}"), create=False) as reader:
        assert [hit.words for hit in find_passages(reader, "norway")] == [CLAUSES[3]]
        assert reader.check() == []
        with pytest.raises(LibraryError, match="may not be written"):
            reader.remove(contract().document.id)
        assert len(reader.documents()) == 1
        for table in ("server_secrets", "server_users", "server_second_factors"):
            with pytest.raises(LibraryError, match="may not"):
                reader.execute(f"SELECT * FROM {table}")  # noqa: S608 - ours


def test_a_backup_of_the_engine_s_own_restores_the_library(
    url: str, postgres: PostgresServer, tmp_path: Path
) -> None:
    dump, schema = tmp_path / "firm.dump", schema_of(url)
    postgres.run("pg_dump", "-Fc", "-n", schema, "-f", str(dump), "postgres")
    with Library.open(url, create=False) as library:
        told = find_passages(library, "norway OR change")
        trail = list(library.audit_trail())
        library.remove(contract().document.id)
    postgres.run("psql", "-qXc", f"DROP SCHEMA {schema} CASCADE", "postgres")
    with pytest.raises(LibraryError, match="there is no library"):
        Library.open(url, create=False)
    postgres.run("pg_restore", "-d", "postgres", str(dump))
    with Library.open(url, create=False) as library:
        assert library.check() == []
        assert find_passages(library, "norway OR change") == told
        assert list(library.audit_trail()) == trail
        assert library.document(contract().document.id) == contract().document
        contract("new.txt", ["NEW", "1. New.", "1.1 It is new."]).add(library)
        assert library.check() == []


def test_the_audit_trail_is_append_only(library: Library) -> None:
    for sql in (
        "DELETE FROM audit",
        "UPDATE audit SET event = 'nothing'",
        "INSERT INTO audit(seq, at, event, detail, previous, hash) VALUES (9, '', '', '', '', '')",
    ):
        with pytest.raises(Exception, match="append-only"):
            library.execute(sql)
    assert library.audit_verdict().faults == ()


def test_what_was_changed_is_noticed(library: Library) -> None:
    library.execute("UPDATE documents SET text = 'X' || substr(text, 2)")
    library.execute("UPDATE vectors SET crc32 = crc32 + 1")
    assert find_passages(library, "norway") == []
    assert ["is damaged (its text)" in each.reason for each in library.failures()] == [True]
    library.execute("DELETE FROM word_lengths")
    faults = " ".join(library.check())
    for what in ("the text of document", "the vectors of document", "the words index"):
        assert what in faults


def test_a_text_with_a_nul_is_refused(library: Library) -> None:
    with pytest.raises(InputError, match="cannot hold"):
        contract("odd.txt", ["ODD", "1. Odd.", "1.1 It is\0 odd."]).add(library)
    assert len(library.documents()) == 1


def test_a_password_does_not_stand_in_a_url() -> None:
    for url in ("postgresql://ada:secret@host/firm", "postgresql:///firm?password=secret"):
        with pytest.raises(ConfigError, match="PGPASSWORD") as told:
            Library.open(url)
        assert "secret" not in str(told.value)


def test_a_library_is_opened_by_its_path_too(library: Library) -> None:
    with Library.open(str(library.path), create=False) as again:
        assert again.documents() == library.documents()


def test_a_server_out_of_reach_is_told(tmp_path: Path) -> None:
    with pytest.raises(LibraryError, match=r"the server of .* does not answer"):
        Library.open(f"postgresql:///firm?host={tmp_path}&outage_seconds=0")


def test_a_database_that_is_not_there_is_told(postgres: PostgresServer) -> None:
    with pytest.raises(LibraryError, match="createdb elsewhere"):
        Library.open(postgres.url("public").replace("///postgres", "///elsewhere"))


def test_a_collection_is_renamed_with_its_roles(library: Library) -> None:
    accounts = Accounts(library)
    accounts.add("ada", "a long enough password 1", by="test")
    for role, name in ((Role.EDITOR, "Deal"), (Role.READER, "Larch")):
        accounts.grant("ada", role, name, by="test")
    with pytest.raises(Conflict, match="a collection with this name already exists"):
        rename_collection(library, "Deal", "Larch", by="test")
    assert rename_collection(library, "Deal", "Finch", by="test") == "Finch"
    assert accounts.members("Finch") == [("ada", Role.EDITOR)]
    filters = Filters(collection="Finch")
    assert [hit.words for hit in find_passages(library, "norway", filters=filters)] == [CLAUSES[3]]
