"""`fourcorners mcp`: the library as tools of a program that reasons, over standard input."""

from __future__ import annotations

from typing import Annotated

import typer

from fourcorners.cli.output.console import LibraryOption
from fourcorners.errors import ConfigError


def mcp(
    write: Annotated[
        bool, typer.Option("--write", help="Let the program start reviews, too.")
    ] = False,
    with_model: Annotated[
        bool,
        typer.Option(
            "--with-model", help="Let it have the configured language model answer questions."
        ),
    ] = False,
    links: Annotated[
        str,
        typer.Option(
            "--links",
            metavar="URL",
            help="Where `fourcorners serve` shows this library: results link to their words there.",
            show_default=False,
        ),
    ] = "",
    library: LibraryOption = None,
) -> None:
    """Give a program the library as tools, over MCP.

    The program starts this command and speaks with it over standard input and output. It can read;
    what else it may do are switches. Nothing is sent anywhere but to that program.
    """
    from fourcorners.cli.output import console
    from fourcorners.net import require_url
    from fourcorners.settings import Settings

    if links:
        require_url(links)
    _require_extra()
    settings = Settings.load(library=library)
    allowed = settings.mcp.model_copy(
        update={
            "write": settings.mcp.write or write,
            "with_model": settings.mcp.with_model or with_model,
        }
    )
    console.open_library(library, create=False).close()  # refuse what is not there

    from fourcorners.server import logs
    from fourcorners.server.mcp.stdio import serve_stdio

    logs.configure_logging()
    serve_stdio(settings.model_copy(update={"mcp": allowed}), links)


def _require_extra() -> None:
    try:
        import fastapi  # noqa: F401
        import mcp  # noqa: F401
    except ImportError as error:
        raise ConfigError(
            "what speaks MCP is not installed.", remedy="pip install 'fourcorners[mcp]'"
        ) from error
