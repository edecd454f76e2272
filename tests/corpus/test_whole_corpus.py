"""The main job on real input: every annotated contract there is, read, stored and reviewed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from fourcorners import reports
from fourcorners.library.add_report import AddReport
from fourcorners.library.ingest import add_files
from fourcorners.library.store import Library
from fourcorners.playbooks.load import load_playbook
from fourcorners.review.finding import CellState, Review
from fourcorners.review.run import Workers, review_library
from fourcorners.settings import Settings
from fourcorners.system.processes import usable_cores
from fourcorners_bench.cards.score import score_cards
from fourcorners_bench.cards.values import (
    answer_values,
    load_values,
    score_values,
)
from fourcorners_bench.extraction.loader import load_cuad

pytestmark = [pytest.mark.corpus, pytest.mark.slow]


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    with Library.open(tmp_path_factory.mktemp("corpus") / "cuad.db") as opened:
        yield opened


@pytest.fixture(scope="module")
def added(library: Library, corpus: Path) -> AddReport:
    folders = [corpus / "cuad" / "contracts", corpus / "cuad" / "pdf"]
    settings = Settings(jobs=usable_cores())
    return add_files(library, folders, collection="CUAD", encoder=None, settings=settings)


@pytest.fixture(scope="module")
def grid(library: Library, added: AddReport) -> Review:
    assert added.added
    return review_library(
        library,
        load_playbook("due-diligence"),
        encoder=None,
        workers=Workers(jobs=usable_cores()),
    )


def test_every_contract_is_read(added: AddReport, library: Library) -> None:
    assert added.found == 456
    assert added.failed == ()
    assert added.added + added.already == added.found
    assert library.check() == []


def test_what_is_stored_is_what_the_files_hold(library: Library, added: AddReport) -> None:
    assert added.added
    texts = 0
    for entry in library.documents():
        document = library.document(entry.id)
        assert document.text.strip()
        path = Path(document.path)
        if path.suffix == ".txt":
            with path.open(encoding="utf-8", newline="") as file:
                assert document.text == file.read(), entry.name
            texts += 1
            continue
        assert not set(document.text) & set("\ufffe\u037e\r\0")
        ends = [0, *(page.span.end for page in document.pages)]
        assert [page.span.start for page in document.pages] == ends[:-1]
        assert ends[-1] == len(document.text)
    assert texts == 400  # of two files with the same bytes, one is kept


def test_cards_say_what_lawyers_wrote(library: Library, added: AddReport, corpus: Path) -> None:
    assert added.added
    cards = {entry.name: library.card(entry.id) for entry in library.documents()}
    contracts = [each for each in load_cuad(corpus / "cuad")[::4] if each.name in cards]
    assert len(contracts) >= 100
    tallies = score_cards(contracts, cards).parts["all"]
    for name in ("Document Name", "Type"):
        assert tallies[name].exact >= 0.85, name
    parties = tallies["Parties"]
    assert parties.common / parties.found >= 0.85
    names = [each.name for each in contracts]
    run = [line for name in names for line in answer_values(name, cards[name])]
    for name, counts in score_values(names, load_values(contracts), run).items():
        assert counts.precision >= 0.9, name


def test_every_cell_is_filled(grid: Review) -> None:
    assert len(grid.findings) == 17 * len(grid.documents)
    states = {CellState.FOUND, CellState.NOT_FOUND, CellState.NOT_APPLICABLE}
    assert {cell.state for cell in grid.findings} == states


def test_every_quote_is_the_text_at_its_span(grid: Review) -> None:
    texts = {document.id: document.text for document in grid.documents}
    quotes = 0
    for cell in grid.findings:
        text = texts[cell.document]
        best = cell.searched.best if cell.searched else None
        for each in [*cell.evidence, *([best] if best else [])]:
            span = each.quote.span
            assert span is not None
            assert text[span.start : span.end] == each.quote.words
            assert each.quote.words.strip()
            assert span.end <= len(text)
            quotes += 1
    assert quotes > 5_000


def test_passages_lose_no_character(library: Library, added: AddReport) -> None:
    assert added.passages
    for entry in library.documents():
        text = library.text(entry.id)
        covered = bytearray(len(text))
        for passage in library.passages(entry.id):
            covered[passage.span.start : passage.span.end] = b"\1" * len(passage.span)
        lost = [i for i, there in enumerate(covered) if not there and text[i].strip()]
        assert not lost, entry.name


def test_quotes_in_the_written_reports_stand_in_the_text(grid: Review, tmp_path: Path) -> None:
    reports.write(grid, tmp_path / "report.json")
    reports.write(grid, tmp_path / "report.html")
    reports.write(grid, tmp_path / "report.xlsx")
    texts = {document.id: document.text for document in grid.documents}
    written = json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))
    for finding in written["findings"]:
        text = texts[finding["document"]]
        for evidence in finding["evidence"]:
            quote = evidence["quote"]
            assert text[quote["start"] : quote["end"]] == quote["text"]
            clause = evidence["clause"]
            assert text[clause["start"] : clause["end"]] == clause["text"]
