"""The inbox: what people are notified of, and the walls around it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from fourcorners.operations.notices import Notice, NoticeKind, notify
from fourcorners.operations.principal import Role
from fourcorners.playbooks.load import load_playbook
from fourcorners.server.auth.accounts import Accounts
from tests.server.conftest import Room
from tests.server.pages import test_walls as walls

FIRST = walls.FIRST
NAME = load_playbook("due-diligence").provision(FIRST).name
team = walls.team  # a fixture


def tell(room: Room, person: str, collection: str, document: str, provision: str = FIRST) -> None:
    """Notify somebody of a finding that was assigned to them."""
    notice = Notice(
        kind=NoticeKind.ASSIGNED,
        by="ada",
        collection=collection,
        document=room.document(document),
        playbook="due-diligence",
        provision=provision,
    )
    with room.app.state.server.connection_pool.library() as library, library.transaction():
        notify(library, person, notice)


def test_a_notice_opens_its_finding_and_is_read_by_that(team: Room) -> None:
    tell(team, "bram", "Mill", "lease")
    page = team.client.get("/inbox").text
    assert '<span class="count" aria-label="1 unread">1</span>' in page
    assert "assigned a finding to you" in page
    assert f"<span>{NAME}, <bdi>" in page
    assert team.client.get("/api/v1/inbox").json()["notices"][0]["name"] == NAME
    assert "LEASE OF A MILL".casefold() in page.casefold()
    data = {"csrf": team.token(), "notice": page.split('name="notice" value="')[1].split('"')[0]}
    opened = team.client.post("/inbox/open", data=data)
    assert opened.headers["location"].startswith("/reviews/cell?c=Mill&p=due-diligence&d=")
    assert team.client.get(opened.headers["location"]).status_code == 200
    page = team.client.get("/inbox").text
    assert "unread" not in page
    assert "<h2>Read</h2>" in page


def test_all_are_marked_as_read_at_once(team: Room) -> None:
    for _ in range(3):
        tell(team, "bram", "Mill", "lease")
    headers = {"X-CSRF-Token": team.token()}
    assert team.client.get("/api/v1/inbox?unread=true").json()["unread"] == 3
    first = team.client.get("/api/v1/inbox").json()["notices"][0]["id"]
    left = team.client.post("/api/v1/inbox/read", json={"notices": [first]}, headers=headers).json()
    assert left["unread"] == 2
    assert [each["read"] for each in left["notices"]] == [False, False, True]
    assert team.client.post("/inbox/read", data={"csrf": team.token()}).status_code == 303
    assert team.client.get("/api/v1/inbox?unread=true").json() == {"unread": 0, "notices": []}


def test_nobody_sees_notices_of_another_or_behind_the_wall(team: Room) -> None:
    tell(team, "bram", "Grain", "supply")
    tell(team, "bram", "Mill", "supply")  # of a contract that was moved
    tell(team, "cleo", "Mill", "lease")
    empty = {"unread": 0, "notices": []}
    assert team.client.get("/api/v1/inbox").json() == empty
    headers = {"X-CSRF-Token": team.token()}
    assert team.client.post("/api/v1/inbox/read", json={}, headers=headers).json() == empty
    with team.app.state.server.connection_pool.library() as library:
        assert library.execute("SELECT count(*) FROM server_notices WHERE seen = ''") == [(3,)]


def test_who_loses_a_role_loses_the_notices_and_their_count(team: Room) -> None:
    tell(team, "bram", "Mill", "lease")
    assert team.client.get("/api/v1/inbox").json()["unread"] == 1
    with team.app.state.server.connection_pool.library() as library:
        accounts = Accounts(library)
        accounts.grant("bram", None, "Mill", by="test")
        accounts.grant("bram", Role.READER, "Grain", by="test")
    assert team.client.get("/api/v1/inbox").json() == {"unread": 0, "notices": []}
    assert 'class="count"' not in team.client.get("/inbox").text


def test_a_notice_goes_with_its_contract(team: Room) -> None:
    tell(team, "bram", "Mill", "lease")
    with team.app.state.server.connection_pool.library() as library:
        library.remove(team.document("lease"))
    assert team.client.get("/api/v1/inbox").json()["unread"] == 0


def test_a_program_reads_the_inbox(make_room: Callable[..., Room]) -> None:
    pytest.importorskip("mcp")
    from fourcorners.operations.inbox import InboxRequest
    from fourcorners.server.mcp.protocol import TOOLS

    (tool,) = [each for each in TOOLS if each.name == "inbox"]
    assert tool.types[0] is InboxRequest
    assert not tool.writes
    assert make_room().client.get("/inbox").status_code == 200


@pytest.mark.parametrize("where", ["open", "read"])
@pytest.mark.parametrize("notice", ["-1", str(10**23)])
def test_a_notice_that_cannot_be_is_refused(team: Room, where: str, notice: str) -> None:
    data = {"csrf": team.token(), "notice": notice}
    assert team.client.post(f"/inbox/{where}", data=data).status_code == 400


def test_a_notice_of_many_findings_leads_to_what_one_is_to_do(team: Room) -> None:
    notice = Notice(
        kind=NoticeKind.ASSIGNED, by="ada", collection="Mill", playbook="house", findings=12
    )
    with team.app.state.server.connection_pool.library() as library, library.transaction():
        notify(library, "bram", notice)
    assert "assigned 12 findings to you" in team.client.get("/inbox").text
    (found,) = team.client.get("/api/v1/inbox").json()["notices"]
    assert found["findings"] == 12
    data = {"csrf": team.token(), "notice": str(found["id"])}
    opened = team.client.post("/inbox/open", data=data)
    assert opened.headers["location"] == "/to-do?c=Mill&for=bram"
    assert team.client.get(opened.headers["location"]).status_code == 200
