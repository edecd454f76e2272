"""The audit of dependencies finds what concerns a version, and nothing else, with no network."""

from __future__ import annotations

import json
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest
from packaging.utils import canonicalize_name
from packaging.version import Version

from scripts.audit import concerned, pinned, read_advisories
from tests.conftest import ROOT

VERSIONS = {canonicalize_name("some-reader"): {Version("1.4.2")}}


def advisory(**affected: Any) -> dict[str, Any]:
    package = {"ecosystem": "PyPI", "name": "Some_Reader"}
    summary = "It reads too much."
    return {"id": "PYSEC-1", "summary": summary, "affected": [{"package": package} | affected]}


def between(*events: dict[str, str], kind: str = "ECOSYSTEM") -> dict[str, Any]:
    return advisory(ranges=[{"type": kind, "events": [*events]}])


@pytest.mark.parametrize(
    ("given", "is_found"),
    [
        (advisory(versions=["1.4", "1.4.2"]), True),
        (advisory(versions=["1.4", "1.4.1"]), False),
        (between({"introduced": "0"}), True),
        (between({"introduced": "0"}, {"fixed": "1.4.3"}), True),
        (between({"introduced": "0"}, {"fixed": "1.4.2"}), False),
        (between({"introduced": "1.5"}), False),
        (between({"introduced": "0"}, {"last_affected": "1.4.2"}), True),
        (between({"introduced": "0"}, {"last_affected": "1.4.1"}), False),
        (between({"introduced": "0"}, {"fixed": "1.2"}, {"introduced": "1.4.2rc1"}), True),
        (between({"introduced": "0"}, kind="GIT"), False),
        (advisory(versions=["1.4.2"], package={"ecosystem": "npm", "name": "some-reader"}), False),
        (advisory(versions=["1.4.2"], package={"ecosystem": "PyPI", "name": "other"}), False),
    ],
)
def test_a_version_that_is_concerned(given: dict[str, Any], is_found: bool) -> None:
    assert bool([*concerned(given, VERSIONS)]) is is_found


def test_what_mends_it_is_told() -> None:
    (line,) = concerned(between({"introduced": "0"}, {"fixed": "1.4.3"}), VERSIONS)
    assert line == "some-reader 1.4.2: PYSEC-1 (mended in 1.4.3) It reads too much."


def test_the_lists_are_looked_up(tmp_path: Path) -> None:
    (version,) = pinned(ROOT / "requirements")[canonicalize_name("numpy")]
    package = {"package": {"ecosystem": "PyPI", "name": "numpy"}, "versions": [str(version)]}
    known = {"id": "PYSEC-2", "affected": [package]}
    withdrawn = {**known, "id": "PYSEC-3", "withdrawn": "2026-01-01T00:00:00Z"}
    with zipfile.ZipFile(tmp_path / "all.zip", "w") as archive:
        for each in (known, withdrawn):
            archive.writestr(f"{each['id']}.json", json.dumps(each))
    assert [each["id"] for each in read_advisories(tmp_path / "all.zip")] == ["PYSEC-2"]
    command = [sys.executable, str(ROOT / "scripts" / "audit.py"), str(tmp_path / "all.zip")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stderr
    assert done.stdout.startswith(f"numpy {version}: PYSEC-2 (not mended yet)\n")
    assert " versions, 1 advisories." in done.stdout
    (tmp_path / "empty").mkdir()
    command[-1] = str(tmp_path / "empty")
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (1, f"{tmp_path / 'empty'} holds no advisories.\n")
