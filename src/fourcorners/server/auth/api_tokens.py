"""API tokens: what a program brings in someone's name."""

from __future__ import annotations

import json
import secrets
import time
from collections.abc import Collection
from dataclasses import dataclass

from fourcorners.errors import ConfigError
from fourcorners.library.audit import utc_now
from fourcorners.library.database import as_string
from fourcorners.library.store import Library
from fourcorners.operations.principal import Principal, Scope, highest_role
from fourcorners.server.auth.accounts import Accounts, as_number, hash_secret

_PREFIX = "fc_"


@dataclass(frozen=True, slots=True)
class Token:
    """An API token, without its secret; `expires` is in seconds since the epoch."""

    id: str
    note: str
    scopes: frozenset[Scope]
    created: str
    expires: float


class ApiTokens:
    def __init__(self, library: Library) -> None:
        self._library = library
        self._accounts = Accounts(library)

    def add(self, name: str, scopes: Collection[Scope], note: str, days: int, *, by: str) -> str:
        """Make an API token and return its secret, which is shown only once.

        Raises:
            ConfigError: If there is no such account, or nothing that the token is for.
        """
        if not scopes:
            raise ConfigError("a token needs a scope: read, write, admin or scim.")
        if Scope.SCIM in scopes and len(set(scopes)) > 1:
            raise ConfigError("a token of the scope scim has no other scope.")
        if not 1 <= days <= 3660:
            raise ConfigError("a token lasts 1 to 3,660 days.")
        note_line = " ".join(note.split())[:120]
        secret = _PREFIX + secrets.token_urlsafe(32)
        with self._accounts.change("token added", name, by):
            self._library.execute(
                "INSERT INTO server_tokens VALUES (?, ?, ?, ?, ?, ?, ?)",
                (
                    *(secrets.token_hex(6), hash_secret(secret), name, note_line),
                    *(json.dumps(sorted(scopes)), utc_now(), time.time() + days * 86_400),
                ),
            )
        return secret

    def list(self, name: str) -> list[Token]:
        rows = self._library.execute(
            "SELECT id, note, scopes, created, expires FROM server_tokens WHERE user = ? "
            "ORDER BY created, id",
            (name,),
        )
        return [
            Token(
                as_string(id_),
                as_string(note),
                frozenset(Scope(each) for each in json.loads(as_string(scopes))),
                as_string(created),
                as_number(expires),
            )
            for id_, note, scopes, created, expires in rows
        ]

    def find(self, secret: str) -> Token:
        """Return the token that was just made, by its secret."""
        rows = self._library.execute(
            "SELECT user, id FROM server_tokens WHERE hash = ?", (hash_secret(secret),)
        )
        name, identifier = as_string(rows[0][0]), as_string(rows[0][1])
        return next(each for each in self.list(name) if each.id == identifier)

    def revoke(self, name: str, token: str, *, by: str) -> None:
        with self._library.transaction():
            self._library.execute(
                "DELETE FROM server_tokens WHERE user = ? AND id = ?", (name, token)
            )
            self._accounts.record("token dropped", name, by)

    def find_principal(self, secret: str, *, for_scim: bool = False) -> Principal | None:
        """Return whose token it is; None if it is none, or opens nothing of what is asked for."""
        rows = self._library.execute(
            "SELECT t.user, t.scopes FROM server_tokens t JOIN server_users u ON u.name = t.user "
            "WHERE t.hash = ? AND t.expires > ? AND u.disabled = 0",
            (hash_secret(secret), time.time()),
        )
        if not rows:
            return None
        scopes = frozenset(Scope(each) for each in json.loads(as_string(rows[0][1])))
        if (Scope.SCIM in scopes) != for_scim:
            return None
        return self._accounts.principal(as_string(rows[0][0]), highest_role(scopes), "")
