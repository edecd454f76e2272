"""Passwords: what is asked of them, and their argon2id hashes."""

from __future__ import annotations

import secrets
from functools import cache
from typing import TYPE_CHECKING

from fourcorners.errors import ConfigError

if TYPE_CHECKING:
    from argon2 import PasswordHasher

MIN_LENGTH = 12  # characters
MAX_LENGTH = 256  # characters; hashing longer ones would cost the server


def require_strong(password: str) -> None:
    """Refuse a password that is too short.

    Raises:
        ConfigError: If it is, or if it is longer than any.
    """
    if not MIN_LENGTH <= len(password) <= MAX_LENGTH:
        raise ConfigError(
            f"a password has {MIN_LENGTH} to {MAX_LENGTH} characters.",
            remedy="A short sentence is good.",
        )


def hash_password(password: str) -> str:
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
