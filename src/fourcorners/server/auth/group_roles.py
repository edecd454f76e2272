"""The roles that groups of a directory give, by the settings: at a sign-in, or by SCIM."""

from __future__ import annotations

import time
from collections.abc import Collection, Mapping

from fourcorners.library.database import Row, as_integer, as_string
from fourcorners.library.store import Library
from fourcorners.library.tokens import fold_name
from fourcorners.operations.principal import Role
from fourcorners.server.auth.accounts import ALL_COLLECTIONS, Accounts
from fourcorners.settings import OidcSettings


class GroupRoles:
    """The roles by groups; `through` is the program that tells of the groups, in the trail."""

    def __init__(self, library: Library, settings: OidcSettings, *, through: str = "") -> None:
        self._library, self._settings = library, settings
        self._accounts = Accounts(library, through=through)

    def set_at_sign_in(self, name: str, groups: Collection[str]) -> None:
        """Replace the roles that the groups of someone's last sign-in gave; in a transaction."""
        wanted, shown = self._roles_of(groups)
        rows = self._library.execute(
            "SELECT collection, role FROM server_oidc_roles WHERE user = ? AND until > ?",
            (name, time.time()),
        )
        until = time.time() + self._settings.role_days * 86_400
        self._library.execute("DELETE FROM server_oidc_roles WHERE user = ?", (name,))
        self._library.execute_many(
            "INSERT INTO server_oidc_roles VALUES (?, ?, ?, ?)",
            [(name, where, int(role), until) for where, role in wanted.items()],
        )
        self._record(name, _roles(rows), wanted, shown, self._settings.issuer)

    def set_by_scim(self, name: str, *, by: str) -> None:
        """Replace the roles of the groups that SCIM has someone in; call it in a transaction."""
        groups = self._library.execute(
            "SELECT g.name FROM server_scim_groups g JOIN server_scim_members m ON m.id = g.id "
            "WHERE m.user = ?",
            (name,),
        )
        wanted, shown = self._roles_of({as_string(group) for (group,) in groups})
        rows = self._library.execute(
            "SELECT collection, role FROM server_scim_roles WHERE user = ?", (name,)
        )
        self._library.execute("DELETE FROM server_scim_roles WHERE user = ?", (name,))
        self._library.execute_many(
            "INSERT INTO server_scim_roles VALUES (?, ?, ?)",
            [(name, where, int(role)) for where, role in wanted.items()],
        )
        self._record(name, _roles(rows), wanted, shown, by)

    def refresh(self) -> None:
        """Give everyone whom SCIM has in a group the roles that the settings now say."""
        with self._library.transaction():
            for (name,) in self._library.execute(
                "SELECT user FROM server_scim_members UNION SELECT user FROM server_scim_roles"
            ):
                self.set_by_scim(as_string(name), by="settings")

    def _roles_of(self, groups: Collection[str]) -> tuple[dict[str, Role], dict[str, str]]:
        """Return the best role in each collection that groups give, and what these are called."""
        wanted: dict[str, Role] = {}
        shown = {ALL_COLLECTIONS: "every collection"}
        for each in self._settings.roles:
            if each.group in groups:
                where = fold_name(each.collection) if each.collection else ALL_COLLECTIONS
                wanted[where] = max(wanted.get(where, Role.READER), Role[each.role.upper()])
                shown.setdefault(where, each.collection)
                if where != ALL_COLLECTIONS:
                    self._library.add_collection(each.collection)
        return wanted, shown

    def _record(
        self,
        name: str,
        held: Mapping[str, Role],
        wanted: Mapping[str, Role],
        shown: Mapping[str, str],
        by: str,
    ) -> None:
        for where in sorted(held.keys() | wanted.keys()):
            if held.get(where) != wanted.get(where):
                collection = shown.get(where, where)
                self._accounts.record_role("role by group", name, collection, wanted.get(where), by)


def _roles(rows: Collection[Row]) -> dict[str, Role]:
    return {as_string(where): Role(as_integer(role)) for where, role in rows}
