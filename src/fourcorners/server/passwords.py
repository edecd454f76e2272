"""Passwords: what is asked of them, and their argon2id hashes."""

from __future__ import annotations

import secrets
from functools import cache
from typing import TYPE_CHECKING

from fourcorners.errors import ConfigError

if TYPE_CHECKING:
    from argon2 import PasswordHasher

SHORTEST = 12  # characters
LONGEST = 256


def require_good(password: str) -> None:
    """Refuse a password that is too short.

    Raises:
        ConfigError: If it is, or if it is longer than any.
    """
    if not SHORTEST <= len(password) <= LONGEST:
        raise ConfigError(
            f"a password has {SHORTEST} to {LONGEST} characters.",
            remedy="A short sentence is good.",
        )


def hashed_password(password: str) -> str:
    """Return what is kept of a password."""
    return _hasher().hash(password)


@cache
def _hasher() -> PasswordHasher:
    from argon2 import PasswordHasher

    return PasswordHasher()  # argon2id, by the parameters of RFC 9106's second choice


@cache
def nobody() -> str:
    """Return a hash that no password has, so that an unknown name takes as long as a known one."""
    return _hasher().hash(secrets.token_hex(32))


def fits(hashed: str, password: str) -> bool:
    """Tell whether a password is the one that was hashed."""
    from argon2.exceptions import InvalidHashError, VerificationError

    try:
        return _hasher().verify(hashed, password[:LONGEST])
    except (VerificationError, InvalidHashError):
        return False
