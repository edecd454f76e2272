"""What every request to the API must hold."""

from __future__ import annotations

from fastapi import Request

from fourcorners.server.context import Context
from fourcorners.server.errors import NotAllowed
from fourcorners.server.rate_limit import REQUESTS_PER_MINUTE, RateLimiter
from fourcorners.server.security import SAFE_METHODS, is_form_token


class RequestGuard:
    """Counts requests, and refuses a browser's write that its own page did not send."""

    def __init__(self) -> None:
        self._rate = RateLimiter(REQUESTS_PER_MINUTE, REQUESTS_PER_MINUTE // 2)

    def __call__(self, request: Request, context: Context) -> None:
        """Look at one request.

        Raises:
            TooMany: If the caller has asked too often.
            NotAllowed: If a session's cookie writes without its page's token.
        """
        self._rate.spend(context.principal.name)
        if (
            request.method in SAFE_METHODS
            or context.principal.local
            or not context.principal.secret
        ):
            return
        if not is_form_token(request.headers.get("x-csrf-token", ""), context.principal.secret):
            raise NotAllowed(
                "a write in a session needs the header X-CSRF-Token.",
                remedy="Programs should send an API token instead.",
            )
