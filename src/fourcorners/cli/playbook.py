"""`fourcorners playbook`: which there are, and whether one of your own holds its schema."""

from __future__ import annotations

from typing import Annotated

import typer

from fourcorners.cli.console import JsonOption

app = typer.Typer(help="List the built-in playbooks; check one of your own.", no_args_is_help=True)


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
    for book in books:
        names = ", ".join(provision.name for provision in book.provisions)
        console.out().print(f"[bold]{book.id}[/bold]  {book.name} ({len(book.provisions)})")
        console.out().print(f"  {names}", style="dim")


@app.command("check")
def check(
    playbook: Annotated[str, typer.Argument(metavar="FILE", help="A playbook file, or a name.")],
) -> None:
    """Check a playbook; an error names its line and key."""
    from fourcorners.cli import console
    from fourcorners.playbooks.load import load

    book = load(playbook)
    console.out().print(
        f"{playbook}: a valid playbook with {len(book.provisions)} provisions "
        f"(version {book.version}, hash {book.hash[:12]}).",
        markup=False,
    )
