"""MCP over standard input and output, for a program on this machine that starts it."""

from __future__ import annotations

import anyio
from mcp.server.stdio import stdio_server
from starlette.requests import Request

from fourcorners.server.app import create_app
from fourcorners.server.context import AppState, RequestContext
from fourcorners.server.mcp.protocol import McpServer
from fourcorners.settings import Settings


def serve_stdio(settings: Settings, links: str = "") -> None:
    """Answer until the input ends, as the one person at this machine.

    Args:
        settings: What the operator decided: the library, and what programs may do.
        links: Where `fourcorners serve` shows the library, for links to words; empty for none.
    """
    app = create_app(settings.library, settings)
    state: AppState = app.state.server
    # A request of nobody else: routes and walls know no other way to be asked.
    request = Request(
        {"type": "http", "app": app, "method": "POST", "path": "/mcp", "headers": [],
         "query_string": b"", "client": None, "server": None, "scheme": "http"}
    )  # fmt: skip
    principal = state.identity.principal_of(request)
    if principal is None:
        raise ValueError("the person at this machine needs no signing in")
    context = RequestContext(request, principal)
    server = McpServer(lambda _: context, settings.mcp, links).server()

    async def answer() -> None:
        async with stdio_server() as (reading, writing):
            await server.run(reading, writing, server.create_initialization_options())

    if settings.mcp.write:
        state.workers.start()  # it does the reviews
    try:
        anyio.run(answer)
    finally:
        state.workers.stop()
        state.page_renderer.close()
        state.connection_pool.close()
