"""The program `fourcorners`: its commands, and what a person sees when one fails."""

from __future__ import annotations

import errno
import io
import os
import sys
from collections.abc import Sequence
from importlib.metadata import entry_points
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from fourcorners.cli.contracts import (
    answers,
    ask,
    compare,
    links,
    precedents,
    redline,
    search,
    show,
)
from fourcorners.cli.library import audit, status
from fourcorners.cli.library import commands as library
from fourcorners.cli.models import commands as models
from fourcorners.cli.models import llm, train
from fourcorners.cli.options import option
from fourcorners.cli.output import console
from fourcorners.cli.playbook import bank
from fourcorners.cli.playbook import commands as playbook
from fourcorners.cli.review import commands as review
from fourcorners.cli.review import dates, find, health, lint, mark, obligations, report
from fourcorners.cli.serve import commands as serve
from fourcorners.cli.serve import users
from fourcorners.errors import ConfigError, FourcornersError, describe_problem
from fourcorners.operations.errors import NotFound
from fourcorners.version import __version__

_NO_HANDLES = (
    "too many files are open for this system's limit.",
    "Raise the limit (`ulimit -n 1024`), or use fewer processes (`--jobs 1`).",
)
_SHORTAGES = {  # what the machine lacks: what is said, and what to do
    errno.ENOSPC: (
        "there is no room to write.",
        "Make room on the disk, or write elsewhere.",
    ),
    errno.EMFILE: _NO_HANDLES,
    errno.ENFILE: _NO_HANDLES,
    errno.EPIPE: ("", ""),
}
_REPLACED = {  # commands of before, each with the one that does the same now
    "audit export": "audit list --out FILE",
    "chat": "ask, without a question",
    "jobs cancel": "jobs --cancel ID",
    "jobs list": "jobs",
    "models info": "models list NAME",
    "playbook list": "playbook show",
}
_COMMANDS = "fourcorners.commands"  # the entry points by which a distribution adds commands
_INTERRUPTED = 130  # the exit code after Ctrl-C, as shells have it


class _Program(TyperGroup):
    """The commands; what is wrong with a value of an option is said as everywhere else."""

    def invoke(self, ctx: Any) -> object:  # noqa: ANN401 - its type is private to Typer
        try:
            return super().invoke(ctx)
        except typer.BadParameter as error:
            from pydantic import ValidationError

            if isinstance(error.__cause__, ValidationError):
                fault = error.__cause__.errors()[0]
                own = fault["ctx"]["error"] if fault["type"] == "value_error" else None  # Typer's
                error.message = str(own or describe_problem(fault, "it", repr(fault["input"])))
            raise


app = typer.Typer(
    name="fourcorners",
    cls=_Program,
    help="Read a folder of contracts and answer from it, and from nothing else.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # drawing the help with rich takes four times as long
    context_settings={"help_option_names": ["-h", "--help"]},
)

app.command("add")(library.add)
app.add_typer(review.app, name="review")
app.command("report")(report.report)
app.command("mark")(mark.mark)
app.command("health")(health.health)
app.command("dates")(dates.dates)
app.command("obligations")(obligations.obligations)
app.command("search")(search.search)
app.command("ask")(ask.ask)
app.command("answers")(answers.answers)
app.command("find")(find.find)
app.command("precedents")(precedents.precedents)
app.command("compare")(compare.compare)
app.command("redline")(redline.redline)
app.command("show")(show.show)
app.command("serve")(serve.serve)
app.command("certificate")(serve.certificate)
app.command("mcp")(serve.mcp)
app.command("backup")(library.backup)
app.command("restore")(library.restore)
app.command("links")(links.links)
app.command("lint")(lint.lint)
app.command("status")(status.status)
app.add_typer(playbook.app, name="playbook")
app.add_typer(bank.app, name="bank")
app.add_typer(llm.app, name="llm")
app.add_typer(models.app, name="models")
app.add_typer(train.app, name="train")
app.command("jobs")(status.jobs)
app.add_typer(audit.app, name="audit")
app.add_typer(library.app, name="library")
app.add_typer(users.app, name="users")


def _add_installed_commands() -> None:
    """Add the commands of other distributions, such as `bench` of fourcorners-bench."""
    installed = {entry.name: entry for entry in entry_points(group=_COMMANDS)}
    for name, entry in sorted(installed.items()):
        app.add_typer(entry.load(), name=name)
    if "bench" not in installed:
        anything = {"allow_extra_args": True, "ignore_unknown_options": True}
        app.command("bench", hidden=True, context_settings=anything)(_bench_is_missing)


def _bench_is_missing() -> None:
    raise ConfigError("the benchmarks are not installed.", remedy="pip install fourcorners-bench")


def _version(value: bool) -> None:
    if value:
        typer.echo(f"fourcorners {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[bool, option("--version", "Print the version.", callback=_version)] = False,
) -> None:
    """Read a folder of contracts and answer from it, and from nothing else."""


_add_installed_commands()


def _refuse_replaced(words: Sequence[str]) -> None:
    old = next((name for name in _REPLACED if words[: name.count(" ") + 1] == name.split()), "")
    if old:
        raise ConfigError(
            f"there is no command `{old}` any more.", remedy=f"Use fourcorners {_REPLACED[old]}."
        )


def main() -> None:
    """Run the program; errors that a person can cause are printed without a traceback."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # an old terminal lacks some characters
            stream.reconfigure(errors="backslashreplace")
    try:
        try:
            _refuse_replaced(sys.argv[1:3])
            app(prog_name="fourcorners")
        finally:
            sys.stdout.flush()  # a failed write is reported here, not when Python ends
    except FourcornersError as error:
        console.print_error(error)
        wrong = isinstance(error, ConfigError | NotFound)  # the command itself must change
        sys.exit(2 if wrong else 1)
    except OSError as error:
        if error.errno in _SHORTAGES:
            if error.errno in (errno.ENOSPC, errno.EPIPE):  # what is left is not tried once more
                os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            if error.errno != errno.EPIPE:  # who reads has had enough
                problem, remedy = _SHORTAGES[error.errno]
                console.print_error(ConfigError(problem, remedy=remedy))
            sys.exit(1)
        if not isinstance(error.filename, str | bytes | os.PathLike):
            raise
        problem = f"{os.fsdecode(error.filename)}: {(error.strerror or str(error)).lower()}."
        remedy = "Check the path, and that you may read and write there."
        console.print_error(ConfigError(problem, remedy=remedy))
        sys.exit(2)
    except SystemExit as end:
        if end.code == _INTERRUPTED:
            sys.stderr.write("Stopped. What was done is kept; run the same command to continue.\n")
        raise


if __name__ == "__main__":
    main()
