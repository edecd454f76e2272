"""`fourcorners bench families`: what the reader answers on families of contrasted clauses."""

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
def families(
    output: Output,
    data: Annotated[
        Path,
        option("--data FILE", "One family per line of JSON: clauses, asks, maybe wh and whose."),
    ],
    limit: Annotated[int | None, option("--limit N", "Only the first N families.", least=1)] = None,
) -> None:
    """Put questions to families of contrasted clauses.

    The clauses of a family differ in what they say and in little else. Counted are right answers of
    four (yes, no, depends, none), what would be asserted and how often that is right, the words
    that answer, and whose right or duty it is.
    """
    from fourcorners.models.registry import default_reader
    from fourcorners_bench.families import (
        family_measures,
        family_table,
        load_families,
        read_families,
    )
    from fourcorners_bench.record import Record

    record = Record("families", {"data": str(data), "limit": limit})
    reader = default_reader()
    record.models["reader"] = reader.name
    found = load_families(data, limit=limit)
    with console.progress_steps() as step:
        run = read_families(found, reader, on_progress=step)
    output.write_run(run)
    measures = family_measures(found, run)
    record.measures["families"] = measures
    output.finish(record, family_table(measures))


def score_run(asked: Scoring, record: Record) -> Sequence[Table]:
    """Put the figures of a run of families on record, and return its table."""
    from fourcorners_bench.families import (
        family_measures,
        family_table,
        load_families,
        read_family_run,
    )

    found = load_families(asked.data, limit=asked.limit)
    measures = family_measures(found, read_family_run(asked.run))
    record.measures["families"] = measures
    return [family_table(measures)]
