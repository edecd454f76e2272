"""`Stream`: an answer in pieces, read in the thread that asked."""

from __future__ import annotations

import queue
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager

from fourcorners.llm.reply import Reply


class Stream(AbstractContextManager["Stream"]):
    """The pieces of an answer; `reply` is the whole, and reads to its end what is not read.

    Close it, or use it in a `with` statement, where the end is not waited for.
    """

    def __init__(
        self,
        pieces: queue.SimpleQueue[str | None],
        finish: Callable[[], Reply[str]],
        settle: Callable[[], None],
    ) -> None:
        self._pieces, self._finish, self._settle = pieces, finish, settle
        self._is_open = True
        self._reply: Reply[str] | None = None

    def __iter__(self) -> Iterator[str]:
        while self._is_open and (piece := self._pieces.get()) is not None:
            yield piece
        if self._is_open:
            self._is_open = False
            self._reply = self._finish()

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def reply(self) -> Reply[str]:
        """Return the whole answer.

        Raises:
            LlmError: If none came that can be used, as by `Port.ask`.
        """
        for _ in self:
            pass
        if self._reply is None:
            raise RuntimeError("the stream was closed, or has failed, before its end")
        return self._reply

    def close(self) -> None:
        """Stop asking; what came is lost."""
        if self._is_open:
            self._is_open = False
            self._settle()
