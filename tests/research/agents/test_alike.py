"""Like clauses of other contracts and of banks: shown to compare, and never evidence."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

import pytest

from fourcorners.library.ingest import add_files
from fourcorners.library.store import Library
from fourcorners.llm import FakeModel, Port, Request
from fourcorners.playbooks.bank.store import BankClause, store_clauses
from fourcorners.research.agents.contract_tools import contract_tools
from fourcorners.research.agents.inquiry import InquirySettings
from fourcorners.research.answer import Verification
from fourcorners.research.context import build_context
from fourcorners.research.run import ResearchQuestion, ask, final_answer
from fourcorners.research.tool import Material, ToolQuery
from fourcorners.settings import Settings
from tests.models.fake import HashEncoder
from tests.research.agents.test_inquiry import number_of

ENDING = {
    "kelp": "Either party may end this Agreement by sixty days' written notice to the other.",
    "crab": "Either party may end this Agreement by ten days' written notice to the other.",
    "eel": "Either party may end this Agreement by one day's written notice to the other.",
}
BANKED = "Either party may end this Agreement by ninety days' written notice to the other."
CONTRACT = """FISHING AGREEMENT

This Fishing Agreement is made between {name} Nets Limited (the "Owner") and Sprat Limited (the \
"Fisher").

1. CATCH
1.1 The Fisher shall weigh what it lands and tell the Owner the weight in kilograms.

2. ENDING
2.1 {ending}
"""


@pytest.fixture(scope="module")
def fleet(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    """Yield a library in which the eel's contract is in a collection of its own."""
    folder = tmp_path_factory.mktemp("fleet")
    with Library.open(folder / "fleet.db") as library:
        for collection, names in {"Shore": ("kelp", "crab"), "Deep": ("eel",)}.items():
            files = [folder / f"{name}.txt" for name in names]
            for file in files:
                words = CONTRACT.format(name=file.stem.title(), ending=ENDING[file.stem])
                file.write_text(words, "utf-8")
            add_files(library, files, collection=collection, encoder=HashEncoder(),
                      settings=Settings(jobs=1))  # fmt: skip
        store_clauses(library, "House", [BankClause("termination", BANKED, 4, "Model form 7")])
        yield library


def alike(
    library: Library,
    words: str,
    collection: str | None,
    contracts: Sequence[str] = ("kelp",),
    *,
    inside: str = "",
) -> Sequence[Material]:
    context = build_context(library, contracts, collection=collection, encoder=HashEncoder())
    (tool,) = [each for each in contract_tools(context) if each.name == "alike"]
    return tool.run(ToolQuery(words, contract=inside, limit=6))


@pytest.mark.parametrize("words", ["2.1", "a party may end the agreement by written notice"])
def test_like_clauses_of_other_contracts_and_banks_are_found(fleet: Library, words: str) -> None:
    found = alike(fleet, words, None)
    texts = " ".join(each.words for each in found)
    assert all(each in texts for each in (ENDING["crab"], BANKED))
    assert ENDING["kelp"] not in texts
    assert ENDING["eel"] not in texts  # of a collection of which nothing is asked
    assert all("for comparison" in each.source for each in found)
    (bank,) = [each for each in found if each.words == BANKED]
    assert (bank.source, bank.where) == (
        "clause bank, for comparison: Model form 7",
        "termination, 4 stars",
    )


def test_a_question_to_a_collection_sees_no_other_and_no_bank(fleet: Library) -> None:
    texts = " ".join(each.words for each in alike(fleet, "2.1", "Shore"))
    assert ENDING["crab"] in texts
    assert ENDING["eel"] not in texts
    assert BANKED not in texts
    context = build_context(fleet, ["eel"], collection="Deep", encoder=HashEncoder())
    (tool,) = [each for each in contract_tools(context) if each.name == "alike"]
    (note,) = tool.run(ToolQuery("2.1"))
    assert note.by_program
    assert note.words == "Nothing like it was found where this question may read."


def test_contracts_of_the_collections_in_question_are_compared(fleet: Library) -> None:
    texts = " ".join(each.words for each in alike(fleet, "2.1", None, ["crab", "eel"]))
    assert ENDING["kelp"] in texts


@pytest.mark.parametrize("inside", ["", "kelp", "crab"])
def test_no_contract_in_question_is_shown_as_another(fleet: Library, inside: str) -> None:
    found = alike(fleet, "2.1", None, ["kelp", "crab"], inside=inside)
    assert [each.words for each in found] == [BANKED]


def test_what_another_contract_says_supports_no_finding(fleet: Library) -> None:
    def said(request: Request) -> str:
        if request.prompt.name == "archivist":
            return json.dumps({"looks": [{"tool": "alike", "words": "2.1"}]})
        number = number_of(request, "ten days'")
        finding = {"number": 1, "statement": ENDING["crab"], "sentences": [number]}
        answer = {"ruling": "the contract says",
                  "sentences": [{"text": ENDING["crab"], "findings": [1]}]}  # fmt: skip
        outside = {"statement": "Another contract has ten days.", "sentences": [number]}
        draft = {"findings": [finding], "answer": answer, "external": [outside]}
        return json.dumps(draft if request.prompt.name == "draft" else {"answer": answer})

    with Port.for_model(FakeModel(said), attempts=1) as port:
        asked = ResearchQuestion(
            "How do we end it?", contracts=["kelp"], how=InquirySettings(turns=1)
        )
        answer = final_answer(ask(fleet, asked, encoder=HashEncoder(), port=port))
    (finding,) = answer.findings
    assert finding.standing is Verification.UNVERIFIED
    assert not finding.quotes
    assert answer.counts.verified == 0
    (outside,) = answer.external
    assert outside.tool == "alike"
    assert ENDING["crab"] in outside.words
