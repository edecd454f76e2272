"""`fourcorners playbook`: which there are, and whether one of your own holds its schema."""

from __future__ import annotations

from typing import Annotated

import typer

from fourcorners.cli import learn
from fourcorners.cli.console import JsonOption

app = typer.Typer(
    help="List the built-in playbooks; learn and check your own.", no_args_is_help=True
)
app.command("learn")(learn.learn)


@app.command("list")
def list_playbooks(as_json: JsonOption = False) -> None:
    """List the playbooks that come with the program."""
    from fourcorners.cli import console
    from fourcorners.playbooks.load import builtin, load

    books = [load(name) for name in builtin()]
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

    out = console.out()
    for book in books:
        names = ", ".join(provision.name for provision in book.provisions)
        count = console.counted(len(book.provisions), "provision")
        out.print(Text.assemble((book.id, "bold"), f"  {book.name}, {count}"))
        console.print_indented(out, Text(names, "dim"), 2)


@app.command("check")
def check(
    playbook: Annotated[str, typer.Argument(metavar="FILE", help="A playbook file, or a name.")],
) -> None:
    """Check a playbook; an error names its line and key."""
    from fourcorners.cli import console
    from fourcorners.playbooks.load import load
    from fourcorners.reports.visible import line

    book = load(playbook)
    count = console.counted(len(book.provisions), "provision")
    console.out().print(
        f"{line(playbook)}: a valid playbook of {count}, version {line(book.version)}, "
        f"hash {book.hash[:12]}.",
        soft_wrap=True,
    )
