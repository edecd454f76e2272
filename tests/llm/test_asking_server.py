"""A cell filled by a real, tiny model: whatever it says, the cell ends, and replays."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from fourcorners.llm import Port, open_port
from fourcorners.playbooks.load import parse_playbook
from fourcorners.playbooks.playbook import Playbook
from fourcorners.review.finding import Author, CellState, Finding
from fourcorners.review.prompting.reviewer import (
    PROFILES,
    FilledCells,
    ModelReviewer,
    PromptProfile,
)
from fourcorners.settings import LlmSettings
from fourcorners.text import evidence
from tests.review.asked import reading_of

pytestmark = pytest.mark.allow_hosts(["127.0.0.1"])
TEXT = """DEED

1. The carrier shall insure the grain against fire.

2. The laws of Norway govern this deed.
"""
PLAYBOOK = """
id: one
name: One
version: "1"
provisions:
  - id: insurance
    name: Insurance
    definition: A duty to insure.
    query: '["insure"^6]'
    questions:
      - id: who
        question: Who must insure?
        answer: party
"""


@pytest.fixture
def playbook() -> Playbook:
    return parse_playbook(PLAYBOOK, "one.yaml")


def filled(port: Port, playbook: Playbook, profile: PromptProfile) -> FilledCells:
    asking = replace(PROFILES[profile], follow_up=False)
    reading = reading_of(TEXT)
    draft = Finding(reading.id, "insurance", CellState.NOT_FOUND)
    with port:
        return ModelReviewer(port, playbook, asking).fill(reading, [draft])


@pytest.mark.parametrize("profile", list(PromptProfile))
def test_a_tiny_model_fills_a_cell_somehow_and_replays_the_same(
    llama: str, playbook: Playbook, tmp_path: Path, profile: PromptProfile
) -> None:
    file = tmp_path / "exchanges.jsonl"
    settings = LlmSettings(
        model="smollm2", url=llama, max_tokens=120, attempts=1, timeout=240, seed=7, cache=False
    )
    port = open_port(settings.model_copy(update={"record": file}), job="larch")
    first = filled(port, playbook, profile)
    assert first.stopped is None
    (cell,) = first.cells
    assert cell.author is Author.MODEL
    assert cell.state in (CellState.FOUND, CellState.NOT_FOUND, CellState.FAILED)
    assert bool(cell.error) == (cell.state is CellState.FAILED)
    assert bool(cell.evidence) == (cell.state is CellState.FOUND)
    for each in cell.evidence:
        evidence.verify_quote(each.quote, TEXT)
    assert port.spending.calls >= 1
    assert port.spending.tokens_out > 0
    nowhere = {"url": "http://127.0.0.1:1/v1", "replay": file}
    again = filled(open_port(settings.model_copy(update=nowhere)), playbook, profile)
    assert again == first
