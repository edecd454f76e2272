"""`fourcorners bench statements`: what a reader is shown of statements and their quotes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from fourcorners.cli import options
from fourcorners.cli.options import option
from fourcorners.cli.output import console
from fourcorners_bench.commands.plots import plot_record, require_plots

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fourcorners_bench.record import Record
    from fourcorners_bench.statements import QuotedStatement, StatementAnswer


def statements(
    data: Annotated[
        Path, option("--data FILE", "A line of JSON each: id, quote, statement; or with a label.")
    ],
    run_out: options.Run = None,
    record_out: options.Record = None,
    limit: Annotated[
        int | None, option("--limit N", "Only the first N statements.", least=1)
    ] = None,
    plots: options.Plots = None,
) -> None:
    """Check statements against their quotes, as those of a language model are.

    Each is verified, unchecked or refused. Where lines have a label ("label", or "true"), the
    verdicts are counted by it; it is not read before.
    """
    from fourcorners.models.entailment.model import load_entailment
    from fourcorners_bench import statements
    from fourcorners_bench.record import Record
    from fourcorners_bench.run_files import write_lines

    console.require_place(run_out, record_out)
    require_plots(plots)
    record = Record("statements", {"data": str(data), "limit": limit})
    model = load_entailment()
    record.models.update({"entailment": model.info.identity, "encoder": model.encoder.name})
    found = statements.load_statements(data, limit=limit)
    with console.progress_steps() as step:
        run = statements.judge_statements(found, on_progress=step)
    if run_out is not None:
        write_lines(run_out, run)
    _report(found, run, record, record_out)
    plot_record(plots, record)


def score_run(
    run: Path, data: Path, record: Record, record_out: Path | None, *, limit: int | None
) -> None:
    """Score a run file of statements."""
    from fourcorners_bench import statements

    found = statements.load_statements(data, limit=limit)
    _report(found, statements.read_statement_run(run), record, record_out)


def _report(
    found: Sequence[QuotedStatement],
    run: Sequence[StatementAnswer],
    record: Record,
    path: Path | None,
) -> None:
    from fourcorners_bench.statements import statement_measures, statement_table

    measures = statement_measures(found, run)
    record.measures["labels"] = measures
    record.write(path)
    console.stdout_console().print(statement_table(measures))
