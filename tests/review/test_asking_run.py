"""A review with a model: stored, resumed after a budget's end, foretold, and free again."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from fourcorners.errors import BudgetExceeded, LlmRefused
from fourcorners.library.ingest import add_files
from fourcorners.library.jobs import JobTable
from fourcorners.library.llm_store import LibraryCache, LibraryLedger
from fourcorners.library.store import Library
from fourcorners.llm import Budget, FakeModel, Options, Port, Request, fixed_price
from fourcorners.playbooks.playbook import Playbook
from fourcorners.review import store
from fourcorners.review.estimate import estimate_cost
from fourcorners.review.finding import Author, CellState
from fourcorners.review.prompting.reviewer import ModelReviewer, PromptSettings
from fourcorners.review.run import ReviewProgress, ReviewScope, review_library
from fourcorners.settings import Settings
from tests.review import asked
from tests.review.conftest import TEXT

CONTROL = re.compile(r"there is a change of control of the Supplier(?: \d)?\.")


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("contracts")
    for number in range(3):
        text = TEXT.replace("control of the\nSupplier.", f"control of the Supplier {number}.")
        (folder / f"supply-{number}.txt").write_text(text, encoding="utf-8")
    place = tmp_path_factory.mktemp("library")
    with Library.open(place / "larch.db") as opened:
        add_files(opened, [folder], collection="Larch", encoder=None, settings=Settings(jobs=1))
    return place


@pytest.fixture
def library(stored: Path, tmp_path: Path) -> Iterator[Library]:
    shutil.copytree(stored, tmp_path, dirs_exist_ok=True)
    with Library.open(tmp_path / "larch.db") as opened:
        yield opened


def extracts(request: Request) -> dict[str, Any]:
    told = request.messages[1].text
    if "“Insurance”" in told:
        return asked.quoted()
    found = CONTROL.search(told)
    return asked.quoted(found.group() if found else "nothing of the kind stands in here")


def open_port(library: Library, answer: Any = extracts, **more: Any) -> tuple[Port, FakeModel]:
    return asked.port(
        {"extract": answer, "requote": {"passages": []}},
        cache=LibraryCache(library),
        ledger=LibraryLedger(library),
        job="review small",
        options=Options(max_tokens=200),
        price=fixed_price(10.0, 20.0),
        **more,
    )


def test_a_review_with_a_model_is_stored_and_free_again(
    library: Library, playbook: Playbook
) -> None:
    port, model = open_port(library)
    seen: list[ReviewProgress] = []
    with port:
        asker = ModelReviewer(port, playbook, asked.PAPER)
        grid = review_library(
            library,
            playbook,
            encoder=None,
            asker=asker,
            on_progress=seen.append,
        )
    cells = [grid.cell(each.id, "change-of-control") for each in grid.documents]
    assert [CONTROL.fullmatch(cell.evidence[0].quote.words) is not None for cell in cells]
    assert {cell.author for cell in cells} == {Author.MODEL}
    assert cells[0].searched is not None
    assert cells[0].searched.given, "what was given is stored with the cell"
    assert ("Language model", asker.description) in grid.provenance
    assert len(model.requests) == 6
    assert [step.done for step in seen] == [2, 4, 6]
    assert seen[0].cost
    assert seen[0].cost_left == pytest.approx(2 * seen[0].cost, rel=0.2)
    port, model = open_port(library)
    with port:
        again = review_library(
            library,
            playbook,
            ReviewScope(again=True),
            encoder=None,
            asker=ModelReviewer(port, playbook, asked.PAPER),
        )
    assert model.requests == []
    assert again.findings == grid.findings
    local = review_library(library, playbook, encoder=None)
    assert {cell.author for cell in local.findings} == {Author.RULE}, "another engine"


def test_a_budget_ends_a_review_and_a_greater_one_goes_on(
    library: Library, playbook: Playbook
) -> None:
    port, model = open_port(library, budget=Budget(tokens=4_200), concurrency=1)
    with port, pytest.raises(BudgetExceeded, match="budget"):
        review_library(
            library, playbook, encoder=None, asker=ModelReviewer(port, playbook, asked.PAPER)
        )
    done = sum(
        len(store.load_findings(library, playbook, each.id)) for each in library.documents("Larch")
    )
    assert 0 < done < 6
    assert done == len(model.requests)
    assert [job.kind for job in JobTable(library).list(unfinished=True)] == ["review"]
    port, model = open_port(library, budget=Budget(tokens=90_000))
    with port:
        grid = review_library(
            library, playbook, encoder=None, asker=ModelReviewer(port, playbook, asked.PAPER)
        )
    assert CellState.FAILED not in {cell.state for cell in grid.findings}
    assert len(model.requests) == 6 - done
    assert JobTable(library).list(unfinished=True) == []


def test_failed_cells_are_tried_again(library: Library, playbook: Playbook) -> None:
    port, _ = open_port(library, lambda _: LlmRefused("it declined.", remedy="Ask another."))
    with port:
        grid = review_library(
            library, playbook, encoder=None, asker=ModelReviewer(port, playbook, asked.PAPER)
        )
    assert {cell.state for cell in grid.findings} == {CellState.FAILED}
    assert {cell.remedy for cell in grid.findings} == {"Ask another."}
    port, model = open_port(library)
    with port:
        again = review_library(
            library,
            playbook,
            ReviewScope(only_failed=True),
            encoder=None,
            asker=ModelReviewer(port, playbook, asked.PAPER),
        )
    assert CellState.FAILED not in {cell.state for cell in again.findings}
    assert len(model.requests) == 6


@pytest.mark.parametrize("asking", [asked.PAPER, asked.CLAUSES, PromptSettings()])
def test_what_it_costs_is_foretold(
    library: Library, playbook: Playbook, asking: PromptSettings
) -> None:
    port, model = open_port(library)
    with port:
        told = estimate_cost(library, ModelReviewer(port, playbook, asking), collection="Larch")
        assert model.requests == [], "nothing is sent"
        more = estimate_cost(
            library,
            ModelReviewer(port, playbook, replace(asking, follow_up=True)),
            collection="Larch",
        )
    assert (told.contracts, told.cells, told.read, told.cached) == (3, 6, 3, 0)
    local = review_library(library, playbook, encoder=None).findings
    found = sum(cell.state is CellState.FOUND for cell in local)
    assert told.calls == 6 + asking.risks * found
    assert told.cost == pytest.approx((told.tokens_in * 10 + told.tokens_out * 20) / 1e6)
    assert more.calls == told.calls + 6
    if asking is asked.PAPER:
        port, model = open_port(library)
        with port:
            review_library(
                library, playbook, encoder=None, asker=ModelReviewer(port, playbook, asking)
            )
            assert port.spending.calls == told.calls
            assert port.spending.tokens_in == pytest.approx(told.tokens_in, rel=0.1)
            after = estimate_cost(library, ModelReviewer(port, playbook, asking))
            assert (after.cells, after.calls) == (0, 0)
            kept = estimate_cost(library, ModelReviewer(port, playbook, asking), again=True)
            assert (kept.cells, kept.calls, kept.cached, kept.cost) == (6, 0, 6, 0.0)
