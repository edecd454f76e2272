"""`fourcorners review`: a collection against a playbook, as a grid and as reports."""

from __future__ import annotations

from dataclasses import asdict, replace
from datetime import date
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fourcorners.cli.model_options import AskingProfileOption, EstimateOption, WithModelOption
from fourcorners.cli.output.console import (
    ByOption,
    CollectionOption,
    JobsOption,
    JsonOption,
    LibraryOption,
    OnOption,
)
from fourcorners.cli.review import columns as asked
from fourcorners.errors import ConfigError

if TYPE_CHECKING:
    from fourcorners.review.people.report_import import ImportOutcome


class Only(StrEnum):
    """Which cells to fill."""

    FAILED = "failed"


app = typer.Typer()
app.command("columns")(asked.columns)
_MONEY = 0.005  # US dollars below which a cost is not worth a word
_MANY = 100_000  # tokens from which they are told in millions


@app.callback(invoke_without_command=True)
def review(
    context: typer.Context,
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
    ask: asked.AskOption = None,
    library: LibraryOption = None,
    jobs: JobsOption = None,
    on: OnOption = None,
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
    only: Annotated[
        Only | None,
        typer.Option(
            "--only",
            metavar="failed",
            help="Only try again the cells that have failed.",
            show_default=False,
        ),
    ] = None,
    words_only: Annotated[
        bool, typer.Option("--words-only", help="Do without the local encoder.")
    ] = False,
    with_model: WithModelOption = False,
    profile: AskingProfileOption = None,
    estimate: EstimateOption = False,
    as_json: JsonOption = False,
) -> None:
    """Review contracts against a playbook: the grid, and reports.

    The grid has a row for each contract, a column for each provision, and says of each cell what
    was found, with the contract's own words, or that nothing was.

    Each cell is stored as soon as it is filled: a review that is stopped goes on where it stopped
    when the same command runs again. What people said of the findings (`mark`, `review import`) is
    kept, and shown beside them. Columns that people asked for (`--ask`, or in the web application)
    are filled with it; those for a language model only `--with-model`.
    """
    if context.invoked_subcommand is not None:
        _require_bare(context)
        return
    from contextlib import ExitStack

    from fourcorners import reports
    from fourcorners.cli import model_options as asking
    from fourcorners.cli.output import console
    from fourcorners.models import default_encoder
    from fourcorners.playbooks.load import load_playbook
    from fourcorners.reports import terminal
    from fourcorners.reports.json import review_json as review_json
    from fourcorners.research.columns.report import add_columns
    from fourcorners.review.run import CellFilter as OnlyCells
    from fourcorners.review.run import Progress
    from fourcorners.review.run import review_library as run
    from fourcorners.settings import Settings
    from fourcorners.text.invisible_characters import shorten, single_line

    asking.require_model(with_model=with_model, profile=profile, estimate=estimate)
    questions = ask or []
    asked.require_collection(questions, collection)
    paths = out or []
    for path in paths:
        reports.exporter_for(path)  # what is wrong is said before the work, not after
        console.require_place(path)
    day = _day(as_of) if as_of else None
    book = load_playbook(playbook)
    settings = Settings.load(library=library, jobs=jobs)
    with ExitStack() as stack:
        store = stack.enter_context(console.open_library(library, create=False))
        encoder = None
        if store.encoder is not None and not words_only:
            encoder = default_encoder(threads=settings.jobs)
            store.set_encoder(encoder.name, encoder.dimension)
        asker = None
        if with_model:
            asker = stack.enter_context(
                asking.open_reviewer(
                    settings.llm, store, book, profile, collection=collection, encoder=encoder
                )
            )
            if estimate:
                asking.print_estimate(
                    store, asker, collection=collection, again=again, as_json=as_json
                )
                _tell_not_foretold(
                    len(questions)
                    + sum(each.with_model for each in asked.of_review(store, collection, book.id))
                )
                return
            stack.enter_context(asking.report_spending(asker.port))
        if questions and collection is not None:
            asked.ask(store, collection, book.id, questions, with_model=with_model)
        used = asker.port.spending.tokens if asker else 0
        crew = stack.enter_context(console.worker_pool(on, jobs))
        bars = stack.enter_context(console.progress())
        bar = bars.add_task("Reviewing", total=None)

        def show(progress: Progress) -> None:
            bars.update(
                bar,
                completed=progress.done,
                total=progress.total,
                description=_description(
                    progress.cost,
                    progress.cost_left,
                    asker.port.spending.tokens - used if asker else 0,
                ),
            )

        grid = run(
            store,
            book,
            collection=collection,
            encoder=encoder,
            jobs=settings.jobs,
            crew=crew,
            as_of=day,
            again=again,
            only=OnlyCells(only.value) if only else None,
            asker=asker,
            spent=(lambda: asker.port.spending.cost) if asker else (lambda: None),
            on_progress=show,
        )
        standing = asked.of_review(store, collection, book.id)
        asked.fill(
            store,
            standing,
            encoder=encoder,
            port=asker.port if asker else None,
            again=again,
            only_failed=only is not None,
            show=lambda done, total, question: bars.update(
                bar, completed=done, total=total, description=f"Asking “{shorten(question, 40)}”"
            ),
        )
        grid = add_columns(store, grid, standing)
    for path in paths:
        reports.write(grid, path)
    if as_json:
        console.print_json(review_json(reports.Grid(grid)))
    else:
        terminal.print_review(grid, console.stdout_console())
        for path in paths:
            console.err().print(f"Wrote {single_line(str(path))}", style="dim", soft_wrap=True)
    if not grid.documents:
        raise typer.Exit(1)


@app.command("import")
def import_report(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="The .xlsx report that people edited.")
    ],
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only say what would be done.")
    ] = False,
    by: ByOption = None,
    playbook: Annotated[
        str | None,
        typer.Option(
            "--playbook",
            "-p",
            metavar="NAME",
            help="The playbook of the review, if it is not a built-in one.",
            show_default=False,
        ),
    ] = None,
    library: LibraryOption = None,
    as_json: JsonOption = False,
) -> None:
    """Read states, values and comments from an edited Excel report.

    Each change becomes a remark, by the name in the row's column Reviewer if someone put a new one
    there, else by --by. A row is listed and not applied where another person has said something of
    the cell since the report was written, where the finding is another now, or where the row cannot
    be understood; the exit code is then 1. The same file may be read again: nothing is said twice.
    """
    from fourcorners.cli.output import console
    from fourcorners.cli.output.console import reviewer
    from fourcorners.playbooks.load import builtin_names, load_playbook
    from fourcorners.reports import workbook_reading
    from fourcorners.research.columns.report import import_review_edits

    who = reviewer(by)
    edited = workbook_reading.read(file)
    if playbook is None and edited.playbook not in builtin_names():
        raise ConfigError(
            f"{file} is of the playbook {edited.playbook!r}, which is not a built-in one.",
            remedy="Name its file with --playbook.",
        )
    book = load_playbook(playbook or edited.playbook)
    if book.id != edited.playbook:
        raise ConfigError(
            f"{file} is of the playbook {edited.playbook!r}, not of {book.id!r}.",
            remedy="Name the playbook that the report is of with --playbook.",
        )
    with console.open_library(library, create=False) as store:
        outcome = import_review_edits(
            store, book, edited.edits, by=who, source=edited.sha256, dry_run=dry_run
        )
    outcome = replace(outcome, problems=(*edited.problems, *outcome.problems))
    if as_json:
        console.print_json({"dry_run": dry_run, "playbook": book.id, **asdict(outcome)})
    else:
        _print_outcome(outcome, dry_run=dry_run)
    if outcome.problems:
        raise typer.Exit(1)


def _tell_not_foretold(columns: int) -> None:
    from fourcorners.cli.output import console

    if columns:
        told = f"{console.count_noun(columns, 'asked column')} for the model: not in this estimate."
        console.err().print(told)


def _print_outcome(outcome: ImportOutcome, *, dry_run: bool) -> None:
    from rich.text import Text

    from fourcorners.cli.output import console
    from fourcorners.reports.grid import REVIEW_WORDS
    from fourcorners.text.invisible_characters import shorten, single_line

    out = console.stdout_console()
    for each in outcome.applied:
        state = REVIEW_WORDS[each.state].lower() if each.state else "comment"
        value = f" “{shorten(each.value, 200)}”" if each.value else ""
        comment = f" {shorten(each.comment, 200)}" if each.comment else ""
        head = f"Row {each.row}, {single_line(each.document)}, {single_line(each.provision)}: "
        console.print_indented(
            out, Text(f"{head}{state} by {single_line(each.by)}.{value}{comment}"), 2
        )
    for problem in outcome.problems:
        where = ", ".join(
            single_line(part) for part in (problem.document, problem.provision) if part
        )
        told = Text.assemble(
            (f"Row {problem.row}, {where}: ", "yellow"), single_line(problem.reason)
        )
        console.print_indented(out, told, 2, "✗")
    done = "would be applied" if dry_run else "applied"
    known = f", {outcome.known:,} known already" if outcome.known else ""
    left = f", {len(outcome.problems):,} not applied" if outcome.problems else ""
    out.print(
        f"{console.count_noun(len(outcome.applied), 'remark')} {done}{left}{known}; "
        f"{console.count_noun(outcome.untouched, 'cell')} untouched."
    )


def _description(cost: float | None, left: float | None, tokens: int) -> str:
    """Say what is being done, what a model used for it so far, and what the rest will cost."""
    told = []
    if cost and left is not None and cost + left >= _MONEY:
        told = [f"${cost:,.2f}", f"about ${left:,.2f} left"]
    if tokens:
        told.insert(1, f"{tokens / 1e6:,.2f}M tokens" if tokens >= _MANY else f"{tokens:,} tokens")
    return f"Reviewing ({', '.join(told)})" if told else "Reviewing"


def _require_bare(context: typer.Context) -> None:
    """Refuse options before a sub-command: they would be silently left out.

    Raises:
        ConfigError: If there is one.
    """
    for name in context.params:
        source = context.get_parameter_source(name)
        if source is not None and source.name == "COMMANDLINE":
            raise ConfigError(
                f"options of `{context.invoked_subcommand}` stand after its name.",
                remedy=f"Write `fourcorners review {context.invoked_subcommand} … --option`.",
            )


def _day(written: str) -> date:
    try:
        return date.fromisoformat(written)
    except ValueError as error:
        raise ConfigError(
            f"--as-of is {written!r}, which is not a date.", remedy="Write it as 2025-12-31."
        ) from error
