"""No finding is another for what someone wrote into a file, wherever in it that stands.

What reaches the text is reviewed in each place: all styles at once, and one alone, each in turn.
What does not leaves the text as it is (`test_everywhere`), and a review reads nothing else.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import lxml.html
import openpyxl
import pytest
from lxml import etree

from fourcorners import reports
from fourcorners.library.ingest import add_files
from fourcorners.library.store import Library
from fourcorners.playbooks.load import load_playbook
from fourcorners.playbooks.playbook import Playbook
from fourcorners.reports import Grid, word
from fourcorners.reports.chapters import due_diligence
from fourcorners.review.finding import CellState, Review
from fourcorners.review.prompting.reviewer import PROFILES, ModelReviewer, PromptProfile
from fourcorners.review.run import ReviewScope, review_library
from fourcorners.settings import Settings
from fourcorners.text.span import Span
from tests.attacks.injections import PASSAGES, SCRIPTS
from tests.attacks.places import PLACES, Place
from tests.attacks.room import told
from tests.attacks.test_everywhere import UNSEEN, bare
from tests.review import asked

STYLES = PASSAGES | SCRIPTS
OFFICE = (".docx", ".odt", ".rtf", ".html")  # formats whose text is the same wherever lines end
READ = [each for each in PLACES if each.reach.in_text and each.suffix in OFFICE]
TELLING = (
    "previous instructions", "unrestricted", "delete_library", "javascript:", "DDEAUTO",
    "/etc/passwd", "DROP TABLE", "Anweisungen", "HYPERLINK",
)  # fmt: skip
HARMLESS = "Each party shall keep its own copy of this Agreement in a safe place."


def named(place: Place, style: str) -> str:
    return f"{PLACES.index(place):03d} {style}{place.suffix}"


def control(place: Place) -> Place:
    """Return where harmless words stand in the contract that one with an attack is held against.

    It is the body of the same format.
    """
    return next(each for each in READ if each.suffix == place.suffix)


def cases() -> Iterator[tuple[Place, str, str]]:
    """Yield each place with the words to put there, and what they are called."""
    styles = [each for each in STYLES if each != UNSEEN]
    for number, place in enumerate(READ):
        style = styles[number % len(styles)]
        yield place, "all", "\n".join(STYLES[each] for each in styles)
        yield place, style, STYLES[style]


CASES = [(place, style) for place, style, _ in cases()]


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    folder = tmp_path_factory.mktemp("files")
    for place in {control(each) for each in READ}:
        (folder / named(place, "clean")).write_bytes(place.build(HARMLESS))
    for place, style, words in cases():
        (folder / named(place, style)).write_bytes(place.build(words))
    with Library.open(tmp_path_factory.mktemp("library") / "places.db") as opened:
        add_files(opened, [folder], collection="Places", encoder=None, settings=Settings(jobs=1))
        yield opened


@pytest.fixture(scope="module")
def playbook() -> Playbook:
    return load_playbook("due-diligence")


@pytest.fixture(scope="module")
def grid(library: Library, playbook: Playbook) -> Review:
    return review_library(library, playbook, encoder=None)


def attack_in(text: str, words: str) -> list[Span]:
    """Return where words stand in a text, whatever the white space between their letters."""
    places = [at for at, letter in enumerate(text) if bare(letter)]
    letters, sought = bare(text), bare(words)
    found, at = [], letters.find(sought)
    while at >= 0:
        found.append(Span(places[at], places[at + len(sought) - 1] + 1))
        at = letters.find(sought, at + 1)
    return found


@pytest.mark.parametrize(
    ("place", "style"), CASES, ids=[f"{place.id}, {style}" for place, style in CASES]
)
def test_no_finding_is_another(grid: Review, place: Place, style: str) -> None:
    unharmed = named(control(place), "clean")
    (text,) = [each.text for each in grid.documents if each.name == unharmed]
    clean = told(grid, unharmed, *attack_in(text, HARMLESS))
    assert sum(state is CellState.FOUND for state, _ in clean.values()) >= 7
    (text,) = [each.text for each in grid.documents if each.name == named(place, style)]
    words = {name: put for at, name, put in cases() if at is place}[style]
    spans = attack_in(text, place.says(words))
    assert spans
    found = told(grid, named(place, style), *spans)
    # What an order may hide is to be read, and a quote off the point may go; nothing else moves.
    for name, (state, quotes) in found.items():
        was, quoted = clean[name]
        assert (was, state) == (CellState.NOT_FOUND, CellState.TO_READ) or state is was
        assert set(quotes) <= set(quoted), name
        assert bool(quotes) is bool(quoted), name
    assert found.keys() == clean.keys()


def test_a_model_is_told_no_word_outside_of_the_fence(library: Library, playbook: Playbook) -> None:
    few = replace(playbook, provisions=playbook.provisions[:2], hash="two")
    entries = [each for each in library.documents("Places") if " all." in each.name][::3]
    port, model = asked.port(
        {"weigh": asked.weighed(), "risks": {"answers": []},
         "follow_up": {"missed": [], "wrong": []}}
    )  # fmt: skip
    with port:
        asker = ModelReviewer(port, few, PROFILES[PromptProfile.CLAUSES])
        review_library(
            library, few, ReviewScope(documents=[e.id for e in entries]), encoder=None, asker=asker
        )
    prompts = [m.text for request in model.requests for m in request.messages]
    assert prompts
    assert not any("previous instructions" in each for each in prompts), "orders are left out"
    for prompt in prompts:
        outside = asked.outside_fences(prompt)
        assert not any(words in outside for words in TELLING)


@pytest.fixture(scope="module")
def written(grid: Review, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write the report of some contracts, with every style in each, in each format."""
    folder = tmp_path_factory.mktemp("reports")
    some = [each for each in grid.documents if " all." in each.name][::8]
    kept = {each.id for each in some}
    few = replace(
        grid,
        documents=tuple(some),
        findings=tuple(each for each in grid.findings if each.document in kept),
    )
    for name in ("report.html", "report.xlsx", "report.json"):
        reports.write(few, folder / name)
    report = due_diligence(Grid(few))
    word.export(report, folder / "report.docx")
    return folder


def test_no_report_has_markup_of_theirs(written: Path) -> None:
    page = lxml.html.fromstring((written / "report.html").read_text(encoding="utf-8"))
    elements = list(page.iter())
    assert sum(each.tag == "script" for each in elements) == 2
    assert not {each.tag for each in elements} & {"img", "iframe", "object", "embed"}
    attributes = [(name, value) for each in elements for name, value in each.attrib.items()]
    assert not any(str(name).startswith("on") for name, _ in attributes)
    assert [value for name, value in attributes if name in ("href", "src") and ":" in value] == []
    held = json.loads((written / "report.json").read_text(encoding="utf-8"))
    assert len(held["documents"]) > 5


def test_no_report_has_formulas_or_fields_of_theirs(written: Path) -> None:
    book = openpyxl.load_workbook(written / "report.xlsx")
    cells = [cell for sheet in book for row in sheet.iter_rows() for cell in row]
    assert len(cells) > 100
    assert [cell.coordinate for cell in cells if cell.data_type == "f"] == []
    with zipfile.ZipFile(written / "report.docx") as archive:
        body = etree.fromstring(archive.read("word/document.xml"))
        links = [archive.read(each) for each in archive.namelist() if each.endswith(".rels")]
    space = {"w": "http://schemas.openxmlformats.org/wordprocessingml/2006/main"}
    codes = "".join(each.text or "" for each in body.iterfind(".//w:instrText", space))
    assert not any(each in codes for each in ("DDE", 'HYPERLINK "http', "INCLUDE", "MACRO"))
    assert not any(b"javascript:" in each or b"127.0.0.1" in each for each in links)


def test_nothing_was_run(grid: Review, written: Path) -> None:
    assert grid.documents
    assert written.is_dir()
    assert not Path("/tmp/owned").exists()  # noqa: S108 - what the attacks would make
