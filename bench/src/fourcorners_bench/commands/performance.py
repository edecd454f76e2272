"""`fourcorners bench cost`, `speed` and `parts`: what work takes, and how long."""

from __future__ import annotations

from typing import Annotated

from fourcorners.cli import options
from fourcorners.cli.options import option
from fourcorners.cli.output import console
from fourcorners_bench.commands.runner import Output, measurement


@measurement("record", "plots")
def cost(
    output: Output,
    data: options.Data,
    characters: Annotated[
        int, option("--characters N", "The length of the contract.", least=1)
    ] = 50_000,
    contracts: Annotated[
        int, option("--contracts N", "The median of the N nearest to it counts.", least=1)
    ] = 15,
    threads: Annotated[int, option("--threads N", "Cores used at once.", least=1)] = 2,
) -> None:
    """Measure what one contract costs all models.

    Its passages get vectors, 41 provisions and 17 rules are judged, and its clauses are ranked.
    """
    from fourcorners.models import available_models
    from fourcorners_bench.performance import cost as costing
    from fourcorners_bench.record import Record

    size = {"characters": characters, "contracts": contracts, "threads": threads}
    record = Record("cost", {"data": str(data), **size})
    record.models.update({info.name: info.identity for info in available_models()})
    with console.progress_steps() as step:
        figures = costing.measure_cost(data, **size, on_progress=step)
    record.measures.update(figures)
    output.finish(record, costing.cost_table(figures))


@measurement("record", "plots")
def speed(
    output: Output,
    data: options.Data,
    limit: options.Limit = None,
    jobs: options.Jobs = None,
    without_encoder: Annotated[bool, option("--without-encoder", "Leave the vectors out.")] = False,
    library: options.Keep = None,
) -> None:
    """Measure contracts a minute by stage, memory and library size.

    All contracts under DIR are added and reviewed.
    """
    from fourcorners.models import default_encoder
    from fourcorners.settings import Settings
    from fourcorners_bench.performance.speed import measure, table
    from fourcorners_bench.record import Record

    settings = Settings.load(jobs=jobs)
    record = Record("speed", {"data": str(data), "limit": limit, "jobs": settings.jobs})
    encoder = None if without_encoder else default_encoder(settings.encoder, threads=settings.jobs)
    with console.bench_library(library) as store, console.progress_steps() as step:
        figures = measure(
            store, data, limit=limit, encoder=encoder, settings=settings, on_progress=step
        )
    record.measures.update(figures)
    record.models["encoder"] = encoder.name if encoder else None
    output.finish(record, table(figures))


@measurement("record", "plots")
def parts(
    output: Output,
    data: options.Data,
    limit: options.Limit = None,
    repeats: Annotated[int, option("--repeats N", "The median of N rounds counts.", least=1)] = 3,
) -> None:
    """Measure the speed of each step of reading, on one core.

    Figures are characters per second of CPU time, over the texts under DIR. The outline's includes
    its terms and references, which are also shown alone.
    """
    from fourcorners_bench.performance import speed as speed_measures
    from fourcorners_bench.record import Record

    record = Record("parts", {"data": str(data), "limit": limit, "repeats": repeats})
    with console.progress_steps() as step:
        figures = speed_measures.parts(data, limit=limit, repeats=repeats, on_progress=step)
    record.measures.update(figures)
    output.finish(record, speed_measures.table(figures))
