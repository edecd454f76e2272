"""Playbooks by form: names and ids, inherited text, versions."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path
from typing import Any

import pytest

from fourcorners.operations.knowledge.playbooks import parse_cached
from fourcorners.playbooks.load import load_playbook
from fourcorners.playbooks.write import unused_id
from fourcorners.server.pages.knowledge.playbook_form import (
    apply_form,
    name_after,
    playbook_form,
)
from tests.documents.test_tables import word_file, workbook
from tests.server.conftest import LEASE, Room
from tests.server.grids import fill, found
from tests.server.pages.test_activity import HOUSE, post, words

OURS = (
    'id: ours\nname: Ours\nversion: "1"\nextends: due-diligence\nprovisions:\n  - id: insurance\n'
)
BASE = load_playbook("due-diligence").provision("insurance")


def text_of(page: str) -> str:
    return unescape(page.split('name="drawn" hidden>')[1].split("</textarea>")[0])


def saved(room: Room, name: str) -> str:
    return room.client.get(f"/api/v1/playbooks/{name}/file").text


def fields(text: str) -> dict[str, tuple[str, bool, bool]]:
    form = playbook_form(text)
    assert form
    return {f.label: (f.value, f.inherited, f.replaces) for f in form.provisions[0].fields}


def test_a_second_playbook_by_form_has_an_id_of_its_name(room: Room) -> None:
    ids = []
    for name in ("Loans of the North", "Loans of the North", "Supply"):
        text = text_of(room.client.get("/playbooks/new").text)
        named = {"f:name": name}
        answer = room.client.post(
            "/playbooks/save", data={"csrf": room.token(), "text": text, "drawn": text, **named}
        )
        assert answer.status_code == 303, words(answer.text)
        ids.append(answer.headers["location"])
    assert ids == [
        "/playbooks/loans-of-the-north", "/playbooks/loans-of-the-north-2", "/playbooks/supply",
    ]  # fmt: skip


def test_two_that_nobody_named_are_two(room: Room) -> None:
    for _ in range(2):
        text = text_of(room.client.get("/playbooks/new?extends=due-diligence").text)
        assert post(room, "/playbooks/save", text=text, drawn=text)[0] == 303
    assert room.client.get("/playbooks/my-playbook-2").status_code == 200


def test_an_id_written_by_hand_stays() -> None:
    text = HOUSE.replace("id: house", "id: hs-1")
    assert name_after(text, "House style", ["hs-1"]) == text
    made = HOUSE.replace("id: house", "id: house-style-3")
    assert "id: house-style\n" in name_after(made, "House style", [])
    assert unused_id("a", ["a", "a-2"]) == "a-3"


def test_another_name_is_asked_about(room: Room) -> None:
    assert post(room, "/playbooks/save", text=HOUSE)[0] == 303
    page = room.client.get("/playbooks/house/edit").text
    number = re.search(r'name="before" value="(\d+)"', page)
    assert number
    sent = {"text": HOUSE, "drawn": HOUSE, "before": number[1], "f:name": "House & home"}
    status, page = post(room, "/playbooks/save", **sent)
    assert status == 200
    assert "is now called “House & home”. Rename it" in words(page)
    assert "name: House style" in saved(room, "house")
    text = text_of(page)
    sent = {"text": text, "drawn": text, "before": number[1]}
    assert post(room, "/playbooks/save", **sent, **{"as": "new"})[0] == 303
    assert "House & home" in saved(room, "house-home")
    assert "name: House style" in saved(room, "house")
    assert post(room, "/playbooks/save", **sent, **{"as": "rename"})[0] == 303
    assert "House & home" in saved(room, "house")
    other = text.replace("id: house", "id: elsewhere")
    newest = re.search(
        r'name="before" value="(\d+)"', room.client.get("/playbooks/house/edit").text
    )
    assert newest
    assert post(room, "/playbooks/save", text=other, before=newest[1])[0] == 303
    assert room.client.get("/playbooks/elsewhere").status_code == 200


def test_inherited_text_is_in_its_field_and_can_be_changed_and_taken_back() -> None:
    assert fields(OURS)["Definition"] == (BASE.definition, True, False)
    change = {"f:provisions.0.definition": "Who insures what."}
    changed = apply_form(OURS, OURS, change)
    assert fields(changed)["Definition"] == ("Who insures what.", False, True)
    assert fields(changed)["Name"][1:] == (True, False)
    assert apply_form(changed, changed, {}, "inherit:provisions.0.definition") == OURS
    again = {"f:provisions.0.definition": BASE.definition}
    assert apply_form(changed, changed, again) == OURS
    assert apply_form(changed, changed, {"f:provisions.0.definition": ""}) == OURS


def test_what_is_not_needed_can_be_taken_away() -> None:
    with_avoid = next(
        each for each in load_playbook("due-diligence").provisions if each.avoid is not None
    )
    text = OURS.replace("insurance", with_avoid.id)
    gone = apply_form(text, text, {"f:provisions.0.avoid": ""})
    assert gone == f"{text}    avoid:\n"
    assert fields(gone)["Excluded look-alikes"] == ("", False, True)
    back = apply_form(gone, gone, {"f:provisions.0.avoid": '"another thing"'})
    assert fields(back)["Excluded look-alikes"][0] == '"another thing"'
    assert apply_form(gone, gone, {}, "inherit:provisions.0.avoid") == text


@pytest.mark.parametrize(
    "action", ["", "add:provisions.0.questions", "remove:provisions.0.questions.0"]
)
def test_an_inherited_list_is_changed_item_by_item(action: str) -> None:
    name = "f:provisions.0.questions.0.question"
    change = {} if action else {name: "Who pays for the cover?"}
    text = apply_form(OURS, OURS, change, action)
    form, before = playbook_form(text), playbook_form(OURS)
    assert form
    assert before
    assert before.provisions[0].lists[0].inherited
    own, rest = form.provisions[0].lists[0], form.provisions[0].lists[1]
    assert own.replaces
    assert rest.inherited
    grown = {"": 0, "add": 1, "remove": -1}[action.partition(":")[0]]
    assert len(own.items) == len(BASE.questions) + grown
    if not action:
        assert own.items[0].fields[0].value == "Who pays for the cover?"
        assert own.items[0].title == BASE.questions[0].id
    assert apply_form(text, text, {}, "inherit:provisions.0.questions") == OURS


def test_a_page_marks_what_is_inherited_and_brings_back_what_was_left_out(room: Room) -> None:
    page = post(room, "/playbooks/form", text=OURS, drawn=OURS)[1]
    assert BASE.definition in unescape(page)
    assert "From due-diligence: text that you do not change stays inherited." in words(page)
    left = text_of(post(room, "/playbooks/form", text=OURS, drawn=OURS, do="drop:assignment")[1])
    page = post(room, "/playbooks/form", text=left, drawn=left)[1]
    assert 'aria-label="Bring back: Assignment"' in unescape(page)
    assert (
        text_of(post(room, "/playbooks/form", text=left, drawn=left, do="remove:drop.0")[1]) == OURS
    )


def test_versions_are_listed_compared_and_restored(room: Room) -> None:
    texts = [HOUSE, HOUSE.replace("How the contract ends", "When the contract ends")]
    texts.append(texts[1] + "  - id: fees\n    name: Fees\n    definition: Pay.\n    query: fee\n")
    numbers: list[str] = []
    for text in texts:
        before = {"before": numbers[-1]} if numbers else {}
        assert post(room, "/playbooks/save", text=text, **before)[0] == 303
        page = room.client.get("/playbooks/house/edit").text
        numbers += re.findall(r'name="before" value="(\d+)"', page)
    assert "3 versions" in words(room.client.get("/playbooks/house").text)
    page = words(room.client.get("/playbooks/house/versions").text)
    assert "Version 3 compared with version 2" in page
    assert "Fees added" in page
    asked = "before=1&after=2"
    page = room.client.get(f"/playbooks/house/versions?{asked}").text
    assert "<del>How</del>" in page
    assert "<ins>When</ins>" in page
    answer = room.client.get(f"/api/v1/playbooks/house/comparison?{asked}").json()
    assert [each["provision"] for each in answer["changes"]] == ["ending"]
    assert post(room, "/playbooks/house/restore", number="1")[0] == 303
    assert saved(room, "house") == HOUSE
    assert "Version 4 compared with version 3" in words(
        room.client.get("/playbooks/house/versions").text
    )
    assert post(room, "/playbooks/house/restore", number="99999")[0] == 404
    for address in ("house/versions?before=99999", "due-diligence/versions", "nothing/versions"):
        assert room.client.get(f"/playbooks/{address}").status_code == 404, address
    one = room.client.get("/api/v1/playbooks/house/versions/2").json()
    assert one["text"] == texts[1]


def test_each_playbook_counts_its_own_versions_and_has_no_others(room: Room) -> None:
    """The versions of all playbooks share a table, whose rows are not what people count."""
    other = HOUSE.replace("id: house", "id: other")
    assert post(room, "/playbooks/save", text=other)[0] == 303
    headers = {"X-CSRF-Token": room.token()}

    def save(text: str, before: int | None) -> Any:
        body = {"text": text, "before": before}
        return room.client.post("/api/v1/playbooks", json=body, headers=headers)

    texts = [HOUSE, HOUSE + "# second\n", HOUSE + "# third\n"]
    for before, text in zip((None, 1, 2), texts, strict=True):
        answer = save(text, before)
        assert (answer.status_code, answer.json()["number"]) == (201, (before or 0) + 1)
    listed = room.client.get("/api/v1/playbooks/house/versions").json()
    assert [each["number"] for each in listed] == [3, 2, 1]
    assert "house, version 3 · saved by" in words(room.client.get("/playbooks/house").text)
    for number, text in enumerate(texts, start=1):
        one = room.client.get(f"/api/v1/playbooks/house/versions/{number}").json()
        assert one["text"] == text
    assert room.client.get("/api/v1/playbooks/house/versions/4").status_code == 404  # the last row
    assert room.client.get("/api/v1/playbooks/other/versions/2").status_code == 404
    assert room.client.get("/api/v1/playbooks/house").json()["number"] == 3
    assert room.client.get("/api/v1/playbooks/due-diligence").json()["number"] is None
    assert save(HOUSE, 4).status_code == 404
    assert save(HOUSE, 2).status_code == 409


def sent(room: Room, path: Path, **data: str) -> Any:
    return room.client.post(
        "/playbooks/import",
        data={"csrf": room.token(), **data},
        files={"file": (path.name, path.read_bytes())},
    )


def values_of(page: str) -> dict[str, str]:
    """Return what the form of columns sends if nobody changes it."""
    found = dict(re.findall(r'<input type="hidden" name="(rows|left)" value="([^"]*)"', page))
    found["name"] = re.findall(r'<input id="name" name="name" value="([^"]*)"', page)[0]
    for at, options in re.findall(
        r'<select id="column-\d+" name="column-(\d+)">(.*?)</select>', page
    ):
        chosen = re.findall(r'value="(\w+)" selected', options)
        found[f"column-{at}"] = chosen[0] if chosen else ""
    return {key: unescape(value) for key, value in found.items()}


@pytest.mark.parametrize("kind", ["xlsx", "docx"])
def test_a_table_becomes_a_playbook(room: Room, tmp_path: Path, kind: str) -> None:
    path = tmp_path / f"house rules.{kind}"
    rows = [("Our wish", "Clause", "Owner"), ("One percent a week", "Late delivery", "Ada")]
    answer = sent(room, (workbook if kind == "xlsx" else word_file)(path, rows))
    assert answer.status_code == 200, words(answer.text)
    assert "1 row found" in words(answer.text)
    values = values_of(answer.text)
    assert (values["name"], values["column-0"], values["column-1"]) == ("house rules", "", "name")
    values["column-0"] = "preferred"
    status, page = post(room, "/playbooks/import/make", **values)
    assert status == 200
    assert "column 'Owner'" in words(page)
    text = text_of(page)
    assert post(room, "/playbooks/save", text=text, drawn=text)[0] == 303
    shown = words(room.client.get("/playbooks/house-rules").text)
    assert "Preferred One percent a week" in shown
    again = post(room, "/playbooks/import/make", **values)[1]
    assert "id: house-rules-2\n" in text_of(again)


def test_faults_of_an_imported_table_are_in_the_editor(room: Room, tmp_path: Path) -> None:
    page = sent(room, workbook(tmp_path / "a.xlsx", [("Clause",), ("付款",)])).text
    status, page = post(room, "/playbooks/import/make", **values_of(page))
    assert status == 422
    assert "data-line" in page


def test_what_is_no_table_is_refused_with_words(room: Room, tmp_path: Path) -> None:
    (tmp_path / "torn.xlsx").write_bytes(b"PK\x03\x04")
    for path in (tmp_path / "torn.xlsx", workbook(tmp_path / "bare.xlsx", [("Clause",)])):
        answer = sent(room, path)
        assert answer.status_code == 400
        assert "fourcorners-" not in answer.text
        assert str(tmp_path) not in answer.text
    page = sent(room, workbook(tmp_path / "a.xlsx", [("Clause", "Why"), ("a", "b")])).text
    values = values_of(page)
    for change in (
        {"rows": "[[1]]"}, {"rows": "x"}, {"rows": "[]"}, {"left": "7"},
        {"column-0": "nothing"}, {"column-0": "reason"}, {"column-0": ""},
        {"rows": '[["a", "b"], ["c"]]'},
    ):  # fmt: skip
        status, text = post(room, "/playbooks/import/make", **{**values, **change})
        assert status in (400, 422), (change, words(text))


def test_an_import_says_which_questions_may_stay_open(room: Room, tmp_path: Path) -> None:
    rows = [("Clause", "Question"), ("Storage", "Is it dry?"), ("Delay", "")]
    page = sent(room, workbook(tmp_path / "a.xlsx", rows)).text
    made = words(post(room, "/playbooks/import/make", **values_of(page))[1])
    assert "only a language model or a person can answer: Storage. Until" in made


def test_a_table_is_imported_by_rest(room: Room, tmp_path: Path) -> None:
    path = workbook(tmp_path / "ours.xlsx", [("Topic", "X"), ("Storage", "Dry."), ("Delay", "No.")])
    headers = {"X-CSRF-Token": room.token()}
    files = {"file": (path.name, path.read_bytes())}
    made = room.client.post("/api/v1/playbook-imports", files=files, headers=headers).json()
    assert made["columns"] == ["name", None]
    assert made["left"] == ["column 'X'"]
    columns = {"columns": ["name", "preferred"], "name": "House"}
    files = {"file": (path.name, path.read_bytes())}
    answer = room.client.post(
        "/api/v1/playbook-imports", data=columns, files=files, headers=headers
    ).json()
    assert "text: Dry." in answer["text"]
    assert answer["text"].startswith("id: house\n")


def test_a_review_says_which_versions_of_its_playbook_made_its_findings(room: Room) -> None:
    assert post(room, "/playbooks/save", text=HOUSE)[0] == 303
    room.put({"lease.txt": LEASE}, "Mill")
    asked = {"collection": "Mill", "playbook": "house"}
    lease, pool = room.document("lease"), room.app.state.server.connection_pool
    book = parse_cached(HOUSE)
    with pool.library() as library:
        fill(library, book, [found(lease, each.id, LEASE) for each in book.provisions])
    changed = HOUSE.replace("How the contract ends", "When the contract ends")
    headers = {"X-CSRF-Token": room.token()}
    body = {"text": changed, "before": 1}
    assert room.client.post("/api/v1/playbooks", json=body, headers=headers).status_code == 201
    used = room.client.get("/api/v1/reviews/versions", params=asked).json()
    assert [(e["number"], e["findings"], e["is_shown"]) for e in used] == [
        (2, 0, True),
        (1, len(book.provisions), False),
    ]
    page = words(room.client.get("/reviews/grid?c=Mill&p=house").text)
    assert "0 findings by version 2 of the playbook, saved by" in page
    assert f"Version 1 made {len(book.provisions)} finding" in page
    missing = room.client.get("/api/v1/reviews/versions", params=asked | {"collection": "Elm"})
    assert missing.status_code == 404
    package = room.client.get("/api/v1/reviews/versions?collection=Mill").json()
    assert [(each["number"], each["is_shown"]) for each in package] == [(None, True)]
