"""Texts that mean harm: four times the text takes about four times the time, not sixteen."""

from __future__ import annotations

import time
from itertools import cycle, islice

import pytest

from fourcorners.documents.document import Document
from fourcorners.outline.build import build_outline
from fourcorners.outline.card.read import read_card
from fourcorners.outline.passages.cut import cut_passages
from fourcorners.outline.terms import find_uses

SIZE = 10_000  # characters
FREE = 0.4  # seconds of a processor that need no reason
MOST = 9.0  # times the time, for four times the text
TRIES = 6  # the least of each counts: what else a machine does only adds to a time
TOP = 'THIS AGREEMENT is made on 1 May 2020 between Acme Inc. (the "Seller") and '
BELOW = (
    "\n1. Sale\nAcme shall sell.\n2. Price\nTen.\n3. Term\nA year.\n4. End\nIN WITNESS WHEREOF\n"
)
REPEATED = (
    *(
        "a",
        "A",
        " ",
        "\t",
        "\n",
        "\xa0",
        ",",
        ".",
        ". ",
        "…",
        '"',
        "“",
        "(",
        "[",
        "-",
        "_",
        "*",
        "/",
    ),
    *("Alpha ", "ALPHA ", "(a) ", "1.1 ", "1. ", "I) ", "Section 1.1 ", "Section 1.1, ", "and "),
    *("Exhibit A ", "Aa: b\n", " \n", '"Aa" means ', "(the Big Dog) ", "laws of ", "By: "),
    *("Payment ........ 12\n", "this preceding paragraph ", "(Aa) ", "No. ", "1(a)"),
)


def spent(text: str) -> float:
    """Read all that is read of a contract, and return the seconds of a processor it took."""
    document = Document("0" * 16, "a.txt", "a.txt", "0" * 64, "text/plain", "text/1", text)
    began = time.process_time()
    outline = build_outline(document)
    read_card(document, outline)
    cut_passages(document, outline)
    find_uses(text, outline.terms)
    return time.process_time() - began


def text_of(repeated: str, size: int) -> str:
    return TOP + "".join(islice(cycle(repeated), size)) + BELOW


@pytest.mark.parametrize("repeated", REPEATED, ids=repr)
def test_four_times_the_text_takes_about_four_times_the_time(repeated: str) -> None:
    short = long = float("inf")
    for _ in range(TRIES):
        long = min(long, spent(text_of(repeated, 4 * SIZE)))
        if long <= FREE:
            return
        short = min(short, spent(text_of(repeated, SIZE)))
        if long <= MOST * short:
            return
    pytest.fail(f"{SIZE:,} characters took {short:.2f} s, four times as many {long:.2f} s")


def test_nested_brackets_take_no_more_than_others() -> None:
    assert spent(TOP + "(" * SIZE + ")" * SIZE + BELOW) < 10
