"""The application: its parts put together."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, nullcontext, suppress
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fastapi import Depends, FastAPI, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Match, Route
from starlette.types import Receive, Scope, Send

from fourcorners.errors import ConfigError, FourcornersError, LibraryError
from fourcorners.library.originals.files import Originals
from fourcorners.operations.local_models import LocalModels
from fourcorners.server import error_handlers
from fourcorners.server.auth.group_roles import GroupRoles
from fourcorners.server.auth.identity import LocalIdentity, TeamIdentity
from fourcorners.server.conditional_requests import ConditionalMiddleware
from fourcorners.server.context import AppState, app_state, require_form_token
from fourcorners.server.nul import refuse_nul
from fourcorners.server.pages import FIRST, FOR_TEAMS, PAGES
from fourcorners.server.rate_limit import FailureLimiter, RateLimiter
from fourcorners.server.rendering.page_renderer import PageRenderer
from fourcorners.server.security import LOOPBACK, MAX_BODY, BodyLimit, SecurityMiddleware
from fourcorners.server.store.connection_pool import ConnectionPool
from fourcorners.server.store.metrics import LibraryMetrics
from fourcorners.server.store.uploads import MAX_UPLOAD_BYTES, UploadFolder
from fourcorners.server.tasks.audit_sender import AuditSender
from fourcorners.server.tasks.deliveries import WebhookSender
from fourcorners.server.tasks.handlers import KINDS
from fourcorners.server.tasks.handlers import add as add_task
from fourcorners.server.tasks.mail import MailSender
from fourcorners.server.tasks.originals import OriginalsMover
from fourcorners.server.tasks.queue import LANES
from fourcorners.server.tasks.reminders import Reminders
from fourcorners.server.tasks.watcher import FolderWatcher
from fourcorners.server.telemetry import Telemetry, open_telemetry
from fourcorners.server.templating import Assets, template_environment
from fourcorners.settings import Settings
from fourcorners.version import __version__

if TYPE_CHECKING:
    from fourcorners.server.auth.oidc import SignInFlow
    from fourcorners.server.tasks.runner import TaskWorkers

_PAGES, _API = "fourcorners.server.pages", "fourcorners.server.api"
_SCIM = "fourcorners.server.scim.routes"
_SIGNING_IN = "signing_in"  # it answers before there is a token to hold
_SIGN_INS = 20  # tries of one address a minute, whatever names it tries
# Newer versions of FastAPI trace requests, with their queries, for whoever listens, and send that
# away where the environment says so; older ones pass over what they do not know.
_NO_TELEMETRY: Any = {
    "tracing": False, "metrics": False, "logs": False, "operation_spans": False,
    "auto_configure": False,
}  # fmt: skip
_SOON = {"Retry-After": "5"}  # seconds
_log = logging.getLogger("fourcorners.server")


def create_app(
    library_path: str | Path,
    settings: Settings,
    *,
    team: bool = False,
    mcp: bool = False,
    apart: bool = False,
    at_once: bool = True,
) -> FastAPI:
    """Return the application over a library, which is made if it is not there.

    Args:
        library_path: Its file or URL.
        settings: What the operator decided.
        team: Whether people sign in, each with roles; without it there is one person, who may do
            all, and no other machine is answered.
        mcp: Whether programs may ask through MCP, under /mcp.
        apart: Whether tasks are done in a process of their own, so that pages need not wait for
            them; else in threads of this one.
        at_once: Whether all pages and the API are put in before this returns; else the first page
            alone, and the others once the server answers, or when the first of them is asked for.

    Raises:
        LibraryError: If the library cannot be opened.
        ConfigError: If MCP, a provider or telemetry is wanted, and what it needs is not installed
            or not set.
    """
    telemetry = open_telemetry(settings.telemetry)
    pool = ConnectionPool(library_path)
    engines, assets = LocalModels(settings), Assets.read_once()
    nav = tuple(each for each in PAGES.values() if each is not None)
    state = AppState(
        connection_pool=pool,
        settings=settings,
        engines=engines,
        page_renderer=PageRenderer(settings, pool.files),
        workers=_open_workers(pool, library_path, engines, telemetry, apart=apart),
        uploads=UploadFolder(pool.files, is_shared=pool.files_are_shared),
        identity=TeamIdentity(pool) if team else LocalIdentity(settings),
        assets=assets,
        templates=template_environment(
            assets, nav, team=team, is_american=settings.spelling == "american"
        ),
        sign_in_limit=RateLimiter(_SIGN_INS, _SIGN_INS),
        failure_limit=FailureLimiter(),
        telemetry=telemetry,
        flow=_flow(pool, settings, team=team),
        team=team,
    )

    senders = (
        WebhookSender(pool, settings.webhooks.hosts),
        MailSender(pool, settings.mail),
        FolderWatcher(pool, settings.watch, state.workers.wake),
        Reminders(pool),
        AuditSender(pool, settings.audit),
        OriginalsMover(pool, Originals(settings.originals), state.page_renderer.renditions),
    )
    mcp_app: McpApp | None = None
    if mcp:
        from fourcorners.server.mcp.http import McpApp

        mcp_app = McpApp(state)
    sends_audit = bool(settings.audit.syslog)
    telemetry.watch(
        LibraryMetrics(pool, LANES, KINDS, lambda: state.workers.deaths, sends_audit=sends_audit)
    )
    rest: DeferredRoutes | None = None

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:  # noqa: ARG001 - as FastAPI calls it
        with suppress(LibraryError), pool.library() as library:  # else at the next start
            state.uploads.delete_abandoned(library)
            state.page_renderer.renditions.keep_only(library.document_ids())
            GroupRoles(library, settings.oidc).refresh()
        state.workers.start()
        for each in senders:
            each.start()
        if rest is not None:
            rest.start()
        _log.info("started", extra={"team": team, "version": __version__})
        async with mcp_app.open() if mcp_app is not None else nullcontext():
            yield
        for each in senders:
            each.stop()
        state.workers.stop()
        state.page_renderer.close()
        pool.close()
        telemetry.close()
        _log.info("stopped")

    app = FastAPI(
        title="Fourcorners",
        version=__version__,
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
        openapi_url=None,
        telemetry=_NO_TELEMETRY,
        dependencies=[Depends(refuse_nul)],
    )
    app.state.server = state
    _add_plain_routes(app)
    if mcp_app is not None:
        app.router.routes.append(Route(mcp_app.path, mcp_app, include_in_schema=False))
    _add_page(app, FIRST)
    names = [name for name in (*PAGES, *(FOR_TEAMS if team else ())) if name != FIRST]
    if at_once:
        _load(names)
        _add_rest(app, names)
    else:
        rest = DeferredRoutes(app, partial(_load, names), partial(_add_rest, app, names))
        app.router.routes.append(rest)
    error_handlers.install_error_handlers(app)
    app.add_middleware(ConditionalMiddleware)
    app.add_middleware(
        SecurityMiddleware,
        hosts=frozenset(map(str.casefold, settings.hosts)) | LOOPBACK
        if settings.hosts or not team
        else None,
        limit=BodyLimit(_max_body, error_handlers.too_large_response),
        secure=team,
        telemetry=telemetry,
        per_address=settings.connections_per_address,
        frames=settings.word.frames,
    )
    return app


def _load(names: Sequence[str]) -> None:
    """Import pages and the API, which bring half of the program with them."""
    for name in names:
        import_module(f"{_PAGES}.{name}")
    import_module(_API)


def _add_rest(app: FastAPI, names: Sequence[str]) -> None:
    for name in names:
        _add_page(app, name)
    import_module(_API).install(app)
    if app.state.server.team and find_spec("scim2_models"):
        import_module(_SCIM).install(app)
    if app.state.server.settings.word.office_js is not None:
        from fourcorners.server.word import entry, pane

        app.include_router(entry.router, include_in_schema=False)
        guards = [Depends(require_form_token)]
        app.include_router(pane.router, include_in_schema=False, dependencies=guards)


def _add_page(app: FastAPI, name: str) -> None:
    guards = [] if name == _SIGNING_IN else [Depends(require_form_token)]
    app.include_router(
        import_module(f"{_PAGES}.{name}").router, include_in_schema=False, dependencies=guards
    )


def _flow(pool: ConnectionPool, settings: Settings, *, team: bool) -> SignInFlow | None:
    """Return what signs people in through the provider that the settings name, if they name one."""
    if not team or settings.oidc.model_fields_set <= {"roles"}:  # these are for SCIM, too
        return None
    try:
        from fourcorners.server.auth.oidc import Provider, SignInFlow
    except ImportError as error:
        raise ConfigError(
            "what checks the words of a sign-in provider is not installed.",
            remedy="pip install 'fourcorners[oidc]'",
        ) from error
    return SignInFlow(pool, Provider(settings.oidc))


def _open_workers(
    pool: ConnectionPool,
    library: str | Path,
    engines: LocalModels,
    telemetry: Telemetry,
    *,
    apart: bool,
) -> TaskWorkers:
    lanes = [*LANES, add_task.lane(is_shared=False)]
    if apart:
        from fourcorners.server.tasks.process.supervisor import ProcessSupervisor

        return ProcessSupervisor(pool, library, engines.settings, lanes)
    from fourcorners.server.tasks.runner import TaskRunner

    return TaskRunner(pool, engines, telemetry, lanes)


def _max_body(path: str) -> int:
    if path.endswith(("/import", "/import/make", "/playbook-imports")):
        from fourcorners.documents.tables import MAX_BYTES

        return MAX_BYTES + MAX_BODY
    uploads = path.endswith(("/upload", "/documents"))
    return MAX_UPLOAD_BYTES + MAX_BODY if uploads else MAX_BODY


def _add_plain_routes(app: FastAPI) -> None:
    @app.get("/healthz", include_in_schema=False)
    async def healthz() -> Response:  # it waits for no thread
        """Tell that the process answers."""
        return PlainTextResponse("ok")

    @app.get("/readyz", include_in_schema=False)
    def readyz(request: Request) -> Response:
        """Tell whether the library can be read."""
        try:
            with app_state(request).connection_pool.library() as library:
                library.collection_names()
        except FourcornersError as error:
            return JSONResponse({"ready": False, "why": type(error).__name__}, 503, _SOON)
        return JSONResponse({"ready": True})

    @app.get("/static/{digest}/{name}", include_in_schema=False)
    def static(request: Request, digest: str, name: str) -> Response:  # noqa: ARG001 - for caches
        return app_state(request).assets.respond(request, name)

    @app.get("/favicon.ico", include_in_schema=False)
    def favicon(request: Request) -> Response:
        return RedirectResponse(app_state(request).assets.href("mark.svg"), 308)


class DeferredRoutes(BaseRoute):
    """Catches requests for routes that are not loaded yet, and answers once they are.

    It comes last among the routes, so that it is asked for what no other knows.

    Args:
        load: Does what takes long and what threads may do, such as imports.
        put_in: Adds the routes; requests that come meanwhile wait.
    """

    def __init__(self, app: FastAPI, load: Callable[[], None], put_in: Callable[[], None]) -> None:
        self._app, self._load, self._put_in = app, load, put_in
        self._loading: asyncio.Task[None] | None = None

    def start(self) -> None:
        if self._loading is None:
            self._loading = asyncio.create_task(self._add_routes())

    async def _add_routes(self) -> None:
        await run_in_threadpool(self._load)
        routes = self._app.router.routes
        routes.remove(self)
        self._put_in()

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        return (Match.FULL if scope["type"] == "http" else Match.NONE), {}

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.start()
        assert self._loading is not None  # noqa: S101 - it has begun
        await asyncio.shield(self._loading)
        await self._app.router(scope, receive, send)
