"""A small OpenID Connect provider on this machine that signs tokens, and lies where it is told to.

It demands PKCE, the client's secret, and that a code is used once, as a strict provider does.
"""

from __future__ import annotations

import base64
import hmac
import json
import secrets
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, unquote_plus, urlencode, urlsplit

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding
from joserfc import jws
from joserfc.jwk import ECKey, RSAKey

CLIENT = "fourcorners"
SECRET = "the client's own secret/with+signs"  # noqa: S105 - of a test


def new_key(identifier: str, kind: str = "RSA") -> RSAKey | ECKey:
    """Return a key to sign with."""
    parameters: Any = {"kid": identifier}
    if kind == "EC":
        return ECKey.generate_key("P-256", parameters, private=True)
    return RSAKey.generate_key(2048, parameters, private=True)


def signed(claims: object, key: RSAKey | ECKey, **header: object) -> str:
    """Return a token as a provider signs it."""
    alg = "RS256" if isinstance(key, RSAKey) else "ES256"
    told: dict[str, object] = {"alg": alg, "kid": str(key.kid), **header}
    return jws.serialize_compact(told, json.dumps(claims).encode(), key, algorithms=[alg])


def with_alg_none(claims: object, _: object = None) -> str:
    """Return a token that nobody has signed."""
    return f"{_encoded({'alg': 'none'})}.{_encoded(claims)}."


def with_public_key_as_secret(claims: object, key: RSAKey | ECKey) -> str:
    """Return a token whose shared secret is what everybody knows: the public key."""
    told = f"{_encoded({'alg': 'HS256', 'kid': key.kid})}.{_encoded(claims)}"
    mark = hmac.digest(key.as_pem(private=False), told.encode(), "sha256")
    return f"{told}.{base64.urlsafe_b64encode(mark).rstrip(b'=').decode()}"


def handmade(header: object, claims: object, key: RSAKey | ECKey) -> str:
    """Return a token with any header, signed with RSA."""
    told = f"{_encoded(header)}.{_encoded(claims)}"
    private: Any = key.private_key
    mark = private.sign(told.encode(), padding.PKCS1v15(), hashes.SHA256())
    return f"{told}.{base64.urlsafe_b64encode(mark).rstrip(b'=').decode()}"


def _encoded(value: object) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=").decode()


@dataclass(frozen=True)
class Asked:
    """A request that came."""

    method: str
    path: str
    query: dict[str, str]
    form: dict[str, str]
    headers: dict[str, str]


@dataclass
class _Code:
    query: dict[str, str]
    claims: dict[str, Any]


@dataclass
class Behaviour:
    """What the provider says; tests change it.

    Attributes:
        claims: Of whoever signs in.
        spoil: What is made of the claims before they are signed.
        token: What stands in the place of the signed token.
        published: Which keys are in the key set; by default the one that signs.
        discovery: What replaces parts of the discovery document.
        userinfo: What that endpoint says.
        is_down: Whether everything is answered 503.
    """

    claims: dict[str, Any] = field(default_factory=dict)
    spoil: Callable[[dict[str, Any]], dict[str, Any]] = dict
    token: Callable[[dict[str, Any], RSAKey | ECKey], str] = signed
    published: list[dict[str, Any]] | None = None
    discovery: dict[str, Any] = field(default_factory=dict)
    userinfo: dict[str, Any] = field(default_factory=dict)
    secret: str = SECRET
    is_down: bool = False


class OidcProvider(ThreadingHTTPServer):
    """The provider."""

    daemon_threads = True
    block_on_close = False

    def __init__(self, key: RSAKey | ECKey) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.key = key
        self.does = Behaviour()
        self.asked: list[Asked] = []
        self.codes: dict[str, _Code] = {}

    @property
    def issuer(self) -> str:
        """Its name, which is its address."""
        return f"http://127.0.0.1:{self.server_port}"

    def paths(self) -> list[str]:
        """Return the paths that were asked for."""
        return [each.path for each in self.asked]

    def sign_in(self, authorize_url: str, **claims: object) -> str:
        """Sign somebody in, as the page at this address does; returns where that leads."""
        parts = urlsplit(authorize_url)
        assert f"{parts.scheme}://{parts.netloc}" == self.issuer
        query = {name: value[0] for name, value in parse_qs(parts.query).items()}
        code = secrets.token_urlsafe(8)
        self.codes[code] = _Code(query, {**self.does.claims, **claims})
        return f"{query['redirect_uri']}?{urlencode({'code': code, 'state': query['state']})}"

    def answer(self, asked: Asked) -> tuple[int, object]:
        """Answer a request."""
        if self.does.is_down:
            return 503, {}
        if asked.path == "/.well-known/openid-configuration":
            return 200, {
                "issuer": self.issuer,
                "authorization_endpoint": f"{self.issuer}/authorize",
                "token_endpoint": f"{self.issuer}/token",
                "jwks_uri": f"{self.issuer}/keys",
                "userinfo_endpoint": f"{self.issuer}/userinfo",
                "end_session_endpoint": f"{self.issuer}/end",
                **self.does.discovery,
            }
        if asked.path == "/keys":
            published = self.does.published
            return 200, {
                "keys": [self.key.as_dict(private=False)] if published is None else published
            }
        if asked.path == "/userinfo":
            return 200, self.does.userinfo
        if asked.path == "/token":
            return self._exchanged(asked)
        return 404, {}

    def _exchanged(self, asked: Asked) -> tuple[int, object]:
        form = asked.form
        if self.does.secret and not self._is_client(asked):
            return 401, {"error": "invalid_client"}
        code = self.codes.pop(form.get("code", ""), None)
        if code is None or form.get("grant_type") != "authorization_code":
            return 400, {"error": "invalid_grant"}
        digest = sha256(form.get("code_verifier", "").encode()).digest()
        challenge = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
        if (
            code.query.get("code_challenge_method") != "S256"
            or code.query.get("code_challenge") != challenge
            or form.get("redirect_uri") != code.query["redirect_uri"]
        ):
            return 400, {"error": "invalid_grant"}
        now = int(time.time())
        claims = {
            "iss": self.issuer,
            "aud": CLIENT,
            "iat": now,
            "exp": now + 300,
            "nonce": code.query["nonce"],
            **code.claims,
        }
        token = self.does.token(self.does.spoil(claims), self.key)
        return 200, {"access_token": "access", "token_type": "Bearer", "id_token": token}

    def _is_client(self, asked: Asked) -> bool:
        kind, _, value = asked.headers.get("Authorization", "").partition(" ")
        if kind == "Basic":
            name, _, secret = base64.b64decode(value).decode().partition(":")
            return (unquote_plus(name), unquote_plus(secret)) == (CLIENT, self.does.secret)
        return (asked.form.get("client_id"), asked.form.get("client_secret")) == (
            CLIENT,
            self.does.secret,
        )


class _Handler(BaseHTTPRequestHandler):
    server: OidcProvider

    def do_GET(self) -> None:
        self._answer({})

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        self._answer({name: value[0] for name, value in parse_qs(body).items()})

    def _answer(self, form: dict[str, str]) -> None:
        parts = urlsplit(self.path)
        query = {name: value[0] for name, value in parse_qs(parts.query).items()}
        asked = Asked(self.command, parts.path, query, form, dict(self.headers))
        self.server.asked.append(asked)
        status, value = self.server.answer(asked)
        content = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextmanager
def provided(key: RSAKey | ECKey) -> Iterator[OidcProvider]:
    """Run a provider while the block lasts."""
    with OidcProvider(key) as provider:
        thread = threading.Thread(target=provider.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield provider
        finally:
            provider.shutdown()
            thread.join()
