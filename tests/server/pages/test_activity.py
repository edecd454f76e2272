"""Precedents, playbooks and activity, through pages."""

from __future__ import annotations

import re
from html import unescape

import pytest

from fourcorners.playbooks.bank import store as banks
from fourcorners.playbooks.load import builtin_names
from fourcorners.review.annotations import AUDIT_EVENT
from tests.server.conftest import LEASE, SUPPLY, Room

HOUSE = """id: house
name: House style
version: "1"
provisions:
  - id: ending
    name: Ending
    definition: How the contract ends.
    query: '"end this lease"'
"""


@pytest.fixture
def mill(room: Room) -> Room:
    room.put({"lease.txt": LEASE, "supply.txt": SUPPLY, "copy.txt": LEASE.replace("LEASE OF", "A")})
    return room


def words(page: str) -> str:
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", page)).split())


def post(room: Room, path: str, **values: str) -> tuple[int, str]:
    answer = room.client.post(path, data={"csrf": room.token(), **values})
    return answer.status_code, answer.text


def test_precedents_are_ranked_with_reasons_sources_and_places(mill: Room) -> None:
    status, page = post(mill, "/precedents", q="liability is capped")
    assert status == 200
    first = page[page.index('class="rank"') :]
    assert "ten thousand crowns" in first[: first.index("</li>")]
    assert f"/d/{mill.document('supply')}?s=" in first
    assert "Covers" in words(first)
    assert page.count("six months") >= 1


def test_the_same_words_stand_once_with_all_their_places(mill: Room) -> None:
    _, page = post(mill, "/precedents", q="the tenant may end the lease on notice")
    folded = page.split('<li class="card">')
    lease, copy = (f'href="/d/{mill.document(name)}?s=' for name in ("lease", "copy"))
    assert any(lease in each and copy in each for each in folded)
    assert "Lease of a Mill (Ada Turner / Bram Miller" in words(page)


def test_a_draft_is_compared_word_by_word(mill: Room) -> None:
    draft = "The Tenant may end this lease on three months' notice to the Landlord."
    _, page = post(mill, "/precedents", draft=draft)
    assert "<ins>six</ins>" in page
    assert "<del>three</del>" in page


def test_nothing_asked_is_said(mill: Room) -> None:
    status, page = post(mill, "/precedents", q="  ")
    assert status == 400
    assert "Describe the clause" in page


def test_a_clause_is_kept_in_a_bank_found_there_and_rated(mill: Room) -> None:
    clause = "The liability of Oats Limited is capped at ten thousand crowns."
    status, page = post(
        mill, "/precedents/keep", text=clause, bank="house", provision="Cap", source="supply.txt"
    )
    assert (status, "Saved to the clause bank." in page) == (200, True)
    _, again = post(mill, "/precedents/keep", text=clause, bank="house", provision="Cap")
    assert "already has it" in again
    answer = mill.client.post(
        "/precedents", data={"csrf": mill.token(), "q": "cap on liability", "from": "b:house"}
    ).text
    identifier = re.search(r'name="clause" value="(\w+)"', answer)
    assert identifier
    status, page = post(mill, "/precedents/rate", bank="house", clause=identifier[1], stars="5")
    assert "★★★★★" in page
    with mill.app.state.server.connection_pool.library() as library:
        (kept,) = banks.bank_clauses(library, "house")
    assert (kept.stars, kept.provision, kept.source) == (5, "Cap", "supply.txt")


def test_a_bank_that_is_not_there_is_said(mill: Room) -> None:
    answer = mill.client.post(
        "/precedents", data={"csrf": mill.token(), "q": "cap", "from": "b:nothing"}
    )
    assert answer.status_code == 400
    assert "no clause bank" in answer.text


def test_the_packages_playbooks_are_listed_and_read(room: Room) -> None:
    page = room.client.get("/playbooks").text
    for name in builtin_names():
        assert f'href="/playbooks/{name}"' in page
    page = words(room.client.get("/playbooks/due-diligence").text)
    assert "Change of control" in page
    assert "Search terms" in page
    assert room.client.get("/playbooks/nothing").status_code == 404
    assert room.client.get("/playbooks/..%2Fload").status_code == 404


def test_faults_are_told_by_line_and_nothing_is_saved(room: Room) -> None:
    broken = HOUSE.replace("query:", "qery:")
    status, page = post(room, "/playbooks/check", text=broken)
    assert 'data-line="8"' in page
    assert "Did you mean 'query'" in unescape(page)
    status, page = post(room, "/playbooks/save", text=broken)
    assert status == 422
    assert "qery" in page
    assert room.client.get("/playbooks/house").status_code == 404
    assert "A valid playbook of 1 provision" in words(post(room, "/playbooks/check", text=HOUSE)[1])


def test_a_house_playbook_is_saved_edited_and_no_edit_is_lost(room: Room) -> None:
    assert post(room, "/playbooks/save", text=HOUSE)[0] == 303
    page = room.client.get("/playbooks/house/edit").text
    number = re.search(r'name="before" value="(\d+)"', page)
    assert number
    changed = HOUSE.replace("House style", "House style, second")
    saved = {"text": changed, "before": number[1], "as": "rename"}
    assert post(room, "/playbooks/save", **saved)[0] == 303
    status, page = post(room, "/playbooks/save", text=HOUSE, before=number[1])
    assert status == 422
    assert "was saved by someone else meanwhile" in page
    assert "House style, second" in room.client.get("/playbooks/house").text
    assert post(room, "/playbooks/save", text=HOUSE.replace("house", "due-diligence"))[0] == 422


def test_a_playbook_may_not_reach_for_files(room: Room) -> None:
    reaching = HOUSE.replace("name: House style", "name: House style\nextends: ../../secret.yaml")
    assert post(room, "/playbooks/save", text=reaching)[0] == 422
    assert post(room, "/playbooks/check", text=reaching)[1].count("data-line") == 1


def test_a_playbook_is_tried_on_a_contract_and_on_words_and_nothing_is_stored(mill: Room) -> None:
    status, page = post(
        mill, "/playbooks/try", text=HOUSE, document=mill.document("lease.txt"), words=""
    )
    assert status == 200
    assert "Ending" in words(page)
    status, page = post(mill, "/playbooks/due-diligence/try", words=LEASE)
    assert status == 200
    assert "Governing law" in words(page)
    with mill.app.state.server.connection_pool.library() as library:
        assert library.execute("SELECT count(*) FROM review_findings") == [(0,)]
    assert post(mill, "/playbooks/due-diligence/try")[0] == 400
    assert post(mill, "/playbooks/due-diligence/try", document="0123456789abcdef")[0] == 404


def test_a_house_playbook_reviews_a_collection(mill: Room) -> None:
    post(mill, "/playbooks/save", text=HOUSE)
    answer = mill.client.post("/reviews", data={"csrf": mill.token(), "c": "Mill", "p": "house"})
    task = re.search(r"/tasks/(\w+)", mill.client.get(answer.headers["location"]).text)
    if task:
        mill.settle(task[1])
    page = mill.client.get(answer.headers["location"]).text
    assert page.count('<td class="c ') == 3
    assert 'class="c missing"' not in page
    for address in ("/activity", "/activity/audit"):  # by its name, not its id
        listed = mill.client.get(address).text
        assert "House style" in listed
        assert ">house<" not in listed
    assert "House style" in mill.client.get("/activity/audit.csv").text


def test_activity_lists_work_and_proves_the_trail(mill: Room) -> None:
    mill.add({"third.txt": SUPPLY.replace("crowns", "marks")})
    page = words(mill.client.get("/activity").text)
    assert "Adding to Mill Done" in page
    page = mill.client.get("/activity/audit?verify=1").text
    assert "The record is complete and unaltered" in page
    assert re.search(r"<code>[0-9a-f]{64}</code>", page)
    only = mill.client.get("/activity/audit?event=task").text
    assert ">Upload started</th>" in only
    assert ">Document added</th>" not in only
    assert AUDIT_EVENT not in words(only).split("No. Event Person")[1]
    assert "No language model has been used" in words(mill.client.get("/activity/models").text)


def test_pages_need_no_inline_script_or_style(mill: Room) -> None:
    for address in ("/precedents", "/playbooks", "/playbooks/new", "/playbooks/due-diligence",
                    "/activity", "/activity/audit", "/activity/models"):  # fmt: skip
        answer = mill.client.get(address)
        assert answer.status_code == 200
        assert not re.search(r"<script(?![^>]*\bsrc=)", answer.text)
        assert " style=" not in answer.text


def test_a_playbook_is_edited_by_form_and_as_yaml(mill: Room) -> None:
    """Both are views of one text: a field is its value there, and comments stay."""
    text = HOUSE.replace("provisions:", "# what matters\nprovisions:")
    page = post(mill, "/playbooks/form", text=text, drawn=text)[1]
    assert '<input id="f-provisions-0-name" name="f:provisions.0.name" value="Ending"' in page
    fields = {"f:provisions.0.name": "How it ends", "f:name": "House style"}
    edited = text.replace('version: "1"', 'version: "2"')  # edited as YAML meanwhile
    page = unescape(post(mill, "/playbooks/form", text=edited, drawn=text, **fields)[1])
    changed = edited.replace("name: Ending", "name: How it ends")
    assert page.count(changed) == 2  # the YAML, and what the form was drawn from
    status, page = post(
        mill, "/playbooks/form", text=changed, drawn=changed, do="add:provisions.0.questions"
    )
    assert status == 200
    assert "- id: question\n" in unescape(page)
    asked = unescape(page).split('name="drawn" hidden>')[1].split("</textarea>")[0]
    fields = {"f:provisions.0.questions.0.question": "Who may end it: and when?"}
    assert post(mill, "/playbooks/save", text=asked, drawn=asked, **fields)[0] == 303
    shown = words(mill.client.get("/playbooks/house").text)
    assert "How it ends" in shown
    assert "Who may end it: and when?" in shown
    assert "# what matters" in shown
    wrong = post(mill, "/playbooks/form", text=asked, drawn=asked, do="remove:provisions.9")[1]
    assert "no longer has" in words(wrong)
    broken = post(mill, "/playbooks/form", text="name: [", drawn=asked, **fields)[1]
    assert "cannot be read" in words(broken)


def test_a_playbook_that_extends_another_takes_its_provisions_over(mill: Room) -> None:
    text = 'id: ours\nname: Ours\nversion: "1"\nextends: due-diligence\nprovisions:\n'
    text += "  - id: insurance\n    name: Cover\n"
    page = post(mill, "/playbooks/form", text=text, drawn=text)[1]
    assert 'value="drop:assignment"' in page
    assert 'value="drop:insurance"' not in page
    left = unescape(post(mill, "/playbooks/form", text=text, drawn=text, do="drop:assignment")[1])
    assert "drop:\n  - assignment\n" in left
    changed = post(mill, "/playbooks/form", text=text, drawn=text, do="change:exclusivity")[1]
    assert "  - id: exclusivity\n" in unescape(changed)
    assert 'name="f:provisions.1.definition"' in changed
