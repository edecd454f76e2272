"""Files that no program writes: each is read or refused, and good ones beside are whole."""

from __future__ import annotations

from itertools import chain
from pathlib import Path

import pytest

from benchmarks.doubling.odd_files import ODD
from fourcorners.documents.workers.process_pool import ProcessPool
from fourcorners.errors import InputError
from tests.attacks.room import CONTRACT
from tests.documents.hostile.invariants import inspect

ROOT = Path(__file__).resolve().parents[2]
SIZE = 20_000  # characters
MEMORY, SECONDS = 1_000 << 20, 60
OURS = ("could not be processed", "died", "stopped after", "needs more than")


def test_odd_files_are_read_or_refused_and_good_ones_beside_are_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    good = [tmp_path / f"good {n}.txt" for n in range(len(ODD))]
    odd = [tmp_path / name for name in ODD]
    for path, make in zip(odd, ODD.values(), strict=True):
        path.write_bytes(make(SIZE))
    for path in good:
        path.write_text(CONTRACT)
    monkeypatch.syspath_prepend(ROOT)  # the task is one of the tests', which a worker must find
    with ProcessPool(inspect, jobs=1, memory=MEMORY, seconds=SECONDS) as pool:
        found = dict(pool.run(chain.from_iterable(zip(odd, good, strict=True))))
    assert {found[path] for path in good} == {len(CONTRACT)}
    refused = [each for each in found.values() if isinstance(each, Exception)]
    assert all(isinstance(each, InputError) and each.remedy for each in refused), refused
    assert not [each for each in refused if any(words in each.message for words in OURS)]
