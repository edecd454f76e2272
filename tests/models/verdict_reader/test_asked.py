"""Questions that no head was learned for are answered by the reader of clauses."""

from __future__ import annotations

import pytest

from fourcorners.models.verdict_reader.asked import AskedQuestion, read_asked
from fourcorners.models.verdict_reader.clause import MarkedClause
from fourcorners.text.span import Span
from tests.models.reader.fake import FakeReader

TEXT = "The Supplier may assign this Agreement to an affiliate."
CLAUSE = MarkedClause(TEXT, Span(0, len(TEXT)), Span(0, len(TEXT)), ())
WHETHER = AskedQuestion("whether", "May the Supplier assign?", {"yes": "", "no": ""})
HOW = AskedQuestion("how", "How far?", {"free": "freely", "within": "in the group", "silent": ""})


@pytest.mark.parametrize(
    ("chances", "value", "says", "is_asserted"),
    [
        ((0.96, 0.02, 0.01, 0.01), "yes", True, True),
        ((0.02, 0.96, 0.01, 0.01), "no", True, True),
        ((0.6, 0.2, 0.1, 0.1), "yes", True, False),
        ((0.01, 0.01, 0.97, 0.01), "depends", False, False),
        ((0.01, 0.01, 0.01, 0.97), "none", False, False),
    ],
)
def test_only_a_sure_yes_or_no_is_asserted(
    chances: tuple[float, float, float, float], value: str, *, says: bool, is_asserted: bool
) -> None:
    reader = FakeReader({WHETHER.words: chances})
    verdict = read_asked(reader, [WHETHER], CLAUSE)["whether"]
    assert (verdict.value, verdict.says, verdict.is_asserted) == (value, says, is_asserted)


def test_each_option_that_says_something_is_put_to_the_clause() -> None:
    reader = FakeReader({"How far? In the group.": (0.95, 0.02, 0.02, 0.01)})
    verdict = read_asked(reader, [HOW], CLAUSE)["how"]
    assert reader.asked == [(TEXT, ("How far? Freely.", "How far? In the group."))]
    assert (verdict.value, verdict.is_asserted) == ("within", True)


def test_an_option_that_is_denied_says_nothing() -> None:
    reader = FakeReader({"How far? Freely.": (0.03, 0.95, 0.01, 0.01)})
    verdict = read_asked(reader, [HOW], CLAUSE)["how"]
    assert not verdict.says
    assert not verdict.is_asserted


def test_nothing_is_read_where_nothing_is_asked() -> None:
    reader = FakeReader()
    assert read_asked(reader, [], CLAUSE) == {}
    assert reader.asked == []
