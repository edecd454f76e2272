"""`ask`, `chat` and `answers`, as a person uses them."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from fourcorners.cli.main import app

LEASE = """LEASE

1. ASSIGNMENT
1.1 The Tenant shall not assign this Lease without the prior written consent of the Landlord.

2. GOVERNING LAW
2.1 This Lease is governed by the laws of England and Wales. \x1b[31m<script>alert(1)</script>
"""


@pytest.fixture(scope="module")
def added(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A library with one lease."""
    folder = tmp_path_factory.mktemp("lease")
    (folder / "lease.txt").write_text(LEASE, "utf-8")
    library = folder / "firm.db"
    done = run("add", str(folder / "lease.txt"), "--library", str(library), "--jobs", "1")
    assert done.exit_code == 0, done.output
    return library


@pytest.fixture
def room(added: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in ("FOURCORNERS_LLM_MODEL", "FOURCORNERS_LLM_URL", "FOURCORNERS_LIBRARY"):
        monkeypatch.delenv(name, raising=False)
    shutil.copy(added, tmp_path)
    return tmp_path


def run(*words: str, typed: str = "") -> Result:
    return CliRunner().invoke(app, list(words), input=typed, catch_exceptions=True)


def test_a_question_becomes_files(room: Path) -> None:
    outs = [f"answer{suffix}" for suffix in (".md", ".html", ".docx", ".json")]
    options = [word for out in outs for word in ("--out", out)]
    done = run("ask", "What is the governing law?", "--in", "lease", "-l", "firm.db", *options)
    assert done.exit_code == 0, done.output
    assert "England" in done.output
    assert "\x1b[31m" not in done.output
    assert "answer.docx and answer.json" in done.output
    assert (room / "answer.docx").stat().st_size
    assert json.loads((room / "answer.json").read_text("utf-8"))["question"]
    for out in outs[:2]:
        text = (room / out).read_text("utf-8")
        assert "England" in text
        assert "<script>" not in text
        assert "\x1b" not in text


def test_json_is_the_whole_report_and_the_library_keeps_it(room: Path) -> None:
    done = run("ask", "Is there a source code escrow?", "--in", "lease", "-l", "firm.db", "--json")
    told = json.loads(done.stdout)
    assert told["answer"]["ruling"] == "no answer found"
    listed = json.loads(run("answers", "-l", "firm.db", "--json").stdout)
    assert [each["question"] for each in listed] == ["Is there a source code escrow?"]
    shown = run("answers", listed[0]["id"][:6], "-l", "firm.db")
    assert "No answer found." in shown.output
    assert room.is_dir()


def test_a_conversation_ends_with_an_empty_line(room: Path) -> None:
    done = run("ask", "--in", "lease", "-l", "firm.db", typed="What is the governing law?\n\n")
    assert done.exit_code == 0, done.output
    assert "England" in done.output
    assert room.is_dir()


@pytest.mark.usefixtures("room")
@pytest.mark.parametrize(
    "words",
    [
        ("ask", "Who pays?", "--in", "nowhere"),
        ("ask", "Who pays?", "--out", "answer.txt"),
        ("ask", "Who pays?", "--estimate"),
        ("ask", "Who pays?", "--replay", "record.jsonl"),
        ("ask", "Who pays?", "--source", "statutes-of-nowhere"),
        ("ask", " "),
        ("answers", "ffffffff"),
    ],
)
def test_what_cannot_be_done_is_refused_with_a_remedy(words: tuple[str, ...]) -> None:
    from fourcorners.errors import ConfigError

    done = run(*words, "-l", "firm.db")
    assert isinstance(done.exception, ConfigError), done.output
    assert done.exception.remedy or done.exception.message
