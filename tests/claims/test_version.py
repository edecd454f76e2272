"""The version is the tag's, and a clone without tags has one."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from scripts.release import released_version

ROOT = Path(__file__).parents[2]


def git(folder: Path, *arguments: str) -> None:
    who = ("-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "tag.gpgsign=false")
    subprocess.run(["git", *who, *arguments], cwd=folder, check=True, capture_output=True)


def version_of(folder: Path) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "hatchling", "version"],
        cwd=folder,
        check=True,
        capture_output=True,
        text=True,
    )
    return done.stdout.strip()


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """Two distributions in a repository with one commit and no tag."""
    for name in ("pyproject.toml", "bench/pyproject.toml"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    git(tmp_path, "init", "--quiet")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "--quiet", "-m", "first")
    return tmp_path


@pytest.mark.parametrize("folder", [".", "bench"])
def test_a_tag_is_the_version_and_commits_after_it_count(clone: Path, folder: str) -> None:
    assert version_of(clone / folder).startswith("0.2.1.dev1+g")
    git(clone, "tag", "v0.3.0")
    assert version_of(clone / folder) == "0.3.0"
    git(clone, "commit", "--quiet", "--allow-empty", "-m", "second")
    assert version_of(clone / folder).startswith("0.3.1.dev1+g")


@pytest.mark.parametrize(
    ("changelog", "version"),
    [
        ("# Changelog\n\n## 0.2.0 (2026-11-28)\n\n- x\n\n## 0.1.0 (2026-08-01)\n", "0.2.0"),
        ("# Changelog\n\n## Unreleased\n\n## 0.1.0 (2026-08-01)\n", None),
        ("# Changelog\n\n## 0.2.0\n", None),
        ("# Changelog\n", None),
    ],
)
def test_a_release_needs_a_dated_section(changelog: str, version: str | None) -> None:
    assert released_version(changelog) == version
