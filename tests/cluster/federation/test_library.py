"""Several libraries are searched as one: all of them, or none."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from fourcorners.errors import ConfigError, LibraryError
from fourcorners.library.contract import read_contract
from fourcorners.library.store import Library
from fourcorners.search.filters import Filters
from fourcorners.search.find import find_passages
from fourcorners.search.run import search_library
from tests.cluster.servers import DistantServer
from tests.library.conftest import ENCODER, contract

pytest.importorskip("psycopg")

from fourcorners.cluster.federation.library import FederatedLibrary

NAMES = ("deals", "leases", "wills")


@pytest.fixture
def firm(servers: Sequence[DistantServer], tmp_path: Path) -> str:
    """The same contract in a collection of each of three libraries, and one that only one has."""
    urls = [f"{server.new_library()}&connect_timeout=3" for server in servers]
    for name, url in zip(NAMES, urls, strict=True):
        with Library.open(url) as library:
            library.set_encoder(ENCODER.name, ENCODER.dimension)
            contract().add(library, name.title())
            if name == "leases":
                contract("oak.txt", ["OAK", "1. One.", "1.1 The oak stands."]).add(library, "Oaks")
    lines = [f'{name} = "{url}"' for name, url in zip(NAMES, urls, strict=True)]
    file = tmp_path / "firm.toml"
    file.write_text("\n".join(("[libraries]", *lines)))
    return f"federation:{file}"


@pytest.fixture
def several(firm: str) -> Iterator[FederatedLibrary]:
    with Library.open(firm) as library:
        assert isinstance(library, FederatedLibrary)
        yield library


def test_the_same_file_in_several_libraries_is_several_documents(
    several: FederatedLibrary,
) -> None:
    assert several.collection_names() == ["Deals", "Leases", "Oaks", "Wills"]
    assert several.stats().documents == 4
    copies = [entry for entry in several.documents() if entry.name == "supply.txt"]
    assert [entry.collection for entry in copies] == ["Deals", "Leases", "Wills"]
    assert [entry.id.partition(":")[0] for entry in copies] == list(NAMES)
    hits = find_passages(several, "agreement", limit=50)
    per_library = [[hit for hit in hits if hit.document == entry.id] for entry in copies]
    assert [len(found) for found in per_library] == [len(per_library[0])] * 3
    assert per_library[0]
    for entry in copies:
        text = several.text(entry.id)
        assert several.document(entry.id).id == entry.id
        assert read_contract(several, entry.id).name == "supply.txt"
        assert all(h.words == h.span.text_in(text) for h in hits if h.document == entry.id)


def test_filters_ask_only_the_libraries_within(several: FederatedLibrary) -> None:
    [oak] = [entry for entry in several.documents() if entry.name == "oak.txt"]
    for filters in (Filters(collection="Oaks"), Filters(documents=(oak.id,))):
        found = find_passages(several, "stands", filters=filters)
        assert [hit.document for hit in found] == [oak.id]
        meant = find_passages(several, None, like="the oak", encoder=ENCODER, filters=filters)
        assert {hit.document for hit in meant} == {oak.id}
    with pytest.raises(ConfigError, match="not found"):
        find_passages(several, "stands", filters=Filters(collection="Elms"))
    with pytest.raises(ConfigError, match="not found"):
        find_passages(several, "stands", filters=Filters(documents=("elms:1",)))


def test_a_question_is_answered_from_all(several: FederatedLibrary) -> None:
    found = search_library(several, "which laws govern this agreement", encoder=ENCODER)
    assert {each.partition(":")[0] for each in found.read} == {*NAMES}
    assert {hit.document.partition(":")[0] for hit in found.hits} == {*NAMES}
    assert all(hit.words == hit.span.text_in(several.text(hit.document)) for hit in found.hits)


def test_what_one_library_alone_has_is_refused(several: FederatedLibrary) -> None:
    for act in (
        lambda: several.execute("SELECT 1"),
        lambda: contract().add(several),
        lambda: several.vectors(),
        lambda: several.audit_verdict(),
    ):
        with pytest.raises(LibraryError, match="several libraries"):
            act()


def test_without_one_server_nothing_is_searched_and_it_is_named(
    several: FederatedLibrary, servers: Sequence[DistantServer], firm: str
) -> None:
    def asked() -> int:
        return len(find_passages(several, "agreement", limit=50))

    whole = asked()
    assert whole
    servers[1].stop()
    try:
        with pytest.raises(LibraryError, match="'leases' does not answer, so none was searched"):
            asked()
        with pytest.raises(LibraryError, match="'leases' does not answer") as refused:
            Library.open(firm)
        others = refused.value.remedy.partition("--library '")[2].partition("'")[0]
        with Library.open(others) as rest:
            assert rest.collection_names() == ["Deals", "Wills"]
            assert len(find_passages(rest, "agreement", limit=50)) == whole // 3 * 2
    finally:
        servers[1].start()
    assert _at_last(asked) == whole


@pytest.mark.slow
def test_an_unplugged_server_is_named_too(
    several: FederatedLibrary, servers: Sequence[DistantServer]
) -> None:
    whole = len(find_passages(several, "agreement", limit=50))
    assert whole
    servers[2].unplug()
    try:
        began = time.monotonic()
        with pytest.raises(LibraryError, match="'wills' does not answer"):
            find_passages(several, "agreement", limit=50)
        assert time.monotonic() - began < 60
    finally:
        servers[2].plug_in()
    assert _at_last(lambda: len(find_passages(several, "agreement", limit=50))) == whole


def test_a_process_that_dies_is_started_again(several: FederatedLibrary) -> None:
    whole = len(find_passages(several, "agreement", limit=50))
    assert whole
    for pid in _children():
        os.kill(pid, signal.SIGKILL)
    assert _at_last(lambda: len(find_passages(several, "agreement", limit=50))) == whole


def test_vectors_of_two_encoders_are_refused(
    servers: Sequence[DistantServer], tmp_path: Path
) -> None:
    urls = [server.new_library() for server in servers[:2]]
    for number, url in enumerate(urls):
        with Library.open(url) as library:
            library.set_encoder(f"{ENCODER.name}{number}", ENCODER.dimension)
            contract().add(library)
    file = tmp_path / "firm.toml"
    file.write_text(f'[libraries]\na = "{urls[0]}"\nb = "{urls[1]}"')
    with pytest.raises(ConfigError, match="the vectors of the library 'a' were made by"):
        Library.open(f"federation:{file}")


def _at_last(asked: object) -> int:
    """Ask again until a connection that broke has been replaced."""
    for _ in range(4):
        try:
            return asked()  # type: ignore[operator, no-any-return]
        except LibraryError:
            time.sleep(0.5)
    return asked()  # type: ignore[operator, no-any-return]


def _children() -> list[int]:
    found = (each.read_text() for each in Path("/proc/self/task").glob("*/children"))
    return [int(pid) for text in found for pid in text.split() if _ranks(int(pid))]


def _ranks(pid: int) -> bool:
    return b"documents.workers.process" in Path(f"/proc/{pid}/cmdline").read_bytes()
