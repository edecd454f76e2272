"""Measure what a cluster adds: CPU seconds of Ray.

    python -m benchmarks.growth_cluster --data ../shared/data/cuad/contracts --documents 100

The same contracts are added to a library in one file, once by processes of this machine and once by
a Ray that is started on it; the CPU seconds are those of all processes that this begins, looked up
in /proc five times a second. What two machines gain by the clock it does not tell.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import threading
from pathlib import Path
from shutil import copyfile
from tempfile import TemporaryDirectory

from fourcorners.library.ingest import add_files
from fourcorners.library.store import Library
from fourcorners.settings import Settings

_TICK = 0.2  # seconds between looks at the processes
_HERTZ = os.sysconf("SC_CLK_TCK")


def adding(url: str, folder: str, on_ray: bool, jobs: int) -> None:
    """Add the contracts of a folder, by words only."""
    settings = Settings(jobs=jobs, ocr=False)
    named: dict[str, object] = {"collection": "Growth", "encoder": None, "settings": settings}
    if not on_ray:
        with Library.open(url) as library:
            add_files(library, [folder], **named)  # type: ignore[arg-type]
        return
    from fourcorners.cluster import open_worker_pool

    with open_worker_pool("ray", jobs=jobs) as workers, Library.open(url) as library:
        add_files(library, [folder], worker_pool=workers, **named)  # type: ignore[arg-type]


class Watch(threading.Thread):
    """Adds up the CPU seconds of a process and of all that descend from it."""

    def __init__(self, root: int) -> None:
        super().__init__(daemon=True)
        self._known = {root}
        self._spent: dict[tuple[int, str], float] = {}
        self._ended = threading.Event()

    def run(self) -> None:
        """Look again and again."""
        while not self._ended.wait(_TICK):
            self._look()

    def seconds(self) -> float:
        """Stop looking, and return the sum."""
        self._ended.set()
        self.join()
        return sum(self._spent.values())

    def _look(self) -> None:
        lines: dict[int, list[str]] = {}
        for each in Path("/proc").iterdir():
            if each.name.isdecimal():
                try:
                    lines[int(each.name)] = (each / "stat").read_text().rpartition(")")[2].split()
                except OSError:
                    continue
        grown = True
        while grown:
            more = {pid for pid, stat in lines.items() if int(stat[1]) in self._known} - self._known
            self._known |= more
            grown = bool(more)
        for pid in self._known & lines.keys():
            stat = lines[pid]
            self._spent[pid, stat[19]] = (int(stat[11]) + int(stat[12])) / _HERTZ


def ray_overhead(arguments: argparse.Namespace, folder: Path) -> dict[str, object]:
    """Return CPU seconds of adding the same contracts without Ray and with it."""
    room = _some(arguments.data, arguments.documents, folder)
    spent, added = {}, set()
    for name, on_ray in (("alone", False), ("ray", True)):
        url = str(folder / f"{name}.db")
        process = multiprocessing.get_context("spawn").Process(
            target=adding, args=(url, str(room), on_ray, arguments.jobs)
        )
        process.start()
        watch = Watch(process.pid or 0)
        watch.start()
        process.join()
        spent[name] = round(watch.seconds(), 1)
        with Library.open(url, create=False) as library:
            added.add(len(library.documents()))
    if len(added) > 1:
        raise RuntimeError(f"not the same contracts were added: {added}")
    return {"documents": added.pop(), "jobs": arguments.jobs, "cpu_seconds": spent}


def _some(data: Path, count: int, folder: Path) -> Path:
    room = folder / "room"
    room.mkdir(parents=True)
    for path in sorted(data.glob("*.txt"))[:count]:
        copyfile(path, room / path.name)
    return room


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--documents", type=int, default=100)
    parser.add_argument("--jobs", type=int, default=2)
    arguments = parser.parse_args()
    with TemporaryDirectory() as folder:
        print(json.dumps(ray_overhead(arguments, Path(folder)), indent=2))


if __name__ == "__main__":
    main()
