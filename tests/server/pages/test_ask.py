"""Ask: questions, what is seen while they are answered, the reports, and the walls around them."""

from __future__ import annotations

import io
import json
import threading
import time
import zipfile
from collections.abc import Iterator
from typing import Any

import pytest

from fourcorners.operations import answers
from fourcorners.operations.answers import AnswerOrigin
from fourcorners.research import events as happened
from fourcorners.research import run
from fourcorners.research.answer import (
    Answer,
    Draft,
    ExternalStatement,
    Gap,
    PreliminaryAnswer,
    Provenance,
    Role,
    Statement,
    Step,
    Verdict,
    Verification,
)
from fourcorners.research.tool import Material
from fourcorners.server.tasks.handlers import TaskContext
from fourcorners.server.tasks.handlers import ask as asking
from fourcorners.server.tasks.queue import TaskQueue
from fourcorners.text.span import Span
from tests.server.conftest import LEASE, SUPPLY, Room

QUESTION = "On what notice may the Tenant end this lease?"


def ask(room: Room, **fields: str) -> str:
    """Send a question as the form does, and return its task."""
    data = {"question": QUESTION, "collection": "Mill", "csrf": room.token(), **fields}
    answer = room.client.post("/ask", data=data)
    assert answer.status_code == 303, answer.text
    return str(answer.headers["location"]).rsplit("/", 1)[1]


def settled(room: Room, task: str) -> str:
    """Wait for an answer, and return its address."""
    until = time.monotonic() + 90
    while True:
        seen = room.client.get(f"/ask/at/{task}")
        if seen.status_code == 303:
            return str(seen.headers["location"])
        assert "data-steps" in seen.text, seen.text
        assert time.monotonic() < until
        time.sleep(0.05)


def test_an_answer_cites_words_that_open_in_the_contract(room: Room) -> None:
    room.put({"lease.txt": LEASE})
    address = settled(room, ask(room))
    page = room.client.get(address).text
    assert "six months" in page
    lease = room.document("lease.txt")
    href = page.split('class="cite" href="')[1].split('"')[0].replace("&amp;", "&")
    assert href.startswith(f"/d/{lease}?s=")
    opened = room.client.get(href).text
    assert "<mark" in opened
    assert page.count('<blockquote class="says">') == page.count('class="says"><a href="/d/')
    assert 'class="evidence"' not in page, "words are listed once, under their sentence"
    assert "From outside" in page


def test_a_question_to_one_contract_reads_no_other(room: Room) -> None:
    room.put({"lease.txt": LEASE, "supply.txt": SUPPLY})
    lease = room.document("lease.txt")
    form = room.client.get(f"/ask?d={lease}").text
    assert "LEASE OF A MILL" in form
    task = ask(room, question="What is the cap on liability?", documents=lease, collection="")
    page = room.client.get(settled(room, task)).text
    assert "ten thousand crowns" not in page
    assert "supply.txt" not in page


def test_an_answer_is_exported_and_listed(room: Room) -> None:
    room.put({"lease.txt": LEASE})
    address = settled(room, ask(room))
    assert f'href="{address}"' in room.client.get("/ask?c=Mill").text
    assert f'href="{address}"' not in room.client.get("/ask?q=other&d=" + other(room)).text
    markdown = room.client.get(f"{address}/report.md")
    assert "six months" in markdown.text
    assert str(room.folder) not in markdown.text
    assert "attachment" in markdown.headers["content-disposition"]
    assert "six months" in room.client.get(f"{address}/report.html").text
    word = room.client.get(f"{address}/report.docx").content
    assert "word/document.xml" in zipfile.ZipFile(io.BytesIO(word)).namelist()
    assert room.client.get(f"{address}/report.exe").status_code == 404
    assert room.client.get("/ask/000000000000").status_code == 404


def other(room: Room) -> str:
    """Add a contract that nothing was asked of, and return its id."""
    room.put({"supply.txt": SUPPLY}, "Grain")
    return room.document("supply.txt")


def test_a_question_that_cannot_be_asked_is_told(room: Room) -> None:
    room.put({"lease.txt": LEASE})
    token = room.token()

    def status(**data: str) -> int:
        data = {"csrf": token, "collection": "Mill", **data}
        return int(room.client.post("/ask", data=data).status_code)

    assert status(question="  ") == 400
    assert status(question="x" * 4_001) == 400
    assert status(question=QUESTION, turns="99") == 400
    assert status(question=QUESTION, sources="the internet") == 400
    assert status(question=QUESTION, collection="Nowhere") == 404
    assert status(question=QUESTION, documents="nothing") == 404
    page = room.client.post("/ask", data={"csrf": token, "question": " <b>", "turns": "99"})
    assert "&lt;b&gt;" in page.text


def test_what_happens_is_seen_while_it_happens(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    room.put({"lease.txt": LEASE})
    lease = room.document("lease.txt")
    ended: list[bool] = []

    def slowly(*_: Any, **__: Any) -> Iterator[happened.Event]:
        span = Span(0, 15)
        yield happened.PlanEvent("q", ("q",), 2, 7, ("Asked for the <i>Tenant</i>.",))
        yield happened.QuestionEvent(1, "What does <i>clause 2</i> say?", ("search",))
        yield happened.StepEvent(Step("researcher", 1, "clause: 14"))
        yield happened.EvidenceEvent(
            1,
            (
                Material(LEASE[:15], "lease.txt", "clause 2", document=lease, span=span),
                Material("An act.", "Statutes", "section 3"),
                Material("There is no clause “14”.", "clause: 14", by_program=True),
            ),
        )
        sentence = Statement("Six months are due.", Role.EVIDENCE, Verification.VERIFIED)
        other = Statement("Seven are not.", Role.EVIDENCE, Verification.UNCHECKED)
        answer = PreliminaryAnswer(Verdict.SAYS, (sentence, other), 0.8)
        yield happened.DraftEvent(Draft(1, "q", ("clause",), "q", (), (), answer))
        yield happened.StepEvent(
            Step("interrogator", 1, "draft", 1, 1_200, 34, 2.5, 0.01, "a model")
        )
        yield happened.GapEvent(1, Gap("the side letter"))
        while not ended:
            time.sleep(0.01)
            yield happened.StepEvent(Step("interrogator", 2, "interrogate"))
        yield happened.AnswerEvent(_answer(external=True))

    monkeypatch.setattr(run, "ask", slowly)
    task = ask(room)
    until = time.monotonic() + 90
    while "the side letter" not in (page := room.client.get(f"/ask/at/{task}").text):
        assert time.monotonic() < until, page
        time.sleep(0.02)
    assert "clause 2&lt;/i&gt; say?" in page
    assert f'href="/d/{lease}?s=0-15#s=0-15"' in page
    assert page.count("Outside") == 1
    for part in (
        "Assumed: Asked for the &lt;i&gt;Tenant",
        "clause: 14: There is no clause “14”.",
        "Six months are due.<",
        "Seven are not. (unchecked)",
        "1,234 tokens so far",
    ):
        assert part in page
    assert room.client.get(f"/tasks/{task}").headers["location"] == f"/ask/at/{task}"
    stop = threading.Timer(1.5, lambda: ended.append(True))
    stop.start()
    with room.client.stream("GET", f"/ask/at/{task}/steps") as streamed:
        lines = list(streamed.iter_lines())
    parts = [json.loads(each[6:]) for each in lines if each.startswith("data: {")]
    turns = [each["html"] for each in parts if each["at"] == 0]
    assert "the side letter" in turns[0]
    assert "Six months are due." in turns[0]
    assert "1,234 tokens so far" in parts[0]["html"]
    assert lines[-3:] == ["event: end", 'data: ""', ""]
    address = settled(room, task)
    answered = room.client.get(address).text
    assert "Nothing in the answer rests on these" in answered
    assert "No verified sentence of the answer carries" in answered
    assert "Confidence" not in answered
    with room.app.state.server.connection_pool.library() as library:
        assert library.execute("SELECT count(*) FROM server_steps") == [(0,)]


def test_a_question_that_is_ended_leaves_nothing(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    room.put({"lease.txt": LEASE})

    def endless(*_: Any, **__: Any) -> Iterator[happened.Event]:
        yield happened.PlanEvent("q", ("q",), 2, 7)
        while True:
            time.sleep(0.1)
            yield happened.QuestionEvent(1, "words", ("search",))

    monkeypatch.setattr(run, "ask", endless)
    task = ask(room)
    room.client.post(f"/tasks/{task}/cancel", data={"csrf": room.token()})
    until = time.monotonic() + 90
    while "Stopped" not in (page := room.client.get(f"/ask/at/{task}").text):
        assert time.monotonic() < until
        time.sleep(0.05)
    assert "Ask again" in page
    with room.app.state.server.connection_pool.library() as library:
        while library.execute("SELECT count(*) FROM server_steps") != [(0,)]:
            assert time.monotonic() < until
            time.sleep(0.05)


def test_a_task_that_answered_before_it_was_killed_does_not_ask_again(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    room.put({"lease.txt": LEASE})
    office = room.app.state.server
    asked_again: list[str] = []
    monkeypatch.setattr(run, "ask", lambda *_, **__: asked_again.append("again"))
    with office.connection_pool.library() as library:
        task = TaskQueue(library).start(asking.KIND, "by hand", "Mill", {}, by="Ada")
        made = answers.save_answer(library, _answer(), task.id, AnswerOrigin("Mill", "Ada"))
        work = TaskContext(task, library, office.settings, office.engines, lambda *_: None)
        assert asking.run(work) == {"answer": made}
    assert asked_again == []


def test_many_questions_of_one_person_wait(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    room.put({"lease.txt": LEASE})
    runner = room.app.state.server.workers

    def endless(*_: Any, **__: Any) -> Iterator[happened.Event]:
        while not runner.is_stopping:
            time.sleep(0.02)
            yield happened.QuestionEvent(1, "words", ())
        yield happened.QuestionEvent(1, "words", ())

    monkeypatch.setattr(run, "ask", endless)
    for _ in range(10):
        ask(room)
    data = {"question": QUESTION, "collection": "Mill", "csrf": room.token()}
    assert room.client.post("/ask", data=data).status_code == 429


def _answer(*, external: bool = False) -> Answer:
    outside = ExternalStatement("It is void.", "void", "Statutes", "section 3", "2026-01-02")
    return Answer(
        asked="q",
        question="q",
        made=Provenance("a model", "engine", "2026-01-02T03:04:05+00:00"),
        title="q",
        answer=PreliminaryAnswer(
            Verdict.UNSURE, because="no verified sentence of the answer carries a ruling"
        ),
        external=(outside,) if external else (),
    )
