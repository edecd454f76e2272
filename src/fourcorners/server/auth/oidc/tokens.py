"""Whether a token is the provider's own, for this server, in time, and for what it is brought.

An ID token is checked by the list of OpenID Connect Core 1.0, section 3.1.3.7, a logout token by
that of OpenID Connect Back-Channel Logout 1.0, section 2.6. Keys are read strictly, and read again
when the provider has changed them.
"""

from __future__ import annotations

import hmac
import json
import re
import threading
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import ClassVar

from joserfc import jws
from joserfc.errors import JoseError
from joserfc.jwk import ECKey, RSAKey

from fourcorners.operations.errors import Refusal

SKEW = 60.0  # seconds by which the provider's clock may differ
KEY_TYPES = {"RS256": "RSA", "ES256": "EC"}
"""The signatures that count, each with the kind of its keys; `none` and shared secrets never do."""
_MEMBERS = {"RSA": ("n", "e"), "EC": ("crv", "x", "y")}  # of a public key
_SHORTEST = 2048  # bits of RSA
_MOST_KEYS = 100  # keys
_PAUSE = 30.0  # seconds in which keys that were just read are not read again
_LONGEST = 64 << 10  # characters of a token
_LONGEST_SUBJECT = 255  # by the standard
_LONGEST_HEADER = 16 << 10  # bytes; some hold the certificate of their key
_LOGOUT = "http://schemas.openid.net/event/backchannel-logout"
_LOGOUT_KINDS = ("", "jwt", "logout+jwt")  # of the header; no other kind of token counts as one
_LONGEST_ID = 1_024  # characters of what names a token, or a session of the provider's
_COMPACT = re.compile(r"[\w-]+\.[\w-]+\.[\w-]+", re.ASCII)


class SignInRefused(Refusal):
    """The provider's word is not enough to let this person in.

    Attributes:
        why: The reason in two or three words, as the audit trail keeps it.
        who: The account that it was about, where one is known.
    """

    status: ClassVar[int] = 403

    def __init__(self, message: str, *, why: str, remedy: str = "", who: str = "") -> None:
        super().__init__(message, remedy=remedy)
        self.why = why
        self.who = who


class ProviderUnavailable(Refusal):
    status: ClassVar[int] = 503


@dataclass(frozen=True, slots=True)
class SigningKey:
    """A public key; `id` is empty where the provider gives it none."""

    id: str
    alg: str
    key: RSAKey | ECKey


class KeySet:
    def __init__(
        self, read: Callable[[], Mapping[str, object]], clock: Callable[[], float]
    ) -> None:
        self._read, self._clock = read, clock
        self._lock = threading.Lock()
        self._known: tuple[SigningKey, ...] = ()
        self._at: float | None = None

    def find(self, alg: str, identifier: str) -> SigningKey | None:
        """Return the key that a token names, or the one there is if it names none.

        A key that is not known is looked for again at the provider, which may have a new one.

        Raises:
            ProviderUnavailable: If the provider had to be asked, and did not answer.
        """
        with self._lock:
            found = self._choose_key(alg, identifier)
            if found is None and (self._at is None or self._clock() - self._at >= _PAUSE):
                self._known = parse_signing_keys(self._read())
                self._at = self._clock()
                found = self._choose_key(alg, identifier)
            return found

    def _choose_key(self, alg: str, identifier: str) -> SigningKey | None:
        fitting = [each for each in self._known if each.alg == alg and identifier in ("", each.id)]
        return fitting[0] if len(fitting) == 1 else None


def parse_signing_keys(key_set: Mapping[str, object]) -> tuple[SigningKey, ...]:
    """Return the keys of a set that may have signed a token; others are passed over."""
    listed = key_set.get("keys")
    found = []
    for each in listed[:_MOST_KEYS] if isinstance(listed, list) else ():
        if isinstance(each, dict):
            with suppress(JoseError, ValueError, TypeError, KeyError):
                found += _usable(each)
    return tuple(found)


def _usable(held: Mapping[str, object]) -> list[SigningKey]:
    kind, identifier = held.get("kty"), held.get("kid", "")
    alg = next((alg for alg, wanted in KEY_TYPES.items() if wanted == kind), None)
    operations = held.get("key_ops", ["verify"])
    if (
        alg is None
        or not isinstance(identifier, str)
        or held.get("alg", alg) != alg
        or held.get("use", "sig") != "sig"
        or not isinstance(operations, list)
        or "verify" not in operations
    ):
        return []
    # Only the public members: the others are not for us.
    public = {name: str(held[name]) for name in _MEMBERS[str(kind)]}
    if kind == "RSA":
        rsa = RSAKey.import_key({"kty": "RSA", **public})
        return [SigningKey(identifier, alg, rsa)] if rsa.public_key.key_size >= _SHORTEST else []
    if public["crv"] != "P-256":
        return []
    return [SigningKey(identifier, alg, ECKey.import_key({"kty": "EC", **public}))]


class _Rules(jws.JWSRegistry):
    """Which signatures are read, as RFC 7515 has it: a header that is not known is passed over."""

    max_header_length = _LONGEST_HEADER

    def __init__(self) -> None:
        super().__init__(algorithms=list(KEY_TYPES), strict_check_header=False)


@dataclass(frozen=True, slots=True)
class TokenExpectation:
    """What a token must say.

    Attributes:
        nonce: That of this flow; empty for a logout token, which has none.
        now: Seconds since the epoch.
    """

    issuer: str
    client: str
    nonce: str
    now: float


def verify_id_token(token: str, keys: KeySet, expected: TokenExpectation) -> Mapping[str, object]:
    """Return what an ID token claims, once all of it was checked.

    Raises:
        SignInRefused: If anything is not as it must be; `why` says what.
        ProviderUnavailable: If its key had to be looked for, and the provider did not answer.
    """
    claims = _verify_signature(token, keys)
    nonce = str(claims.get("nonce", "")).encode("utf-8", "replace")
    is_ours = isinstance(claims.get("nonce"), str) and hmac.compare_digest(
        nonce, expected.nonce.encode()
    )
    _refuse(
        _fault_of_parties(claims, expected)
        or ("" if is_ours else "nonce")
        or ("" if _is_name(claims.get("sub"), _LONGEST_SUBJECT) else "subject")
        or _fault_of_time(claims, expected)
    )
    return claims


def verify_logout_token(
    token: str, keys: KeySet, expected: TokenExpectation
) -> Mapping[str, object]:
    """Return what a logout token claims, once all of it was checked but that it is new.

    Raises:
        SignInRefused: If anything is not as it must be; `why` says what.
        ProviderUnavailable: If its key had to be looked for, and the provider did not answer.
    """
    claims = _verify_signature(token, keys, _LOGOUT_KINDS)
    _refuse(_fault_of_parties(claims, expected) or _fault_of_time(claims, expected))
    events = claims.get("events")
    if not isinstance(events, dict) or not isinstance(events.get(_LOGOUT), dict):
        raise token_error("no sign-out")
    if "nonce" in claims:  # so that no ID token is taken for one
        raise token_error("nonce")
    for name, longest in (("sub", _LONGEST_SUBJECT), ("sid", _LONGEST_ID), ("jti", _LONGEST_ID)):
        if name in claims and not _is_name(claims[name], longest):
            raise token_error(name)
    if "sub" not in claims and "sid" not in claims:
        raise token_error("nobody is named")
    _refuse("" if "jti" in claims else "jti")
    return claims


def token_error(why: str) -> SignInRefused:
    return SignInRefused(
        "what the provider answered does not prove who you are.",
        why=why,
        remedy="Begin again; if it goes on, tell whoever runs this server. The audit trail says "
        "what was wrong.",
    )


def _refuse(fault: str) -> None:
    if fault:
        raise token_error(fault)


def _is_name(value: object, longest: int) -> bool:
    return isinstance(value, str) and 0 < len(value) <= longest


def _verify_signature(
    token: str, keys: KeySet, kinds: Collection[str] = ()
) -> Mapping[str, object]:
    """Return the claims of a token whose signature is that of one of the keys.

    `kinds` are those that its header may name, in lower case; any, if there are none.
    """
    if len(token) > _LONGEST or not _COMPACT.fullmatch(token):
        raise token_error("no signed token")
    try:
        rules = _Rules()
        header = jws.extract_compact(token.encode(), registry=rules).headers()
        alg, identifier = header.get("alg"), header.get("kid", "")
        if not isinstance(alg, str) or alg not in KEY_TYPES or not isinstance(identifier, str):
            raise token_error("algorithm")
        kind = header.get("typ", "")
        if kinds and (not isinstance(kind, str) or kind.casefold() not in kinds):
            raise token_error("kind of token")
        key = keys.find(alg, identifier)
        if key is None:
            raise token_error("unknown key")
        signed = jws.deserialize_compact(token.encode(), key.key, registry=rules)
        claims = json.loads(signed.payload)
    except (JoseError, ValueError, TypeError, RecursionError):
        raise token_error("signature") from None
    if not isinstance(claims, dict):
        raise token_error("claims")
    return claims


def _fault_of_parties(claims: Mapping[str, object], expected: TokenExpectation) -> str:
    audience = claims.get("aud")
    audiences = [audience] if isinstance(audience, str) else audience
    if claims.get("iss") != expected.issuer:
        return "issuer"
    if not isinstance(audiences, list) or expected.client not in audiences:
        return "audience"
    if claims.get("azp", expected.client) != expected.client or (
        len(audiences) > 1 and "azp" not in claims
    ):
        return "authorized party"
    return ""


def _fault_of_time(claims: Mapping[str, object], expected: TokenExpectation) -> str:
    ends, made = _seconds(claims.get("exp")), _seconds(claims.get("iat"))
    if ends is None or expected.now >= ends + SKEW:
        return "expired"
    if made is None or made > expected.now + SKEW:
        return "made in the future"
    if "nbf" in claims:
        begins = _seconds(claims["nbf"])
        if begins is None or begins > expected.now + SKEW:
            return "not valid yet"
    return ""


def _seconds(value: object) -> float | None:
    """Return a time; None for what is none, such as a truth value or what is not finite."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if abs(value) < 1e12 else None  # also keeps out NaN
