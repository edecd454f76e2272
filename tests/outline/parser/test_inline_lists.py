"""Lists within the sentences of a clause: where they end, and where another begins."""

from __future__ import annotations

import pytest

from fourcorners.outline.build import build_outline
from fourcorners_bench.outline.references import text_document

FRAME = """SUPPLY AGREEMENT

1. Goods. Alder shall supply the goods that Birch orders.

2. Price. Birch shall pay the price within ten days.

3. End. {clause}

4. Notices. All notices shall be in writing.

5. Law. This Agreement is governed by the law of Ohio.
"""


def _labels(clause: str, words: tuple[str, ...]) -> list[str]:
    """Return the label of the innermost node for each of some words."""
    text = FRAME.format(clause=clause)
    nodes = build_outline(text_document("supply.txt", text)).nodes
    found = []
    for each in words:
        at = text.index(each)
        found.append([node.label for node in nodes if node.span.start <= at < node.span.end][-1])
    return found


@pytest.mark.parametrize(
    "clause",
    [
        "Alder may end it if the goods are: (a) unpaid; (b) resold; or (c) lost. Then pay.",
        "Alder may end it if Birch: (i) is late; (ii) is insolvent; or (iii) sells it. Then pay.",
        "Birch may return goods that are: (a) wet; (b) by Elm Inc. Limited; (c) late. Then pay.",
    ],
)  # fmt: skip
def test_what_follows_a_list_is_of_the_clause(clause: str) -> None:
    last = "(iii)" if "(iii)" in clause else "(c)"
    assert _labels(clause, (f"{last} ", "Then")) == [f"3{last}", "3"]


def test_points_that_are_sentences_have_more_of_them() -> None:
    clause = "The fee: (a) Birch pays it. (b) Alder keeps it. Then Alder notes it."
    assert _labels(clause, ("Then",)) == ["3(b)"]


def test_lists_in_lists_end_with_their_sentence() -> None:
    clause = "Alder may end it if: (a) it is late; or (b) it is: (i) wet; or (ii) sold. Then pay."
    assert _labels(clause, ("sold", "Then")) == ["3(b)(ii)", "3"]


@pytest.mark.parametrize("points", [3, 4, 5])
def test_a_second_list_of_a_clause_has_its_own_points(points: int) -> None:
    first = "; ".join(f"({chr(97 + at)}) Birch fails test {at}" for at in range(3))
    second = "; ".join(f"({chr(97 + at)}) Alder lacks oak {at}" for at in range(points))
    clause = (
        f"Either may end it upon any of the following: {first}. "
        f"Birch may further end it upon any of the following: {second}. Then it ends."
    )
    words = ("test 1", "further", "oak 0", "oak 1", f"oak {points - 1}", "Then")
    last = chr(96 + points)
    assert _labels(clause, words) == ["3(b)", "3", "3(a)", "3(b)", f"3({last})", "3"]
