"""Query an MCP server that the operator names, with one tool and one text.

The operator chooses the tool and its description: a server's own descriptions reach no model. Only
the tool is called, and the server may request nothing: neither model samples, nor folders, nor a
person's input. A program is started for each lookup, with a minimal environment, and ended together
with its child processes.
"""

from __future__ import annotations

import json
import logging
import os
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from fourcorners.errors import CallError, ConfigError, FourcornersError
from fourcorners.llm.port.event_loop import EventLoopThread
from fourcorners.net import http_client
from fourcorners.research.tool import Material, ToolQuery
from fourcorners.source_settings import McpServerSettings

if TYPE_CHECKING:
    from mcp import Client
    from mcp.types import CallToolResult
    from mcp.types import Tool as Offered

_SECONDS = 30.0  # of a call
MAX_BYTES = 4 << 20
"""Maximum bytes of one answer over HTTP."""


class McpSource:
    """Queries an MCP server, and returns the texts of its answer.

    Raises:
        ConfigError: If the MCP package is not installed.
    """

    def __init__(self, name: str, settings: McpServerSettings) -> None:
        try:
            import mcp  # noqa: F401
        except ImportError:
            raise ConfigError(
                "the MCP client is not installed.",
                remedy="Install it: pip install 'fourcorners[mcp]'.",
            ) from None
        logging.getLogger("mcp").addHandler(logging.NullHandler())  # it would log what was sent
        self.name = name
        self._settings = settings

    @property
    def description(self) -> str:
        return f"{self._settings.says}; words: what to look for"

    def run(self, inquiry: ToolQuery) -> Sequence[Material]:
        """Return the texts that the server's tool answers with.

        Raises:
            CallError: If it cannot be reached, dies, takes too long, or answers with an error.
            ConfigError: If it has no such tool, or several and none is named.
        """
        loop = EventLoopThread()
        try:
            return loop.run(self._query_server(inquiry))
        except Exception as error:
            raise _find_error(error) from error
        finally:
            loop.close(_nothing())

    async def _query_server(self, inquiry: ToolQuery) -> list[Material]:
        import anyio

        try:
            with anyio.fail_after(_SECONDS):
                async with self._client() as client:
                    tool, argument = await self._choose_tool(client)
                    answer = await client.call_tool(tool, {argument: inquiry.words})
        except TimeoutError:
            raise CallError(f"the MCP server did not answer within {_SECONDS:g} seconds.") from None
        if answer.is_error:
            raise CallError(f"its tool {tool} failed: {' '.join(_texts(answer))[:200]}")
        texts = _texts(answer)
        return [
            Material(
                words=text,
                source=self.name,
                where=f"answer {place} of its tool {tool}",
                score=1.0 / place,
                licence=self._settings.licence,
            )
            for place, text in enumerate(texts, start=1)
        ]

    @asynccontextmanager
    async def _client(self) -> AsyncIterator[Client]:
        from mcp import Client, StdioServerParameters, stdio_client
        from mcp.client.streamable_http import streamable_http_client

        settings = self._settings
        if settings.url:
            speaker = http_client(settings.url, timeout=_SECONDS, most_bytes=MAX_BYTES)
            for name, secret in settings.headers.items():
                speaker.headers[name] = secret.get_secret_value()
            async with speaker:
                transport = streamable_http_client(settings.url, http_client=speaker)
                async with Client(transport, cache=None) as client:
                    yield client
            return
        program = StdioServerParameters(
            command=settings.command[0],
            args=list(settings.command[1:]),
            env={name: secret.get_secret_value() for name, secret in settings.env.items()},
        )
        with Path(os.devnull).open("w", encoding="utf-8") as nowhere:
            async with Client(stdio_client(program, errlog=nowhere), cache=None) as client:
                yield client

    async def _choose_tool(self, client: Client) -> tuple[str, str]:
        """Return the tool to ask and its argument: those of the settings, or the only ones."""
        settings = self._settings
        if settings.tool and settings.argument:
            return settings.tool, settings.argument
        offered = (await client.list_tools()).tools
        able = [each for each in offered if settings.tool in ("", each.name)]
        if len(able) != 1:
            names = ", ".join(_shown_name(each.name) for each in offered[:20])
            raise ConfigError(
                f"the MCP server has {len(able)} tools to choose from.",
                remedy=f"Set `tool` to one of: {names}.",
            )
        return able[0].name, settings.argument or _only_text(able[0])


def _only_text(tool: Offered) -> str:
    """Return the one text that a tool needs, or the only one that it takes."""
    schema = tool.input_schema
    properties = schema.get("properties", {})
    texts = [
        str(name)
        for name, property_schema in (properties.items() if isinstance(properties, dict) else ())
        if isinstance(property_schema, dict) and property_schema.get("type") == "string"
    ]
    required = schema.get("required", [])
    needed = [name for name in texts if isinstance(required, list) and name in required]
    chosen = needed or texts
    if len(chosen) != 1:
        raise ConfigError(
            f"the tool {_shown_name(tool.name)} takes {len(chosen)} texts that may be meant.",
            remedy="Say which as `argument`.",
        )
    return chosen[0]


def _texts(answer: CallToolResult) -> list[str]:
    """Return the texts of an answer, without pictures, sounds and links."""
    from mcp.types import EmbeddedResource, TextContent, TextResourceContents

    texts = []
    for block in answer.content:
        if isinstance(block, TextContent):
            texts.append(block.text)
        elif isinstance(block, EmbeddedResource) and isinstance(
            block.resource, TextResourceContents
        ):
            texts.append(block.resource.text)
    if not texts and answer.structured_content:
        texts.append(json.dumps(answer.structured_content, ensure_ascii=False, indent=1))
    return texts


def _find_error(error: BaseException) -> FourcornersError:
    """Return our error in a group of errors, or one that names the type of a foreign one."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    seen: BaseException | None = error
    while seen is not None:
        if isinstance(seen, FourcornersError):
            return seen
        seen = seen.__cause__ or seen.__context__
    if isinstance(error, FileNotFoundError | PermissionError):
        return ConfigError("the MCP server's program cannot be started.", remedy="Check `command`.")
    return CallError(f"the MCP server failed or gave an invalid answer ({type(error).__name__}).")


def _shown_name(name: str) -> str:
    return "".join(each for each in name if each.isalnum() or each in "_-./")[:60]


async def _nothing() -> None:
    """End the list without doing anything."""
