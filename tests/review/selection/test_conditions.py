"""Conditions over what was found: read, said again, and decided only by what is known."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fourcorners.errors import ConfigError, QueryError
from fourcorners.playbooks.load import load_playbook
from fourcorners.review.selection.conditions import (
    AllConditions,
    AnyCondition,
    Condition,
    HasProvision,
    NotCondition,
    condition_provisions,
    condition_text,
    evaluate_condition,
    is_condition,
    parse_condition,
)

BOOK = load_playbook("due-diligence")
IDS = ["exclusivity", "insurance", "assignment", "audit-rights"]
E, I, A = HasProvision("exclusivity"), HasProvision("insurance"), HasProvision("assignment")  # noqa: E741


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("exclusivity", E),
        ("exclusivity AND insurance", AllConditions((E, I))),
        ("exclusivity AND insurance NOT assignment", AllConditions((E, I, NotCondition(A)))),
        ("exclusivity OR insurance AND assignment", AnyCondition((E, AllConditions((I, A))))),
        ("(exclusivity OR insurance) AND assignment", AllConditions((AnyCondition((E, I)), A))),
        ("NOT NOT exclusivity", NotCondition(NotCondition(E))),
        ("take or pay", HasProvision("minimum-commitment")),
        (
            '"Change of control" AND sole supplier',
            AllConditions((HasProvision("change-of-control"), E)),
        ),
        ("“change of ownership”", HasProvision("change-of-control")),
    ],
)
def test_what_is_read(text: str, wanted: Condition) -> None:
    assert parse_condition(text, BOOK) == wanted


@pytest.mark.parametrize(
    ("text", "at", "says"),
    [
        ("", 0, "missing"),
        ("exclusivity AND", 15, "missing"),
        ("AND exclusivity", 0, "missing"),
        ("(exclusivity", 0, "not closed"),
        ("exclusivity)", 11, "closes nothing"),
        ("()", 1, "missing"),
        ('"exclusivity', 0, "quotation mark"),
        ("exclusivity (insurance)", 12, "AND or OR is missing"),
    ],
)
def test_errors_point_at_the_character(text: str, at: int, says: str) -> None:
    with pytest.raises(QueryError, match=says) as raised:
        parse_condition(text, BOOK)
    assert raised.value.at == at
    assert raised.value.remedy


def test_an_unknown_provision_offers_near_ones() -> None:
    with pytest.raises(ConfigError, match="exclusivty") as raised:
        parse_condition("insurance AND exclusivty", BOOK)
    assert "Exclusivity" in raised.value.remedy


def test_too_much_is_refused() -> None:
    with pytest.raises(QueryError, match="at most"):
        parse_condition(" AND ".join(["insurance"] * 10_000), BOOK)


def test_what_is_a_condition() -> None:
    assert is_condition("a AND b")
    assert is_condition("(a)")
    assert not is_condition("which contracts have a and b?")
    assert not is_condition("the ANDes")


TREES = st.recursive(
    st.sampled_from(IDS).map(HasProvision),
    lambda inner: st.one_of(
        inner.map(NotCondition),
        st.lists(inner, min_size=2, max_size=3).map(lambda parts: AllConditions(tuple(parts))),
        st.lists(inner, min_size=2, max_size=3).map(lambda parts: AnyCondition(tuple(parts))),
    ),
    max_leaves=7,
)


@given(tree=TREES)
def test_what_is_said_is_read_back_to_the_same_meaning(tree: Condition) -> None:
    again = parse_condition(condition_text(tree, BOOK), BOOK)
    for values in product((True, False, None), repeat=len(IDS)):
        found = dict(zip(IDS, values, strict=True))
        assert evaluate_condition(again, found) == evaluate_condition(tree, found)


@given(tree=TREES, values=st.lists(st.sampled_from([True, False, None]), min_size=4, max_size=4))
def test_what_is_decided_stays_so_whatever_is_found_later(
    tree: Condition, values: list[bool | None]
) -> None:
    found = dict(zip(IDS, values, strict=True))
    decided = evaluate_condition(tree, found)
    if decided is None:
        return
    unknown = [name for name, value in found.items() if value is None]
    for later in product((True, False), repeat=len(unknown)):
        assert evaluate_condition(tree, found | dict(zip(unknown, later, strict=True))) is decided


def test_provisions_of_a_condition() -> None:
    tree = parse_condition("(insurance OR exclusivity) NOT insurance AND assignment", BOOK)
    assert condition_provisions(tree) == ["insurance", "exclusivity", "assignment"]
