"""Commands over a whole library."""

import subprocess
import sys
from pathlib import Path

from fourcorners.library.store import Library
from fourcorners.playbooks.bank.store import BankClause, store_clauses


def test_a_clause_bank_is_copied_by_a_program_that_has_not_used_it(tmp_path: Path) -> None:
    with Library.open(str(tmp_path / "old.db")) as library:
        store_clauses(library, "Firm", [BankClause("assignment", "No party may assign.")])
    copy = [sys.executable, "-m", "fourcorners.cli.main", "library", "copy"]
    done = subprocess.run(
        [*copy, str(tmp_path / "old.db"), str(tmp_path / "new.db")], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert "copied and compared" in done.stdout
