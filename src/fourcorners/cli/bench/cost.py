"""`fourcorners bench cost`: the time in which all models read one contract, and their loading."""

from __future__ import annotations

from typing import Annotated

import typer

from fourcorners.cli.bench.options import DataOption, RecordOption, progress_bar
from fourcorners.cli.output.console import require_place


def cost(
    data: DataOption,
    characters: Annotated[
        int, typer.Option("--characters", metavar="N", min=1, help="The length of the contract.")
    ] = 50_000,
    contracts: Annotated[
        int,
        typer.Option(
            "--contracts", metavar="N", min=1, help="The median of the N nearest to it counts."
        ),
    ] = 15,
    threads: Annotated[
        int, typer.Option("--threads", metavar="N", min=1, help="Cores used at once.")
    ] = 2,
    record_out: RecordOption = None,
) -> None:
    """Measure what one contract costs all models.

    Its passages get vectors, 41 provisions and 17 rules are judged, and its clauses are ranked.
    """
    from fourcorners.cli.output import console
    from fourcorners.evaluation.performance import cost as costing
    from fourcorners.evaluation.record import Record
    from fourcorners.models import available_models

    require_place(record_out)
    record = Record("cost", {"data": str(data), "characters": characters, "contracts": contracts})
    record.settings["threads"] = threads
    record.models.update({info.name: info.identity for info in available_models()})
    with progress_bar() as step:
        figures = costing.measure_cost(
            data, characters=characters, contracts=contracts, threads=threads, on_progress=step
        )
    record.measures.update(figures)
    record.write(record_out)
    console.stdout_console().print(costing.cost_table(figures))
