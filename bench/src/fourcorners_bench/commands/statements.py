"""`fourcorners bench statements`: what a reader is shown of statements and their quotes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from fourcorners.cli.options import option
from fourcorners.cli.output import console
from fourcorners_bench.commands.runner import Output, Scoring, measurement

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.table import Table

    from fourcorners_bench.record import Record


@measurement()
def statements(
    output: Output,
    data: Annotated[
        Path, option("--data FILE", "A line of JSON each: id, quote, statement; or with a label.")
    ],
    limit: Annotated[
        int | None, option("--limit N", "Only the first N statements.", least=1)
    ] = None,
) -> None:
    """Check statements against their quotes, as a model's are.

    Each is verified, unchecked or refused. Where lines have a label ("label", or "true"), the
    verdicts are counted by it; it is not read before.
    """
    from fourcorners.models.registry import default_reader
    from fourcorners_bench.record import Record
    from fourcorners_bench.statements import (
        judge_statements,
        load_statements,
        statement_measures,
        statement_table,
    )

    record = Record("statements", {"data": str(data), "limit": limit})
    record.models["reader"] = default_reader().name
    found = load_statements(data, limit=limit)
    with console.progress_steps() as step:
        run = judge_statements(found, on_progress=step)
    output.write_run(run)
    measures = statement_measures(found, run)
    record.measures["labels"] = measures
    output.finish(record, statement_table(measures))


def score_run(asked: Scoring, record: Record) -> Sequence[Table]:
    """Put the figures of a run of statements on record, and return its table."""
    from fourcorners_bench.statements import (
        load_statements,
        read_statement_run,
        statement_measures,
        statement_table,
    )

    found = load_statements(asked.data, limit=asked.limit)
    measures = statement_measures(found, read_statement_run(asked.run))
    record.measures["labels"] = measures
    return [statement_table(measures)]
