"""What belongs to words found because the contracts say so."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fourcorners.library.store import Library
from fourcorners.search.graph import LinkedPassage, LinkKind, Located, expand_hits
from fourcorners.text.span import Span

Put = Callable[..., str]


@dataclass(frozen=True)
class Words:
    document: str
    span: Span


def place(library: Library, document: str, words: str) -> Words:
    at = library.text(document).index(words)
    return Words(document, Span(at, at + len(words)))


def by(linked: list[LinkedPassage], tie: LinkKind) -> list[LinkedPassage]:
    return [each for each in linked if each.kind is tie]


def test_a_definition_is_brought(library: Library, room: dict[str, str]) -> None:
    hit = place(
        library, room["supply"], "4.1 The Customer may terminate this Agreement at once upon"
    )
    hit = Words(hit.document, Span(hit.span.start, hit.span.end + len(" a Change of Control.")))
    linked = expand_hits(library, [hit], limit=9)
    [definition] = by(linked, LinkKind.DEFINITION)
    assert definition.words.startswith('"Change of Control" means that a person')
    assert definition.words.endswith("comes to control it.")
    assert definition.because == "defines “Change of Control”, used in 4.1 of supply.txt"
    assert definition.source == 0


def test_parties_and_what_every_contract_defines_are_not(
    library: Library, room: dict[str, str]
) -> None:
    hit = place(library, room["supply"], "3.1 Each lot is tested for leaks")
    assert by(expand_hits(library, [hit], limit=9), LinkKind.DEFINITION) == []


def test_a_definition_of_the_body_counts_more_than_one_of_a_schedule(
    library: Library, put: Put
) -> None:
    text = """SUPPLY AGREEMENT

This Supply Agreement is dated 4 March 2021 and made between Alder Components Limited
("Supplier") and Birch Retail Limited ("Customer").

1. DEFINITIONS

1.1 "Spare Valve" means a valve in reserve.

2. SUPPLY

2.1 The Supplier keeps one Spare Valve in each Cold Store.

SCHEDULE 1

1. "Cold Store" means a room below zero.
"""
    document = put("valves.txt", text)
    hit = place(library, document, "2.1 The Supplier keeps one Spare Valve in each Cold Store.")
    definitions = by(expand_hits(library, [hit], limit=9), LinkKind.DEFINITION)
    assert [each.because.split("”")[0] for each in definitions] == [
        "defines “Spare Valve",
        "defines “Cold Store",
    ]
    assert definitions[1].score < 0.8 * definitions[0].score


def test_the_clause_that_a_hit_refers_to(library: Library, room: dict[str, str]) -> None:
    text = library.text(room["supply"])
    hit = place(library, room["supply"], text[text.index("2.1 ") : text.index("2.2 ")].strip())
    [reference] = by(expand_hits(library, [hit], limit=9), LinkKind.REFERENCE)
    assert reference.words.startswith("4.1 The Customer may terminate")
    assert "to which 2.1 of supply.txt refers (subject to it)" in reference.because


def test_the_exception_that_stands_elsewhere(library: Library, room: dict[str, str]) -> None:
    hit = place(library, room["supply"], "4.1 The Customer may terminate this Agreement at once")
    exceptions = by(expand_hits(library, [hit], limit=9), LinkKind.EXCEPTION)
    assert "Notwithstanding clause 4.1, nobody may terminate" in exceptions[0].words
    assert exceptions[0].because == "applies notwithstanding Clause 4.1 of supply.txt"
    assert exceptions[1].because == "applies subject to Clause 4.1 of supply.txt"
    assert len(exceptions) == 2


def test_the_amendment_of_a_clause(library: Library, room: dict[str, str]) -> None:
    hit = place(library, room["supply"], "5.1 The price of a valve is nine pounds.")
    first = expand_hits(library, [hit], limit=9)[0]
    assert first.kind is LinkKind.AMENDMENT
    assert first.document == room["amendment"]
    assert first.because == "replaces Clause 5.1 of supply.txt"
    assert first.words.endswith('"5.1 The price of a valve is eleven pounds."')
    assert expand_hits(library, [place(library, room["supply"], "3.1 Each lot")], limit=9) == []


def test_a_clause_that_is_added_belongs_to_its_neighbours(
    library: Library, room: dict[str, str]
) -> None:
    hit = place(library, room["supply"], "2.2 The Customer may return a Rejected Lot")
    [amendment] = by(expand_hits(library, [hit], limit=9), LinkKind.AMENDMENT)
    assert amendment.because == "adds Clause 2.3 to supply.txt"


def test_from_an_amendment_to_what_it_changes(library: Library, room: dict[str, str]) -> None:
    hit = place(
        library, room["amendment"], "2. Clause 5.1 of the Supply Agreement is hereby deleted"
    )
    [changed] = by(expand_hits(library, [hit], limit=9), LinkKind.AMENDED)
    assert changed.document == room["supply"]
    assert changed.words == "5.1 The price of a valve is nine pounds."
    assert changed.because.endswith("it replaces Clause 5.1")


def test_terms_that_only_the_amended_contract_defines(
    library: Library, room: dict[str, str]
) -> None:
    hit = place(library, room["amendment"], "The Customer shall inspect each Rejected Lot")
    [definition] = by(expand_hits(library, [hit], limit=9), LinkKind.DEFINITION)
    assert definition.document == room["supply"]
    assert definition.words.startswith('"Rejected Lot" means')


def test_a_restatement(library: Library, put: Put, room: dict[str, str]) -> None:
    text = library.text(room["supply"])
    restated = (
        text.replace("SUPPLY AGREEMENT", "AMENDED AND RESTATED SUPPLY AGREEMENT", 1)
        .replace(
            "This Supply Agreement is dated 4 March 2021", "This Agreement is dated 2 May 2025"
        )
        .replace(
            "1. DEFINITIONS",
            "WHEREAS the parties entered into a Supply Agreement dated 4 March 2021, which they "
            "restate.\n\n1. DEFINITIONS",
        )
        .replace("nine pounds", "twelve pounds")
    )
    new = put("restated.txt", restated)
    hit = place(library, room["supply"], "5.1 The price of a valve is nine pounds.")
    found = [one for one in expand_hits(library, [hit], limit=9) if one.document == new]
    assert [one.because for one in found] == ["restates 5.1 of supply.txt"]
    assert "twelve pounds" in found[0].words


def test_another_collection_is_left_alone(library: Library, put: Put) -> None:
    from tests.search.graph.conftest import AMENDMENT, SUPPLY

    supply = put("supply.txt", SUPPLY, "Larch")
    put("amendment.txt", AMENDMENT, "Firs")
    hit = place(library, supply, "5.1 The price of a valve is nine pounds.")
    for collection in (None, "Larch"):
        found = expand_hits(library, [hit], limit=9, collection=collection)
        assert not by(found, LinkKind.AMENDMENT)


def test_a_long_clause_is_cut_at_whole_words(library: Library, put: Put) -> None:
    endless = " ".join(["and valves"] * 400)
    text = f"""SUPPLY AGREEMENT

This Supply Agreement is dated 4 March 2021 and made between Alder Components Limited
("Supplier") and Birch Retail Limited ("Customer").

1. GOODS

1.1 The Supplier sells what is listed in clause 2.1.

2. LIST

2.1 The list has valves {endless} of brass.

3. LAW

3.1 The law of England applies to this Agreement and to nothing else that the parties do.

{"3.2 Nothing else is agreed, whatever may have been said before of valves. " * 80}
"""
    document = put("long.txt", text)
    hit = place(library, document, "1.1 The Supplier sells what is listed in clause 2.1.")
    [reference] = by(expand_hits(library, [hit], limit=3), LinkKind.REFERENCE)
    assert reference.words.startswith("2.1 The list has valves")
    assert 700 < len(reference.words) <= 1_500
    assert reference.words.split()[-1] in ("and", "valves")


def test_limits(library: Library, room: dict[str, str]) -> None:
    hit = place(library, room["supply"], "5.1 The price of a valve is nine pounds.")
    assert expand_hits(library, [], limit=3) == []
    assert expand_hits(library, [hit], limit=0) == []
    assert len(expand_hits(library, [hit], limit=1)) == 1


@settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(data=st.data())
def test_what_is_linked_is_exact_and_disjoint(
    library: Library, room: dict[str, str], data: st.DataObject
) -> None:
    hits = []
    for _ in range(data.draw(st.integers(1, 4))):
        document = data.draw(st.sampled_from(sorted(room.values())))
        size = len(library.text(document))
        start = data.draw(st.integers(0, size - 1))
        hits.append(Words(document, Span(start, data.draw(st.integers(start + 1, size)))))
    linked = expand_hits(library, hits, limit=data.draw(st.integers(1, 12)))
    for at, one in enumerate(linked):
        assert one.words == library.text(one.document)[one.span.start : one.span.end]
        assert one.words.strip()
        assert one.because
        assert 0 < one.score <= 1
        beside: list[Located] = [*hits, *linked[:at]]
        assert not any(
            other.document == one.document and other.span.overlaps(one.span) for other in beside
        )


@pytest.mark.corpus
def test_spans_of_real_contracts(library: Library, put: Put, corpus: Path) -> None:
    folder = corpus / "cuad" / "contracts"
    ids = [
        put(path.name, path.read_text("utf-8", "replace"))
        for path in sorted(folder.glob("*.txt"))[:6]
    ]
    for document in ids:
        size = len(library.text(document))
        hits = [Words(document, Span(at, min(size, at + 700))) for at in range(0, size, 9_000)]
        for one in expand_hits(library, hits, limit=40):
            assert one.words == library.text(one.document)[one.span.start : one.span.end]
            assert not any(
                hit.span.overlaps(one.span) for hit in hits if hit.document == one.document
            )
