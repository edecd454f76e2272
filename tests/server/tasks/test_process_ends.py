"""However the background process ends, it ends with status 0 and says nothing but its log."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from fourcorners.documents.workers.process import send
from fourcorners.library.store import Library
from fourcorners.server.tasks.process import supervisor
from fourcorners.server.tasks.process.supervisor import WorkerOptions
from fourcorners.settings import Settings

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="no signals there")
_LOOK = "import fourcorners.server.tasks.process.main as module; module._LOOK = 0.05; "


@pytest.fixture
def options(tmp_path: Path) -> WorkerOptions:
    path = tmp_path / "firm.db"
    Library.open(path).close()
    return WorkerOptions(path, Settings(library=str(path)), ["ask"], os.getpid(), idle=600.0)


def start(options: WorkerOptions) -> subprocess.Popen[bytes]:
    """Start the process as its supervisor does, and wait until it works."""
    boot = supervisor._BOOT.replace("from fourcorners.server", f"{_LOOK}from fourcorners.server")
    process = subprocess.Popen(
        [sys.executable, "-P", "-c", boot, json.dumps(sys.path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    assert process.stdin is not None
    assert process.stderr is not None
    send(process.stdin, options)  # type: ignore[arg-type]
    assert json.loads(process.stderr.readline())["pid"] == process.pid
    return process


def lose_parent(process: subprocess.Popen[bytes]) -> None:
    """Close the pipe, as the system does for a parent that was killed."""
    assert process.stdin is not None
    process.stdin.close()


ENDINGS: dict[str, Callable[[subprocess.Popen[bytes]], object]] = {
    "idle": lambda _: None,
    "the parent's end": lose_parent,
    "SIGTERM": lambda process: process.send_signal(signal.SIGTERM),
}


@pytest.mark.parametrize("ending", ENDINGS)
def test_the_process_ends_cleanly(options: WorkerOptions, ending: str) -> None:
    process = start(replace(options, idle=0.2) if ending == "idle" else options)
    ENDINGS[ending](process)
    assert process.stderr is not None
    logged = process.stderr.read().decode()
    assert process.wait(60) == 0, logged
    assert [json.loads(line)["level"] for line in logged.splitlines()] == ["info"], logged
    for pipe in (process.stdin, process.stderr):
        assert pipe is not None
        pipe.close()
