"""How often a model is called: a plain question takes few calls and few tokens."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from fourcorners.library.ingest import add_files
from fourcorners.library.store import Library
from fourcorners.llm import Budget, FakeModel, Port, Request
from fourcorners.research.agents.inquiry import InquirySettings
from fourcorners.research.answer import Answer, Verdict
from fourcorners.research.run import ResearchQuestion, ask, final_answer
from fourcorners.settings import Settings
from tests.research.agents.test_inquiry import number_of

LEND = "The Hirer shall not lend the Boat to anybody without the written consent of the Owner."
PAY = "The Hirer shall pay GBP 90 for each day of the Hire Period, on the first of them."
END = "Either party may end this Agreement by seven days' written notice."
CLEAN = "The Hirer shall return the Boat clean, with its oars and its anchor."
LAW = "The law of Scotland governs this Agreement."
HIRE = f"""ANGLING AGREEMENT

This Angling Agreement is made on 2 June 2024 between Loch Boats Limited (the "Owner") and Perch \
Anglers Limited (the "Hirer").

1. TERMS
1.1 "Hire Period" means the days from 1 July 2024 to 14 July 2024.
1.2 "Boat" means the rowing boat Heron.

2. USE
2.1 {LEND}
2.2 {CLEAN}

3. PRICE
3.1 {PAY}

4. END
4.1 {END}

5. LAW
5.1 {LAW}
"""
PLAIN = {
    "Can the Hirer lend the Boat?": LEND,
    "What does the Hirer pay for each day?": PAY,
    "How can a party end the agreement?": END,
    "In what condition is the Boat returned?": CLEAN,
    "Which law governs the agreement?": LAW,
    "What must the Hirer pay under clause 3.1?": PAY,
}
FURTHER = "What else must the Hirer do with the Boat?"
LODGERS = " ".join(f"Guest {n} of the lodge keeps the gate shut." for n in range(500))


@pytest.fixture(scope="module")
def hires(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    folder = tmp_path_factory.mktemp("hires")
    long = f"{HIRE}\n6. LODGE\n6.1 {LODGERS}\n"
    for name, text in (("heron.txt", HIRE), ("tarn.txt", long)):
        (folder / name).write_text(text, "utf-8")
    with Library.open(folder / "hires.db") as library:
        report = add_files(library, sorted(folder.glob("*.txt")), collection="Loch", encoder=None,
                           settings=Settings(jobs=1))  # fmt: skip
        assert not report.failed
        yield library


def report(words: str, **more: object) -> Callable[[Request], str]:
    """Return a model that states words of the contract, and looks further if it may."""

    def said(request: Request) -> str:
        if request.prompt.name == "archivist":
            return json.dumps({"question": ""})
        finding = {"number": 1, "statement": words, "sentences": [number_of(request, words)]}
        answer = {"ruling": "the contract says", "sentences": [{"text": words, "findings": [1]}]}
        told: dict[str, Any] = {"findings": [finding], "answer": answer, "title": ""}
        if request.prompt.name == "draft":
            told |= more
        return json.dumps(told)

    return said


def run(
    library: Library,
    question: str,
    said: Callable[[Request], str],
    contract: str = "heron",
    budget: Budget | None = None,
) -> tuple[Answer, FakeModel]:
    model = FakeModel(said)
    with Port.for_model(model, attempts=1) as port:
        how = InquirySettings(budget=budget)
        asked = ResearchQuestion(question, contracts=[contract], how=how)
        return final_answer(ask(library, asked, port=port)), model


def prompts(model: FakeModel) -> list[str]:
    return [each.prompt.name for each in model.requests]


@pytest.mark.parametrize("contract", ["heron", "tarn"])
@pytest.mark.parametrize("question", PLAIN)
def test_a_plain_question_takes_one_call(hires: Library, question: str, contract: str) -> None:
    said = report(PLAIN[question], next_question=FURTHER)
    answer, model = run(hires, question, said, contract)
    assert prompts(model) == ["draft"]
    assert answer.answer.ruling is Verdict.SAYS
    assert sum(each.tokens_in + each.tokens_out for each in answer.record) <= 4_500
    # Of a contract that was not shown whole the report says what was not looked up.
    assert any(FURTHER in each.what for each in answer.gaps) is (contract == "tarn")


@pytest.mark.parametrize(
    "question",
    ["Can we lend the Boat?", "May they end it?", "Can the Hirer lend it? When? And to whom?"],
)
def test_who_asks_and_what_else_is_asked_is_for_a_model_to_understand(
    hires: Library, question: str
) -> None:
    _, model = run(hires, question, report(LEND))
    assert prompts(model)[0] == "archivist"


def test_what_a_plain_question_names_is_looked_up(hires: Library) -> None:
    question = "What must the Hirer pay for the Hire Period under clause 3.1?"
    answer, _ = run(hires, question, report(PAY), contract="tarn")
    done = [each.did for each in answer.record]
    assert done[:2] == ["clause: clause 3.1", "definition: Hire Period"]
    assert any(each.startswith("belongs: ") for each in done)


def test_nothing_that_is_new_to_the_model_ends_an_inquiry(hires: Library) -> None:
    gaps = {"gaps": ["Whether the weather counts"], "next_question": FURTHER}
    answer, model = run(hires, "Can the Hirer lend the Boat?", report(LEND, **gaps))
    assert prompts(model) == ["draft"]  # the whole contract was shown
    assert [each.turn for each in answer.drafts] == [1]
    assert not answer.stopped


def test_what_carries_nothing_of_the_answer_is_not_sent_back(hires: Library) -> None:
    def said(request: Request) -> str:
        told = json.loads(report(LEND)(request))
        wrong = {"number": 2, "statement": "The Hirer pays GBP 75 a day.",
                 "sentences": [number_of(request, PAY)]}  # fmt: skip
        told["findings"].append(wrong)
        return json.dumps(told)

    answer, model = run(hires, "Can the Hirer lend the Boat?", said)
    assert prompts(model) == ["draft"]
    assert answer.counts.unverified == 1


@pytest.mark.parametrize(("tokens", "is_whole"), [(None, True), (12_000, False)])
def test_a_contract_is_read_whole_where_lookups_settle_nothing(
    hires: Library, tokens: int | None, *, is_whole: bool
) -> None:
    gaps = {"gaps": ["Whether guests count"], "next_question": "Who shuts the gate of the lodge?"}
    budget = Budget(tokens=tokens) if tokens else None
    _, model = run(hires, "Can the Hirer lend the Boat?", report(LEND, **gaps), "tarn", budget)
    first, second = model.requests[:2]
    assert "the whole of tarn.txt" not in first.messages[-1].text
    assert ("the whole of tarn.txt" in second.messages[-1].text) is is_whole
