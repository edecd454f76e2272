"""`fourcorners review`: a collection against a playbook, as a grid and as reports."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Annotated

import typer

from fourcorners.cli.console import CollectionOption, JobsOption, JsonOption, LibraryOption
from fourcorners.errors import ConfigError


def review(
    playbook: Annotated[
        str,
        typer.Option("--playbook", "-p", metavar="NAME", help="A built-in playbook or a file."),
    ] = "due-diligence",
    collection: CollectionOption = None,
    out: Annotated[
        list[Path] | None,
        typer.Option(
            "--out",
            "-o",
            metavar="FILE",
            help="Write a report: .html, .xlsx or .json. May be given again.",
        ),
    ] = None,
    library: LibraryOption = None,
    jobs: JobsOption = None,
    as_of: Annotated[
        str | None,
        typer.Option(
            "--as-of",
            metavar="DATE",
            help="The day of the review: terms that ended before it are shown as expired.",
            show_default="today",
        ),
    ] = None,
    again: Annotated[
        bool, typer.Option("--again", help="Fill the cells anew that are filled already.")
    ] = False,
    words_only: Annotated[
        bool, typer.Option("--words-only", help="Do without the local encoder.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Review contracts against a playbook: the grid, and reports.

    The grid has a row for each contract, a column for each provision, and says of each cell what
    was found, with the contract's own words, or that nothing was.

    Each cell is stored as soon as it is filled: a review that is stopped goes on where it stopped
    when the same command runs again.
    """
    from fourcorners import reports
    from fourcorners.cli import console
    from fourcorners.models import default_encoder
    from fourcorners.playbooks.load import load
    from fourcorners.reports import terminal
    from fourcorners.reports.json import as_json as review_json
    from fourcorners.reports.visible import line
    from fourcorners.review.run import Progress
    from fourcorners.review.run import review as run
    from fourcorners.settings import Settings

    paths = out or []
    for path in paths:
        reports.exporter_for(path)  # what is wrong is said before the work, not after
        console.require_place(path)
    day = _day(as_of) if as_of else None
    book = load(playbook)
    settings = Settings.load(library=library, jobs=jobs)
    with console.open_library(library, create=False) as store, console.progress() as bars:
        encoder = None
        if store.encoder is not None and not words_only:
            encoder = default_encoder(threads=settings.jobs)
            store.set_encoder(encoder.name, encoder.dimension)
        bar = bars.add_task("Reviewing", total=None)

        def show(progress: Progress) -> None:
            bars.update(bar, completed=progress.done, total=progress.total)

        grid = run(
            store,
            book,
            collection=collection,
            encoder=encoder,
            jobs=settings.jobs,
            as_of=day,
            again=again,
            on_progress=show,
        )
    for path in paths:
        reports.write(grid, path)
    if as_json:
        console.print_json(review_json(reports.Grid(grid)))
    else:
        terminal.render(grid, console.out())
        for path in paths:
            console.err().print(f"Wrote {line(str(path))}", style="dim", soft_wrap=True)
    if not grid.documents:
        raise typer.Exit(1)


def _day(written: str) -> date:
    try:
        return date.fromisoformat(written)
    except ValueError as error:
        raise ConfigError(
            f"--as-of is {written!r}, which is not a date.", remedy="Write it as 2025-12-31."
        ) from error
