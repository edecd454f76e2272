"""`fourcorners show`: a contract in the terminal, with its outline or a provision's quotes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated

from fourcorners.cli import options
from fourcorners.cli.options import option, spread
from fourcorners.cli.output import console
from fourcorners.errors import ConfigError

if TYPE_CHECKING:
    from fourcorners.documents.document import Document
    from fourcorners.library.store import Library
    from fourcorners.outline.tree import Outline
    from fourcorners.review.finding import Review


@dataclass(frozen=True, slots=True)
class _ProvisionOptions:
    """Which provision is shown, and how much around it."""

    provision: Annotated[
        str | None, option("--provision NAME", "Show what is found of a provision.")
    ] = None
    playbook: Annotated[str, option("--playbook -p NAME", "The playbook of --provision.")] = (
        "due-diligence"
    )
    whole: Annotated[
        bool, option("--whole", "With --provision: the whole text, quotes highlighted.")
    ] = False


@spread
def show(
    *,
    contract: options.Contract,
    outline: Annotated[bool, option("--outline", "Show its outline.")] = False,
    shown: _ProvisionOptions,
    library: options.Library = None,
    collection: options.Collection = None,
    as_json: options.Json = False,
) -> None:
    """Show a contract, its outline, or a provision's quotes.

    A provision that was not reviewed yet is reviewed now.
    """
    from fourcorners import reports
    from fourcorners.cli.output import contract as contract_output
    from fourcorners.reports.json import review_json
    from fourcorners.search.graph.in_force import card_in_force

    if shown.provision and outline:
        raise ConfigError("--outline and --provision show different things.", remedy="Give one.")
    if shown.whole and not shown.provision:
        raise ConfigError("--whole goes with --provision.", remedy="Without it all is shown.")
    with console.open_library(library) as store:
        entry = store.resolve(contract, collection)
        document, card = store.document(entry.id), card_in_force(store, entry.id)
        tree = store.outline(entry.id)
        grid = (
            _review(store, entry.id, shown.playbook, shown.provision) if shown.provision else None
        )
    if as_json and grid is not None:
        console.print_json(review_json(reports.Grid(grid)))
    elif as_json:
        about = console.attributes(document, "id name path media_type warnings")
        console.print_json(
            about | (_outline(document, tree) if outline else {"text": document.text})
        )
    else:
        contract_output.print_card(document, card)
        if outline:
            contract_output.print_outline(document, tree)
        elif grid is not None:
            contract_output.print_finding(
                document, grid.columns[0].name, grid.findings[0], whole=shown.whole
            )
        else:
            contract_output.print_words(document)


def _outline(document: Document, outline: Outline) -> dict[str, object]:
    nodes = [
        {
            "label": node.label,
            "kind": node.kind,
            "heading": node.heading.text_in(document.text) if node.heading else "",
            "start": node.span.start,
            "end": node.span.end,
            "parent": node.parent,
        }
        for node in outline.nodes
    ]
    return {"confidence": outline.confidence, "nodes": nodes}


def _review(store: Library, document: str, playbook: str, name: str) -> Review:
    """Review one document for one provision; a cell that is filled already is not filled again."""
    from fourcorners.models import default_encoder
    from fourcorners.playbooks.load import load_playbook
    from fourcorners.review.run import ReviewScope, review_library
    from fourcorners.settings import Settings

    book = load_playbook(playbook)
    alone = replace(book, provisions=(book.provision(name),))
    encoder = default_encoder(Settings.load().encoder) if store.encoder else None
    return review_library(store, alone, ReviewScope(documents=[document]), encoder=encoder)
