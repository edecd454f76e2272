"""No command writes a file that others can read, whatever the umask and whatever was there."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import pytest

from tests.system.test_private_files import modes

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Program

pytestmark = pytest.mark.skipif(os.name != "posix", reason="permissions of POSIX")
LIBRARY = ("-l", "firm.db")
IN = ("-c", "Firm", *LIBRARY)
BOOK = ("-p", "nda-review")
QUESTION = "What is the term of the agreement?"


def test_no_command_writes_what_others_can_read(program: Program, dataroom: Path) -> None:
    room = program.folder / "out"
    service = dataroom / "01-northmere-master-services-agreement.docx"
    (room / "beir").mkdir(mode=0o700, parents=True)
    room.chmod(0o700)
    earlier = ["grid.html", "red-flags.docx", "answer.md", "marked.docx", "beir/corpus.jsonl"]
    for name in earlier:
        (room / name).write_text("of an earlier version")
        (room / name).chmod(0o644)
    clauses = [
        {"provision": "Term", "text": f"This deed ends {n} years after its date."} for n in range(9)
    ]
    given = program.folder / "clauses.jsonl"
    given.write_text("".join(f"{json.dumps(each)}\n" for each in clauses))

    program("add", service, dataroom / "08-vantry-mutual-nda.txt", *IN)
    program("review", *IN, *BOOK, "--words-only")
    program("mark", "vantry", "limited use", "confirm", *BOOK, *LIBRARY)
    for suffix in ("html", "xlsx", "json"):
        program("review", *IN, *BOOK, "--words-only", "-o", room / f"grid.{suffix}")
    for suffix in ("docx", "html", "pdf"):
        program("report", *IN, *BOOK, "-o", room / f"due-diligence.{suffix}")
        program("report", *IN, *BOOK, "-k", "red-flags", "-o", room / f"red-flags.{suffix}")
    for suffix in ("md", "html", "docx", "pdf", "json"):
        program("ask", QUESTION, *IN, "--words-only", "-o", room / f"answer.{suffix}")
    for suffix in ("docx", "html", "json"):
        program("compare", service, service, "-o", room / f"compared.{suffix}")
    for suffix in ("docx", "md"):
        marked = room / f"marked.{suffix}"
        program("redline", service, "--for", "Customer", "--words-only", "-o", marked)
    for suffix in ("xlsx", "ics"):
        program("obligations", *IN, "-o", room / f"obligations.{suffix}")
    program("dates", *IN, "--within", "9000", "--ics", room / "dates.ics")
    program("audit", "list", "--out", room / "audit.jsonl", *LIBRARY)
    program("bank", "import", given, *LIBRARY)
    program("bank", "export", "--out", room / "bank.jsonl", *LIBRARY)
    program("bank", "export", "--beir", "--out", room / "beir", *LIBRARY)
    program("bank", "export", "--beir", "--out", room / "new" / "beir", *LIBRARY)
    learn = ("--from", "clauses", "--words-only", "--out", room / "own.yaml")
    program("playbook", "learn", *learn, *LIBRARY)
    program("playbook", "cases", "nda-review", "--out", room / "cases.yaml", *LIBRARY)
    program("playbook", "labels", "nda-review", "--words", "--out", room / "labels", *LIBRARY)
    program("playbook", "new", "firm", "--out", room / "firm.yaml")
    program("library", "copy", program.folder / "firm.db", room / "copy" / "firm.db")
    program("backup", "firm.db", room / "firm.zip")
    program("restore", room / "firm.zip", room / "restored" / "firm.db")

    found = modes(room)
    assert len(found) > 35, found
    assert not {name for name, others in found.items() if others}
