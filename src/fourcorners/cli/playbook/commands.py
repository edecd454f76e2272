"""`fourcorners playbook`: write, check and test what to look for."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fourcorners.cli.options import JsonOption, argument, option
from fourcorners.cli.output import console
from fourcorners.cli.playbook import cases as playbook_cases
from fourcorners.cli.playbook import learn
from fourcorners.cli.playbook.cases import PlaybookArgument
from fourcorners.errors import ConfigError
from fourcorners.text.invisible_characters import show_invisible, single_line

app = typer.Typer(
    help="List the built-in playbooks; write, check and test your own.", no_args_is_help=True
)
app.command("learn")(learn.learn)
app.command("test")(playbook_cases.try_cases)
app.command("cases")(playbook_cases.write_cases)


@app.command("list")
def list_playbooks(as_json: JsonOption = False) -> None:
    """List the playbooks that come with the program."""
    from fourcorners.playbooks.load import builtin_names, load_playbook

    books = [load_playbook(name) for name in builtin_names()]
    if as_json:
        console.print_json(
            [
                {
                    **console.attributes(book, "id name version"),
                    "provisions": [provision.id for provision in book.provisions],
                }
                for book in books
            ]
        )
        return
    for book in books:
        names = ", ".join(provision.name for provision in book.provisions)
        count = console.count_noun(len(book.provisions), "provision")
        console.print_text((book.id, "bold"), f"  {book.name}, {count}")
        console.print_indented(2, (names, "dim"))


@app.command("show")
def show(
    playbook: PlaybookArgument,
    resolved: Annotated[
        bool,
        option("--resolved", "With all that it takes from the playbooks it extends."),
    ] = False,
) -> None:
    """Print a playbook's YAML."""
    from fourcorners.playbooks.load import load_playbook, playbook_text
    from fourcorners.playbooks.starter import resolved_yaml

    load_playbook(playbook)
    whole = resolved_yaml(playbook) if resolved else playbook_text(playbook)
    typer.echo(show_invisible(whole), nl=False)


@app.command("new")
def new_playbook(
    name: Annotated[str, argument("NAME", "What the playbook is called.")],
    taken: Annotated[
        list[str] | None,
        option(
            "--from NAME", "Copy a playbook, or a provision by any of its names; may be repeated."
        ),
    ] = None,
    extends: Annotated[
        str | None,
        option("--extends NAME", "Stand on this playbook: a name, or a path from the new file."),
    ] = None,
    out: Annotated[
        Path | None, option("--out FILE", "The file to write.", default="NAME.yaml")
    ] = None,
) -> None:
    """Write a playbook to start from, and its schema."""
    from fourcorners.playbooks.file.schema import json_schema
    from fourcorners.playbooks.load import parse_playbook
    from fourcorners.playbooks.starter import starter_yaml
    from fourcorners.playbooks.write import provision_id

    path = out or Path(f"{provision_id(name)}.yaml")
    console.require_place(path)
    if path.exists():
        raise ConfigError(f"{path} exists already.", remedy="Give another name with --out.")
    text = starter_yaml(name, taken=taken or (), extends=extends or "")
    book = parse_playbook(text, str(path), folder=path.parent)
    path.write_text(text, encoding="utf-8")
    path.with_name("playbook.schema.json").write_text(json_schema(), encoding="utf-8")
    count = console.count_noun(len(book.provisions), "provision")
    console.print_line(
        f"Wrote {single_line(str(path))}, a playbook of {count}, "
        "and playbook.schema.json beside it."
    )


@app.command("check")
def check(playbook: PlaybookArgument, as_json: JsonOption = False) -> None:
    """Check a playbook: errors and doubts, each with its line and key.

    An error ends the command with a failure; what is only doubtful does not.
    """
    from fourcorners.playbooks.file.checks import find_warnings
    from fourcorners.playbooks.file.errors import PlaybookFileError
    from fourcorners.playbooks.load import open_playbook

    try:
        book, source = open_playbook(playbook)
    except PlaybookFileError as error:
        if not as_json:
            raise
        faults = [
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
        doubts = [{"line": each.line, "key": each.path, "what": each.what} for each in found]
        told = {"valid": True, "errors": [], "doubts": doubts}
        console.print_json({**told, **console.attributes(book, "version hash")})
        return
    name = single_line(playbook)
    for each in found:
        where = f"{name}, line {each.line}, {single_line(each.path)}"
        console.print_line(f"{where}: {single_line(each.what)}")
    count = console.count_noun(len(book.provisions), "provision")
    above = f" {console.count_noun(len(found), 'doubt')} above." if found else ""
    console.print_line(
        f"{name}: a valid playbook of {count}, "
        f"version {single_line(book.version)}, hash {book.hash[:12]}.{above}"
    )
