"""Whose a ruling is: the same in every list, report and file that shows an answer."""

from __future__ import annotations

import html
import io
import json
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from fourcorners.cli.main import app
from fourcorners.library.store import Library
from fourcorners.operations import answers
from fourcorners.operations.answers import AnswerOrigin
from fourcorners.research import store
from fourcorners.research.answer import Answer, Draft, PreliminaryAnswer, Provenance, Step, Verdict
from fourcorners.research.events import DraftEvent
from fourcorners.server.mcp import answer_tools
from fourcorners.server.tasks.steps import event_steps
from tests.server.conftest import Room

API = "/api/v1/answers"
RULINGS = [
    (Verdict.NO, None, "No"),
    (Verdict.UNSURE, Verdict.YES, "Yes (the model's ruling, unchecked)"),
    (Verdict.UNSURE, Verdict.SAYS, "The contract says (the model's ruling, unchecked)"),
    (Verdict.UNSURE, Verdict.DEPENDS, "It depends (the model's ruling, unchecked)"),
    (Verdict.UNSURE, None, "Cannot tell"),
]
each_ruling = pytest.mark.parametrize(("ruling", "unchecked", "line"), RULINGS)


def made(ruling: Verdict, unchecked: Verdict | None) -> Answer:
    """Return an answer that a model made; a draft of it had another ruling of the model's."""
    direct = PreliminaryAnswer(ruling, unchecked=unchecked)
    before = PreliminaryAnswer(Verdict.UNSURE, unchecked=Verdict.DEPENDS)
    return Answer(
        asked='May it be "unchecked":"no"?',
        question="May the Tenant assign?",
        made=Provenance("a model", "engine", "2026-01-02T03:04:05+00:00"),
        title="Assignment",
        answer=direct,
        drafts=tuple(Draft(1, "q", (), "q", (), (), each) for each in (before, direct)),
    )


@each_ruling
def test_the_server_lists_it_as_the_report_has_it(
    room: Room, ruling: Verdict, unchecked: Verdict | None, line: str
) -> None:
    with room.app.state.server.connection_pool.library() as library:
        identity = answers.save_answer(library, made(ruling, unchecked), "t", AnswerOrigin())
    shown = line.replace("'", "&#39;")
    earlier = room.client.get("/ask").text.split("Earlier questions</h2>")[1]
    assert f'<span class="quiet">{shown} · ' in earlier
    assert f"<strong>{shown}</strong>" in room.client.get(f"/ask/{identity}").text
    (listed,) = room.client.get(API).json()["items"]
    report = room.client.get(f"{API}/{identity}").json()
    for value in (listed, report, report["turns"][1]):
        assert (value["ruling"], value["unchecked"]) == (ruling, unchecked)
    for form in ("md", "html"):
        text = room.client.get(f"/ask/{identity}/report.{form}").text
        assert line in html.unescape(text)
    word = room.client.get(f"/ask/{identity}/report.docx").content
    with zipfile.ZipFile(io.BytesIO(word)) as parts:
        assert line in parts.read("word/document.xml").decode()
    written = room.client.get(f"/ask/{identity}/report.json").json()["answer"]
    assert (written["ruling"], written["unchecked"]) == (ruling, unchecked)


@each_ruling
def test_a_tool_and_the_progress_name_whose_it_is(
    ruling: Verdict, unchecked: Verdict | None, line: str
) -> None:
    answer = made(ruling, unchecked)
    value = answer_tools._value(answer, "83cfd2903285", 9_000)
    assert (value.ruling, value.unchecked) == (ruling, unchecked)
    (step,) = event_steps(DraftEvent(answer.drafts[1]))
    assert step.description == line


@each_ruling
def test_the_command_lists_and_writes_it(
    tmp_path: Path, ruling: Verdict, unchecked: Verdict | None, line: str
) -> None:
    path = tmp_path / "firm.db"
    with Library.open(path) as library:
        identity = store.save_answer(library, made(ruling, unchecked))

    def run(*words: str) -> str:
        done = CliRunner().invoke(app, ["answers", *words, "-l", str(path)])
        assert done.exit_code == 0, done.output
        return " ".join(done.output.split())

    assert run().endswith(f'May it be "unchecked":"no"? {line}')
    (listed,) = json.loads(run("--json"))
    assert (listed["ruling"], listed["unchecked"]) == (ruling, unchecked)
    assert line in run(identity)
    whole = json.loads(run(identity, "--json"))["answer"]
    assert (whole["ruling"], whole["unchecked"]) == (ruling, unchecked)


def test_an_answer_of_an_earlier_version_is_listed(room: Room) -> None:
    with room.app.state.server.connection_pool.library() as library:
        store.save_answer(library, made(Verdict.UNSURE, None))
        library.execute(
            "UPDATE research_answers SET answer = replace(answer, ?, '')", (',"unchecked":null',)
        )
        (entry,) = store.list_answers(library)
    assert entry.line == "Cannot tell"


def test_a_headline_takes_the_place_of_cannot_tell(room: Room) -> None:
    said = (
        "Not answered yes or no. Clause 3.1, which clause 4 changes, says: “It is insured.” 2 more."
    )
    answer = made(Verdict.UNSURE, None)
    direct = replace(answer.answer, headline=said)
    draft = replace(answer.drafts[1], answer=direct)
    step = Step("interrogator", 1, "draft", model="a model", outcome="kept")
    answer = replace(answer, answer=direct, drafts=(draft,), record=(step,))
    with room.app.state.server.connection_pool.library() as library:
        identity = answers.save_answer(library, answer, "t", AnswerOrigin())
    shown = room.client.get("/ask").text
    assert f">{said.removesuffix('.')} · <" in shown
    assert "Cannot tell" not in shown
    page = room.client.get(f"/ask/{identity}").text
    assert page.count(said) == 2
    assert "cannot tell" not in page.casefold()
    assert "draft, a model, from the cache" in page
    (progress,) = event_steps(DraftEvent(draft))
    assert progress.description == said
    assert answer_tools._event_line(DraftEvent(draft)) == f"So far: {said}"
    (listed,) = room.client.get(API).json()["items"]
    assert listed["headline"] == room.client.get(f"{API}/{identity}").json()["headline"] == said
    report = room.client.get(f"/ask/{identity}/report.md").text
    assert report.count("Not answered yes or no") == 1
    assert "cannot tell" not in report.casefold()
    assert "draft, from the cache" in report
    done = CliRunner().invoke(app, ["answers", "-l", str(room.folder / "library.db")])
    assert said in " ".join(done.output.split())
    assert "Cannot tell" not in done.output
