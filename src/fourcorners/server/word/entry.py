"""What Word asks for before anybody has signed in: manifest, pane, icons, Office.js, connecting."""

from __future__ import annotations

import mimetypes
from functools import lru_cache
from pathlib import Path
from typing import Annotated
from uuid import NAMESPACE_URL, uuid5

from fastapi import APIRouter, Depends, Form, Request
from fastapi.responses import FileResponse, JSONResponse, Response

from fourcorners.errors import ConfigError
from fourcorners.operations.errors import NotFound
from fourcorners.server.auth.open_sessions import SessionOrigin
from fourcorners.server.auth.pane_sessions import CODE_SECONDS, PaneSessions
from fourcorners.server.context import AppState, Context, app_state, require_form_token
from fourcorners.server.pages.signing_in import count_failures
from fourcorners.version import __version__

router = APIRouter()
ICONS = (16, 32, 64, 80)
"""The sizes that the manifest names."""
_SERVED = frozenset({".js", ".json", ".css", ".map"})  # of the operator's folder
_NO_STORE = {"Cache-Control": "no-store"}


@router.get("/word/manifest.xml")
def manifest(request: Request) -> Response:
    """Return what Word is given to install the add-in: where its pane is, and what it may do."""
    state = app_state(request)
    address = state.settings.word.address or str(request.base_url).rstrip("/")
    if not address.startswith("https://"):
        raise ConfigError(
            "Word opens an add-in by HTTPS alone.",
            remedy="Serve with a certificate, or give `address` of [word] the server's address.",
        )
    drawn = state.templates.get_template("word_manifest.xml.j2").render(
        address=address,
        identity=uuid5(NAMESPACE_URL, f"{address}/word"),
        number=f"{'.'.join(__version__.split('.')[:3])}.0",
        icons=ICONS,
    )
    return Response(drawn, media_type="application/xml")


@router.get("/word/icons/{size}.png")
def icon(request: Request, size: int) -> Response:
    if size not in ICONS:
        raise NotFound("there is no icon of this size.")
    return app_state(request).assets.respond(request, f"word-{size}.png")


@router.get("/word/office/{path:path}")
def office(request: Request, path: str) -> Response:
    """Return a file of Office.js out of the operator's folder."""
    folder = app_state(request).settings.word.office_js
    file = _office_files(folder).get(path) if folder else None
    if file is None:
        raise NotFound("the folder of Office.js has no such file.")
    kind = mimetypes.guess_type(file.name)[0] or "text/javascript"
    return FileResponse(file, media_type=kind, headers={"Cache-Control": "no-cache"})


@lru_cache(4)
def _office_files(folder: Path) -> dict[str, Path]:
    """Return the files of a folder that are served, by their paths in it; no link leads out."""
    root = folder.resolve()
    return {
        path.relative_to(root).as_posix(): path
        for path in root.rglob("*")
        if path.suffix in _SERVED and path.is_file() and path.resolve().is_relative_to(root)
    }


@router.get("/word/pane")
def pane(request: Request) -> Response:
    """Show the pane; it holds nothing of anybody's until it has proven whose it is."""
    state = app_state(request)
    drawn = state.templates.get_template("word_pane.html.j2").render(
        principal=None, form_token="", path="/word/pane"
    )
    return Response(drawn, media_type="text/html", headers=_NO_STORE)


@router.post("/word/token")
def connect(request: Request, code: Annotated[str, Form(max_length=40)]) -> Response:
    """Change a code that somebody got in their browser for the secret of their pane."""
    state = _team(request)
    state.sign_in_limit.spend(request.client.host if request.client else "")
    with count_failures(request), state.connection_pool.library() as library:
        secret = PaneSessions(library, SessionOrigin.from_request(request)).connect(code)
    return JSONResponse({"token": secret}, headers=_NO_STORE)


@router.get("/word/connect")
def show_code_form(context: Context) -> Response:
    _team(context.request)
    return context.page("word_connect.html.j2", code="")


@router.post("/word/connect", dependencies=[Depends(require_form_token)])
def create_code(context: Context) -> Response:
    """Show a code that connects the pane of whoever types it there."""
    _team(context.request)
    with context.state.connection_pool.library() as library:
        code = PaneSessions(library).create_code(context.principal.name)
    shown = f"{code[:5]}-{code[5:]}"
    return context.page("word_connect.html.j2", code=shown, minutes=CODE_SECONDS // 60)


def _team(request: Request) -> AppState:
    state = app_state(request)
    if not state.team:
        raise NotFound("there is no such page.", remedy="Start from the library.")
    return state
