"""Routes put in once the server answers: who opens the first page need not wait for them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from fastapi import FastAPI
from fastapi.concurrency import run_in_threadpool
from starlette.routing import BaseRoute, Match
from starlette.types import Receive, Scope, Send


class DeferredRoutes(BaseRoute):
    """Stands for the routes that are not there yet: a request to one waits until they are.

    It comes last among the routes, so that it is asked for what no other knows.

    Args:
        load: Does what takes long and what threads may do, such as imports.
        put_in: Adds the routes; requests that come meanwhile wait.
    """

    def __init__(self, app: FastAPI, load: Callable[[], None], put_in: Callable[[], None]) -> None:
        self._app, self._load, self._put_in = app, load, put_in
        self._coming: asyncio.Task[None] | None = None

    def start(self) -> None:
        if self._coming is None:
            self._coming = asyncio.create_task(self._come())

    async def _come(self) -> None:
        await run_in_threadpool(self._load)
        routes = self._app.router.routes
        routes.remove(self)
        self._put_in()

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        return (Match.FULL if scope["type"] == "http" else Match.NONE), {}

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.start()
        assert self._coming is not None  # noqa: S101 - it has begun
        await asyncio.shield(self._coming)
        await self._app.router(scope, receive, send)
