"""Kill -9 at random moments of marking up, copying, backups, migrations and serving.

    python -m benchmarks.kills [--kills 10] [--only redline copy] [--seed 7] [--json FILE]

Tasks are `redline`, `library copy`, `backup`, `restore`, the migration of an older library, and
`serve` during uploads and reviews. Each is run once as it is, to know the CPU time that it takes
and what it makes. Then it is killed, with all that it started, after a random part of that time,
and run again. It prints for each task how many kills fell into the work, and how often anything
was lost, doubled or left behind; the exit code is 1 if anything was.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from fourcorners.library.ingest import add_files
from fourcorners.library.store import Library
from fourcorners.settings import Settings
from tests.library.conftest import ENCODER, contract, share, to_schema_6

_PROGRAM = [sys.executable, "-m", "fourcorners.cli.main"]
_EXAMPLES = Path(__file__).parent.parent / "examples" / "dataroom"
_TICKS = os.sysconf("SC_CLK_TCK")
_PATIENCE = 600.0  # seconds in which a command must end
_EARLIEST = 0.25  # of a command's CPU time: before it, the program is still being loaded
CONTRACTS = 24


@dataclass
class Outcome:
    """What became of one task under its kills; faults are sentences."""

    task: str
    kills: int = 0
    within: int = 0  # kills that fell into the work, and not behind its end
    lost: list[str] = field(default_factory=list)
    doubled: list[str] = field(default_factory=list)
    left: list[str] = field(default_factory=list)

    @property
    def is_clean(self) -> bool:
        return not (self.lost or self.doubled or self.left)


@dataclass(frozen=True)
class Task:
    """A command in a folder.

    Attributes:
        prepare: Puts what it needs into an empty folder.
        command: Its words.
        holds: What it made, by name; what another run makes must be the same.
        may_refuse: Tells of a command that may say that all is done already.
    """

    name: str
    prepare: Callable[[Path], None]
    command: Sequence[str]
    holds: Callable[[Path], dict[str, str]]
    may_refuse: bool = False


def library_of(path: Path) -> dict[str, str]:
    """Return what a library holds, a document by its id; a damaged one has a fault."""
    if not path.is_file() or not path.stat().st_size:
        return {}
    with Library.open(path) as library:
        found = {
            entry.id: f"{entry.collection} {entry.name} {len(library.passages(entry.id))} "
            f"{library.text(entry.id)}"
            for entry in library.documents()
        }
        faults = library.check()
    return found | ({"faults": str(faults)} if faults else {})


def fill_library(folder: Path) -> None:
    for number in range(CONTRACTS):
        clauses = "\n\n".join(
            f"{clause}. Delivery\n\n{clause}.1 Lot {number}-{clause} is due within {clause} days."
            for clause in range(1, 60)
        )
        (folder / f"{number:02}.txt").write_text(f"SUPPLY AGREEMENT {number}\n\n{clauses}\n")
    files = sorted(folder.glob("*.txt"))
    with Library.open(folder / "firm.db") as library:
        add_files(library, files, collection="Lots", encoder=None, settings=Settings(jobs=1))
    for path in files:
        path.unlink()


def fill_archive(folder: Path) -> None:
    from fourcorners.server.store.backup import write_backup

    fill_library(folder)
    write_backup(folder / "firm.db", folder / "firm.zip")
    (folder / "firm.db").unlink()


def fill_older_library(folder: Path) -> None:
    """Make a library of schema 6, in which each contract is in three collections."""
    made = [
        contract(
            f"{number}.txt", [f"LEASE {number}", "1. A", "1.1 B", *(["2. Rent"] * 40)], "Lease"
        )
        for number in range(CONTRACTS)
    ]
    with Library.open(folder / "firm.db") as library:
        library.set_encoder(ENCODER.name, ENCODER.dimension)
        for each in made:
            each.add(library, "Larch")
        to_schema_6(library)
        for each in made:
            for other in ("Oak", "Elm"):
                share(library, each.document.id, other)


def fill_contract(folder: Path) -> None:
    shutil.copy(min(_EXAMPLES.glob("*.docx")), folder / "contract.docx")


def words_of(path: Path) -> dict[str, str]:
    """Return the words of a Word file, without when they were changed."""
    if not path.is_file():
        return {}
    try:
        with zipfile.ZipFile(path) as archive:
            if archive.testzip() is not None:
                return {"faults": "it is damaged"}
            body = archive.read("word/document.xml").decode("utf-8")
    except zipfile.BadZipFile:
        return {"faults": "it is no archive"}
    return {"body": re.sub(r'w:date="[^"]*"', "", body)}


def archived(path: Path) -> dict[str, str]:
    """Return that an archive is there and whole."""
    if not path.is_file():
        return {}
    try:
        with zipfile.ZipFile(path) as archive:
            return {"whole": str(archive.testzip() is None)}
    except zipfile.BadZipFile:
        return {"faults": "it is no archive"}


TASKS = (
    Task(
        "redline",
        fill_contract,
        ("redline", "contract.docx", "--for", "Supplier", "--words-only", "--out", "marked.docx"),
        lambda folder: words_of(folder / "marked.docx"),
    ),
    Task(
        "copy",
        fill_library,
        ("library", "copy", "firm.db", "other.db"),
        lambda folder: library_of(folder / "other.db"),
        may_refuse=True,
    ),
    Task(
        "backup",
        fill_library,
        ("backup", "firm.db", "firm.zip"),
        lambda folder: archived(folder / "firm.zip"),
        may_refuse=True,
    ),
    Task(
        "restore",
        fill_archive,
        ("restore", "firm.zip", "firm.db"),
        lambda folder: library_of(folder / "firm.db"),
        may_refuse=True,
    ),
    Task(
        "migration",
        fill_older_library,
        ("status", "--library", "firm.db"),
        lambda folder: library_of(folder / "firm.db"),
    ),
)


def environment(scratch: Path) -> dict[str, str]:
    scratch.mkdir(exist_ok=True)
    return {**os.environ, "TMPDIR": str(scratch)}


def start(task: Task, folder: Path, scratch: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [*_PROGRAM, *task.command], cwd=folder, env=environment(scratch), text=True,
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True,
    )  # fmt: skip


def run(task: Task, folder: Path, scratch: Path) -> str:
    """Run a task to its end; return what it says if it fails."""
    process = start(task, folder, scratch)
    said = process.communicate(timeout=_PATIENCE)[1]
    return said if process.returncode else ""


def cpu_seconds(session: int) -> float:
    """Return the CPU time that the processes of a session have taken so far."""
    total = 0
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text("utf-8", "replace").rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[3]) == session:  # SEE: man 5 proc
            total += int(fields[11]) + int(fields[12])
    return total / _TICKS


def kill_at(process: subprocess.Popen[str], seconds: float) -> bool:
    """Kill all of a session when it has taken so much CPU time; False if it ended before."""
    while process.poll() is None and cpu_seconds(process.pid) < seconds:
        time.sleep(0.01)
    ended = process.poll() is not None
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        ended = True
    process.communicate(timeout=60)
    return not ended


def timed(task: Task, folder: Path, scratch: Path) -> float:
    """Run a task; return the CPU time that it took."""
    process = start(task, folder, scratch)
    most = 0.0
    while process.poll() is None:
        most = max(most, cpu_seconds(process.pid))
        time.sleep(0.02)
    said = process.communicate()[1]
    if process.returncode:
        raise SystemExit(f"{task.name} fails as it is: {said}")
    return most


def names_in(folder: Path) -> set[str]:
    return {each.name for each in folder.iterdir() if not each.name.endswith(("-wal", "-shm"))}


def judge(
    task: Task, folder: Path, scratch: Path, expected: dict[str, str], found: Outcome
) -> None:
    """Look at what a kill left, run the task again, and look again."""
    halfway = task.holds(folder)
    if task.name != "migration" and not halfway.items() <= expected.items():
        found.lost.append(f"half there: {sorted(halfway.keys() ^ expected.keys())[:3]}")
    said = run(task, folder, scratch)
    if said and not (task.may_refuse and halfway == expected):
        found.lost.append(f"does not go on: {said.strip()[-300:]}")
    held = task.holds(folder)
    if missing := expected.keys() - held.keys():
        found.lost.append(f"not there: {sorted(missing)[:3]}")
    if more := held.keys() - expected.keys():
        found.doubled.append(f"there besides: {sorted(more)[:3]}")
    if any(held[key] != expected[key] for key in held.keys() & expected.keys()):
        found.lost.append("not the same")
    prepared = folder.parent / f"{task.name}-whole"
    if others := names_in(folder) - names_in(prepared):
        found.left.append(f"files: {sorted(others)}")
    if scraps := sorted(each.name for each in scratch.iterdir()):
        found.left.append(f"temporary files: {scraps[:3]}")


def kill_task(task: Task, room: Path, kills: int, chance: random.Random) -> Outcome:
    """Kill a task so many times, each in a folder of its own."""
    whole, origin = room / f"{task.name}-whole", room / f"{task.name}-origin"
    origin.mkdir()
    task.prepare(origin)
    shutil.copytree(origin, whole)
    seconds = timed(task, whole, room / "scratch-whole")
    expected = task.holds(whole)
    found = Outcome(task.name)
    for number in range(kills):
        folder, scratch = room / f"{task.name}-{number}", room / f"scratch-{task.name}-{number}"
        shutil.copytree(origin, folder)
        moment = chance.uniform(_EARLIEST, 1.0) * seconds
        found.within += kill_at(start(task, folder, scratch), moment)
        found.kills += 1
        judge(task, folder, scratch, expected, found)
        shutil.rmtree(folder)
    return found


def has_done(count: int, told: dict[str, Any]) -> bool:
    """Tell whether so much of a task is done."""
    return bool(told["done"] >= count)


def kill_server(room: Path, kills: int, chance: random.Random) -> Outcome:
    """Kill a server so many times during one upload and one review after the other."""
    from tests.server.test_kill import COUNT, Server, upload_body

    found = Outcome("serve")
    library = room / "served.db"
    server = Server(library)
    uploads = reviews = 0
    task = ""
    for number in range(kills):
        if number % 2 == 0:
            uploads += 1
            name = f"Lots {uploads}"
            task = server.api("/documents", *upload_body(name))["id"]
        else:
            reviews += 1
            asked = {"collection": f"Lots {uploads}", "playbook": "nda-review"}
            task = server.api("/reviews", json.dumps(asked).encode())["id"]
        wanted = chance.randrange(0, COUNT)
        server.wait(task, partial(has_done, wanted))
        found.within += server.api(f"/tasks/{task}")["state"] != "done"
        server.kill()
        found.kills += 1
        server = Server(library)
        told = server.wait(task, lambda told: told["state"] == "done")
        if told["result"].get("failed"):
            found.lost.append(f"failed: {told['result']}")
        held = server.api(f"/documents?limit=200&collection=Lots%20{uploads}")["items"]
        names = sorted(each["name"] for each in held)
        if len(set(names)) < COUNT:
            found.lost.append(f"{len(set(names))} of {COUNT} documents")
        if len(names) > len(set(names)):
            found.doubled.append(f"documents: {names}")
        if number % 2:
            path = f"/findings?collection=Lots%20{uploads}&playbook=nda-review&limit=200"
            cells = [(each["document"], each["provision"]) for each in server.api(path)["items"]]
            if len(cells) > len(set(cells)):
                found.doubled.append("findings")
            if {each["id"] for each in held} != {document for document, _ in cells}:
                found.lost.append("findings")
    if faults := server.api("/audit/verdict")["faults"]:
        found.lost.append(f"the record of what was done: {faults}")
    server.kill()
    with Library.open(library) as opened:
        if faults := opened.check():
            found.lost.append(f"the library: {faults}")
    if others := list(library.parent.glob("*.partial")):
        found.left.append(str(others))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n\n")[0])
    parser.add_argument("--kills", type=int, default=10, help="of each task")
    parser.add_argument("--only", nargs="*", default=[*(task.name for task in TASKS), "serve"])
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    chance = random.Random(given.seed)  # noqa: S311 - moments, not secrets
    outcomes: list[Outcome] = []
    with tempfile.TemporaryDirectory() as name:
        room = Path(name)
        for task in TASKS:
            if task.name in given.only:
                outcomes.append(kill_task(task, room, given.kills, chance))
                print_outcome(outcomes[-1])
        if "serve" in given.only:
            outcomes.append(kill_server(room, given.kills, chance))
            print_outcome(outcomes[-1])
    if given.json:
        given.json.write_text(json.dumps([asdict(each) for each in outcomes], indent=1) + "\n")
    kills, within = sum(each.kills for each in outcomes), sum(each.within for each in outcomes)
    faults = [sum(len(getattr(each, name)) for each in outcomes) for name in FAULTS]
    said = ", ".join(f"{count} {name}" for count, name in zip(faults, FAULTS, strict=True))
    print(f"{kills} kills, {within} within the work: {said}")
    sys.exit(any(faults))


FAULTS = ("lost", "doubled", "left")


def print_outcome(found: Outcome) -> None:
    print(f"{found.task}: {found.kills} kills, {found.within} within the work", flush=True)
    for name in FAULTS:
        for each in getattr(found, name):
            print(f"  {name}: {each}", flush=True)


if __name__ == "__main__":
    main()
