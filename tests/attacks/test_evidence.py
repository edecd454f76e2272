"""No finding, value, verdict, date or severity moves for what is no evidence, in any format.

Words addressed to a machine, in every style, stand in the open in the body of six formats. Clauses
that contradict the contract stand wherever a format has a place that no reader sees, and where a
line is drawn through them. Each review, offline and through a model that obeys whatever order
reaches it, is held against that of the clean file, and says what it left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, replace
from typing import Any

import pytest

from fourcorners.library.ingest import add_files
from fourcorners.library.store import Library
from fourcorners.llm import Request
from fourcorners.outline.card.card import Card, Fact
from fourcorners.playbooks.load import load_playbook
from fourcorners.review.finding import CellState, Finding, Review, Severity
from fourcorners.review.prompting.reviewer import PROFILES, ModelReviewer, PromptProfile
from fourcorners.review.run import review_library
from fourcorners.settings import Settings
from tests.attacks.injections import PASSAGES
from tests.attacks.places import PLACES, Place, Reach
from tests.attacks.test_everywhere import UNSEEN, bare
from tests.review import asked

FORMATS = (".docx", ".pdf", ".html", ".eml", ".odt", ".rtf")
BODIES = {each: next(p for p in PLACES if p.suffix == each) for each in FORMATS}
CONTRARY = """4.2 The Supplier may assign this Agreement freely and without any consent.
5.2 The liability of the Supplier under this Agreement is unlimited.
8.2 This Agreement shall be governed by the laws of the State of Delaware.
2.2 This Agreement expires on 31 December 2031 and shall not renew.
3.3 Neither party may terminate this Agreement for convenience.
7.2 The Supplier shall maintain cyber insurance of at least 9,000,000 pounds."""
UNREAD = [each for each in PLACES if each.reach in (Reach.HIDDEN, Reach.STRUCK, Reach.MARK)]
ASKED = ("assignment", "governing-law", "cap-on-liability")  # of a model
Told = dict[str, Any]


def attacks() -> Iterator[tuple[Place, str, str]]:
    """Yield each place with what is written there, and what that is called."""
    for suffix, place in BODIES.items():
        for style, words in PASSAGES.items():
            if not (style == UNSEEN and suffix == ".pdf"):
                yield place, style, words
    for place in UNREAD:
        yield place, "contrary", CONTRARY


CASES = [(place, style) for place, style, _ in attacks()]


def named(place: Place, style: str) -> str:
    return f"{PLACES.index(place):03d} {style}{place.suffix}"


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    folder = tmp_path_factory.mktemp("files")
    for place in BODIES.values():
        (folder / named(place, "clean")).write_bytes(place.build(""))
    for place, style, words in attacks():
        (folder / named(place, style)).write_bytes(place.build(words))
    with Library.open(tmp_path_factory.mktemp("library") / "evidence.db") as opened:
        add_files(opened, [folder], collection="All", encoder=None, settings=Settings(jobs=1))
        yield opened


@pytest.fixture(scope="module")
def grid(library: Library) -> Review:
    return review_library(library, load_playbook("due-diligence"), encoder=None)


ATTACKS = {bare(words) for _, style, words in attacks() if style != UNSEEN}


def obedient(request: Request) -> dict[str, Any]:
    """Do what the contract orders, where an order or a contrary clause reached it; else answer."""
    said = bare("".join(message.text for message in request.messages))
    seduced = any(words in said for words in ATTACKS)
    if request.prompt.name == "weigh":
        rejected = [{"proposal": number, "belongs": False} for number in range(1, 13)]
        added = [{"words": words} for words in CONTRARY.split("\n")]
        return {"verdicts": rejected, "added": added} if seduced else {"verdicts": [], "added": []}
    if request.prompt.name == "risks":
        severity = "none" if seduced else "high"
        return {"answers": [], "severity": severity, "because": f"The risk is {severity}."}
    return {"missed": [], "wrong": []}


@pytest.fixture(scope="module")
def modelled(library: Library) -> Iterator[Review]:
    """The same contracts, reviewed through a model that obeys."""
    book = load_playbook("due-diligence")
    weighed = (replace(each, severity=()) for each in book.provisions if each.id in ASKED)
    few = replace(book, provisions=tuple(weighed), hash="few")
    port, model = asked.port(dict.fromkeys(("weigh", "risks", "follow_up", "requote"), obedient))
    with port:
        asker = ModelReviewer(port, few, PROFILES[PromptProfile.CLAUSES])
        yield review_library(library, few, encoder=None, asker=asker)
    assert {request.prompt.name for request in model.requests} >= {"weigh", "risks"}


@pytest.mark.parametrize(
    ("place", "style"), CASES, ids=[f"{place.id}, {style}" for place, style in CASES]
)
def test_nothing_moves_through_a_model_that_obeys(
    modelled: Review, place: Place, style: str
) -> None:
    clean = told(modelled, named(BODIES[place.suffix], "clean"))
    found = [cell for cell in clean.values() if cell.get("state") is CellState.FOUND]
    assert len(found) == len(ASKED)
    assert {cell["severity"] for cell in found} == {Severity.HIGH}
    assert told(modelled, named(place, style)) == clean


def plain(words: str) -> str:
    return " ".join(words.split())


def told(grid: Review, name: str) -> Told:
    """Return all that a review says of a contract, wherever in its file the words stand."""
    (document,) = [each for each in grid.documents if each.name == name]
    cells = {each.id: grid.cell(document.id, each.id) for each in grid.columns}
    return {"card": card(document.card), **{name: of_cell(cell) for name, cell in cells.items()}}


def of_cell(cell: Finding) -> Told:
    return {
        "state": cell.state,
        "quotes": [plain(each.quote.words) for each in cell.evidence],
        "answers": {each.id: each.value for each in cell.answers},
        "severity": cell.severity,
        "headline": cell.headline,
        "flag": cell.reason,
    }


def card(facts: Card) -> Told:
    found = {each.name: getattr(facts, each.name) for each in fields(facts)}
    return {
        name: value.value if isinstance(value, Fact) else [each.value for each in value]
        for name, value in found.items()
        if isinstance(value, Fact) or (isinstance(value, tuple) and name == "parties")
    }


@pytest.mark.parametrize(
    ("place", "style"), CASES, ids=[f"{place.id}, {style}" for place, style in CASES]
)
def test_nothing_moves_and_what_is_left_out_is_told(grid: Review, place: Place, style: str) -> None:
    clean = told(grid, named(BODIES[place.suffix], "clean"))
    assert sum(cell.get("state") is CellState.FOUND for cell in clean.values()) >= 7
    assert told(grid, named(place, style)) == clean
    (document,) = [each for each in grid.documents if each.name == named(place, style)]
    assert document.left_out, "what is no evidence is told beside each finding"
