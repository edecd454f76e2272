"""What several collections shared before each document belonged to one."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from fourcorners.library.jobs import JobTable
from fourcorners.library.migration import shared_documents
from fourcorners.library.store import Library
from fourcorners.playbooks.load import load_playbook
from fourcorners.review.annotations import annotation_faults
from fourcorners.review.finding import CellState, ReviewState
from fourcorners.review.people.review_actions import NewAnnotation, annotate_finding, load_finding
from fourcorners.review.store import save_findings
from fourcorners.search.filters import Filters
from fourcorners.search.find import find_passages
from tests.library.conftest import contract, share, to_schema_6
from tests.review.filled import finding

PLAYBOOK = load_playbook("due-diligence")
LAW = "governing-law"


@pytest.fixture
def older(library: Library) -> Path:
    """A library in which two collections share a reviewed contract, and one has another."""
    shared, own = contract(), contract("own.txt", ["LEASE", "1. A", "1.1 B", "2. C"], "Lease")
    shared.add(library, "Larch")
    own.add(library, "Larch")
    document = shared.document
    words = finding(document.id, document.text, LAW, ["The laws of Norway govern this Agreement."])
    save_findings(library, PLAYBOOK, "engine", [words])
    annotate_finding(
        library,
        PLAYBOOK,
        document.id,
        LAW,
        NewAnnotation(by="Ada", state=ReviewState.CONFIRMED, comment="Fine."),
    )
    to_schema_6(library)
    share(library, document.id, "Oak")
    library.execute(
        "INSERT INTO sources SELECT 'data/oak.txt', row FROM documents WHERE id = ?", (document.id,)
    )
    jobs = JobTable(library)
    for name, folder in (("larch", "room"), ("oak", "data")):
        paths = json.dumps([str(Path(folder).absolute())])
        jobs.complete(jobs.start("add", {"collection": name, "paths": paths}))
    path = library.path
    library.close()
    return path


def test_each_collection_gets_what_it_shared(older: Path) -> None:
    with Library.open(older) as library:
        first, second = library.documents("Larch")[1], library.documents("Oak")[0]
        assert [entry.name for entry in library.documents("Larch")] == ["own.txt", "supply.txt"]
        assert first.id == contract().document.id != second.id
        assert (second.name, second.path) == ("oak.txt", "data/oak.txt")
        assert library.paths_of(first.id) == ["room/supply.txt"]
        assert library.paths_of(second.id) == ["data/oak.txt"]
        assert second.added >= first.added
        for entry in (first, second):
            found = load_finding(library, PLAYBOOK, entry.id, LAW)
            assert (found.document, found.state) == (entry.id, CellState.FOUND)
            assert found.review is ReviewState.CONFIRMED
            assert [remark.comment for remark in found.remarks] == ["Fine."]
        for name in ("Larch", "Oak"):
            hits = find_passages(library, "agreement AND l*", filters=Filters(collection=name))
            assert len(hits) == 2
            assert {hit.document for hit in hits} <= {e.id for e in library.documents(name)}
        assert len(library.vectors("Oak")) == 4
        assert library.check() == annotation_faults(library) == []

        annotate_finding(
            library, PLAYBOOK, second.id, LAW, NewAnnotation(by="Bob", state=ReviewState.REJECTED)
        )
        assert load_finding(library, PLAYBOOK, first.id, LAW).review is ReviewState.CONFIRMED


def test_a_document_added_later_shows_nothing(older: Path) -> None:
    with Library.open(older) as library:
        contract("own.txt", ["LEASE", "1. A", "1.1 B", "2. C"], "Lease").add(library, "Oak")
        lease = contract("own.txt", ["LEASE", "1. A", "1.1 B", "2. C"]).document.id
        assert lease not in {entry.id for entry in library.documents("Oak")}


def test_it_goes_on_where_it_was_stopped(older: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(shared_documents, "_copy_remarks", stop)
        with pytest.raises(KeyboardInterrupt):
            Library.open(older)
    with Library.open(older) as library:
        assert library.collections() == [("Larch", 2), ("Oak", 1)]
        assert library.check() == []
    began = time.monotonic()
    with Library.open(older) as library:
        assert len(library.documents()) == 3
    assert time.monotonic() - began < 1
