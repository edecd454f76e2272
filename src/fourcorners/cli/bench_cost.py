"""`fourcorners bench cost`: the time in which all models read one contract, and their loading."""

from __future__ import annotations

from typing import Annotated

import typer

from fourcorners.cli.bench_options import DataOption, RecordOption, progress_bar
from fourcorners.cli.console import require_place


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
    from fourcorners.cli import console
    from fourcorners.evaluation import costing
    from fourcorners.evaluation.benchmark import Record
    from fourcorners.models import available

    require_place(record_out)
    record = Record("cost", {"data": str(data), "characters": characters, "contracts": contracts})
    record.settings["threads"] = threads
    record.models.update({info.name: info.identity for info in available()})
    with progress_bar() as step:
        figures = costing.measure(
            data, characters=characters, contracts=contracts, threads=threads, on_progress=step
        )
    record.measures.update(figures)
    record.write(record_out)
    console.out().print(costing.table(figures))
