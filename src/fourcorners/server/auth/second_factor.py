"""A second factor for those who turn it on: codes of an app (TOTP, RFC 6238), or for recovery."""

from __future__ import annotations

import hmac
import secrets
import time

from fourcorners.errors import ConfigError
from fourcorners.library.database import as_integer, as_string
from fourcorners.library.store import Library
from fourcorners.server.auth.accounts import Accounts, hash_secret

RECOVERY_CODES = 10
"""Codes that someone is given, each for one loss of the app; by hand."""
_STEP = 30  # seconds of a code
_DRIFT = 1  # steps by which the app's clock may be off
_TITLE = "Fourcorners"


class SecondFactors:
    def __init__(self, library: Library) -> None:
        self._library = library
        self._accounts = Accounts(library)

    def is_on(self, name: str) -> bool:
        return bool(
            self._library.execute(
                "SELECT 1 FROM server_second_factors WHERE user = ? AND step > 0", (name,)
            )
        )

    def begin(self, name: str) -> tuple[str, str]:
        """Make the secret of an app, and return it with the address that apps read.

        It counts once `confirm` has had a code of it.

        Raises:
            ConfigError: If the factor is on.
        """
        import pyotp

        with self._library.transaction():
            if self.is_on(name):
                raise ConfigError(
                    "the second factor is on already.", remedy="Turn it off first, with a code."
                )
            secret = pyotp.random_base32()
            self._library.execute(
                "INSERT OR REPLACE INTO server_second_factors(user, secret) VALUES (?, ?)",
                (name, secret),
            )
        return secret, pyotp.TOTP(secret).provisioning_uri(name=name, issuer_name=_TITLE)

    def confirm(self, name: str, code: str) -> list[str]:
        """Turn the factor on with a first code; return recovery codes, which are shown only once.

        Raises:
            ConfigError: If the code is not the app's.
        """
        with self._library.transaction():
            if self.is_on(name) or not self._is_code(name, code):
                raise ConfigError(
                    "this is not the code that the app shows now.",
                    remedy="See that its clock is right, and give the next code.",
                )
            codes = [secrets.token_hex(5) for _ in range(RECOVERY_CODES)]
            self._library.execute_many(
                "INSERT INTO server_recovery_codes VALUES (?, ?)",
                [(hash_secret(f"{name} {each}"), name) for each in codes],
            )
            self._accounts.record("second factor on", name, name)
        return codes

    def is_right(self, name: str, code: str) -> bool:
        """Tell whether a code counts, of the app or for recovery; it does not count again."""
        code = "".join(code.split()).replace("-", "").casefold()
        with self._library.transaction():
            if self._is_code(name, code):
                return True
            used = self._library.execute(
                "DELETE FROM server_recovery_codes WHERE hash = ? AND user = ? RETURNING user",
                (hash_secret(f"{name} {code}"), name),
            )
            if used:
                self._accounts.record("recovery code used", name, name)
            return bool(used)

    def recovery_codes_left(self, name: str) -> int:
        found = self._library.execute(
            "SELECT count(*) FROM server_recovery_codes WHERE user = ?", (name,)
        )
        return as_integer(found[0][0])

    def turn_off(self, name: str, *, by: str) -> None:
        """Let someone sign in with the password alone again.

        Raises:
            ConfigError: If there is no such account.
        """
        with self._accounts.change("second factor off", name, by):
            for table in ("server_second_factors", "server_recovery_codes"):
                self._library.execute(f"DELETE FROM {table} WHERE user = ?", (name,))  # noqa: S608

    def _is_code(self, name: str, code: str) -> bool:
        import pyotp

        rows = self._library.execute(
            "SELECT secret, step FROM server_second_factors WHERE user = ?", (name,)
        )
        if not rows:
            return False
        app, last = pyotp.TOTP(as_string(rows[0][0])), as_integer(rows[0][1])
        now = int(time.time()) // _STEP
        for step in range(now - _DRIFT, now + _DRIFT + 1):
            expected = app.generate_otp(step)
            if hmac.compare_digest(expected.encode(), code.encode()) and step > last:
                self._library.execute(
                    "UPDATE server_second_factors SET step = ? WHERE user = ?", (step, name)
                )
                return True
        return False
