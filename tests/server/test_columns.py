"""Columns that reviewers ask for: filled with the contract's words, kept, changed, sent, walled."""

from __future__ import annotations

import io
import json
import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import openpyxl
import pytest

from fourcorners.errors import ModelError
from fourcorners.llm import FakeModel, Port
from fourcorners.llm.exchange import Request
from fourcorners.operations.principal import Role, Scope
from fourcorners.playbooks.load import load_playbook
from fourcorners.research.columns import store as kept
from fourcorners.research.columns.fill import ColumnFiller
from fourcorners.review import store
from fourcorners.review.finding import CellState
from fourcorners.server import columns as people
from fourcorners.server.auth.accounts import Accounts
from fourcorners.server.auth.api_tokens import ApiTokens
from fourcorners.server.tasks.handlers import column as doing
from fourcorners.server.tasks.queue import TaskQueue

from . import grids
from .conftest import LEASE, SUPPLY, Room

QUESTION = "On what notice may the Tenant end this lease?"
OTHER = "May the Landlord assign this lease without consent?"
WORDS = "The Tenant may end this lease on six months' notice to the Landlord."
GRID = "/reviews/grid?c=Mill&p=due-diligence"
BOOK = load_playbook("due-diligence")


def reviewed(room: Room, texts: dict[str, str], collection: str = "Mill") -> None:
    """Add contracts, and store a review of them."""
    room.put(texts, collection)
    with room.app.state.server.connection_pool.library() as library:
        entries = library.documents(collection)
        cells = [grids.absent(each.id, one.id) for each in entries for one in BOOK.provisions]
        grids.fill(library, BOOK, cells)


def ask(room: Room, question: str = QUESTION, **more: Any) -> dict[str, Any]:
    """Ask for a column, and return it with its task."""
    asked = {"collection": "Mill", "question": question, **more}
    answer = room.client.post("/api/v1/columns", json=asked)
    assert answer.status_code == 202, answer.text
    told: dict[str, Any] = answer.json()
    return told


def ended(room: Room, task: str) -> dict[str, Any]:
    """Wait until a task has ended."""
    until = time.monotonic() + 60
    while not (told := room.client.get(f"/api/v1/tasks/{task}").json())["finished"]:
        assert time.monotonic() < until, told
        time.sleep(0.05)
    result: dict[str, Any] = told
    return result


def filled(room: Room, question: str = QUESTION, **more: Any) -> dict[str, Any]:
    """Ask for a column, wait until it is filled, and return it."""
    started = ask(room, question, **more)
    task = ended(room, started["task"]["id"])
    assert task["state"] == "done", task
    column: dict[str, Any] = started["column"]
    return column


def cells_of(room: Room, column: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the cells of a column by the document's id."""
    found = room.client.get("/api/v1/findings?collection=Mill&limit=200").json()["items"]
    return {each["document"]: each for each in found if each["provision"] == column["provision"]}


def test_a_cell_has_the_contracts_own_words_or_says_why_not(room: Room) -> None:
    reviewed(room, {"lease.txt": LEASE, "supply.txt": SUPPLY})
    column = filled(room)
    cells = cells_of(room, column)
    lease, supply = room.document("lease"), room.document("supply")
    assert cells[lease]["state"] == "found"
    quotes = cells[lease]["quotes"]
    assert any("six months" in each["words"] for each in quotes)
    for each in quotes:
        assert LEASE[each["span"]["start"] : each["span"]["end"]] == each["words"]
    assert cells[supply]["state"] == "not_found"
    assert cells[supply]["quotes"] == []
    assert "1 contract searched" in cells[supply]["reason"]
    assert room.client.get(f"/api/v1/columns/{column['id']}").json()["open"] == 0


def test_the_grid_shows_it_and_its_finding_opens(room: Room) -> None:
    reviewed(room, {"lease.txt": LEASE, "supply.txt": SUPPLY})
    token = room.token(GRID)
    form = {"c": "Mill", "p": "due-diligence", "question": QUESTION, "csrf": token}
    answer = room.client.post("/reviews/columns", data=form)
    assert answer.status_code == 303
    (column,) = room.client.get("/api/v1/columns?collection=Mill").json()
    assert answer.headers["location"] == f"{GRID}#column-{column['provision']}"
    ended(room, column["task"])
    page = room.client.get(GRID).text
    assert QUESTION in page
    assert f'id="column-{column["provision"]}"' in page
    assert f"/reviews/columns/{column['id']}" in page
    lease = room.document("lease")
    href = f"/reviews/cell?c=Mill&p=due-diligence&d={lease}&v={column['provision']}"
    assert href.replace("&", "&amp;") in page
    finding = room.client.get(href).text
    assert "six months" in finding
    assert "Open in the contract" in finding
    absent = room.client.get(href.replace(lease, room.document("supply"))).text
    assert re.search(r"Not found in the \d+ passages searched", absent)
    assert "1 contract searched" in absent
    about = room.client.get(f"/reviews/columns/{column['id']}").text
    assert "2 contracts" in about
    found = room.client.get(f"{GRID}&state=found&column={column['provision']}").text
    assert "Lease of a Mill" in found
    assert "Supply of Grain" not in found.split('id="grid"')[1]
    side = room.client.get(f"/d/{lease}").text
    assert QUESTION in side


def test_people_judge_its_cells_as_any_other(room: Room) -> None:
    reviewed(room, {"lease.txt": LEASE})
    column, lease = filled(room), room.document("lease")
    said = {"document": lease, "provision": column["provision"], "state": "confirmed"}
    assert room.client.post("/api/v1/findings/mark", json=said).json()["review"] == "confirmed"
    data = {"c": "Mill", "p": "due-diligence", "d": lease, "v": column["provision"],
            "value": WORDS, "says": "corrected", "csrf": room.token(GRID)}  # fmt: skip
    assert room.client.post("/reviews/mark", data=data).status_code == 303
    assert "r-corrected" in room.client.get(GRID).text
    back = {"d": lease, "v": column["provision"], "says": "proposed"}
    given = {"c": "Mill", "p": "due-diligence", "csrf": room.token(GRID), **back}
    assert room.client.post("/reviews/mark", data=given).status_code == 303
    many = {"back": f"c=Mill&p=due-diligence&show={column['provision']}", "row": lease,
            "which": "found", "says": "second_look", "findings": "1",
            "csrf": room.token(GRID)}  # fmt: skip
    marked = room.client.post("/reviews/mark-many", data=many)
    assert marked.status_code == 303
    assert "r-second_look" in room.client.get(GRID).text.split('class="legend')[0]
    number = marked.headers["location"].rpartition("=")[2]
    undo = {"done": number, "csrf": room.token(GRID)}
    assert room.client.post("/reviews/mark-many/undo", data=undo).status_code == 303
    assert "r-second_look" not in room.client.get(GRID).text.split('class="legend')[0]


def test_it_is_in_the_files_that_are_sent(room: Room) -> None:
    reviewed(room, {"lease.txt": LEASE, "supply.txt": SUPPLY})
    question = f"={QUESTION}"
    column = filled(room, question)
    told = room.client.get(f"{GRID.replace('grid', 'export')}&as=json").json()
    assert told["provisions"][-1]["definition"] == question
    cells = [each for each in told["findings"] if each["provision"] == column["provision"]]
    assert sorted(each["state"] for each in cells) == ["found", "not_found"]
    best = next(each for each in cells if each["state"] == "found")
    assert "six months" in json.dumps(best["evidence"])
    data = room.client.get(f"{GRID.replace('grid', 'export')}&as=xlsx").content
    sheet = openpyxl.load_workbook(io.BytesIO(data))["Grid"]
    heads = [cell for cell in sheet[1] if str(cell.value).startswith("=On what")]
    assert [cell.data_type for cell in heads] == ["s"]
    for form in ("html", "docx", "flags.docx"):
        assert room.client.get(f"{GRID.replace('grid', 'export')}&as={form}").status_code == 200


def test_a_cell_that_is_not_filled_is_told_in_a_file(room: Room) -> None:
    reviewed(room, {"lease.txt": LEASE})
    with room.app.state.server.connection_pool.library() as library:
        kept.add_column(library, "Mill", BOOK.id, QUESTION, with_model=False, by="Ada")
    told = room.client.get(f"{GRID.replace('grid', 'export')}&as=json").json()
    assert told["findings"][-1]["state"] == "failed"
    assert told["findings"][-1]["error"] == "It is not filled yet."


def test_a_changed_question_is_another_version_and_a_removed_column_is_gone(room: Room) -> None:
    reviewed(room, {"lease.txt": LEASE, "supply.txt": SUPPLY})
    first = filled(room)
    path = f"/api/v1/columns/{first['id']}"
    again = room.client.post(f"{path}/question", json={"question": OTHER})
    assert again.status_code == 202, again.text
    ended(room, again.json()["task"]["id"])
    second = room.client.get(path).json()
    assert (second["version"], second["id"]) == (2, first["id"])
    cells = cells_of(room, second)
    assert "consent of the Tenant" in json.dumps(cells[room.document("lease")])
    assert cells_of(room, first) == {}
    asked = [each["question"] for each in room.client.get(f"{path}/versions").json()]
    assert asked == [QUESTION, OTHER]
    same = room.client.post(f"{path}/question", json={"question": f"  {OTHER} "})
    assert same.status_code == 409
    assert room.client.delete(path).status_code == 204
    assert room.client.get(path).status_code == 404
    assert room.client.get("/api/v1/columns?collection=Mill").json() == []
    assert cells_of(room, second) == {}
    assert OTHER not in room.client.get(GRID).text
    with room.app.state.server.connection_pool.library() as library:
        events = [each.event for each in library.audit_trail() if "column" in each.event]
    assert events == ["column", "column changed", "column removed"]


def test_it_survives_a_restart_and_contracts_that_come_later_are_asked(
    make_room: Callable[..., Room],
) -> None:
    room = make_room()
    reviewed(room, {"lease.txt": LEASE})
    column = filled(room)
    room.client.__exit__(None, None, None)
    later = make_room()
    assert cells_of(later, column)[later.document("lease")]["state"] == "found"
    later.put({"supply.txt": SUPPLY})
    assert later.client.get(f"/api/v1/columns/{column['id']}").json()["open"] == 1
    later.client.post("/api/v1/reviews", json={"collection": "Mill"})
    (now,) = later.client.get("/api/v1/columns?collection=Mill").json()
    assert ended(later, now["task"])["result"]["filled"] == 1
    assert cells_of(later, column)[later.document("supply")]["state"] == "not_found"


def test_it_parks_and_goes_on_where_it_ended(
    make_room: Callable[..., Room], monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = {f"lease-{at}.txt": LEASE.replace("A MILL", f"MILL {at}") for at in range(6)}
    read: list[str] = []
    whole = ColumnFiller.fill

    def slow(self: ColumnFiller, document: str) -> Any:
        read.append(document)
        time.sleep(0.2)
        return whole(self, document)

    monkeypatch.setattr(ColumnFiller, "fill", slow)
    room = make_room()
    reviewed(room, texts)
    started = ask(room)
    until = time.monotonic() + 90
    while len(read) < 2:
        assert time.monotonic() < until
        time.sleep(0.02)
    page = room.client.get("/reviews/progress?c=Mill&p=due-diligence").text
    assert "hx-trigger" in page  # it is watched while it runs
    assert QUESTION in page
    room.client.__exit__(None, None, None)
    assert len(read) < 6
    later = make_room()
    ended(later, started["task"]["id"])
    assert len(cells_of(later, started["column"])) == 6
    assert len(set(read)) == 6
    assert len(read) <= 7  # what was in hand may be read once more, and no other


def test_a_contract_that_fails_is_told_and_tried_again(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    reviewed(room, {"lease.txt": LEASE, "supply.txt": SUPPLY})
    supply = room.document("supply")
    whole = ColumnFiller._by_rules

    def broken(self: ColumnFiller, document: str, reading: Any) -> Any:
        if document == supply:
            raise ModelError("the encoder is damaged.", remedy="Install it again.")
        return whole(self, document, reading)

    with monkeypatch.context() as patch:
        patch.setattr(ColumnFiller, "_by_rules", broken)
        column = filled(room)
    cell = cells_of(room, column)[supply]
    assert (cell["state"], cell["error"], cell["remedy"]) == (
        "failed", "the encoder is damaged.", "Install it again.",
    )  # fmt: skip
    assert room.client.get(f"/api/v1/columns/{column['id']}").json()["open"] == 1
    task = room.client.post(f"/api/v1/columns/{column['id']}/fill").json()
    assert ended(room, task["id"])["result"]["filled"] == 1
    assert cells_of(room, column)[supply]["state"] == "not_found"


def test_what_cannot_be_asked_is_refused(room: Room) -> None:
    reviewed(room, {"lease.txt": LEASE})

    def status(**more: Any) -> int:
        asked = {"collection": "Mill", "question": QUESTION, **more}
        return int(room.client.post("/api/v1/columns", json=asked).status_code)

    assert status(question="x" * 401) == 422
    assert status(question=" \t ") == 400
    assert status(question="?!") == 400
    assert status(collection="Nowhere") == 404
    assert status(playbook="nothing") == 404
    assert status(with_model=True) == 400
    with room.app.state.server.connection_pool.library() as library:
        for at in range(kept.MAX_COLUMNS):
            kept.add_column(library, "Mill", BOOK.id, f"question {at}", with_model=False, by="Ada")
    assert status() == 400
    assert room.client.get("/api/v1/columns/asked-00000000").status_code == 404
    for act in ("ask", "fill", "remove"):
        path = f"/reviews/columns/asked-00000000/{act}"
        data = {"csrf": room.token(), "question": "Who?"}
        assert room.client.post(path, data=data).status_code == 404


# With a language model


@contextmanager
def model(
    monkeypatch: pytest.MonkeyPatch, answers: Callable[[Request], str]
) -> Iterator[FakeModel]:
    """Let a made-up model read."""
    fake = FakeModel(answers)

    @contextmanager
    def opened(*_: object, **__: object) -> Iterator[Port]:
        with Port.for_model(fake, attempts=1) as port:
            yield port

    monkeypatch.setattr(people, "is_configured", lambda _: True)
    monkeypatch.setattr(doing, "is_configured", lambda _: True)
    monkeypatch.setattr("fourcorners.llm.open_port", opened)
    yield fake


def told(request: Request, quoted: str, answer: str) -> str:
    """Answer as the review's prompts ask, with these words of the contract."""
    if request.prompt.name == "requote":
        return json.dumps({"passages": []})
    if request.prompt.name == "weigh":
        numbers = re.findall(r"Proposal (\d+):", request.messages[-1].text)
        verdicts = [{"proposal": int(each), "belongs": False} for each in numbers]
        return json.dumps({"verdicts": verdicts, "added": [{"where": "2.1", "words": quoted}]})
    return json.dumps(
        {"answers": [{"id": "asked", "answer": answer, "source": [quoted]}],
         "severity": "high", "because": "x"}
    )  # fmt: skip


def test_a_model_answers_with_words_that_stand_there(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    reviewed(room, {"lease.txt": LEASE})
    with model(monkeypatch, lambda request: told(request, WORDS, "Yes")) as fake:
        column = filled(room, "May the Tenant end this lease early?", with_model=True)
    assert fake.requests
    cell = cells_of(room, column)[room.document("lease")]
    assert (cell["state"], cell["answer"], cell["severity"]) == ("found", "Yes", "none")
    assert WORDS in [each["words"] for each in cell["quotes"]]
    assert "<strong>Yes.</strong>" in room.client.get(GRID).text


def test_what_a_model_makes_up_is_no_finding(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    reviewed(room, {"supply.txt": SUPPLY})
    made_up = "The customer shall always enjoy the most favoured price of all customers."
    with model(monkeypatch, lambda request: told(request, made_up, "Yes")):
        column = filled(room, "Is there a most favoured customer clause?", with_model=True)
    cell = cells_of(room, column)[room.document("supply")]
    assert (cell["state"], cell["answer"], cell["quotes"]) == ("not_found", "", [])
    assert "are not in the contract" in cell["reason"]
    href = f"/reviews/cell?c=Mill&p=due-diligence&d={room.document('supply')}"
    page = room.client.get(f"{href}&v={column['provision']}").text
    assert "Stated by the language model, but not in the contract" in page


# Walls


def test_a_column_of_another_collection_is_not_there(room: Room) -> None:
    reviewed(room, {"lease.txt": LEASE})
    reviewed(room, {"lease.txt": LEASE}, "Other")
    column = filled(room)
    assert room.client.get("/api/v1/columns?collection=Other").json() == []
    other = room.client.get("/api/v1/findings?collection=Other&limit=200").json()["items"]
    assert column["provision"] not in {each["provision"] for each in other}
    assert QUESTION not in room.client.get("/reviews/grid?c=Other&p=due-diligence").text


def test_walls_of_a_team(make_room: Callable[..., Room]) -> None:
    """Who may not read a collection cannot tell its columns and checks from what is not there."""
    room = make_room(team=True)
    reviewed(room, {"lease.txt": LEASE})
    reviewed(room, {"supply.txt": SUPPLY}, "Grain")
    with room.app.state.server.connection_pool.library() as library:
        accounts, tokens = Accounts(library), ApiTokens(library)
        headers = {}
        for name, role in (("bram", Role.READER), ("cleo", Role.REVIEWER)):
            accounts.add(name, "a short sentence is good", by="test")
            accounts.grant(name, role, "Mill", by="test")
            token = tokens.add(name, [Scope.WRITE], "test", 1, by="test")
            headers[name] = {"Authorization": f"Bearer {token}"}
        hidden = kept.add_column(
            library, "Grain", BOOK.id, "Who is Oats?", with_model=False, by="x"
        )
        seen = kept.add_column(library, "Mill", BOOK.id, QUESTION, with_model=False, by="x")

    def send(name: str, method: str, path: str, body: Any = None) -> Any:
        return room.client.request(method, f"/api/v1{path}", json=body, headers=headers[name])

    for name in headers:
        told = []
        for each in (hidden.id, "asked-00000000"):
            for method, path, body in (
                ("GET", f"/columns/{each}", None),
                ("GET", f"/columns/{each}/versions", None),
                ("DELETE", f"/columns/{each}", None),
                ("POST", f"/columns/{each}/fill", None),
                ("POST", f"/columns/{each}/question", {"question": "x"}),
            ):
                answer = send(name, method, path, body)
                assert answer.status_code == 404, (path, answer.text)
                told.append(answer.text.replace(each, ""))
        assert told[: len(told) // 2] == told[len(told) // 2 :]
        for collection in ("Grain", "Nowhere"):
            asked = {"collection": collection, "question": "x"}
            assert send(name, "POST", "/columns", asked).status_code == 404
            assert send(name, "GET", f"/columns?collection={collection}").status_code == 404
            assert send(name, "GET", f"/health?collection={collection}").status_code == 404
            assert send(name, "POST", "/health", {"collection": collection}).status_code == 404
    assert send("bram", "GET", f"/columns/{seen.id}").status_code == 200
    assert send("bram", "DELETE", f"/columns/{seen.id}").status_code == 403
    asked = {"collection": "Mill", "question": "Who pays?"}
    assert send("bram", "POST", "/columns", asked).status_code == 403
    assert send("cleo", "POST", "/columns", asked).status_code == 202


def test_cells_are_stored_as_findings_are(room: Room) -> None:
    reviewed(room, {"lease.txt": LEASE})
    column = filled(room)
    with room.app.state.server.connection_pool.library() as library:
        book = kept.review_playbook(library, "mill", BOOK.id)  # whatever its case
        cells = store.load_cells(library, book, [column["provision"]])
        assert [one.state for row in cells.values() for one in row.values()] == [CellState.FOUND]
        library.remove(room.document("lease"))
        assert store.load_cells(library, book, [column["provision"]]) == {}
        assert TaskQueue(library).find(column["task"]).spec["question"] == QUESTION


def test_a_column_has_a_short_name_and_a_kind(room: Room) -> None:
    reviewed(room, {"lease.txt": LEASE})
    asked = {"collection": "Mill", "question": "When does the term end?", "short": " End  of term "}
    headers = {"X-CSRF-Token": room.token()}
    sent = room.client.post("/api/v1/columns", json={**asked, "kind": "date"}, headers=headers)
    column = sent.json()["column"]
    assert (column["short"], column["kind"]) == ("End of term", "date")
    page = room.client.get(GRID).text
    assert "<bdi>End of term</bdi>" in page
    with room.app.state.server.connection_pool.library() as library:
        (provision,) = kept.review_playbook(library, "Mill", BOOK.id).provisions
    assert provision.questions[0].answer == "date"

    path = f"/reviews/columns/{column['id']}"
    form = {"csrf": room.token(), "question": column["question"], "kind": "date"}
    room.client.post(f"{path}/ask", data={**form, "short": "Ends"})
    again = room.client.get(f"/api/v1/columns/{column['id']}").json()
    assert (again["short"], again["version"]) == ("Ends", 1)  # a new name leaves the cells
    room.client.post(f"{path}/ask", data={**form, "short": "Ends", "kind": "words"})
    again = room.client.get(f"/api/v1/columns/{column['id']}").json()
    assert (again["kind"], again["version"]) == ("words", 2)
    how_long = "How long is the notice?"
    asked = {"collection": "Mill", "question": how_long, "kind": "period"}
    sent = room.client.post("/api/v1/columns", json=asked, headers=headers)
    period = sent.json()["column"]["id"]
    assert (
        '<option value="period" selected>A length of time'
        in room.client.get(f"/reviews/columns/{period}").text
    )
    with room.app.state.server.connection_pool.library() as library:
        provisions = kept.review_playbook(library, "Mill", BOOK.id).provisions
    (asked_for,) = [each.questions[0] for each in provisions if each.definition == how_long]
    assert asked_for.answer == "duration"
    long = {**form, "question": "Who pays?", "c": "Mill", "p": BOOK.id, "short": "x" * 41}
    assert room.client.post("/reviews/columns", data=long).status_code == 400


def test_what_a_model_would_cost_needs_a_model(room: Room) -> None:
    reviewed(room, {"lease.txt": LEASE})
    headers = {"X-CSRF-Token": room.token()}
    body = {"collection": "Mill", "question": "Who pays?"}
    answer = room.client.post("/api/v1/columns/estimate", json=body, headers=headers)
    assert answer.status_code == 400
    assert "No language model" in answer.json()["detail"]
