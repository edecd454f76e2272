"""A library that is served, and a client of the SDK that asks it."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import anyio
import httpx2
import uvicorn
from mcp import Client, types
from mcp.client.streamable_http import streamable_http_client

from fourcorners.library.prepare import PreparedFile, prepare_file
from fourcorners.library.store import Library
from fourcorners.server.app import create_app
from fourcorners.settings import Settings
from fourcorners.source_settings import McpSettings
from tests.server.conftest import LEASE, SUPPLY

_PATIENT = httpx2.Timeout(30, read=300)  # as the SDK's own; the default ends a call after 5 s
_MAX_SECONDS = 600  # of a review, on a machine that does much else

Asks = Callable[[Client], Awaitable[None]]


def fill(path: Path) -> dict[str, str]:
    """Make a library of two collections, and return the ids of its documents by their names."""
    ids = {}
    with Library.open(path, create=True) as library:
        for name, text, collection in (("lease", LEASE, "Mill"), ("supply", SUPPLY, "Grain")):
            file = path.parent / f"{name}.txt"
            file.write_text(text)
            made = prepare_file(file)
            assert isinstance(made, PreparedFile)
            library.add_columns(made.columns, None, collection=collection)
            ids[name] = library.resolve(name).id
    return ids


@contextmanager
def served(
    path: Path, settings: Settings, allowed: McpSettings | None = None, *, team: bool = False
) -> Iterator[str]:
    """Serve a library on a port of this machine, and yield the address of its MCP."""
    own = settings.model_copy(update={"mcp": allowed or McpSettings()})
    app = create_app(path, own, team=team, mcp=True)
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_config=None, ws="none"))
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        while not server.started:
            assert thread.is_alive()
            time.sleep(0.01)
        port = server.servers[0].sockets[0].getsockname()[1]
        yield f"http://127.0.0.1:{port}/mcp"
    finally:
        server.should_exit = True
        thread.join()


def talk(url: str, asks: Asks, token: str = "", mode: str = "auto") -> None:
    """Let a client ask over HTTP."""

    async def run() -> None:
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        async with httpx2.AsyncClient(headers=headers, timeout=_PATIENT) as speaker:
            transport = streamable_http_client(url, http_client=speaker)
            async with Client(transport, mode=mode) as client:
                await asks(client)

    anyio.run(run)


async def call(client: Client, tool: str, **arguments: object) -> Any:
    """Return what a tool answers; its text and its structure say the same."""
    answer = await client.call_tool(tool, arguments)
    assert not answer.is_error, answer.content
    (block,) = answer.content
    assert isinstance(block, types.TextContent)
    assert json.loads(block.text) == answer.structured_content
    return answer.structured_content


async def refused(client: Client, tool: str, **arguments: object) -> str:
    """Return why a tool does not answer."""
    answer = await client.call_tool(tool, arguments)
    assert answer.is_error
    assert answer.structured_content is None
    (block,) = answer.content
    assert isinstance(block, types.TextContent)
    return block.text


async def reviewed(client: Client, collection: str) -> None:
    """Let a review run to its end."""
    task = await call(client, "start_review", collection=collection)
    until = time.monotonic() + _MAX_SECONDS
    while task["state"] not in ("done", "failed"):
        assert time.monotonic() < until
        await anyio.sleep(0.1)
        task = await call(client, "task", task=task["task"])
    assert task["state"] == "done"
