"""What a library promises of its documents, of either store."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from fourcorners.errors import ConfigError, LibraryError
from fourcorners.library.jobs import JobTable
from fourcorners.library.store import Library
from fourcorners.search.filters import Filters
from fourcorners.search.find import find_passages
from fourcorners.search.query import parse_query
from tests.library.conftest import CLAUSES, Parts, contract

OTHER = ["LEASE between Cedar AG and Dogwood SA.", "1. Rent. A change of rent needs consent."]


def made(name: str, clauses: list[str], kind: str = "Supply Agreement") -> Parts:
    return contract(name, [*clauses, "2. End. No more stands here."], kind)


def spans(library: Library, query: str, **filters: object) -> list[str]:
    given = Filters(**filters)  # type: ignore[arg-type]
    return sorted(hit.words for hit in find_passages(library, parse_query(query), filters=given))


@pytest.fixture
def filled(library: Library) -> Iterator[Library]:
    contract().add(library)
    made("lease.txt", OTHER, "Lease").add(library, "Leases")
    yield library
    assert library.check() == []


def test_what_was_put_in_comes_out(filled: Library) -> None:
    parts = contract()
    identifier = parts.document.id
    assert filled.document(identifier) == parts.document
    assert filled.outline(identifier) == parts.outline
    assert filled.card(identifier) == parts.card
    assert filled.passages(identifier) == parts.passages
    assert filled.stored_place(identifier)[0] == "supply.txt"
    assert parts.vectors is not None
    held = filled.vectors(document=identifier)
    assert np.allclose(held.matrix, parts.vectors, atol=1e-3)
    assert filled.vectors("Leases").documents == (filled.documents("Leases")[0].id,) * 3
    assert filled.stats().vectors == len(filled.vectors()) == 7
    with pytest.raises(ConfigError, match="not found"):
        filled.text("nothing")


def test_the_same_content_is_one_document_of_each_collection(filled: Library) -> None:
    assert not contract().add(filled)
    assert contract().add(filled, "Second")
    assert len(filled.documents()) == 3
    assert spans(filled, "norway", collection="Second") == [CLAUSES[3]]
    filled.remove(filled.documents("Second")[0].id)
    assert spans(filled, "norway", collection="Second") == []
    assert spans(filled, "norway", collection="Deal") == [CLAUSES[3]]


def test_a_removed_document_is_found_no_more(filled: Library) -> None:
    before = spans(filled, "change")
    assert len(before) == 2
    filled.remove(contract().document.id)
    assert spans(filled, "change") == [OTHER[1]]
    assert spans(filled, "norway") == []
    assert contract().add(filled)
    assert spans(filled, "change") == before


def test_a_better_reading_takes_the_place_of_a_worse(filled: Library) -> None:
    parts = made("scan.txt", ["SCAN", "1. Words. Some were not read."])
    worse = replace(parts, document=replace(parts.document, id="5", sha256="5"))
    worse.add(filled)
    text = "SCAN\n1. Words. All were now read."
    better = made("scan.txt", text.split("\n"))
    page = replace(better.document.pages[1], source=better.document.pages[0].source)
    pages = (better.document.pages[0], page)
    replace(better, document=replace(better.document, id="5", sha256="5", pages=pages)).add(filled)
    assert spans(filled, "words") == ["1. Words. All were now read."]


def test_vectors_may_come_later_and_change(filled: Library) -> None:
    parts = made("late.txt", ["LATE AGREEMENT", "1. Late. It came late."])
    replace(parts, vectors=None).add(filled)
    assert filled.documents_without_vectors() == [parts.document.id]
    assert parts.vectors is not None
    for vectors in (parts.vectors, parts.vectors[::-1]):
        filled.set_vectors(parts.document.id, vectors)
        assert np.allclose(filled.vectors(document=parts.document.id).matrix, vectors, atol=1e-3)
    assert filled.documents_without_vectors() == []


def test_a_transaction_that_fails_leaves_nothing(filled: Library) -> None:
    parts = made("gone.txt", ["GONE AGREEMENT", "1. Gone. It never was."])
    entries = filled.audit_verdict().entries
    with pytest.raises(ZeroDivisionError):
        _fail_after(filled, parts)
    assert spans(filled, "never") == []
    assert len(filled.documents()) == 2
    assert filled.audit_verdict().entries == entries
    assert parts.add(filled)
    assert spans(filled, "never") == ["1. Gone. It never was."]


def _fail_after(library: Library, parts: Parts) -> None:
    with library.transaction():
        parts.add(library)
        raise ZeroDivisionError


def test_a_part_of_a_transaction_may_fail_alone(filled: Library) -> None:
    with filled.transaction():
        made("kept.txt", ["KEPT AGREEMENT", "1. Kept. It stays."]).add(filled)
        with pytest.raises(ZeroDivisionError):
            _fail_after(filled, made("gone.txt", ["GONE AGREEMENT", "1. Gone. It goes."]))
    assert spans(filled, "it") == ["1. Kept. It stays."]


def test_others_see_what_was_written(filled: Library, url: str) -> None:
    with Library.open(url, create=False) as other:
        assert spans(other, "norway") == [CLAUSES[3]]
        other.remove(contract().document.id)
    with filled.snapshot():
        assert len(filled.documents()) in (1, 2)  # it may look half a second later
    with filled.transaction():
        assert len(filled.documents()) == 1
    assert spans(filled, "norway") == []


def test_jobs_are_claimed_once(filled: Library, url: str) -> None:
    jobs = JobTable(filled)
    job = jobs.start("test", {"a": "b"})
    jobs.add_steps(job, [f"{number:02}" for number in range(10)])
    mine = jobs.claim(job, "host/1/one", 60, 4)
    with Library.open(url, create=False) as other:
        theirs = JobTable(other).claim(job, "host/2/two", 60, 20)
    assert sorted(step.key for step in (*mine, *theirs)) == [f"{n:02}" for n in range(10)]
    assert not {step.key for step in mine} & {step.key for step in theirs}


def test_vectors_of_another_encoder_are_refused(filled: Library) -> None:
    with pytest.raises(LibraryError, match="cannot be compared"):
        filled.set_encoder("other", 8)


def test_there_must_be_a_library(url: str) -> None:
    with pytest.raises(LibraryError, match="there is no library"):
        Library.open(f"{url}-not", create=False)


def test_a_collection_remembers_for_whom_it_is_read(filled: Library, url: str) -> None:
    (name, *_) = filled.collection_names()
    filled.set_read_for(name, ["Alder Ltd"])
    filled.set_read_for(name, ["Alder Ltd", "Alder Holdings"])
    with Library.open(url, create=False) as library:
        assert library.read_for(name) == ("Alder Ltd", "Alder Holdings")
        assert library.stats().collections[0].read_for == library.read_for(name)
