"""A server that is used, killed and out of room for hours: is anything lost, and does it grow?

    python -m benchmarks.soak --minutes 480
    python -m benchmarks.soak --minutes 10 --disk 64 --json FILE

Serves a library on a small separate disk (a tmpfs: Linux, as root or with user namespaces), on
this machine's loopback. Each round uploads contracts, asks a question, reads pages and every other
time reviews them all. In the midst of it the workshop is killed; every fourth round the server is,
and every third the disk fills to the last byte, and is cleared again. After each round every
contract that was reported as added must be there, once, and the audit trail whole. At the end the
library is checked.

Prints what was done, refused and failed, and the resident megabytes of the pages' process by
quarter of the time: those of the first hold what is loaded once. Ends with 1 if anything was lost
or doubled, the trail is broken, or the last quarter holds a fifth more than the second.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

from benchmarks.server_load import Server
from fourcorners.library.store import Library

_INSIDE = "SOAK_FOLDER"  # set in the namespaces, to the folder of the small disk
_EDGE = "x-the-edge-of-a-part"
_FILES = 4  # a round
_MAX_WAIT = 900.0  # seconds for one task: the machine may be busy
_PAGES = ("/", "/c/Lots", "/search?q=assign*+w/10+consent", "/reviews")
_WORDS = (
    *("delivery", "price", "notice", "insurance", "liability"),
    *("assignment", "renewal", "audit", "licence", "quality"),
)
_GROWTH = 1.2


class Soak:
    """A library, its server, and what must be in it."""

    def __init__(self, folder: Path, seed: int) -> None:
        self._folder, self._library = folder, folder / "firm.db"
        self._chance = random.Random(seed)  # noqa: S311 - the same walk each time
        self._server = Server(self._library)
        self._number = itertools.count()
        self._began = time.monotonic()
        self.counts: Counter[str] = Counter()
        self.memory: list[tuple[float, int]] = []
        self.faults: list[str] = []
        self._reported: set[str] = set()  # added, as the server said
        self._perhaps: set[str] = set()  # of uploads that were refused or failed

    def round(self, number: int) -> None:
        """Do all that a round does, and look whether all is there."""
        is_full = number % 3 == 2
        if is_full:
            self._use(number, is_full=True)
        self._use(number, is_full=False)
        if number % 4 == 3:
            self._restart()
        self._look()

    def _use(self, number: int, *, is_full: bool) -> None:
        """Upload, ask, read and review; without room all but reading may fail."""
        filler = self._folder / "filler"
        if is_full:
            self._fill(filler)
        try:
            self._upload(kill=not is_full)
            question = f"Who pays for the {self._chance.choice(_WORDS)}?"
            self._task("answers", {"question": question, "collection": "Lots"}, kill=False)
            if number % 2 and not is_full:
                review = {"collection": "Lots", "playbook": "nda-review", "again": True}
                self._task("reviews", review, kill=True)
            for page in _PAGES:
                status, _ = self._ask(page)
                self.counts[f"page {status}"] += 1
        finally:
            filler.unlink(missing_ok=True)

    def _fill(self, filler: Path) -> None:
        """Write until there is no room for another byte."""
        self.counts["disk filled"] += 1
        with filler.open("wb", buffering=0) as file:
            for size in (1 << 20, 1 << 12, 1):
                try:
                    while True:
                        file.write(b"\0" * size)
                except OSError:
                    continue

    def _upload(self, *, kill: bool) -> None:
        names, status, progress = self._send_contracts()
        self._settle(names, self._await("upload", status, progress, kill=kill))

    def _send_contracts(self) -> tuple[list[str], int, dict[str, Any]]:
        """Upload contracts; returns their names, and what the server answers."""
        names = [f"lot {next(self._number)}.txt" for _ in range(_FILES)]
        fields = [(f'name="files"; filename="{name}"', self._contract()) for name in names]
        body = "".join(
            f"--{_EDGE}\r\nContent-Disposition: form-data; {field}\r\n\r\n{value}\r\n"
            for field, value in [*fields, ('name="collection"', "Lots")]
        )
        return names, *self._post("documents", f"{body}--{_EDGE}--\r\n")

    def _settle(self, names: list[str], ended: dict[str, Any]) -> None:
        """Note whether contracts must be there from now on."""
        is_added = ended.get("state") == "done" and ended["result"]["added"] == _FILES
        (self._reported if is_added else self._perhaps).update(names)

    def _contract(self) -> str:
        lot = self._chance.random()
        clauses = (
            f"{number}. {word.title()}\n\n{number}.1 The {word} of lot {lot:.9f} is borne by the "
            "Buyer, who may not assign it without consent.\n"
            for number, word in enumerate(self._chance.sample(_WORDS, 6), 1)
        )
        return "SUPPLY AGREEMENT\n\n" + "\n".join(clauses)

    def _task(self, path: str, asked: dict[str, object], *, kill: bool) -> None:
        self._await(path, *self._post(path, json.dumps(asked)), kill=kill)

    def _await(
        self, what: str, status: int, progress: dict[str, Any], *, kill: bool
    ) -> dict[str, Any]:
        """Wait for a task's end; on the way its process may be killed. Returns how it ended."""
        if status != 202:
            self.counts[f"{what} refused with {status}"] += 1
            return {}
        until = time.monotonic() + _MAX_WAIT
        moment = time.monotonic() + self._chance.uniform(0.0, 2.0)
        while progress["state"] not in ("done", "failed", "cancelled"):
            if time.monotonic() > until:
                self.faults.append(f"{what}: still {progress['state']} after {_MAX_WAIT:g} s")
                return progress
            if kill and time.monotonic() > moment:
                kill = not self._server.kill_workshop()
                self.counts["workshop killed"] += not kill
            time.sleep(0.2)
            progress = json.loads(self._ask(f"/api/v1/tasks/{progress['id']}")[1])
        self.counts[f"{what} {progress['state']}"] += 1
        return progress

    def _restart(self) -> None:
        """Kill the server while it reads contracts, and start another."""
        names, status, task = self._send_contracts()
        time.sleep(self._chance.uniform(0.0, 3.0))
        self._server.kill()
        self.counts["server killed"] += 1
        self._server = Server(self._library)
        self._settle(names, self._await("upload", status, task, kill=False))

    def _look(self) -> None:
        """Compare what there is with what was reported, and note the memory."""
        names = self._names()
        self.faults += [f"lost: {name}" for name in sorted(self._reported - names.keys())]
        self.faults += [f"doubled: {name}" for name, count in names.items() if count > 1]
        strange = names.keys() - self._reported - self._perhaps
        self.faults += [f"from nowhere: {name}" for name in sorted(strange)]
        verdict = json.loads(self._ask("/api/v1/audit/verdict")[1])
        self.faults += [f"audit trail: {fault}" for fault in verdict["faults"]]
        self.memory.append((time.monotonic() - self._began, self._server.memory()["pages"]))

    def _names(self) -> Counter[str]:
        names: Counter[str] = Counter()
        cursor = ""
        while True:
            page = json.loads(self._ask(f"/api/v1/documents?limit=200&cursor={cursor}")[1])
            names.update(each["name"] for each in page["items"])
            cursor = page["next"] or ""
            if not cursor:
                return names

    def _ask(self, address: str) -> tuple[int, bytes]:
        return self._server.get(address)

    def _post(self, path: str, body: str) -> tuple[int, dict[str, Any]]:
        kind = "application/json" if body[0] == "{" else f"multipart/form-data; boundary={_EDGE}"
        return self._server.post(path, body.encode(), kind)

    def close(self) -> None:
        """Stop the server, and check the library as it lies there."""
        self._server.stop()
        with Library.open(self._library, create=False) as library:
            self.faults += library.check()
            added = Counter(each.event for each in library.audit_trail())["add"]
            self.counts["contracts"] = len(library.documents())
        if added != self.counts["contracts"]:
            self.faults.append(
                f"{added} contracts are in the trail, {self.counts['contracts']} there"
            )

    def quarters(self) -> list[int]:
        """Return the median memory of each quarter of the time, in MB."""
        whole = self.memory[-1][0]
        parts: list[list[int]] = [[], [], [], []]
        for at, size in self.memory:
            parts[min(3, int(4 * at / whole))].append(size)
        return [round(statistics.median(each)) if each else 0 for each in parts]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--minutes", type=float, default=480.0)
    parser.add_argument("--disk", type=int, default=256, help="megabytes (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", type=Path, help="write the figures there")
    options = parser.parse_args()
    if _INSIDE not in os.environ:
        sys.exit(_again_on_a_small_disk(options.disk))
    soak = Soak(Path(os.environ[_INSIDE]), options.seed)
    until = time.monotonic() + 60 * options.minutes
    rounds = 0
    while time.monotonic() < until and not soak.faults:
        soak.round(rounds)
        rounds += 1
    soak.close()
    quarters = soak.quarters()
    for name, count in sorted({"rounds": rounds, **soak.counts}.items()):
        print(f"{count:7,d}  {name}")
    print(f"memory of the pages' process, MB by quarter: {', '.join(map(str, quarters))}")
    if quarters[1] and quarters[3] > _GROWTH * quarters[1]:
        soak.faults.append(f"memory grew from {quarters[1]} to {quarters[3]} MB")
    print("\n".join(soak.faults) or "Nothing was lost or doubled, and the audit trail is whole.")
    if options.json:
        figures = {"rounds": rounds, **soak.counts, "memory": quarters, "faults": soak.faults}
        options.json.write_text(json.dumps(figures, indent=1) + "\n")
    sys.exit(1 if soak.faults else 0)


def _again_on_a_small_disk(megabytes: int) -> int:
    """Run this again where a folder is a disk of that size; returns how it ended."""
    unshare = shutil.which("unshare")
    if unshare is None:
        sys.exit("A small disk needs Linux and the command `unshare`.")
    mount = 'mount -t tmpfs -o size="$0" none "$1" && shift && exec "$@"'
    with tempfile.TemporaryDirectory() as folder:
        inside = (unshare, "--user", "--map-root-user", "--mount", "sh", "-c", mount)
        command = (sys.executable, "-m", "benchmarks.soak", *sys.argv[1:])
        done = subprocess.run(
            [*inside, f"{megabytes}m", folder, *command], env={**os.environ, _INSIDE: folder}
        )
    return done.returncode


if __name__ == "__main__":
    main()
