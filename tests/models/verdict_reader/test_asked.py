"""Questions of yes or no that no head was learned for are answered by the reader of clauses."""

from __future__ import annotations

import pytest

from fourcorners.models.verdict_reader.asked import AROUND, read_asked
from fourcorners.models.verdict_reader.clause import MarkedClause
from fourcorners.text.span import Span
from tests.models.reader.fake import Chances, FakeReader

TEXT = "The Supplier may assign this Agreement to an affiliate."
CLAUSE = MarkedClause(TEXT, Span(0, len(TEXT)), Span(0, len(TEXT)), ())
ASKED = {"whether": "May the Supplier assign?"}


@pytest.mark.parametrize(
    ("chances", "value", "says", "is_asserted"),
    [
        ((0.96, 0.02, 0.01, 0.01), "yes", True, True),
        ((0.02, 0.96, 0.01, 0.01), "no", True, True),
        ((0.6, 0.2, 0.1, 0.1), "yes", True, False),
        ((0.01, 0.01, 0.97, 0.01), "depends", True, False),
        ((0.01, 0.01, 0.01, 0.97), "none", False, False),
    ],
)
def test_only_a_sure_yes_or_no_is_asserted(
    chances: Chances, value: str, *, says: bool, is_asserted: bool
) -> None:
    verdict = read_asked(FakeReader(others=chances), ASKED, CLAUSE)["whether"]
    assert (verdict.value, verdict.says, verdict.is_asserted) == (value, says, is_asserted)
    assert type(verdict.value) is str


def test_the_words_around_the_marked_ones_are_read() -> None:
    text = f"{'a ' * AROUND}{TEXT}{' b' * AROUND}"
    marked = Span(2 * AROUND, 2 * AROUND + len(TEXT))
    reader = FakeReader()
    read_asked(reader, ASKED, MarkedClause(text, Span(0, len(text)), marked, ()))
    ((read, _),) = reader.asked
    assert len(read) == len(TEXT) + 2 * AROUND
    assert TEXT in read
