"""MCP over standard input and output, for a program on this machine that starts it."""

from __future__ import annotations

import anyio
from mcp.server.stdio import stdio_server
from starlette.requests import Request

from fourcorners.server.app import create_app
from fourcorners.server.desk import DeskOf, Office
from fourcorners.server.mcp.protocol import Protocol
from fourcorners.settings import Settings


def serve(settings: Settings, links: str = "") -> None:
    """Answer until the input ends, as the one person at this machine.

    Args:
        settings: What the operator decided: the library, and what programs may do.
        links: Where `fourcorners serve` shows the library, for links to words; empty for none.
    """
    app = create_app(settings.library, settings)
    office: Office = app.state.office
    # A request of nobody else: routes and walls know no other way to be asked.
    request = Request(
        {"type": "http", "app": app, "method": "POST", "path": "/mcp", "headers": [],
         "query_string": b"", "client": None, "server": None, "scheme": "http"}
    )  # fmt: skip
    principal = office.identity.of(request)
    if principal is None:
        raise ValueError("the person at this machine needs no signing in")
    desk = DeskOf(request, principal)
    server = Protocol(lambda _: desk, settings.mcp, links).server()

    async def answer() -> None:
        async with stdio_server() as (reading, writing):
            await server.run(reading, writing, server.create_initialization_options())

    if settings.mcp.write:
        office.runner.start()  # it does the reviews
    try:
        anyio.run(answer)
    finally:
        office.runner.stop()
        office.printer.close()
        office.shelf.close()
