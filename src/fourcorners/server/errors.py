"""What the server refuses before it asks an operation, as errors that say who must act."""

from __future__ import annotations

import logging
import secrets
from collections.abc import Mapping
from types import MappingProxyType

from fourcorners.errors import (
    ConfigError,
    DamagedDocument,
    DiskFull,
    FourcornersError,
    InputError,
    LibraryBusy,
    LibraryError,
    LibraryUnreachable,
    ModelError,
)
from fourcorners.operations.errors import Refusal

# A request that does not hold the schema is 422; one that holds it, and cannot be done, is not.
_STATUS: tuple[tuple[type[FourcornersError], int], ...] = (
    (InputError, 400),
    (ConfigError, 400),
    (ModelError, 502),
    (LibraryError, 503),
    (FourcornersError, 500),
)
_log = logging.getLogger("fourcorners.server")


class NotSignedIn(Refusal):
    status = 401


class TooLarge(Refusal):
    status = 413


class TooManyRequests(Refusal):
    """Too many requests; `retry_after` is the seconds to wait, `headers` says what the limit is."""

    status = 429

    def __init__(
        self,
        message: str,
        *,
        remedy: str = "",
        after: int = 1,
        headers: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        super().__init__(message, remedy=remedy)
        self.retry_after = after
        self.headers = {"Retry-After": str(after), **headers}


class LibraryUnavailable(Refusal):
    """The library cannot be used; what is wrong with it is the operator's to know."""

    status = 503


class LibraryAway(Refusal):
    """The server that holds the library restarts, or cannot be reached."""

    status = 503


class InsufficientStorage(Refusal):
    """The server's disk is full."""

    status = 507


class ClientLeft(Refusal):
    """The client has closed the connection; 499 is nginx's status for it."""

    status = 499


def status_of(error: FourcornersError) -> int:
    if isinstance(error, Refusal):
        return error.status
    return next(status for kind, status in _STATUS if isinstance(error, kind))


def error_for_caller(error: FourcornersError) -> FourcornersError:
    """Return what whoever asked may know of an error; the rest goes to the log.

    What a database says names its file, or its host, user and name. The answer has the number that
    the log has.
    """
    if not isinstance(error, LibraryError) or isinstance(error, LibraryBusy | DamagedDocument):
        return error
    if isinstance(error, LibraryUnreachable):
        _log.warning("the library is out of reach: %s", error)
        return LibraryAway(
            "the library is not available at the moment: its database is restarting, or cannot be "
            "reached.",
            remedy="Try again in a moment. If you were changing something, look first whether it "
            "was stored.",
        )
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
