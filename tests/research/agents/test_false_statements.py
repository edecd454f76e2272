"""False statements that no quote may verify, and true ones that no quote may refuse."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from fourcorners.research.agents.statement_check import check_quotes
from fourcorners.research.answer import Verification

CASES = yaml.safe_load(Path(__file__).with_name("false_statements.yaml").read_text("utf-8"))


def pairs(said: str) -> list[object]:
    return [
        pytest.param(
            each["words"],
            each[said],
            id=f"{kind} {number}",
            marks=pytest.mark.xfail(each.get("misread") == said, reason="the reader misreads it"),
        )
        for kind, own in CASES.items()
        for number, each in enumerate(own, 1)
    ]


def test_there_are_eight_of_each_kind() -> None:
    assert [len(own) for own in CASES.values()] == [8] * 8


@pytest.mark.parametrize(("words", "statement"), pairs("false"))
def test_a_false_statement_is_not_verified(words: str, statement: str) -> None:
    assert check_quotes(statement, [words])[0] is not Verification.VERIFIED


@pytest.mark.parametrize(("words", "statement"), pairs("true"))
def test_its_true_twin_is_not_refused(words: str, statement: str) -> None:
    assert check_quotes(statement, [words])[0] is not Verification.UNVERIFIED
