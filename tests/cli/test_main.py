"""What holds for every command: help, errors, exit codes, Ctrl-C and closed pipes."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from fourcorners.version import __version__

if TYPE_CHECKING:
    from tests.conftest import Program

HEAVY = ("apsw", "jinja2", "lxml", "numpy", "onnxruntime", "pydantic", "pypdfium2", "xlsxwriter")
COMMANDS = [
    *[[name] for name in ("add", "review", "search", "show", "status", "playbook", "bench")],
    ["playbook", "show"],
    ["playbook", "check"],
    ["bench", "extraction"],
    ["bench", "outline"],
    ["bench", "score"],
    ["bench", "speed"],
    ["bench", "parts"],
    ["bench", "retrieval"],
    ["bench", "build"],
]


def test_help_needs_nothing_heavy() -> None:
    code = (
        "import sys; sys.argv = ['fourcorners', '--help']\n"
        "from fourcorners.cli.main import app\n"
        "try:\n    app()\nexcept SystemExit: pass\n"
        f"sys.stderr.write(' '.join(name for name in {(*HEAVY, 'rich')} if name in sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "Read a folder of contracts" in done.stdout
    assert done.stderr == ""


def test_the_version(program: Program) -> None:
    assert program("--version").out == f"fourcorners {__version__}\n"


def test_a_command_of_before_names_the_new_one(program: Program) -> None:
    for old, new in (("jobs cancel 3", "jobs --cancel ID"), ("chat", "ask, without a question")):
        said = program(*old.split(), code=2).err
        assert f"Use fourcorners {new}." in said


@pytest.mark.parametrize("command", [[], *COMMANDS], ids=" ".join)
def test_help(program: Program, command: list[str]) -> None:
    said = program(*command, "--help").out
    assert said.startswith(f"Usage: {' '.join(['fourcorners', *command])}")
    assert said == program(*command, "-h").out
    assert not re.search(r"^  .*\.\.\.$", said, re.M), "a summary is too long to be shown whole"
    assert max(map(len, said.splitlines())) <= 80


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["serch"], "Did you mean 'search'"),
        (["add"], "Missing argument 'PATH'"),
        (["search", "--colection", "x", "y"], "No such option: --colection"),
        (["search", "x", "-n", "0"], "it must be at least 1, not '0'"),
        (["dates", "--within", "x"], "it must be a whole number, not 'x'"),
        (["report", "--kind", "x"], "Invalid value for '--kind' / '-k': 'x' is not one of"),
        (["compare", "a.docx", "b.docx", "--library", "x.db"], "a.docx: there is no such file"),
        (["status", "--library", "nothere.db"], "no library at nothere.db"),
        (["review", "--as-of", "yesterday"], "'yesterday', which is not a date"),
        (["review", "--playbook", "nope"], "There are: commercial-terms, cuad-41"),
        (["review", "--out", "grid.pdf"], "End the name in .html, .json or .xlsx"),
        (["review", "--out", "nowhere/grid.html"], "there is no folder"),
        (["show", "x", "--whole"], "--whole goes with --provision"),
        (["show", "x", "--outline", "--provision", "y"], "show different things"),
        (["playbook", "check", "nope.yaml"], "cannot read the playbook nope.yaml"),
        (["bench", "score", "nope.jsonl", "--data", "."], "nope.jsonl: no such file"),
        (["bench", "score", ".", "--data", "."], "is a directory"),
        (["bench", "speed", "--data", ".", "--json", "nowhere/x"], "there is no folder"),
    ],
)
def test_mistakes_are_told_on_standard_error(
    program: Program, arguments: list[str], said: str
) -> None:
    ended = program(*arguments, code=None)
    assert ended.code == (1 if "no library" in said else 2)
    assert said in ended.err
    assert "Error: " in ended.err
    assert ended.out == ""


def test_a_folder_is_no_library(program: Program) -> None:
    for arguments in (["status"], ["add", "."], ["search", "x"]):
        ended = program(*arguments, "--library", ".", code=1)
        assert ended.err == "Error: . is a folder, not a library.\nName a file with --library.\n"


def test_a_damaged_library_is_told(program: Program) -> None:
    (program.folder / "bad.db").write_bytes(b"no database, but long enough to be one" * 100)
    ended = program("status", "--library", "bad.db", code=1)
    assert ended.err.startswith("Error: bad.db")
    assert len(ended.err.splitlines()) == 2


def test_without_a_library_the_default_is_named(program: Program) -> None:
    said = program("status", code=1).err
    assert program.environment["HOME"] in said
    assert "fourcorners add FOLDER" in said


def test_a_closed_pipe_is_no_error(larch: Program) -> None:
    for arguments in (
        ["show", "northmere master"],
        ["show", "northmere master", "--outline"],
        ["show", "northmere master", "--json"],
        ["search", "agreement", "-n", "100", "--words-only"],
        ["search", "agreement", "-n", "100", "--words-only", "--json"],
    ):
        process = larch.start(*arguments)
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        said = process.stderr.read()
        process.stderr.close()
        assert process.wait(60) in (0, 1)
        assert said == ""


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs Linux")
@pytest.mark.parametrize(
    ("shell", "arguments", "problem"),
    [
        ('exec "$@" > /dev/full', ["jobs"], "no room to write"),
        ('exec "$@" > /dev/full', ["jobs", "--json"], "no room to write"),
        ('ulimit -n 12; exec "$@"', ["add", ".", "--words-only"], "too many files are open"),
    ],
)
def test_what_the_machine_lacks_is_told(
    program: Program, shell: str, arguments: list[str], problem: str
) -> None:
    (program.folder / "deed.txt").write_text("A DEED")
    program("add", ".", "--words-only")
    (program.folder / "lease.txt").write_text("A LEASE")
    command = [sys.executable, "-m", "fourcorners.cli.main", *arguments]
    done = subprocess.run(
        ["/bin/sh", "-c", shell, "sh", *command],
        cwd=program.folder,
        env=program.environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert done.stderr.startswith("Error: ")
    assert problem in done.stderr
    assert "Traceback" not in done.stderr
    assert "Exception ignored" not in done.stderr


def contracts(folder: Path, count: int) -> None:
    folder.mkdir()
    for number in range(count):
        clauses = "\n\n".join(
            f"{clause}. The Supplier shall deliver lot {number}-{clause} within thirty days."
            for clause in range(1, 60)
        )
        (folder / f"{number:03}.txt").write_text(f"SUPPLY AGREEMENT {number}\n\n{clauses}\n")


# A terminal gives a program the signals as they are; a shell that runs tests in the background does
# not: there Ctrl-C is ignored.
FOREGROUND = """
import os, signal, sys
signal.signal(signal.SIGINT, signal.SIG_DFL)
os.execv(sys.argv[1], sys.argv[1:])
"""


@pytest.mark.slow
def test_ctrl_c_is_told_in_one_line_and_the_same_command_goes_on(
    program: Program, tmp_path: Path
) -> None:
    contracts(tmp_path / "room", 40)
    command = ["add", "room", "--words-only", "--library", "l.db", "--jobs", "1"]
    # A terminal's Ctrl-C goes to the workers as well.
    ctrl_c = "import signal; os.killpg(os.getpgrp(), signal.SIGINT)"
    interrupted = program.when_a_worker_opens("020.txt", ctrl_c)
    interrupted = replace(interrupted, before=(sys.executable, "-c", FOREGROUND))
    process = interrupted.start(*command)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert out == ""
    assert err == "Stopped. What was done is kept; run the same command to continue.\n"
    kept = program("status", "--library", "l.db", "--json").json["documents"]
    assert kept < 40
    report = program(*command, "--json").json
    assert (report["already"], report["added"]) == (kept, 40 - kept)
    assert program("status", "--library", "l.db", "--json").json["documents"] == 40


def test_an_old_terminal_gets_what_it_can_show(larch: Program) -> None:
    ascii_only = {**larch.environment, "PYTHONIOENCODING": "ascii"}
    done = subprocess.run(
        [sys.executable, "-m", "fourcorners.cli.main", "search", "party w/9 control", "--json"],
        cwd=larch.folder,
        env=ascii_only,
        capture_output=True,
        text=True,
        check=True,
        encoding="ascii",
    )
    assert "\\u2019" in done.stdout
    for command in (["show", "wexcombe"], ["search", "party w/9 control"], ["status"]):
        subprocess.run(
            [sys.executable, "-m", "fourcorners.cli.main", *command],
            cwd=larch.folder,
            env=ascii_only,
            capture_output=True,
            check=True,
        )


def test_benchmarks_that_are_not_installed_are_named(program: Program) -> None:
    code = (
        "import importlib.metadata, sys\n"
        "importlib.metadata.entry_points = lambda **_: ()\n"
        "sys.argv = ['fourcorners', 'bench', 'extraction', '--data', 'cuad']\n"
        "from fourcorners.cli.main import main\n"
        "main()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], env=dict(program.environment), capture_output=True, text=True
    )
    assert done.returncode == 2
    assert "pip install fourcorners-bench" in done.stderr
    assert "Traceback" not in done.stderr
