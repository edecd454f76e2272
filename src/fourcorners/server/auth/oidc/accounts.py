"""Which account someone is whom the provider names, and which roles their groups give them.

Somebody is known by issuer and subject, which the provider never gives to anyone else; a name or
an e-mail address only says which account they are the first time.
"""

from __future__ import annotations

from collections.abc import Mapping

from fourcorners.errors import ConfigError
from fourcorners.library.database import as_string
from fourcorners.library.store import Library
from fourcorners.server.auth.accounts import Accounts
from fourcorners.server.auth.group_roles import GroupRoles
from fourcorners.server.auth.oidc.tokens import SignInRefused
from fourcorners.server.store.mail import suggest_address
from fourcorners.settings import OidcSettings

_MOST_GROUPS = 1_000  # of one account that are read


class ProviderAccounts:
    def __init__(self, library: Library, settings: OidcSettings) -> None:
        self._library, self._settings = library, settings
        self._accounts = Accounts(library)

    def admit(self, claims: Mapping[str, object]) -> str:
        """Return the account of whom checked claims are about, with the roles of their groups.

        Call it within a transaction.

        Raises:
            SignInRefused: If they have no account and may not be given one, or are shut out.
        """
        name = self._known_account(string_of(claims["sub"])) or self._join_account(claims)
        rows = self._library.execute("SELECT disabled FROM server_users WHERE name = ?", (name,))
        if rows[0][0]:
            raise SignInRefused(
                "this account is shut out.",
                why="shut out",
                who=name,
                remedy="Ask whoever administers this library.",
            )
        groups = groups_of(claims, self._settings.groups_claim)
        GroupRoles(self._library, self._settings).set_at_sign_in(name, groups)
        if self._is_address_proven(claims):
            suggest_address(self._library, name, string_of(claims.get("email")))
        return name

    def _known_account(self, subject: str) -> str:
        rows = self._library.execute(
            "SELECT user FROM server_oidc_people WHERE issuer = ? AND subject = ?",
            (self._settings.issuer, subject),
        )
        return as_string(rows[0][0]) if rows else ""

    def _join_account(self, claims: Mapping[str, object]) -> str:
        """Return the account that someone is from now on who was never here before."""
        wanted = self._name(claims)
        rows = self._library.execute(
            "SELECT name, name IN (SELECT user FROM server_oidc_expected) FROM server_users "
            "WHERE lower(name) = lower(?)",
            (wanted,),
        )
        if rows:
            name = as_string(rows[0][0])
            if not rows[0][1]:
                # Whoever can choose their name at the provider must not become somebody here.
                raise SignInRefused(
                    "there is an account of this name here, which is not for signing in so.",
                    why="name is taken",
                    who=name,
                    remedy=f"An admin can allow it: fourcorners users add {name} --oidc",
                )
            self._library.execute("DELETE FROM server_oidc_expected WHERE user = ?", (name,))
        elif self._settings.create:
            name = wanted
            try:
                self._accounts.add_without_password(name, by=self._settings.issuer)
            except ConfigError as error:
                raise SignInRefused(
                    "the provider's name for you is none that an account may have.",
                    why="name",
                    remedy=error.remedy,
                ) from None
        else:
            raise SignInRefused(
                "you have no account here.",
                why="no account",
                remedy="Ask whoever administers this library for one.",
            )
        self._library.execute(
            "INSERT INTO server_oidc_people VALUES (?, ?, ?)",
            (self._settings.issuer, string_of(claims["sub"]), name),
        )
        self._accounts.record("provider linked", name, self._settings.issuer)
        return name

    def _name(self, claims: Mapping[str, object]) -> str:
        settings = self._settings
        name = string_of(claims.get(settings.name_claim)).strip()
        if not name:
            raise SignInRefused(
                f"the provider did not say your {settings.name_claim}.",
                why="no name",
                remedy="Whoever runs this server can name another claim or scope.",
            )
        if settings.name_claim == "email" and not self._is_address_proven(claims):
            raise SignInRefused(
                "the provider has not verified your e-mail address.",
                why="address not verified",
                remedy="Verify it there, and try again.",
            )
        return name

    def _is_address_proven(self, claims: Mapping[str, object]) -> bool:
        return claims.get("email_verified") is True or self._settings.trust_email


def groups_of(claims: Mapping[str, object], path: str) -> frozenset[str]:
    """Return the groups that claims list under a name, or under names with dots between."""
    value: object = claims.get(path)
    if value is None:
        value = claims
        for step in path.split("."):
            value = value.get(step) if isinstance(value, dict) else None
    listed = [value] if isinstance(value, str) else value
    if not isinstance(listed, list):
        return frozenset()
    return frozenset(each for each in listed[:_MOST_GROUPS] if isinstance(each, str))


def string_of(value: object) -> str:
    """Return a claim that is a text; empty for any other."""
    return value if isinstance(value, str) else ""
