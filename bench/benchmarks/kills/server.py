"""Kill -9 of a server, of its workshop, and of both, at each step of what they do.

After each kill the server is started again, where it was killed. Then the task in hand must end, as
done or with a reason and a remedy; all that was acknowledged must be there, once; the audit trail
must be whole; and nothing may be left: no file that belongs to no document, no step that somebody
holds, no key that waits for an answer, no words of an answer in the making.
"""

from __future__ import annotations

import json
import random
import socket
import subprocess
import threading
import time
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import Any
from urllib.parse import quote

from benchmarks.kills.commands import PROGRAM, environment, kill_at
from benchmarks.kills.outcome import Outcome
from benchmarks.server_load import Server
from fourcorners.library.store import Library, upload_folder
from tests.server.test_kill import COUNT, upload_body

_MAX_WAIT = 600.0  # seconds in which a task must end
_CLAUSES = 8  # of a contract
_RESTING = 15.0  # seconds in which a server without a task must have put all away
_BOOK = "nda-review"
_LARGE = 96 << 20  # bytes of a file that is no contract, and takes a moment to be kept
_FORMS = ("docx", "xlsx", "html")
_UNDONE = {
    "steps that somebody holds": "SELECT count(*) FROM steps WHERE state = 'claimed'",
    "jobs without an end": "SELECT count(*) FROM jobs WHERE finished IS NULL",
    "keys without an answer": "SELECT count(*) FROM server_once WHERE answer = ''",
    "steps of an answer": "SELECT count(*) FROM server_steps",
}


@dataclass(frozen=True)
class Step:
    """Something that a server does.

    Attributes:
        run: Does it and kills in its midst; tells whether the kill fell into the work.
    """

    name: str
    run: Callable[[], bool]


class KilledServer:
    """A library, what serves it, and what must be in it."""

    def __init__(self, room: Path, chance: random.Random) -> None:
        self._room, self._chance = room, chance
        self._scratch, self._library = room / "scratch-serve", room / "served.db"
        self._scratch.mkdir()
        self._server = Server(self._library, self._scratch)
        self._number = 0
        self._found = Outcome("")
        self._documents: dict[str, int] = {}  # of each collection
        self._reviewed: set[str] = set()
        self._answers: Counter[str] = Counter()
        self._seconds: dict[str, float] = {}

    def steps(self) -> list[Step]:
        return [
            Step("an upload is received: server", self._receive),
            Step("an upload is kept: server", self._keep),
            *self._of_tasks("contracts are added", self._add),
            *self._of_tasks("a review runs", self._review),
            *self._of_tasks("a question is answered", self._ask),
            Step("a question is ended after the kill: workshop", self._end_question),
            Step("a report is written: server", self._report),
            Step("a backup is written: server", partial(self._backup, is_server=True)),
            Step("a backup is written: its command", partial(self._backup, is_server=False)),
        ]

    def _of_tasks(self, name: str, run: Callable[[Callable[[], None]], bool]) -> list[Step]:
        killed = {
            "server": self._kill_server,
            "workshop": self._kill_workshop,
            "both": self._kill_both,
        }
        return [Step(f"{name}: {who}", partial(run, kill)) for who, kill in killed.items()]

    def kill(self, step: Step, found: Outcome) -> None:
        """Kill at a step, and look at what came of it."""
        self._found = found
        found.within += step.run()
        found.kills += 1
        self._look()

    def stop(self) -> None:
        self._server.stop()

    def end(self) -> Outcome:
        """Look at what is there once the server has stopped: nothing may be left of it."""
        found = Outcome("serve, at the end")
        with Library.open(self._library) as library:
            found.lost += [f"the library: {each}" for each in library.check()]
        found.left += [f"temporary: {each.name}" for each in self._scratch.iterdir()]
        found.left += [f"process {pid}" for pid in _processes_of(self._scratch)]
        return found

    # What is killed

    def _kill_server(self) -> None:
        self._server.kill()
        self._server = Server(self._library, self._scratch)

    def _kill_workshop(self) -> None:
        until = time.monotonic() + 30
        while not self._server.kill_workshop() and time.monotonic() < until:
            time.sleep(0.02)

    def _kill_both(self) -> None:
        self._server.kill_workshop()
        self._kill_server()

    # What is done

    def _receive(self) -> bool:
        """Kill while half of an upload has come; nothing of it may be there."""
        body, kind = upload_body(self._new_collection(), _CLAUSES)
        head = (
            f"POST /api/v1/documents HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: {kind}\r\n"
            f"Content-Length: {len(body)}\r\n\r\n"
        )
        with socket.create_connection(("127.0.0.1", self._server.port)) as connection:
            sent = self._chance.randrange(len(body))
            connection.sendall(head.encode() + body[:sent])
            time.sleep(self._chance.uniform(0.0, 0.3))
            self._kill_server()
        return True

    def _keep(self) -> bool:
        """Kill while the files are put by; sent again under its key, the upload is done once."""
        collection, key = self._new_collection(), f"key {self._number}"
        body, kind = upload_body(collection, _CLAUSES)
        edge = body[: body.index(b"\r\n") + 2]
        large = edge + (
            b'Content-Disposition: form-data; name="files"; filename="0.bin"\r\n'
            b"Content-Type: application/octet-stream\r\n\r\n" + bytes(_LARGE) + b"\r\n"
        )
        send = partial(self._server.post, "documents", large + body, kind, key)
        answered: list[tuple[int, Any]] = []
        sending = threading.Thread(target=_unless_cut, args=(lambda: answered.append(send()),))
        uploads = self._uploads()
        sending.start()
        while self._uploads() == uploads and sending.is_alive():
            time.sleep(0.001)
        time.sleep(self._chance.uniform(0.0, 0.2))
        self._kill_server()
        sending.join()
        status, progress = self._server.post("documents", large + body, kind, key)
        if status != 202:
            self._found.lost.append(f"sent again under its key: {status} {progress.get('detail')}")
        elif self._await(progress)["state"] == "done":
            self._documents[collection] = COUNT
        if answered and answered[0][1].get("id") != progress.get("id"):
            self._found.doubled.append("another task for the same key")
        return not answered

    def _add(self, kill: Callable[[], None]) -> bool:
        collection = self._new_collection()
        task = self._begin("documents", *upload_body(collection, _CLAUSES))
        within = self._kill_in(task, kill, self._chance.randrange(COUNT))
        if self._await(task)["state"] == "done":
            self._documents[collection] = COUNT
        return within

    def _review(self, kill: Callable[[], None]) -> bool:
        collection = self._chance.choice([*self._documents])
        asked = {"collection": collection, "playbook": _BOOK, "again": True}
        task = self._begin("reviews", json.dumps(asked).encode())
        within = self._kill_in(task, kill, self._chance.randrange(COUNT))
        if self._await(task)["state"] == "done":
            self._reviewed.add(collection)
        return within

    def _ask(self, kill: Callable[[], None]) -> bool:
        task = self._question()
        within = self._kill_in(task, kill, 0)
        self._answers[task["collection"]] += self._await(task)["state"] == "done"
        return within

    def _end_question(self) -> bool:
        """End a question whose workshop was killed: no words of contracts may stay behind."""
        task = self._question()
        within = self._kill_in(task, self._kill_workshop, 0)
        status, _ = self._server.post(f"tasks/{task['id']}/cancel", b"", "application/json")
        self._answers[task["collection"]] += self._await(task)["state"] == "done"
        return within and status == 200

    def _report(self) -> bool:
        """Kill while a report is written; the next one is whole, and clears what was left."""
        collection = self._chance.choice([*self._reviewed])
        asked = f"collection={quote(collection)}&playbook={_BOOK}&format={_FORMS[self._number % 3]}"
        read = partial(self._server.get, f"/api/v1/reviews/report?{asked}")
        began = time.monotonic()
        read()
        took = time.monotonic() - began
        ended: list[object] = []
        reading = threading.Thread(target=_unless_cut, args=(lambda: ended.append(read()),))
        reading.start()
        time.sleep(self._chance.uniform(0.3, 1.0) * took)
        self._kill_server()
        reading.join()
        for form in _FORMS:
            asked = f"collection={quote(collection)}&playbook={_BOOK}&format={form}"
            status, body = self._server.get(f"/api/v1/reviews/report?{asked}")
            whole = status == 200 and (form == "html" or _is_whole(body))
            self._found.lost += [] if whole else [f"the report as {form}: {status}"]
        self._found.left += [f"temporary: {each}" for each in _files_in(self._scratch)]
        return not ended

    def _backup(self, *, is_server: bool) -> bool:
        """Kill what serves or what backs up, while contracts are added; the archive is whole."""
        self._number += 1
        folder = self._room / f"backups-{self._number}"
        folder.mkdir()
        whole, again = folder / "firm.zip", folder / "again.zip"
        began = time.monotonic()
        self._run_backup(whole).communicate(timeout=_MAX_WAIT)
        took = time.monotonic() - began
        collection = self._new_collection()
        task = self._begin("documents", *upload_body(collection, _CLAUSES))
        process = self._run_backup(again)
        if is_server:
            time.sleep(self._chance.uniform(0.3, 0.9) * took)
            within = process.poll() is None
            self._kill_server()
            process.communicate(timeout=_MAX_WAIT)
        else:
            within = kill_at(process, self._chance.uniform(0.3, 1.0) * took)
            self._found.lost += _damage_of(again, may_miss=True)
            if not again.exists():
                self._run_backup(again).communicate(timeout=_MAX_WAIT)
        self._found.lost += _damage_of(again)
        self._found.left += [each.name for each in folder.iterdir() if each not in (whole, again)]
        if self._await(task)["state"] == "done":
            self._documents[collection] = COUNT
        return within

    def _run_backup(self, target: Path) -> subprocess.Popen[str]:
        command = [*PROGRAM, "backup", str(self._library), str(target)]
        return subprocess.Popen(
            command, env=environment(self._scratch), text=True, start_new_session=True,
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
        )  # fmt: skip

    # Tasks

    def _begin(self, path: str, body: bytes, kind: str = "application/json") -> dict[str, Any]:
        status, progress = self._server.post(path, body, kind)
        if status != 202:
            raise SystemExit(f"{path}: {status} {progress}")
        return dict(progress)

    def _question(self) -> dict[str, Any]:
        collection = self._chance.choice([*self._documents])
        question = f"Within how many days is lot {self._chance.randrange(COUNT)} due?"
        asked = {"question": question, "collection": collection}
        return self._begin("answers", json.dumps(asked).encode())

    def _kill_in(self, task: dict[str, Any], kill: Callable[[], None], done: int) -> bool:
        """Kill once a task runs and so much of it is done; tells whether it was not over then."""
        progress = task
        while progress["state"] == "waiting" or (
            progress["state"] == "running" and progress["done"] < done
        ):
            time.sleep(0.1)
            progress = self._task(task)
        if not done:
            time.sleep(self._chance.uniform(0.0, 1.0) * self._seconds.get(task["kind"], 2.0))
            progress = self._task(task)
        kill()
        return bool(progress["state"] == "running")

    def _task(self, task: dict[str, Any]) -> dict[str, Any]:
        return dict(json.loads(self._server.get(f"/api/v1/tasks/{task['id']}")[1]))

    def _await(self, task: dict[str, Any]) -> dict[str, Any]:
        """Wait until a task has ended; one that failed must say what to do."""
        until = time.monotonic() + _MAX_WAIT
        while (progress := self._task(task))["state"] not in ("done", "failed", "cancelled"):
            if time.monotonic() > until:
                self._found.lost.append(f"{progress['kind']} does not go on: {progress['state']}")
                break
            time.sleep(0.15)
        if progress["state"] == "failed" and not progress["remedy"]:
            self._found.lost.append(
                f"{progress['kind']} failed without a remedy: {progress['reason']}"
            )
        return progress

    def _new_collection(self) -> str:
        self._number += 1
        return f"Lots {self._number}"

    # What there must be

    def _look(self) -> None:
        found = self._found
        for collection, count in self._documents.items():
            names = Counter(each["name"] for each in self._all("documents", collection))
            if len(names) != count:
                found.lost.append(f"{len(names)} of {count} documents of {collection}")
            if names.total() > len(names):
                found.doubled.append(f"documents of {collection}: {names}")
        for collection in self._reviewed:
            held = {each["id"] for each in self._all("documents", collection)}
            cells = [
                (each["document"], each["provision"])
                for each in self._all("findings", collection, f"&playbook={_BOOK}")
            ]
            if {document for document, _ in cells} != held or len(set(cells)) % COUNT:
                found.lost.append(f"findings of {collection}")
            if len(cells) > len(set(cells)):
                found.doubled.append(f"findings of {collection}")
        for collection, count in self._answers.items():
            made = len(self._all("answers", collection))
            found.lost += [f"{made} of {count} answers of {collection}"] if made < count else []
            found.doubled += [f"{made} for {count} answers"] if made > count else []
        for fault in json.loads(self._server.get("/api/v1/audit/verdict")[1])["faults"]:
            found.lost.append(f"the audit trail: {fault}")
        found.left += self._leftovers()

    def _all(self, what: str, collection: str, more: str = "") -> list[Any]:
        items, cursor = [], ""
        while True:
            asked = f"limit=200&collection={quote(collection)}{more}&cursor={cursor}"
            page = json.loads(self._server.get(f"/api/v1/{what}?{asked}")[1])
            items += page["items"]
            cursor = page["next"] or ""
            if not cursor:
                return items

    def _leftovers(self) -> list[str]:
        """Return what is left in the library and next to it, once the server rests."""
        until = time.monotonic() + _RESTING
        while left := [*self._undone(), *self._stray_files()]:
            if time.monotonic() > until:
                return left
            time.sleep(0.3)
        return []

    def _undone(self) -> list[str]:
        with Library.open(self._library, create=False) as library:
            tables = library.tables()
            counts = {
                name: library.execute(query)[0][0]
                for name, query in _UNDONE.items()
                if query.split("FROM ")[1].split()[0] in tables
            }
        return [f"{count} {name}" for name, count in counts.items() if count]

    def _stray_files(self) -> list[str]:
        """Return uploaded files that are no document's, and of which no failure tells."""
        with Library.open(self._library, create=False) as library:
            known = {each.path for each in library.documents()}
            known |= {each.path for each in library.failures()}
        return [f"file {each}" for each in self._uploads() if str(each) not in known]

    def _uploads(self) -> list[Path]:
        return _files_in(upload_folder(self._library))


def kill_server(room: Path, rounds: int, chance: random.Random) -> Iterator[Outcome]:
    """Kill a server at each of its steps, so many times each, and yield what came of it."""
    killed = KilledServer(room, chance)
    try:
        for step in killed.steps():
            found = Outcome(f"serve, {step.name}")
            for _ in range(rounds):
                killed.kill(step, found)
            yield found
    finally:
        killed.stop()
    yield killed.end()


def _unless_cut(do: Callable[[], object]) -> None:
    with suppress(OSError):  # the server is killed meanwhile
        do()


def _files_in(folder: Path) -> list[Path]:
    return sorted(each for each in folder.rglob("*") if each.is_file())


def _is_whole(archive: bytes) -> bool:
    try:
        with zipfile.ZipFile(BytesIO(archive)) as opened:
            return opened.testzip() is None
    except zipfile.BadZipFile:
        return False


def _damage_of(archive: Path, *, may_miss: bool = False) -> list[str]:
    if not archive.exists():
        return [] if may_miss else ["the backup is not there"]
    return [] if _is_whole(archive.read_bytes()) else ["the backup is damaged"]


def _processes_of(scratch: Path) -> list[str]:
    """Return the processes that were started with a folder of temporary files."""
    found = []
    for path in Path("/proc").glob("[0-9]*/environ"):
        with suppress(OSError):
            if f"TMPDIR={scratch}\0" in path.read_text("utf-8", "replace"):
                found.append(path.parent.name)
    return found
