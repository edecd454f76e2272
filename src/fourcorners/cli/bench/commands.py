"""`fourcorners bench`: the benchmarks, and the scoring of run files made anywhere."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fourcorners.cli.bench.cost import cost
from fourcorners.cli.bench.extraction import extraction, report
from fourcorners.cli.bench.options import (
    DataOption,
    KeepOption,
    LimitOption,
    RecordOption,
    bench_library,
    progress_bar,
)
from fourcorners.cli.output.console import JobsOption, require_place

if TYPE_CHECKING:
    from fourcorners.evaluation.outline.loader import AuditedOutline, OutlineAnswer
    from fourcorners.evaluation.record import Record


app = typer.Typer(help="Measure the program on public benchmarks.", no_args_is_help=True)
app.command("extraction")(extraction)
app.command("cost")(cost)


TruthOption = Annotated[
    list[Path] | None,
    typer.Option(
        "--truth",
        metavar="FILE",
        help="Audited outlines, to score against. Repeatable.",
        show_default="those of the repository, if it is there",
    ),
]

UnseenOption = Annotated[
    str | None,
    typer.Option(
        "--unseen-by",
        metavar="MODEL",
        help="Score what this shipped model has not learned from, and nothing else.",
    ),
]


@app.command("outline")
def outline(
    data: DataOption,
    run_out: Annotated[
        Path | None, typer.Option("--run-out", metavar="FILE", help="Write the raw answers.")
    ] = None,
    record_out: RecordOption = None,
    limit: LimitOption = None,
    jobs: JobsOption = None,
    truth: TruthOption = None,
    audited_only: Annotated[
        bool, typer.Option("--audited-only", help="Outline no other contracts.")
    ] = False,
) -> None:
    """Outline the contracts, and score those that were audited.

    All texts and PDFs under DIR are outlined; the audited ones a person has read before.
    """
    from fourcorners.cli.output import console
    from fourcorners.evaluation.outline.run import contract_files, run_outlines
    from fourcorners.evaluation.record import Record
    from fourcorners.evaluation.run_files import write_lines
    from fourcorners.settings import Settings

    require_place(run_out)
    require_place(record_out)
    settings = Settings.load(jobs=jobs)
    record = Record("outline", {"data": str(data), "limit": limit, "jobs": settings.jobs})
    record.settings["audited_only"] = audited_only
    audited = _audited(truth)
    names = {each.name for part in audited.values() for each in part} if audited_only else None
    paths = contract_files(data, limit=limit, names=names)
    with progress_bar() as step:
        run = run_outlines(paths, settings=settings, on_progress=step)
    for name, reason in run.failed:
        console.err().print(f"{name}: {reason}", markup=False)
    if run_out is not None:
        write_lines(run_out, run.outlines)
    record.settings["readers"] = run.readers
    record.measures["failed"] = [name for name, _ in run.failed]
    _report_outlines(run.outlines, data, audited, record, record_out)


@app.command("score")
def score_run(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="A run file.")],
    data: DataOption,
    record_out: RecordOption = None,
    limit: LimitOption = None,
    truth: TruthOption = None,
    unseen_by: UnseenOption = None,
) -> None:
    """Score a run file without running anything."""
    from fourcorners.errors import ConfigError
    from fourcorners.evaluation.extraction import loader as cuad
    from fourcorners.evaluation.extraction.loader import read_extractions
    from fourcorners.evaluation.outline.loader import read_outlines
    from fourcorners.evaluation.record import Record
    from fourcorners.evaluation.retrieval.unseen import contracts_unseen
    from fourcorners.evaluation.run_files import run_benchmark

    require_place(record_out)
    benchmark = run_benchmark(run)
    if benchmark == "retrieval":
        from fourcorners.cli.bench.retrieval import score_run as score_retrieval

        score_retrieval(run, data, record_out, limit=limit, unseen_by=unseen_by)
        return
    if benchmark == "provisions":
        from fourcorners.cli.bench.provisions import score_run as score_provisions

        score_provisions(run, data, record_out, limit=limit, unseen_by=unseen_by)
        return
    if unseen_by is not None and benchmark in ("precedents", "entailment"):
        raise ConfigError(
            "--unseen-by is for answers about CUAD's contracts and LegalBench-RAG's questions.",
            remedy="Leave it out: what a judge of these has learned from is named by the run.",
        )
    if benchmark == "precedents":
        from fourcorners.cli.bench.precedents_report import score_run as score_precedents

        score_precedents(run, data, record_out, limit=limit)
        return
    if benchmark == "entailment":
        from fourcorners.cli.bench.entailment import score_run as score_entailment

        score_entailment(run, data, record_out, limit=limit)
        return
    if benchmark == "outline":
        record = Record("outline", {"data": str(data), "run": str(run), "limit": limit})
        _report_outlines(read_outlines(run)[:limit], data, _audited(truth), record, record_out)
        return
    answers = read_extractions(run)
    record = Record("extraction", {"data": str(data), "run": str(run), "limit": limit})
    record.settings["unseen_by"] = unseen_by
    contracts = contracts_unseen(cuad.load_cuad(data, limit=limit), unseen_by)
    report(contracts, answers, record, record_out)


@app.command("speed")
def speed(
    data: DataOption,
    record_out: RecordOption = None,
    limit: LimitOption = None,
    jobs: JobsOption = None,
    without_encoder: Annotated[
        bool, typer.Option("--without-encoder", help="Leave the vectors out.")
    ] = False,
    library: KeepOption = None,
) -> None:
    """Measure contracts a minute by stage, memory and library size.

    All contracts under DIR are added and reviewed.
    """
    from fourcorners.cli.output import console
    from fourcorners.evaluation.performance.speed import measure, table
    from fourcorners.evaluation.record import Record
    from fourcorners.models import default_encoder
    from fourcorners.settings import Settings

    require_place(record_out)
    settings = Settings.load(jobs=jobs)
    record = Record("speed", {"data": str(data), "limit": limit, "jobs": settings.jobs})
    encoder = None if without_encoder else default_encoder(threads=settings.jobs)
    with bench_library(library) as store, progress_bar() as step:
        figures = measure(
            store, data, limit=limit, encoder=encoder, settings=settings, on_progress=step
        )
    record.measures.update(figures)
    record.models["encoder"] = encoder.name if encoder else None
    record.write(record_out)
    console.stdout_console().print(table(figures))


@app.command("parts")
def parts(
    data: DataOption,
    record_out: RecordOption = None,
    limit: LimitOption = None,
    repeats: Annotated[
        int, typer.Option("--repeats", metavar="N", min=1, help="The median of N rounds counts.")
    ] = 3,
) -> None:
    """Measure the speed of each step of reading a text, on one core.

    Figures are characters per second of CPU time, over the texts under DIR. The outline's is with
    its terms and references, which stand beside alone.
    """
    from fourcorners.cli.output import console
    from fourcorners.evaluation.performance import speed as measuring
    from fourcorners.evaluation.record import Record

    require_place(record_out)
    record = Record("parts", {"data": str(data), "limit": limit, "repeats": repeats})
    with progress_bar() as step:
        figures = measuring.parts(data, limit=limit, repeats=repeats, on_progress=step)
    record.measures.update(figures)
    record.write(record_out)
    console.stdout_console().print(measuring.table(figures))


@app.command("cards")
def cards(data: DataOption, record_out: RecordOption = None, limit: LimitOption = None) -> None:
    """Compare contract cards with the answers of CUAD's lawyers.

    Rules were made while looking at part of the contracts; figures of the held-out part stand
    beside.
    """
    from fourcorners.cli.output import console
    from fourcorners.evaluation.cards import score as reading
    from fourcorners.evaluation.extraction import loader as cuad
    from fourcorners.evaluation.record import Record

    require_place(record_out)
    record = Record("cards", {"data": str(data), "limit": limit})
    contracts = cuad.load_cuad(data, limit=limit)
    with progress_bar() as step:
        scores = reading.score_cards(
            contracts,
            reading.load_answers(data),
            on_progress=lambda done, total: step("Reading cards", done, total),
        )
    record.measures.update(reading.card_measures(scores))
    record.write(record_out)
    console.stdout_console().print(reading.card_table(scores))


def _audited(truth: list[Path] | None) -> dict[str, list[AuditedOutline]]:
    """Return the audited sets by the names of their files."""
    from fourcorners.evaluation.outline.loader import read_truth, truth_files

    return {path.stem: read_truth(path) for path in truth or truth_files()}


def _report_outlines(
    run: Sequence[OutlineAnswer],
    data: Path,
    audited: dict[str, list[AuditedOutline]],
    record: Record,
    path: Path | None,
) -> None:
    from fourcorners.cli.output import console
    from fourcorners.evaluation.measures.tables import summary_table
    from fourcorners.evaluation.outline.run import audited_texts
    from fourcorners.evaluation.outline.score import (
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
    console.stdout_console().print(summary_table("Outlines", summary))
    if found:
        console.stdout_console().print(outline_table(record.measures))
