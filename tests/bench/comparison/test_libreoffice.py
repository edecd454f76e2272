"""What LibreOffice, which shares nothing with the product, makes of compared Word files."""

from __future__ import annotations

import pytest

from fourcorners_bench.comparison.libreoffice import find_program
from fourcorners_bench.comparison.word_edits import make_word_pair
from fourcorners_bench.comparison.word_run import judge_in_libreoffice
from tests.comparison.contracts import CLAUSES


@pytest.mark.slow
@pytest.mark.skipif(find_program() is None, reason="needs LibreOffice with its Python module")
def test_libreoffice_makes_both_versions_of_a_compared_file() -> None:
    assert (
        judge_in_libreoffice([make_word_pair(seed, CLAUSES, size=30) for seed in range(20)]) == []
    )
