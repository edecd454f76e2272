"""What the processes of these tests do; run as `python processes.py TASK URL …`."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path

from fourcorners.library.store import Library
from tests.library.conftest import contract
from tests.models.fake import HashEncoder

ENCODER = HashEncoder(16)


def tell(said: object) -> None:
    """Tell the test at once."""
    sys.stdout.write(f"{said}\n")
    sys.stdout.flush()


def write(url: str, name: str, count: str) -> None:
    """Add contracts, and say so of each when it is done."""
    with Library.open(url) as library:
        for number in range(int(count)):
            lines = [f"{name} AGREEMENT {number}", "1. One.", f"1.1 Lot {number} by {name}."]
            parts = contract(f"{name}-{number}.txt", lines)
            parts.add(library)
            tell(parts.document.id)


def read(url: str, seconds: str) -> None:
    """Look again and again; a document must be whole whenever it is there."""
    looks, until = 0, time.monotonic() + float(seconds)
    with Library.open(url, create=False) as library:
        while looks < 2 or time.monotonic() < until:
            with library.snapshot():
                for entry in library.documents():
                    assert len(library.passages(entry.id)) == entry.passages
                    assert len(library.vectors(document=entry.id)) == entry.passages
                    assert library.text(entry.id)
            looks += 1
    tell(looks)


def same(url: str, count: str) -> None:
    """Take one document out and put it back, as another process does at the same time."""
    parts = contract()
    with Library.open(url) as library:
        for _ in range(int(count)):
            parts.add(library)
            with library.transaction():
                if library.documents():
                    library.remove(parts.document.id)
                    parts.add(library)


def die(url: str, phase: str) -> None:
    """Add a contract, and be killed on the way of the next, or after it."""
    from fourcorners.library import audit
    from fourcorners.library.jobs import JobTable

    library = Library.open(url)
    contract("first.txt", ["FIRST AGREEMENT", "1. One.", "1.1 It was first."]).add(library)
    tell("added")
    if phase == "before the rows":
        _kill(Library, "_insert_values", before=True)
    elif phase == "after the rows":
        _kill(Library, "_insert_values", before=False)
    elif phase == "after the words":
        _kill(type(library), "_set_aside", before=False)
    elif phase == "after the vectors":
        _kill(Library, "_insert_vectors", before=False)
    elif phase == "before the audit trail":
        _kill(audit, "append_entry", before=True)
    elif phase == "after the step":
        _kill(JobTable, "finish", before=False)
    jobs = JobTable(library)
    job = jobs.start("test", {"a": "b"})
    jobs.add_steps(job, ["second"])
    [step] = jobs.claim(job, "host/1/one", 60, 1)
    with library.transaction():
        contract("second.txt", ["SECOND AGREEMENT", "1. Two.", "1.1 It was second."]).add(library)
        jobs.finish(step)
    os.kill(os.getpid(), signal.SIGKILL)


def _kill(where: object, name: str, *, before: bool) -> None:
    real = getattr(where, name)

    def deadly(*arguments: object, **named: object) -> None:
        if not before:
            real(*arguments, **named)
        os.kill(os.getpid(), signal.SIGKILL)

    setattr(where, name, deadly)


def fill(url: str, limit: str) -> None:
    """Add contracts with a limit on the size of a file, as where the disk is full."""
    import resource

    from fourcorners.errors import LibraryError

    with Library.open(url) as library:
        contract().add(library)
        resource.setrlimit(resource.RLIMIT_FSIZE, (int(limit), int(limit)))
        words = " ".join(f"w{number}" for number in range(200_000))
        try:
            contract("large.txt", ["LARGE", "1. Large.", f"1.1 {words}"]).add(library)
        except LibraryError as error:
            tell(error)


def crowd(url: str) -> None:
    """Add contracts until the disk is full, make room, and go on; tell each that was added.

    The library, its copies and temporary files lie on that disk, beside a file `ballast`.
    """
    from fourcorners.errors import LibraryError

    ballast = Path("ballast")
    ballast.write_bytes(bytes(6 << 20))
    added: list[str] = []
    try:
        with Library.open(url) as library:
            library.set_encoder(ENCODER.name, ENCODER.dimension)
            for number in range(10_000):
                words = " ".join(f"w{number}x{each}" for each in range(20_000))
                parts = contract(f"{number}.txt", [f"LOT {number}", "1. One.", f"1.1 {words}"])
                parts.add(library)
                added.append(parts.document.id)
    except LibraryError as error:
        tell(f"full: {error} {error.remedy}")
    ballast.unlink()
    with Library.open(url, create=False) as library:
        there = [entry.id for entry in library.documents()]
        tell(f"lost {sorted(set(added) - set(there))}, half there {library.check()}")
        last = contract("after.txt", ["AFTER", "1. One.", "1.1 There is room."])
        last.add(library)
        tell(f"{len(added)} before, then {sorted({last.document.id} - {*there})}")
        tell(f"at the end {library.check()}")


TASKS: dict[str, Callable[..., None]] = {
    "write": write,
    "read": read,
    "same": same,
    "die": die,
    "fill": fill,
    "crowd": crowd,
}

if __name__ == "__main__":
    TASKS[sys.argv[1]](*sys.argv[2:])
