"""What commands share that fill cells with a language model: options, the port, what it cost."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from fourcorners.errors import ConfigError

if TYPE_CHECKING:
    from fourcorners.library.store import Library
    from fourcorners.llm import Port
    from fourcorners.models.encoder.protocol import Encoder
    from fourcorners.playbooks.playbook import Playbook
    from fourcorners.review.prompting.reviewer import ModelReviewer
    from fourcorners.settings import LlmSettings


class Profile(StrEnum):
    """What a model is given, and what it is to do with it."""

    CLAUSES = "clauses"
    PAPER = "paper"


WithModelOption = Annotated[
    bool,
    typer.Option("--with-model", help="Have the configured language model judge each cell."),
]
AskingProfileOption = Annotated[
    Profile | None,
    typer.Option(
        "--profile",
        metavar="NAME",
        help="clauses: the model judges what the local reader proposes; paper: it extracts from "
        "ten chunks.",
        show_default="clauses",
    ),
]
EstimateOption = Annotated[
    bool,
    typer.Option("--estimate", help="Only say what the model would cost; nothing is sent."),
]


def require_model(*, with_model: bool, profile: Profile | None, estimate: bool) -> None:
    """Refuse options that say something of a model where none is asked.

    Raises:
        ConfigError: If there is one.
    """
    if not with_model and (profile is not None or estimate):
        name = "--estimate" if estimate else "--profile"
        raise ConfigError(f"{name} is about a language model.", remedy="Add --with-model.")


@contextmanager
def open_reviewer(
    settings: LlmSettings,
    library: Library,
    playbook: Playbook,
    profile: Profile | None,
    *,
    collection: str | None,
    encoder: Encoder | None,
) -> Iterator[ModelReviewer]:
    """Open the port, with what the library keeps of answers and calls, and yield what fills cells.

    Raises:
        ConfigError: If no model is configured, or not enough is said of it.
    """
    from fourcorners.library.llm_store import LibraryCache, LibraryLedger
    from fourcorners.llm import open_port
    from fourcorners.review.prompting.reviewer import PROFILES, ModelReviewer
    from fourcorners.review.prompting.reviewer import Profile as Named

    named = Named((profile or Profile.CLAUSES).value)
    job = f"review {playbook.id}@{playbook.hash[:8]} {collection or 'all'}"
    cache, ledger = LibraryCache(library), LibraryLedger(library)
    with open_port(settings, cache=cache, ledger=ledger, job=job) as port:
        yield ModelReviewer(port, playbook, PROFILES[named], encoder=encoder)


def print_estimate(
    library: Library, asker: ModelReviewer, *, collection: str | None, again: bool, as_json: bool
) -> None:
    """Say what a review would use; nothing is sent."""
    from dataclasses import asdict

    from fourcorners.cli.output import console
    from fourcorners.review.estimate import estimate_cost

    told = estimate_cost(library, asker, collection=collection, again=again)
    if as_json:
        console.print_json({"model": asker.description, **asdict(told)})
        return
    out = console.stdout_console()
    cost = "of an unknown price" if told.cost is None else f"about ${told.cost:,.2f}"
    kept = f", {told.cached:,} more answered from what is kept" if told.cached else ""
    cells = console.count_noun(told.cells, "cell")
    out.print(asker.description, markup=False, soft_wrap=True)
    out.print(f"{cells} of {console.count_noun(told.contracts, 'contract')} to fill.")
    out.print(
        f"About {console.count_noun(told.calls, 'call')}{kept}: {told.tokens_in:,} tokens in, "
        f"{told.tokens_out:,} out, {cost}.",
        soft_wrap=True,
    )
    port = asker.port
    limit, spent = port.budget.cost, port.spending.cost
    if limit is not None and told.cost is not None and spent + told.cost > limit:
        out.print(
            f"That passes the budget of ${limit:,.2f}"
            + (f", of which ${spent:,.2f} is spent" if spent else "")
            + ": the review would stop on the way, and go on once the budget is raised.",
            soft_wrap=True,
        )
    out.print("Nothing was sent.")
    if told.read < told.contracts:
        out.print(f"By {told.read} of the contracts, read for it; the others count alike.")


@contextmanager
def report_spending(port: Port) -> Iterator[None]:
    """Say on standard error, at whatever end, what was used in between."""
    from fourcorners.cli.output import console

    before = port.spending
    try:
        yield
    finally:
        after = port.spending
        price = f"${after.cost - before.cost:,.4f}"
        if after.unpriced > before.unpriced:
            price += " and calls of unknown price"
        console.err().print(
            f"The language model: {console.count_noun(after.calls - before.calls, 'call')}, "
            f"{after.tokens_in - before.tokens_in:,} tokens in, "
            f"{after.tokens_out - before.tokens_out:,} out, {price}.",
            style="dim",
            soft_wrap=True,
        )
