"""The provider: what it says of itself, and the few calls that are made of it.

It is called at its issuer's host and at those that the operator names, over HTTPS, and nowhere
else, whatever its discovery document says. All calls go through `fourcorners.net`: no redirect is
followed, and each has a limit of time and size.
"""

from __future__ import annotations

import base64
import logging
import os
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import quote, quote_plus, urlencode, urlsplit

from fourcorners.errors import CallError, ConfigError
from fourcorners.net import RetryPolicy, get_json, is_loopback, post_form, require_url
from fourcorners.server.auth.oidc.tokens import (
    KeySet,
    ProviderUnavailable,
    TokenExpectation,
    token_error,
    verify_id_token,
    verify_logout_token,
)
from fourcorners.settings import OidcSettings

CALLBACK = "/sign-in/oidc/callback"
_DISCOVERY = "/.well-known/openid-configuration"
_FRESH = 3600.0  # seconds for which a discovery document is kept
_DOWN = 10.0  # seconds in which a provider that did not answer is not asked for one again
_TIMEOUT = 10.0  # seconds of a call
_MOST = 1 << 20  # bytes of an answer
_log = logging.getLogger("fourcorners.server.auth.oidc")


@dataclass(frozen=True, slots=True)
class _Document:
    """What a provider says of itself; `userinfo` and `end` are empty where it has none."""

    authorize: str
    token: str
    keys: str
    userinfo: str
    end: str
    secret_in_form: bool


class Provider:
    """An OpenID Connect provider, as the settings name it; safe to use in several threads.

    Raises:
        ConfigError: If the settings are not enough, or not safe.
    """

    def __init__(self, settings: OidcSettings) -> None:
        _require_settings(settings)
        self.settings = settings
        self._secret = os.environ.get(settings.secret_env, "") if settings.secret_env else ""
        if settings.secret_env and not self._secret:
            raise ConfigError(
                f"the environment has no {settings.secret_env}, which [oidc] names as the "
                "secret's.",
                remedy="Set it, or leave secret_env out for a public client.",
            )
        self._retry_policy = RetryPolicy(_TIMEOUT, attempts=1)
        self._lock = threading.Lock()
        self._document: _Document | None = None
        self._at = self._failed_at = float("-inf")
        self._keys = KeySet(self._read_keys, time.monotonic)

    @property
    def redirect(self) -> str:
        """Return where the provider sends people back to; never taken from a request."""
        return self.settings.address.rstrip("/") + CALLBACK

    def authorize_url(self, state: str, nonce: str, challenge: str) -> str:
        """Return where someone is sent to sign in.

        Raises:
            ProviderUnavailable: If the provider does not answer.
        """
        query = {
            "response_type": "code",
            "client_id": self.settings.client,
            "redirect_uri": self.redirect,
            "scope": " ".join(self.settings.scopes),
            "state": state,
            "nonce": nonce,
            "code_challenge": challenge,
            "code_challenge_method": "S256",
        }
        return _with(self._discover().authorize, query)

    def end_url(self) -> str:
        """Return where someone ends their session at the provider; empty if it offers none.

        Raises:
            ProviderUnavailable: If the provider does not answer.
        """
        end = self._discover().end
        back = self.settings.address.rstrip("/") + "/sign-in"
        query = {"client_id": self.settings.client, "post_logout_redirect_uri": back}
        return _with(end, query) if end else ""

    def claims(self, code: str, verifier: str, nonce: str) -> Mapping[str, object]:
        """Exchange a code for an ID token, and return what that claims, checked.

        Raises:
            SignInRefused: If the provider does not know the code, or the token does not count.
            ProviderUnavailable: If the provider does not answer.
        """
        answer = self._exchange_code(code, verifier)
        token, access = answer.get("id_token"), answer.get("access_token")
        if not isinstance(token, str):
            raise token_error("no ID token")
        claims = verify_id_token(token, self._keys, self._expectation(nonce))
        if not self.settings.userinfo:
            return claims
        more = self._userinfo(access)
        if more.get("sub") != claims["sub"]:
            raise token_error("userinfo of another")
        return {**more, **claims}

    def logout_claims(self, token: str) -> Mapping[str, object]:
        """Return what a logout token claims, checked.

        Raises:
            SignInRefused: If the token does not count.
            ProviderUnavailable: If its key had to be looked for, and the provider did not answer.
        """
        return verify_logout_token(token, self._keys, self._expectation(""))

    def _expectation(self, nonce: str) -> TokenExpectation:
        configured = self.settings
        return TokenExpectation(configured.issuer, configured.client, nonce, time.time())

    def _exchange_code(self, code: str, verifier: str) -> Mapping[str, object]:
        document = self._discover()
        fields = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": self.redirect,
            "code_verifier": verifier,
        }
        headers = {}
        if self._secret and not document.secret_in_form:
            pair = f"{quote_plus(self.settings.client)}:{quote_plus(self._secret)}"
            headers["Authorization"] = f"Basic {base64.b64encode(pair.encode()).decode()}"
        else:
            fields["client_id"] = self.settings.client
            if self._secret:
                fields["client_secret"] = self._secret
        try:
            answer = post_form(
                document.token,
                fields,
                headers=headers,
                retry_policy=self._retry_policy,
                most_bytes=_MOST,
            )
        except CallError as error:
            # Log only the status: a provider's words may name people, or repeat secrets.
            _log.warning("a code was not taken", extra={"status": error.status or 0})
            if error.status is not None and 400 <= error.status < 500:
                raise token_error("code") from None
            raise self._unavailable() from None
        return answer if isinstance(answer, dict) else {}

    def _userinfo(self, access: object) -> Mapping[str, object]:
        url = self._discover().userinfo
        if (
            not url
            or not isinstance(access, str)
            or not (access.isascii() and access.isprintable())
        ):
            raise token_error("no userinfo")
        return self._read(url, "no userinfo came", {"Authorization": f"Bearer {access}"})

    def _read_keys(self) -> Mapping[str, object]:
        return self._read(self._discover().keys, "the provider's keys cannot be read")

    def _read(
        self, url: str, failure: str, headers: Mapping[str, str] | None = None
    ) -> Mapping[str, object]:
        try:
            answer = get_json(
                url, {}, headers=headers, retry_policy=self._retry_policy, most_bytes=_MOST
            )
        except CallError as error:
            # Where a token was sent, log only the status: the words may name people.
            words = "" if headers else f": {error.message}"
            _log.warning("%s%s", failure, words, extra={"status": error.status or 0})
            raise self._unavailable() from None
        return answer if isinstance(answer, dict) else {}

    def _discover(self) -> _Document:
        with self._lock:
            now = time.monotonic()
            if self._document is not None and now - self._at < _FRESH:
                return self._document
            if now - self._failed_at < _DOWN:
                raise self._unavailable()
            try:
                answer = get_json(
                    self.settings.issuer.rstrip("/") + _DISCOVERY,
                    {},
                    retry_policy=self._retry_policy,
                    most_bytes=_MOST,
                )
                self._document = self._read_document(answer)
            except (CallError, ConfigError) as error:
                self._failed_at = time.monotonic()
                _log.warning("the sign-in provider cannot be used: %s", error.message)
                raise self._unavailable() from None
            self._at = time.monotonic()
            return self._document

    def _read_document(self, answer: object) -> _Document:
        """Read a discovery document, and refuse one that leads elsewhere.

        Raises:
            ConfigError: If it is none, is another issuer's, or names a place that is not allowed.
        """
        if not isinstance(answer, dict) or answer.get("issuer") != self.settings.issuer:
            raise ConfigError("the discovery document is that of another issuer.")
        methods = answer.get("token_endpoint_auth_methods_supported", ["client_secret_basic"])
        return _Document(
            authorize=self._place(answer, "authorization_endpoint"),
            token=self._place(answer, "token_endpoint"),
            keys=self._place(answer, "jwks_uri"),
            userinfo=self._place(answer, "userinfo_endpoint", needed=self.settings.userinfo),
            end=self._place(answer, "end_session_endpoint", needed=False),
            secret_in_form=isinstance(methods, list)
            and "client_secret_basic" not in methods
            and "client_secret_post" in methods,
        )

    def _place(self, answer: Mapping[str, object], name: str, *, needed: bool = True) -> str:
        url = answer.get(name, "")
        if url == "" and not needed:
            return ""
        if not isinstance(url, str):
            raise ConfigError(f"the discovery document's {name} is no URL.")
        require_url(url)
        host, own = urlsplit(url).netloc.casefold(), urlsplit(self.settings.issuer).netloc
        if host not in {own.casefold(), *(each.casefold() for each in self.settings.hosts)}:
            raise ConfigError(
                f"the discovery document's {name} is at {host}, which is not allowed.",
                remedy="If that is right, name the host in `hosts` under [oidc].",
            )
        _require_secure(url, name)
        return url

    def _unavailable(self) -> ProviderUnavailable:
        return ProviderUnavailable(
            f"signing in with {self.settings.title} does not work just now.",
            remedy="Try again in a moment, or sign in with a password if you have one here.",
        )


def _with(url: str, query: Mapping[str, str]) -> str:
    joint = "&" if urlsplit(url).query else "?"
    return f"{url}{joint}{urlencode(query, quote_via=quote)}"


def _require_settings(settings: OidcSettings) -> None:
    for name in ("issuer", "client", "address"):
        if not getattr(settings, name):
            raise ConfigError(
                f"[oidc] says no {name}.", remedy="It needs an issuer, a client and an address."
            )
    if "openid" not in settings.scopes:
        raise ConfigError("the scopes under [oidc] lack `openid`.", remedy="Add it.")
    for name, url in (("issuer", settings.issuer), ("address", settings.address)):
        require_url(url)
        _require_secure(url, f"{name} under [oidc]")
        parts = urlsplit(url)
        if parts.query or parts.fragment or (name == "address" and parts.path not in ("", "/")):
            raise ConfigError(
                f"the {name} under [oidc] holds more than it should: {url!r}.",
                remedy="Write it like https://host."
                if name == "address"
                else "Write it as the provider does, without a query.",
            )


def _require_secure(url: str, name: str) -> None:
    """Refuse a URL that is not of HTTPS, but for those of this machine."""
    if urlsplit(url).scheme != "https" and not is_loopback(url):
        raise ConfigError(
            f"the {name} is not of HTTPS.", remedy="Only HTTPS proves who answers there."
        )
