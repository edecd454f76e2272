"""A review whose language model dies on the way: the rest fails at once, and is asked for later."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from fourcorners.library.ingest import add_files
from fourcorners.library.store import Library
from fourcorners.llm import configure, open_port
from fourcorners.llm.port import conversation as converse
from fourcorners.playbooks.playbook import Playbook
from fourcorners.review.finding import CellState
from fourcorners.review.prompting.reviewer import ModelReviewer
from fourcorners.review.run import ReviewScope, review_library
from fourcorners.settings import LlmSettings, Settings
from tests.review import asked
from tests.review.conftest import TEXT
from tests.serving import Asked, Reply, Served, served

pytestmark = pytest.mark.allow_hosts(["127.0.0.1"])
CONTRACTS = 12
ANSWERED = 6


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    folder = tmp_path / "contracts"
    folder.mkdir()
    for number in range(CONTRACTS):
        text = TEXT.replace("control of the\nSupplier.", f"control of the Supplier {number}.")
        (folder / f"supply-{number}.txt").write_text(text, encoding="utf-8")
    with Library.open(tmp_path / "larch.db") as opened:
        add_files(opened, [folder], collection="Larch", encoder=None, settings=Settings(jobs=1))
        yield opened


@pytest.fixture
def server() -> Iterator[Served]:
    with served() as running:
        yield running


def answer(_: Asked) -> Reply:
    said = {"role": "assistant", "content": json.dumps(asked.quoted())}
    whole = {
        "id": "1",
        "object": "chat.completion",
        "created": 1,
        "model": "stub",
        "choices": [{"index": 0, "finish_reason": "stop", "message": said}],
        "usage": {"prompt_tokens": 120, "completion_tokens": 7, "total_tokens": 127},
    }
    return Reply(json.dumps(whole), headers={"Content-Type": "application/json"})


def test_a_server_that_dies_and_comes_back(
    library: Library, playbook: Playbook, server: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(converse, "_FIRST_WAIT", 0.01)
    monkeypatch.setattr(configure, "SILENT_FOR", 600)

    def dies(request: Asked) -> Reply:
        if len(server.asked) > ANSWERED:
            raise ConnectionResetError("the model was killed")
        return answer(request)

    server.answer = dies
    said = LlmSettings(model="stub", url=server.url, attempts=4, concurrency=2, cache=False)
    with open_port(said) as port:
        asker = ModelReviewer(port, playbook, asked.PAPER)
        grid = review_library(
            library, playbook, ReviewScope(collection="Larch"), encoder=None, asker=asker
        )
    cells = CONTRACTS * len(playbook.provisions)
    failed = [cell for cell in grid.findings if cell.state is CellState.FAILED]
    assert len(failed) == cells - ANSWERED
    assert {cell.remedy for cell in failed} == {
        "Check that the server runs, and url under [llm]; then review with --only failed."
    }
    unasked = [cell for cell in failed if "was not asked" in cell.error]
    assert len(unasked) >= len(failed) - 4
    assert re.search(r"did not answer [56] times in a row", unasked[0].error)
    assert len(server.asked) <= ANSWERED + 6, "five losses, and one beside the fifth"

    server.asked.clear()
    server.answer = answer
    with open_port(said) as port:
        asker = ModelReviewer(port, playbook, asked.PAPER)
        again = review_library(
            library,
            playbook,
            ReviewScope(collection="Larch", only_failed=True),
            encoder=None,
            asker=asker,
        )
    assert CellState.FAILED not in {cell.state for cell in again.findings}
    assert len(server.asked) == len(failed), "what was answered is not asked again"


def test_a_server_that_comes_back_while_the_review_runs(
    library: Library, playbook: Playbook, server: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(converse, "_FIRST_WAIT", 0.01)
    monkeypatch.setattr(configure, "SILENT_FOR", 0)

    def stumbles(request: Asked) -> Reply:
        if ANSWERED < len(server.asked) <= ANSWERED + 7:
            raise ConnectionResetError("the model is being started again")
        return answer(request)

    server.answer = stumbles
    said = LlmSettings(model="stub", url=server.url, attempts=4, concurrency=1, cache=False)
    with open_port(said) as port:
        asker = ModelReviewer(port, playbook, asked.PAPER)
        grid = review_library(
            library, playbook, ReviewScope(collection="Larch"), encoder=None, asker=asker
        )
    failed = [cell for cell in grid.findings if cell.state is CellState.FAILED]
    assert 1 <= len(failed) <= 3, "the probes' own cells"
    assert len(server.asked) == CONTRACTS * len(playbook.provisions) - len(failed) + 7
