"""Passwords: what is asked of them, and their argon2id hashes."""

from __future__ import annotations

import secrets
from collections.abc import Iterable
from functools import cache
from typing import TYPE_CHECKING

from fourcorners.errors import ConfigError

if TYPE_CHECKING:
    from argon2 import PasswordHasher

MIN_LENGTH = 12  # characters
MAX_LENGTH = 256  # characters; hashing longer ones would cost the server
_MIN_SCORE = 3  # of 4, zxcvbn's: some 10^8 guesses at least
_JUDGED = 72  # characters that zxcvbn looks at, at most


def require_strong(password: str, names: Iterable[str] = ()) -> None:
    """Refuse a password that is too short, or that guessers try early.

    Args:
        password: What is judged, by zxcvbn: lists of leaked passwords, names and words, dates,
            keyboard patterns, repeats.
        names: What guessers know of its owner.

    Raises:
        ConfigError: If it is, or if it is longer than any.
    """
    from zxcvbn import zxcvbn

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
