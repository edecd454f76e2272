"""Why somebody was not let in through the provider."""

from __future__ import annotations

from typing import ClassVar

from fourcorners.server.errors import HttpError


class SignInRefused(HttpError):
    """The provider's word is not enough to let this person in.

    Attributes:
        why: The reason in two or three words, as the audit trail keeps it.
        who: The account that it was about, where one is known.
    """

    status: ClassVar[int] = 403

    def __init__(self, message: str, *, why: str, remedy: str = "", who: str = "") -> None:
        super().__init__(message, remedy=remedy)
        self.why = why
        self.who = who


class ProviderUnavailable(HttpError):
    status: ClassVar[int] = 503
