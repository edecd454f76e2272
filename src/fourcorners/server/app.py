"""The application: its parts put together."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, nullcontext
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fastapi import Depends, FastAPI, Request
from fastapi.responses import JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route

from fourcorners.errors import ConfigError, FourcornersError
from fourcorners.server import failing
from fourcorners.server.assets import Assets
from fourcorners.server.desk import Office, office_of, require_form_token
from fourcorners.server.doing import adding
from fourcorners.server.engines import Engines
from fourcorners.server.identity import Identity, LocalIdentity
from fourcorners.server.later import Later
from fourcorners.server.pages import FIRST, FOR_TEAMS, PAGES
from fourcorners.server.printer import Printer
from fourcorners.server.rates import Rate
from fourcorners.server.rendering import environment
from fourcorners.server.security import MOST_BODY, Guard
from fourcorners.server.shelf import Shelf
from fourcorners.server.tasks import LANES
from fourcorners.server.telemetry import Telemetry, open_telemetry
from fourcorners.server.uploads import MOST_BYTES, Uploads
from fourcorners.settings import Settings
from fourcorners.version import __version__

if TYPE_CHECKING:
    from fourcorners.server.mcp.door import Door
    from fourcorners.server.oidc import Flow
    from fourcorners.server.runner import Hands

_PAGES, _API = "fourcorners.server.pages", "fourcorners.server.api"
_SIGNING_IN = "signing_in"  # it answers before there is a token to hold
_SIGN_INS = 20  # tries of one address a minute, whatever names it tries
# Newer versions of FastAPI trace requests, with their queries, for whoever listens, and send that
# away where the environment says so; older ones pass over what they do not know.
_NO_TELEMETRY: Any = {
    "tracing": False, "metrics": False, "logs": False, "operation_spans": False,
    "auto_configure": False,
}  # fmt: skip
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
        library_path: The library's file or URL.
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
    shelf = Shelf(library_path)
    engines, assets = Engines(settings), Assets()
    nav = [each for each in PAGES.values() if each is not None]
    office = Office(
        shelf=shelf,
        settings=settings,
        engines=engines,
        printer=Printer(settings),
        runner=_hands(shelf, library_path, engines, telemetry, apart=apart),
        uploads=Uploads(shelf.files, is_shared=shelf.files_are_shared),
        identity=_identity(shelf, settings, team=team),
        assets=assets,
        templates=environment(assets, nav, team=team),
        sign_ins=Rate(_SIGN_INS, _SIGN_INS),
        telemetry=telemetry,
        flow=_flow(shelf, settings, team=team),
        team=team,
    )

    door = _door(office) if mcp else None
    rest: Later | None = None

    @asynccontextmanager
    async def living(app: FastAPI) -> AsyncIterator[None]:  # noqa: ARG001 - as FastAPI calls it
        office.runner.start()
        if rest is not None:
            rest.begin()
        _log.info("started", extra={"team": team, "version": __version__})
        async with door.open() if door is not None else nullcontext():
            yield
        office.runner.stop()
        office.printer.close()
        shelf.close()
        telemetry.close()
        _log.info("stopped")

    app = FastAPI(
        title="Fourcorners",
        version=__version__,
        lifespan=living,
        docs_url=None,
        redoc_url=None,
        openapi_url=None,
        telemetry=_NO_TELEMETRY,
    )
    app.state.office = office
    _add_plain_routes(app)
    if door is not None:
        app.router.routes.append(Route(door.path, door, include_in_schema=False))
    _add_page(app, FIRST)
    names = [name for name in (*PAGES, *(FOR_TEAMS if team else ())) if name != FIRST]
    if at_once:
        _load(names)
        _add_rest(app, names)
    else:
        rest = Later(app, partial(_load, names), partial(_add_rest, app, names))
        app.router.routes.append(rest)
    failing.install(app)
    app.add_middleware(Guard, local=not team, most=_most, secure=team, telemetry=telemetry)
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


def _add_page(app: FastAPI, name: str) -> None:
    guards = [] if name == _SIGNING_IN else [Depends(require_form_token)]
    app.include_router(
        import_module(f"{_PAGES}.{name}").router, include_in_schema=False, dependencies=guards
    )


def _door(office: Office) -> Door:
    from fourcorners.server.mcp.door import Door

    return Door(office)


def _flow(shelf: Shelf, settings: Settings, *, team: bool) -> Flow | None:
    """Return what signs people in through the provider that the settings name, if they name one."""
    if not team or not settings.oidc.model_fields_set:
        return None
    try:
        from fourcorners.server.oidc import Flow, Provider
    except ImportError as error:
        raise ConfigError(
            "what checks the words of a sign-in provider is not installed.",
            remedy="pip install 'fourcorners[oidc]'",
        ) from error
    return Flow(shelf, Provider(settings.oidc))


def _hands(
    shelf: Shelf, library: str | Path, engines: Engines, telemetry: Telemetry, *, apart: bool
) -> Hands:
    lanes = [*LANES, adding.lane(is_shared=False)]
    if apart:
        from fourcorners.server.workshop.keeper import Workshop

        return Workshop(shelf, library, engines.settings, lanes)
    from fourcorners.server.runner import Runner

    return Runner(shelf, engines, telemetry, lanes)


def _identity(shelf: Shelf, settings: Settings, *, team: bool) -> Identity:
    if not team:
        return LocalIdentity(settings)
    from fourcorners.server.signing import TeamIdentity

    return TeamIdentity(shelf)


def _most(path: str) -> int:
    """Return how many bytes a request to a path may have."""
    uploads = path.endswith(("/upload", "/documents"))
    return MOST_BYTES + MOST_BODY if uploads else MOST_BODY


def _add_plain_routes(app: FastAPI) -> None:
    @app.get("/healthz", include_in_schema=False)
    def healthz() -> Response:
        """Tell that the process answers."""
        return PlainTextResponse("ok")

    @app.get("/readyz", include_in_schema=False)
    def readyz(request: Request) -> Response:
        """Tell whether the library can be read."""
        try:
            with office_of(request).shelf.library() as library:
                library.execute("SELECT 1 FROM documents LIMIT 1")
        except FourcornersError as error:
            return JSONResponse({"ready": False, "why": type(error).__name__}, 503)
        return JSONResponse({"ready": True})

    @app.get("/static/{digest}/{name}", include_in_schema=False)
    def static(request: Request, digest: str, name: str) -> Response:  # noqa: ARG001 - for caches
        return office_of(request).assets.answer(request, name)

    @app.get("/favicon.ico", include_in_schema=False)
    def favicon(request: Request) -> Response:
        return RedirectResponse(office_of(request).assets.href("mark.svg"), 308)
