"""`Trouble`: why one attempt failed, between a model and the port that may try again."""

from __future__ import annotations

from fourcorners.errors import LlmError


class AttemptError(Exception):
    """One attempt failed.

    Attributes:
        error: What a person is told if no other attempt is made.
        may_pass: Whether the same request may succeed a little later.
        wait: Seconds that the server asks to wait; 0 if it does not say.
        sent: Whether the model may have read the request, so that it may be charged.
        silent: Whether the server gave no sign of life: no connection, or no answer in time.
    """

    def __init__(
        self,
        error: LlmError,
        *,
        may_pass: bool = False,
        wait: float = 0.0,
        sent: bool = False,
        silent: bool = False,
    ) -> None:
        super().__init__(error.message)
        self.error = error
        self.may_pass = may_pass
        self.wait = wait
        self.sent = sent
        self.silent = silent
