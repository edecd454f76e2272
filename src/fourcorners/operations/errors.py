"""What an operation refuses, as errors that say who must act."""

from __future__ import annotations

from typing import ClassVar

from fourcorners.errors import FourcornersError


class Refusal(FourcornersError):
    """A request that is refused; `status` is the HTTP status that a server answers with."""

    status: ClassVar[int] = 400


class NotFound(Refusal):
    """Nothing that this person may see has that name: whether it exists is not disclosed."""

    status = 404


class NotAllowed(Refusal):
    status = 403


class Conflict(Refusal):
    status = 409
