"""Back-channel logout: what the provider ends, and what tokens come to that are not its own."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from fourcorners.operations.principal import Role, Scope
from tests.server.auth.test_oidc import ADA, accounts_of, begun, is_in, make_team, quick, trail
from tests.server.conftest import Room
from tests.server.oidc_provider import (
    CLIENT,
    OidcProvider,
    handmade,
    new_key,
    provided,
    signed,
    with_alg_none,
    with_public_key_as_secret,
)

__all__ = ["make_team", "quick"]  # fixtures

pytestmark = pytest.mark.allow_hosts(["127.0.0.1"])

EVENT = "http://schemas.openid.net/event/backchannel-logout"
PATH = "/sign-out/oidc/back-channel"


@pytest.fixture(scope="module")
def key() -> Any:
    return new_key("first")


@pytest.fixture
def provider(key: Any) -> Iterator[OidcProvider]:
    with provided(key) as running:
        running.does.claims = {**ADA, "sid": "s-1"}
        yield running


def claims(provider: OidcProvider, **more: Any) -> dict[str, Any]:
    """Return the claims of a logout token that counts; those that are None are left out."""
    now = int(time.time())
    told = {
        "iss": provider.issuer,
        "aud": CLIENT,
        "iat": now,
        "exp": now + 120,
        "jti": f"j-{time.monotonic_ns()}",
        "events": {EVENT: {}},
        "sub": "u-1",
        "sid": "s-1",
        **more,
    }
    return {name: value for name, value in told.items() if value is not None}


def sent(room: Room, token: str) -> Any:
    """Send a logout token as a provider does: with no cookie, and from no page."""
    cookies = dict(room.client.cookies)
    room.client.cookies.clear()
    answer = room.client.post(PATH, data={"logout_token": token})
    for name, value in cookies.items():
        room.client.cookies.set(name, value)
    return answer


def enter(room: Room, provider: OidcProvider, **more: Any) -> str:
    """Sign somebody in, and return the session that their browser keeps."""
    room.client.cookies.clear()
    answer = room.client.get(provider.sign_in(begun(room), **more))
    assert answer.status_code == 303
    return str(room.client.cookies["__Host-fourcorners"])


def lives(room: Room, session: str) -> bool:
    room.client.cookies.clear()
    room.client.cookies.set("__Host-fourcorners", session)
    return is_in(room)


def refusals(room: Room) -> list[str]:
    return [detail["why"] for event, detail in trail(room) if event == "sign-out refused"]


def test_the_session_that_a_token_names_ends_and_no_other(
    make_team: Callable[..., Room], provider: OidcProvider, key: Any
) -> None:
    room = make_team()
    first = enter(room, provider)
    second = enter(room, provider, sid="s-2")
    other = enter(room, provider, sub="u-2", email="bram@firm.test", sid="s-3")
    answer = sent(room, signed(claims(provider), key))
    assert (answer.status_code, answer.content) == (200, b"")
    assert answer.headers["cache-control"] == "no-store"
    assert [lives(room, each) for each in (first, second, other)] == [False, True, True]
    said = ("signed out", {"user": "ada@firm.test", "by": provider.issuer})
    assert trail(room).count(said) == 1
    assert sent(room, signed(claims(provider), key)).status_code == 200  # it is ended already
    assert sent(room, signed(claims(provider, sub=None, sid="s-3"), key)).status_code == 200
    assert [lives(room, each) for each in (second, other)] == [True, False]


def test_a_token_without_a_session_ends_all_of_a_person(
    make_team: Callable[..., Room], provider: OidcProvider, key: Any
) -> None:
    room = make_team()
    sessions = [enter(room, provider), enter(room, provider, sid="s-2")]
    other = enter(room, provider, sub="u-2", email="bram@firm.test")
    assert sent(room, signed(claims(provider, sid=None), key)).status_code == 200
    assert [lives(room, each) for each in sessions] == [False, False]
    assert lives(room, other)


def test_a_session_of_which_the_provider_said_no_id_ends_with_its_person(
    make_team: Callable[..., Room], provider: OidcProvider, key: Any
) -> None:
    room = make_team()
    provider.does.claims = dict(ADA)
    session = enter(room, provider)
    assert sent(room, signed(claims(provider, sid="s-9"), key)).status_code == 200
    assert not lives(room, session)


def test_sessions_by_password_and_api_tokens_stay(
    make_team: Callable[..., Room], provider: OidcProvider, key: Any
) -> None:
    from fourcorners.server.auth.api_tokens import ApiTokens

    room = make_team()
    enter(room, provider)
    with accounts_of(room) as accounts:
        accounts.grant("ada@firm.test", Role.READER, "Mill", by="test")
    with room.app.state.server.connection_pool.library() as library:
        token = ApiTokens(library).add("ada@firm.test", [Scope.READ], "t", 1, by="test")
    room.client.cookies.clear()
    form = {"name": "olga", "password": "a short sentence is good"}
    assert room.client.post("/sign-in", data=form).status_code == 303
    olga = str(room.client.cookies["__Host-fourcorners"])
    assert sent(room, signed(claims(provider, sid=None), key)).status_code == 200
    assert lives(room, olga)
    headers = {"Authorization": f"Bearer {token}"}
    assert room.client.get("/api/v1/collections", headers=headers).status_code == 200


def test_a_token_counts_once(
    make_team: Callable[..., Room], provider: OidcProvider, key: Any
) -> None:
    room = make_team()
    token = signed(claims(provider), key)
    assert sent(room, token).status_code == 200
    session = enter(room, provider)
    answer = sent(room, token)
    assert answer.status_code == 400
    assert answer.json()["error"] == "invalid_request"
    assert refusals(room) == ["logout token used before"]
    assert lives(room, session)


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"iss": "https://evil.test"}, "issuer"),
    ({"aud": "another"}, "audience"),
    ({"aud": [CLIENT, "another"]}, "authorized party"),
    ({"exp": 1}, "expired"),
    ({"exp": None}, "expired"),
    ({"iat": None}, "made in the future"),
    ({"iat": 9_000_000_000, "exp": 9_000_000_100}, "made in the future"),
    ({"events": None}, "no sign-out"),
    ({"events": [EVENT]}, "no sign-out"),
    ({"events": {EVENT: "yes"}}, "no sign-out"),
    ({"events": {"http://schemas.openid.net/event/other": {}}}, "no sign-out"),
    ({"nonce": "n"}, "nonce"),
    ({"sub": None, "sid": None}, "nobody is named"),
    ({"sub": 7}, "sub"),
    ({"sid": ""}, "sid"),
    ({"jti": None}, "jti"),
    ({"jti": ["j"]}, "jti"),
]


@pytest.mark.parametrize(("spoilt", "why"), WRONG)
def test_claims_that_are_wrong_end_nothing(
    make_team: Callable[..., Room],
    provider: OidcProvider,
    key: Any,
    spoilt: dict[str, Any],
    why: str,
) -> None:
    room = make_team()
    session = enter(room, provider)
    answer = sent(room, signed(claims(provider, **spoilt), key))
    assert (answer.status_code, refusals(room)) == (400, [why])
    assert answer.headers["cache-control"] == "no-store"
    assert lives(room, session)


def test_signatures_that_are_not_the_providers_end_nothing(
    make_team: Callable[..., Room], provider: OidcProvider, key: Any
) -> None:
    room = make_team()
    session = enter(room, provider)
    told = claims(provider)
    tokens = {
        with_alg_none(told): "no signed token",
        with_public_key_as_secret(told, key): "algorithm",
        signed(told, new_key("first")): "signature",
        signed(told, new_key("another")): "unknown key",
        handmade({"alg": "RS256", "kid": key.kid, "typ": "at+jwt"}, told, key): "kind of token",
        "": "no signed token",
        "a.b.c": "signature",
    }
    for token, why in tokens.items():
        assert sent(room, token).status_code == 400
        assert refusals(room)[-1] == why
    assert lives(room, session)
    typed = handmade({"alg": "RS256", "kid": key.kid, "typ": "logout+jwt"}, told, key)
    assert sent(room, typed).status_code == 200
    assert not lives(room, session)


def test_an_id_token_signs_nobody_out_and_a_logout_token_nobody_in(
    make_team: Callable[..., Room], provider: OidcProvider
) -> None:
    room = make_team()
    tokens: list[str] = []

    def noted(told: dict[str, Any], by: Any) -> str:
        tokens.append(signed(told, by))
        return tokens[-1]

    provider.does.token = noted
    session = enter(room, provider)
    assert sent(room, tokens[0]).status_code == 400
    assert lives(room, session)
    room.client.cookies.clear()
    provider.does.spoil = lambda _: claims(provider)
    assert room.client.get(provider.sign_in(begun(room))).status_code == 403


def test_guesses_are_counted_and_so_is_what_the_trail_keeps_of_them(
    make_team: Callable[..., Room],
) -> None:
    room = make_team()
    statuses = [sent(room, "a.b.c").status_code for _ in range(30)]
    assert 429 in statuses
    assert len(refusals(room)) == statuses.count(400)


def test_without_a_provider_there_is_no_such_page(make_room: Callable[..., Room]) -> None:
    assert sent(make_room(team=True), "a.b.c").status_code == 404
