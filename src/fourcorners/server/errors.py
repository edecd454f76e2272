"""What the server refuses, as errors that say who must act."""

from __future__ import annotations

from typing import ClassVar

from fourcorners.errors import FourcornersError


class HttpError(FourcornersError):
    """A request that is not done; `status` is the HTTP status it is answered with."""

    status: ClassVar[int] = 400


class NotFound(HttpError):
    """Nothing there that this person may see: the two cannot be told apart."""

    status = 404


class NotAllowed(HttpError):
    status = 403


class NotSignedIn(HttpError):
    status = 401


class Conflict(HttpError):
    status = 409


class TooLarge(HttpError):
    status = 413


class TooManyRequests(HttpError):
    """Too many requests; `after` is the seconds to wait."""

    status = 429

    def __init__(self, message: str, *, remedy: str = "", after: int = 1) -> None:
        super().__init__(message, remedy=remedy)
        self.retry_after = after


class ClientLeft(HttpError):
    """Whoever asked is gone, and so is the use of an answer; 499 is nginx's status for it."""

    status = 499
