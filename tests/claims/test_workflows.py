"""The workflows of continuous integration: readable, pinned, with few rights, on every system."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

from scripts.lock import STEPS

ROOT = Path(__file__).resolve().parents[2]
FILES = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
PINNED = re.compile(r"uses: [\w-]+/[\w./-]+@[0-9a-f]{40}  # v\d+\.\d+\.\d+")


def load(path: Path) -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load(path.read_text("utf-8"))
    return loaded


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_a_list_is_installed_after_those_that_it_builds_on(path: Path) -> None:
    for job in load(path)["jobs"].values():
        runs = "\n".join(step.get("run", "") for step in job["steps"])
        names = re.findall(r"requirements/(\w+)\.txt", runs)
        for at, name in enumerate(names):
            assert set(STEPS[name].builds_on) <= set(names[:at]), name


def test_the_slow_tests_run_too() -> None:
    runs = [
        str(step.get("run"))
        for job in load(ROOT / ".github/workflows/test.yml")["jobs"].values()
        for step in job["steps"]
    ]
    markers = [mark for run in runs for mark in re.findall(r'pytest .*-m "(.+)"', run)]
    assert sorted(markers) == ["not slow and not corpus", "slow and not corpus"]


def test_the_tests_run_on_every_system_and_python() -> None:
    matrix = load(ROOT / ".github/workflows/test.yml")["jobs"]["test"]["strategy"]["matrix"]
    assert [each.partition("-")[0] for each in matrix["system"]] == ["ubuntu", "macos", "windows"]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    named = [each.rpartition(" ")[2] for each in project["classifiers"] if ":: 3." in each]
    assert matrix["python"] == named


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_each_action_is_pinned_and_reads_only(path: Path) -> None:
    workflow = load(path)
    assert workflow["permissions"] == {"contents": "read"}
    lines = [line for line in path.read_text("utf-8").splitlines() if "uses:" in line]
    assert lines
    assert [line for line in lines if not PINNED.search(line)] == []


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_what_a_workflow_runs_is_there(path: Path) -> None:
    runs = [
        step["run"] for job in load(path)["jobs"].values() for step in job["steps"] if "run" in step
    ]
    assert runs
    targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.M)
    for run in runs:
        assert all((ROOT / each).exists() for each in re.findall(r"requirements/[\w.]+", run)), run
        assert all(each in targets for each in re.findall(r"^make ([\w-]+)", run)), run
