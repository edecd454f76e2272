"""The guides' commands are found in their files, and run in the slow tests."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from scripts.run_docs import DEPLOYED, GUIDES, INSTALLED, OUTSIDE, ROOT, commands_of


@pytest.mark.parametrize("name", GUIDES)
def test_each_block_of_commands_is_found(name: str) -> None:
    text = (ROOT / name).read_text("utf-8")
    found = list(commands_of(ROOT / name))
    shell = [each for each in found if each.kind == "sh"]
    lines = [
        line
        for block in re.findall(r"^```sh\n(.*?)^```", text, re.M | re.S)
        for line in block.replace("\\\n", " ").splitlines()
        if line and not line.startswith("#")
    ]
    assert [each.text for each in shell] == lines
    assert any(not each.why for each in shell)
    marked = re.findall(r"<!-- not run: (.+?) -->\n```", text)
    assert {each.why for each in found} - {""} == set(marked)


def test_the_comments_of_deploy_have_commands() -> None:
    programs = {
        next(word for word in each.text.split() if "=" not in word)
        for name in DEPLOYED
        for each in commands_of(ROOT / name)
    }
    assert set(OUTSIDE) < programs  # and no other line of a comment is taken for a command
    assert programs - set(OUTSIDE) == {"export", "python3", f"{INSTALLED}/bin/pip"}


@pytest.mark.slow
@pytest.mark.skipif(not Path("/usr/lib/postgresql").is_dir(), reason="PostgreSQL is not installed")
@pytest.mark.skipif(os.name != "posix" or not shutil.which("unshare"), reason="no namespaces")
@pytest.mark.parametrize(
    "names", [*([name] for name in GUIDES), DEPLOYED], ids=lambda each: each[0]
)
def test_every_command_runs(names: list[str]) -> None:
    done = subprocess.run(
        [sys.executable, "scripts/run_docs.py", *names], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"^\d+ ok, \d+ not run, 0 failed$", done.stdout, re.M)
