"""Links for a new password that people have mailed to themselves."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from fourcorners.server.auth.accounts import Accounts
from fourcorners.server.pages import signing_in
from fourcorners.server.store.mail import Digest, find_mailbox, set_mailbox
from fourcorners.server.tasks.mail import MailSender
from fourcorners.source_settings import MailSettings
from tests.server.auth import test_open_sessions as sessions
from tests.server.auth.test_team import PASSWORD, sign_in, trail
from tests.server.conftest import Room
from tests.server.mail_server import Mail, mail_server

pytestmark = pytest.mark.allow_hosts(["127.0.0.1"])
team, cheap_hashes = sessions.team, sessions.cheap_hashes  # fixtures
ADDRESS = "bram@firm.test"


@pytest.fixture
def mail(team: Room) -> Iterator[Mail]:
    """A mail server; Bram has an address, at which notices are not mailed."""
    with team.app.state.server.connection_pool.library() as library:
        set_mailbox(library, "bram", ADDRESS, Digest.NONE)
    team.client.cookies.clear()
    with mail_server() as taken:
        settings = MailSettings(
            host="127.0.0.1",
            port=taken.port,
            tls="none",
            sender="four@firm.test",
            address="https://firm.test/",
        )
        object.__setattr__(team.app.state.server.settings, "mail", settings)
        yield taken


def ask(room: Room, name: str) -> str:
    answer = room.client.post("/sign-in/forgotten", data={"name": name})
    assert answer.status_code == 200
    return answer.text


def send(room: Room) -> None:
    server = room.app.state.server
    MailSender(server.connection_pool, server.settings.mail).run_round()


def wait(room: Room, seconds: float) -> None:
    """Let what was asked for be so much older."""
    with room.app.state.server.connection_pool.library() as library:
        library.execute(
            "UPDATE server_link_requests SET asked = asked - ?1, due = due - ?1", (seconds,)
        )
        library.execute("UPDATE server_password_links SET ends = ends - ?", (seconds,))


def link(mail: Mail) -> str:
    message = mail.taken[-1]
    assert message["To"] == ADDRESS
    found = re.search(r"https://firm\.test(/sign-in/password\?key=\S+)", message.get_content())
    assert found
    return found[1]


def test_somebody_who_forgot_their_password_chooses_another(team: Room, mail: Mail) -> None:
    assert 'href="/sign-in/forgotten"' in team.client.get("/sign-in").text
    assert "Mail me a link" in team.client.get("/sign-in/forgotten").text
    ask(team, "Bram")
    send(team)
    address = link(mail)
    assert sign_in(team.client, "bram") == 303  # the earlier password works until then
    team.client.cookies.clear()
    assert "Choose a new password" in team.client.get(address).text
    key = address.partition("=")[2]
    data = {"key": key, "new": sessions.NEW}
    assert team.client.post("/sign-in/password", data=data).status_code == 303
    assert sign_in(team.client, "bram") == 422
    assert sign_in(team.client, "bram", sessions.NEW) == 303
    assert team.client.post("/sign-in/password", data=data).status_code == 404
    assert ("password link", "sign-in page") in {
        (event, detail.get("by")) for event, detail in trail(team)
    }


def test_a_mailed_link_works_for_an_hour(team: Room, mail: Mail) -> None:
    ask(team, ADDRESS.upper())
    send(team)
    wait(team, 3_590)
    assert team.client.get(link(mail)).status_code == 200
    wait(team, 20)
    assert team.client.get(link(mail)).status_code == 404


@pytest.mark.parametrize("name", ["nobody", "ada", "eva", "shut", ""])
def test_the_page_does_not_tell_who_has_an_account(team: Room, mail: Mail, name: str) -> None:
    with team.app.state.server.connection_pool.library() as library:
        accounts = Accounts(library)
        accounts.add_without_password("eva", by="test")  # who signs in at the provider
        accounts.add("shut", PASSWORD, by="test")
        accounts.set_disabled("shut", True, by="test")
        for each in ("eva", "shut"):
            set_mailbox(library, each, f"{each}@firm.test", Digest.NONE)
    if name:
        assert ask(team, name) == ask(team, "bram")
    else:
        assert team.client.post("/sign-in/forgotten", data={"name": " "}).status_code == 200
        ask(team, "bram")
    send(team)
    assert [each["To"] for each in mail.taken] == [ADDRESS]


def test_nothing_is_looked_up_before_the_answer(
    team: Room, mail: Mail, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked_up: list[str] = []
    monkeypatch.setattr(signing_in, "_request_mail", lambda _, name: looked_up.append(name))
    assert team.client.post("/sign-in/forgotten", data={"name": "bram"}).status_code == 200
    assert looked_up == ["bram"]
    send(team)
    assert mail.taken == []  # all of it is done there


def test_nobody_is_mailed_twice_within_a_quarter_of_an_hour(team: Room, mail: Mail) -> None:
    for _ in range(3):
        ask(team, "bram")
        send(team)
    assert len(mail.taken) == 1
    wait(team, 901)
    send(team)
    assert len(mail.taken) == 1
    ask(team, "bram")
    send(team)
    assert len(mail.taken) == 2


def test_a_mail_that_is_not_taken_is_tried_again_for_a_while(team: Room, mail: Mail) -> None:
    mail.refusal = "451 later"
    ask(team, "bram")
    send(team)
    mail.refusal = ""
    send(team)
    assert mail.taken == []  # not at once
    wait(team, 61)
    send(team)
    assert team.client.get(link(mail)).status_code == 200
    mail.refusal, mail.taken[:] = "451 later", []
    wait(team, 900)
    ask(team, "bram")
    send(team)
    mail.refusal = ""
    wait(team, 901)
    send(team)
    assert mail.taken == []


@pytest.mark.usefixtures("mail")
def test_only_the_password_changes_where_links_go(team: Room) -> None:
    assert sign_in(team.client, "bram") == 303
    token = sessions.form_token(team.client)
    data = {"csrf": token, "address": "thief@else.test", "digest": "none"}
    for current in ("", "wrong"):
        answer = team.client.post("/account/mail", data={**data, "current": current})
        assert (answer.status_code, "The current password is wrong." in answer.text) == (400, True)
    same = {**data, "address": ADDRESS, "digest": "hourly"}
    assert team.client.post("/account/mail", data=same).status_code == 303
    with team.app.state.server.connection_pool.library() as library:
        assert find_mailbox(library, "bram").address == ADDRESS
    assert team.client.post("/account/mail", data={**data, "current": PASSWORD}).status_code == 303
    with team.app.state.server.connection_pool.library() as library:
        assert find_mailbox(library, "bram").address == "thief@else.test"
    junk = {**data, "address": "junk", "current": PASSWORD}
    assert team.client.post("/account/mail", data=junk).status_code == 400


def test_without_a_mail_server_there_is_no_such_page(team: Room) -> None:
    team.client.cookies.clear()
    assert "forgotten" not in team.client.get("/sign-in").text
    assert team.client.get("/sign-in/forgotten").status_code == 404
    assert team.client.post("/sign-in/forgotten", data={"name": "bram"}).status_code == 404
