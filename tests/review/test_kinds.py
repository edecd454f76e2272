"""Invented contracts that nothing learned from: what a review finds in them, and must not.

`pytest -s -m slow tests/review/test_kinds.py` prints the counts.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from fourcorners.library.ingest import add_files
from fourcorners.library.store import Library
from fourcorners.models import default_encoder
from fourcorners.playbooks.load import load_playbook
from fourcorners.review.finding import CellState
from fourcorners.review.run import review_library

KINDS = Path(__file__).parents[2] / "bench/trials/kinds"
ABOUT = re.compile(r"review ([a-z-]+)(: not found|: found|\.)")
FOUND, FALSE = 105, 7  # of 159 that are there and of 43 that only look so
SILENT = ("not found", "blank", "silent")


@pytest.mark.slow
def test_provisions_in_other_drafting_are_found(tmp_path: Path) -> None:
    encoder = default_encoder(threads=1)
    expected = {}
    for name, text, states in contracts():
        (tmp_path / f"{name}.txt").write_text(text, "utf-8")
        expected[f"{name}.txt"] = states
    counts: Counter[tuple[bool, bool]] = Counter()
    with Library.open(tmp_path / "kinds.db") as library:
        add_files(library, [tmp_path], collection="kinds", encoder=encoder)
        grid = review_library(library, load_playbook("due-diligence"), encoder=encoder)
        names = {entry.id: entry.name for entry in library.documents()}
    for cell in grid.findings:
        there = expected[names[cell.document]].get(cell.provision)
        if there is not None:
            counts[there, cell.state is CellState.FOUND] += 1
    print(f"found {counts[True, True]} of {counts[True, True] + counts[True, False]}, ", end="")  # noqa: T201
    print(f"falsely {counts[False, True]} of {counts[False, True] + counts[False, False]}")  # noqa: T201
    assert counts[True, True] >= FOUND
    assert counts[False, True] <= FALSE


def contracts() -> Iterator[tuple[str, str, dict[str, bool]]]:
    """Yield contracts of one text: name, words, and which provisions are there or only look so."""
    for path in sorted(KINDS.glob("*.jsonl")):
        for line in path.read_text("utf-8").splitlines():
            case = json.loads(line)
            there: dict[str, bool] = {}
            for each in case["right"]:
                about = ABOUT.match(each["about"])
                if about is None:
                    continue
                if about[2] == ": not found":
                    there[about[1]] = False
                elif str(each["value"]).casefold() not in SILENT:
                    there.setdefault(about[1], True)
            if there and "text" in case:
                yield case["id"], case["text"], there
