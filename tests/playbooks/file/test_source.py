from __future__ import annotations

import json

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from fourcorners.playbooks.file.source import parse_yaml

words = st.text(
    st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\ufffe\uffff"), max_size=30
)
data = st.recursive(
    words, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=3),
    max_leaves=10,
)  # fmt: skip


@given(data)
def test_what_yaml_writes_is_read_as_it_was(value: object) -> None:
    text = yaml.safe_dump(value, allow_unicode=True, default_style='"')
    source = parse_yaml(text)
    assert not source.problems
    assert source.data == value


@given(st.text(max_size=200))
def test_any_text_is_data_or_problems_never_a_crash(text: str) -> None:
    source = parse_yaml(text)
    for problem in source.problems:
        assert 1 <= problem.line <= text.count("\n") + text.count("\r") + 4
        assert problem.what
    json.dumps(source.data)


@pytest.mark.parametrize("escaped", ["\\0", "\\x07", "\\u001b", "\\ud800"])
def test_what_may_not_be_written_may_not_be_escaped(escaped: str) -> None:
    (problem,) = parse_yaml(f'id: a\ntitle: "a{escaped}b"\n').problems
    assert problem.line == 2
    assert "is not allowed in YAML" in problem.what


@given(st.text("ab \"'~()é", min_size=1, max_size=20).filter(str.strip), st.data())
def test_a_place_is_that_of_the_character(value: str, draw: st.DataObject) -> None:
    quoted = "'" + value.replace("'", "''") + "'"
    source = parse_yaml(f"x: 1\nquery: {quoted}\n")
    stripped = value.strip()
    at = draw.draw(st.sampled_from([n for n, c in enumerate(stripped) if not c.isspace()]))
    place = source.place(("query",), at)
    assert place is not None
    line, character = place
    assert source.text.split("\n")[line - 1][character - 1] == stripped[at]
