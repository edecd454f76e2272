"""What the reader's readings say of the choices of a head."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest

from fourcorners.models.reader.reader import Named, Reading
from fourcorners.models.verdict_reader.clause import MarkedClause, Mention, MentionKind
from fourcorners.models.verdict_reader.opinions import ALONE, option_asks, read_opinions
from fourcorners.models.verdict_reader.reader import Head
from fourcorners.text.span import Span

TEXT = "The Supplier shall not assign; the Buyer may, on thirty days' notice."
SUPPLIER, BUYER = Span(4, 12), Span(35, 40)
CLAUSE = MarkedClause(
    TEXT,
    Span(0, len(TEXT)),
    Span(0, len(TEXT)),
    (
        Mention(MentionKind.PARTY, "supplier", SUPPLIER),
        Mention(MentionKind.PARTY, "buyer", BUYER),
    ),
)


class FakeReader:
    """Says yes to what it is told, and names the buyer."""

    name = "fake"

    def __init__(self, *yes: str) -> None:
        self._yes = yes

    def read(self, clause: str, questions: Sequence[str]) -> list[Reading]:
        assert clause == TEXT
        return [
            Reading((0.7, 0.1, 0.1, 0.1) if each in self._yes else (0.05, 0.35, 0.2, 0.4), *NAMED)
            for each in questions
        ]

    def asserts(self, reading: Reading) -> bool:
        raise NotImplementedError

    verifies = refuses = asserts


def token_named() -> Named:
    """Return a distribution over three tokens: the supplier, the buyer and the rest."""
    starts = np.array([0.1, 0.8, 0.1], np.float32)
    offsets = ((4, 12), (35, 40), (60, 68))
    return Named(BUYER, 0.6, 0.05, 0.2, starts, starts, offsets)


NAMED = (token_named(), token_named())


def head(options: tuple[str, ...], asks: dict[str, str], kind: MentionKind | None = None) -> Head:
    return Head("assignment", "effect", kind, "", options, frozenset(), None, asks)


def opinion(own: Head, *yes: str) -> dict[str, float]:
    found = read_opinions(FakeReader(*yes), [own], CLAUSE)["effect"]
    return {choice: math.exp(value) for choice, value in found.items()}


def test_a_question_of_yes_or_no_is_asked_alone() -> None:
    words = {"yes": "void", "no": "not void", "silent": ""}
    assert option_asks("Is it void?", words) == {ALONE: "Is it void?"}
    own = opinion(head(tuple(words), {ALONE: "Is it void?"}), "Is it void?")
    assert own == pytest.approx({"yes": 0.7, "no": 0.1, "silent": 0.2}, abs=1e-3)


def test_without_silence_what_is_not_said_is_no() -> None:
    own = opinion(head(("yes", "no"), {ALONE: "Is it void?"}))
    assert own == pytest.approx({"yes": 0.05, "no": 0.95}, abs=1e-3)


def test_each_option_that_says_something_is_asked() -> None:
    words = {"free": "transferable", "forbidden": "not transferable", "silent": ""}
    asks = option_asks("May it be transferred?", words)
    assert asks == {
        "free": "May it be transferred? Transferable.",
        "forbidden": "May it be transferred? Not transferable.",
    }
    own = opinion(head(tuple(words), asks), asks["forbidden"])
    assert max(own, key=lambda choice: own[choice]) == "forbidden"
    assert sum(own.values()) == pytest.approx(1)


def test_a_party_is_the_mention_that_is_named() -> None:
    own = opinion(head((), {ALONE: "Who may assign?"}, MentionKind.PARTY))
    assert set(own) == {"", "each party", "supplier", "buyer"}
    assert max(own, key=lambda choice: own[choice]) == "buyer"
