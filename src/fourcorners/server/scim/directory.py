"""People and groups as a directory sees them: accounts, and which groups they are in."""

from __future__ import annotations

import re
import secrets
from collections.abc import Collection
from datetime import datetime

from scim2_models import (
    ConflictException,
    ForbiddenException,
    GroupMember,
    InvalidValueException,
    Meta,
    NotFoundException,
    ScimFilter,
    UniquenessException,
)

from fourcorners.errors import ConfigError
from fourcorners.library.audit import utc_now
from fourcorners.library.database import SQLiteValue, as_string
from fourcorners.library.store import Library
from fourcorners.server.auth.accounts import Accounts
from fourcorners.server.auth.group_roles import GroupRoles
from fourcorners.server.scim.resources import Group, User
from fourcorners.settings import OidcSettings

_THROUGH = "SCIM"
_BY_NAME = re.compile(r'\s*userName\s+eq\s+"([^"\\]*)"\s*', re.IGNORECASE)
_PEOPLE = (
    "SELECT u.name, u.disabled, u.created, coalesce(p.external, '') FROM server_users u "
    "LEFT JOIN server_scim_people p ON p.user = u.name WHERE coalesce(p.deleted, 0) = 0 "
)


class Directory:
    """The accounts and groups of a library; `by` is whose token asks."""

    def __init__(self, library: Library, settings: OidcSettings, *, by: str) -> None:
        self._library, self._by = library, by
        self._accounts = Accounts(library, through=_THROUGH)
        self._roles = GroupRoles(library, settings, through=_THROUGH)

    # People: an account's name is its id, since it never changes

    def list_users(self, wanted: ScimFilter[User] | None) -> list[User]:
        """Return the accounts that a filter describes, by name."""
        name = _BY_NAME.fullmatch(wanted) if wanted else None
        rows = self._library.execute(
            f"{_PEOPLE} AND (? = '' OR lower(u.name) = lower(?)) ORDER BY u.name",
            (name[1] if name else "",) * 2,
        )
        users = [_user(*row) for row in rows]
        return [each for each in users if wanted is None or wanted.match(each)]

    def get_user(self, name: str) -> User:
        rows = self._library.execute(f"{_PEOPLE} AND u.name = ?", (name,))
        if not rows:
            raise NotFoundException(detail="There is no such user.")
        return _user(*rows[0])

    def add_user(self, asked: User) -> User:
        """Make an account for the sign-in provider, or bring a removed name back."""
        with self._library.transaction():
            rows = self._library.execute(
                "SELECT u.name, coalesce(p.deleted, 0) FROM server_users u "
                "LEFT JOIN server_scim_people p ON p.user = u.name WHERE lower(u.name) = lower(?)",
                (asked.user_name or "",),
            )
            if rows and not rows[0][1]:
                raise UniquenessException(detail="A user of this name exists.")
            if rows:
                name = as_string(rows[0][0])
                asked.active = asked.active is not False
            else:
                name = asked.user_name or ""
                try:
                    self._accounts.add_without_password(name, by=self._by)
                except ConfigError as error:
                    raise InvalidValueException(detail=f"{error.message} {error.remedy}") from None
            self._accounts.add_for_provider(name, by=self._by)
            self._store_user(name, asked)
        return self.get_user(name)

    def set_user(self, name: str, asked: User) -> User:
        """Change an account as a directory says."""
        with self._library.transaction():
            self.get_user(name)
            if (asked.user_name or name).casefold() != name.casefold():
                raise ConflictException(detail="The name of an account never changes.")
            self._store_user(name, asked)
        return self.get_user(name)

    def delete_user(self, name: str) -> None:
        """Remove an account and list it no more; what its owner did stays."""
        with self._library.transaction():
            self.get_user(name)
            self._require_other(name)
            self._accounts.remove(name, by=self._by)
            self._library.execute(
                "INSERT INTO server_scim_people(user, deleted) VALUES (?, 1)", (name,)
            )

    def _require_other(self, name: str) -> None:
        if name == self._by:
            raise ForbiddenException(detail="This account owns the token that asks.")

    def _store_user(self, name: str, asked: User) -> None:
        rows = self._library.execute("SELECT disabled FROM server_users WHERE name = ?", (name,))
        is_disabled = bool(rows[0][0])
        disabled = is_disabled if asked.active is None else not asked.active
        if disabled:
            self._require_other(name)
        self._library.execute(
            "INSERT OR REPLACE INTO server_scim_people VALUES (?, ?, 0)",
            (name, asked.external_id or ""),
        )
        if is_disabled != disabled:
            self._accounts.set_disabled(name, disabled, by=self._by)

    # Groups

    def list_groups(self, wanted: ScimFilter[Group] | None) -> list[Group]:
        """Return the groups that a filter describes, by name."""
        rows = self._library.execute(
            "SELECT id, name, external, created FROM server_scim_groups ORDER BY name, id"
        )
        groups = [self._group(*row) for row in rows]
        return [each for each in groups if wanted is None or wanted.match(each)]

    def get_group(self, group: str) -> Group:
        rows = self._library.execute(
            "SELECT id, name, external, created FROM server_scim_groups WHERE id = ?", (group,)
        )
        if not rows:
            raise NotFoundException(detail="There is no such group.")
        return self._group(*rows[0])

    def set_group(self, group: str, asked: Group) -> Group:
        """Change a group and its members, or make it where `group` is empty."""
        with self._library.transaction():
            before = self.get_group(group) if group else Group()
            made = group or secrets.token_hex(12)
            created = before.meta.created.isoformat() if before.meta else utc_now()  # type: ignore[union-attr]
            self._library.execute(
                "INSERT INTO server_scim_groups VALUES (?, ?, ?, ?) ON CONFLICT(id) DO UPDATE "
                "SET name = excluded.name, external = excluded.external",
                (made, asked.display_name or "", asked.external_id or "", created),
            )
            old, new = _members(before), _members(asked)
            for name in old - new:
                self._library.execute(
                    "DELETE FROM server_scim_members WHERE id = ? AND user = ?", (made, name)
                )
            for name in sorted(new - old):
                self.get_user(name)
                self._library.execute("INSERT INTO server_scim_members VALUES (?, ?)", (made, name))
            renamed = before.display_name != asked.display_name
            self._give_roles(old | new if renamed else old ^ new)
        return self.get_group(made)

    def delete_group(self, group: str) -> None:
        with self._library.transaction():
            members = _members(self.get_group(group))
            self._library.execute("DELETE FROM server_scim_groups WHERE id = ?", (group,))
            self._give_roles(members)

    def _give_roles(self, names: Collection[str]) -> None:
        for name in sorted(names):
            self._roles.set_by_scim(name, by=self._by)

    def _group(
        self, id_: SQLiteValue, name: SQLiteValue, external: SQLiteValue, created: SQLiteValue
    ) -> Group:
        rows = self._library.execute(
            "SELECT user FROM server_scim_members WHERE id = ? ORDER BY user", (as_string(id_),)
        )
        members = [
            GroupMember(value=as_string(user), display=as_string(user), ref=None, type="User")
            for (user,) in rows
        ]
        return Group(
            id=as_string(id_),
            external_id=as_string(external) or None,
            display_name=as_string(name),
            members=members or None,
            meta=_meta("Group", as_string(id_), as_string(created)),
        )


def _user(
    name: SQLiteValue, disabled: SQLiteValue, created: SQLiteValue, external: SQLiteValue
) -> User:
    return User(
        id=as_string(name),
        external_id=as_string(external) or None,
        user_name=as_string(name),
        active=not disabled,
        meta=_meta("User", as_string(name), as_string(created)),
    )


def _meta(kind: str, identifier: str, created: str) -> Meta:
    at = datetime.fromisoformat(created)
    location = f"/scim/v2/{kind}s/{identifier}"
    return Meta(resource_type=kind, created=at, last_modified=at, location=location)


def _members(group: Group) -> set[str]:
    return {each.value for each in group.members or () if each.value}
