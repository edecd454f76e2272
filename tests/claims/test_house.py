"""The counts of the house are taken by the rules that it prints, and its prose is checked."""

from __future__ import annotations

import ast
import textwrap
from pathlib import Path

import pytest

from scripts.counts import (
    Distribution,
    count_alike,
    count_parameters,
    count_patterns,
    count_statements,
)
from scripts.prose import find_dialect

CODE = '''
"""A docstring."""

import re

WORD = re.compile("a")


def find(text, *, limit=1):
    """Return matches."""
    # a comment
    return re.findall(r"b", text)
'''


def test_deleting_what_explains_saves_no_statement() -> None:
    bare = "import re\nWORD = re.compile('a')\ndef find(text, limit): return re.findall(r'b', text)"
    assert count_statements(ast.parse(CODE)) == count_statements(ast.parse(bare)) == 4


@pytest.mark.parametrize(
    ("signature", "count"),
    [("a, b, /, c, *, d", 4), ("self, a", 1), ("cls, *, a=1", 1), ("*args, **more", 0)],
)
def test_parameters_are_counted_without_self(signature: str, count: int) -> None:
    function = ast.parse(f"def f({signature}): pass").body[0]
    assert isinstance(function, ast.FunctionDef)
    assert count_parameters(function) == count


def test_patterns_are_counted_in_code_and_in_data(tmp_path: Path) -> None:
    (tmp_path / "code.py").write_text(CODE)
    (tmp_path / "patterns.yaml").write_text("module:\n  name:\n    pattern: x\n    matches: [x]\n")
    (tmp_path / "other.yaml").write_text("- name: no pattern\n")
    assert count_patterns(Distribution("d", "", (tmp_path,))) == 3


def test_runs_of_lines_are_found_whatever_they_are_indented(tmp_path: Path) -> None:
    lines = "".join(f"value_{number} = {number}\n" for number in range(6))
    (tmp_path / "one.py").write_text(lines)
    (tmp_path / "two.py").write_text("def f():\n" + textwrap.indent(lines, "    "))
    (tmp_path / "three.py").write_text(lines.removesuffix("value_5 = 5\n"))
    assert count_alike(Distribution("d", "", (tmp_path,))) == 1


@pytest.mark.parametrize(
    ("name", "text", "found"),
    [
        ("a.md", "A file stands there.\n\nIt is beside the other.", [(1, "stands"), (3, "beside")]),
        ("a.md", "`stands` is a name, and outstanding is a word.", []),
        ("a.py", 'stands = 1\n\n# It stands.\nprint("is told")', [(3, "stands"), (4, "told")]),
    ],
)
def test_the_dialect_is_found_in_prose_alone(
    tmp_path: Path, name: str, text: str, found: list[tuple[int, str]]
) -> None:
    (tmp_path / name).write_text(text)
    assert [(each.line, each.words) for each in find_dialect(tmp_path / name)] == found
