"""Many findings marked at once: asked about with their number, and taken back exactly."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from html import unescape
from typing import Any

import pytest

from fourcorners.library.store import Library
from fourcorners.operations.principal import Role
from fourcorners.playbooks.load import load_playbook
from fourcorners.review.annotations import assignee
from fourcorners.review.finding import Author, ReviewState, Severity
from fourcorners.review.people import review_actions
from fourcorners.server.auth.accounts import ALL_COLLECTIONS, Accounts
from tests.server.conftest import LEASE, SUPPLY, Room
from tests.server.grids import absent, fill, found

BOOK = load_playbook("due-diligence")
FIRST, SECOND, THIRD = (provision.id for provision in BOOK.provisions[:3])
BACK = "c=Mill&p=due-diligence"
GRID = f"/reviews/grid?{BACK}"
PASSWORD = "a short sentence is good"  # noqa: S105 - of a test
PARTIAL = {"HX-Request": "true"}


@pytest.fixture
def team(make_room: Callable[..., Room]) -> Room:
    """A team's server with five findings in Mill; Ada and Bram review it, Cleo reads it."""
    room = make_room(team=True)
    with room.app.state.server.connection_pool.library() as library:
        accounts = Accounts(library)
        for name in ("ada", "bram", "cleo", "dora"):
            accounts.add(name, PASSWORD, by="test")
        accounts.grant("ada", Role.REVIEWER, "Mill", by="test")
        accounts.grant("bram", Role.REVIEWER, "Mill", by="test")
        accounts.grant("cleo", Role.READER, "Mill", by="test")
        accounts.grant("dora", Role.ADMIN, ALL_COLLECTIONS, by="test")
    room.put({"lease.txt": LEASE, "other.txt": f"A COPY\n\n{LEASE}", "supply.txt": SUPPLY})
    lease, other = room.document("lease"), room.document("other")
    with room.app.state.server.connection_pool.library() as library:
        cells = [absent(room.document("supply"), each.id) for each in BOOK.provisions]
        for document in (lease, other):
            cells += [absent(document, each.id) for each in BOOK.provisions[3:]]
            text = library.text(document)
            cells += [found(document, each, text) for each in (FIRST, SECOND)]
        cells += [found(lease, THIRD, library.text(lease)), absent(other, THIRD)]
        fill(library, BOOK, cells)
    enter(room, "ada")
    return room


def enter(room: Room, name: str) -> None:
    room.client.cookies.clear()
    answer = room.client.post("/sign-in", data={"name": name, "password": PASSWORD})
    assert answer.status_code == 303


def post(room: Room, path: str, headers: Mapping[str, Any] = PARTIAL, **data: Any) -> Any:
    sent = {"csrf": room.token(), **data}
    return room.client.post(path, data=sent, headers=dict(headers))


def mark(room: Room, document: str, provision: str, **said: Any) -> None:
    answer = post(
        room, "/reviews/mark", c="Mill", p="due-diligence", d=document, v=provision, **said
    )
    assert answer.status_code == 200


def many(room: Room, headers: Mapping[str, Any] = PARTIAL, **more: Any) -> Any:
    chosen: dict[str, Any] = {"all": "3", "says": "confirmed", **more}
    return post(room, "/reviews/mark-many", headers, back=BACK, **chosen)


def words(page: str) -> str:
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", page)).split())


def undo_number(page: str) -> str:
    shown = re.search(r'action="/reviews/mark-many/undo".*?name="done" value="(\d+)"', page, re.S)
    assert shown, page
    return shown[1]


def state(room: Room, document: str, provision: str) -> tuple[object, ...]:
    """Return all that people's word makes of a finding but its history."""
    with room.app.state.server.connection_pool.library() as library:
        cell = review_actions.load_finding(library, BOOK, document, provision)
    return (
        *(cell.review, cell.value, cell.place, cell.severity, cell.severity_by, cell.answers),
        assignee(cell.remarks),
    )


def remarks(room: Room) -> int:
    with room.app.state.server.connection_pool.library() as library:
        return int(str(library.execute("SELECT count(*) FROM remarks")[0][0]))


def trail(room: Room, event: str) -> list[dict[str, Any]]:
    with room.app.state.server.connection_pool.library() as library:
        return [json.loads(e.detail) for e in library.audit_trail() if e.event == event]


def test_nothing_is_marked_at_once_before_the_question_with_its_number(team: Room) -> None:
    for headers in (PARTIAL, {}):
        answer = many(team, headers)
        assert answer.status_code == 200
        assert "Confirm 5 findings?" in words(answer.text)
        assert "in 2 contracts" in words(answer.text)
        assert ('name="findings" value="5"') in answer.text
        assert ("<html" in answer.text) is (headers == {})
        assert remarks(team) == 0
    flagged = many(team, says="second_look", all="2", row=team.document("other"))
    assert flagged.status_code == 409  # other rows fit than two
    one = many(team, says="second_look", row=[team.document("lease")])
    assert "Ask for a second look at 2 findings?" in words(one.text)
    assert many(team, row=[team.document("lease"), team.document("other")]).status_code == 400
    assert many(team, which="nonsense").status_code == 400
    assert remarks(team) == 0


def test_what_was_marked_at_once_is_taken_back_with_one_action(team: Room) -> None:
    lease, other = team.document("lease"), team.document("other")
    mark(team, lease, FIRST, to="Bram", comment="is this a cap?")
    mark(team, lease, SECOND, says="corrected", value="Nobody may end it.")
    mark(team, lease, SECOND, says="proposed")
    mark(team, other, FIRST, comment="Only a comment.")
    places = [(each, name) for each in (lease, other) for name in (FIRST, SECOND, THIRD)]
    before = {place: state(team, *place) for place in places}
    done = many(team, findings="5")
    assert "5 findings confirmed." in words(done.text)
    assert {state(team, *place)[0].value for place in places[:5]} == {"confirmed"}  # type: ignore[attr-defined]
    number = undo_number(done.text)
    assert undo_number(team.client.get(f"{GRID}&done={number}").text) == number
    undone = post(team, "/reviews/mark-many/undo", done=number)
    assert undone.status_code == 200
    assert "Undone: 5 findings are as they were before." in words(undone.text)
    assert {place: state(team, *place) for place in places} == before
    assert "r-confirmed" not in team.client.get(GRID).text.split("legend")[0]
    (marked,), (restored,) = trail(team, "findings marked"), trail(team, "findings restored")
    assert marked["by"] == restored["by"] == "ada"
    assert (marked["collection"], marked["state"], marked["findings"]) == ("Mill", "confirmed", 5)
    assert (restored["findings"], restored["left"]) == (5, 0)
    with team.app.state.server.connection_pool.library() as library:
        cell = review_actions.load_finding(library, BOOK, other, SECOND)
    said = [(each.by, each.state and each.state.value) for each in cell.remarks]
    assert said == [("ada", "confirmed"), ("ada", "proposed")]


def test_what_somebody_changed_since_stays_and_is_counted(team: Room) -> None:
    lease, other = team.document("lease"), team.document("other")
    number = undo_number(many(team, findings="5").text)
    enter(team, "bram")
    mark(team, lease, FIRST, says="rejected")
    mark(team, lease, SECOND, to="CLEO", comment="look")
    enter(team, "dora")
    with team.app.state.server.connection_pool.library() as library:
        library.remove(other)
    enter(team, "ada")
    undone = words(post(team, "/reviews/mark-many/undo", done=number).text)
    assert "Undone: 1 finding is as it was before." in undone
    assert "4 findings could not be restored: they were changed or removed since." in undone
    assert state(team, lease, FIRST)[0].value == "rejected"  # type: ignore[attr-defined]
    assert state(team, lease, SECOND)[0].value == "confirmed"  # type: ignore[attr-defined]
    assert state(team, lease, SECOND)[-1] == "cleo"
    assert state(team, lease, THIRD)[0].value == "proposed"  # type: ignore[attr-defined]
    again = words(post(team, "/reviews/mark-many/undo", done=number).text)
    assert "Nothing was restored: all 5 findings were changed or removed since." in again


def test_a_finding_that_a_new_review_changed_goes_back_to_not_checked(team: Room) -> None:
    lease = team.document("lease")
    number = undo_number(many(team, findings="5").text)
    with team.app.state.server.connection_pool.library() as library:
        fill(library, BOOK, [absent(lease, FIRST)])
        cell = review_actions.load_finding(library, BOOK, lease, FIRST)
    assert any(each.author is Author.RULE for each in cell.remarks)
    assert "5 findings are" in words(post(team, "/reviews/mark-many/undo", done=number).text)
    assert state(team, lease, FIRST)[0].value == "proposed"  # type: ignore[attr-defined]


def test_only_who_marked_them_and_may_still_review_takes_them_back(team: Room) -> None:
    number = undo_number(many(team, findings="5").text)
    said = remarks(team)
    for name in ("bram", "cleo", "dora"):
        enter(team, name)
        assert post(team, "/reviews/mark-many/undo", done=number).status_code == 404, name
        assert "mark-many/undo" not in team.client.get(f"{GRID}&done={number}").text
    enter(team, "cleo")
    assert many(team, findings="5").status_code == 403
    enter(team, "ada")
    assert post(team, "/reviews/mark-many/undo", done=str(int(number) - 1)).status_code == 404
    assert post(team, "/reviews/mark-many/undo", done="999999").status_code == 404
    for role, status in ((Role.READER, 403), (None, 404)):
        with team.app.state.server.connection_pool.library() as library:
            Accounts(library).grant("ada", role, "Mill", by="test")
        assert post(team, "/reviews/mark-many/undo", done=number).status_code == status
    assert remarks(team) == said


def test_without_scripts_each_step_is_a_page(team: Room) -> None:
    done = many(team, {}, findings="5")
    assert done.status_code == 303
    page = team.client.get(done.headers["location"]).text
    assert "5 findings confirmed." in words(page)
    undone = post(team, "/reviews/mark-many/undo", {}, done=undo_number(page))
    assert undone.status_code == 303
    page = team.client.get(undone.headers["location"]).text
    assert "Undone: 5 findings are as they were before." in words(page)
    assert "mark-many/undo" not in page


def test_what_a_colleague_judged_while_the_grid_was_read_is_not_overwritten(
    team: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    from fourcorners.server.pages.reviewing import findings

    lease, real = team.document("lease"), findings._places

    def choose(*given: Any) -> Any:
        """Let a colleague reject a finding just after the cells were chosen."""
        chosen = real(*given)
        with Library.open(team.folder / "library.db") as library:
            review_actions.annotate_finding(
                library,
                BOOK,
                lease,
                FIRST,
                review_actions.NewAnnotation(by="bram", state=ReviewState.REJECTED),
            )
        return chosen

    monkeypatch.setattr(findings, "_places", choose)
    assert many(team, findings="5").status_code == 409
    assert state(team, lease, FIRST)[0].value == "rejected"  # type: ignore[attr-defined]
    assert remarks(team) == 1


def notices(room: Room, person: str) -> list[tuple[str, str, str]]:
    with room.app.state.server.connection_pool.library() as library:
        rows = library.execute(
            "SELECT kind, by, provision FROM server_notices WHERE person = ? ORDER BY row",
            (person,),
        )
    return [(str(kind), str(by), str(provision)) for kind, by, provision in rows]


def comments(room: Room, document: str, provision: str) -> list[str]:
    with room.app.state.server.connection_pool.library() as library:
        cell = review_actions.load_finding(library, BOOK, document, provision)
    return [each.comment for each in cell.remarks if each.comment]


@pytest.mark.parametrize(
    ("given", "done"),
    [
        ({"says": "rejected"}, "5 findings rejected."),
        ({"says": "assigned", "to": "bram", "comment": "check"}, "5 findings assigned."),
        ({"says": "commented", "comment": "Ask the seller."}, "5 findings commented on."),
    ],
)
def test_many_are_rejected_assigned_or_commented_on_and_as_they_were_after_undo(
    team: Room, given: dict[str, Any], done: str
) -> None:
    lease, other = team.document("lease"), team.document("other")
    mark(team, lease, FIRST, to="cleo", comment="a cap?")
    places = [(each, name) for each in (lease, other) for name in (FIRST, SECOND, THIRD)][:5]
    before = {place: (state(team, *place), comments(team, *place)) for place in places[1:]}
    asked = many(team, **given)
    assert "5 findings?" in words(asked.text)
    assert remarks(team) == 1
    shown = many(team, findings="5", **given)
    assert done in words(shown.text)
    first = state(team, lease, SECOND)
    assert first[0].value == given["says"] if given["says"] == "rejected" else "proposed"  # type: ignore[attr-defined]
    assert first[-1] == ("bram" if given["says"] == "assigned" else "")
    said = {"assigned": "@bram: check", "commented": "Ask the seller."}.get(given["says"])
    assert comments(team, lease, SECOND) == ([said] if said else [])
    told = [("assigned", "ada", "")] if given["says"] == "assigned" else []
    assert notices(team, "bram") == told  # one, however many findings there are
    with team.app.state.server.connection_pool.library() as library:
        counted = library.execute("SELECT findings FROM server_notice_findings")
    assert counted == ([(5,)] if told else [])
    assert "are as they were" in words(
        post(team, "/reviews/mark-many/undo", done=undo_number(shown.text)).text
    )
    assert notices(team, "bram") == []
    assert {p: (state(team, *p), comments(team, *p)) for p in places[1:]} == before
    assert state(team, lease, FIRST)[-1] == "cleo"
    page = team.client.get(f"/reviews/cell?{BACK}&d={lease}&v={SECOND}").text
    assert ("(withdrawn)" in page) is bool(said)


def test_only_a_member_is_assigned_and_the_form_says_so(team: Room) -> None:
    for name in ("eve", ""):
        refused = many(team, says="assigned", findings="5", to=name)
        assert refused.status_code == 400
        assert 'data-field="to"' in refused.text
    assert many(team, says="commented", findings="5", comment=" ").status_code == 400
    assert many(team, says="proposed", findings="5").status_code == 400
    assert many(team, says="commented", comment="@eve: look", findings="5").status_code == 400
    lease = team.document("lease")
    one: dict[str, Any] = {"c": "Mill", "p": "due-diligence", "d": lease, "v": FIRST}
    refused = post(team, "/reviews/mark", **one, to="eve")
    assert refused.status_code == 400
    assert words(refused.text).startswith("No member of this collection is called 'eve'.")
    assert remarks(team) == 0
    assert (
        '<option value="bram">' in team.client.get(f"/reviews/cell?{BACK}&d={lease}&v={FIRST}").text
    )


def test_who_is_assigned_mentioned_or_answered_is_notified_and_nobody_else(team: Room) -> None:
    lease = team.document("lease")
    mark(team, lease, FIRST, to="Bram", comment="@dora, @eve and @ada: see 2.1")
    assert notices(team, "bram") == [("assigned", "ada", FIRST)]
    assert notices(team, "dora") == [("mentioned", "ada", FIRST)]
    assert notices(team, "eve") == notices(team, "ada") == notices(team, "cleo") == []
    enter(team, "bram")
    mark(team, lease, FIRST, comment="Capped at fees.")
    assert notices(team, "ada") == [("answered", "bram", FIRST)]
    assert len(notices(team, "bram")) == 1
    mark(team, lease, FIRST, says="confirmed")
    assert len(notices(team, "ada")) == 1
    with team.app.state.server.connection_pool.library() as library:
        Accounts(library).grant("ada", None, "Mill", by="test")
    mark(team, lease, FIRST, comment="@ada more")
    assert len(notices(team, "ada")) == 1  # who may not read it any more hears nothing of it


def test_a_mention_of_no_member_is_kept_and_reported(team: Room) -> None:
    lease = team.document("lease")
    sentence = "No member is called eve; nobody was notified of it."
    sent = {"csrf": team.token(), "c": "Mill", "p": "due-diligence", "d": lease, "v": FIRST}
    said = {**sent, "comment": "@eve and @bram, please look."}
    answer = team.client.post("/reviews/mark", data=said)
    page = team.client.get(answer.headers["location"]).text
    assert sentence in page
    assert "@eve and @bram, please look." in unescape(page)
    assert "bram; nobody" not in page
    assert sentence in team.client.post("/reviews/mark", data=said, headers=PARTIAL).text
    here = f"/reviews/cell?{BACK}&d={lease}&v={FIRST}"
    assert sentence not in team.client.get(here).text
    headers = {"X-CSRF-Token": team.token()}
    body: dict[str, Any] = {"document": lease, "provision": FIRST, "comment": "Look, @eve."}
    one = team.client.post("/api/v1/findings/mark", json=body, headers=headers)
    assert one.json().get("warnings") == [sentence], one.text
    body = {"collection": "Mill", "action": "commented", "comment": "Look, @eve.", "count": None}
    many = team.client.post("/api/v1/findings/mark-many", json=body, headers=headers)
    assert many.json()["warnings"] == [sentence], many.text


@pytest.mark.parametrize("headers", [PARTIAL, {}])
def test_a_mention_of_no_member_is_reported_where_many_are_marked(
    team: Room, headers: Mapping[str, str]
) -> None:
    sentence = "No member is called eve; nobody was notified of it."
    for given in ({"says": "commented"}, {"says": "assigned", "to": "bram"}):
        done = many(team, headers, **given, findings="5", comment="@eve and @bram, please look.")
        if not headers:
            done = team.client.get(done.headers["location"])
        shown = done.text[done.text.index("data-number") :]
        assert words(shown).count(sentence) == 1
        number = undo_number(done.text)
        assert sentence in words(team.client.get(f"{GRID}&done={number}").text)
        assert sentence not in post(team, "/reviews/mark-many/undo", done=number).text
    team.put({"supply.txt": SUPPLY}, "Elm")
    with team.app.state.server.connection_pool.library() as library:
        Accounts(library).grant("ada", Role.READER, "Elm", by="test")
    elsewhere = team.client.get(f"/reviews/grid?c=Elm&p=due-diligence&done={number}")
    assert elsewhere.status_code == 200
    assert "data-number" not in elsewhere.text


def test_who_is_assigned_is_not_named_twice(team: Room) -> None:
    lease = team.document("lease")
    for comment, why in (
        ("@bram", "please look at this."),
        ("@Bram: @bram, is it capped?", "is it capped?"),
        ("@bram-2 knows.", "@bram-2 knows."),
    ):
        mark(team, lease, FIRST, to="bram", comment=comment)
        assert comments(team, lease, FIRST)[-1] == f"@bram: {why}"
    mark(team, lease, FIRST, comment="@bram: @bram")
    page = words(team.client.get(f"/reviews/cell?{BACK}&d={lease}&v={FIRST}").text)
    history = page[page.index("History") :]
    assert "Assigned to bram : is it capped?" in history
    assert history.count("Assigned to bram : please look at this.") == 2
    assert "@bram:" not in history


def test_a_refused_assignment_keeps_what_was_typed(team: Room) -> None:
    sent = {"csrf": team.token(), "c": "Mill", "p": "due-diligence", "v": FIRST}
    sent |= {"d": team.document("lease"), "to": "eve", "comment": "Is it <capped>?"}
    answer = team.client.post("/reviews/mark", data=sent)
    assert answer.status_code == 400
    page = unescape(answer.text)
    assert 'id="to-problem" role="alert">No member of this collection is called \'eve\'.' in page
    assert ">Is it &lt;capped&gt;?</textarea>" in answer.text
    assert 'value="eve" aria-invalid="true"' in page
    refused = team.client.post("/reviews/mark", data=sent, headers=PARTIAL)
    assert "<textarea" not in refused.text
    assert refused.status_code == 400


def test_programs_count_mark_and_take_back_many(team: Room) -> None:
    headers = {"X-CSRF-Token": team.token()}

    def ask(path: str = "/api/v1/findings/mark-many", **body: Any) -> Any:
        return team.client.post(path, json=body, headers=headers)

    given: dict[str, Any] = {"collection": "Mill", "action": "rejected"}
    given["documents"] = [team.document("lease")]
    counted = ask(**given)
    assert (counted.status_code, counted.json()["findings"], counted.json()["number"]) == (
        200,
        3,
        0,
    )
    assert remarks(team) == 0
    assert ask(**given, count=4).status_code == 409
    done = ask(**given, count=3).json()
    assert (done["findings"], done["action"], remarks(team)) == (3, "rejected", 3)
    back = ask(f"/api/v1/findings/mark-many/{done['number']}/undo").json()
    assert (back["findings"], back["left"], back["action"]) == (3, 0, "proposed")
    assert ask(f"/api/v1/findings/mark-many/{back['number']}/undo").status_code == 404
    one = ask(**given, provision=FIRST).json()
    assert one["findings"] == 1
    absent_cells = ask(**{**given, "action": "confirmed"}, state="not_found").json()
    assert absent_cells["findings"] == len(BOOK.provisions) - 3
    assert ask(**given, state="not_found").json()["findings"] == 0  # nothing to reject
    assert ask(collection="Grain", action="confirmed").status_code == 404


def test_the_selected_contracts_are_exported_alone(team: Room) -> None:
    lease = team.document("lease")
    chosen: dict[str, Any] = {"back": BACK, "row": lease}
    led = post(team, "/reviews/mark-many/export", {}, **chosen)
    assert led.status_code == 303
    to = led.headers["location"]
    assert to == f"/reviews/export?c=Mill&p=due-diligence&as=xlsx&documents={lease}"
    assert post(team, "/reviews/mark-many/export", **chosen).json()["href"] == to
    others: dict[str, Any] = {"back": BACK, "all": "3", "row": lease, "as": "docx"}
    two = post(team, "/reviews/mark-many/export", **others).json()["href"]
    assert "&as=docx&documents=" in two
    assert two.count("&documents=") == 2
    assert lease not in two
    every = post(team, "/reviews/mark-many/export", back=BACK, all="3").json()["href"]
    assert "documents" not in every


def test_the_selected_contracts_are_asked_about(team: Room) -> None:
    lease, other = team.document("lease"), team.document("other")
    led = post(team, "/reviews/mark-many/ask", {}, back=BACK, row=[lease, other])
    assert led.status_code == 303
    to = led.headers["location"]
    assert to == f"/ask?c=Mill&documents={','.join(sorted((lease, other), key=to.index))}"
    assert team.client.get(to).status_code == 200
    every = post(team, "/reviews/mark-many/ask", back=BACK, all="3").json()["href"]
    assert every == "/ask?c=Mill"
    assert 'formaction="/reviews/mark-many/ask"' in team.client.get(GRID).text


def test_the_question_tells_how_many_have_an_open_question(team: Room) -> None:
    lease = team.document("lease")
    assert "open question" not in words(many(team).text)
    with team.app.state.server.connection_pool.library() as library:
        text = library.text(lease)
        fill(
            library, BOOK, [found(lease, each, text, Severity.TO_READ) for each in (FIRST, SECOND)]
        )
    assert "2 of these 5 have an open question." in words(many(team).text)
    assert "open question" not in words(many(team, says="assigned").text)
    mark(team, lease, FIRST, to="bram")
    cell = team.client.get(f"/reviews/cell?{BACK}&d={lease}&v={FIRST}").text
    assert 'placeholder="bram"' in cell
