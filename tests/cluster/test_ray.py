"""Jobs on Ray: the same library and grid as one machine makes, whatever is killed on the way."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fourcorners.library.add_report import AddReport
from fourcorners.library.ingest import add_files
from fourcorners.library.jobs import JobTable
from fourcorners.library.store import Library
from fourcorners.models import default_encoder
from fourcorners.playbooks.load import load_playbook
from fourcorners.review import store
from fourcorners.review.run import Workers, review_library
from tests.cluster.driver import COLLECTION, SETTINGS, cells, contents
from tests.cluster.machines import ADDRESS, HEAD, PYTHONPATH, ROOT, WORKER, NotPossible, cluster
from tests.cluster.postgres_server import PostgresServer

pytest.importorskip("ray")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks into /proc"),
]

DRIVER = Path(__file__).with_name("driver.py")
LONG = frozenset(("01", "02", "03", "05", "06"))
WHOLE = 8
"""Contracts of the room that can be read."""


def drive(
    *arguments: object, environment: Mapping[str, str], code: int = 0, before: tuple[str, ...] = ()
) -> Any:
    """Run a driver to its end and return what it tells; the limit of a test is its limit."""
    done = subprocess.run(
        [*before, sys.executable, str(DRIVER), *map(str, arguments)],
        env={**os.environ, "PYTHONPATH": PYTHONPATH, "FOURCORNERS_OCR": "0", **environment},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == code, done.stderr[-3000:]
    return json.loads(done.stdout.splitlines()[-1]) if code == 0 else None


@dataclass(frozen=True)
class Both:
    """The same contracts, worked on by one machine and by Ray."""

    alone: Path
    spread: Path
    told: Any


@pytest.fixture(scope="module")
def room(tmp_path_factory: pytest.TempPathFactory, dataroom: Path) -> Path:
    """The shorter of the example contracts, one of each format among them, and the scan."""
    folder = tmp_path_factory.mktemp("room")
    for path in dataroom.iterdir():
        if path.name[:2] not in LONG:
            shutil.copy(path, folder)
    return folder


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory, room: Path) -> Both:
    folder = tmp_path_factory.mktemp("ray")
    alone, spread = folder / "alone.db", folder / "spread.db"
    told = drive("local", room, spread, environment={})
    encoder = default_encoder(threads=1)
    with Library.open(alone) as library:
        add_files(library, [room], collection=COLLECTION, encoder=encoder, settings=SETTINGS)
        review_library(
            library, load_playbook("due-diligence"), encoder=encoder, workers=Workers(jobs=2)
        )
    return Both(alone, spread, told)


def test_documents_are_those_of_one_machine(both: Both) -> None:
    with Library.open(both.alone) as alone, Library.open(both.spread) as spread:
        ids = sorted(entry.id for entry in alone.documents())
        assert sorted(entry.id for entry in spread.documents()) == ids
        assert both.told["added"] == len(ids) == WHOLE
        assert [each.path for each in spread.failures()] == [each.path for each in alone.failures()]
        for each in ids:
            assert spread.document(each) == alone.document(each)
            assert spread.outline(each) == alone.outline(each)
            assert spread.card(each) == alone.card(each)
            assert spread.passages(each) == alone.passages(each)
            ours, theirs = spread.vectors(document=each), alone.vectors(document=each)
            np.testing.assert_allclose(ours.matrix, theirs.matrix, atol=1e-3)
        assert spread.check() == []


def test_cells_are_those_of_one_machine(both: Both) -> None:
    book = load_playbook("due-diligence")
    with Library.open(both.alone) as alone, Library.open(both.spread) as spread:
        for entry in alone.documents():
            assert store.load_findings(spread, book, entry.id) == store.load_findings(
                alone, book, entry.id
            )
    steps = both.told["steps"]
    assert steps == [len(book.provisions) * n for n in range(1, both.told["added"] + 1)]


def test_a_ray_of_this_machine_listens_to_no_other(both: Both) -> None:
    assert both.told["listening"] == ["127.0.0.1"]


def test_killed_workers_lost_nothing(both: Both) -> None:
    assert both.told["lost_adding"] >= 1
    assert both.told["lost"] > both.told["lost_adding"]


def test_memory_is_limited_in_workers(both: Both) -> None:
    assert both.told["small"] == 1000
    assert "needs more than 200 MB of memory" in both.told["large"]


def test_what_is_late_is_sent_again(both: Both) -> None:
    assert both.told["slow"] == ["done"] * 2
    assert both.told["chased"] == 1
    assert both.told["idle"]  # the slower of the two was ended, which would go on for a minute


def test_a_node_with_another_version_is_refused(both: Both) -> None:
    assert "the nodes must have fourcorners 9.9.9" in both.told["refusal"]
    assert "Install that version on every node" in both.told["refusal"]


@pytest.fixture(scope="module")
def on_local_nodes() -> Any:
    return drive("coming_and_going", environment={})


def test_items_come_back_once_while_a_node_joins_and_is_killed(on_local_nodes: Any) -> None:
    [joined_did] = on_local_nodes["joined_did"]
    assert joined_did >= 20
    assert on_local_nodes["lost"] >= 1
    assert on_local_nodes["back"] == on_local_nodes["different"] == on_local_nodes["sent"] > 60


def test_an_item_that_ends_its_workers_takes_no_other_with_it(on_local_nodes: Any) -> None:
    outcomes = dict(on_local_nodes["outcomes"])
    assert outcomes.pop(7).startswith("7: its worker was lost 4 times (ActorDiedError).")
    assert outcomes == {item: str(item) for item in range(12) if item != 7}
    assert on_local_nodes["lost_to_one"] == 4


def test_a_killed_driver_is_gone_on_with(tmp_path: Path, dataroom: Path) -> None:
    url = tmp_path / "firm.db"
    drive("die", dataroom, url, environment={}, code=-signal.SIGKILL)
    with Library.open(url) as library:
        there = {entry.id for entry in library.documents()}
        [job] = JobTable(library).list(unfinished=True)
        assert 3 <= len(there) < 13
        report = add_files(
            library, [dataroom], collection=COLLECTION, encoder=None, settings=SETTINGS
        )
        assert [each.id for each in JobTable(library).list()] == [job.id]
        assert report.added == 13 - len(there)
        assert len(library.documents()) == 13
        assert library.check() == []


@pytest.fixture(scope="module")
def nodes(room: Path, postgres: PostgresServer) -> Any:
    """What became of the contracts of a bucket on two nodes, of which one was killed, twice."""
    pytest.importorskip("moto")
    try:
        with cluster(room) as machines:
            machines.begin_node()
            return drive(
                "nodes", ADDRESS, "s3://bucket/room", postgres.new_library(),
                machines.first, machines.second,
                environment=machines.environment, before=machines.inside(machines.first),
            )  # fmt: skip
    except NotPossible as error:
        pytest.skip(str(error))


@pytest.fixture(scope="module")
def alone(
    tmp_path_factory: pytest.TempPathFactory, room: Path
) -> Iterator[tuple[Library, AddReport]]:
    """The same contracts, added by one machine, with the report of it."""
    with Library.open(tmp_path_factory.mktemp("words") / "alone.db") as library:
        report = add_files(library, [room], collection=COLLECTION, encoder=None, settings=SETTINGS)
        yield library, report


def test_a_node_killed_while_it_reads_doubles_nothing(
    nodes: Any, alone: tuple[Library, AddReport]
) -> None:
    library, report = alone
    assert nodes["alive"][0] == [HEAD, WORKER]
    assert nodes["killed"][0] > 1
    assert nodes["lost"][0] >= 1
    assert nodes["added"] == report.added == WHOLE
    assert nodes["already"] == 0
    assert nodes["documents"] == contents(library)
    names = sorted(f"s3://bucket/room/{entry.name}" for entry in library.documents())
    assert nodes["paths"] == names
    assert len(report.failed) == 1  # the scan
    assert [Path(each).name for each in nodes["failures"]] == [
        Path(each.path).name for each in report.failed
    ]
    assert nodes["again"] == [0, WHOLE]
    assert nodes["faults"] == []


def test_a_node_killed_while_it_reviews_loses_nothing(
    nodes: Any, alone: tuple[Library, AddReport]
) -> None:
    assert nodes["alive"][1] == [HEAD, WORKER]
    assert nodes["killed"][1] > 1
    assert nodes["lost"][1] > nodes["lost"][0]
    grid = review_library(
        alone[0], load_playbook("due-diligence"), encoder=None, workers=Workers(jobs=2)
    )
    assert nodes["cells"] == cells(grid)
