"""Signing in through a provider: the flow, whom it lets in, and what attacks come to."""

from __future__ import annotations

import importlib.util
import json
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest

from fourcorners.errors import ConfigError
from fourcorners.operations.principal import Role, Scope
from fourcorners.server.auth.accounts import ALL_COLLECTIONS, Accounts
from fourcorners.server.auth.api_tokens import ApiTokens
from fourcorners.server.auth.oidc import provider as providing
from fourcorners.server.auth.oidc import tokens as key_rules
from fourcorners.server.auth.oidc.accounts import groups_of
from fourcorners.server.auth.oidc.provider import Provider
from fourcorners.server.auth.oidc.tokens import ProviderUnavailable
from fourcorners.server.store.mail import Digest, find_mailbox, set_mailbox
from fourcorners.settings import OidcRoleSettings, OidcSettings
from fourcorners.source_settings import MailSettings
from tests.server.conftest import LEASE, SUPPLY, Room
from tests.server.oidc_provider import (
    CLIENT,
    SECRET,
    OidcProvider,
    new_key,
    provided,
    signed,
    with_alg_none,
    with_public_key_as_secret,
)

pytestmark = pytest.mark.allow_hosts(["127.0.0.1"])

PASSWORD = "a short sentence is good"  # noqa: S105 - of a test
ADA: dict[str, Any] = {"sub": "u-1", "email": "ada@firm.test", "email_verified": True}
GROUPS = (
    OidcRoleSettings(group="legal", role="reviewer", collection="Mill"),
    OidcRoleSettings(group="legal", role="reader", collection="Grain"),
    OidcRoleSettings(group="partners", role="editor", collection="Grain"),
    OidcRoleSettings(group="it", role="admin"),
)


@pytest.fixture(scope="module")
def key() -> Any:
    return new_key("first")


@pytest.fixture
def provider(key: Any) -> Iterator[OidcProvider]:
    with provided(key) as running:
        running.does.claims = dict(ADA)
        yield running


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hash with a thousandth of the work, and let the environment hold the client's secret."""
    monkeypatch.setenv("FIRM_OIDC_SECRET", SECRET)


def settings_for(provider: OidcProvider, **more: Any) -> OidcSettings:
    said = {
        "issuer": provider.issuer,
        "client": CLIENT,
        "secret_env": "FIRM_OIDC_SECRET",
        "address": "https://firm.test",
        "title": "Firm account",
        "create": True,
        **more,
    }
    return OidcSettings(**said)


@pytest.fixture
def make_team(make_room: Callable[..., Room], provider: OidcProvider) -> Callable[..., Room]:
    """Return what starts a team's server with the provider, and a local admin, Olga."""

    def make(*, mail: MailSettings | None = None, **more: Any) -> Room:
        sections = {"mail": mail} if mail else {}
        room = make_room(team=True, oidc=settings_for(provider, **more), **sections)
        with accounts_of(room) as accounts:
            accounts.add("olga", PASSWORD, by="test")
            accounts.grant("olga", Role.ADMIN, ALL_COLLECTIONS, by="test")
        return room

    return make


class accounts_of:  # noqa: N801 - reads as a function
    def __init__(self, room: Room) -> None:
        self._lent = room.app.state.server.connection_pool.library()

    def __enter__(self) -> Accounts:
        return Accounts(self._lent.__enter__())

    def __exit__(self, *error: Any) -> None:
        self._lent.__exit__(*error)


def trail(room: Room) -> list[tuple[str, Mapping[str, Any]]]:
    with room.app.state.server.connection_pool.library() as library:
        return [(entry.event, json.loads(entry.detail)) for entry in library.audit_trail()]


def refusals(room: Room) -> list[str]:
    return [detail["why"] for event, detail in trail(room) if event == "sign-in refused"]


def begun(room: Room, to: str = "/") -> str:
    """Begin to sign in; returns where the provider's page is."""
    answer = room.client.get("/sign-in/oidc", params={"to": to})
    assert answer.status_code == 303, answer.text
    return str(answer.headers["location"])


def signed_in(room: Room, provider: OidcProvider, to: str = "/", **claims: object) -> Any:
    """Sign somebody in, and return the answer to the provider's answer."""
    return room.client.get(provider.sign_in(begun(room, to), **claims))


def is_in(room: Room) -> bool:
    return bool(room.client.get("/account").status_code == 200)


def is_refused(room: Room, answer: Any, why: str) -> bool:
    """Tell whether nobody was let in, and the trail says why."""
    assert "__Host-fourcorners=" not in answer.headers.get("set-cookie", "")
    return answer.status_code == 403 and not is_in(room) and refusals(room)[-1:] == [why]


# The flow


def test_someone_signs_in_and_out(make_team: Callable[..., Room], provider: OidcProvider) -> None:
    room = make_team()
    url = begun(room, "/account")
    asked = {name: value[0] for name, value in parse_qs(urlsplit(url).query).items()}
    assert asked["response_type"] == "code"
    assert asked["redirect_uri"] == "https://firm.test/sign-in/oidc/callback"
    assert asked["scope"] == "openid email profile"
    assert asked["code_challenge_method"] == "S256"
    assert len({asked["state"], asked["nonce"], asked["code_challenge"]}) == 3
    answer = room.client.get(provider.sign_in(url))
    assert answer.status_code == 303
    assert answer.headers["location"] == "/account"
    cookies = answer.headers.get_list("set-cookie")
    (session,) = [each for each in cookies if each.startswith("__Host-fourcorners=")]
    assert all(part in session for part in ("Secure", "HttpOnly", "SameSite=lax", "Path=/"))
    page = room.client.get("/account").text
    assert "ada@firm.test" in page
    assert "Current" not in page  # there is no password to change
    with accounts_of(room) as accounts:
        (ada, _) = accounts.users()
    assert (ada.name, ada.password, ada.provider) == ("ada@firm.test", False, "linked")
    answer = room.client.post("/sign-out", data={"csrf": room.token()})
    assert not is_in(room)
    page = room.client.get(answer.headers["location"]).text
    assert "Sign out of Firm account as well" in page
    answer = room.client.get("/sign-out/oidc")
    end = urlsplit(answer.headers["location"])
    assert f"{end.scheme}://{end.netloc}{end.path}" == f"{provider.issuer}/end"
    assert parse_qs(end.query) == {
        "client_id": [CLIENT],
        "post_logout_redirect_uri": ["https://firm.test/sign-in"],
    }
    by = {"user": "ada@firm.test", "by": "ada@firm.test"}
    events = trail(room)
    assert ("user added", {"user": "ada@firm.test", "by": provider.issuer}) in events
    assert ("provider linked", {"user": "ada@firm.test", "by": provider.issuer}) in events
    assert ("signed in", {**by, "through": provider.issuer}) in events
    assert ("signed out", by) in events


def test_the_secret_goes_in_a_header_and_no_token_is_kept(
    make_team: Callable[..., Room], provider: OidcProvider, caplog: pytest.LogCaptureFixture
) -> None:
    room = make_team()
    tokens: list[str] = []

    def noted(claims: dict[str, Any], key: Any) -> str:
        tokens.append(signed(claims, key))
        return tokens[-1]

    provider.does.token = noted
    assert signed_in(room, provider).status_code == 303
    (asked,) = [each for each in provider.asked if each.path == "/token"]
    assert asked.headers["Authorization"].startswith("Basic ")
    assert "client_secret" not in asked.form
    stored = (room.folder / "library.db").read_bytes() + (
        room.folder / "library.db-wal"
    ).read_bytes()
    told = caplog.text.encode() + json.dumps(trail(room)).encode()
    for secret in (SECRET, tokens[0], asked.form["code"], asked.form["code_verifier"]):
        assert secret.encode() not in stored
        assert secret.encode() not in told


def test_a_provider_may_want_the_secret_in_the_form_or_none(
    make_team: Callable[..., Room], provider: OidcProvider
) -> None:
    provider.does.discovery = {"token_endpoint_auth_methods_supported": ["client_secret_post"]}
    assert signed_in(make_team(), provider).status_code == 303
    assert provider.asked[-2].form["client_secret"] == SECRET


def test_a_public_client_has_pkce_alone(
    make_team: Callable[..., Room], provider: OidcProvider
) -> None:
    provider.does.secret = ""
    assert signed_in(make_team(secret_env=""), provider).status_code == 303
    (asked,) = [each for each in provider.asked if each.path == "/token"]
    assert "Authorization" not in asked.headers
    assert asked.form["client_id"] == CLIENT
    assert "client_secret" not in asked.form


def test_a_wrong_secret_lets_nobody_in(
    make_team: Callable[..., Room], provider: OidcProvider
) -> None:
    room = make_team()
    provider.does.secret = "another"  # noqa: S105
    assert is_refused(room, signed_in(room, provider), "code")


def test_an_address_that_the_provider_verified_is_offered_for_notices(
    make_team: Callable[..., Room], provider: OidcProvider
) -> None:
    mail = MailSettings(host="mail.test", sender="four@firm.test", address="https://firm.test")
    room = make_team(mail=mail)
    offered = 'type="email" maxlength="320" autocomplete="email" value="{}"'.format
    assert signed_in(room, provider).status_code == 303
    assert offered("ada@firm.test") in room.client.get("/account").text
    pool = room.app.state.server.connection_pool
    with pool.library() as library:
        assert find_mailbox(library, "ada@firm.test").digest is Digest.NONE  # until they choose
    assert signed_in(room, provider, email="turner@firm.test").status_code == 303  # who married
    assert offered("turner@firm.test") in room.client.get("/account").text
    with pool.library() as library:
        set_mailbox(library, "ada@firm.test", "ada@home.test", Digest.HOURLY)
    assert signed_in(room, provider).status_code == 303
    assert offered("ada@home.test") in room.client.get("/account").text


def test_es256_signs_too(make_team: Callable[..., Room], provider: OidcProvider) -> None:
    provider.key = new_key("curve", "EC")
    assert signed_in(make_team(), provider).status_code == 303


def test_a_new_key_is_found(
    make_team: Callable[..., Room], provider: OidcProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    room = make_team()
    assert signed_in(room, provider).status_code == 303
    old = provider.key
    provider.key = new_key("second")
    answer = signed_in(room, provider)  # so soon the key set is not read again
    assert refusals(room) == ["unknown key"]
    assert answer.status_code == 403
    monkeypatch.setattr(key_rules, "_PAUSE", 0.0)
    assert signed_in(room, provider).status_code == 303
    provider.key = old  # which is published no more
    provider.does.published = [new_key("second").as_dict(private=False)]
    room.client.cookies.clear()
    assert is_refused(room, signed_in(room, provider), "unknown key")


def test_a_clock_may_be_a_little_off(
    make_team: Callable[..., Room], provider: OidcProvider
) -> None:
    room = make_team()
    now = time.time()
    assert signed_in(room, provider, iat=now + 40, nbf=now + 40).status_code == 303
    assert signed_in(room, provider, exp=now - 40).status_code == 303
    room.client.cookies.clear()
    assert is_refused(room, signed_in(room, provider, exp=now - 61), "expired")
    assert is_refused(room, signed_in(room, provider, iat=now + 90), "made in the future")
    assert is_refused(room, signed_in(room, provider, nbf=now + 90), "not valid yet")


# Attacks on the token: `test_oidc_tokens.py` has all of them; these go the whole way


def test_a_token_that_does_not_count_lets_nobody_in(
    make_team: Callable[..., Room], provider: OidcProvider
) -> None:
    room = make_team()
    for spoilt, why in (
        ({"iss": "https://evil.example"}, "issuer"),
        ({"aud": "another"}, "audience"),
        ({"exp": 1_000_000_000}, "expired"),
        ({"nonce": "of another flow"}, "nonce"),
        ({"nonce": None}, "nonce"),
    ):
        provider.does.spoil = lambda claims, spoilt=spoilt: {**claims, **spoilt}  # type: ignore[misc]
        answer = signed_in(room, provider)
        assert is_refused(room, answer, why)
        assert "does not prove who you are" in answer.text
    provider.does.spoil = dict
    stranger = new_key("stranger")
    token: Any
    for token, why in (
        (with_alg_none, "no signed token"),
        (with_public_key_as_secret, "algorithm"),
        (lambda claims, _: signed(claims, stranger), "unknown key"),
        (lambda *_: 7, "no ID token"),
    ):
        provider.does.token = token
        assert is_refused(room, signed_in(room, provider), why)
    provider.does.token = signed
    assert signed_in(room, provider).status_code == 303


# Attacks on the flow


def test_an_answer_counts_once(make_team: Callable[..., Room], provider: OidcProvider) -> None:
    room = make_team()
    url = begun(room)
    cookie = room.client.cookies["__Host-fourcorners-oidc"]
    back = provider.sign_in(url)
    assert room.client.get(back).status_code == 303
    room.client.cookies.clear()
    asked = len(provider.asked)
    for again in (back, provider.sign_in(url)):  # even with a new code
        room.client.cookies.set("__Host-fourcorners-oidc", cookie, domain="firm.test")
        assert is_refused(room, room.client.get(again), "state")
    assert len(provider.asked) == asked  # the provider was not even asked


def test_an_answer_counts_in_the_browser_that_asked(
    make_team: Callable[..., Room], provider: OidcProvider
) -> None:
    """Nobody can be made to work in somebody else's account by a link."""
    room = make_team()
    of_mallory = provider.sign_in(begun(room), sub="mallory", email="mallory@firm.test")
    room.client.cookies.clear()
    assert is_refused(room, room.client.get(of_mallory), "state")
    begun(room)  # a victim who is about to sign in
    assert is_refused(room, room.client.get(of_mallory), "state")
    assert is_refused(room, room.client.get("/sign-in/oidc/callback?code=x&state=é"), "state")


def test_an_answer_that_comes_late_counts_no_more(
    make_team: Callable[..., Room], provider: OidcProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    from fourcorners.server.auth.oidc import flow

    room = make_team()
    back = provider.sign_in(begun(room))
    monkeypatch.setattr(flow, "MAX_SECONDS", -1)
    assert is_refused(room, room.client.get(back), "state")


def test_another_issuers_answer_and_a_refusal_let_nobody_in(
    make_team: Callable[..., Room], provider: OidcProvider
) -> None:
    room = make_team()
    back = provider.sign_in(begun(room))
    assert is_refused(room, room.client.get(f"{back}&iss=https://evil.example"), "issuer")
    state = parse_qs(urlsplit(begun(room)).query)["state"][0]
    words = "%3Cscript%3Ealert(1)%3C/script%3E"
    answer = room.client.get(
        f"/sign-in/oidc/callback?state={state}&error=access_denied&error_description={words}"
    )
    assert is_refused(room, answer, "refused by the provider")
    assert "alert(1)" not in answer.text
    assert "Firm account did not let you in" in answer.text
    state = parse_qs(urlsplit(begun(room)).query)["state"][0]
    assert is_refused(room, room.client.get(f"/sign-in/oidc/callback?state={state}"), "code")


def test_signing_in_leads_nowhere_else(
    make_team: Callable[..., Room], provider: OidcProvider
) -> None:
    room = make_team()
    for to in ("//evil.example", "https://evil.example", "/\\evil", "\n/x", "javascript:x", ""):
        answer = signed_in(room, provider, to)
        assert answer.status_code == 303
        assert answer.headers["location"] == "/"
        page = room.client.get("/sign-in", params={"to": to}).text
        assert 'href="/sign-in/oidc?to=/"' in page


def test_the_provider_sends_back_to_the_address_that_was_set_whatever_the_host_header_says(
    make_team: Callable[..., Room], provider: OidcProvider
) -> None:
    room = make_team()
    answer = room.client.get("/sign-in/oidc", headers={"Host": "evil.example"})
    asked = parse_qs(urlsplit(answer.headers["location"]).query)
    assert asked["redirect_uri"] == ["https://firm.test/sign-in/oidc/callback"]
    assert provider.paths() == ["/.well-known/openid-configuration"]


LIES: tuple[dict[str, Any], ...] = (
    {"issuer": "https://evil.example"},
    {"token_endpoint": "http://169.254.169.254/latest/meta-data"},
    {"jwks_uri": "https://evil.example/keys"},
    {"authorization_endpoint": "https://evil.example/authorize"},
    {"authorization_endpoint": "javascript:alert(1)"},
    {"token_endpoint": "file:///etc/passwd"},
    {"jwks_uri": "http://127.0.0.1:1/keys"},
    {"end_session_endpoint": "https://evil.example/end"},
    {"token_endpoint": None},
)


@pytest.mark.parametrize("lie", LIES, ids=lambda lie: "-".join(lie))
def test_a_discovery_document_leads_nowhere_else(
    provider: OidcProvider, lie: dict[str, Any], caplog: pytest.LogCaptureFixture
) -> None:
    provider.does.discovery = lie
    with pytest.raises(ProviderUnavailable):
        Provider(settings_for(provider)).authorize_url("state", "nonce", "challenge")
    assert provider.paths() == ["/.well-known/openid-configuration"]
    assert "cannot be used" in caplog.text


def test_a_host_that_the_operator_names_is_called(
    make_team: Callable[..., Room], provider: OidcProvider, key: Any
) -> None:
    with provided(key) as second:
        host = f"127.0.0.1:{second.server_port}"
        provider.does.discovery = {"jwks_uri": f"http://{host}/keys"}
        assert signed_in(make_team(hosts=(host,)), provider).status_code == 303
        assert second.paths() == ["/keys"]


def test_http_is_for_this_machine_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FIRM_OIDC_SECRET", SECRET)
    good: dict[str, Any] = {"issuer": "https://a.test", "client": "x", "address": "https://b.test"}
    Provider(OidcSettings(**good))
    wrong: dict[str, Any]
    for wrong, told in (
        ({"issuer": "http://a.test"}, "HTTPS"),
        ({"address": "http://b.test"}, "HTTPS"),
        ({"address": "https://b.test/deep"}, "more than it should"),
        ({"issuer": "https://a.test?x=1"}, "more than it should"),
        ({"issuer": ""}, "no issuer"),
        ({"client": ""}, "no client"),
        ({"scopes": ("email",)}, "openid"),
        ({"secret_env": "NOT_SET_ANYWHERE"}, "NOT_SET_ANYWHERE"),
        ({"issuer": "https://user:pass@a.test"}, "name or password"),
    ):
        with pytest.raises(ConfigError, match=told):
            Provider(OidcSettings(**{**good, **wrong}))


# When the provider is down


def test_while_the_provider_is_down_a_password_still_works(
    make_team: Callable[..., Room], provider: OidcProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    room = make_team()
    provider.does.is_down = True
    assert "Sign in with Firm account" in room.client.get("/sign-in").text
    assert provider.asked == []
    answer = room.client.get("/sign-in/oidc?to=/account")
    assert answer.status_code == 503
    assert "does not work just now" in answer.text
    assert 'name="password"' in answer.text
    assert 'value="/account"' in answer.text
    room.client.get("/sign-in/oidc")
    assert len(provider.asked) == 1  # it is not asked again at once
    form = {"name": "olga", "password": PASSWORD, "to": "/account"}
    assert room.client.post("/sign-in", data=form).headers["location"] == "/account"
    provider.does.is_down = False
    monkeypatch.setattr(providing, "_DOWN", 0.0)
    assert signed_in(room, provider).status_code == 303


def test_the_provider_goes_down_in_between(
    make_team: Callable[..., Room], provider: OidcProvider
) -> None:
    room = make_team()
    back = provider.sign_in(begun(room))
    provider.does.is_down = True
    answer = room.client.get(back)
    assert answer.status_code == 503
    assert not is_in(room)


def test_nobody_listens_there(make_room: Callable[..., Room], key: Any) -> None:
    with provided(key) as gone:
        said = settings_for(gone)
    room = make_room(team=True, oidc=said)
    assert room.client.get("/sign-in/oidc").status_code == 503
    assert room.client.get("/sign-in").status_code == 200


def test_an_address_cannot_begin_without_end(
    make_team: Callable[..., Room], provider: OidcProvider
) -> None:
    room = make_team()
    codes = [room.client.get("/sign-in/oidc").status_code for _ in range(25)]
    assert codes[0] == 303
    assert codes[-1] == 429
    for secret in ("", "made up"):  # nor fill the audit trail
        room.client.cookies.clear()
        room.client.cookies.set("__Host-fourcorners-oidc", secret, domain="firm.test")
        answer = room.client.get("/sign-in/oidc/callback?state=x&code=y")
        assert answer.status_code == 429
        assert answer.headers["retry-after"]
    assert refusals(room) == []
    assert provider.paths() == ["/.well-known/openid-configuration"]


# Who is let in


def test_without_leave_nobody_new_gets_an_account(
    make_team: Callable[..., Room], provider: OidcProvider
) -> None:
    room = make_team(create=False)
    assert is_refused(room, signed_in(room, provider), "no account")
    with accounts_of(room) as accounts:
        assert [user.name for user in accounts.users()] == ["olga"]
        accounts.add_without_password("ada@firm.test", by="test")
    assert is_refused(room, signed_in(room, provider), "name is taken")
    with accounts_of(room) as accounts:
        accounts.add_for_provider("ada@firm.test", by="test")
        assert accounts.users()[0].provider == "expected"
    assert signed_in(room, provider).status_code == 303
    # From now on the subject is who they are, whatever their address becomes.
    assert signed_in(room, provider, email="turner@firm.test").status_code == 303
    assert "ada@firm.test" in room.client.get("/account").text
    room.client.cookies.clear()
    assert is_refused(room, signed_in(room, provider, sub="u-2"), "name is taken")


def test_nobody_becomes_somebody_by_choosing_their_name(
    make_team: Callable[..., Room], provider: OidcProvider
) -> None:
    room = make_team(name_claim="preferred_username")
    for name in ("olga", "OLGA"):
        answer = signed_in(room, provider, preferred_username=name)
        assert is_refused(room, answer, "name is taken")


def test_a_name_must_be_one_and_verified(
    make_team: Callable[..., Room], provider: OidcProvider
) -> None:
    room = make_team()
    claims: dict[str, Any]
    for claims, why in (
        ({"email_verified": False}, "address not verified"),
        ({"email_verified": "true"}, "address not verified"),
        ({"email": ""}, "no name"),
        ({"email": ["ada@firm.test"]}, "no name"),
        ({"email": "<b>@firm.test"}, "name"),
        ({"email": "a" * 80}, "name"),
    ):
        assert is_refused(room, signed_in(room, provider, **claims), why)


def test_an_address_counts_unverified_where_the_operator_says_so(
    make_team: Callable[..., Room], provider: OidcProvider
) -> None:
    room = make_team(trust_email=True)
    assert signed_in(room, provider, email_verified=False).status_code == 303


def test_who_is_shut_out_stays_out(make_team: Callable[..., Room], provider: OidcProvider) -> None:
    room = make_team()
    assert signed_in(room, provider).status_code == 303
    with accounts_of(room) as accounts:
        accounts.set_disabled("ada@firm.test", True, by="olga")
    assert not is_in(room)
    assert is_refused(room, signed_in(room, provider), "shut out")
    assert trail(room)[-1][1]["user"] == "ada@firm.test"
    with accounts_of(room) as accounts:
        accounts.set_disabled("ada@firm.test", False, by="olga")
    assert signed_in(room, provider).status_code == 303


def test_an_account_without_a_password_has_none_that_fits(
    make_team: Callable[..., Room], provider: OidcProvider
) -> None:
    room = make_team()
    signed_in(room, provider)
    room.client.cookies.clear()
    for password in ("", " ", "!"):
        form = {"name": "ada@firm.test", "password": password}
        assert room.client.post("/sign-in", data=form).status_code == 422
    assert not is_in(room)


def test_a_session_through_the_provider_ends_as_it_says(
    make_team: Callable[..., Room], provider: OidcProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    room = make_team(session_hours=1)
    signed_in(room, provider)
    assert is_in(room)
    real = time.time
    monkeypatch.setattr("fourcorners.server.auth.sessions.time.time", lambda: real() + 3_601)
    assert not is_in(room)
    form = {"name": "olga", "password": PASSWORD}
    room.client.post("/sign-in", data=form)
    monkeypatch.setattr("fourcorners.server.auth.sessions.time.time", lambda: real() + 2 * 3_601)
    assert is_in(room)  # one with a password lasts as it did


# A provider that others wrote


@pytest.mark.allow_hosts(["127.0.0.1", "::1", "localhost"])
@pytest.mark.skipif(
    importlib.util.find_spec("oidc_provider_mock") is None, reason="needs oidc-provider-mock"
)
def test_someone_signs_in_through_another_provider(make_room: Callable[..., Room]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    user = json.dumps({"sub": "ada", "email": "ada@firm.test", "email_verified": True})
    command = [sys.executable, "-m", "oidc_provider_mock", "--port", str(port)]
    process = subprocess.Popen([*command, "--user-claims", user], stderr=subprocess.DEVNULL)
    try:
        until = time.monotonic() + 60
        url = f"http://localhost:{port}"
        while not _answers(f"{url}/.well-known/openid-configuration"):
            assert process.poll() is None
            assert time.monotonic() < until
            time.sleep(0.1)
        said = OidcSettings(
            issuer=url,
            client=CLIENT,
            secret_env="FIRM_OIDC_SECRET",  # noqa: S106 - of a variable
            address="https://firm.test",
            create=True,
            userinfo=True,
        )
        room = make_room(team=True, oidc=said)
        page = httpx.post(begun(room, "/account"), data={"sub": "ada"})
        answer = room.client.get(page.headers["location"])
        assert answer.headers["location"] == "/account"
        assert "ada@firm.test" in room.client.get("/account").text
    finally:
        process.terminate()
        process.wait()


def _answers(url: str) -> bool:
    try:
        return bool(httpx.get(url).status_code == 200)
    except httpx.TransportError:
        return False


# Roles by groups


def test_groups_give_roles_and_take_them_away(
    make_team: Callable[..., Room], provider: OidcProvider
) -> None:
    room = make_team(roles=GROUPS)
    room.put({"lease.txt": LEASE}, "Mill")
    room.put({"supply.txt": SUPPLY}, "Grain")
    signed_in(room, provider, groups=["legal", "partners", "chess"])
    with accounts_of(room) as accounts:
        assert accounts.users()[0].roles == {"grain": Role.EDITOR, "mill": Role.REVIEWER}
        accounts.grant("ada@firm.test", Role.READER, "Mill", by="olga")
        assert accounts.users()[0].roles["mill"] == Role.REVIEWER
    lease, supply = room.document("lease"), room.document("supply")
    assert room.client.get(f"/d/{supply}").status_code == 200
    signed_in(room, provider, groups="chess")
    assert room.client.get(f"/d/{lease}").status_code == 200  # given by hand
    assert room.client.get(f"/d/{supply}").status_code == 404
    assert room.client.get("/people").status_code == 403
    by = {"user": "ada@firm.test", "by": provider.issuer}
    told = [detail for event, detail in trail(room) if event == "role by group"]
    assert {**by, "collection": "Grain", "role": "editor"} in told
    assert {**by, "collection": "grain", "role": "none"} in told
    signed_in(room, provider, groups=["it"])
    people = room.client.get("/people").text
    assert "by group" in people
    assert "by single sign-on" in people


def test_no_group_that_is_not_named_gives_a_role(
    make_team: Callable[..., Room], provider: OidcProvider
) -> None:
    room = make_team(roles=GROUPS)
    signed_in(room, provider, groups=["LEGAL", "legal ", "admin", 7, ["it"]], roles=["it"])
    with accounts_of(room) as accounts:
        assert accounts.users()[0].roles == {}


def test_a_role_by_a_group_does_not_outlive_signing_in_for_long(
    make_team: Callable[..., Room], provider: OidcProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who has left the firm keeps no API token that reads on for years."""
    room = make_team(roles=GROUPS, role_days=30)
    room.put({"lease.txt": LEASE}, "Mill")
    signed_in(room, provider, groups=["legal"])
    with room.app.state.server.connection_pool.library() as library:
        token = ApiTokens(library).add("ada@firm.test", [Scope.READ], "x", 3_000, by="test")
    room.client.cookies.clear()
    bearer = {"Authorization": f"Bearer {token}"}
    assert len(room.client.get("/api/v1/documents", headers=bearer).json()["items"]) == 1
    real = time.time
    later = real() + 31 * 86_400
    monkeypatch.setattr("fourcorners.server.auth.accounts.time.time", lambda: later)
    assert room.client.get("/api/v1/documents", headers=bearer).json()["items"] == []


def test_groups_may_come_from_userinfo_of_the_same_person(
    make_team: Callable[..., Room], provider: OidcProvider
) -> None:
    room = make_team(roles=GROUPS, userinfo=True, groups_claim="firm.groups")
    provider.does.userinfo = {"sub": "u-1", "firm": {"groups": ["it"]}, "email": "x@evil.example"}
    signed_in(room, provider)
    with accounts_of(room) as accounts:
        assert accounts.users()[0].name == "ada@firm.test"
        assert accounts.users()[0].roles == {ALL_COLLECTIONS: Role.ADMIN}
    (asked,) = [each for each in provider.asked if each.path == "/userinfo"]
    assert asked.headers["Authorization"] == "Bearer access"
    room.client.cookies.clear()
    provider.does.userinfo = {"sub": "u-9", "firm": {"groups": ["it"]}}
    assert is_refused(room, signed_in(room, provider), "userinfo of another")


def test_a_claim_of_groups_may_be_named_like_a_url() -> None:
    claims = {"https://firm.example/groups": ["a"], "realm_access": {"roles": ["b"]}}
    assert groups_of(claims, "https://firm.example/groups") == {"a"}
    assert groups_of(claims, "realm_access.roles") == {"b"}
    assert groups_of(claims, "realm_access.roles.more") == frozenset()


# Where there is none


def test_without_a_provider_there_is_no_way_to_one(make_room: Callable[..., Room]) -> None:
    room = make_room(team=True)
    for address in ("/sign-in/oidc", "/sign-in/oidc/callback?code=x&state=y", "/sign-out/oidc"):
        assert room.client.get(address).status_code == 404
    assert "sign-in/oidc" not in room.client.get("/sign-in").text


def test_half_a_section_stops_the_server(make_room: Callable[..., Room]) -> None:
    with pytest.raises(ConfigError, match="no client"):
        make_room(team=True, oidc=OidcSettings(issuer="https://a.test"))
