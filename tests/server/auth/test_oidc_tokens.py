"""Which ID tokens count: those of the provider, for this server, in time, for this flow."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest

from fourcorners.server.auth.oidc.tokens import (
    KeySet,
    SignInRefused,
    TokenExpectation,
    parse_signing_keys,
    verify_id_token,
)
from tests.server.oidc_provider import (
    CLIENT,
    handmade,
    new_key,
    signed,
    with_alg_none,
    with_public_key_as_secret,
)

RSA, CURVE, OTHER = new_key("first"), new_key("curve", "EC"), new_key("first")
NOW = time.time()
EXPECTED = TokenExpectation("https://id.test", CLIENT, "the nonce", NOW)
GOOD: dict[str, Any] = {
    "iss": "https://id.test",
    "aud": CLIENT,
    "sub": "u-1",
    "nonce": "the nonce",
    "iat": int(NOW),
    "exp": int(NOW) + 300,
}


def published(*held: object) -> KeySet:
    return KeySet(lambda: {"keys": list(held)}, time.monotonic)


def public(key: Any) -> dict[str, Any]:
    made: dict[str, Any] = key.as_dict(private=False)
    return made


def why_not(token: str, keys: KeySet | None = None) -> str:
    """Return why a token does not count; empty if it does."""
    try:
        verify_id_token(token, keys or published(public(RSA), public(CURVE)), EXPECTED)
    except SignInRefused as error:
        return error.why
    return ""


@pytest.mark.parametrize("key", [RSA, CURVE], ids=["RS256", "ES256"])
@pytest.mark.parametrize(
    "more",
    [{}, {"aud": [CLIENT]}, {"aud": [CLIENT, "b"], "azp": CLIENT}, {"exp": NOW - 59.5},
     {"iat": NOW + 59.5, "nbf": NOW + 59.5}],
)  # fmt: skip
def test_what_counts(key: Any, more: dict[str, Any]) -> None:
    assert why_not(signed({**GOOD, **more}, key)) == ""


def test_a_header_may_say_more_than_we_know() -> None:
    chain = ["A" * 2_000, "B" * 2_000]
    assert (
        why_not(handmade({"alg": "RS256", "kid": "first", "x5c": chain, "pi.x": 1}, GOOD, RSA))
        == ""
    )


@pytest.mark.parametrize(
    ("spoilt", "why"),
    [
        ({"iss": "https://evil.example"}, "issuer"),
        ({"iss": "https://id.test/"}, "issuer"),
        ({"iss": None}, "issuer"),
        ({"aud": "another"}, "audience"),
        ({"aud": ["another", "more"]}, "audience"),
        ({"aud": {CLIENT: 1}}, "audience"),
        ({"aud": f"x{CLIENT}x"}, "audience"),
        ({"aud": [CLIENT, "another"]}, "authorized party"),
        ({"aud": [CLIENT, "another"], "azp": "another"}, "authorized party"),
        ({"azp": "another"}, "authorized party"),
        ({"exp": NOW - 61}, "expired"),
        ({"exp": None}, "expired"),
        ({"exp": "2999"}, "expired"),
        ({"exp": True}, "expired"),
        ({"exp": float("nan")}, "expired"),
        ({"exp": float("inf")}, "expired"),
        ({"iat": None}, "made in the future"),
        ({"iat": NOW + 61}, "made in the future"),
        ({"nbf": NOW + 61}, "not valid yet"),
        ({"nbf": "now"}, "not valid yet"),
        ({"nonce": "of another flow"}, "nonce"),
        ({"nonce": None}, "nonce"),
        ({"nonce": ""}, "nonce"),
        ({"nonce": ["the nonce"]}, "nonce"),
        ({"nonce": "\ud800"}, "nonce"),
        ({"sub": None}, "subject"),
        ({"sub": ""}, "subject"),
        ({"sub": 7}, "subject"),
        ({"sub": "x" * 256}, "subject"),
    ],
)
def test_a_wrong_claim(spoilt: dict[str, Any], why: str) -> None:
    claims = {name: value for name, value in {**GOOD, **spoilt}.items() if value is not None}
    assert why_not(signed(claims, RSA)) == why


def with_header(more: dict[str, object]) -> str:
    """Return a token with a header that joserfc would not write, signed nevertheless."""
    return handmade({"alg": "RS256", "kid": "first", **more}, GOOD, RSA)


def changed_after_signing() -> str:
    head, _, mark = signed(GOOD, RSA).split(".")
    return f"{head}.{signed({**GOOD, 'sub': 'u-2'}, RSA).split('.')[1]}.{mark}"


@pytest.mark.parametrize(
    ("token", "why"),
    [
        (lambda: with_alg_none(GOOD), "no signed token"),
        (lambda: with_alg_none(GOOD) + "AA", "algorithm"),
        (lambda: with_public_key_as_secret(GOOD, RSA), "algorithm"),
        (lambda: with_public_key_as_secret(GOOD, CURVE), "algorithm"),
        (lambda: signed(GOOD, OTHER), "signature"),
        (lambda: signed(GOOD, new_key("stranger")), "unknown key"),
        (lambda: signed(GOOD, RSA, kid="curve"), "unknown key"),
        (lambda: signed(GOOD, OTHER, kid="mine", jwk=public(OTHER)), "unknown key"),
        (lambda: signed(GOOD, OTHER, kid="mine", jku="https://evil.example/keys"), "unknown key"),
        (lambda: with_header({"crit": ["b64"], "b64": False}), "signature"),
        (lambda: with_header({"crit": ["exp"], "exp": 1}), "signature"),
        (changed_after_signing, "signature"),
        (lambda: signed({**GOOD, "x": "y" * 70_000}, RSA), "no signed token"),
        (lambda: signed([GOOD], RSA), "claims"),
        (lambda: "no.token.at all", "no signed token"),
        (lambda: "bm8.dG9rZW4.AA", "signature"),
        (lambda: signed(GOOD, RSA) + "\n", "no signed token"),
        (lambda: "", "no signed token"),
    ],
    ids=[
        "none", "none and a mark", "HS256 of the public key", "HS256 of the curve", "another key",
        "unknown key", "the key of another algorithm", "key in the header", "keys elsewhere",
        "unpacked words", "critical", "changed", "too long", "no object", "no token", "no JSON",
        "a line break", "nothing",
    ],
)  # fmt: skip
def test_a_wrong_signature(token: Callable[[], str], why: str) -> None:
    assert why_not(token()) == why


@pytest.mark.parametrize(
    "spoilt", [{"use": "enc"}, {"alg": "RS512"}, {"key_ops": ["encrypt"]}, {"kty": "oct"}, {"n": 7}]
)
def test_a_key_that_is_for_something_else_proves_nothing(spoilt: dict[str, Any]) -> None:
    assert why_not(signed(GOOD, RSA), published({**public(RSA), **spoilt})) == "unknown key"


def test_a_short_key_proves_nothing() -> None:
    from joserfc.errors import SecurityWarning
    from joserfc.jwk import RSAKey

    with pytest.warns(SecurityWarning):
        short = RSAKey.generate_key(1024, {"kid": "first"}, private=True)
    with pytest.warns(SecurityWarning):
        assert parse_signing_keys({"keys": [public(short)]}) == ()


def test_of_several_keys_the_token_must_name_one() -> None:
    several = (public(RSA), public(new_key("second")), {"kty": "oct"}, 7)
    assert why_not(signed(GOOD, RSA, kid=""), published(*several)) == "unknown key"
    assert why_not(signed(GOOD, RSA), published(*several)) == ""
    assert why_not(signed(GOOD, RSA, kid=""), published(public(RSA))) == ""
    assert why_not(signed(GOOD, RSA), published(public(RSA), public(OTHER))) == "unknown key"


def test_keys_are_read_again_for_one_that_is_new_but_not_all_the_time() -> None:
    sets = [[public(RSA)], [public(CURVE)]]
    at = 0.0
    reads: list[float] = []

    def read() -> dict[str, object]:
        reads.append(at)
        return {"keys": sets[min(len(reads), 2) - 1]}

    keys = KeySet(read, lambda: at)
    assert keys.find("RS256", "first")
    assert keys.find("ES256", "curve") is None
    at = 29.0
    assert keys.find("ES256", "curve") is None
    at = 30.0
    assert keys.find("ES256", "curve")
    assert keys.find("RS256", "first") is None  # no longer published
    assert reads == [0.0, 30.0]


@pytest.mark.parametrize("held", [{}, {"keys": 7}, {"keys": [7, {}, {"kty": "RSA"}]}])
def test_a_damaged_key_set_has_no_keys(held: dict[str, object]) -> None:
    assert parse_signing_keys(held) == ()
