"""What two readers said of a blind contract is what the program's answers are held against."""

from __future__ import annotations

import pytest

from training.verdicts.trial import agree, states

TEXT = "Made on 3 May 2021. It runs for thirty (30) days. Acme Ltd may end it."
DAY, TIME, NAME = [[8, 18]], [[32, 48]], [[50, 58]]


@pytest.mark.parametrize(
    ("answer", "value", "shown", "right"),
    [
        ("yes", "yes", "it may", True),
        ("each party", "", "Each party", True),
        ("yes", "no", "it may not", False),
        (DAY, "2021-05-03", "3 May 2021", True),
        (DAY, "2021-03-05", "5 March 2021", False),
        (TIME, "P30D", "30 days", True),
        (TIME, "P1M", "1 month", False),
        (NAME, "", "Acme", True),
        (NAME, "", "Bolt", False),
        (NAME, "", "", False),
    ],
)
def test_an_answer_is_the_readers(
    answer: str | list[list[int]], value: str, shown: str, right: bool
) -> None:
    assert states(answer, value, shown, TEXT) is right


def test_readers_agree_on_an_option_or_a_place() -> None:
    assert agree("yes", "yes")
    assert agree(DAY, [[0, 10]])
    for first, second in (("yes", "no"), (DAY, TIME), (None, None), (DAY, "yes")):
        assert not agree(first, second)
