"""Whatever is installed has its version and the hashes of its files written down, per step."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import NormalizedName, canonicalize_name

from scripts.lock import STEPS

ROOT = Path(__file__).resolve().parents[2]
LISTS = ROOT / "requirements"
ENTRY = re.compile(r"^([\w.-]+)==([^\s;]+)(?: ; [^\\\n]+)? \\\n((?: +--hash=\S+(?: \\)?\n)+)", re.M)
HASHES = re.compile(r"(?: +--hash=sha256:[0-9a-f]{64}(?: \\)?\n)+")


def pinned(name: str) -> dict[NormalizedName, set[str]]:
    """Return the versions of a list and of those that it builds on, by canonical name."""
    found: dict[NormalizedName, set[str]] = {}
    for before in STEPS[name].builds_on:
        for package, versions in pinned(before).items():
            found.setdefault(package, set()).update(versions)
    text = (LISTS / f"{name}.txt").read_text("utf-8")
    for package, version, hashes in ENTRY.findall(text):
        assert HASHES.fullmatch(hashes), package
        found.setdefault(canonicalize_name(package), set()).add(version)
    return found


def wanted(name: str) -> list[Requirement]:
    """Return what pyproject.toml asks for in a list and in those that it builds on."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    step = STEPS[name]
    asked = list(project["project"]["dependencies"])
    asked += [
        each for extra in step.extras for each in project["project"]["optional-dependencies"][extra]
    ]
    asked += [each for group in step.groups for each in project["dependency-groups"][group]]
    found = [Requirement(each) for each in asked]
    return found + [each for before in step.builds_on for each in wanted(before)]


@pytest.mark.parametrize("name", STEPS)
def test_what_is_asked_for_is_written_down(name: str) -> None:
    lines = (LISTS / f"{name}.txt").read_text("utf-8").splitlines()
    assert all(line.startswith(("#", "    --hash=")) or "==" in line for line in lines)
    found = pinned(name)
    for requirement in wanted(name):
        versions = found.get(canonicalize_name(requirement.name), set())
        assert versions, f"{requirement} is not in requirements/{name}.txt: make lock"
        assert any(map(requirement.specifier.contains, versions)), f"{requirement}: make lock"


def test_the_default_install_has_nothing_that_only_a_model_hub_needs() -> None:
    """`tokenizers` names the hub's client, and that a second HTTP client, which nothing calls."""
    text = (LISTS / "package.txt").read_text("utf-8")
    names = {canonicalize_name(package) for package, _, _ in ENTRY.findall(text)}
    assert "tokenizers" in names
    of_the_hub = {"huggingface-hub", "hf-xet", "tqdm", "fsspec", "httpx2", "httpcore2", "anyio"}
    assert names & of_the_hub == set()


def test_lists_are_of_one_resolution() -> None:
    found = pinned("dev")
    assert {package for package, versions in found.items() if len(versions) > 1} <= forked()


def forked() -> set[NormalizedName]:
    """Return the packages of which each version has a marker: one for each kind of machine."""
    text = "".join(file.read_text("utf-8") for file in LISTS.glob("*.txt"))
    heads = re.findall(r"^([\w.-]+)==[^\s;]+( ;)?", text, re.M)
    bare = {canonicalize_name(package) for package, marker in heads if not marker}
    return {canonicalize_name(package) for package, _ in heads} - bare


def test_a_list_is_installed_after_those_that_it_builds_on() -> None:
    makefile = (ROOT / "Makefile").read_text("utf-8")
    for name, step in STEPS.items():
        before = " ".join(f"$(VENV)/{each}" for each in step.builds_on)
        assert not before or f"$(VENV)/{name}: {before}\n" in makefile
