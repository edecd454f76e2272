"""An exchange on a contract of the example room: true statements stay, and no false one passes."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml

from fourcorners.library.ingest import add_files
from fourcorners.library.store import Library
from fourcorners.llm import FakeModel, Port, Recorder, Replay, Request
from fourcorners.llm.exchange import LanguageModel
from fourcorners.models import Encoder
from fourcorners.research.agents.inquiry import InquirySettings
from fourcorners.research.answer import Answer, Verdict, Verification
from fourcorners.research.run import ResearchQuestion, ask, final_answer
from fourcorners.search.concepts import Concept
from fourcorners.settings import Settings
from tests.research.agents.recorded import play
from tests.research.agents.test_inquiry import number_of

ROOM = Path(__file__).parents[3] / "examples/dataroom"
CONTRACT = ROOM / "13-holmbury-serviced-premises-agreement.txt"
EXCHANGES = yaml.safe_load((Path(__file__).parent / "exchanges" / "room.yaml").read_text("utf-8"))
ASKED = ("01-", "08-", "09-", "10-", "12-", "13-")  # the contracts that they are about
QUESTION = "We want to leave at Christmas 2025. Can we, and how long before must we warn them?"
TRUE = (
    ("The Operator may call for the return of the Space on 90 days' written warning.",
     "ninety days' warning"),
    ("The Occupier may hand back the Space on a quarter day on four months' written warning.",
     "at least four months' warning"),
    ("The Occupier shall pay £7,450 on the first day of each month.", "pay £7,450"),
    ("The Monthly Charge rises by 4% on each 1 October.", "four per cent on each"),
    ("The deposit of about £15,000 is held by the Operator.", "A deposit of £14,900"),
)  # fmt: skip
FALSE = (
    ("The Operator may not call for the return of the Space.", "ninety days' warning"),
    ("The Occupier may hand back the Space on a quarter day on three months' written warning.",
     "at least four months' warning"),
    ("The Operator may hand back the Space on a quarter day on four months' written warning.",
     "at least four months' warning"),
    ("The Monthly Charge includes electricity and telephone.", "pay £7,450"),
    ("The deposit of £19,400 is held by the Operator.", "A deposit of £14,900"),
    ("The Occupier may sublet the Space.", "pay £7,450"),
)  # fmt: skip


def answer_as_told(request: Request) -> str:
    """Play a model that states all of it, and insists on what fails."""
    answer = {
        "ruling": "yes",
        "sentences": [
            {"text": "Yes, on four months' written warning.", "findings": [2]},
            {
                "text": "The Occupier shall pay £7,450 on the first day of each month.",
                "findings": [3],
            },
        ],
    }
    if request.prompt.name == "archivist":
        told: object = {"question": QUESTION, "context": "We are the Occupier."}
    elif request.prompt.name == "mend":
        told = {"answer": None}
    else:
        findings = [
            {"number": n, "statement": text, "sentences": [number_of(request, words)]}
            for n, (text, words) in enumerate((*TRUE, *FALSE), start=1)
        ]
        told = {"findings": findings, "answer": answer}
    return json.dumps(told)


@pytest.fixture(scope="module")
def report(
    tmp_path_factory: pytest.TempPathFactory, encoder: Encoder, concepts: Sequence[Concept]
) -> tuple[Answer, Answer]:
    """Return the report of the exchange, and the one that its record gives again."""
    folder = tmp_path_factory.mktemp("exchange")

    def report_of(library: Library, model: LanguageModel) -> Answer:
        with Port.for_model(model) as port:
            events = ask(
                library,
                ResearchQuestion(QUESTION, contracts=["holmbury"], how=InquirySettings(turns=2)),
                encoder=encoder,
                concepts=concepts,
                port=port,
            )
            return final_answer(events)

    with Library.open(folder / "room.db") as library:
        add_files(
            library, [CONTRACT], collection="Room", encoder=encoder, settings=Settings(jobs=1)
        )
        file = folder / "exchanges.jsonl"
        first = report_of(library, Recorder(FakeModel(answer_as_told), file))
        return first, report_of(library, Replay(file))


def test_nothing_true_is_refused_and_nothing_false_is_verified(
    report: tuple[Answer, Answer],
) -> None:
    standing = {each.text: each.standing for each in report[0].findings}
    assert len(standing) == len(TRUE) + len(FALSE)
    assert all(standing[text] is not Verification.UNVERIFIED for text, _ in TRUE)
    assert all(standing[text] is not Verification.VERIFIED for text, _ in FALSE)
    assert sum(standing[text] is Verification.UNVERIFIED for text, _ in FALSE) >= 3


def test_the_answer_stands_and_its_record_gives_it_again(report: tuple[Answer, Answer]) -> None:
    first, again = report
    assert first.answer.ruling is Verdict.UNSURE  # its sentences are the model's own words
    assert first.calls == 2  # what failed carries nothing of the answer
    assert (first.answer, first.findings) == (again.answer, again.findings)


@pytest.fixture(scope="module")
def room(tmp_path_factory: pytest.TempPathFactory, encoder: Encoder) -> Path:
    path = tmp_path_factory.mktemp("room") / "room.db"
    files = [each for each in sorted(ROOM.iterdir()) if each.name.startswith(ASKED)]
    with Library.open(path) as library:
        add_files(library, files, collection="Room", encoder=encoder, settings=Settings(jobs=1))
    return path


@pytest.mark.parametrize("exchange", EXCHANGES, ids=[each["question"] for each in EXCHANGES])
def test_a_recorded_exchange_ends_in_the_same_report(
    room: Path, encoder: Encoder, concepts: Sequence[Concept], exchange: dict[str, Any]
) -> None:
    question, expected = exchange["question"], exchange["expect"]
    model = FakeModel(play(exchange["answers"], question))
    with Library.open(room, create=False) as library, Port.for_model(model) as port:
        events = ask(
            library,
            ResearchQuestion(question, contracts=exchange["contracts"]),
            encoder=encoder,
            concepts=concepts,
            port=port,
        )
        answer = final_answer(events)
    assert answer.answer.ruling.value == expected["ruling"]
    assert answer.calls == expected["calls"]
    assert answer.counts.unverified == 0
    for standing in (Verification.VERIFIED, Verification.SEARCHED):
        texts = [each.text for each in answer.findings if each.standing is standing]
        assert texts == expected[standing.value]
    assert list(answer.reckonings) == expected["reckoned"]
    sent = sum(len(each.text) for request in model.requests for each in request.messages)
    assert sent / 4 < 3_000 * expected["calls"]
