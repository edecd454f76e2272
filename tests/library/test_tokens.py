from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fourcorners.library import tokens
from fourcorners.outline.tree import View


@given(st.text(), st.text(), st.text())
def test_tokens_hold_only_what_the_tokenizer_keeps_whole(
    collection: str, kind: str, label: str
) -> None:
    made = tokens.filter_tokens(
        document="0123456789abcdef",
        collection=collection,
        document_type=kind,
        labels=[label],
        view=View.WINDOW,
    )
    assert re.fullmatch(r"[a-z0-9]+( [a-z0-9]+)*", made)


@pytest.mark.parametrize(
    "other", ["7.2 (a)", " 7.2(A).", "Section 7.2(a)", "Clause 7.2(a)", "§ 7.2(a)", "Sec. 7.2(a)"]
)
def test_labels_are_compared_as_lawyers_write_them(other: str) -> None:
    assert tokens.label_token(other) == tokens.label_token("7.2(a)")


@pytest.mark.parametrize("other", ["72", "7.2a", "7.2", "Schedule 7.2(a)"])
def test_labels_that_differ_have_other_tokens(other: str) -> None:
    assert tokens.label_token(other) != tokens.label_token("7.2(a)")


def test_names_are_compared_without_case_and_spacing() -> None:
    assert tokens.collection_token(" Project  LARCH") == tokens.collection_token("project larch")
    assert tokens.collection_token("Larch") != tokens.type_token("Larch")
    assert tokens.label_token("Articles") != tokens.label_token("s")
