"""An event loop in a separate thread, hidden from synchronous callers."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from concurrent.futures import Future
from typing import TypeVar

T = TypeVar("T")


class EventLoopThread:
    """Runs coroutines for callers in other threads; started when first used."""

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._lock = threading.Lock()
        self._closed = False

    def start(self, work: Coroutine[object, object, T]) -> Future[T]:
        with self._lock:
            if self._closed:
                work.close()
                raise RuntimeError("the port to the language model is closed")
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                self._thread = threading.Thread(
                    target=self._loop.run_forever, name="fourcorners-llm", daemon=True
                )
                self._thread.start()
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    def run(self, work: Coroutine[object, object, T]) -> T:
        """Run a coroutine to its end; where the caller is interrupted, it is cancelled."""
        future = self.start(work)
        try:
            return future.result()
        except BaseException:
            future.cancel()
            raise

    def close(self, last: Coroutine[object, object, None]) -> None:
        """Cancel what runs, run the last coroutine, and end the thread."""
        with self._lock:
            loop, thread, self._loop = self._loop, self._thread, None
            self._closed = True
        if loop is None or thread is None:
            last.close()
            return
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        with asyncio.Runner(loop_factory=lambda: loop) as runner:
            runner.run(_run_last(last))


async def _run_last(last: Coroutine[object, object, None]) -> None:
    others = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)
    await last
