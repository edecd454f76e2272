"""The units of systemd: valid, closed in, and agreed on where the library and its backups are."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest
from typer.testing import CliRunner

from fourcorners.cli.main import app

DEPLOY = Path(__file__).parents[2] / "deploy"
SERVICES = sorted(DEPLOY.glob("*.service"))
MOST_EXPOSED = 3.5  # of 10, as `systemd-analyze security` counts
analyze = shutil.which("systemd-analyze")
needs_systemd = pytest.mark.skipif(analyze is None, reason="systemd-analyze is not installed")


def values(unit: Path, key: str) -> list[str]:
    return re.findall(rf"^{key}=(.*)$", unit.read_text("utf-8"), re.M)


def systemd(arguments: Sequence[str | Path]) -> subprocess.CompletedProcess[str]:
    assert analyze
    return subprocess.run([analyze, *arguments], capture_output=True, text=True)


@needs_systemd
@pytest.mark.parametrize("unit", SERVICES, ids=lambda unit: unit.name)
def test_a_service_is_hardly_exposed(unit: Path) -> None:
    done = systemd(["security", "--offline=true", unit])
    found = re.search(r"Overall exposure level for .*: (\d+\.\d)", done.stdout)
    assert found, done.stderr
    assert float(found[1]) <= MOST_EXPOSED, done.stdout


@needs_systemd
def test_the_units_are_valid(tmp_path: Path) -> None:
    """The programs that they start are put where a test may; nothing else is changed."""
    program = tmp_path / "fourcorners"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    for unit in (*SERVICES, *DEPLOY.glob("*.timer")):
        text = unit.read_text("utf-8").replace("/opt/fourcorners/bin/fourcorners", str(program))
        (tmp_path / unit.name).write_text(text, "utf-8")
    done = systemd(["verify", *sorted(tmp_path.glob("*.service")), *tmp_path.glob("*.timer")])
    own = [line for line in done.stderr.splitlines() if "fourcorners" in line]
    assert own == []


@pytest.mark.parametrize("unit", SERVICES, ids=lambda unit: unit.name)
def test_a_service_starts_a_command_that_there_is(unit: Path) -> None:
    (line,) = values(unit, "ExecStart")
    program, command, *arguments = line.split()
    assert program == "/opt/fourcorners/bin/fourcorners"
    helped = CliRunner().invoke(app, [command, "--help"], env={"COLUMNS": "200"}).output
    options = [each for each in arguments if each.startswith("--")]
    assert options
    assert [each for each in options if each not in helped] == []


def test_the_backup_is_of_the_servers_library_and_keeps_some() -> None:
    server, backup = DEPLOY / "fourcorners.service", DEPLOY / "fourcorners-backup.service"
    library = next(
        each.partition("=")[2]
        for each in values(server, "Environment")
        if each.startswith("FOURCORNERS_LIBRARY=")
    )
    (line,) = values(backup, "ExecStart")
    _, _, copied, folder, option, number = line.split()
    assert (copied, option) == (library, "--keep")
    assert int(number) > 1
    assert folder in [f"/var/lib/{each}" for each in values(backup, "StateDirectory")[0].split()]
    assert folder not in [f"/var/lib/{each}" for each in values(server, "StateDirectory")]
    for unit in (server, backup):  # nobody else, and never root
        assert (values(unit, "User"), values(unit, "DynamicUser")) == (["fourcorners"], ["yes"])
