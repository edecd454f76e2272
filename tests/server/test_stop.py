"""A signal ends a server within five seconds, whatever it has in hand, and nothing is lost."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from contextlib import suppress
from pathlib import Path

import pytest

from fourcorners.library.store import Library
from fourcorners.server.tasks.queue import TaskQueue, TaskState

pytestmark = [
    pytest.mark.allow_hosts(["127.0.0.1"]),
    pytest.mark.skipif(sys.platform == "win32", reason="no such signals there"),
]
MOST = 5.0
_PATIENCE = 60.0
_SERVER = """
import sys, time
import uvicorn
from fourcorners.server.app import create_app
from fourcorners.server.connections import GRACE_SECONDS, StoppingServer
from fourcorners.server.tasks.process import supervisor
from fourcorners.settings import Settings

library, port = sys.argv[1], int(sys.argv[2])
supervisor._BOOT = '''
import json, sys, time
sys.path[:] = json.loads(sys.argv[1])
from fourcorners.server.tasks.handlers import health
from fourcorners.server.tasks.process.main import main
health.run = lambda work: time.sleep(600)
main()
'''
app = create_app(library, Settings(library=library, jobs=1, ocr=False), apart=True)

@app.get("/slow")
def slow() -> None:
    until = time.monotonic() + 600
    while time.monotonic() < until:
        pass

config = uvicorn.Config(
    app, port=port, log_config=None, timeout_graceful_shutdown=GRACE_SECONDS
)
StoppingServer(config).run()
"""


def _ask(url: str) -> None:
    with suppress(OSError):
        urllib.request.urlopen(url, timeout=_PATIENCE)  # noqa: S310 - of this machine


def _children(process: int) -> set[int]:
    threads = Path(f"/proc/{process}/task").glob("*/children")
    return {int(each) for path in threads for each in path.read_text().split()}


def _is_alive(process: int) -> bool:
    with suppress(FileNotFoundError):
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    return False


@pytest.mark.parametrize("stop", [signal.SIGTERM, signal.SIGINT])
def test_a_request_and_a_task_in_hand_do_not_hold_it(tmp_path: Path, stop: signal.Signals) -> None:
    path = tmp_path / "firm.db"
    with Library.open(path) as library:
        task = TaskQueue(library).start("health", "looking", "Mill", {"as_of": ""}, by="Ada").id
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = subprocess.Popen([sys.executable, "-c", _SERVER, str(path), str(port)])
    try:
        until = time.monotonic() + _PATIENCE
        while True:
            with suppress(OSError):
                urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=5)
                break
            assert time.monotonic() < until
            time.sleep(0.05)
        asking = threading.Thread(target=_ask, args=(f"http://127.0.0.1:{port}/slow",))
        asking.start()
        with Library.open(path) as library:
            while TaskQueue(library).find(task).state is not TaskState.RUNNING:
                assert time.monotonic() < until
                time.sleep(0.05)
        children = _children(server.pid)
        assert children
        time.sleep(0.5)
        began = time.monotonic()
        server.send_signal(stop)
        server.wait(_PATIENCE)
        assert time.monotonic() - began <= MOST
        asking.join(_PATIENCE)
        while any(map(_is_alive, children)):
            assert time.monotonic() - began <= MOST
            time.sleep(0.02)
    finally:
        server.kill()
        server.wait()
    with Library.open(path) as library:
        assert library.check() == []
        assert not TaskQueue(library).find(task).state.is_final


def test_it_says_where_it_answers_once_it_does(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "fourcorners.cli.main", "serve", "--library", "firm.db"]

    def refused(*more: str) -> tuple[int, str]:
        ended = subprocess.run(
            [*command, *more], cwd=tmp_path, capture_output=True, text=True, timeout=_PATIENCE
        )
        assert "Fourcorners at" not in ended.stderr
        return ended.returncode, ended.stderr

    code, problem = refused("--port", "0")
    assert (code, "there is no library at firm.db" in problem) == (1, True), problem
    assert not (tmp_path / "firm.db").exists()
    Library.open(tmp_path / "firm.db").close()
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        code, problem = refused("--port", port)
    assert (code, "already in use" in problem, port in problem) == (2, True, True), problem
    (tmp_path / "none.pem").write_text("no certificate")
    code, problem = refused("--port", "0", "--certificate", "none.pem", "--key", "none.pem")
    assert (code, "none.pem" in problem) == (2, True), problem
    narrow = {**os.environ, "COLUMNS": "20"}  # the address is in one line all the same
    with subprocess.Popen(
        [*command, "--port", "0"], cwd=tmp_path, stderr=subprocess.PIPE, text=True, env=narrow
    ) as server:
        assert server.stderr is not None
        line = next(line for line in server.stderr if "Fourcorners at" in line)
        try:
            with urllib.request.urlopen(f"{line.split()[2]}healthz", timeout=_PATIENCE) as answer:  # noqa: S310
                assert answer.status == 200
        finally:
            server.terminate()
