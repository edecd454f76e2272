"""One damaged contract stops no work on the others, and is named with what to do."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from contextlib import closing
from datetime import date, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import apsw
import pytest
from fastapi.testclient import TestClient

from fourcorners.documents.workers.worker_pool import OwnProcessPool
from fourcorners.errors import DamagedDocument, LibraryError
from fourcorners.library.copy import copy_library
from fourcorners.library.ingest import add_files
from fourcorners.library.store import Library
from fourcorners.operations.local_models import LocalModels
from fourcorners.playbooks.load import load_playbook
from fourcorners.reports import Grid
from fourcorners.research.run import ResearchQuestion, ask, final_answer
from fourcorners.review.calendar import list_timelines
from fourcorners.review.health import check_documents
from fourcorners.review.obligations.table import list_obligations
from fourcorners.review.run import ReviewScope, review_library
from fourcorners.review.selection.find import find_contracts, parse_selection
from fourcorners.review.stored_review import load_review
from fourcorners.search.filters import Filters
from fourcorners.search.find import find_passages
from fourcorners.search.graph.links import links_of, update_links
from fourcorners.search.run import search_library
from fourcorners.server.app import create_app
from fourcorners.settings import Settings
from tests.models.fake import HashEncoder

if TYPE_CHECKING:
    from tests.conftest import Program

pytestmark = pytest.mark.usefixtures("one_process")

LEASE = """LEASE OF A MILL

between Ada Turner Limited (the "Landlord") and Bram Miller Limited (the "Tenant").

1. Term

1.1 The Term is five years from 1 May 2024. The Tenant may end it under clause 2.1.

2. Ending

2.1 The Tenant may end this lease on six months' notice to the Landlord.
"""
SUPPLY = """SUPPLY OF GRAIN

between Oats Limited (the "Supplier") and Mills Limited (the "Buyer").

1. Supply. The Supplier shall supply the grain that the Buyer orders within five days.

2. Ending. The Buyer may end this agreement on two months' notice to the Supplier.
"""
DAY = date(2024, 6, 1)
NOTICE = "who may end it on notice"
# ruff: noqa: S608 - the statements are ours
FIRST = "(SELECT first_passage FROM documents WHERE name = 'lease.txt')"
OWN = "document = (SELECT row FROM documents WHERE name = 'lease.txt')"
KEPT = "document = (SELECT id FROM documents WHERE name = 'lease.txt')"
DAMAGE = {
    "text": "UPDATE documents SET text = 'x' || substr(text, 2) WHERE name = 'lease.txt'",
    "text, no longer UTF-8": "UPDATE documents SET text = CAST(x'4cff45' AS TEXT) "
    "WHERE name = 'lease.txt'",
    "outline": "UPDATE documents SET outline = substr(outline, 1, 90) WHERE name = 'lease.txt'",
    "nodes of the outline": "UPDATE documents SET outline = replace(outline, '\"title\"', '\"?\"') "
    "WHERE name = 'lease.txt'",
    "card": "UPDATE documents SET card = '{' WHERE name = 'lease.txt'",
    "pages": "UPDATE documents SET pages = '[' WHERE name = 'lease.txt'",
    "marks": "UPDATE documents SET marks = '{}' WHERE name = 'lease.txt'",
    "recognised words": "UPDATE documents SET words = '{' WHERE name = 'lease.txt'",
    "unread pages": "UPDATE documents SET needs_ocr = '{' WHERE name = 'lease.txt'",
    "passages, misplaced": f'UPDATE passages SET start = 9000, "end" = 9009 WHERE {OWN}',
    "passages, of another view": f"UPDATE passages SET view = '?' WHERE {OWN}",
    "passages, gone": f"DELETE FROM passages WHERE {OWN} AND ordinal = 1",
    "vectors": f"UPDATE passage_vectors SET data = x'00' WHERE passage = {FIRST}",
    "vectors, not numbers": "UPDATE passage_vectors SET data = "
    f"CAST(replace(hex(data), substr(hex(data), 1, 4), '007E') AS BLOB) WHERE passage = {FIRST}",
    "vectors, gone": f"DELETE FROM passage_vectors WHERE passage = {FIRST}",
    "codes": f"UPDATE vectors SET codes = x'00' WHERE {OWN}",
    "sentences": f"UPDATE concordances SET data = x'00' WHERE {OWN}",
    "finding": f"UPDATE review_findings SET finding = '{{broken' WHERE {KEPT} "
    "AND provision = 'assignment'",
    "finding, of another kind": "UPDATE review_findings SET finding = "
    f"replace(finding, '\"proposed\"', '\"?\"') WHERE {KEPT}",
    "finding, no longer UTF-8": "UPDATE review_findings SET finding = CAST(x'4cff45' AS TEXT) "
    f"WHERE {KEPT} AND provision = 'assignment'",
    "statements": f"UPDATE graph_documents SET statements = '{{' WHERE {KEPT}",
}
OF_OTHER_ROOMS = [each for each in DAMAGE if each.startswith(("finding", "statements"))]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A library of two contracts with vectors, both reviewed."""
    folder = tmp_path_factory.mktemp("whole")
    for name, text in (("lease", LEASE), ("supply", SUPPLY)):
        (folder / f"{name}.txt").write_text(text)
    with Library.open(folder / "firm.db") as library:
        files = [folder / "lease.txt", folder / "supply.txt"]
        add_files(library, files, collection="Mill", encoder=HashEncoder(), settings=settings())
        review(library)
    return folder


@pytest.fixture(params=DAMAGE)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def damaged(whole: Path, tmp_path: Path, kind: str) -> Path:
    """A copy of the library in which one part of the lease is damaged."""
    path = tmp_path / "firm.db"
    shutil.copy(whole / "firm.db", path)
    damage(path, kind)
    return path


def damage(path: Path, kind: str) -> None:
    with closing(apsw.Connection(str(path))) as connection:
        connection.execute("PRAGMA foreign_keys = on")
        connection.execute(DAMAGE[kind])
        assert connection.changes()


def settings() -> Settings:
    return Settings(library="unused.db", jobs=1, ocr=False)


def review(library: Library) -> object:
    book = load_playbook("due-diligence")
    return review_library(
        library,
        book,
        ReviewScope(collection="Mill", read_for=["Mills Limited"]),
        encoder=HashEncoder(),
    )


WORK: dict[str, Callable[[Library], str]] = {
    "words": lambda library: repr(find_passages(library, "end AND notice")),
    "near words": lambda library: repr(find_passages(library, '"end notice"~9')),
    "plain words": lambda library: repr(
        find_passages(library, NOTICE, encoder=HashEncoder(), limit=50)
    ),
    "an example": lambda library: repr(
        find_passages(library, None, like=NOTICE, encoder=HashEncoder())
    ),
    "a question": lambda library: repr(search_library(library, NOTICE, encoder=HashEncoder()).hits),
    "ask": lambda library: final_answer(
        ask(library, ResearchQuestion(f"{NOTICE}?", collection="Mill"), encoder=HashEncoder())
    ).to_json(),
    "ask by words": lambda library: final_answer(
        ask(library, ResearchQuestion(f"{NOTICE}?"))
    ).to_json(),
    "review": lambda library: html_of(review(library)),
    "report": lambda library: html_of(
        load_review(library, load_playbook("due-diligence"), collection="Mill")
    ),
    "health": lambda library: repr(check_documents(library, as_of=DAY)),
    "find": lambda library: repr(
        find_contracts(
            library,
            load_playbook("due-diligence"),
            parse_selection(library, "assignment", load_playbook("due-diligence")).condition,
            collection="Mill",
        )
    ),
    "links": lambda library: repr(
        [e.name for e in library.documents()] + [links_of(library).all_amendments()]
    ),
    "obligations": lambda library: repr(list_obligations(library, library.documents()).obligations),
    "dates": lambda library: repr(
        [e.name for e in library.documents()]
        + [
            *map(
                repr,
                list_timelines(library, library.documents(), date(2024, 6, 1), timedelta(9000)),
            )
        ]
    ),
}


def html_of(grid: object) -> str:
    from fourcorners.reports.json import review_json

    return json.dumps(review_json(Grid(grid)))  # type: ignore[arg-type]


@pytest.mark.parametrize("work", WORK)
def test_the_rest_answers(damaged: Path, work: str) -> None:
    with Library.open(damaged) as library:
        met: list[DamagedDocument] = []
        library.damages.on_damage = met.append
        assert "supply.txt" in (said := WORK[work](library)), said
        if met:
            assert [each.name for each in met] == ["lease.txt"]
            assert [each.path for each in library.failures("Mill")] == [met[0].path]
            assert "Add its file again" in str(met[0])


def test_it_is_named_and_can_be_added_again(damaged: Path, whole: Path, kind: str) -> None:
    with Library.open(damaged) as library:
        lease = library.execute("SELECT id FROM documents WHERE name = 'lease.txt'")[0][0]
        assert any(str(lease) in each for each in library.check()), library.check()
        with pytest.raises(DamagedDocument, match=r"of lease\.txt is damaged \(its "):
            library.read_whole(str(lease))
        assert library.document_ids("Mill")[:1] == [lease]
        copy = Library.open(damaged.with_name("copy.db"))
        with copy, pytest.raises(LibraryError, match="lease"):
            copy_library(library, copy)
        report = add_files(
            library,
            [whole / "lease.txt", whole / "supply.txt"],
            collection="Mill",
            encoder=HashEncoder(),
            settings=settings(),
            worker_pool=OwnProcessPool(),
        )
        assert (report.added, report.already) == ((0, 2) if kind in OF_OTHER_ROOMS else (1, 1))
        assert library.check() == []
        assert library.failures("Mill") == []
        assert "lease.txt" in repr(find_passages(library, "end AND notice"))
        update_links(library)
        assert "lease.txt" in html_of(review(library))
        assert library.failures("Mill") == []


def test_who_asks_for_it_by_name_is_told(damaged: Path) -> None:
    with Library.open(damaged) as library:
        lease = str(library.execute("SELECT id FROM documents WHERE name = 'lease.txt'")[0][0])
        with pytest.raises(DamagedDocument, match="lease"):
            library.read_whole(lease)
        try:
            library.read_whole(lease)
        except DamagedDocument as error:
            library.leave_out(error)
        with pytest.raises(DamagedDocument, match="lease"):
            find_passages(library, "end AND notice", filters=Filters(documents=(lease,)))
        with pytest.raises(DamagedDocument, match="lease"):
            final_answer(ask(library, ResearchQuestion(f"{NOTICE}?", contracts=["lease"])))


def test_a_server_answers_from_the_rest(damaged: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(LocalModels, "encoder", property(lambda _: HashEncoder()))
    monkeypatch.setattr(LocalModels, "reranker", property(lambda _: None))
    app = create_app(damaged, settings())
    with TestClient(app, base_url="http://localhost", raise_server_exceptions=False) as client:
        pool = app.state.server.connection_pool
        with pool.library() as library:
            lease, supply = (
                str(library.execute("SELECT id FROM documents WHERE name = ?", (name,))[0][0])
                for name in ("lease.txt", "supply.txt")
            )
        for address in (
            "/",
            "/c/Mill",
            f"/d/{supply}",
            "/search?q=end+AND+notice",
            "/reviews/grid?c=Mill&p=due-diligence",
            "/precedents?q=ending+on+notice&c=Mill",
            f"/ask?d={supply}",
            "/reviews?c=Mill&p=due-diligence",
            "/reviews/export?c=Mill&p=due-diligence&as=html",
            "/reviews/export?c=Mill&p=due-diligence&as=xlsx",
            "/api/v1/collections",
            "/api/v1/documents?collection=Mill",
            "/api/v1/search?q=end+AND+notice",
            "/api/v1/search?q=who+may+end+it+on+notice",
            f"/api/v1/documents/{supply}/text",
            "/api/v1/precedents?q=ending&collection=Mill",
            "/api/v1/findings?collection=Mill&playbook=due-diligence",
        ):
            answered = client.get(address)
            assert answered.status_code == 200, (address, answered.text)
        for address in ("/search?q=end+AND+notice", "/reviews/grid?c=Mill&p=due-diligence"):
            with pool.library() as library:
                expected = bool(library.left_out("Mill"))
            assert ("of lease.txt is damaged" in client.get(address).text) is expected, address
        with pool.library() as library:
            named = [each.name for each in library.left_out(None)]
        found = client.get("/api/v1/search?q=end+AND+notice").json()
        assert "supply.txt" in [each["name"] for each in found["items"]]
        assert named == ["lease.txt"] * len(found["warnings"])
        assert all("of lease.txt is damaged" in each for each in found["warnings"])
        assert len(client.get("/api/v1/failures?collection=Mill").json()) == len(named)
        refused = client.get(f"/api/v1/documents/{lease}/text")
        assert refused.status_code in (200, 503)
        if refused.status_code == 503:
            assert refused.json()["code"] == "damaged_document"
            assert "lease.txt" in refused.json()["detail"]


def test_commands_say_so_on_standard_error(whole: Path, program: Program) -> None:
    files = (whole / "lease.txt", whole / "supply.txt")
    own = ("-c", "Mill", "-l", "firm.db", "--words-only")
    program("add", *files, *own)
    with closing(apsw.Connection(str(program.folder / "firm.db"))) as connection:
        connection.execute(DAMAGE["text"])
    for command in (
        ("search", "end AND notice", "--json"),
        ("search", "end AND notice"),
        ("ask", "Who may end it?", "--words-only", "--json"),
        ("review", "-c", "Mill", "--words-only", "--json"),
        ("obligations", "--json"),
    ):
        shown = program(*command, "-l", "firm.db")
        assert "supply" in shown.out
        assert shown.err.count("of lease.txt is damaged (its") == 1, shown.err
        assert "Add its file again" in shown.err
    stated = program("status", "-l", "firm.db")
    assert "of lease.txt is damaged" in stated.out
    assert "Add its file again" in stated.out
    (failure,) = json.loads(program("status", "--json", "-l", "firm.db").out)["failures"]
    assert "lease.txt" in failure["reason"]
    refused = program("show", "lease", "-l", "firm.db", code=1)
    assert "of lease.txt is damaged" in refused.err
    assert "1 added" in program("add", *files, *own).out
    assert program("search", "end AND notice", "-l", "firm.db").err == ""


def test_a_grid_that_was_shown_whole_is_shown_without_what_is_damaged_since(
    whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "firm.db"
    shutil.copy(whole / "firm.db", path)
    monkeypatch.setattr(LocalModels, "encoder", property(lambda _: HashEncoder()))
    app = create_app(path, settings())
    with TestClient(app, base_url="http://localhost", raise_server_exceptions=False) as client:
        address = "/reviews/grid?c=Mill&p=due-diligence"
        assert "lease.txt" in client.get(address).text
        damage(path, "finding")
        shown = client.get(address)
        assert shown.status_code == 200, shown.text
        assert "of lease.txt is damaged (its findings)" in shown.text
        assert "supply.txt" in shown.text
