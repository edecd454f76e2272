"""Owners of bank clauses are reminded of them before they expire."""

from __future__ import annotations

import time
from datetime import UTC, date, datetime, timedelta

from fourcorners.operations.access import Access
from fourcorners.operations.inbox import count_unread
from fourcorners.operations.knowledge.expiries import notify_owners
from fourcorners.operations.members import members
from fourcorners.operations.principal import Principal, Role
from fourcorners.playbooks.bank.facts import ClauseFacts
from fourcorners.playbooks.bank.store import BankClause, store_clauses
from fourcorners.server.tasks.reminders import Reminders
from tests.server.conftest import Room
from tests.server.pages import test_walls as walls

team = walls.team  # a fixture
TODAY = datetime.now(UTC).date()
WORDS = "Neither party is liable for rain."


def keep(room: Room, *clauses: tuple[str, date | None]) -> None:
    """Store a clause in the bank of the weather for each owner and day of expiry."""
    with room.app.state.server.connection_pool.library() as library:
        store_clauses(
            library,
            "weather",
            [
                BankClause("Rain", f"{WORDS} {n}", facts=ClauseFacts(owner, expires=day))
                for n, (owner, day) in enumerate(clauses)
            ],
        )


def look(room: Room, today: date = TODAY) -> int:
    with room.app.state.server.connection_pool.library() as library:
        return notify_owners(library, members(library, ""), today)


def test_an_owner_is_reminded_once_in_the_thirty_days_before(team: Room) -> None:
    day = TODAY + timedelta(days=30)
    keep(team, ("Ada", day))
    assert look(team, TODAY - timedelta(days=1)) == 0
    assert look(team) == 1
    assert look(team) == look(team, day) == 0  # no second time
    signed_in = {"name": "ada", "password": walls.PASSWORD}
    assert team.client.post("/sign-in", data=signed_in).status_code == 303
    page = team.client.get("/inbox").text
    assert "reminds you of a clause that expires soon" in page
    assert "<bdi>weather</bdi>" in page
    assert WORDS not in page
    notice = page.split('name="notice" value="')[1].split('"')[0]
    opened = team.client.post("/inbox/open", data={"csrf": team.token(), "notice": notice})
    assert opened.headers["location"] == "/precedents/bank?b=weather"
    assert WORDS in team.client.get(opened.headers["location"]).text


def test_nobody_else_is_reminded(team: Room) -> None:
    soon = TODAY + timedelta(days=3)
    keep(
        team, ("bram", soon), ("Somebody", soon), ("", soon), ("ada", None),
        ("ada", TODAY - timedelta(days=1)), ("ada", TODAY + timedelta(days=31)),
    )  # fmt: skip
    assert look(team) == 0  # Bram may not read banks


def test_who_may_not_read_banks_any_more_does_not_see_the_notice(team: Room) -> None:
    keep(team, ("ada", TODAY))
    assert look(team) == 1
    with team.app.state.server.connection_pool.library() as library:
        one = Principal("ada", roles={"mill": Role.ADMIN})
        assert count_unread(Access(library, one, watched=False)) == 0
        whole = Principal("ada", Role.READER)
        assert count_unread(Access(library, whole, watched=False)) == 1


def test_a_thread_looks_by_itself(team: Room) -> None:
    keep(team, ("ada", TODAY))
    reminders = Reminders(team.app.state.server.connection_pool, first=0.01)
    reminders.start()
    until = time.monotonic() + 20
    found = 0
    while not found and time.monotonic() < until:
        with team.app.state.server.connection_pool.library() as library:
            found = count_unread(Access(library, Principal("ada", Role.READER), watched=False))
        time.sleep(0.05)
    reminders.stop()
    assert found == 1
