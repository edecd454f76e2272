"""`fourcorners show`: a contract in the terminal, with its outline or a provision's quotes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from fourcorners.cli.output.console import CollectionOption, JsonOption, LibraryOption
from fourcorners.errors import ConfigError

if TYPE_CHECKING:
    from fourcorners.library.store import Library
    from fourcorners.review.finding import Review


def show(
    contract: Annotated[
        str,
        typer.Argument(
            metavar="CONTRACT", help="A contract, by a unique part of its name, its path or its id."
        ),
    ],
    outline: Annotated[bool, typer.Option("--outline", help="Show its outline.")] = False,
    provision: Annotated[
        str | None,
        typer.Option("--provision", metavar="NAME", help="Show what is found of a provision."),
    ] = None,
    playbook: Annotated[
        str, typer.Option("--playbook", "-p", metavar="NAME", help="The playbook of --provision.")
    ] = "due-diligence",
    whole: Annotated[
        bool, typer.Option("--whole", help="With --provision: the whole text, quotes highlighted.")
    ] = False,
    library: LibraryOption = None,
    collection: CollectionOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show a contract, its outline, or a provision's quotes.

    A provision that was not reviewed yet is reviewed now.
    """
    from fourcorners import reports
    from fourcorners.cli.output import console
    from fourcorners.cli.output import contract as page
    from fourcorners.reports.json import review_json as review_json

    if provision and outline:
        raise ConfigError("--outline and --provision show different things.", remedy="Give one.")
    if whole and not provision:
        raise ConfigError("--whole goes with --provision.", remedy="Without it all is shown.")
    with console.open_library(library, create=False) as store:
        entry = store.resolve(contract, collection)
        document, card, tree = (
            store.document(entry.id),
            store.card(entry.id),
            store.outline(entry.id),
        )
        grid = _review(store, entry.id, playbook, provision) if provision else None
    if as_json and grid is not None:
        console.print_json(review_json(reports.Grid(grid)))
    elif as_json:
        console.print_json(console.document_json(document, tree if outline else None))
    else:
        out = console.stdout_console()
        page.print_card(out, document, card)
        if outline:
            page.print_outline(out, document, tree)
        elif grid is not None:
            name = grid.columns[0].name
            page.print_finding(out, document, name, grid.findings[0], whole=whole)
        else:
            page.print_words(out, document)


def _review(store: Library, document: str, playbook: str, name: str) -> Review:
    """Review one document for one provision; a cell that is filled already is not filled again."""
    from dataclasses import replace

    from fourcorners.models import default_encoder
    from fourcorners.playbooks.load import load_playbook
    from fourcorners.review.run import review_library

    book = load_playbook(playbook)
    encoder = default_encoder() if store.encoder else None
    return review_library(
        store,
        replace(book, provisions=(book.provision(name),)),
        documents=[document],
        encoder=encoder,
    )
