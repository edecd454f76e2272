"""`fourcorners bench answers`: whether a report knows when a contract does not answer."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from fourcorners.cli.bench.options import DataOption, KeepOption, RecordOption, progress_bar
from fourcorners.cli.output.console import require_place


def answers(
    data: DataOption,
    removal: Annotated[
        bool,
        typer.Option("--removal", help="Ask with the answering words, and with them cut out."),
    ] = False,
    cases: Annotated[
        int, typer.Option("--cases", metavar="N", min=1, help="How many cases are drawn.")
    ] = 200,
    seed: Annotated[
        int, typer.Option("--seed", metavar="N", help="The seed by which they are drawn.")
    ] = 0,
    library: KeepOption = None,
    run_out: Annotated[
        Path | None, typer.Option("--run-out", metavar="FILE", help="Write what each report said.")
    ] = None,
    record_out: RecordOption = None,
) -> None:
    """Ask questions of contracts that answer them, and of copies without the answering words.

    DIR is LegalBench-RAG's, or the folder that holds it and CUAD, whose groups keep the contracts
    apart that the rule was learned from. The reports are made without a language model.
    """
    from fourcorners.cli.bench.options import bench_library
    from fourcorners.cli.output import console
    from fourcorners.errors import ConfigError
    from fourcorners.evaluation.answers import removal as test
    from fourcorners.evaluation.measures.statistics import wilson_interval
    from fourcorners.evaluation.record import Record
    from fourcorners.models import default_encoder
    from fourcorners.playbooks.concepts import default_concepts

    if not removal:
        raise ConfigError("which test of answers?", remedy="Add --removal.")
    require_place(run_out)
    require_place(record_out)
    drawn = test.draw_cases(data, held=True, count=cases, seed=seed)
    encoder = default_encoder()
    record = Record(
        "answers", {"data": str(data), "test": "removal", "cases": len(drawn), "seed": seed}
    )
    record.models["encoder"] = encoder.name
    with bench_library(library) as store, progress_bar() as step:
        outcomes = list(
            test.run_removal(
                store,
                data,
                drawn,
                encoder=encoder,
                concepts=default_concepts(),
                on_progress=step,
            )
        )
    if run_out is not None:
        run_out.write_text("".join(f"{test.outcome_line(each)}\n" for each in outcomes), "utf-8")
    told = test.removal_measures(outcomes)
    record.measures.update(told)
    record.write(record_out)
    out = console.stdout_console()
    for name, says in (
        ("answered", "answered, as the contract stands"),
        ("right", "with a quote of the marked words"),
        ("denied", "said not to be there, once it was cut out"),
    ):
        low, high = wilson_interval(round(told[name] * len(outcomes)), len(outcomes))
        out.print(f"{told[name]:6.1%}  {says} (95%: {low:.1%} to {high:.1%})")
    out.print(json.dumps({"cases": len(outcomes), "seed": seed}))
