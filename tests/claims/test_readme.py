"""What the README promises: its Python runs, its files are there, and nothing needs a network."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.conftest import Program

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text("utf-8")
ISOLATED = ("unshare", "--map-root-user", "--net")


@pytest.mark.slow
def test_the_python_of_the_readme_runs(program: Program) -> None:
    (code,) = re.findall(r"^```python\n(.*?)^```$", README, re.M | re.S)
    (program.folder / "examples").symlink_to(ROOT / "examples")
    (program.folder / "readme.py").write_text(code, "utf-8")
    done = subprocess.run(
        [sys.executable, "-W", "error", "readme.py"],
        cwd=program.folder,
        env=dict(program.environment),
        capture_output=True,
        text=True,
        encoding="utf-8",
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert re.search(r"^[0-9a-f]{16} change-of-control \(\d+, \d+\) .+", done.stdout, re.M)
    assert "02-cordovan-supply-agreement.pdf" in done.stdout or "01-northmere" in done.stdout
    assert "<html" in (program.folder / "report.html").read_text("utf-8")
    assert program.asked == ""


def test_what_the_readme_links_to_is_there() -> None:
    links = re.findall(r"\]\(([^)#]+)[^)]*\)", README)
    assert links
    for link in links:
        if "://" not in link:
            assert (ROOT / link).exists(), link


def test_the_python_names_are_public() -> None:
    import fourcorners

    (names,) = re.findall(r"from fourcorners import \(\n(.*?)\)", README, re.S)
    wanted = [name for name in re.split(r"[,\s]+", names) if name]
    assert set(wanted) <= set(fourcorners.__all__)
    assert all(getattr(fourcorners, name) for name in fourcorners.__all__)


def walk(program: Program, dataroom: Path) -> None:
    """Do what the README shows: add, review, search, show and status."""
    room = [
        dataroom / name
        for name in (
            "02-cordovan-supply-agreement.pdf",
            "08-vantry-mutual-nda.txt",
            "12-northmere-amendment-letter.docx",
        )
    ]
    library = ("--library", "l.db")
    assert program("add", *room, *library, "--json").json["added"] == 3
    assert program("search", "can it be assigned to someone else", *library, "--json").json
    program("review", *library, "--out", "r.html", "--out", "r.xlsx", "--out", "r.json")
    program("show", "vantry", "--provision", "Governing law", *library)
    program("status", *library)


@pytest.mark.slow
def test_nothing_asks_for_the_network_or_needs_one(program: Program, dataroom: Path) -> None:
    probe = "import socket; print([name for _, name in socket.if_nameindex()])"
    command = [*ISOLATED, sys.executable, "-c", probe]
    try:
        found = subprocess.run(command, capture_output=True, text=True, check=True)
    except (FileNotFoundError, subprocess.CalledProcessError):
        walk(program, dataroom)  # a network namespace cannot be made here
    else:
        assert found.stdout.strip() == "['lo']"  # and that one is down
        walk(replace(program, before=ISOLATED), dataroom)
    assert program.asked == ""


def test_the_block_on_the_network_bites(program: Program) -> None:
    asking = "import urllib.request; urllib.request.urlopen('http://192.0.2.1/')"
    done = subprocess.run(
        [sys.executable, "-c", asking],
        env=dict(program.environment),
        capture_output=True,
        text=True,
    )
    assert "the network is blocked" in done.stderr
    assert "192.0.2.1" in program.asked
