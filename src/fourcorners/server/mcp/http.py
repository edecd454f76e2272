"""MCP over HTTP, under /mcp of the application.

Each request is independent and has its own token. No session is kept: what a request may see is
decided from its own token, and a stolen id of a session is worth nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fastapi.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.types import Receive, Scope, Send

from fourcorners.errors import ConfigError
from fourcorners.server.context import AppState, RequestContext
from fourcorners.server.errors import NotSignedIn
from fourcorners.server.rate_limit import REQUESTS_PER_MINUTE, RateLimiter
from fourcorners.server.security import MAX_BODY

if TYPE_CHECKING:
    from mcp.server.context import ServerRequestContext

_CONTEXT = "fourcorners.context"


class McpApp:
    """Lets in who has signed in, and hands their requests to the SDK.

    Raises:
        ConfigError: If what speaks MCP is not installed.
    """

    path = "/mcp"

    def __init__(self, state: AppState) -> None:
        try:
            from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
        except ImportError as error:
            raise ConfigError(
                "what speaks MCP is not installed.", remedy="pip install 'fourcorners[mcp]'"
            ) from error
        from fourcorners.server.mcp.protocol import McpServer

        self._state = state
        self._rate = RateLimiter(REQUESTS_PER_MINUTE, REQUESTS_PER_MINUTE // 2)
        self._manager = StreamableHTTPSessionManager(
            app=McpServer(_context_of, state.settings.mcp).server(),
            stateless=True,  # and by events, for progress; what is done at once is plain JSON
            max_request_body_size=MAX_BODY,  # host and origin are the application's own guard's
        )
        self.open = self._manager.run

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request.

        Raises:
            NotSignedIn: If it has no token where people sign in.
            TooManyRequests: If its sender has asked too often.
        """
        request = Request(scope, receive)
        scope[_CONTEXT] = await run_in_threadpool(self._context, request)
        await self._manager.asgi_app(scope, receive, send)

    def _context(self, request: Request) -> RequestContext:
        principal = self._state.identity.principal_of(request)
        if principal is None or (principal.secret and not principal.local):
            # A browser's cookie is none: another site's page could make it send one.
            raise NotSignedIn("this needs an API token.", remedy="Send it as a bearer token.")
        request.state.rate_status = self._rate.spend(principal.name)
        return RequestContext(request, principal)


def _context_of(asking: ServerRequestContext[dict[str, Any]]) -> RequestContext:
    if not isinstance(asking.request, Request):
        raise TypeError("a request over HTTP has one of HTTP")
    context: RequestContext = asking.request.scope[_CONTEXT]
    return context
