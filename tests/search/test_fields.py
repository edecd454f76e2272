"""Fields against a library: only what fits is found, and what cannot be asked is refused."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from hashlib import sha256

import pytest

from fourcorners.documents.document import Document, Page
from fourcorners.errors import ConfigError
from fourcorners.library.store import Library
from fourcorners.outline.card.card import Card, Fact, Party
from fourcorners.outline.tree import Node, NodeKind, Outline, Passage, View
from fourcorners.search.filters import Filters
from fourcorners.search.find import find_passages
from fourcorners.search.query import Mode, Query, parse_query
from fourcorners.search.run import explain_plan
from fourcorners.text.span import Span
from tests.models.fake import HashEncoder

Make = Callable[..., str]


@pytest.fixture
def room(library: Library, encoder: HashEncoder) -> dict[str, str]:
    """Two contracts of two headed clauses each; return their ids by name."""

    def one(name: str, kind: str, party: str, day: date, *, collection: str) -> str:
        text = (
            f"1. Assignment\n{party} may not assign this without consent.\n"
            "2. Term of years\nIt ends after two years, and may be assigned then.\n"
        )
        half = text.index("2. ")
        spans = [Span(0, half - 1), Span(half, len(text) - 1)]
        headings = [Span(3, 13), Span(half + 3, half + 16)]
        nodes = tuple(
            Node(at, None, NodeKind.SECTION, str(at + 1), heading, span)
            for at, (span, heading) in enumerate(zip(spans, headings, strict=True))
        )
        digest = sha256(text.encode()).hexdigest()
        document = Document(
            id=digest[:16],
            name=name,
            path=f"room/{name}",
            sha256=digest,
            media_type="text/plain",
            reader="plain/1",
            text=text,
            pages=(Page(1, Span(0, len(text)), 595.0, 842.0),),
        )
        card = Card(
            type=Fact(kind, spans[0], 0.9),
            parties=(Fact(Party(party, "the Tenant"), spans[0], 0.9),),
            agreement_date=Fact(day, spans[0], 0.9),
        )
        passages = [Passage(at, span, View.NODE, at) for at, span in enumerate(spans)]
        vectors = encoder.encode([span.text_in(text) for span in spans])
        library.add(document, Outline(nodes, 0.9), card, passages, vectors, collection=collection)
        return library.document_with(digest, collection) or ""

    return {
        "lease": one("a.txt", "Lease", "Acme Corp.", date(2019, 3, 4), collection="Larch"),
        "supply": one(
            "b.txt", "Supply Agreement", "Foxglove SA", date(2021, 6, 1), collection="Fir"
        ),
    }


def found(library: Library, query: str | Query, **options: object) -> set[tuple[str, int]]:
    hits = find_passages(library, query, limit=20, **options)  # type: ignore[arg-type]
    return {(hit.document, hit.ordinal) for hit in hits}


@pytest.mark.parametrize(
    ("query", "which"),
    [
        ("type:lease assign*", [("lease", 0), ("lease", 1)]),
        ("type:supply assign", [("supply", 0)]),
        ("party:acme", [("lease", 0), ("lease", 1)]),
        ('party:"corp acme" assigned', [("lease", 1)]),
        ("party:tenant consent", [("lease", 0), ("supply", 0)]),
        ("label:2 date:2019", [("lease", 1)]),
        ("heading:assignment", [("lease", 0), ("supply", 0)]),
        ('heading:"years term" collection:fir', [("supply", 1)]),
        ("date:2020.. assign*", [("supply", 0), ("supply", 1)]),
        ("date:..2020 NOT heading:term", [("lease", 0)]),
        ("consent AND (type:lease OR party:foxglove)", [("lease", 0), ("supply", 0)]),
        ("assign* NOT type:lease", [("supply", 0), ("supply", 1)]),
        ("party:zinnia assign*", []),
        ("date:1999 assign*", []),
    ],
)
def test_only_what_fits_is_found(
    library: Library, room: dict[str, str], query: str, which: list[tuple[str, int]]
) -> None:
    assert found(library, query) == {(room[name], ordinal) for name, ordinal in which}


def test_a_question_is_asked_within_its_fields(
    library: Library, room: dict[str, str], encoder: HashEncoder
) -> None:
    question = "when does it end after years type:lease"
    hits = found(library, question, encoder=encoder)
    assert hits
    assert {document for document, _ in hits} == {room["lease"]}


def test_fields_meet_filters(library: Library, room: dict[str, str]) -> None:
    filters = Filters(collection="Fir")
    assert found(library, "party:foxglove", filters=filters) == {
        (room["supply"], 0),
        (room["supply"], 1),
    }
    assert found(library, "party:acme", filters=filters) == set()


@pytest.mark.usefixtures("room")
@pytest.mark.parametrize("query", ["type:charter", "collection:oak"])
def test_what_the_library_does_not_have_is_refused(library: Library, query: str) -> None:
    with pytest.raises(ConfigError) as raised:
        found(library, query)
    assert raised.value.remedy


@pytest.mark.usefixtures("room")
def test_headings_of_an_older_library_are_not_searched_in_part(library: Library) -> None:
    library.execute("UPDATE meta SET value = 1 WHERE key = 'headings_after'")
    with pytest.raises(ConfigError, match="before headings were indexed"):
        found(library, "heading:assignment")


def test_stemming_finds_all_forms(library: Library, room: dict[str, str]) -> None:
    assert found(library, "type:lease assign") == {(room["lease"], 0)}
    both = {(room["lease"], 0), (room["lease"], 1)}
    assert found(library, parse_query("type:lease assign", stem=True)) == both
    assert found(library, parse_query('"be assigns"', stem=True)) == {
        (room["lease"], 1),
        (room["supply"], 1),
    }
    assert found(library, parse_query('"assign consents"~9 party:acme', stem=True)) == {
        (room["lease"], 0)
    }


def test_lucenes_proximity_costs_two_more_in_the_other_order(
    library: Library, room: dict[str, str]
) -> None:
    query = 'type:lease "assign not"~1'
    assert found(library, query) == {(room["lease"], 0)}
    assert found(library, parse_query(query, mode=Mode.LUCENE)) == set()
    assert found(library, parse_query('type:lease "assign not"~2', mode=Mode.LUCENE)) == {
        (room["lease"], 0)
    }


@pytest.mark.usefixtures("room")
def test_the_plan_tells_what_is_done(library: Library, encoder: HashEncoder) -> None:
    query = parse_query("notice pre/3 assign type:lease", stem=True)
    steps = explain_plan(library, query, encoder=encoder)
    said = {step.name: step.description for step in steps}
    assert "assigned" in said["With stemming"]
    assert said["Field"] == "type:lease leaves 2 passages"
    assert "each then read" in said["Term"]
    assert "never the set" in said["Read as"]
