"""Twice the text takes about twice the time, in every stage, whatever the text or file is.

The seconds of a stage at twice and at four times a size are held against each other, so that a slow
or busy machine matters little: work that grows with the square takes four times as long. The least
of several tries counts, since what else a machine does only adds to a time.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from benchmarks.doubling.files import FILES
from benchmarks.doubling.stages import Clock, as_document, read, work_through
from benchmarks.doubling.texts import TEXTS
from fourcorners.errors import InputError
from fourcorners.models.verdict_reader.clause_model import ClauseModel, ClauseTokens

SIZE = 12_500  # characters
FREE = 0.1  # seconds of a processor that need no reason
MOST = 3.2  # times the time, for twice the text
TRIES = 3


@pytest.fixture(autouse=True)
def _no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """Run no network on what a model reads: three clauses a provision, cut to a size."""

    def states(_: ClauseModel, tokens: ClauseTokens) -> NDArray[np.float32]:
        return np.zeros((len(tokens.ids), 384), np.float32)

    monkeypatch.setattr(ClauseModel, "_states", states)


@pytest.fixture(autouse=True)
def _no_collection() -> Iterator[None]:
    """Collect no garbage meanwhile: it is looked through anew at some sizes and not at others."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


def slow_stages(measure: Callable[[int], dict[str, float]]) -> dict[str, tuple[float, float]]:
    """Return the stages that grow faster than the text, with their seconds for half and whole."""
    least: dict[int, dict[str, float]] = {2 * SIZE: {}, 4 * SIZE: {}}
    slow: dict[str, tuple[float, float]] = {}
    for _ in range(TRIES):
        for size in (4 * SIZE, 2 * SIZE):
            for stage, seconds in measure(size).items():
                known = least[size].get(stage, float("inf"))
                least[size][stage] = min(known, seconds)
            if max(least[4 * SIZE].values(), default=0.0) <= FREE:
                return {}  # most need no second look
        slow = {
            stage: (least[2 * SIZE].get(stage, 0.0), seconds)
            for stage, seconds in least[4 * SIZE].items()
            if seconds > FREE and seconds > MOST * least[2 * SIZE].get(stage, 0.0)
        }
        if not slow:
            return {}
    return slow


def spent_on_text(kind: str, size: int) -> dict[str, float]:
    clock = Clock()
    work_through(as_document(TEXTS[kind](size)), clock)
    return clock.seconds


def spent_on_file(kind: str, folder: Path, size: int) -> dict[str, float]:
    suffix, make = Path(kind).suffix, FILES[kind]
    path = folder / f"{size}{suffix}"
    if not path.exists():
        path.write_bytes(make(size))
    clock = Clock()
    try:
        read(path, clock)
    except InputError:  # a bound is a way to end, too
        return clock.seconds
    return clock.seconds


@pytest.mark.parametrize("kind", TEXTS)
def test_each_stage_grows_with_the_text(kind: str) -> None:
    assert slow_stages(partial(spent_on_text, kind)) == {}


@pytest.mark.parametrize("kind", FILES)
def test_reading_grows_with_the_file(kind: str, tmp_path: Path) -> None:
    assert slow_stages(partial(spent_on_file, kind, tmp_path)) == {}


def test_what_grows_with_the_square_is_found() -> None:
    assert slow_stages(lambda size: {"pairs": (size / SIZE) ** 2, "words": size / SIZE}) == {
        "pairs": (4.0, 16.0)
    }
