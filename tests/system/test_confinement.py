"""A program that sees one folder and no network, where the kernel has Landlock."""

from __future__ import annotations

import socket
import subprocess
from pathlib import Path

import pytest

from fourcorners.system import confinement
from fourcorners.system.confinement import confined, landlock_version

TRIES = """
read words < {secret} && echo read the secret
ls {outside} && echo listed the folder
echo over > {secret} && echo wrote over the secret
echo mine > mine && read words < mine && echo $words
"""


@pytest.fixture
def inside(tmp_path: Path) -> Path:
    if not landlock_version():
        pytest.skip("the kernel has no Landlock")
    folder = tmp_path / "inside"
    folder.mkdir()
    return folder


def run(inside: Path, *command: str) -> str:
    done = subprocess.run(
        [*confined(inside), *command], cwd=inside, capture_output=True, text=True, check=False
    )
    return done.stdout


def test_only_its_folder_is_read_and_written(inside: Path) -> None:
    secret = inside.parent / "secret.txt"
    secret.write_text("another contract\n")
    script = TRIES.format(secret=secret, outside=inside.parent)
    assert run(inside, "/bin/sh", "-c", script) == "mine\n"
    assert secret.read_text() == "another contract\n"


@pytest.mark.allow_hosts(["127.0.0.1"])
def test_it_reaches_no_server(inside: Path) -> None:
    if landlock_version() < 4:
        pytest.skip("this Landlock does not know networks")
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.5)
        port = server.getsockname()[1]
        run(inside, "/bin/bash", "-c", f"echo hello > /dev/tcp/127.0.0.1/{port}")
        with pytest.raises(TimeoutError):
            server.accept()


def test_without_landlock_nothing_is_said_to_confine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(confinement, "landlock_version", lambda: 0)
    assert confined(Path("/nowhere")) == ()
