"""`fourcorners serve`: pages and a REST API over a library, on this machine or for a team."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from fourcorners.cli.output.console import LibraryOption
from fourcorners.errors import ConfigError

_TURN = 0.001  # seconds for which a thread works before another may: most pages are short
_LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})


def serve(
    host: Annotated[
        str, typer.Option("--host", metavar="ADDRESS", help="The address to answer at.")
    ] = "127.0.0.1",
    port: Annotated[
        int, typer.Option("--port", metavar="N", min=0, max=65_535, help="The port.")
    ] = 8844,
    team: Annotated[
        bool,
        typer.Option("--team", help="Let people sign in, each with roles in collections."),
    ] = False,
    mcp: Annotated[
        bool, typer.Option("--mcp", help="Let programs ask through MCP, too, under /mcp.")
    ] = False,
    certificate: Annotated[
        Path | None,
        typer.Option("--certificate", metavar="FILE", help="Serve HTTPS with this certificate."),
    ] = None,
    key: Annotated[
        Path | None, typer.Option("--key", metavar="FILE", help="The certificate's key.")
    ] = None,
    benchmarks: Annotated[
        Path | None,
        typer.Option(
            "--benchmarks", metavar="DIR", help="Show the runs that `bench` wrote in this folder."
        ),
    ] = None,
    library: LibraryOption = None,
) -> None:
    """Serve the library to a browser and to programs.

    Without --team there is no signing in, and it answers this machine alone. Ctrl-C stops it:
    work in hand is parked, and goes on with the next start.
    """
    from fourcorners.cli.output import console
    from fourcorners.settings import Settings

    if host not in _LOOPBACK and not team:
        raise ConfigError(
            f"--host is {host}: without --team this server answers this machine alone, because "
            "whoever reaches it may do all.",
            remedy="Add --team, and people with `fourcorners users add NAME`.",
        )
    if (certificate is None) != (key is None):
        raise ConfigError("--certificate and --key belong together.", remedy="Give both.")
    _require_extra()
    settings = Settings.load(library=library)
    if benchmarks is not None:
        settings = settings.model_copy(update={"benchmarks": benchmarks})

    import uvicorn

    from fourcorners.server import create_app, logs

    logs.configure_logging()
    sys.setswitchinterval(_TURN)
    app = create_app(settings.library, settings, team=team, mcp=mcp, apart=True, at_once=False)
    config = uvicorn.Config(
        app,
        host=host,
        port=port,
        access_log=False,
        log_config=None,
        server_header=False,
        date_header=True,
        timeout_graceful_shutdown=10,
        proxy_headers=team,
        ssl_certfile=str(certificate) if certificate else None,
        ssl_keyfile=str(key) if key else None,
        h11_max_incomplete_event_size=32 << 10,
    )
    scheme = "https" if certificate else "http"
    shown = f"[{host}]" if ":" in host else host
    console.err().print(f"Fourcorners at {scheme}://{shown}:{port}/  (Ctrl-C stops it)")
    uvicorn.Server(config).run()


def _require_extra() -> None:
    try:
        import fastapi  # noqa: F401
        import uvicorn  # noqa: F401
    except ImportError as error:
        raise ConfigError(
            "the server is not installed.", remedy="pip install 'fourcorners[web]'"
        ) from error
