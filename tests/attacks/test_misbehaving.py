"""A model that misbehaves makes a failed cell, or a claim; the rest of the review stands."""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from fourcorners.errors import BudgetExceeded
from fourcorners.library.ingest import add_files
from fourcorners.library.llm_store import LibraryCache, LibraryLedger
from fourcorners.library.store import Library
from fourcorners.llm import open_port
from fourcorners.playbooks.load import parse_playbook
from fourcorners.playbooks.playbook import Playbook
from fourcorners.review.finding import CellState, Finding, Review
from fourcorners.review.prompting.reviewer import ModelReviewer
from fourcorners.review.prompting.settings import PromptSettings
from fourcorners.review.run import ReviewScope, review_library
from fourcorners.settings import LlmSettings, Settings
from tests.attacks.room import verified
from tests.review.asked import CLAUSES, LEAVE, PAPER, quoted, weighed
from tests.review.conftest import PLAYBOOK, TEXT
from tests.serving import Asked, Reply, Served, served

pytestmark = [pytest.mark.allow_hosts(["127.0.0.1"]), pytest.mark.usefixtures("one_process")]
LONGEST = 90.0  # seconds that a review of two cells may take, whatever the model does
SLOW = ("never", "endless", "lying length")  # what ends by its timeout alone


@pytest.fixture
def playbook() -> Playbook:
    return parse_playbook(PLAYBOOK, "small.yaml")


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("library")
    contract = tmp_path_factory.mktemp("contracts") / "supply.txt"
    contract.write_text(TEXT, encoding="utf-8")
    with Library.open(place / "larch.db") as opened:
        add_files(opened, [contract], collection="Larch", encoder=None, settings=Settings(jobs=1))
    return place


@pytest.fixture
def library(stored: Path, tmp_path: Path) -> Iterator[Library]:
    shutil.copytree(stored, tmp_path, dirs_exist_ok=True)
    with Library.open(tmp_path / "larch.db") as opened:
        yield opened


@pytest.fixture
def server() -> Iterator[Served]:
    with served() as running:
        yield running


def said(words: str, finish: str = "stop", **message: Any) -> Reply:
    choice = {
        "index": 0,
        "finish_reason": finish,
        "message": {"role": "assistant", "content": words, **message},
    }
    whole = {
        "id": "1",
        "object": "chat.completion",
        "created": 1,
        "model": "m",
        "choices": [choice],
        "usage": {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15},
    }
    return Reply(json.dumps(whole), headers={"Content-Type": "application/json"})


def well(asked: Asked) -> Reply:
    """Answer as a good model does."""
    told = str(asked.body["messages"])
    return said(json.dumps(quoted() if "“Insurance”" in told else quoted(LEAVE)))


def ill(answer: Callable[[], Reply]) -> Callable[[Asked], Reply]:
    """Answer well of insurance, and otherwise as is said."""
    return lambda asked: well(asked) if "“Insurance”" in str(asked.body["messages"]) else answer()


def reviewed(
    library: Library,
    server: Served,
    playbook: Playbook,
    asking: PromptSettings = PAPER,
    **more: Any,
) -> Review:
    scope = ReviewScope(only_failed=more.pop("only_failed", False))
    options = {"timeout": 60.0, "attempts": 1, "max_tokens": 300, "price_in": 1, "price_out": 2}
    settings = LlmSettings(model="m", url=server.url, **{**options, **more})
    cache, ledger = LibraryCache(library), LibraryLedger(library)
    with open_port(settings, cache=cache, ledger=ledger, job="review small") as port:
        asker = ModelReviewer(port, playbook, asking)
        return review_library(library, playbook, scope, encoder=None, asker=asker)


def cells(grid: Review) -> tuple[Finding, Finding]:
    (document,) = grid.documents
    first, second = (grid.cell(document.id, each) for each in ("change-of-control", "insurance"))
    return first, second


FAILING: dict[str, Callable[[], Reply]] = {
    "garbage": lambda: said("blargh \x00 ]]}}{{ 完全 不是"),
    "not http json": lambda: Reply("<html>busy</html>", headers={"Content-Type": "text/html"}),
    "half json": lambda: said('{"found": true, "passages": [{"words": "The Cust'),
    "prose": lambda: said("Sure! The contract has a change of control clause in 2.2."),
    "german": lambda: said("Ja, der Vertrag enthält eine solche Klausel in Ziffer 2.2."),
    "other form": lambda: said('{"answer": "yes", "sections": [2]}'),
    "found nothing": lambda: said('{"found": true, "passages": []}'),
    "empty": lambda: said(""),
    "refusal": lambda: said("", refusal="I cannot help with that."),
    "filtered": lambda: said("", finish="content_filter"),
    "cut": lambda: said('{"found": true, "passages": [', finish="length"),
    "a megabyte": lambda: said(json.dumps(quoted("x " * 500_000))),
    "deep json": lambda: said("[" * 200_000),
    "busy": lambda: Reply('{"error": {"message": "slow down"}}', 429, {"Retry-After": "0"}),
    "broken": lambda: Reply('{"error": {"message": "boom"}}', 500),
    "unauthorised": lambda: Reply('{"error": {"message": "bad key"}}', 401),
    "redirect": lambda: Reply("", 307, {"Location": "http://127.0.0.1:1/v1/chat/completions"}),
    "never": lambda: Reply(said("x").body, delay=200.0),
    "endless": lambda: Reply(said("x" * 9_000).body, pause=0.02,
                             headers={"Content-Type": "application/json"}),
    "lying length": lambda: Reply(said("x").body, length=9_999_999),
    "tool call": lambda: said("", finish="tool_calls", tool_calls=[
        {"id": "c", "type": "function", "function": {"name": "remove", "arguments": "{}"}}]),
}  # fmt: skip


@pytest.mark.parametrize("kind", FAILING)
def test_a_failed_cell_is_seen_the_other_is_filled_and_it_heals(
    library: Library, server: Served, playbook: Playbook, kind: str
) -> None:
    server.answer = ill(FAILING[kind])
    began = time.monotonic()
    timeout = 4.0 if kind in SLOW else 60.0
    failed, other = cells(reviewed(library, server, playbook, timeout=timeout))
    assert time.monotonic() - began < LONGEST
    assert failed.state is CellState.FAILED
    assert failed.error.startswith("The language model failed")
    assert failed.remedy
    assert failed.evidence == ()
    assert len(failed.error) < 500, "an error holds no answer"
    assert other.state is CellState.NOT_FOUND
    before = len(server.asked)
    server.answer = well
    healed, same = cells(reviewed(library, server, playbook, only_failed=True))
    assert (healed.state, same) == (CellState.FOUND, other)
    assert [each.quote.words for each in healed.evidence] == [LEAVE]
    assert len(server.asked) == before + 1, "only the failed cell was asked again"


UNTRUE = {
    "invented": "The Supplier may terminate this Agreement upon a change of its auditors.",
    "of another contract": "The Lessee shall keep the Aircraft in an airworthy condition always.",
    "wrong number": "This Agreement continues for thirty years and may be renewed for thirty more.",
    "reversed": "Either party may assign this Agreement without the consent of the other, always.",
    "translated": "Der Kunde kann diesen Vertrag bei einem Kontrollwechsel sofort kündigen.",
}


@pytest.mark.parametrize("kind", UNTRUE)
def test_untrue_words_are_claims_and_no_evidence(
    library: Library, server: Served, playbook: Playbook, kind: str
) -> None:
    def answer(asked: Asked) -> Reply:
        told = str(asked.body["messages"][-1])
        again = "quotation" in told and "“Change of control”" not in told
        return said(json.dumps(
            {"passages": [{"number": 1, "words": UNTRUE[kind]}]} if again else quoted(UNTRUE[kind])
        ))  # fmt: skip

    server.answer = lambda asked: (
        well(asked) if "“Insurance”" in str(asked.body["messages"]) else answer(asked)
    )
    cell, _ = cells(reviewed(library, server, playbook))
    assert cell.state is CellState.NOT_FOUND
    assert cell.evidence == ()
    assert cell.claims == (UNTRUE[kind],)


def test_a_wrong_number_within_the_contracts_words_is_shown_as_the_contract_has_it(
    library: Library, server: Served, playbook: Playbook
) -> None:
    """A slip of a letter is forgiven: what is shown are the contract's words, not the model's."""
    slip = "This Agreement is dated 5 March 2024 and made between Alder Components Limited"
    server.answer = ill(lambda: said(json.dumps(quoted(f"This Supply {slip[5:]}"))))
    cell, _ = cells(reviewed(library, server, playbook))
    assert not any("5 March" in each.quote.words for each in cell.evidence)
    assert verified(cell, TEXT)


def test_json_in_prose_is_an_answer(library: Library, server: Served, playbook: Playbook) -> None:
    words = json.dumps(quoted(LEAVE), indent=1)
    server.answer = ill(lambda: said(f"Here it is:\n```json\n{words}\n```\nAnything else?"))
    cell, _ = cells(reviewed(library, server, playbook))
    assert (cell.state, cell.claims) == (CellState.FOUND, ())


def test_numbers_and_ids_that_do_not_exist_are_passed_over(
    library: Library, server: Served, playbook: Playbook
) -> None:
    def answer(asked: Asked) -> Reply:
        told = str(asked.body["messages"])
        if len(asked.body["messages"]) > 2:  # a follow-up
            return said(json.dumps({"missed": [], "wrong": [42, -1, 0]}))
        if "“Insurance”" in told:
            return said(json.dumps(weighed(99, rejected=(1, 77, 0))))
        return said(json.dumps(weighed(1, 99, -4)))

    server.answer = answer
    asking = PromptSettings(follow_up=True, risks=False)
    cell, other = cells(reviewed(library, server, playbook, asking))
    assert cell.state is CellState.FOUND
    assert other.state is CellState.NOT_FOUND
    assert verified(cell, TEXT)


def test_a_model_is_given_no_tools(library: Library, server: Served, playbook: Playbook) -> None:
    server.answer = lambda _: said(json.dumps(weighed(1)))
    reviewed(library, server, playbook, CLAUSES)
    assert server.asked
    assert not any("tools" in each.body or "functions" in each.body for each in server.asked)


def test_a_server_that_charges_for_everything_stops_at_the_budget(
    library: Library, server: Served, playbook: Playbook
) -> None:
    server.answer = ill(FAILING["half json"])
    with pytest.raises(BudgetExceeded):
        reviewed(library, server, playbook, budget_tokens=500)
    assert len(server.asked) <= 1
