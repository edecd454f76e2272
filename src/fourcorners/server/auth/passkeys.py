"""Passkeys (WebAuthn): a key that a device holds signs someone in, without name and password.

The device checks its owner, by a PIN or a finger, so that a passkey is both factors.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from importlib.util import find_spec
from typing import Any

from starlette.requests import Request

from fourcorners.errors import ConfigError
from fourcorners.library.audit import utc_now
from fourcorners.library.database import as_integer, as_string
from fourcorners.library.store import Library
from fourcorners.operations.errors import NotFound
from fourcorners.server.auth.accounts import Accounts, hash_secret
from fourcorners.server.errors import NotSignedIn

CHALLENGE_SECONDS = 300
"""Seconds for which a device may answer."""
_TITLE = "Fourcorners"
_MOST = 20  # passkeys of one person


@dataclass(frozen=True, slots=True)
class Passkey:
    id: str
    name: str
    created: str
    used: str


@dataclass(frozen=True, slots=True)
class Site:
    """The server as a browser sees it: a passkey is for one host alone."""

    host: str
    origins: list[str]

    @classmethod
    def from_request(cls, request: Request) -> Site:
        """Return the site of a request, whose host was found to be this server's."""
        host, place = request.url.hostname or "", request.url.netloc
        schemes = ("https", "http") if host == "localhost" else ("https",)
        return cls(host, [f"{scheme}://{place}" for scheme in schemes])


def are_passkeys_installed() -> bool:
    return find_spec("webauthn") is not None


def _require_installed() -> None:
    if not are_passkeys_installed():
        raise ConfigError(
            "what checks passkeys is not installed.", remedy="pip install 'fourcorners[passkeys]'"
        )


class Passkeys:
    def __init__(self, library: Library, site: Site) -> None:
        self._library, self._site = library, site
        self._accounts = Accounts(library)

    def list(self, name: str) -> list[Passkey]:
        rows = self._library.execute(
            "SELECT id, name, created, used FROM server_passkeys WHERE user = ? "
            "ORDER BY created, id",
            (name,),
        )
        return [Passkey(*map(as_string, row)) for row in rows]

    def begin(self, name: str) -> str:
        """Return what a browser needs to make a passkey, as JSON.

        Raises:
            ConfigError: If they have as many as anyone may have.
        """
        _require_installed()
        from webauthn import base64url_to_bytes, generate_registration_options, options_to_json
        from webauthn.helpers.structs import (
            AuthenticatorSelectionCriteria,
            PublicKeyCredentialDescriptor,
            ResidentKeyRequirement,
            UserVerificationRequirement,
        )

        held = self.list(name)
        if len(held) >= _MOST:
            raise ConfigError(f"nobody may have more than {_MOST} passkeys.", remedy="Remove one.")
        options = generate_registration_options(
            rp_id=self._site.host,
            rp_name=_TITLE,
            user_name=name,
            user_id=sha256(f"passkey {name}".encode()).digest(),
            authenticator_selection=AuthenticatorSelectionCriteria(
                resident_key=ResidentKeyRequirement.REQUIRED,
                user_verification=UserVerificationRequirement.REQUIRED,
            ),
            exclude_credentials=[
                PublicKeyCredentialDescriptor(id=base64url_to_bytes(each.id)) for each in held
            ],
        )
        self._await_answer(options.challenge, name)
        return options_to_json(options)

    def add(self, name: str, called: str, credential: Mapping[str, Any]) -> None:
        """Store the passkey that a device has made, under a name.

        Raises:
            ConfigError: If it was not asked for by this person, or comes too late.
        """
        _require_installed()
        from webauthn import verify_registration_response
        from webauthn.helpers import bytes_to_base64url
        from webauthn.helpers.exceptions import WebAuthnException

        shown = " ".join(called.split())[:60] or "Passkey"
        with self._library.transaction():
            try:
                made = verify_registration_response(
                    credential=dict(credential),
                    expected_challenge=self._take_challenge(credential, name),
                    expected_rp_id=self._site.host,
                    expected_origin=self._site.origins,
                    require_user_verification=True,
                )
            except (WebAuthnException, NotSignedIn, ValueError, TypeError, KeyError) as error:
                raise ConfigError(
                    "this passkey could not be added.", remedy="Begin again."
                ) from error
            self._library.execute(
                "INSERT INTO server_passkeys VALUES (?, ?, ?, ?, ?, ?, '')",
                (
                    *(bytes_to_base64url(made.credential_id), name),
                    *(bytes_to_base64url(made.credential_public_key), made.sign_count),
                    *(shown, utc_now()),
                ),
            )
            self._accounts.record("passkey added", name, name)

    def remove(self, name: str, passkey: str = "", *, by: str) -> None:
        """Remove one of someone's passkeys; without its id all.

        Raises:
            NotFound: If they have no such passkey.
        """
        with self._library.transaction():
            removed = self._library.execute(
                "DELETE FROM server_passkeys WHERE user = ?1 AND (?2 = '' OR id = ?2) RETURNING id",
                (name, passkey),
            )
            if not removed:
                raise NotFound("this passkey has been removed already.")
            self._accounts.record("passkey removed", name, by)

    def begin_sign_in(self) -> str:
        """Return what a browser needs to sign in by a passkey, whosever it is, as JSON."""
        _require_installed()
        from webauthn import generate_authentication_options, options_to_json
        from webauthn.helpers.structs import UserVerificationRequirement

        options = generate_authentication_options(
            rp_id=self._site.host, user_verification=UserVerificationRequirement.REQUIRED
        )
        self._await_answer(options.challenge, "")
        return options_to_json(options)

    def find_account(self, credential: Mapping[str, Any]) -> str:
        """Return whose passkey has signed a challenge.

        Raises:
            NotSignedIn: If it is unknown, signs wrongly, comes too late, or is of someone disabled.
        """
        _require_installed()
        from webauthn import base64url_to_bytes, verify_authentication_response
        from webauthn.helpers.exceptions import WebAuthnException

        refusal = NotSignedIn(
            "this passkey does not sign anyone in here.",
            remedy="Try again, or sign in with your password.",
        )
        identifier = str(credential.get("id", ""))
        with self._library.transaction():
            rows = self._library.execute(
                "SELECT p.user, p.public_key, p.uses FROM server_passkeys p JOIN server_users u "
                "ON u.name = p.user WHERE p.id = ? AND u.disabled = 0",
                (identifier,),
            )
            if not rows:
                raise refusal
            try:
                found = verify_authentication_response(
                    credential=dict(credential),
                    expected_challenge=self._take_challenge(credential, ""),
                    expected_rp_id=self._site.host,
                    expected_origin=self._site.origins,
                    credential_public_key=base64url_to_bytes(as_string(rows[0][1])),
                    credential_current_sign_count=as_integer(rows[0][2]),
                    require_user_verification=True,
                )
            except (WebAuthnException, ValueError, TypeError, KeyError) as error:
                raise refusal from error
            self._library.execute(
                "UPDATE server_passkeys SET uses = ?, used = ? WHERE id = ?",
                (found.new_sign_count, utc_now(), identifier),
            )
        return as_string(rows[0][0])

    def _await_answer(self, challenge: bytes, name: str) -> None:
        at = time.time()
        with self._library.transaction():
            self._library.execute(
                "DELETE FROM server_passkey_challenges WHERE begun < ?", (at - CHALLENGE_SECONDS,)
            )
            self._library.execute(
                "INSERT INTO server_passkey_challenges VALUES (?, ?, ?)",
                (hash_secret(challenge.hex()), name, at),
            )

    def _take_challenge(self, credential: Mapping[str, Any], name: str) -> bytes:
        """Return the challenge that an answer names, which counts once.

        Raises:
            NotSignedIn: If it was not given to this person, or too long ago.
        """
        from webauthn import base64url_to_bytes

        client = json.loads(base64url_to_bytes(credential["response"]["clientDataJSON"]))
        challenge = base64url_to_bytes(client["challenge"])
        rows = self._library.execute(
            "DELETE FROM server_passkey_challenges WHERE hash = ? AND user = ? AND begun >= ? "
            "RETURNING hash",
            (hash_secret(challenge.hex()), name, time.time() - CHALLENGE_SECONDS),
        )
        if not rows:
            raise NotSignedIn("this took too long.", remedy="Begin again.")
        return challenge
