"""Kill -9 of a whole server of PostgreSQL at random moments of commands that use it.

A second later the server is started again. The command must wait for it, end well by itself, and
have held what it makes undisturbed, without anything that somebody still claims.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from benchmarks.kills.commands import (
    EARLIEST,
    MAX_WAIT,
    PROGRAM,
    contents,
    environment,
    timed,
    wait_for,
    write_contracts,
)
from benchmarks.kills.outcome import Outcome
from fourcorners.library.database import as_integer
from fourcorners.library.ingest import add_files
from fourcorners.library.store import Library
from fourcorners.playbooks.load import load_playbook
from fourcorners.review.store import load_findings
from fourcorners.settings import Settings
from tests.cluster.postgres_server import PostgresServer, find_binaries, postgres_server

_AWAY = 1.0  # seconds before the server comes back
_BOOK = "nda-review"
_UNDONE = {
    "steps that somebody holds": "SELECT count(*) FROM steps WHERE state = 'claimed'",
    "jobs without an end": "SELECT count(*) FROM jobs WHERE finished IS NULL",
}


@dataclass(frozen=True)
class _Task:
    """A command that writes into a library of PostgreSQL.

    Attributes:
        prepare: Puts what it needs into a library and an empty folder.
        words: Its words, but the library's URL, which comes last.
    """

    name: str
    prepare: Callable[[str, Path], None]
    words: Sequence[str]


def _write(_url: str, folder: Path) -> None:
    write_contracts(folder)


def _fill(url: str, folder: Path) -> None:
    write_contracts(folder)
    with Library.open(url) as library:
        add_files(library, [folder], collection="Lots", encoder=None, settings=Settings(jobs=1))


def _fill_file(_url: str, folder: Path) -> None:
    _fill(str(folder / "firm.db"), folder)


_TASKS = (
    _Task("add", _write, ("add", ".", "-c", "Lots", "--words-only", "--library")),
    _Task("review", _fill, ("review", "-p", _BOOK, "--words-only", "--library")),
    _Task("copy", _fill_file, ("library", "copy", "firm.db")),
)


def kill_database(room: Path, kills: int, chance: random.Random) -> Iterator[Outcome]:
    """Kill the server so many times in each task, and yield what came of it."""
    binaries = find_binaries()
    if binaries is None:
        raise SystemExit("there is no PostgreSQL here")
    with postgres_server(binaries) as server:
        for task in _TASKS:
            yield _kill_in(task, server, room, kills, chance)


def _kill_in(
    task: _Task, server: PostgresServer, room: Path, kills: int, chance: random.Random
) -> Outcome:
    found = Outcome(f"database, {task.name}")
    url, folder = _prepared(task, server, room / f"database-{task.name}")
    seconds = timed(task.name, _start(task, url, folder))
    expected = _contents_of(url)
    for number in range(kills):
        url, folder = _prepared(task, server, room / f"database-{task.name}-{number}")
        process = _start(task, url, folder)
        found.within += wait_for(process, chance.uniform(EARLIEST, 1.0) * seconds)
        found.kills += 1
        _restart(server)
        output = process.communicate(timeout=MAX_WAIT)[1]
        if process.returncode:
            found.lost.append(f"does not go on: {output.strip()[-300:]}")
        held = _contents_of(url)
        found.lost += [f"not there: {each}" for each in sorted(expected.keys() - held.keys())[:3]]
        found.doubled += [f"besides: {each}" for each in sorted(held.keys() - expected.keys())[:3]]
        if any(held[key] != expected[key] for key in held.keys() & expected.keys()):
            found.lost.append("not the same")
        found.left += _leftovers(url)
    return found


def _prepared(task: _Task, server: PostgresServer, folder: Path) -> tuple[str, Path]:
    folder.mkdir()
    url = server.new_library()
    task.prepare(url, folder)
    return url, folder


def _start(task: _Task, url: str, folder: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [*PROGRAM, *task.words, url], cwd=folder, env=environment(folder / "scratch"), text=True,
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True,
    )  # fmt: skip


def _restart(server: PostgresServer) -> None:
    """Kill all processes of the server at once, and start it again.

    Their locks are taken away: where nobody waits for orphans, the killed still have a number.
    """
    lock = server.folder / "data" / "postmaster.pid"
    first = int(lock.read_text().split()[0])
    threads = Path(f"/proc/{first}/task").iterdir()
    others = [int(pid) for each in threads for pid in (each / "children").read_text().split()]
    for pid in (first, *others):
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    time.sleep(_AWAY)
    lock.unlink()
    (server.folder / ".s.PGSQL.5432.lock").unlink()
    server.start()


def _contents_of(url: str) -> dict[str, str]:
    """Return what a library has: documents by their ids, cells by document and provision."""
    book = load_playbook(_BOOK)
    with Library.open(url) as library:
        held = contents(library)
        for document in library.document_ids():
            for cell in load_findings(library, book, document).values():
                words = [each.quote.words for each in cell.evidence]
                held[f"{document} {cell.provision}"] = f"{cell.state} {words}"
    return held


def _leftovers(url: str) -> list[str]:
    with Library.open(url) as library:
        counts = {name: as_integer(library.execute(query)[0][0]) for name, query in _UNDONE.items()}
        faults = [f"the audit trail: {each}" for each in library.audit_verdict().faults]
    return [f"{count} {name}" for name, count in counts.items() if count] + faults
