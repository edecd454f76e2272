"""A library of schema 9, made by the program of that time, opens with all that it holds."""

from __future__ import annotations

import lzma
from datetime import date
from pathlib import Path

import apsw
import pytest

from fourcorners.errors import DamagedDocument, LibraryError
from fourcorners.library.copy import copy_library
from fourcorners.library.store import Library
from fourcorners.library.tables.migration import VERSION
from fourcorners.outline.card.card import Party
from fourcorners.research.store import list_answers, load_answer
from fourcorners.review import store
from fourcorners.review.finding import CellState
from fourcorners.search.graph.links import links_of
from fourcorners.server.store import health_checks
from fourcorners.server.store.health_checks import last_summary

FORMER = Path(__file__).with_name("data") / "schema-9.db.xz"
"""Three contracts of the example data room, a review of three provisions, an answer, a check."""
READ = "SELECT finding FROM review_findings ORDER BY document, playbook, provision"
LISTED = "SELECT document, provision, state, severity, statements FROM review_summaries"


@pytest.fixture
def former(tmp_path: Path) -> Path:
    path = tmp_path / "former.db"
    path.write_bytes(lzma.decompress(FORMER.read_bytes()))
    return path


def schema_of(library: Library) -> object:
    columns = {table: library.execute(f"PRAGMA table_xinfo({table})") for table in library.tables()}
    sql = "SELECT type, name, tbl_name FROM sqlite_schema ORDER BY type, name"
    return columns, library.execute(sql)


def test_documents_findings_answers_links_and_checks_are_read(former: Path) -> None:
    with Library.open(former, create=False) as library:
        assert library.check() == []
        (supply, nda, letter) = library.documents("Larch")
        card = library.card(supply.id)
        assert card.parties[1].value == Party("Brennauer Technik AG", "Distributor", "Distributor")
        assert len(library.document(supply.id).pages) == 9
        assert len(library.outline(nda.id).nodes) == 14
        (link,) = links_of(library).amendments(letter.id)
        assert (link.title, link.dated) == ("Master Services Agreement", date(2023, 3, 14))
        (answer,) = list_answers(library)
        assert load_answer(library, answer.id).question == "Can Northmere assign the agreement?"
        checked = last_summary(library, "Larch")
        assert checked is not None
        ((health,),) = library.execute("SELECT found FROM server_papers")
        assert len(health_checks._HEALTH.load(str(health)).symptoms) == checked.symptoms > 0


def test_the_grid_lists_the_findings(former: Path) -> None:
    with Library.open(former, create=False) as library:
        findings = [store._FINDING.load(str(text)) for (text,) in library.execute(READ)]
        assert len(findings) == 9
        listed = {
            (document, provision): tuple(rest)
            for document, provision, *rest in library.execute(LISTED)
        }
        assert listed == {
            (each.document, each.provision): (each.state.value, *store._summary(each))
            for each in findings
        }
        assert any(each.state is CellState.FOUND for each in findings)


def test_its_tables_are_those_of_a_new_library(former: Path, tmp_path: Path) -> None:
    with Library.open(former) as library, Library.open(tmp_path / "new.db") as new:
        assert schema_of(library) == schema_of(new)
        assert library.execute("PRAGMA user_version") == [(VERSION,)]
        copied = copy_library(library, new)
        assert (copied.documents, copied.tables["review_summaries"]) == (3, 9)


def test_what_is_damaged_is_reported_when_it_is_read(former: Path) -> None:
    raw = apsw.Connection(str(former))
    ((document, outline),) = raw.execute("SELECT id, outline FROM documents LIMIT 1")
    raw.execute("UPDATE documents SET outline = ? WHERE id = ?", (outline[:-9], document))
    raw.close()
    with Library.open(former) as library:
        library.card(document)
        with pytest.raises(DamagedDocument):
            library.outline(document)


def test_an_earlier_library_is_refused(former: Path) -> None:
    raw = apsw.Connection(str(former))
    raw.execute("PRAGMA user_version = 8")
    raw.close()
    with pytest.raises(LibraryError, match="earlier version") as refused:
        Library.open(former)
    assert "version before this one" in refused.value.remedy
