"""Who asks, and what they may do in which collection."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum, StrEnum
from typing import Literal, cast

from fourcorners.library.tokens import fold_name

RoleName = Literal["reader", "reviewer", "editor", "admin"]


class Role(IntEnum):
    READER = 1  # read and search
    REVIEWER = 2  # run reviews, and say what they think of findings
    EDITOR = 3  # add and remove documents
    ADMIN = 4  # say who may do what, and read the audit trail

    @property
    def title(self) -> RoleName:
        return cast("RoleName", self.name.lower())

    @classmethod
    def from_title(cls, title: RoleName) -> Role:
        return cls[title.upper()]


class Scope(StrEnum):
    """What an API token may be used for, at most what its owner may do."""

    READ = "read"
    WRITE = "write"
    ADMIN = "admin"
    SCIM = "scim"
    """What a directory calls, and nothing else."""


_MOST_BY_SCOPE = {
    Scope.READ: Role.READER,
    Scope.WRITE: Role.EDITOR,
    Scope.ADMIN: Role.ADMIN,
    Scope.SCIM: Role.ADMIN,
}


@dataclass(frozen=True, slots=True)
class Principal:
    """Someone who asks.

    Attributes:
        name: As audit trail and findings name them.
        global_role: Their role in every collection, also those to come; None for none.
        roles: Their roles in single collections, by the collection's folded name.
        ceiling: The most that this way of asking allows, whoever asks: an API token's scope.
        secret: What their forms' tokens are made from; empty where no browser asks.
        local: Whether this is the one person at this machine, who needs no signing in.
    """

    name: str
    global_role: Role | None = None
    roles: Mapping[str, Role] = field(default_factory=dict)
    ceiling: Role = Role.ADMIN
    secret: str = ""
    local: bool = False

    def role_in(self, collection: str) -> Role | None:
        """Return the role in a collection; None where there is none, as if it did not exist."""
        held = [self.global_role, self.roles.get(fold_name(collection))]
        best = max((role for role in held if role is not None), default=None)
        return None if best is None else min(best, self.ceiling)

    def may(self, role: Role, collection: str) -> bool:
        held = self.role_in(collection)
        return held is not None and held >= role

    def has_role(self, role: Role) -> bool:
        """Tell whether they hold a role in any collection, those to come included."""
        return any(self.may(role, name) for name in ("", *self.roles))

    def may_everywhere(self, role: Role) -> bool:
        return (self.role_everywhere or 0) >= role

    @property
    def role_everywhere(self) -> Role | None:
        return None if self.global_role is None else min(self.global_role, self.ceiling)


def highest_role(scopes: frozenset[Scope]) -> Role:
    return max((_MOST_BY_SCOPE[scope] for scope in scopes), default=Role.READER)
