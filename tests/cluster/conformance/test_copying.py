"""A library copied from store to store is the same library."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from fourcorners.errors import ConfigError, LibraryError
from fourcorners.library.copy import copy_library
from fourcorners.library.jobs import JobTable
from fourcorners.library.llm_store import LibraryCache
from fourcorners.library.store import Library
from fourcorners.search.find import find_passages
from tests.cluster.postgres_server import PostgresServer
from tests.library.conftest import ENCODER, contract


def fill(library: Library) -> None:
    """Put something into it that can be lost: memberships, failures, jobs, gaps, no vectors."""
    library.set_encoder(ENCODER.name, ENCODER.dimension)
    gone = contract("gone.txt", ["GONE", "1. Gone.", "1.1 It goes."])
    gone.add(library)
    contract().add(library)
    contract().add(library, "Second")
    library.remove(gone.document.id)
    bare = contract("bare.txt", ["BARE", "1. Bare.", "1.1 It has no vectors, été."])
    replace(bare, vectors=None).add(library, "Second")
    library.fail("room/odd.bin", "it is no contract", collection="Deal")
    jobs = JobTable(library)
    jobs.add_steps(jobs.start("add", {"a": "b"}), ["1", "2"])
    LibraryCache(library).put("key", "what a model said")


def test_there_and_back_again(url: str, tmp_path: Path, postgres: PostgresServer) -> None:
    is_file = url.startswith("sqlite:")
    between = postgres.new_library() if is_file else f"sqlite:{tmp_path / 'between'}"
    last = f"sqlite:{tmp_path / 'last'}"
    with Library.open(url) as first, Library.open(between) as second:
        fill(first)
        copied = copy_library(first, second)
        assert (copied.documents, copied.passages, copied.vectors) == (3, 11, 8)
        assert copied.tables["llm_answers"] == 1
        trail = list(first.audit_trail())
    with Library.open(between, create=False) as second, Library.open(last) as third:
        assert copy_library(second, third) == copied
        assert list(third.audit_trail()) == trail
        assert third.check() == second.check() == []
        assert third.documents() == second.documents()
        assert LibraryCache(third).get("key") == "what a model said"
        assert JobTable(second).list(unfinished=True) == JobTable(third).list(unfinished=True)
        for library in (second, third):  # it goes on where the first was
            contract("new.txt", ["NEW", "1. New.", "1.1 It is new."]).add(library)
            assert [hit.words for hit in find_passages(library, "new AND is")] == ["1.1 It is new."]
        assert third.documents()[1].rows == second.documents()[1].rows


def test_only_an_empty_library_takes_a_copy(tmp_path: Path, postgres: PostgresServer) -> None:
    with (
        Library.open(tmp_path / "a.db") as first,
        Library.open(postgres.new_library()) as second,
    ):
        contract(kind="Lease")
        for library in (first, second):
            library.set_encoder(ENCODER.name, ENCODER.dimension)
            contract().add(library)
        with pytest.raises(ConfigError, match="is not empty"):
            copy_library(first, second)


def test_a_damaged_library_is_not_copied(tmp_path: Path, postgres: PostgresServer) -> None:
    with (
        Library.open(tmp_path / "a.db") as first,
        Library.open(postgres.new_library()) as second,
    ):
        fill(first)
        first.execute("UPDATE documents SET text = 'X' || substr(text, 2)")
        with pytest.raises(LibraryError, match="is damaged"):
            copy_library(first, second)
        assert second.documents() == []
        assert second.audit_verdict().entries == 0
