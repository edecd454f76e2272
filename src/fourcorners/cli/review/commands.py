"""`fourcorners review`: a collection against a playbook, as a grid and as reports."""

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from fourcorners.cli import options
from fourcorners.cli.model_port import report_spending
from fourcorners.cli.options import option, spread
from fourcorners.cli.output import console
from fourcorners.cli.review import columns, mark
from fourcorners.errors import ConfigError
from fourcorners.text.invisible_characters import shorten, single_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from fourcorners.library.store import Library
    from fourcorners.models.encoder.protocol import Encoder
    from fourcorners.playbooks.playbook import Playbook
    from fourcorners.review.finding import Review
    from fourcorners.review.prompting.reviewer import ModelReviewer
    from fourcorners.review.stored_review import FilledReview
    from fourcorners.settings import LlmSettings


app = typer.Typer()
app.command("columns")(columns.columns)
app.command("import")(mark.import_report)
_MONEY = 0.005  # US dollars below which a cost is not worth a word
MOST_SHOWN = 1_000  # contracts of a grid that is printed; a larger one is counted
_MANY = 100_000  # tokens from which they are counted in millions


@dataclass(frozen=True, slots=True)
class _ReviewOptions:
    """What is reviewed for whom, and what is written."""

    playbook: Annotated[str, option("--playbook -p NAME", "A built-in playbook or a file.")] = (
        "due-diligence"
    )
    collection: options.Collection = None
    read_for: Annotated[
        list[str] | None,
        option(
            "--for PARTY",
            "The party for whom you read, by its name, its role or its group's name; the "
            "collection remembers it. May be given again, for members of a group.",
        ),
    ] = None
    nobody: Annotated[
        bool, option("--for-nobody", "Forget for whom you read: nothing is ours or theirs.")
    ] = False
    out: Annotated[
        list[Path] | None,
        option("--out -o FILE", "Write a report: .html, .xlsx or .json. May be given again."),
    ] = None
    ask: Annotated[
        list[str] | None,
        option(
            "--ask QUESTION",
            "Put a question of your own to every contract, as a column. May be given again.",
        ),
    ] = None
    library: options.Library = None


@dataclass(frozen=True, slots=True)
class _CellOptions:
    """Which cells are filled, as of which day, and by what."""

    as_of: Annotated[
        str | None,
        option(
            "--as-of DATE",
            "The day of the review: terms that ended before it are shown as expired.",
            default="today",
        ),
    ] = None
    again: Annotated[bool, option("--again", "Fill again the cells that are filled already.")] = (
        False
    )
    only: Annotated[
        Literal["failed"] | None,
        option("--only failed", "Only try again the cells that have failed."),
    ] = None
    words_only: options.Words = False


@dataclass(frozen=True, slots=True)
class _ModelOptions:
    """What a language model does."""

    with_model: Annotated[
        bool, option("--with-model", "Have the configured language model judge each cell.")
    ] = False
    profile: Annotated[
        Literal["clauses", "paper"] | None,
        option(
            "--profile NAME",
            "clauses: the model judges what the local reader proposes; paper: it extracts from "
            "chunks of equal length.",
            default="clauses",
        ),
    ] = None
    passages: Annotated[
        int | None,
        option(
            "--passages N",
            "How many clauses or chunks the model reads for each cell.",
            default="10",
            least=1,
        ),
    ] = None
    estimate: Annotated[
        bool, option("--estimate", "Only say what the model would cost; nothing is sent.")
    ] = False


@app.callback(invoke_without_command=True)
@spread
def review(
    context: typer.Context,
    asked: _ReviewOptions,
    work: options.JobOptions,
    cells: _CellOptions,
    model: _ModelOptions,
    as_json: options.Json = False,
) -> None:
    """Review contracts against a playbook: the grid, and reports.

    The grid has a row for each contract, a column for each provision, and says of each cell what
    was found, with the contract's own words, or that nothing was.

    Nothing is called ours or theirs until you name the party for whom you read (`--for`). A
    contract that it is no party to is read for nobody.

    Each cell is stored as soon as it is filled: a review that is stopped continues where it
    stopped when the same command runs again. What people said of the findings (`mark`,
    `review import`) is kept, and shown with them. Columns that people asked for (`--ask`, or in the
    web application) are filled with it; those for a language model only `--with-model`.
    """
    if context.invoked_subcommand is not None:
        _require_bare(context)
        return
    from fourcorners import reports
    from fourcorners.models import default_encoder
    from fourcorners.playbooks.load import load_playbook
    from fourcorners.research.columns.report import add_columns
    from fourcorners.review.run import (
        ReviewProgress,
        ReviewScope,
        Workers,
        fill_review,
        filled_grid,
    )
    from fourcorners.settings import Settings

    _require_model(model)
    side = _given_side(asked.read_for, nobody=asked.nobody, estimate=model.estimate)
    questions, paths = asked.ask or [], asked.out or []
    columns.require_collection(questions, asked.collection)
    for path in paths:
        reports.exporter_for(path)  # what is wrong is said before the work, not after
        console.require_place(path)
    day = console.as_of_date(cells.as_of) if cells.as_of else None
    book = load_playbook(asked.playbook)
    settings = Settings.load(library=asked.library, jobs=work.jobs)
    with ExitStack() as stack:
        store = stack.enter_context(console.open_library(asked.library))
        encoder = None
        if store.encoder is not None and not cells.words_only:
            encoder = default_encoder(settings.encoder, threads=settings.jobs)
            store.set_encoder(encoder.name, encoder.dimension)
        asker = None
        if model.with_model:
            asker = stack.enter_context(
                _open_reviewer(
                    settings.llm,
                    store,
                    book,
                    model,
                    collection=asked.collection,
                    encoder=encoder,
                )
            )
            if model.estimate:
                _print_estimate(
                    store, asker, collection=asked.collection, again=cells.again, as_json=as_json
                )
                standing = columns.of_review(store, asked.collection, book.id)
                _print_not_estimated(len(questions) + sum(each.with_model for each in standing))
                return
            stack.enter_context(report_spending(asker.port))
        if questions and asked.collection is not None:
            columns.ask(store, asked.collection, book.id, questions, with_model=model.with_model)
        used = asker.port.spending.tokens if asker else 0
        workers = stack.enter_context(console.worker_pool(work.on, work.jobs))
        bars = stack.enter_context(console.progress())
        bar = bars.add_task("Reviewing", total=None)
        scope = ReviewScope(
            collection=asked.collection,
            read_for=side,
            again=cells.again,
            only_failed=cells.only is not None,
            as_of=day,
        )

        def show(progress: ReviewProgress) -> None:
            tokens = asker.port.spending.tokens - used if asker else 0
            line = _description(progress.cost, progress.cost_left, tokens)
            bars.update(bar, completed=progress.done, total=progress.total, description=line)

        filled = fill_review(
            store,
            book,
            scope,
            encoder=encoder,
            asker=asker,
            on_progress=show,
            workers=Workers(jobs=settings.jobs, pool=workers),
        )
        standing = columns.of_review(store, asked.collection, book.id)
        columns.fill(
            store,
            standing,
            encoder=encoder,
            port=asker.port if asker else None,
            again=cells.again,
            only_failed=cells.only is not None,
            show=lambda done, total, question: bars.update(
                bar, completed=done, total=total, description=f"Asking “{shorten(question, 40)}”"
            ),
        )
        if len(filled.documents) > MOST_SHOWN and not (paths or as_json):
            _print_counts(store, book, filled, asked.collection)
            return
        grid = add_columns(store, filled_grid(store, book, filled, scope), standing)
    _show_grid(grid, paths, as_json=as_json)


def _show_grid(grid: Review, paths: Sequence[Path], *, as_json: bool) -> None:
    """Write reports of a grid and print it; one without a contract is an error."""
    from fourcorners import reports
    from fourcorners.reports import terminal
    from fourcorners.reports.json import review_json

    for path in paths:
        reports.write(grid, path)
    if as_json:
        console.print_json(review_json(reports.Grid(grid)))
    else:
        terminal.print_review(grid, console.stdout_console())
        for path in paths:
            console.print_note((f"Wrote {single_line(str(path))}", "dim"))
    if not grid.documents:
        raise typer.Exit(1)


def _print_counts(
    store: Library, book: Playbook, filled: FilledReview, collection: str | None
) -> None:
    """Say what cells there are of more contracts than a terminal can show."""
    from fourcorners.reports.grid import STATE_WORDS
    from fourcorners.review.store import count_states

    states = count_states(store, book, collection)
    parts = [f"{count:,} cells {STATE_WORDS[each].lower()}" for each, count in states.items()]
    console.print_note((f"{len(filled.documents):,} contracts: {', '.join(parts)}.", ""))
    if filled.unread:
        console.print_note((f"{len(filled.unread):,} files could not be read.", ""))
    console.print_note(
        ("Look at the grid with `fourcorners serve`, or write it with --out.", "dim")
    )


def _require_model(model: _ModelOptions) -> None:
    """Refuse options that say something of a model where none is asked."""
    given = {"--estimate": model.estimate, "--profile": model.profile, "--passages": model.passages}
    names = [name for name, value in given.items() if value]
    if names and not model.with_model:
        raise ConfigError(f"{names[0]} needs a language model.", remedy="Add --with-model.")


def _given_side(
    read_for: list[str] | None, *, nobody: bool, estimate: bool
) -> tuple[str, ...] | None:
    """Return for whom one reads by the options; None where they say nothing of it."""
    if any(not each.strip() for each in read_for or ()):
        raise ConfigError("--for names nobody.", remedy="Name the party, or use --for-nobody.")
    if read_for and nobody:
        raise ConfigError("--for and --for-nobody contradict each other.", remedy="Give one.")
    if (read_for or nobody) and estimate:
        raise ConfigError(
            "--estimate changes nothing, and so not for whom you read.", remedy="Leave --for out."
        )
    return () if nobody else tuple(read_for) if read_for else None


@contextmanager
def _open_reviewer(
    settings: LlmSettings,
    library: Library,
    playbook: Playbook,
    model: _ModelOptions,
    *,
    collection: str | None,
    encoder: Encoder | None,
) -> Iterator[ModelReviewer]:
    """Open the port, and yield what fills cells through it."""
    from fourcorners.library.llm_store import library_port
    from fourcorners.review.prompting.answered_clauses import AnsweredClauses
    from fourcorners.review.prompting.reviewer import PROFILES, ModelReviewer, PromptProfile

    asking = PROFILES[PromptProfile(model.profile or "clauses")]
    asking = replace(asking, passages=model.passages or asking.passages)
    job = f"review {playbook.id}@{playbook.hash[:8]} {collection or 'all'}"
    with library_port(library, settings, job) as port:
        answered = AnsweredClauses(library, playbook)
        yield ModelReviewer(port, playbook, asking, encoder=encoder, answered=answered)


def _print_estimate(
    library: Library, asker: ModelReviewer, *, collection: str | None, again: bool, as_json: bool
) -> None:
    """Say what a review would use; nothing is sent."""
    from fourcorners.review.estimate import estimate_cost

    cost_estimate = estimate_cost(library, asker, collection=collection, again=again)
    if as_json:
        console.print_json({"model": asker.description, **asdict(cost_estimate)})
        return
    cost = (
        "of an unknown price" if cost_estimate.cost is None else f"about ${cost_estimate.cost:,.2f}"
    )
    from_cache = (
        f", {cost_estimate.cached:,} more answered from what is kept"
        if cost_estimate.cached
        else ""
    )
    cells = console.count_noun(cost_estimate.cells, "cell")
    console.print_line(asker.description)
    console.print_text(
        f"{cells} of {console.count_noun(cost_estimate.contracts, 'contract')} to fill."
    )
    console.print_line(
        f"About {console.count_noun(cost_estimate.calls, 'call')}{from_cache}: "
        f"{cost_estimate.tokens_in:,} tokens in, "
        f"{cost_estimate.tokens_out:,} out, {cost}."
    )
    limit, spent = asker.port.budget.cost, asker.port.spending.cost
    if limit is not None and cost_estimate.cost is not None and spent + cost_estimate.cost > limit:
        console.print_line(
            f"That passes the budget of ${limit:,.2f}"
            + (f", of which ${spent:,.2f} is spent" if spent else "")
            + ": the review would stop on the way, and go on once the budget is raised."
        )
    console.print_text("Nothing was sent.")
    if cost_estimate.read < cost_estimate.contracts:
        console.print_text(
            f"By {cost_estimate.read} of the contracts, read for it; the others count alike."
        )


def _print_not_estimated(columns: int) -> None:
    if columns:
        line = f"{console.count_noun(columns, 'asked column')} for the model: not in this estimate."
        console.err().print(line)


def _description(cost: float | None, left: float | None, tokens: int) -> str:
    """Say what is being done, what a model used for it so far, and what the rest will cost."""
    costs = []
    if cost and left is not None and cost + left >= _MONEY:
        costs = [f"${cost:,.2f}", f"about ${left:,.2f} left"]
    if tokens:
        costs.insert(1, f"{tokens / 1e6:,.2f}M tokens" if tokens >= _MANY else f"{tokens:,} tokens")
    return f"Reviewing ({', '.join(costs)})" if costs else "Reviewing"


def _require_bare(context: typer.Context) -> None:
    """Refuse options before a sub-command: they would be silently left out.

    Raises:
        ConfigError: If there is one.
    """
    for name in context.params:
        source = context.get_parameter_source(name)
        if source is not None and source.name == "COMMANDLINE":
            raise ConfigError(
                f"options of `{context.invoked_subcommand}` must follow its name.",
                remedy=f"Write `fourcorners review {context.invoked_subcommand} … --option`.",
            )
