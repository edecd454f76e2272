"""Nothing leaves the machine, sockets of C++ libraries included: the inference runtime is mute."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import ROOT, Program

ISOLATED = ("unshare", "--net", "--mount")
WATCH = Path(__file__).with_name("watch.py")
SECONDS = float(os.environ.get("WATCH_SECONDS", "20"))  # its first message comes at 10
# A process that lives on when its command is done, as a notebook or a server does.
RUN = """
import sys, time
from fourcorners.cli.main import main
try:
    main()
except SystemExit as end:
    if end.code:
        raise
time.sleep(600)
"""
# The runtime as it is without us: what the test must be able to see.
BARE = """
import sys, time
import onnxruntime
onnxruntime.InferenceSession(sys.argv[1], providers=["CPUExecutionProvider"])
time.sleep(600)
"""
COMMANDS = {
    "add": ("add", "{room}", "--library", "added.db"),
    "review": ("review", "--playbook", "due-diligence", "--library", "larch.db"),
    "ask": ("ask", "Who insures the goods?", "--library", "larch.db"),
    "serve": ("serve", "--port", "8399", "--library", "larch.db"),
    "mcp": ("mcp", "--library", "larch.db"),
}

needs_namespaces = pytest.mark.skipif(
    sys.platform != "linux" or os.geteuid() != 0 or not all(map(shutil.which, ("unshare", "ip"))),
    reason="needs Linux, root and the commands unshare and ip",
)


class Watched:
    """A process in namespaces of its own, from its start to what it asked for."""

    def __init__(self, folder: Path, environment: dict[str, str], *command: str) -> None:
        self.out = folder / "seen.json"
        self.home = folder / "home"
        self.home.mkdir(parents=True)
        self.process = subprocess.Popen(
            [
                *ISOLATED,
                sys.executable,
                WATCH,
                str(SECONDS),
                self.out,
                sys.executable,
                "-c",
                *command,
            ],
            cwd=folder,
            env={**environment, "HOME": str(self.home)},
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )

    def finish(self) -> dict[str, Any]:
        """Return what it asked for, and the files that a vendor left in the user's home."""
        _, err = self.process.communicate(timeout=SECONDS + 120)
        assert self.out.exists(), err.decode()
        files = [str(path.relative_to(self.home)) for path in self.home.rglob("*")]
        foreign = [name for name in files if "microsoft" in name.lower() or "onnx" in name.lower()]
        return {**json.loads(self.out.read_text()), "files": foreign, "err": err.decode()}


@needs_namespaces
@pytest.mark.slow
def test_no_process_that_loads_the_models_asks_for_anything(
    tmp_path: Path, dataroom: Path, make_program: Callable[[Path], Program]
) -> None:
    program = make_program(tmp_path)
    contracts = sorted(dataroom.glob("*.md"))[:1] or sorted(dataroom.iterdir())[:1]
    program("add", *contracts, "--library", "larch.db")
    environment = {
        name: value
        for name, value in program.environment.items()
        if name not in ("PYTHONPATH", "NETWORK_ASKED")
    } | {"PYTHONPATH": str(ROOT / "src")}
    running = {}
    for name, command in COMMANDS.items():
        folder = tmp_path / name
        folder.mkdir()
        for file in tmp_path.glob("larch.db*"):
            shutil.copytree(file, folder / file.name) if file.is_dir() else shutil.copy(
                file, folder
            )
        arguments = [part.format(room=contracts[0]) for part in command]
        running[name] = Watched(folder, environment, RUN, *arguments)
    graph = ROOT / "src" / "fourcorners" / "models" / "products.onnx"
    (tmp_path / "bare").mkdir()
    running["bare"] = Watched(tmp_path / "bare", environment, BARE, str(graph))

    ended = {name: watched.finish() for name, watched in running.items()}

    assert ended["bare"].pop("seen"), "the watch must see what the runtime does by itself"
    for name, end in ended.items():
        assert end["alive"], f"{name} ended early: {end}"
        if name != "bare":
            assert (end["seen"], end["files"]) == ([], []), f"{name}: {end}"
