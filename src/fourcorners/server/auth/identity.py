"""Who sends a request: the one person at this machine, or whoever has signed in."""

from __future__ import annotations

import getpass
import secrets
from contextlib import suppress
from typing import Protocol

from starlette.requests import Request

from fourcorners.server.auth.principal import Principal, Role
from fourcorners.settings import Settings


class Identity(Protocol):
    def principal_of(self, request: Request) -> Principal | None:
        """Return who sends it; None where nobody has signed in.

        Raises:
            Refusal: If it bears a name or a token that is not valid.
        """
        ...


class LocalIdentity:
    """One person, who may do all: the server answers this machine alone."""

    def __init__(self, settings: Settings) -> None:
        self._principal = Principal(
            name=settings.reviewer or _user(),
            global_role=Role.ADMIN,
            secret=secrets.token_hex(32),
            local=True,
        )

    def principal_of(self, request: Request) -> Principal:  # noqa: ARG002 - whoever asks is that person
        return self._principal


def _user() -> str:
    with suppress(OSError, KeyError, ImportError):
        return getpass.getuser()
    return "local user"
