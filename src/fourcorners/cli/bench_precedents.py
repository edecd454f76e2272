"""`fourcorners bench precedents`: ACORD, the clauses that lawyers would choose."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fourcorners.cli.bench_options import (
    DataOption,
    KeepOption,
    RecordOption,
    SeedOption,
    bench_library,
    progress_bar,
)
from fourcorners.cli.console import JobsOption, require_place

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fourcorners.evaluation.benchmark import Record
    from fourcorners.evaluation.precedents import Ranking, Split


class Wording(StrEnum):
    """The wording of the queries."""

    SHORT = "short"
    MEDIUM = "medium"
    LONG = "long"
    BOTH = "both"


def precedents(
    data: DataOption,
    split: Annotated[
        str, typer.Option("--split", metavar="NAME", help="The split: train, valid or test.")
    ] = "valid",
    wording: Annotated[
        Wording,
        typer.Option(
            "--format",
            metavar="FORMAT",
            help="short, medium, long; both: short and long, their scores averaged.",
        ),
    ] = Wording.SHORT,
    profile: Annotated[
        str,
        typer.Option(
            "--profile",
            metavar="NAME",
            help="default, hybrid, dense, bm25; dense-rerank and bm25-rerank: the first hundred "
            "read again by the reranker of the settings.",
        ),
    ] = "default",
    from_contracts: Annotated[
        Path | None,
        typer.Option(
            "--from-contracts",
            metavar="DIR",
            help="Cut the contracts of CUAD in DIR into clauses; a judged clause has the score of "
            "the best that covers 75% of it.",
            show_default=False,
        ),
    ] = None,
    library: KeepOption = None,
    limit: Annotated[
        int | None, typer.Option("--limit", metavar="N", min=1, help="Only the first N queries.")
    ] = None,
    seed: SeedOption = 0,
    jobs: JobsOption = None,
    run_out: Annotated[
        Path | None, typer.Option("--run-out", metavar="FILE", help="Write the raw answers.")
    ] = None,
    record_out: RecordOption = None,
) -> None:
    """Rank the judged clauses of ACORD's queries; score the order.

    A query's clauses are ranked without a look at their stars.
    """
    from fourcorners.cli import console
    from fourcorners.evaluation import precedents as acord
    from fourcorners.evaluation import preceding
    from fourcorners.evaluation.benchmark import Record
    from fourcorners.models import default_encoder, default_reranker
    from fourcorners.precedents.profile import named, reranks
    from fourcorners.settings import Settings

    require_place(run_out)
    require_place(record_out)
    how = named(profile)
    settings = Settings.load(jobs=jobs)
    asked = acord.load(data, split, limit=limit)
    encoder = default_encoder(threads=settings.jobs)
    reranker = default_reranker(threads=settings.jobs) if reranks(how) else None
    record = Record(
        "precedents",
        {
            "data": str(data),
            "split": split,
            "format": wording.value,
            "profile": how.value,
            "from_contracts": None if from_contracts is None else str(from_contracts),
            "limit": limit,
            "seed": seed,
            "jobs": settings.jobs,
        },
    )
    with progress_bar() as step:
        if from_contracts is None:
            run = preceding.run(
                asked, wording.value, encoder, profile=how, reranker=reranker, on_progress=step
            )
        else:
            from fourcorners.evaluation import precedents_contracts as whole

            with bench_library(library) as store:
                done = whole.from_contracts(
                    store,
                    from_contracts,
                    asked,
                    wording.value,
                    encoder,
                    profile=how,
                    reranker=reranker,
                    settings=settings,
                    on_progress=step,
                )
            run = done.run
            record.measures["from_contracts"] = done.to_json()
    if run_out is not None:
        acord.write_run(run_out, run)
    record.models.update(preceding.models(how, encoder, reranker))
    record.settings["without_format"] = preceding.without(asked, wording.value)
    record.settings["seen"] = preceding.seen(how, asked, encoder)
    for note in preceding.notes(how, asked, wording.value, encoder):
        console.err().print(note, markup=False)
    if from_contracts is not None:
        console.err().print(done.told, markup=False)
    title = f"ACORD {split}: {len(asked.queries)} queries, {wording.value}, {how.value}; percent"
    _report(asked, run, record, record_out, title, seed=seed)


def score_run(run: Path, data: Path, record_out: Path | None, *, limit: int | None) -> None:
    """Score a run file of the precedents benchmark; with a limit, its first lines alone."""
    from fourcorners.evaluation import precedents as acord
    from fourcorners.evaluation.benchmark import Record

    answers = acord.read_run(run)[:limit]
    asked = acord.matched(data, answers, partial=limit is not None)
    record = Record("precedents", {"data": str(data), "run": str(run), "limit": limit})
    title = f"ACORD {asked.name}: {len(asked.queries)} queries of {run.name}; percent"
    _report(asked, answers, record, record_out, title)


def _report(
    asked: Split,
    run: Sequence[Ranking],
    record: Record,
    path: Path | None,
    title: str,
    *,
    seed: int = 0,
) -> None:
    from fourcorners.cli import console
    from fourcorners.evaluation import precedents_tables as tables
    from fourcorners.evaluation.precedents_scores import measured_run, measures

    rows = measured_run(asked.queries, run)
    record.measures.update(measures(rows, seed=seed))
    record.settings["paper"] = tables.paper().source
    record.write(path)
    out = console.out()
    for shown in (
        tables.format_table(),
        tables.category_table(rows, seed=seed),
        tables.summary_table(rows, title, seed=seed),
    ):
        out.print(shown, crop=False)
        out.print()
