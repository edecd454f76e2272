"""`fourcorners bench`: the benchmarks, and the scoring of run files made anywhere."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fourcorners.cli import options
from fourcorners.cli.options import argument, option
from fourcorners.cli.output import console
from fourcorners.errors import ConfigError
from fourcorners_bench.commands import (
    answers,
    comparison,
    entailment,
    extraction,
    obligations,
    precedents,
    provisions,
    results,
    retrieval,
    statements,
    values,
    verdicts,
)
from fourcorners_bench.commands.plots import plot_record, require_plots

if TYPE_CHECKING:
    from fourcorners_bench.outline.loader import AuditedOutline, OutlineAnswer
    from fourcorners_bench.record import Record

app = typer.Typer(help="Measure the program on public benchmarks.", no_args_is_help=True)
app.command("all")(results.results_page)
app.command("comparison")(comparison.comparison)
app.command("extraction")(extraction.extraction)

TruthOption = Annotated[
    list[Path] | None,
    option(
        "--truth FILE",
        "Audited outlines, to score against. Repeatable.",
        default="those of the repository, if it is there",
    ),
]


@app.command("cost")
def cost(
    data: options.Data,
    characters: Annotated[
        int, option("--characters N", "The length of the contract.", least=1)
    ] = 50_000,
    contracts: Annotated[
        int, option("--contracts N", "The median of the N nearest to it counts.", least=1)
    ] = 15,
    threads: Annotated[int, option("--threads N", "Cores used at once.", least=1)] = 2,
    record_out: options.Record = None,
    plots: options.Plots = None,
) -> None:
    """Measure what one contract costs all models.

    Its passages get vectors, 41 provisions and 17 rules are judged, and its clauses are ranked.
    """
    from fourcorners.models import available_models
    from fourcorners_bench.performance import cost as costing
    from fourcorners_bench.record import Record

    console.require_place(record_out)
    require_plots(plots)
    size = {"characters": characters, "contracts": contracts, "threads": threads}
    record = Record("cost", {"data": str(data), **size})
    record.models.update({info.name: info.identity for info in available_models()})
    with console.progress_steps() as step:
        figures = costing.measure_cost(data, **size, on_progress=step)
    record.measures.update(figures)
    record.write(record_out)
    plot_record(plots, record)
    console.stdout_console().print(costing.cost_table(figures))


@app.command("outline")
def outline(
    data: options.Data,
    run_out: options.Run = None,
    record_out: options.Record = None,
    plots: options.Plots = None,
    limit: options.Limit = None,
    jobs: options.Jobs = None,
    truth: TruthOption = None,
    audited_only: Annotated[bool, option("--audited-only", "Outline no other contracts.")] = False,
) -> None:
    """Outline the contracts, and score those that were audited.

    All texts and PDFs under DIR are outlined; the audited ones a person has read before.
    """
    from fourcorners.settings import Settings
    from fourcorners_bench.outline.run import contract_files, run_outlines
    from fourcorners_bench.record import Record
    from fourcorners_bench.run_files import write_lines

    console.require_place(run_out, record_out)
    require_plots(plots)
    settings = Settings.load(jobs=jobs)
    record = Record("outline", {"data": str(data), "limit": limit, "jobs": settings.jobs})
    record.settings["audited_only"] = audited_only
    audited = _audited(truth)
    names = {each.name for part in audited.values() for each in part} if audited_only else None
    paths = contract_files(data, limit=limit, names=names)
    with console.progress_steps() as step:
        run = run_outlines(paths, settings=settings, on_progress=step)
    for name, reason in run.failed:
        console.err().print(f"{name}: {reason}")
    if run_out is not None:
        write_lines(run_out, run.outlines)
    record.settings["readers"] = run.readers
    record.measures["failed"] = [name for name, _ in run.failed]
    _report_outlines(run.outlines, data, audited, record, record_out)
    plot_record(plots, record)


@app.command("score")
def score_run(
    runs: Annotated[list[Path], argument("RUN", "Run files; several are drawn in the same plots.")],
    data: options.Data,
    record_out: options.Record = None,
    plots: options.Plots = None,
    limit: options.Limit = None,
    truth: TruthOption = None,
    unseen_by: Annotated[
        str | None,
        option(
            "--unseen-by MODEL",
            "Score what this shipped model has not learned from, and nothing else.",
        ),
    ] = None,
) -> None:
    """Score run files without running anything."""
    from fourcorners_bench.figures.catalogue import plot_records
    from fourcorners_bench.figures.named_record import NamedRecord

    console.require_place(record_out)
    require_plots(plots)
    if record_out is not None and len(runs) > 1:
        raise ConfigError("--json holds one run.", remedy="Score each run by itself.")
    named: dict[str, list[NamedRecord]] = {}
    for run in runs:
        record = _score(run, data, record_out, limit, truth, unseen_by)
        scored = NamedRecord(run.stem, record.measures, record.settings)
        named.setdefault(record.benchmark, []).append(scored)
    if plots is not None:
        for benchmark, records in named.items():
            plot_records(plots, benchmark, records)


def _score(
    run: Path,
    data: Path,
    record_out: Path | None,
    limit: int | None,
    truth: list[Path] | None,
    unseen_by: str | None,
) -> Record:
    """Score a run file by the rules of its benchmark, print its tables, and return its record."""
    from fourcorners_bench.outline.loader import read_outlines
    from fourcorners_bench.record import Record
    from fourcorners_bench.run_files import run_benchmark

    benchmark = run_benchmark(run)
    if unseen_by is not None and benchmark in ("precedents", "entailment", "statements", "values"):
        raise ConfigError(
            "--unseen-by is for answers about CUAD's contracts and LegalBench-RAG's questions.",
            remedy="Leave it out: what a judge of these has learned from is named by the run.",
        )
    record = Record(benchmark, {"data": str(data), "run": str(run), "limit": limit})
    if benchmark == "outline":
        _report_outlines(read_outlines(run)[:limit], data, _audited(truth), record, record_out)
    elif benchmark == "values":
        values.score_run(run, data, record, record_out, limit=limit)
    elif benchmark == "statements":
        statements.score_run(run, data, record, record_out, limit=limit)
    elif benchmark == "precedents":
        precedents.score_run(run, data, record, record_out, limit=limit)
    elif benchmark == "entailment":
        entailment.score_run(run, data, record, record_out, limit=limit)
    else:
        record.settings["unseen_by"] = unseen_by
        score = {"retrieval": retrieval.score_run, "provisions": provisions.score_run}.get(
            benchmark, extraction.score_run
        )
        score(run, data, record, record_out, limit=limit, unseen_by=unseen_by)
    return record


@app.command("speed")
def speed(
    data: options.Data,
    record_out: options.Record = None,
    plots: options.Plots = None,
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

    console.require_place(record_out)
    require_plots(plots)
    settings = Settings.load(jobs=jobs)
    record = Record("speed", {"data": str(data), "limit": limit, "jobs": settings.jobs})
    encoder = None if without_encoder else default_encoder(threads=settings.jobs)
    with console.bench_library(library) as store, console.progress_steps() as step:
        figures = measure(
            store, data, limit=limit, encoder=encoder, settings=settings, on_progress=step
        )
    record.measures.update(figures)
    record.models["encoder"] = encoder.name if encoder else None
    record.write(record_out)
    plot_record(plots, record)
    console.stdout_console().print(table(figures))


@app.command("parts")
def parts(
    data: options.Data,
    record_out: options.Record = None,
    plots: options.Plots = None,
    limit: options.Limit = None,
    repeats: Annotated[int, option("--repeats N", "The median of N rounds counts.", least=1)] = 3,
) -> None:
    """Measure the speed of each step of reading, on one core.

    Figures are characters per second of CPU time, over the texts under DIR. The outline's is with
    its terms and references, which stand beside alone.
    """
    from fourcorners_bench.performance import speed as speed_measures
    from fourcorners_bench.record import Record

    console.require_place(record_out)
    require_plots(plots)
    record = Record("parts", {"data": str(data), "limit": limit, "repeats": repeats})
    with console.progress_steps() as step:
        figures = speed_measures.parts(data, limit=limit, repeats=repeats, on_progress=step)
    record.measures.update(figures)
    record.write(record_out)
    plot_record(plots, record)
    console.stdout_console().print(speed_measures.table(figures))


def _audited(truth: list[Path] | None) -> dict[str, list[AuditedOutline]]:
    from fourcorners_bench.outline.loader import read_truth, truth_files

    return {path.stem: read_truth(path) for path in truth or truth_files()}


def _report_outlines(
    run: Sequence[OutlineAnswer],
    data: Path,
    audited: dict[str, list[AuditedOutline]],
    record: Record,
    path: Path | None,
) -> None:
    from fourcorners_bench.measures.tables import summary_table
    from fourcorners_bench.outline.run import audited_texts
    from fourcorners_bench.outline.score import (
        outline_measures,
        outline_summary,
        outline_table,
        score_outlines,
    )

    summary = outline_summary(run)
    record.measures["summary"] = summary
    names = {each.name for part in audited.values() for each in part}
    if record.settings["limit"] is not None:
        names &= {each.name for each in run}
    texts = audited_texts(data, names) if names else {}
    verdicts = {name: score_outlines(part, run, texts) for name, part in audited.items()}
    found = any(verdicts.values())
    if found:
        record.measures.update(outline_measures(verdicts))
    record.write(path)
    out = console.stdout_console()
    out.print(summary_table("Outlines", summary))
    if found:
        out.print(outline_table(record.measures))


app.add_typer(answers.app, name="answers")
app.command("entailment")(entailment.entailment)
app.command("obligations")(obligations.obligations)
app.command("precedents")(precedents.precedents)
app.command("provisions")(provisions.provisions)
app.command("retrieval")(retrieval.retrieval)
app.command("build")(retrieval.build)
app.command("statements")(statements.statements)
app.command("values")(values.values)
app.command("verdicts")(verdicts.verdicts)
