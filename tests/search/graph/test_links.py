"""What one document says of another, and which document of the library it means."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest

from fourcorners.documents.read import read_document as read_file
from fourcorners.library.store import Library
from fourcorners.outline.build import build_outline
from fourcorners.outline.card.card import Card, Fact
from fourcorners.outline.card.party_names import party_key
from fourcorners.outline.card.read import read_card
from fourcorners.outline.passages.cut import cut_passages
from fourcorners.search.graph import AmendmentRelation, links, links_of
from fourcorners.search.graph.statements import parse_statements
from fourcorners.text.span import Span

Put = Callable[..., str]
ROOT = Path(__file__).parents[3]


def test_an_amendment_is_resolved_by_parties_title_and_date(
    library: Library, room: dict[str, str]
) -> None:
    [found] = links_of(library).amendments(room["amendment"])
    assert found.target == room["supply"]
    assert found.relation is AmendmentRelation.AMENDS
    assert found.dated == date(2021, 3, 4)
    assert found.confidence > 0.9
    assert found.because.startswith("the same parties, the title, the date")
    text = library.text(room["amendment"])
    assert found.span.text_in(text) == "Supply Agreement dated 4 March 2021"
    assert [each.document for each in links_of(library).amended_by(room["supply"])] == [
        room["amendment"]
    ]
    assert links_of(library).amended_by(room["other"]) == []


def test_what_is_not_there_is_reported_unresolved(library: Library, room: dict[str, str]) -> None:
    library.remove(room["supply"])
    [found] = links_of(library).amendments(room["amendment"])
    assert found.target is None
    assert found.confidence < 0.6
    assert found.title == "Supply Agreement"
    assert "no document" in found.because


def test_two_that_fit_alike_are_none(library: Library, put: Put, room: dict[str, str]) -> None:
    twin = library.text(room["supply"]).replace("Birch Retail", "Birch Garden")
    amendment = """AMENDMENT TO THE SUPPLY AGREEMENT

This Amendment is made on 1 May 2024 between Alder Components Limited and its customers and amends
the Supply Agreement dated 4 March 2021.
"""
    put("twin.txt", twin)
    both = put("amendment-to-both.txt", amendment)
    [found] = links_of(library).amendments(both)
    assert found.target is None


def test_links_follow_what_is_added_and_removed(library: Library, put: Put) -> None:
    from tests.search.graph.conftest import AMENDMENT, SUPPLY

    amendment = put("amendment.txt", AMENDMENT)
    assert links_of(library).amendments(amendment)[0].target is None
    supply = put("supply.txt", SUPPLY)
    assert links_of(library).amendments(amendment)[0].target == supply
    library.remove(supply)
    assert links_of(library).amendments(amendment)[0].target is None
    library.remove(amendment)
    assert links_of(library).all_amendments() == []
    assert library.check() == []


def test_another_process_s_additions_are_seen(
    library: Library, put: Put, room: dict[str, str]
) -> None:
    with Library.open(library.path) as second:
        assert len(links_of(second).all_amendments()) == 1
        put("again.txt", library.text(room["amendment"]).replace("9 June 2023", "9 July 2023"))
        assert len(links_of(second).all_amendments()) == 2


def test_nothing_is_written_where_nothing_changed(library: Library, room: dict[str, str]) -> None:
    assert room
    links_of(library)
    before = library.execute("SELECT total_changes()")
    links_of(library)
    assert library.execute("SELECT total_changes()") == before


def test_shared_parties(library: Library, room: dict[str, str]) -> None:
    parties = {each.name: set(each.others) for each in links_of(library).parties(room["other"])}
    assert parties == {
        "Cedar Mills Limited": set(),
        "Birch Retail Limited": {room["supply"], room["amendment"]},
    }


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("Larch Supply, Inc.", "LARCH SUPPLY INCORPORATED", True),
        ("The Alder Company", "Alder Co.", True),
        ("Larch Supply Limited", "Larch Supply Ltd", True),
        ("Larch Supply Limited", "Larch Supply, Inc.", False),
    ],
)
def test_party_keys(one: str, other: str, same: bool) -> None:
    assert (party_key(one) == party_key(other)) is same


def card(title: str, text: str, day: date | None = None) -> Card:
    at = text.index(title)
    span = Span(at, at + len(title))
    return Card(title=Fact(title, span, 0.9), agreement_date=Fact(day, span, 0.9) if day else None)


@pytest.mark.parametrize(
    ("title", "text", "relation", "named", "dated"),
    [
        (
            "FIRST AMENDMENT",
            (
                "FIRST AMENDMENT\nReference is made to that certain Hosting Agreement No. "
                "17 dated as "
                'of May 2, 2019, as amended June 3, 2020 (the "Agreement"), between A and B.'
            ),
            AmendmentRelation.AMENDS,
            "Hosting Agreement",
            date(2019, 5, 2),
        ),
        (
            "AMENDED AND RESTATED LOAN AGREEMENT",
            (
                "AMENDED AND RESTATED LOAN AGREEMENT\nThis Amended and Restated Loan "
                "Agreement is made "
                "on 1 July 2022. WHEREAS the parties executed that certain Loan Agreement, dated "
                "1 July 2018 and have agreed to restate it."
            ),
            AmendmentRelation.RESTATES,
            "Loan Agreement",
            date(2018, 7, 1),
        ),
        (
            "SECOND AMENDMENT TO SERVICES AGREEMENT",
            (
                "SECOND AMENDMENT TO SERVICES AGREEMENT\nThis Second Amendment, dated "
                "March 1, 2016. "
                "WHEREAS A and B have entered into that certain Services Agreement dated "
                "as of January "
                "1, 2004; and WHEREAS they have entered into the Amendment to Services "
                "Agreement dated "
                "as of March 30, 2009."
            ),
            AmendmentRelation.AMENDS,
            "Services Agreement",
            date(2004, 1, 1),
        ),
        (
            "Licence Agreement",
            (
                "Licence Agreement\nThis is the whole agreement and supersedes the trial "
                "licence dated "
                "4 May 2020."
            ),
            AmendmentRelation.REPLACES,
            "trial licence",
            date(2020, 5, 4),
        ),
    ],
)
def test_statements(
    title: str, text: str, relation: AmendmentRelation, named: str, dated: date | None
) -> None:
    found = {one.relation: one for one in parse_statements(text, card(title, text))}
    assert found[relation].title == named
    assert found[relation].date == dated
    assert named.split()[0] in found[relation].span.text_in(text)


@pytest.mark.parametrize(
    "text",
    [
        "SUPPLY AGREEMENT\nThis Agreement may be amended only in writing.",
        (
            "SUPPLY AGREEMENT\nThis Agreement, as it may be amended or restated, replaces "
            "all earlier "
            "agreements of the parties."
        ),
        "",
    ],
)
def test_most_documents_say_nothing_of_others(text: str) -> None:
    known = card("SUPPLY AGREEMENT", text) if text else Card()
    assert parse_statements(text, known) == ()


def test_the_data_room(library: Library, dataroom: Path) -> None:
    ids = {}
    for path in sorted(dataroom.iterdir()):
        if path.name.startswith("14-"):  # a scan
            continue
        document = read_file(path)
        outline = build_outline(document)
        known = read_card(document, outline)
        library.add(
            document, outline, known, cut_passages(document, outline), None, collection="Larch"
        )
        ids[document.id] = path.name
    links = links_of(library)
    resolved = {
        ids[each.document]: ids[each.target] for each in links.all_amendments() if each.target
    }
    assert resolved == {
        "12-northmere-amendment-letter.docx": "01-northmere-master-services-agreement.docx"
    }
    unresolved = {ids[each.document] for each in links.all_amendments() if not each.target}
    assert unresolved == {
        "05-quillon-software-licence.docx",  # a trial licence
        "06-halden-joint-development-agreement.docx",  # a confidentiality agreement
    }


def test_what_is_added_bit_by_bit_is_linked_as_at_once(
    library: Library, put: Put, room: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def at_once() -> list[links.AmendmentLink]:
        library.execute("DELETE FROM graph_state")
        return links_of(library).all_amendments()

    monkeypatch.setattr(links, "_AT_ONCE", 2)
    texts = {name: library.text(document) for name, document in room.items()}
    for document in room.values():
        library.remove(document)
    assert links_of(library).all_amendments() == []
    added: dict[str, str] = {}
    for name in reversed(list(texts)):
        added[name] = put(f"{name}.txt", texts[name])
        assert links_of(library).all_amendments() == at_once()
    assert [each.target for each in links_of(library).amendments(added["amendment"])] == [
        added["supply"]
    ]
    for name in texts:
        library.remove(added[name])
        assert links_of(library).all_amendments() == at_once()


@pytest.mark.usefixtures("room")
def test_only_what_is_new_is_read(
    library: Library, put: Put, monkeypatch: pytest.MonkeyPatch
) -> None:
    links_of(library)
    read: list[str] = []

    def parse(text: str, card: Card) -> object:
        read.append(text)
        return parse_statements(text, card)

    monkeypatch.setattr(links, "parse_statements", parse)
    text = "LEASE\n\nThis Lease is made between Elm Estates Limited and Fir Foods Limited.\n"
    document = put("lease.txt", text)
    links_of(library)
    assert read == [library.evidence_text(document)]
