"""Values of a playbook's text are changed one at a time; all else stays as it was written."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fourcorners.errors import PlaybookError
from fourcorners.playbooks.file.edits import add_item, insert_value, remove_item, set_value
from fourcorners.playbooks.file.source import Data, Path, parse_yaml
from fourcorners.playbooks.load import builtin_names, parse_playbook, playbook_text

BOOK = """# the house's own
id: house   # never changed
name: House style
version: "1"

provisions:
  # what matters most
  - id: ending
    name: Ending
    definition: >-
      How the contract ends,
      and who may end it.
    query: '"end this lease"'   # a phrase
    questions:
      - id: who
        question: Who may end it?
    severity:
      - {when: not_found, severity: low, because: Nobody can end it.}

  - id: fees
    name: Fees
    definition: What is paid.
    query: fees OR rent
"""
ENDING: Path = ("provisions", 0)


def data(text: str) -> Data:
    made = parse_yaml(text)
    assert not made.problems, made.problems
    return made.data


def changed_lines(before: str, after: str) -> list[str]:
    was = before.splitlines()
    return [line for line in after.splitlines() if line not in was]


@pytest.mark.parametrize(
    ("path", "value", "line"),
    [
        ((*ENDING, "name"), "How it ends", "    name: How it ends"),
        (("name",), "Birch: the house's", "name: 'Birch: the house''s'"),
        ((*ENDING, "query"), "rent*", "    query: 'rent*'   # a phrase"),
        ((*ENDING, "questions", 0, "question"), "Who?", "        question: 'Who?'"),
        ((*ENDING, "avoid"), "sale", "    avoid: sale"),
        (("provisions", 1, "instructions"), "Quote it.", "    instructions: Quote it."),
        ((*ENDING, "severity", 0, "because"), "Bad.", None),
    ],
)
def test_one_value_is_changed_and_nothing_else(path: Path, value: str, line: str | None) -> None:
    after = set_value(BOOK, path, value)
    if line is not None:
        assert changed_lines(BOOK, after) == [line]
    assert "# what matters most" in after
    found: Any = data(after)
    for part in path:
        found = found[part]
    assert found == value


def test_words_of_several_lines_and_folded_ones() -> None:
    after = set_value(BOOK, (*ENDING, "definition"), "One.\n\n  Two: it's\n# three")
    found: Any = data(after)
    assert found["provisions"][0]["definition"] == "One.\n\n  Two: it's\n# three"
    assert "    query: '\"end this lease\"'   # a phrase" in after
    again = set_value(after, (*ENDING, "definition"), "Short.")
    assert "    definition: Short.\n    query:" in again


def test_a_whole_list_is_put_in_and_a_value_taken_away() -> None:
    listed: list[Any] = [
        {"id": "who", "question": "Who: \u201cit\u201d?", "options": {"yes": "no"}},
        {"id": "x"},
    ]
    more = insert_value(BOOK, ("provisions", 1, "questions"), listed)
    found: Any = data(more)
    assert found["provisions"][1]["questions"] == listed
    assert set_value(more, ("provisions", 1, "questions"), "") == BOOK
    gone = insert_value(BOOK, ("provisions", 1, "avoid"), None)
    assert gone == f"{BOOK}    avoid:\n"
    found = data(set_value(gone, ("provisions", 1, "avoid"), "sale"))
    assert found["provisions"][1]["avoid"] == "sale"
    for path in ((*ENDING, "questions"), ("provisions", 9, "avoid"), ("provisions", 0)):
        with pytest.raises(PlaybookError):
            insert_value(BOOK, path, None)


def test_items_come_and_go() -> None:
    more = add_item(BOOK, (*ENDING, "questions"), {"id": "when", "question": "When: and how?"})
    assert changed_lines(BOOK, more) == ["      - id: when", "        question: 'When: and how?'"]
    assert remove_item(more, (*ENDING, "questions", 1)) == BOOK
    none = remove_item(BOOK, (*ENDING, "questions", 0))
    assert "questions" not in none
    added = add_item(BOOK, ("provisions", 1, "examples"), "The rent is ten crowns.")
    assert added == BOOK + "    examples:\n      - The rent is ten crowns.\n"
    assert set_value(added, ("provisions", 1, "examples", 0), "") == BOOK
    third = add_item(
        BOOK, ("provisions",), {"id": "law", "name": "Law", "definition": "Which.", "query": "law"}
    )
    assert [each.id for each in parse_playbook(third, "x").provisions] == ["ending", "fees", "law"]
    assert "fees" not in remove_item(BOOK, ("provisions", 1))


@pytest.mark.parametrize(
    "path", [("provisions", 7, "name"), ("provisions", 0), ("name", "x"), (*ENDING, "id", 3)]
)
def test_what_is_not_there_is_not_changed(path: Path) -> None:
    with pytest.raises(PlaybookError):
        set_value(BOOK, path, "x")


def test_a_text_that_cannot_be_read_is_left_alone() -> None:
    with pytest.raises(PlaybookError, match="cannot be read"):
        set_value("name: [", ("name",), "x")
    with pytest.raises(PlaybookError, match="form cannot change"):
        remove_item("a: 1\nlist: [x, y]\n", ("list", 0))


@settings(max_examples=200, deadline=None)
@given(value=st.text(min_size=1, max_size=60).filter(lambda each: each.strip() == each))
def test_any_words_are_kept_exactly_or_refused(value: str) -> None:
    try:
        after = set_value(BOOK, (*ENDING, "definition"), value)
    except PlaybookError:
        return
    found: Any = data(after)
    assert found["provisions"][0]["definition"] == value
    assert changed_lines(BOOK, set_value(after, ("name",), "Other"))[0] == "name: Other"


@pytest.mark.parametrize("name", builtin_names())
def test_every_value_of_the_package_can_be_changed(name: str) -> None:
    text = playbook_text(name)
    whole: Any = data(text)
    provisions = whole["provisions"]
    for at, each in enumerate(provisions[:4]):
        for key in ("name", "definition", "query"):
            if key in each:
                after = set_value(text, ("provisions", at, key), "Other words: it's so")
                assert len(after.splitlines()) <= len(text.splitlines())
                assert after != text
