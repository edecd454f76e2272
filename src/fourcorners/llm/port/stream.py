"""`Stream`: an answer that is read while it comes."""

from __future__ import annotations

import queue
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from types import TracebackType

from fourcorners.llm.port.conversation import Result
from fourcorners.llm.reply import Reply


class Stream:
    """The pieces of an answer; `reply` is the whole, and reads to its end what is not read.

    Close it, or use it in a `with` statement, where the end is not waited for.
    """

    def __init__(
        self,
        pieces: queue.SimpleQueue[str | None],
        future: Future[Result],
        finish: Callable[[Result], Reply[str]],
    ) -> None:
        self._pieces = pieces
        self._future: Future[Result] | None = future
        self._finish = finish
        self._reply: Reply[str] | None = None

    @classmethod
    def from_reply(cls, reply: Reply[str]) -> Stream:
        pieces: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        pieces.put(reply.text)
        pieces.put(None)
        done: Future[Result] = Future()
        done.set_result(Result())
        return cls(pieces, done, lambda _: reply)

    def __iter__(self) -> Iterator[str]:
        if self._future is None:
            return
        while (piece := self._pieces.get()) is not None:
            yield piece
        self._end()

    def __enter__(self) -> Stream:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
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
        if self._future is not None:
            future, self._future = self._future, None
            if not future.cancel() and not future.cancelled():
                future.result()

    def _end(self) -> None:
        future, self._future = self._future, None
        if future is not None:
            self._reply = self._finish(future.result())
