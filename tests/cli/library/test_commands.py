"""Commands over a whole library."""

import re
import subprocess
import sys
from pathlib import Path

import fourcorners
from fourcorners.cli.library.commands import _TABLES
from fourcorners.library.store import Library
from fourcorners.playbooks.bank.store import BankClause, store_clauses

SOURCE = Path(fourcorners.__file__).parent


def test_all_modules_with_tables_are_known() -> None:
    found = {
        ".".join(path.relative_to(SOURCE).with_suffix("").parts)
        for path in SOURCE.rglob("*.py")
        if re.search(r"^register_tables\(", path.read_text("utf-8"), re.MULTILINE)
    }
    assert found == set(_TABLES.split())


def test_a_clause_bank_is_copied_by_a_program_that_has_not_used_it(tmp_path: Path) -> None:
    with Library.open(str(tmp_path / "old.db")) as library:
        store_clauses(library, "Firm", [BankClause("assignment", "No party may assign.")])
    copy = [sys.executable, "-m", "fourcorners.cli.main", "library", "copy"]
    done = subprocess.run(
        [*copy, str(tmp_path / "old.db"), str(tmp_path / "new.db")], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert "copied and compared" in done.stdout
