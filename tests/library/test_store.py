from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import apsw
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fourcorners.documents.document import TextSource
from fourcorners.errors import ConfigError, InputError, LibraryError
from fourcorners.library.copy import copy_library
from fourcorners.library.store import Library, scheme_of
from fourcorners.library.tables import sqlite as database
from fourcorners.library.tokens import collection_token, document_token, label_token, type_token
from fourcorners.outline.card.card import Card
from fourcorners.outline.tree import Outline, Passage, View
from fourcorners.text.span import Span

Make = Callable[..., Any]


def hits(library: Library, query: str) -> list[int]:
    rows = library.execute("SELECT rowid FROM words WHERE words MATCH ? ORDER BY rowid", (query,))
    return [int(str(row[0])) for row in rows]


def test_what_was_added_is_there_as_it_was(library: Library, make: Make) -> None:
    parts = make()
    assert parts.add(library)
    identity = parts.document.id
    assert library.document(identity) == parts.document
    assert library.text(identity) == parts.document.text
    assert library.outline(identity) == parts.outline
    assert library.card(identity) == parts.card
    assert library.passages(identity) == parts.passages
    assert library.check() == []


def test_it_is_there_after_closing(tmp_path: Path, make: Make) -> None:
    parts = make()
    path = tmp_path / "deep" / "firm.db"
    with Library.open(path) as first:
        first.set_encoder("hash", 16)
        parts.add(first)
    with Library.open(f"sqlite:{path}", create=False) as second:
        assert second.document(parts.document.id) == parts.document
        assert len(second.vectors()) == 4
    assert [file.name for file in path.parent.iterdir()] == ["firm.db"]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=30)
@given(st.text(min_size=1))
def test_any_text_comes_back_as_it_was(library: Library, make: Make, text: str) -> None:
    parts = make()
    identity = f"{abs(hash(text)):016x}"[:16]
    document = replace(
        parts.document, id=identity, sha256=identity, text=text, pages=(), path=text, marks=()
    )
    whole = [Passage(0, Span(0, len(text)), View.WINDOW)]
    library.add(document, Outline((), 0.0, True), Card(), whole, None, collection="All")
    assert library.document(identity) == document
    assert library.document(identity).text == text


def test_the_same_content_is_one_document(library: Library, make: Make) -> None:
    parts = make()
    other = replace(parts.document, name="copy.txt", path="elsewhere/copy.txt")
    assert parts.add(library)
    assert not replace(parts, document=other).add(library)
    assert len(library.documents()) == 1
    assert library.documents()[0].path == "room/supply.txt"
    assert library.resolve("elsewhere/copy.txt").id == parts.document.id
    assert library.check() == []


def test_the_same_content_in_another_collection_is_another_document(
    library: Library, make: Make
) -> None:
    parts = make()
    assert parts.add(library, "Larch")
    assert hits(library, f"meta: {collection_token('Oak')}") == []
    elsewhere = replace(parts, document=replace(parts.document, name="b.txt", path="data/b.txt"))
    assert elsewhere.add(library, "Oak")
    (first,), (second,) = library.documents("Larch"), library.documents("Oak")
    assert (first.id, first.path, first.name) == (
        parts.document.id,
        "room/supply.txt",
        "supply.txt",
    )
    assert second.id != first.id
    assert (second.path, second.name) == ("data/b.txt", "b.txt")
    assert library.paths_of(first.id) == ["room/supply.txt"]
    assert library.text(second.id) == library.text(first.id)
    for name in ("larch", "OAK"):
        assert len(hits(library, f"meta: {collection_token(name)} AND body: agreement")) == 3
    assert library.check() == []
    assert not parts.add(library, " oak ")
    assert [entry.event for entry in library.audit_trail()] == ["add", "add"]
    library.remove(first.id)
    assert library.document(second.id).path == "data/b.txt"


def test_what_a_document_is_called_does_not_tell_what_others_hold(
    tmp_path: Path, make: Make
) -> None:
    parts = make()
    called = []
    for name, before in (("alone.db", ()), ("shared.db", ("Larch", "Elm"))):
        with Library.open(tmp_path / name) as library:
            library.set_encoder("hash", 16)
            make("other.txt", ["Lease", "1. A", "1.1 B", "2. C"]).add(library, "Larch")
            for collection in before:
                parts.add(library, collection)
            parts.add(library, "Oak")
            called += [entry.id for entry in library.documents("Oak")]
    assert called[0] == called[1] != parts.document.id


def test_a_changed_file_at_the_same_path_is_kept_beside_the_old(
    library: Library, make: Make
) -> None:
    old, new = make(), make(clauses=["Another text.", "1. One", "1.1 Two", "2. Three"])
    old.add(library)
    new.add(library)
    assert len(library.documents("Deal")) == 2
    assert library.resolve("room/supply.txt").id == new.document.id
    assert library.resolve(old.document.id).id == old.document.id


def test_words_are_found_by_near_and_filtered_by_tokens(library: Library, make: Make) -> None:
    parts, other = make(), make("other.txt", ["Lease", "1. A", "1.1 change in control", "2. B"])
    parts.add(library, "Larch")
    other.add(library, "Oak")
    rows = library.resolve("supply").rows
    near = 'body: NEAR("change" "control", 1)'
    assert len(hits(library, near)) == 2
    assert hits(library, f"meta: {document_token(parts.document.id)} AND {near}") == [rows[2]]
    assert hits(library, f"meta: {type_token('supply agreement')}") == [*rows, *range(5, 9)]
    assert hits(library, f"meta: {label_token('1')} AND meta: {collection_token('Larch')}") == [
        rows[1],
        rows[2],
    ]
    row = library.passage_rows([rows[2], 999])
    assert list(row) == [rows[2]]
    assert row[rows[2]].document == parts.document.id
    assert row[rows[2]].passage == parts.passages[2]


def test_filter_tokens_are_not_found_in_bodies(library: Library, make: Make) -> None:
    parts = make()
    parts.add(library)
    assert hits(library, f"body: {document_token(parts.document.id)}") == []


def test_removal_takes_everything(library: Library, make: Make) -> None:
    parts, other = make(), make("other.txt", ["Lease", "1. A", "1.1 B", "2. C"])
    parts.add(library, "Larch")
    parts.add(library, "Oak")
    other.add(library, "Oak")
    library.remove(parts.document.id)
    assert [entry.collection for entry in library.documents()] == ["Oak", "Oak"]
    assert hits(library, f"meta: {collection_token('Larch')}") == []
    library.remove(library.document_with(parts.document.sha256, "oak") or "")
    assert [entry.name for entry in library.documents()] == ["other.txt"]
    assert hits(library, "body: control") == []
    assert len(library.vectors()) == 4
    assert library.check() == []
    with pytest.raises(ConfigError, match="not found"):
        library.document(parts.document.id)


def test_rowids_are_never_used_again(library: Library, make: Make) -> None:
    parts = make()
    parts.add(library)
    first = library.documents()[0].rows
    library.remove(parts.document.id)
    parts.add(library)
    assert library.documents()[0].rows.start == first.stop


def test_vectors_come_back_by_scope(library: Library, make: Make) -> None:
    parts, other = make(), make("other.txt", ["Lease", "1. A", "1.1 B", "2. C"])
    parts.add(library, "Larch")
    other.add(library, "Oak")
    every = library.vectors()
    assert every.rowids.tolist() == list(range(1, 9))
    (lease,) = library.documents("Oak")
    assert every.documents == (parts.document.id,) * 4 + (lease.id,) * 4
    assert every.matrix.dtype == np.float32
    np.testing.assert_allclose(every.matrix[:4], parts.vectors, atol=5e-4)
    one = library.vectors(collection="oak")
    np.testing.assert_array_equal(one.matrix, every.matrix[4:])
    np.testing.assert_array_equal(library.vectors(document=lease.id).rowids, every.rowids[4:])
    rowids, some = library.passage_vectors([7, 2, 99])
    assert rowids.tolist() == [2, 7]
    np.testing.assert_array_equal(some, every.matrix[[1, 6]])
    with pytest.raises(ConfigError, match="collection 'Elm' not found") as caught:
        library.vectors(collection="Elm")
    assert "Larch, Oak" in caught.value.remedy


def test_vectors_see_what_another_connection_adds(library: Library, make: Make) -> None:
    make().add(library)
    assert len(library.vectors()) == 4
    with Library.open(library.path) as second:
        make("other.txt", ["Lease", "1. A", "1.1 B", "2. C"]).add(second)
    assert len(library.vectors()) == 8


def test_vectors_must_fit(library: Library, make: Make) -> None:
    parts = make()
    with pytest.raises(ValueError, match="do not fit 4 passages"):
        replace(parts, vectors=parts.vectors[:3]).add(library)
    with pytest.raises(ValueError, match="not 1"):
        replace(parts, vectors=parts.vectors * 2).add(library)
    assert library.documents() == []
    assert list(library.audit_trail()) == []


def test_vectors_may_come_later(library: Library, make: Make) -> None:
    parts = make()
    replace(parts, vectors=None).add(library)
    assert len(library.vectors()) == 0
    assert library.stats().vectors == 0
    library.set_vectors(parts.document.id, parts.vectors)
    assert len(library.vectors()) == 4
    assert library.stats().vectors == 4


def test_vectors_of_two_encoders_do_not_mix(library: Library, make: Make) -> None:
    library.set_encoder("first", 16)  # nothing is stored: it may change
    make().add(library)
    with pytest.raises(LibraryError, match="holds vectors of first") as caught:
        library.set_encoder("second", 16)
    assert "fourcorners library encode" in caught.value.remedy
    library.set_encoder("first", 16)


def test_passages_must_lie_in_the_text(library: Library, make: Make) -> None:
    parts = make()
    parts.passages[1] = replace(parts.passages[1], span=Span(0, 10_000))
    with pytest.raises(ValueError, match="ends at 10000"):
        parts.add(library)


def test_half_a_character_is_refused(library: Library, make: Make) -> None:
    parts = make()
    broken = replace(parts.document, text="a\ud800" + parts.document.text[2:])
    with pytest.raises(InputError, match="unpaired surrogate at 1"):
        replace(parts, document=broken).add(library)
    assert library.stats().documents == 0


def test_a_path_that_is_no_utf8_is_stored_with_escapes(library: Library, make: Make) -> None:
    parts = make()
    odd = b"caf\xe9.txt".decode("utf-8", "surrogateescape")
    named = replace(parts.document, name=odd, path=odd)
    replace(parts, document=named).add(library)
    assert library.documents()[0].path == "caf\\xe9.txt"


def test_passage_columns_hold_every_field_of_a_passage() -> None:
    assert [field.name for field in fields(Passage)] == [
        "ordinal",
        "span",
        "view",
        "node",
        "context",
    ]


def test_a_transaction_is_all_or_nothing(library: Library, make: Make) -> None:
    class Stop(Exception):
        pass

    def add_and_stop() -> None:
        with library.transaction():
            make().add(library)
            raise Stop

    with pytest.raises(Stop):
        add_and_stop()
    assert library.documents() == []
    with library.transaction():
        library.fail("a.pdf", "no text", collection="Deal")
        with pytest.raises(Stop):
            add_and_stop()
    assert library.documents() == []
    assert [failure.path for failure in library.failures()] == ["a.pdf"]


def test_a_later_success_clears_the_failure_of_that_collection(
    library: Library, make: Make
) -> None:
    library.fail("room/supply.txt", "locked", "Unlock it.", collection="Deal")
    library.fail("room/supply.txt", "locked", "Unlock it.", collection="Other")
    library.fail("room/supply.txt", "gone", "Bring it back.", collection="Deal")
    assert [failure.reason for failure in library.failures("deal")] == ["gone"]
    make().add(library)
    assert library.failures("Deal") == []
    assert [failure.reason for failure in library.failures()] == ["locked"]


def test_stats_count(library: Library, make: Make) -> None:
    parts = make()
    parts.add(library, "Larch")
    parts.add(library, "Oak")
    stats = library.stats()
    assert (stats.documents, stats.passages, stats.vectors) == (2, 8, 8)
    assert stats.characters == 2 * len(parts.document.text)
    assert stats.bytes > 4096
    assert [(part.name, part.documents) for part in stats.collections] == [("Larch", 1), ("Oak", 1)]


def test_an_unknown_scheme_names_the_known_ones() -> None:
    with pytest.raises(ConfigError, match="no store opens paper") as caught:
        Library.open("paper://drawer/firm")
    assert "sqlite:" in caught.value.remedy
    assert "postgresql:" in caught.value.remedy


def test_a_full_disk_says_so(library: Library, make: Make) -> None:
    pages = library.execute("PRAGMA page_count")[0][0]
    library.execute(f"PRAGMA max_page_count = {pages!r}")
    with pytest.raises(LibraryError, match="full"):
        make(clauses=["word " * 90_000, "1. A", "1.1 B", "2. C"]).add(library)
    library.execute("PRAGMA max_page_count = 1000000")
    assert library.documents() == []
    assert make().add(library)


def test_a_second_writer_waits_its_time_and_says_so(
    library: Library, make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "BUSY_SECONDS", 0.2)
    other = apsw.Connection(str(library.path))
    other.execute("BEGIN IMMEDIATE")
    began = time.monotonic()
    with pytest.raises(LibraryError, match="locked"):
        make().add(library)
    assert 0.2 <= time.monotonic() - began < 20
    other.execute("ROLLBACK")
    other.close()
    assert make().add(library)


def test_a_better_reading_takes_the_place_of_one_with_pages_unread(
    library: Library, make: Make
) -> None:
    made = make()
    read = tuple(replace(page, source=TextSource.OCR) for page in made.document.pages)
    parts = replace(made, document=replace(made.document, pages=read))
    unread = tuple(replace(page, source=TextSource.NONE) for page in parts.document.pages)
    poor = replace(parts, document=replace(parts.document, pages=unread))
    assert poor.add(library, "First")
    copy = replace(poor, document=replace(poor.document, path="elsewhere/copy.txt"))
    assert not copy.add(library, "First")
    numbers = tuple(page.number for page in unread)
    assert library.unread_pages(parts.document.sha256, "First") == numbers
    assert parts.add(library, "Second")
    assert library.unread_pages(parts.document.sha256, "First") == numbers
    assert parts.add(library, "First")
    assert library.document(parts.document.id) == parts.document
    assert library.unread_pages(parts.document.sha256, "First") == ()
    assert library.resolve("elsewhere/copy.txt").id == parts.document.id
    assert not poor.add(library, "First")
    assert library.document(parts.document.id) == parts.document
    assert library.check() == []


def test_a_collection_remembers_for_whom_it_is_read(tmp_path: Path, make: Make) -> None:
    with Library.open(tmp_path / "l.db") as library, Library.open(tmp_path / "copy.db") as other:
        library.set_encoder("hash", 16)
        make().add(library)
        (name,) = library.collection_names()
        assert library.read_for(name) == ()
        library.set_read_for(name.upper(), ["Alder Ltd", "Alder Holdings"], by="Ada")
        copy_library(library, other)
        for each in (library, other):
            assert each.read_for(name) == ("Alder Ltd", "Alder Holdings")
            assert [part.read_for for part in each.stats().collections] == [each.read_for(name)]
            assert [e.event for e in each.audit_trail()][-1] == "read for"
        library.set_read_for(name, [])
        assert library.read_for(name) == ()
        with pytest.raises(ConfigError, match="not found"):
            library.set_read_for("Nowhere", ["Alder Ltd"])


def test_both_schemes_of_libpq_are_one() -> None:
    assert scheme_of("postgres://db.firm.test/firm") == "postgresql"
    assert scheme_of("postgresql:/firm") == "postgresql"
    assert scheme_of("C:/firm.db") == ""
