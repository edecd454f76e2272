"""`fourcorners playbook`: write, check and test what to look for."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fourcorners.cli.output.console import JsonOption
from fourcorners.cli.playbook import cases as playbook_cases
from fourcorners.cli.playbook import learn

if TYPE_CHECKING:
    from fourcorners.cli.output.console import Json

app = typer.Typer(
    help="List the built-in playbooks; write, check and test your own.", no_args_is_help=True
)
app.command("learn")(learn.learn)
app.command("test")(playbook_cases.try_cases)
app.command("cases")(playbook_cases.write_cases)

PlaybookArgument = Annotated[
    str, typer.Argument(metavar="FILE", help="A playbook file, or a name.")
]


@app.command("list")
def list_playbooks(as_json: JsonOption = False) -> None:
    """List the playbooks that come with the program."""
    from fourcorners.cli.output import console
    from fourcorners.playbooks.load import builtin_names, load_playbook

    books = [load_playbook(name) for name in builtin_names()]
    if as_json:
        console.print_json(
            [
                {
                    "id": book.id,
                    "name": book.name,
                    "version": book.version,
                    "provisions": [provision.id for provision in book.provisions],
                }
                for book in books
            ]
        )
        return
    from rich.text import Text

    out = console.stdout_console()
    for book in books:
        names = ", ".join(provision.name for provision in book.provisions)
        count = console.count_noun(len(book.provisions), "provision")
        out.print(Text.assemble((book.id, "bold"), f"  {book.name}, {count}"))
        console.print_indented(out, Text(names, "dim"), 2)


@app.command("show")
def show(
    playbook: PlaybookArgument,
    resolved: Annotated[
        bool,
        typer.Option("--resolved", help="With all that it takes from the playbooks it extends."),
    ] = False,
) -> None:
    """Print a playbook's YAML."""
    from fourcorners.playbooks.load import load_playbook, playbook_text
    from fourcorners.playbooks.write import resolved_yaml
    from fourcorners.text.invisible_characters import show_invisible

    load_playbook(playbook)
    whole = resolved_yaml(playbook) if resolved else playbook_text(playbook)
    typer.echo(show_invisible(whole), nl=False)


@app.command("new")
def new_playbook(
    name: Annotated[str, typer.Argument(metavar="NAME", help="What the playbook is called.")],
    taken: Annotated[
        list[str] | None,
        typer.Option(
            "--from",
            metavar="NAME",
            help="Copy a playbook, or a provision by any of its names; may be repeated.",
            show_default=False,
        ),
    ] = None,
    extends: Annotated[
        str | None,
        typer.Option(
            "--extends",
            metavar="NAME",
            help="Stand on this playbook: a name, or a path from the new file.",
            show_default=False,
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="FILE", help="The file to write.", show_default="NAME.yaml"),
    ] = None,
) -> None:
    """Write a playbook to start from, and its schema."""
    from fourcorners.cli.output import console
    from fourcorners.errors import ConfigError
    from fourcorners.playbooks.file.schema import json_schema
    from fourcorners.playbooks.load import parse_playbook
    from fourcorners.playbooks.write import provision_id, starter_yaml
    from fourcorners.text.invisible_characters import single_line

    path = out or Path(f"{provision_id(name)}.yaml")
    console.require_place(path)
    if path.exists():
        raise ConfigError(f"{path} exists already.", remedy="Give another name with --out.")
    text = starter_yaml(name, taken=taken or (), extends=extends or "")
    book = parse_playbook(text, str(path), folder=path.parent)
    path.write_text(text, encoding="utf-8")
    path.with_name("playbook.schema.json").write_text(json_schema(), encoding="utf-8")
    count = console.count_noun(len(book.provisions), "provision")
    console.stdout_console().print(
        f"Wrote {single_line(str(path))}, a playbook of {count}, "
        "and playbook.schema.json beside it.",
        soft_wrap=True,
    )


@app.command("check")
def check(playbook: PlaybookArgument, as_json: JsonOption = False) -> None:
    """Check a playbook: errors and doubts, each with its line and key.

    An error ends the command with a failure; what is only doubtful does not.
    """
    from fourcorners.cli.output import console
    from fourcorners.playbooks.file.checks import find_warnings
    from fourcorners.playbooks.file.schema import PlaybookFileError
    from fourcorners.playbooks.load import open_playbook
    from fourcorners.text.invisible_characters import single_line

    try:
        book, source = open_playbook(playbook)
    except PlaybookFileError as error:
        if not as_json:
            raise
        faults: list[Json] = [
            {
                "line": each.line,
                "character": each.character,
                "key": each.path,
                "what": each.what,
                "remedy": each.remedy,
            }
            for each in error.problems
        ]
        console.print_json({"valid": False, "errors": faults, "doubts": []})
        raise typer.Exit(1) from error
    found = find_warnings(book, source)
    if as_json:
        console.print_json(
            {
                "valid": True,
                "errors": [],
                "doubts": [
                    {"line": each.line, "key": each.path, "what": each.what} for each in found
                ],
                "version": book.version,
                "hash": book.hash,
            }
        )
        return
    out = console.stdout_console()
    for each in found:
        out.print(
            f"{single_line(playbook)}, line {each.line}, "
            f"{single_line(each.path)}: {single_line(each.what)}",
            soft_wrap=True,
        )
    count = console.count_noun(len(book.provisions), "provision")
    told = f" {console.count_noun(len(found), 'doubt')} above." if found else ""
    out.print(
        f"{single_line(playbook)}: a valid playbook of {count}, "
        f"version {single_line(book.version)}, hash {book.hash[:12]}.{told}",
        soft_wrap=True,
    )
