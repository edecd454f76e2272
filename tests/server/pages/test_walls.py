"""What a team's member may not see is not there in reviews, precedents, playbooks and activity."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from fourcorners.operations.access import Access
from fourcorners.operations.knowledge.playbooks import save_playbook
from fourcorners.operations.principal import Principal, Role
from fourcorners.playbooks.bank.store import BankClause
from fourcorners.playbooks.bank.store import store_clauses as keep
from fourcorners.playbooks.load import load_playbook
from fourcorners.review.annotations import select_annotations
from fourcorners.server.auth.accounts import ALL_COLLECTIONS, Accounts
from tests.server.conftest import LEASE, SUPPLY, Room
from tests.server.grids import absent, fill

PASSWORD = "a long enough password 1"  # noqa: S105 - of a test
BOOK = load_playbook("due-diligence")
FIRST = BOOK.provisions[0].id


@pytest.fixture
def team(make_room: Callable[..., Room]) -> Room:
    """Bram reviews Mill and may not know of Grain; both are reviewed, and there is a bank."""
    room = make_room(team=True)
    with room.app.state.server.connection_pool.library() as library:
        accounts = Accounts(library)
        for name in ("ada", "bram"):
            accounts.add(name, PASSWORD, by="test")
        accounts.grant("ada", Role.ADMIN, ALL_COLLECTIONS, by="test")
        accounts.grant("bram", Role.REVIEWER, "Mill", by="test")
    room.put({"lease.txt": LEASE}, "Mill")
    room.put({"supply.txt": SUPPLY}, "Grain")
    documents = [room.document(name) for name in ("lease", "supply")]
    with room.app.state.server.connection_pool.library() as library:
        fill(library, BOOK, [absent(d, p.id) for d in documents for p in BOOK.provisions])
        keep(library, "secret", [BankClause("Cap", "Oats Limited is liable without any limit.")])
    with room.app.state.server.connection_pool.library() as library:
        access = Access(library, Principal("ada", Role.ADMIN), watched=False)
        text = 'id: silo\nname: Silo\nversion: "1"\nextends: due-diligence\nprovisions: []\n'
        save_playbook(access, text, collection="Grain")
    data = {"name": "bram", "password": PASSWORD}
    assert room.client.post("/sign-in", data=data).status_code == 303
    return room


def test_walls_of_pages(team: Room) -> None:
    supply = team.document("supply")
    for address in (
        "/reviews", "/reviews/grid?c=Mill&p=due-diligence", "/precedents", "/playbooks",
        "/playbooks/due-diligence", "/activity",
    ):  # fmt: skip
        answer = team.client.get(address)
        assert answer.status_code == 200, address
        for words in ("Oats", "supply.txt", supply, "Grain", "secret", "silo", "Silo"):
            assert words not in answer.text, (address, words)
    query = f"p=due-diligence&d={supply}&v={FIRST}"
    for address in (
        "/reviews/grid?c=Grain&p=due-diligence", "/reviews/rows?c=Grain&p=due-diligence",
        "/reviews/export?c=Grain&p=due-diligence&as=json", f"/reviews/cell?c=Grain&{query}",
        f"/reviews/cell?c=Mill&{query}", "/reviews/progress?c=Grain&p=due-diligence",
        "/reviews/next?c=Grain&p=due-diligence", "/reviews/side?c=Grain",
        f"/d/{supply}/markup", f"/d/{supply}/markup/download?p=due-diligence",
        f"/api/v1/documents/{supply}/markup", "/playbooks/silo", "/playbooks/silo?c=Grain",
        "/playbooks/silo/versions", "/playbooks/silo/edit", "/reviews/grid?c=Mill&p=silo",
        f"/reviews/clauses?c=Mill&p=silo&v={FIRST}",
        f"/reviews/clauses/report.xlsx?c=Grain&p=due-diligence&v={FIRST}",
    ):  # fmt: skip
        assert team.client.get(address).status_code == 404, address
    for address in ("/activity/audit", "/activity/models", "/playbooks/new", "/precedents/bank"):
        assert team.client.get(address).status_code == 403, address


def test_walls_of_forms(team: Room) -> None:
    token, supply = team.token(), team.document("supply")

    def post(path: str, **data: str) -> tuple[int, str]:
        answer = team.client.post(path, data={"csrf": token, **data})
        return answer.status_code, answer.text

    cell = {"p": "due-diligence", "v": FIRST, "says": "second_look"}
    assert post("/reviews/mark", c="Mill", d=supply, **cell)[0] == 404
    assert post("/reviews/mark", c="Mill", d=team.document("lease"), **cell)[0] == 303
    for said in ({"severity": "high"}, {"question": "effect", "answer": "free"}, {"value": "Oats"}):
        place = {"p": "due-diligence", "v": FIRST, **said}
        assert post("/reviews/mark", c="Mill", d=supply, **place)[0] == 404
        assert post("/reviews/mark", c="Grain", d=supply, **place)[0] == 404
    body = {"document": supply, "provision": FIRST, "severity": "high"}
    headers = {"X-CSRF-Token": token}
    assert team.client.post("/api/v1/findings/mark", json=body, headers=headers).status_code in (
        401, 403, 404,
    )  # fmt: skip
    with team.app.state.server.connection_pool.library() as library:
        assert not select_annotations(library, BOOK.id, document=supply)
    assert post("/reviews", c="Grain", p="due-diligence", **{"for": "Oats"})[0] == 404
    back = "c=Grain&p=due-diligence"
    assert post("/reviews/mark-many", back=back, row=supply, which="not_found")[0] == 404
    status, page = post("/precedents", q="liability is capped")
    assert status == 200
    assert "Oats" not in page
    assert post("/precedents", q="liability", **{"from": "b:secret"})[0] == 403
    assert post("/precedents", q="liability", **{"from": "c:Grain"})[0] == 404
    assert post("/precedents/keep", text="x", bank="secret", provision="Cap")[0] == 403
    assert post("/playbooks/save", text="id: x")[0] == 403
    assert post("/playbooks/due-diligence/try", document=supply)[0] == 404
    assert post("/playbooks/silo/try", words="x")[0] == 404
    assert post("/playbooks/silo/restore", number="1")[0] == 404
    assert post("/reviews", c="Mill", p="silo")[0] == 404
    assert post("/collections/arrivals", c="Mill", p="silo", wanted="true")[0] == 404
    assert post("/playbooks/save", text="id: x", c="Mill")[0] == 403
    assert post("/playbooks/save", text="id: x", before="1")[0] == 403
    party = "Bram Miller Limited"
    assert post(f"/d/{team.document('lease')}/markup", p="silo", party=party)[0] == 404


def test_a_mark_up_is_its_persons_alone(team: Room) -> None:
    lease, supply = team.document("lease"), team.document("supply")
    sent = {"csrf": team.token(), "p": "due-diligence", "party": "Bram Miller Limited"}

    def post(path: str, **data: str) -> int:
        return team.client.post(path, data={**sent, **data}).status_code

    assert post(f"/d/{supply}/markup") == 404
    decision = {"change": "0" * 12, "says": "accepted"}
    assert post(f"/d/{supply}/markup/decide", **decision) == 404
    assert post(f"/d/{supply}/markup/include", provision=FIRST) == 404
    assert post(f"/d/{lease}/markup", bank="secret") == 403
    assert post(f"/d/{lease}/markup") == 303
    page = team.client.get(f"/d/{lease}/markup").text
    assert "Propose again" in page
    assert "secret" not in page
    data = {"name": "ada", "password": PASSWORD}
    assert team.client.post("/sign-in", data=data).status_code == 303
    page = team.client.get(f"/d/{lease}/markup").text
    assert "Propose again" not in page
    assert "secret" in page  # the bank, for who reads all
