"""`fourcorners serve`, `mcp`, `certificate`: the library for browsers, programs, models, Word."""

from __future__ import annotations

import platform
import socket
import sys
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated
from urllib.parse import urlsplit

from fourcorners.cli import options
from fourcorners.cli.options import argument, option, spread
from fourcorners.cli.output import console
from fourcorners.errors import ConfigError

if TYPE_CHECKING:
    from fourcorners.settings import Settings

_TURN = 0.001  # seconds for which a thread works before another may: most pages are short
_LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})
_TRUST = """Trust {authority} on each computer that opens the pane:
  Windows  certutil -user -addstore Root {authority}
  macOS    security add-trusted-cert -r trustRoot {authority}
Then serve with:
  fourcorners serve --certificate {certificate} --key {key}"""


@dataclass(frozen=True, slots=True)
class _AddressOptions:
    """Where it answers."""

    host: Annotated[str, option("--host ADDRESS", "The address to answer at.")] = "127.0.0.1"
    port: Annotated[int, option("--port N", "The port.", least=0, most=65_535)] = 8844
    name: Annotated[
        list[str] | None,
        option("--name HOST", "A name by which a team's server is reached; may be given again."),
    ] = None


@spread
def serve(
    address: _AddressOptions,
    team: Annotated[
        bool, option("--team", "Let people sign in, each with roles in collections.")
    ] = False,
    mcp: Annotated[bool, option("--mcp", "Let programs ask through MCP, too, under /mcp.")] = False,
    certificate: Annotated[
        Path | None, option("--certificate FILE", "Serve HTTPS with this certificate.")
    ] = None,
    key: Annotated[Path | None, option("--key FILE", "The certificate's key.")] = None,
    library: options.Library = None,
) -> None:
    """Serve the library to a browser and to programs.

    Without --team there is no signing in, and it answers this machine alone. Ctrl-C stops it
    within five seconds: unfinished work is parked, and resumes at the next start.
    """
    from fourcorners.settings import Settings

    if address.host not in _LOOPBACK and not team:
        raise ConfigError(
            f"--host is {address.host}: without --team this server answers this machine alone, "
            "because whoever reaches it may do all.",
            remedy="Add --team, and people with `fourcorners users add NAME`.",
        )
    if (certificate is None) != (key is None):
        raise ConfigError("--certificate and --key belong together.", remedy="Give both.")
    _require_extra("the server", "web", "uvicorn")
    settings = Settings.load(library=library)
    with console.open_optional_library(library) as opened:  # one that is named must be there
        new = "" if opened else f"\nThe library is new: {settings.library}"
    if team:
        provider = urlsplit(settings.oidc.address).hostname
        names = (*(address.name or ()), *settings.hosts, *([provider] if provider else ()))
        settings = settings.model_copy(update={"hosts": names or _own_names(address.host)})

    import uvicorn

    from fourcorners.server import logs
    from fourcorners.server.app import create_app
    from fourcorners.server.connections import (
        GRACE_SECONDS,
        ConnectionLimits,
        StoppingServer,
        connection_options,
    )
    from fourcorners.system.confinement import missing_protections

    listener = _listen(address)
    logs.configure_logging()
    sys.setswitchinterval(_TURN)
    app = create_app(settings.library, settings, team=team, mcp=mcp, apart=True, at_once=False)
    config = uvicorn.Config(
        app,
        **connection_options(ConnectionLimits(per_address=settings.connections_per_address)),
        host=address.host,
        port=address.port,
        access_log=False,
        log_config=None,
        server_header=False,
        date_header=True,
        timeout_graceful_shutdown=GRACE_SECONDS,
        proxy_headers=team,
        ssl_certfile=str(certificate) if certificate else None,
        ssl_keyfile=str(key) if key else None,
    )
    try:
        config.load()
    except OSError as error:
        raise ConfigError(
            f"--certificate {certificate} with --key {key} cannot be used: {error}.",
            remedy="Give a certificate and its key as PEM files.",
        ) from error
    scheme = "https" if certificate else "http"
    shown = f"[{address.host}]" if ":" in address.host else address.host
    port = listener.getsockname()[1]
    metrics = app.state.server.telemetry.listen()
    where = f"\nMetrics at {metrics}" if metrics else ""
    home = f"{scheme}://{shown}:{port}/"
    console.print_note(f"Fourcorners at {home}  (Ctrl-C stops it){where}{new}")
    for missing in missing_protections():
        console.print_note((missing, "dim"))
    StoppingServer(config).run([listener])


def _listen(address: _AddressOptions) -> socket.socket:
    family = socket.AF_INET6 if ":" in address.host else socket.AF_INET
    try:
        return socket.create_server((address.host, address.port), family=family)
    except OSError as error:
        why = (error.strerror or str(error)).partition(" (")[0].lower()
        raise ConfigError(
            f"the server cannot answer at --host {address.host} --port {address.port}: {why}.",
            remedy="Choose another --port (0 takes any that is free), or another --host.",
        ) from error


def _own_names(host: str) -> tuple[str, ...]:
    """Return the address at which it answers and the name of this machine."""
    name = platform.node()
    return tuple(dict.fromkeys(filter(None, (host.casefold(), name, name.partition(".")[0]))))


def mcp(
    write: Annotated[bool, option("--write", "Let the program start reviews, too.")] = False,
    with_model: Annotated[
        bool, option("--with-model", "Let it have the configured language model answer questions.")
    ] = False,
    links: Annotated[
        str,
        option(
            "--links URL",
            "Where `fourcorners serve` shows this library: results link to their words there.",
            default=False,
        ),
    ] = "",
    library: options.Library = None,
) -> None:
    """Give a program the library as tools, over MCP.

    The program starts this command and speaks with it over standard input and output. It can read;
    what else it may do are switches. Nothing is sent anywhere but to that program.
    """
    from fourcorners.net import require_url
    from fourcorners.settings import Settings

    if links:
        require_url(links)
    _require_extra("what speaks MCP", "mcp", "mcp")
    settings = Settings.load(library=library)
    allowed = settings.mcp.model_copy(
        update={
            "write": settings.mcp.write or write,
            "with_model": settings.mcp.with_model or with_model,
        }
    )
    console.open_library(library).close()  # refuse what is not there

    from fourcorners.server import logs

    logs.configure_logging()
    _answer_over_stdio(settings.model_copy(update={"mcp": allowed}), links)


def _answer_over_stdio(settings: Settings, links: str) -> None:
    """Answer until the input ends, as the one person at this machine."""
    import anyio
    from mcp.server.stdio import stdio_server
    from starlette.requests import Request

    from fourcorners.server.app import create_app
    from fourcorners.server.context import AppState, RequestContext
    from fourcorners.server.mcp.protocol import McpServer

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


def certificate(
    names: Annotated[
        list[str] | None, argument("NAME", "A name or an address of the server.")
    ] = None,
    out: Annotated[Path, option("--out FOLDER", "Where to write it.")] = Path("certificate"),
) -> None:
    """Write the certificate that Word asks a server for.

    Without a NAME it is for this machine alone. It lasts 397 days. It comes with an authority that
    your computer is to trust; that can sign for these names alone, and its key is not kept.
    """
    _require_extra("what makes certificates", "web", "cryptography")
    from fourcorners.server.word.certificate import write_certificate

    made = write_certificate(out, names or ["localhost", "127.0.0.1", "::1"])
    shown = _TRUST.format(authority=made.authority, certificate=made.certificate, key=made.key)
    for line in shown.splitlines():
        console.print_line(line)


def _require_extra(what: str, extra: str, package: str) -> None:
    if find_spec("fastapi") is None or find_spec(package) is None:
        raise ConfigError(f"{what} is not installed.", remedy=f"pip install 'fourcorners[{extra}]'")
