"""Measure what kinds of texts and files cost that mean harm, how that grows, and how they end.

    python -m benchmarks.doubling                      (a table of all kinds, 1,000,000 characters)
    python -m benchmarks.doubling --size 200000 references "a ring of footnotes.docx"
    python -m benchmarks.doubling --double             (seconds at a quarter, a half and the whole)
    python -m benchmarks.doubling --page docs/method/hostile-files.md

The kinds are those of this folder, which grow with the size; the hostile files of the readers'
tests, which have a size of their own; and a contract with words in each place that an attacker may
put them (`tests/attacks/places`).

A text goes through all that is done with a contract offline, stage after stage (`stages.py`); a
file is read, with the files in it, without recognition of pictures. Seconds are of CPU time. Each
kind has its own process, so that the reported memory is what it took beyond an idle worker's. MB
are of the text or, where that is more, of what the file holds unpacked. A kind is over the bounds
where a stage takes more than 3 seconds a MB and more than 0.3, where it takes more than 1 GB,
or where it ends by anything but a refusal; the exit code is then 1.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import sys
import traceback
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory, gettempdir
from types import FrameType
from zipfile import BadZipFile, ZipFile

from benchmarks.doubling.files import FILES, Make
from benchmarks.doubling.hostile_page import write_page
from benchmarks.doubling.stages import Clock, as_document, read, work_through
from benchmarks.doubling.texts import BELOW, TEXTS, TOP
from fourcorners.errors import InputError
from fourcorners_bench.performance.usage import peak_bytes
from tests.attacks.places import NEUTRAL, PLACES
from tests.documents.hostile import docx_files, held_files, page_files, pdf_files

MOST_SECONDS = 3.0  # a MB and stage
FREE_SECONDS = 0.3
MOST_MEMORY = 1_000  # MB


def _of_any_size(make: Callable[[], bytes]) -> Make:
    return lambda _: make()


KINDS: dict[str, tuple[str, Make]] = {
    **{name: (Path(name).suffix, make) for name, make in FILES.items()},
    **{
        name: (Path(name).suffix, _of_any_size(make))
        for module in (docx_files, held_files, page_files, pdf_files)
        for name, make in module.FAST.items()
    },
    **{each.id: (each.suffix, _of_any_size(partial(each.build, NEUTRAL))) for each in PLACES},
}


class _TooLate(BaseException):
    """The time of a kind is up; no `except Exception` takes it."""


@dataclass
class Cost:
    """What a kind took: seconds by stage, MB of text and of memory, and how it ended."""

    kind: str
    megabytes: float = 0.0
    seconds: dict[str, float] = field(default_factory=dict)
    memory: int = 0
    end: str = ""

    @property
    def slowest(self) -> tuple[str, float]:
        """Return the stage that took longest."""
        return max(self.seconds.items(), key=lambda each: each[1], default=("", 0.0))

    @property
    def share(self) -> float:
        """Return how much it took of what it may, of seconds or memory."""
        _, seconds = self.slowest
        bound = max(FREE_SECONDS, MOST_SECONDS * self.megabytes)
        return max(seconds / bound, self.memory / MOST_MEMORY)

    @property
    def is_over(self) -> bool:
        return self.share > 1 or self.end.startswith("stopped")


def cost_of(kind: str, size: int, limit: float) -> Cost:
    """Measure a kind in its own process; it is stopped where a stage takes `limit` seconds."""
    out, into = os.pipe()
    child = os.fork()
    if not child:
        os.close(out)
        try:
            report = json.dumps(asdict(_measure(kind, size, limit)))
        except BaseException:  # noqa: BLE001 - whatever it is, the table goes on
            report = json.dumps(asdict(Cost(kind, end=f"stopped: {traceback.format_exc()[-300:]}")))
        with os.fdopen(into, "w") as pipe:
            pipe.write(report)
        os._exit(0)
    os.close(into)
    with os.fdopen(out) as pipe:
        report = pipe.read()
    os.waitpid(child, 0)
    return Cost(**json.loads(report)) if report else Cost(kind, end="stopped: it died")


def _measure(kind: str, size: int, limit: float) -> Cost:
    cost = Cost(kind)
    before = _peak()

    def bound(_: str, spent: float) -> None:
        signal.setitimer(signal.ITIMER_PROF, 0 if spent else limit)

    clock = Clock(bound)
    signal.signal(signal.SIGPROF, _stop)
    try:
        if kind in TEXTS:
            text = TEXTS[kind](size)
            cost.megabytes = len(text) / 1e6
            work_through(as_document(text), clock)
        else:
            _read_file(kind, size, clock, cost)
    except InputError as error:
        cost.end = f"refused: {_reason(error)}"
    except _TooLate:
        cost.end = f"stopped after {limit:g} s"
    cost.seconds = {stage: round(spent, 3) for stage, spent in clock.seconds.items()}
    cost.memory = _peak() - before
    return cost


def _read_file(kind: str, size: int, clock: Clock, cost: Cost) -> None:
    suffix, make = KINDS[kind]
    with TemporaryDirectory() as folder:
        path = Path(folder, f"a{suffix}")
        path.write_bytes(make(size))
        cost.megabytes = _unpacked(path) / 1e6
        cost.megabytes = max(cost.megabytes, read(path, clock) / 1e6)


def _reason(error: InputError) -> str:
    """Return what is said of a file, without its path, and what to do about it."""
    reason = error.message.partition(f"{Path(gettempdir())}")[2].partition(": ")[2] or error.message
    return f"{reason} {error.remedy}"


def _unpacked(path: Path) -> int:
    try:
        with ZipFile(path) as package:
            return sum(each.file_size for each in package.infolist())
    except BadZipFile:
        return path.stat().st_size


def _stop(_: int, __: FrameType | None) -> None:
    raise _TooLate


def _peak() -> int:
    return peak_bytes() >> 20


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("kinds", nargs="*", help="kinds to measure (all)", metavar="KIND")
    parser.add_argument("--size", type=int, default=1_000_000, help="characters of each")
    parser.add_argument("--limit", type=float, default=60, help="seconds that a stage may take")
    parser.add_argument("--double", action="store_true", help="at a quarter and a half, too")
    parser.add_argument("--json", type=Path, help="write the figures to this file")
    parser.add_argument("--page", type=Path, help="write the page of the worst of them")
    given = parser.parse_args()
    if unknown := set(given.kinds) - {*TEXTS, *KINDS}:
        parser.error(f"no such kinds: {', '.join(sorted(unknown))}")
    work_through(as_document(TOP + BELOW), Clock())  # so that all is loaded, once
    sizes = [given.size // 4, given.size // 2, given.size] if given.double else [given.size]
    print(f"{'kind':36}{'MB':>7}{'seconds':>9}{'MB used':>9}  slowest stage, seconds a MB")
    found: list[Cost] = []
    for kind in given.kinds or [*TEXTS, *KINDS]:
        for size in sizes:
            cost = cost_of(kind, size, given.limit)
            found.append(cost)
            stage, seconds = cost.slowest
            rate = seconds / max(cost.megabytes, 1e-6)
            over = "  OVER" if cost.is_over else ""
            line = f"{kind[:35]:36}{cost.megabytes:7.2f}{sum(cost.seconds.values()):9.2f}"
            end = cost.end or "read"
            print(f"{line}{cost.memory:9}  {stage} {rate:.1f}{over}  {end}", flush=True)
    if given.json:
        given.json.write_text(json.dumps([asdict(each) for each in found], indent=1))
    if given.page:
        given.page.write_text(write_page(found, given.size), "utf-8")
    over_bounds = [each.kind for each in found if each.is_over]
    print(f"{len(found)} measured, {len(over_bounds)} over the bounds.")
    sys.exit(bool(over_bounds))


if __name__ == "__main__":
    main()
