"""Questions that follow an answer, and questions about selected contracts."""

from __future__ import annotations

from collections.abc import Mapping

from fourcorners.server.api.answers import AnswerValue
from tests.server.conftest import LEASE, SUPPLY, Room
from tests.server.pages.test_ask import ask, settled

BARN = LEASE.replace("MILL", "BARN").replace("six months", "two weeks")


def follow(room: Room, address: str, question: str, **fields: str) -> str:
    """Ask a question under an answer, and return the address of its own answer."""
    fields = {"follows": address.rsplit("/", 1)[1], "collection": "", **fields}
    return settled(room, ask(room, question=question, **fields))


def test_a_follow_up_takes_the_question_and_the_contract(room: Room) -> None:
    room.put({"lease.txt": LEASE, "barn.txt": BARN, "supply.txt": SUPPLY})
    first = settled(
        room, ask(room, question="May the Tenant end it?", documents=room.document("barn.txt"))
    )
    second = follow(room, first, "And on what notice?")
    page = room.client.get(second).text
    assert "Understood as: On what notice may the Tenant end it?" in page
    assert "two weeks" in page
    assert "six months" not in page
    third = follow(room, second, "And the Landlord?")
    page = room.client.get(third).text
    assert "Understood as: On what notice may the Landlord end it?" in page
    at = [page.index(f'href="{each}"') for each in (first, second)]
    assert at == sorted(at), "the thread is shown, the first question first"
    assert f'href="{second}"' in room.client.get(first).text


def test_a_follow_up_of_a_table_asks_the_contracts_that_answered(room: Room) -> None:
    room.put({"lease.txt": LEASE, "barn.txt": BARN, "supply.txt": SUPPLY})
    first = settled(room, ask(room, question="Under which contracts may the Tenant end the lease?"))
    known = {
        each.document for each in answer(room, first).rows if each.state in ("yes", "to be read")
    }
    assert known, answer(room, first).rows
    second = answer(room, follow(room, first, "On what notice?"))
    assert second.question == "On what notice may the Tenant end the lease, under each contract?"
    assert {each.document for each in second.rows} == known
    assert second.follows == first.rsplit("/", 1)[1]


def answer(room: Room, address: str) -> AnswerValue:
    found = room.client.get(f"/api/v1/answers/{address.rsplit('/', 1)[1]}")
    return AnswerValue.model_validate(found.json())


def test_a_follow_up_stays_in_its_collection(room: Room) -> None:
    room.put({"lease.txt": LEASE})
    room.put({"supply.txt": SUPPLY}, "Grain")
    first = settled(room, ask(room))
    data = {"csrf": room.token(), "question": "Why?", "follows": first.rsplit("/", 1)[1]}
    assert room.client.post("/ask", data={**data, "collection": "Grain"}).status_code == 400
    assert room.client.post("/ask", data={**data, "follows": "0123456789ab"}).status_code == 404


def test_selected_contracts_are_asked_and_no_others(room: Room) -> None:
    room.put({"lease.txt": LEASE, "barn.txt": BARN, "supply.txt": SUPPLY})
    chosen = ",".join(room.document(each) for each in ("barn.txt", "supply.txt"))
    form = room.client.get(f"/ask?c=Mill&documents={chosen}").text
    assert "About 2 contracts" in form
    assert f'name="documents" value="{chosen}"' in form
    page = room.client.get(settled(room, ask(room, documents=chosen))).text
    assert "two weeks" in page
    assert "six months" not in page
    many = ",".join(f"{each:016x}" for each in range(501))
    refused = room.client.get(f"/ask?c=Mill&documents={many}")
    assert refused.status_code == 400
    assert "500 contracts at most, not 501" in refused.text, refused.text[1500:]


def test_who_asks_is_said_once(room: Room) -> None:
    room.put({"lease.txt": LEASE})
    asked = {"question": "May we end it?", "collection": "Mill", "read_for": ["Bram Miller"]}
    first = settled(room, begin(room, asked))
    again = {"question": "Why?", "follows": first.rsplit("/", 1)[1], "read_for": ["Bram Miller"]}
    page = room.client.get(settled(room, begin(room, again))).text
    assert page.count("It is asked for Bram Miller.") == 1


def begin(room: Room, asked: Mapping[str, object]) -> str:
    headers = {"X-CSRF-Token": room.token()}
    return str(room.client.post("/api/v1/answers", json=asked, headers=headers).json()["id"])
