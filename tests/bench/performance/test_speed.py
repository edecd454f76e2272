"""What is measured of speed: its figures say what they are of."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from fourcorners.errors import ConfigError
from fourcorners.library.store import Library
from fourcorners.settings import Settings
from fourcorners_bench.performance.speed import measure, parts
from tests.conftest import Program

LEASE = """MILL LEASE

1. Rent. The "Tenant" means the miller, who pays the rent under Section 2 on the first of a month.

2. Term. The lease runs for one year from the day on which both of the parties sign it.

3. Law. The law of the valley governs this lease, and its courts alone decide upon it.
"""
STEPS = ["reading", "outline", "terms", "references", "card", "passages"]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = tmp_path / "cuad"
    (folder / "contracts").mkdir(parents=True)
    (folder / "contracts" / "a.txt").write_text(LEASE)
    (folder / "contracts" / "b.txt").write_text(LEASE.replace("one year", "ten years"))
    (folder / "pdf").mkdir()
    (folder / "pdf" / "c.pdf").write_bytes(b"%PDF-1.4 broken")
    return folder


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    with Library.open(tmp_path / "speed.db") as library:
        yield library


def test_every_step_has_its_speed(data: Path) -> None:
    told: list[tuple[int, int]] = []
    figures = parts(
        data, limit=None, repeats=3, on_progress=lambda _, done, total: told.append((done, total))
    )
    assert (figures["files"], figures["repeats"]) == (2, 3)
    assert figures["characters"] == 2 * len(LEASE) + len("ten years") - len("one year")
    speeds = figures["characters_per_cpu_second"]
    assert isinstance(speeds, dict)
    assert list(speeds) == STEPS
    assert all(isinstance(each, int) and each > 0 for each in speeds.values())
    assert told == [(done, 6) for done in range(1, 7)]


def test_no_texts_no_speed(data: Path) -> None:
    for path in (data / "contracts").iterdir():
        path.unlink()
    with pytest.raises(ConfigError, match="no texts"):
        parts(data, limit=None, repeats=1, on_progress=lambda *_: None)


def test_the_command_writes_its_record(program: Program, data: Path, tmp_path: Path) -> None:
    place = tmp_path / "parts.json"
    done = program("bench", "parts", "--data", str(data), "--repeats", "1", "--json", str(place))
    assert "characters per cpu second, references" in " ".join(done.out.split())
    record = json.loads(place.read_text())
    assert record["settings"]["repeats"] == 1
    assert list(record["measures"]["characters_per_cpu_second"]) == STEPS


def test_adding_counts_the_time_of_all_processes(data: Path, library: Library) -> None:
    figures = measure(
        library,
        data,
        limit=None,
        encoder=None,
        settings=Settings(jobs=1),
        on_progress=lambda *_: None,
    )
    assert (figures["files"], figures["added"], figures["failed"]) == (3, 2, 1)
    seconds = figures["add_cpu_seconds"]
    assert isinstance(seconds, float)
    assert seconds > 0
    with pytest.raises(ConfigError, match="not empty"):
        measure(
            library,
            data,
            limit=None,
            encoder=None,
            settings=Settings(jobs=1),
            on_progress=lambda *_: None,
        )
