"""A contract, a name or a query may hold anything: on a terminal it is shown, never obeyed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.conftest import Program

ESC, CSI, RLO, MARK = "\x1b", "\x9b", "\u202e", "[red]x[bold]"
EVIL = f"{ESC}]0;owned\x07{ESC}[2J {CSI}31m {RLO}desrever {MARK} [link=http:x]y"
TEXT = f"""SUPPLY AGREEMENT {EVIL}

1. Assignment {EVIL}

1.1 The Supplier may not assign this agreement {EVIL} without consent.

2. Law

2.1 This agreement is governed by the laws of Norway.
"""
NAME = f"evil {ESC}[2J {RLO} {MARK}.txt"


@pytest.fixture(scope="module")
def evil(
    make_program: Callable[[Path], Program], tmp_path_factory: pytest.TempPathFactory
) -> Program:
    program = make_program(tmp_path_factory.mktemp("evil"))
    (program.folder / NAME).write_text(TEXT, encoding="utf-8")
    (program.folder / f"empty {MARK}{ESC}[1m.txt").touch()
    arguments = ("-l", "l.db", "--words-only")
    refused = program("add", ".", "-c", f"Deal {MARK}{ESC}[2J", *arguments, code=2).err
    assert "hidden character ⟦U+001B⟧" in refused
    assert not set(refused) & {ESC, CSI, RLO, "\x07"}
    harmless(program("add", ".", "-c", f"Deal {MARK}", *arguments, code=0).out)
    return program


def harmless(said: str) -> str:
    """Check that nothing in the words acts on a terminal, and that markup was left alone."""
    assert not set(said) & {ESC, CSI, RLO, "\x07"}
    assert MARK in said
    return said


def test_in_the_library(evil: Program) -> None:
    harmless(evil("status", "-l", "l.db").out)


def test_in_a_contract(evil: Program) -> None:
    shown = harmless(evil("show", "evil", "-l", "l.db").out)
    assert "⟦U+001B⟧]0;owned" in shown
    assert "⟦U+202E⟧desrever" in shown
    assert "[link=http:x]y" in shown
    harmless(evil("show", "evil", "-l", "l.db", "--outline").out)


def test_in_a_hit(evil: Program) -> None:
    for query in ("assign", '"supplier assign"~40', "may the supplier assign this?"):
        harmless(evil("search", query, "-l", "l.db", "--explain").out)


@pytest.mark.parametrize("query", [f"{EVIL} AND (", f"({MARK} {ESC}"])
def test_in_a_query(evil: Program, query: str) -> None:
    harmless(evil("search", query, "-l", "l.db", code=2).err)


def test_in_names_that_are_not_there(evil: Program) -> None:
    for arguments in (
        ["show", EVIL, "-l", "l.db"],
        ["search", "x", "-l", "l.db", "-c", EVIL],
        ["search", "x", "-l", "l.db", "--in", EVIL],
        ["search", "x", "-l", "l.db", "--type", EVIL],
        ["status", "-l", "l.db", "-c", EVIL],
        ["status", "-l", EVIL],
        ["review", "-p", EVIL],
        ["review", "--as-of", EVIL],
        ["playbook", "check", f"{EVIL}.yaml"],
    ):
        said = evil(*arguments, code=None).err
        assert not set(said) & {ESC, CSI, RLO, "\x07"}
        assert MARK in said


def test_json_is_escaped_and_says_the_same(evil: Program) -> None:
    for arguments in (["show", "evil"], ["search", "assign"], ["status"], ["add", "."]):
        told = evil(*arguments, "-l", "l.db", "--json")
        assert not set(told.out) & {ESC, CSI, RLO, "\x07"}
    shown = evil("show", "evil", "-c", "Contracts", "-l", "l.db", "--json")
    assert shown.json["text"] == TEXT


def test_a_name_that_is_no_unicode(program: Program) -> None:
    name = b"caf\xe9.txt"
    try:
        Path(program.folder, name.decode("utf-8", "surrogateescape")).write_text(TEXT)
    except OSError:
        pytest.skip("this file system takes only names in Unicode")
    report = program("add", ".", "-l", "l.db", "--words-only", "--json").json
    assert report["added"] == 1
    for arguments in (["status"], ["show", "caf"], ["show", "caf", "--json"], ["search", "assign"]):
        program(*arguments, "-l", "l.db")
