"""People who may sign in, and their roles; kept in the library.

Passwords are kept as argon2id hashes, sessions and tokens as SHA-256 of what their bearer holds.
"""

from __future__ import annotations

import re
import secrets
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from typing import TYPE_CHECKING

from fourcorners.errors import ConfigError
from fourcorners.library.audit import utc_now
from fourcorners.library.database import as_integer, as_string
from fourcorners.library.store import Library
from fourcorners.library.tokens import fold_name
from fourcorners.operations.members import HELD_ROLES
from fourcorners.operations.principal import Principal, Role

if TYPE_CHECKING:
    from argon2 import PasswordHasher

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@+-]{0,63}")

ALL_COLLECTIONS = ""
"""What stands for every collection, those to come included, where a role is kept."""


@dataclass(frozen=True, slots=True)
class Account:
    """Someone who may sign in.

    Attributes:
        roles: By folded collection, `ALL_COLLECTIONS` for all; those by groups are among them.
        last_sign_in: In ISO 8601; empty where they never did.
        provider: `linked` for who has signed in through the provider, `expected` for who may.
    """

    name: str
    disabled: bool
    roles: Mapping[str, Role]
    by_groups: Mapping[str, Role]
    password: bool
    provider: str
    created: str
    last_sign_in: str


class Accounts:
    """The accounts of a library; `through` is the program that changes them, in the trail."""

    def __init__(self, library: Library, *, through: str = "") -> None:
        self._library = library
        self._through = {"through": through} if through else {}

    # People

    def add(self, name: str, password: str, *, by: str) -> None:
        """Let someone sign in; they may see nothing until they are given a role.

        Raises:
            ConfigError: If the name is taken or is none, or the password is too weak.
        """
        _require_name(name)
        _require_strong(password, [name])
        self._insert(name, _hash_password(password), by)

    def add_without_password(self, name: str, *, by: str) -> None:
        """Make an account that is signed in to through the provider alone.

        Raises:
            ConfigError: If the name is taken or is none.
        """
        _require_name(name)
        self._insert(name, "", by)

    def add_for_provider(self, name: str, *, by: str) -> None:
        """Let whom the provider calls by this account's name sign in to it, once they come.

        Raises:
            ConfigError: If there is no such account.
        """
        with self.change("provider expected", name, by):
            self._library.execute("INSERT OR IGNORE INTO server_oidc_expected VALUES (?)", (name,))

    def _insert(self, name: str, hashed: str, by: str) -> None:
        with self._library.transaction():
            if self._library.execute(
                "SELECT 1 FROM server_users WHERE lower(name) = lower(?)", (name,)
            ):
                raise ConfigError(
                    f"an account called {name!r} already exists.", remedy="Choose another name."
                )
            self._library.execute(
                "INSERT INTO server_users(name, password, created) VALUES (?, ?, ?)",
                (name, hashed, utc_now()),
            )
            self.record("user added", name, by)

    def set_password(self, name: str, password: str, *, by: str) -> None:
        """Give someone another password, and end their sessions.

        Raises:
            ConfigError: If there is no such account, or the password is too weak.
        """
        _require_strong(password, [name])
        hashed = _hash_password(password)
        with self.change("password changed", name, by):
            self._library.execute(
                "UPDATE server_users SET password = ? WHERE name = ?",
                (hashed, name),
            )
            self._end_sessions(name)

    def set_disabled(self, name: str, disabled: bool, *, by: str) -> None:
        """Shut someone out, their sessions and tokens included, or let them in again.

        Raises:
            ConfigError: If there is no such account.
        """
        with self.change("user disabled" if disabled else "user enabled", name, by):
            self._library.execute(
                "UPDATE server_users SET disabled = ? WHERE name = ?",
                (int(disabled), name),
            )
            if disabled:
                self._end_sessions(name)

    def remove(self, name: str, *, by: str) -> None:
        """Shut someone out for good: their roles, and all that ever let them in, are deleted.

        What is theirs alone is deleted as well: mark-ups and views that are not shared. The name
        stays, disabled, because the trail and reviews have it.

        Raises:
            ConfigError: If there is no such account.
        """
        with self.change("user removed", name, by):
            for where in self._roles(name):
                self.record_role("role", name, where or "every collection", None, by)
            for table in ("server_mail", "server_notices", "server_visits", "server_markups"):
                self._library.execute(f"DELETE FROM {table} WHERE person = ?", (name,))  # noqa: S608
            self._library.execute(
                "DELETE FROM server_views WHERE person = ? AND shared = 0", (name,)
            )
            # Every table of what lets people in refers to the account, and loses it with the row.
            rows = self._library.execute(
                "DELETE FROM server_users WHERE name = ? RETURNING created", (name,)
            )
            self._library.execute(
                "INSERT INTO server_users(name, password, disabled, created) VALUES (?, '', 1, ?)",
                (name, *rows[0]),
            )

    def _end_sessions(self, name: str) -> None:
        """End what lets someone in without their password, but for tokens."""
        for table in (
            *("server_sessions", "server_word_codes", "server_codes_awaited"),
            "server_password_links",
        ):
            self._library.execute(f"DELETE FROM {table} WHERE user = ?", (name,))  # noqa: S608

    def grant(self, name: str, role: Role | None, collection: str, *, by: str) -> None:
        """Give someone a role in a collection or `ALL_COLLECTIONS`; None takes it away.

        A collection that does not exist yet is made, empty.

        Raises:
            ConfigError: If there is no such account.
        """
        fold = fold_name(collection) if collection else ALL_COLLECTIONS
        with self._library.transaction():
            self.require(name)
            self._library.execute(
                "DELETE FROM server_roles WHERE user = ? AND collection = ?", (name, fold)
            )
            if role is not None:
                if collection:
                    self._library.add_collection(collection)
                self._library.execute(
                    "INSERT INTO server_roles VALUES (?, ?, ?)", (name, fold, int(role))
                )
            self.record_role("role", name, collection or "every collection", role, by)

    def members(self, collection: str) -> list[tuple[str, Role]]:
        """Return who has a role in a collection, by hand or by a group, and not in all."""
        rows = self._library.execute(
            f"SELECT user, max(role) FROM {HELD_ROLES} AS held "  # noqa: S608 - ours
            "WHERE collection = ?1 "
            "GROUP BY user ORDER BY user",
            (fold_name(collection), time.time()),
        )
        return [(as_string(user), Role(as_integer(role))) for user, role in rows]

    def admins(self, collection: str) -> list[str]:
        """Return who administers a collection, or the whole library."""
        everyone = dict([*self.members(collection), *self.members(ALL_COLLECTIONS)])
        shut_out = {each.name for each in self.users() if each.disabled}
        return sorted(
            name
            for name in everyone.keys() - shut_out
            if self.principal(name, Role.ADMIN, "").may(Role.ADMIN, collection)
        )

    def users(self) -> list[Account]:
        rows = self._library.execute(
            "SELECT name, disabled, password <> '', "
            "CASE WHEN name IN (SELECT user FROM server_oidc_people) THEN 'linked' "
            "WHEN name IN (SELECT user FROM server_oidc_expected) THEN 'expected' ELSE '' END, "
            "created, coalesce(at, '') FROM server_users "
            "LEFT JOIN server_last_sign_ins ON user = name ORDER BY name"
        )
        return [
            Account(
                name=as_string(name),
                disabled=bool(disabled),
                roles=self._roles(as_string(name)),
                by_groups=self.roles_by_groups(as_string(name)),
                password=bool(password),
                provider=as_string(provider),
                created=as_string(created),
                last_sign_in=as_string(last),
            )
            for name, disabled, password, provider, created, last in rows
        ]

    def principal(self, name: str, most: Role, secret: str) -> Principal:
        """Return someone, as their roles are now; `most` and `secret` as `Principal` has them."""
        roles = dict(self._roles(name))
        everywhere = roles.pop(ALL_COLLECTIONS, None)
        return Principal(name, global_role=everywhere, roles=roles, ceiling=most, secret=secret)

    def active_principal(self, name: str) -> Principal | None:
        """Return someone as their roles are now; None if they are shut out, or not there."""
        known = self._library.execute(
            "SELECT 1 FROM server_users WHERE name = ? AND disabled = 0", (name,)
        )
        return self.principal(name, Role.ADMIN, "") if known else None

    def has_password(self, name: str) -> bool:
        return bool(
            self._library.execute(
                "SELECT 1 FROM server_users WHERE name = ? AND password <> ''", (name,)
            )
        )

    def roles_by_groups(self, name: str) -> Mapping[str, Role]:
        """Return the roles that someone's groups give them, at the last sign-in or by SCIM."""
        rows = self._library.execute(
            "SELECT collection, max(role) FROM (SELECT collection, role FROM server_oidc_roles "
            "WHERE user = ?1 AND until > ?2 UNION ALL SELECT collection, role "
            "FROM server_scim_roles WHERE user = ?1) AS held GROUP BY collection "
            "ORDER BY collection",
            (name, time.time()),
        )
        return {as_string(collection): Role(as_integer(role)) for collection, role in rows}

    def _roles(self, name: str) -> Mapping[str, Role]:
        """Return the best of the roles that were given by hand and by groups."""
        rows = self._library.execute(
            f"SELECT collection, max(role) FROM {HELD_ROLES} AS held "  # noqa: S608 - ours
            "WHERE user = ?1 "
            "GROUP BY collection ORDER BY collection",
            (name, time.time()),
        )
        return {as_string(collection): Role(as_integer(role)) for collection, role in rows}

    def require(self, name: str) -> None:
        """Check that there is such an account.

        Raises:
            ConfigError: If there is none.
        """
        if not self._library.execute("SELECT 1 FROM server_users WHERE name = ?", (name,)):
            raise ConfigError(
                f"account {name!r} not found.", remedy="Check the name, or add the account first."
            )

    @contextmanager
    def change(self, event: str, name: str, by: str) -> Iterator[None]:
        """Let a block change an account, which must be there, and tell the audit trail of it."""
        with self._library.transaction():
            self.require(name)
            yield
            self.record(event, name, by)

    def record(self, event: str, user: str, by: str) -> None:
        self._library.record(event, {"user": user, "by": by, **self._through})

    def record_role(
        self, event: str, user: str, collection: str, role: Role | None, by: str
    ) -> None:
        role_name = "none" if role is None else role.title
        detail = {"user": user, "collection": collection, "role": role_name, "by": by}
        self._library.record(event, {**detail, **self._through})


def hash_secret(secret: str) -> str:
    return sha256(secret.encode()).hexdigest()


def as_number(value: object) -> float:
    return float(value) if isinstance(value, int | float) else 0.0


def _require_name(name: str) -> None:
    if not _NAME.fullmatch(name):
        raise ConfigError(
            f"{name!r} is not a valid account name.",
            remedy="Use up to 64 letters, digits and . _ @ + -, beginning with one of the "
            "first two.",
        )


MIN_LENGTH = 12  # characters
MAX_LENGTH = 256  # characters; hashing longer ones would cost the server
_MIN_SCORE = 3  # of 4, zxcvbn's: some 10^8 guesses at least
_JUDGED = 72  # characters that zxcvbn looks at, at most


def _require_strong(password: str, names: Iterable[str] = ()) -> None:
    """Refuse a password that is too short, or that guessers try early.

    Args:
        password: What is judged, by zxcvbn: lists of leaked passwords, names and words, dates,
            keyboard patterns, repeats.
        names: What guessers know of its owner.

    Raises:
        ConfigError: If it is, or if it is longer than any.
    """
    try:
        from zxcvbn import zxcvbn
    except ImportError as error:
        raise ConfigError(
            "what judges passwords is not installed.", remedy="pip install 'fourcorners[web]'"
        ) from error
    if not MIN_LENGTH <= len(password) <= MAX_LENGTH:
        raise ConfigError(
            f"a password has {MIN_LENGTH} to {MAX_LENGTH} characters.",
            remedy="A short sentence is good.",
        )
    known = [*names, "fourcorners", "contract"]
    judged = zxcvbn(password[:_JUDGED], user_inputs=known)
    if judged["score"] < _MIN_SCORE:
        found = judged["feedback"]
        why = found["warning"].rstrip(".") or "it is one of those that guessers try first"
        raise ConfigError(
            f"this password is too easy to guess: {why[:1].lower()}{why[1:]}.",
            remedy=" ".join(f"{each.rstrip('.')}." for each in found["suggestions"])
            or "A short sentence is good.",
        )


def _hash_password(password: str) -> str:
    return _hasher().hash(password)


@cache
def _hasher() -> PasswordHasher:
    from argon2 import PasswordHasher

    return PasswordHasher()  # argon2id, by the parameters of RFC 9106's second choice


@cache
def dummy_hash() -> str:
    """Return a hash that no password has, so that an unknown name takes as long as a known one."""
    return _hasher().hash(secrets.token_hex(32))


def is_password(hashed: str, password: str) -> bool:
    from argon2.exceptions import InvalidHashError, VerificationError

    try:
        return _hasher().verify(hashed, password[:MAX_LENGTH])
    except (VerificationError, InvalidHashError):
        return False
