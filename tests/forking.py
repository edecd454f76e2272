"""Runs of the program in processes of their own, forked from one that has loaded it.

To load the program takes longer than most commands do.
"""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO

_SECONDS = 600.0  # a run that takes longer is ended, and fails its test
# What commands load when they begin. Nothing of it starts a thread or reads the environment.
_LOADED = (
    "fourcorners.cli.main",
    "fourcorners.library.ingest",
    "fourcorners.redline.run",
    "fourcorners.reports.terminal",
    "fourcorners.research.columns.fill",
    "fourcorners.research.run",
    "fourcorners.search.run",
    "fourcorners.settings",
    "nupunkt",
    "onnxruntime",
    "platformdirs",
    "pydantic_settings",
    "rich.progress",
    "rich.table",
    "tokenizers",
)
_SERVER = f"""
import gc, json, os, sys
from importlib import import_module
for name in {_LOADED}:
    import_module(name)
gc.freeze()  # forks would copy what the collector touches
for line in sys.stdin:
    run = json.loads(line)
    child = os.fork()
    if child == 0:
        break
    print(child, flush=True)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
else:
    os._exit(0)
os.setsid()
os.chdir(run["folder"])
os.environ.clear()
os.environ.update(run["environment"])
for number, name in enumerate((os.devnull, run["out"], run["err"])):
    os.dup2(os.open(name, os.O_WRONLY if number else os.O_RDONLY), number)
sys.argv = ["fourcorners", *run["arguments"]]
sys.modules["fourcorners.cli.main"].main()
"""


class ForkServer:
    """A process that has the program loaded, and forks for each run."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._environment = dict(environment)
        self._process: subprocess.Popen[bytes] | None = None

    def run(
        self, arguments: Sequence[str], folder: Path, environment: Mapping[str, str]
    ) -> tuple[int, str, str]:
        """Run a command to its end; returns its exit code, and what it wrote to each stream."""
        if self._process is None:
            self._process = subprocess.Popen(
                [sys.executable, "-c", _SERVER],
                env=self._environment,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
            )
        commands, answers = self._process.stdin, self._process.stdout
        assert commands is not None
        assert answers is not None
        home = Path(environment["HOME"])
        out, err = home / "out", home / "err"
        for file in (out, err):
            file.write_bytes(b"")
        order = {
            "arguments": [*arguments],
            "folder": str(folder),
            "environment": dict(environment),
            "out": str(out),
            "err": str(err),
        }
        commands.write(json.dumps(order).encode() + b"\n")
        commands.flush()
        child = int(self._answer(answers))
        try:
            code = int(self._answer(answers))
        except TimeoutError:
            os.killpg(child, signal.SIGKILL)
            raise
        return code, out.read_text("utf-8"), err.read_text("utf-8")

    def close(self) -> None:
        if self._process is not None:
            self._process.communicate()
            self._process = None

    def _answer(self, answers: IO[bytes]) -> bytes:
        ready, _, _ = select.select([answers], [], [], _SECONDS)
        if not ready:
            raise TimeoutError
        return answers.readline()
