"""What the server refuses, as errors that say who must act."""

from __future__ import annotations

import logging
import secrets
from typing import ClassVar

from fourcorners.errors import (
    DamagedDocument,
    DiskFull,
    FourcornersError,
    LibraryBusy,
    LibraryError,
)

_log = logging.getLogger("fourcorners.server")


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


class LibraryUnavailable(HttpError):
    """The library cannot be used; what is wrong with it is the operator's to know."""

    status = 503


class InsufficientStorage(HttpError):
    """The server's disk is full."""

    status = 507


class ClientLeft(HttpError):
    """Whoever asked is gone, and so is the use of an answer; 499 is nginx's status for it."""

    status = 499


def error_for_caller(error: FourcornersError) -> FourcornersError:
    """Return what whoever asked may know of an error; the rest goes to the log.

    What a database says names its file, or its host, user and name. The answer has the number that
    the log has.
    """
    if not isinstance(error, LibraryError) or isinstance(error, LibraryBusy | DamagedDocument):
        return error
    number = secrets.token_hex(4)
    _log.error("the library failed: %s", error, extra={"number": number})
    if isinstance(error, DiskFull):
        return InsufficientStorage(
            "the server's disk is full.",
            remedy="Nothing was kept of this. Try again once there is room.",
        )
    return LibraryUnavailable(
        f"the library cannot be used (error {number}).",
        remedy="Try again in a moment. Whoever runs the server finds the reason in its log, under "
        "this number.",
    )
