from __future__ import annotations

import pytest

from fourcorners.search.concepts import Concept, recognise_concepts
from fourcorners.search.query import parse_query


def concept(name: str, *aliases: str, avoid: str = "", asks: tuple[str, ...] = ()) -> Concept:
    return Concept(
        id=name.lower().replace(" ", "-"),
        name=name,
        aliases=aliases,
        query=parse_query(f'"{name.lower()}"'),
        avoid=parse_query(avoid) if avoid else None,
        asks=asks,
    )


KNOWN = [
    concept("Parties"),
    concept("Agreement date", "Signing date"),
    concept("Expiry date", "Expiration date", "When the agreement ends"),
    concept("Renewal term", "Renewal"),
    concept("Notice to prevent renewal", "Terminate the renewal"),
    concept("Audit rights", "Audit", avoid='"audit committee"~1'),
    concept("Licence grant", "Licence"),
    concept("Non-transferable licence", "Non-transferable"),
    concept("Ownership of intellectual property"),
    concept("Joint ownership", "Joint intellectual property ownership"),
    concept("Termination for convenience", "Termination at will"),
    concept("Insurance", asks=("Which hazards are guarded against?",)),
]


def asked(question: str) -> list[str]:
    return [found.name for found, _ in recognise_concepts(question, KNOWN)]


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("Is there insurance?", ["Insurance"]),
        ("Who must be insured, and against what?", ["Insurance"]),
        ("What audit rights does the licensor have?", ["Audit rights"]),
        ("Which licenses are granted?", ["Licence grant"]),  # the American spelling, another form
        ("When does this contract end?", ["Expiry date"]),  # a contract is an agreement
        ("Can it be terminated at will?", ["Termination for convenience"]),
        ("Against what hazards must the tenant guard?", ["Insurance"]),
        ("Who are the parties?", ["Parties"]),
    ],
)
def test_name_is_found_in_other_forms_and_order(question: str, names: list[str]) -> None:
    assert asked(question) == names


@pytest.mark.parametrize(
    "question",
    [
        "What happens upon termination?",  # of `termination at will`, one word
        "Does the receiving party keep copies?",  # `party` is how contracts speak of anyone
        "Does the audit committee meet?",  # a look-alike
        "Which date is meant by the agreement on the date of delivery of the goods sold?",
        "What colour is the logo?",
        "",
    ],
)
def test_mere_overlap_is_no_sign(question: str) -> None:
    assert [name for name in asked(question) if name != "Agreement date"] == []


def test_shorter_name_within_longer_one_does_not_count() -> None:
    assert asked("What is the expiration date of this contract?") == ["Expiry date"]
    assert asked("Is there joint intellectual property ownership?") == ["Joint ownership"]
    assert asked("What notice is needed to terminate the renewal?") == ["Notice to prevent renewal"]


def test_several_are_found_the_surest_first() -> None:
    found = recognise_concepts("Are the licenses granted under it non-transferable?", KNOWN)
    assert [one.name for one, _ in found] == ["Non-transferable licence", "Licence grant"]
    weights = [weight for _, weight in found]
    assert weights[0] == 1.0
    assert 0 < weights[1] < 1


def test_words_far_apart_are_no_name() -> None:
    apart = "Is the licence of a kind that, in the view of most of us here, was ever a grant?"
    assert recognise_concepts(apart, [concept("Grant licence")]) == []
    assert recognise_concepts("Is there a grant of any licence?", [concept("Grant licence")]) != []


def test_nothing_is_known_of_nothing() -> None:
    assert recognise_concepts("Is there insurance?", []) == []
