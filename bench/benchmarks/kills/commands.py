"""Kill -9 at random moments of marking up, copying, backups, restores and migrations."""

from __future__ import annotations

import lzma
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.kills.outcome import Outcome
from fourcorners.library.ingest import add_files
from fourcorners.library.store import Library
from fourcorners.settings import Settings

PROGRAM = [sys.executable, "-m", "fourcorners.cli.main"]
_EXAMPLES = Path(__file__).parents[3] / "examples" / "dataroom"
_FORMER = Path(__file__).parents[3] / "tests" / "library" / "data" / "schema-9.db.xz"
_TICKS = os.sysconf("SC_CLK_TCK")
MAX_WAIT = 600.0  # seconds in which a command must end
EARLIEST = 0.25  # of a command's CPU time: before it, the program is still being loaded
CONTRACTS = 24


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
    """Return what a library in a file holds; nothing if there is none."""
    if not path.is_file() or not path.stat().st_size:
        return {}
    with Library.open(path) as library:
        return contents(library)


def contents(library: Library) -> dict[str, str]:
    """Return what a library holds, a document by its id; a damaged one has a fault."""
    found = {
        entry.id: f"{entry.collection} {entry.name} {len(library.passages(entry.id))} "
        f"{library.text(entry.id)}"
        for entry in library.documents()
    }
    faults = library.check()
    return found | ({"faults": str(faults)} if faults else {})


def write_contracts(folder: Path, count: int = CONTRACTS) -> None:
    for number in range(count):
        clauses = "\n\n".join(
            f"{clause}. Delivery\n\n{clause}.1 Lot {number}-{clause} is due within {clause} days."
            for clause in range(1, 60)
        )
        (folder / f"{number:02}.txt").write_text(f"SUPPLY AGREEMENT {number}\n\n{clauses}\n")


def fill_library(folder: Path) -> None:
    write_contracts(folder)
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
    """Put a library of schema 9 in place."""
    (folder / "firm.db").write_bytes(lzma.decompress(_FORMER.read_bytes()))


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
        [*PROGRAM, *task.command], cwd=folder, env=environment(scratch), text=True,
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True,
    )  # fmt: skip


def run(task: Task, folder: Path, scratch: Path) -> str:
    """Run a task to its end; return what it says if it fails."""
    process = start(task, folder, scratch)
    output = process.communicate(timeout=MAX_WAIT)[1]
    return output if process.returncode else ""


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


def wait_for(process: subprocess.Popen[str], seconds: float) -> bool:
    """Wait until a session has taken so much CPU time; False if it ended before."""
    while process.poll() is None and cpu_seconds(process.pid) < seconds:
        time.sleep(0.01)
    return process.poll() is None


def kill_at(process: subprocess.Popen[str], seconds: float) -> bool:
    """Kill all of a session when it has taken so much CPU time; False if it ended before."""
    ended = not wait_for(process, seconds)
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        ended = True
    process.communicate(timeout=60)
    return not ended


def timed(name: str, process: subprocess.Popen[str]) -> float:
    """Let a command end as it is; return the CPU time that it took."""
    most = 0.0
    while process.poll() is None:
        most = max(most, cpu_seconds(process.pid))
        time.sleep(0.02)
    output = process.communicate()[1]
    if process.returncode:
        raise SystemExit(f"{name} fails as it is: {output}")
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
    output = run(task, folder, scratch)
    if output and not (task.may_refuse and halfway == expected):
        found.lost.append(f"does not go on: {output.strip()[-300:]}")
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
    """Kill a task so many times, each in its own folder."""
    whole, origin = room / f"{task.name}-whole", room / f"{task.name}-origin"
    origin.mkdir()
    task.prepare(origin)
    shutil.copytree(origin, whole)
    seconds = timed(task.name, start(task, whole, room / "scratch-whole"))
    expected = task.holds(whole)
    found = Outcome(task.name)
    for number in range(kills):
        folder, scratch = room / f"{task.name}-{number}", room / f"scratch-{task.name}-{number}"
        shutil.copytree(origin, folder)
        moment = chance.uniform(EARLIEST, 1.0) * seconds
        found.within += kill_at(start(task, folder, scratch), moment)
        found.kills += 1
        judge(task, folder, scratch, expected, found)
        shutil.rmtree(folder)
    return found
