"""`fourcorners bench outline`: the outlines of contracts, against those that a person audited."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

from fourcorners.cli import options
from fourcorners.cli.options import option
from fourcorners.cli.output import console
from fourcorners_bench.commands.runner import Output, Scoring, measurement

if TYPE_CHECKING:
    from rich.table import Table

    from fourcorners_bench.outline.loader import AuditedOutline, OutlineAnswer
    from fourcorners_bench.record import Record

Truth: TypeAlias = Annotated[
    list[Path] | None,
    option(
        "--truth FILE",
        "Audited outlines, to score against. Repeatable.",
        default="those of the repository, if it is there",
    ),
]


@measurement()
def outline(
    output: Output,
    data: options.Data,
    limit: options.Limit = None,
    jobs: options.Jobs = None,
    truth: Truth = None,
    audited_only: Annotated[bool, option("--audited-only", "Outline no other contracts.")] = False,
) -> None:
    """Outline the contracts, and score those that were audited.

    All texts and PDFs under DIR are outlined; the audited ones a person has read before.
    """
    from fourcorners.settings import Settings
    from fourcorners_bench.outline.run import contract_files, run_outlines
    from fourcorners_bench.record import Record

    settings = Settings.load(jobs=jobs)
    record = Record("outline", {"data": str(data), "limit": limit, "jobs": settings.jobs})
    record.settings["audited_only"] = audited_only
    audited = _audited(truth or ())
    names = {each.name for part in audited.values() for each in part} if audited_only else None
    paths = contract_files(data, limit=limit, names=names)
    with console.progress_steps() as step:
        run = run_outlines(paths, settings=settings, on_progress=step)
    for name, reason in run.failed:
        console.err().print(f"{name}: {reason}")
    output.write_run(run.outlines)
    record.settings["readers"] = run.readers
    record.measures["failed"] = [name for name, _ in run.failed]
    output.finish(record, *_score(run.outlines, data, audited, record))


def score_run(asked: Scoring, record: Record) -> Sequence[Table]:
    """Score a run file of outlines; with a limit, its first lines alone."""
    from fourcorners_bench.outline.loader import read_outlines

    run = read_outlines(asked.run)[: asked.limit]
    return _score(run, asked.data, _audited(asked.truth), record)


def _audited(truth: Sequence[Path]) -> dict[str, list[AuditedOutline]]:
    from fourcorners_bench.outline.loader import read_truth, truth_files

    return {path.stem: read_truth(path) for path in truth or truth_files()}


def _score(
    run: Sequence[OutlineAnswer],
    data: Path,
    audited: dict[str, list[AuditedOutline]],
    record: Record,
) -> Sequence[Table]:
    """Put the figures of a run on record, and return its tables."""
    from fourcorners_bench.measures.tables import summary_table
    from fourcorners_bench.outline import score
    from fourcorners_bench.outline.run import audited_texts

    summary = score.outline_summary(run)
    record.measures["summary"] = summary
    names = {each.name for part in audited.values() for each in part}
    if record.settings["limit"] is not None:
        names &= {each.name for each in run}
    texts = audited_texts(data, names) if names else {}
    verdicts = {name: score.score_outlines(part, run, texts) for name, part in audited.items()}
    tables = [summary_table("Outlines", summary)]
    if any(verdicts.values()):
        record.measures.update(score.outline_measures(verdicts))
        tables.append(score.outline_table(record.measures))
    return tables
