"""Fixtures that every room's tests may use."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def corpus() -> Path:
    """The folder of annotated contracts; the test is skipped where there is none."""
    folder = Path(os.environ.get("FOURCORNERS_DATA", ROOT.parent / "shared" / "data"))
    if not (folder / "cuad" / "contracts").is_dir():
        pytest.skip(f"no annotated contracts at {folder}: set FOURCORNERS_DATA")
    return folder


@pytest.fixture(scope="session")
def dataroom() -> Path:
    """The example contracts that come with the project."""
    return ROOT / "examples" / "dataroom"
