"""What every request to the API must hold."""

from __future__ import annotations

from fastapi import Request

from fourcorners.server.desk import Desk
from fourcorners.server.rates import A_MINUTE, Rate
from fourcorners.server.refusals import NotAllowed
from fourcorners.server.security import SAFE, is_form_token


class Guarded:
    """Counts requests, and refuses a browser's write that its own page did not send."""

    def __init__(self) -> None:
        self._rate = Rate(A_MINUTE, A_MINUTE // 2)

    def __call__(self, request: Request, desk: Desk) -> None:
        """Look at one request.

        Raises:
            TooMany: If the caller has asked too often.
            NotAllowed: If a session's cookie writes without its page's token.
        """
        self._rate.spend(desk.principal.name)
        if request.method in SAFE or desk.principal.local or not desk.principal.secret:
            return
        if not is_form_token(request.headers.get("x-csrf-token", ""), desk.principal.secret):
            raise NotAllowed(
                "a write in a session needs the header X-CSRF-Token.",
                remedy="Programs should send an API token instead.",
            )
