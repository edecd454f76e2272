"""Whether a token is the provider's own, for this server, in time, and for what it is brought.

An ID token is checked by the list of OpenID Connect Core 1.0, section 3.1.3.7, a logout token by
that of OpenID Connect Back-Channel Logout 1.0, section 2.6.
"""

from __future__ import annotations

import hmac
import json
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from joserfc import jws
from joserfc.errors import JoseError

from fourcorners.server.auth.oidc.errors import SignInRefused
from fourcorners.server.auth.oidc.keys import KEY_TYPES, KeySet

_LONGEST = 64 << 10  # characters of a token
_LONGEST_SUBJECT = 255  # by the standard
_LONGEST_HEADER = 16 << 10  # bytes; some hold the certificate of their key
_LOGOUT = "http://schemas.openid.net/event/backchannel-logout"
_LOGOUT_KINDS = ("", "jwt", "logout+jwt")  # of the header; no other kind of token counts as one
_LONGEST_ID = 1_024  # characters of what names a token, or a session of the provider's
_COMPACT = re.compile(r"[\w-]+\.[\w-]+\.[\w-]+", re.ASCII)


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
        skew: Seconds by which the provider's clock may differ.
    """

    issuer: str
    client: str
    nonce: str
    now: float
    skew: float


def verify_id_token(token: str, keys: KeySet, expected: TokenExpectation) -> Mapping[str, object]:
    """Return what an ID token claims, once all of it was checked.

    Raises:
        SignInRefused: If anything is not as it must be; `why` says what.
        ProviderDown: If its key had to be looked for, and the provider did not answer.
    """
    claims = _signed(token, keys)
    fault = _fault(claims, expected)
    if fault:
        raise token_error(fault)
    return claims


def verify_logout_token(
    token: str, keys: KeySet, expected: TokenExpectation
) -> Mapping[str, object]:
    """Return what a logout token claims, once all of it was checked but that it is new.

    Raises:
        SignInRefused: If anything is not as it must be; `why` says what.
        ProviderDown: If its key had to be looked for, and the provider did not answer.
    """
    claims = _signed(token, keys, _LOGOUT_KINDS)
    fault = _fault_of_logout(claims, expected)
    if fault:
        raise token_error(fault)
    return claims


def token_error(why: str) -> SignInRefused:
    return SignInRefused(
        "what the provider answered does not prove who you are.",
        why=why,
        remedy="Begin again; if it goes on, tell whoever runs this server. The audit trail says "
        "what was wrong.",
    )


def _signed(token: str, keys: KeySet, kinds: Collection[str] = ()) -> Mapping[str, object]:
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


def _fault(claims: Mapping[str, object], expected: TokenExpectation) -> str:
    """Return what is wrong with the claims of an ID token; empty if nothing is."""
    subject, nonce = claims.get("sub"), claims.get("nonce")
    if fault := _fault_of_parties(claims, expected):
        return fault
    if not isinstance(nonce, str) or not hmac.compare_digest(
        nonce.encode("utf-8", "replace"), expected.nonce.encode()
    ):
        return "nonce"
    if not isinstance(subject, str) or not 0 < len(subject) <= _LONGEST_SUBJECT:
        return "subject"
    return _fault_of_time(claims, expected)


def _fault_of_logout(claims: Mapping[str, object], expected: TokenExpectation) -> str:
    """Return what is wrong with the claims of a logout token; empty if nothing is."""
    if fault := _fault_of_parties(claims, expected):
        return fault
    if fault := _fault_of_time(claims, expected):
        return fault
    events = claims.get("events")
    if not isinstance(events, dict) or not isinstance(events.get(_LOGOUT), dict):
        return "no sign-out"
    if "nonce" in claims:  # so that no ID token is taken for one
        return "nonce"
    for name, longest in (("sub", _LONGEST_SUBJECT), ("sid", _LONGEST_ID), ("jti", _LONGEST_ID)):
        value = claims.get(name, "x")
        if not isinstance(value, str) or not 0 < len(value) <= longest:
            return name
    if "sub" not in claims and "sid" not in claims:
        return "nobody is named"
    return "" if "jti" in claims else "jti"


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
    if ends is None or expected.now >= ends + expected.skew:
        return "expired"
    if made is None or made > expected.now + expected.skew:
        return "made in the future"
    if "nbf" in claims:
        begins = _seconds(claims["nbf"])
        if begins is None or begins > expected.now + expected.skew:
            return "not valid yet"
    return ""


def _seconds(value: object) -> float | None:
    """Return a time; None for what is none, such as a truth value or what is not finite."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if abs(value) < 1e12 else None  # also keeps out NaN
