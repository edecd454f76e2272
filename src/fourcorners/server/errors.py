"""What the server refuses before it asks an operation, as errors that say who must act."""

from __future__ import annotations

from fourcorners.operations.errors import Refusal


class NotSignedIn(Refusal):
    status = 401


class TooLarge(Refusal):
    status = 413


class TooManyRequests(Refusal):
    """Too many requests; `retry_after` is the seconds to wait."""

    status = 429

    def __init__(self, message: str, *, remedy: str = "", after: int = 1) -> None:
        super().__init__(message, remedy=remedy)
        self.retry_after = after


class ClientLeft(Refusal):
    """The client has closed the connection; 499 is nginx's status for it."""

    status = 499
