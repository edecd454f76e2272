"""The guide to the query language says what the matcher does and what the program prints."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from fourcorners.search.query import lexer, parse_query, parser
from fourcorners.search.query.match import is_match
from fourcorners.text.tokenization import WordIndex

if TYPE_CHECKING:
    from tests.conftest import Program

GUIDE = (Path(__file__).parents[2] / "docs" / "query-language.md").read_text("utf-8")
OPERATORS = re.findall(r"^\| `([^`]+)` \| [^|]+ \|$", GUIDE, re.M)
EXAMPLES = re.findall(r"^\| `([^`]+)` \| ([^|]+) \| (yes|no) \|$", GUIDE, re.M)
ERRORS = re.findall(r"^```text\n\$ fourcorners search ([^\n]+)\n(.*?)^```$", GUIDE, re.M | re.S)


def test_the_guide_was_read() -> None:
    assert (len(OPERATORS), len(EXAMPLES), len(ERRORS)) == (21, 25, 4)


@pytest.mark.parametrize("query", OPERATORS)
def test_every_operator_parses_and_is_exact(query: str) -> None:
    parsed = parse_query(query)
    assert not parsed.plain
    assert parse_query(str(parsed)).tree == parsed.tree


def test_every_operator_has_an_example() -> None:
    shown = " ".join(query for query, _, _ in EXAMPLES)
    for mark in ('"', "~", "^", "*", "w/", "pre/", "AND", "OR", "NOT", "(", "[", ","):
        assert mark in shown


@pytest.mark.parametrize(("query", "text", "matches"), EXAMPLES)
def test_the_examples_hold(query: str, text: str, matches: str) -> None:
    assert is_match(parse_query(query), WordIndex(text)) == (matches == "yes")


@pytest.mark.parametrize(("query", "printed"), ERRORS)
def test_errors_look_so(program: Program, query: str, printed: str) -> None:
    program("add", GUIDE_FILE, "--words-only", "--library", "l.db")
    (words,) = shlex.split(query)
    assert program("search", words, "--library", "l.db", code=2).err == printed


GUIDE_FILE = Path(__file__).parents[2] / "docs" / "query-language.md"


def test_the_limits_are_those_of_the_parser() -> None:
    limits = " ".join(GUIDE.split("## Limits", 1)[1].split())
    for number, what in (
        (lexer.MAX_DISTANCE, "words"),
        (parser.MAX_NEAR_PARTS, "parts"),
        (parser.MAX_NEAR_CHOICES, "pairs"),
        (lexer.MAX_CHARACTERS, "characters"),
        (parser.MAX_TERMS, "terms"),
        (parser.MAX_DEPTH, "deep"),
    ):
        assert f"{number:,} {what}" in limits
    assert f"at most {lexer.MAX_BOOST:,.0f}." in limits


@pytest.mark.parametrize(
    ("query", "plain"),
    [("change control", False), ("who may assign it", True), ("who AND may AND assign", False)],
)
def test_three_bare_words_are_a_question(query: str, plain: bool) -> None:
    assert parse_query(query).plain == plain


def test_a_plain_question_may_find_what_holds_none_of_its_words(larch: Program) -> None:
    question = "can a party stop the deal whenever it likes?"
    assert larch("search", question, "--json").json
    assert larch("search", question, "--words-only", "--json").json == []
    exact = larch("search", "terminat* w/10 notice", "-n", "50", "--json").json
    by_words = larch("search", "terminat* w/10 notice", "-n", "50", "--words-only", "--json").json
    assert exact
    assert {(hit["document"], *hit["span"]) for hit in exact} == {
        (hit["document"], *hit["span"]) for hit in by_words
    }
    for hit in exact:
        assert is_match(parse_query("terminat* w/10 notice"), WordIndex(hit["words"]))
