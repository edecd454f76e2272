"""What the server refuses, as errors that say who must act."""

from __future__ import annotations

from typing import ClassVar

from fourcorners.errors import FourcornersError


class Refusal(FourcornersError):
    """A request that is not done; `status` is the HTTP status it is answered with."""

    status: ClassVar[int] = 400


class NotFound(Refusal):
    """Nothing there that this person may see: the two cannot be told apart."""

    status = 404


class NotAllowed(Refusal):
    """They may see it, but not do this to it."""

    status = 403


class NotSignedIn(Refusal):
    """Nobody has signed in, and this needs someone."""

    status = 401


class Conflict(Refusal):
    """It cannot be done as things stand."""

    status = 409


class TooLarge(Refusal):
    """More than the server takes."""

    status = 413


class TooMany(Refusal):
    """Too many requests; `after` is the seconds to wait."""

    status = 429

    def __init__(self, message: str, *, remedy: str = "", after: int = 1) -> None:
        super().__init__(message, remedy=remedy)
        self.after = after
