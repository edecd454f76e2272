"""`fourcorners bench verdicts`: what the verdict reader says of clauses, against their labels."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from fourcorners.cli.options import argument, option
from fourcorners.cli.output import console
from fourcorners_bench.commands.runner import Output, measurement


@measurement("record", "plots")
def verdicts(
    output: Output,
    run: Annotated[Path, argument("RUN", "What training.verdicts.train wrote, out of fold.")],
    contrary: Annotated[
        Path | None,
        option("--contrary FILE", "Clauses that were invented to mislead, with wrong answers."),
    ] = None,
) -> None:
    """Score what is asserted of clauses: how often it is right.

    Each fold is judged by the limits that the answers of the other folds give.
    """
    from fourcorners.models.verdict_reader.limits import score_verdicts
    from fourcorners_bench.record import Record
    from fourcorners_bench.verdicts import (
        read_contrary,
        read_run,
        score_contrary,
        score_measures,
        total_score,
        verdict_measures,
        verdict_table,
    )

    record = Record("verdicts", {"run": str(run), "contrary": str(contrary) if contrary else None})
    lines = read_run(run)
    scores = score_verdicts(lines)
    record.measures["questions"] = verdict_measures(scores)
    record.measures["all"] = score_measures(total_score(scores))
    contrary_line = ""
    if contrary is not None:
        failed, judged = score_contrary(lines, read_contrary(contrary))
        record.measures["contrary"] = {"wrong": failed, "judged": judged}
        contrary_line = (
            f"Of contrary clauses, each once a fold: something wrong is asserted of {failed:,} of "
            f"{judged:,}."
        )
    output.finish(record, verdict_table(scores))
    if contrary_line:
        console.print_line(contrary_line)
