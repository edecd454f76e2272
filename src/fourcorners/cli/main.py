"""The program `fourcorners`: its commands, and what a person sees when one fails."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from fourcorners.cli import add, bench, playbook, review, search, show, status
from fourcorners.errors import ConfigError, FourcornersError
from fourcorners.version import __version__

app = typer.Typer(
    name="fourcorners",
    help="Read a folder of contracts and answer from it, and from nothing else.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)

app.command("add")(add.add)
app.command("review")(review.review)
app.command("search")(search.search)
app.command("show")(show.show)
app.command("status")(status.status)
app.add_typer(playbook.app, name="playbook")
app.add_typer(bench.app, name="bench")


def _version(value: bool) -> None:
    if value:
        typer.echo(f"fourcorners {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_version, is_eager=True, help="Print the version."),
    ] = False,
) -> None:
    """Read a folder of contracts and answer from it, and from nothing else."""


def main() -> None:
    """Run the program; an error on purpose is one clear line, not a traceback."""
    try:
        app(standalone_mode=True)
    except FourcornersError as error:
        from fourcorners.cli.console import complain

        complain(error)
        sys.exit(2 if isinstance(error, ConfigError) else 1)


if __name__ == "__main__":
    main()
