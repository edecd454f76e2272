"""`fourcorners bench retrieval` and `bench build`: LegalBench-RAG, run and made."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fourcorners.cli.bench.options import (
    DataOption,
    KeepOption,
    RecordOption,
    bench_library,
    progress_bar,
)
from fourcorners.cli.output.console import JobsOption, require_place

if TYPE_CHECKING:
    from fourcorners.evaluation.record import Json, Record
    from fourcorners.evaluation.retrieval.loader import Answer, QuestionSet
    from fourcorners.evaluation.retrieval.score import RetrievalScores


class ContractScope(StrEnum):
    """What is told of the contract that a question is about."""

    QUESTION = "question"
    GIVEN = "given"
    WHOLE = "whole"


def retrieval(
    data: DataOption,
    benchmark: Annotated[
        list[str] | None,
        typer.Option(
            "--benchmark",
            metavar="NAME",
            help="A set, such as cuad. May be given again.",
            show_default="all that DIR holds",
        ),
    ] = None,
    profile: Annotated[
        str,
        typer.Option(
            "--profile",
            metavar="NAME",
            help="default (also full), hybrid, bm25, dense, naive, rcts, rcts-hybrid, "
            "naive-rerank, rcts-rerank, pakton-1, pakton-2.",
        ),
    ] = "default",
    scope: Annotated[
        ContractScope,
        typer.Option(
            "--scope",
            metavar="WHAT",
            help="question: the contract is found by the words that name it; given: it is told, "
            "and those words are cut; whole: the corpus is searched for all the words.",
        ),
    ] = ContractScope.QUESTION,
    mini: Annotated[
        bool, typer.Option("--mini", help="LegalBench-RAG-mini's 194 questions of each set.")
    ] = False,
    limit: Annotated[
        int | None,
        typer.Option(
            "--limit", metavar="N", min=1, help="N questions of each set, drawn by the seed."
        ),
    ] = None,
    seed: Annotated[
        int,
        typer.Option("--seed", metavar="N", help="The seed of --limit and of the intervals."),
    ] = 0,
    jobs: JobsOption = None,
    library: KeepOption = None,
    run_out: Annotated[
        Path | None, typer.Option("--run-out", metavar="FILE", help="Write the raw answers.")
    ] = None,
    record_out: RecordOption = None,
    plots: Annotated[
        Path | None, typer.Option("--plots", metavar="DIR", help="Draw the figures as SVG.")
    ] = None,
) -> None:
    """Answer LegalBench-RAG's questions, and score what is found.

    A run's corpus is that of all its sets, as in the benchmark's own program.
    """
    from fourcorners.cli.output import console
    from fourcorners.evaluation.record import Record
    from fourcorners.evaluation.retrieval import loader as legalbench
    from fourcorners.evaluation.retrieval import report as tables
    from fourcorners.evaluation.retrieval import run as retrieving
    from fourcorners.evaluation.retrieval.profiles import find_pipeline, profile_notes
    from fourcorners.evaluation.run_files import write_lines
    from fourcorners.models import default_encoder, default_reranker
    from fourcorners.settings import Settings

    require_place(run_out)
    require_place(record_out)
    settings = Settings.load(jobs=jobs)
    reranker = default_reranker(threads=settings.jobs)
    how = find_pipeline(profile, reranker)
    sets = [legalbench.load_set(data, name) for name in benchmark or legalbench.set_names(data)]
    if mini:
        sets = [legalbench.mini_set(each) for each in sets]
    sets = [legalbench.sample_set(each, limit, seed) for each in sets]
    encoder = default_encoder(threads=settings.jobs)
    record = Record(
        "retrieval",
        {
            "data": str(data),
            "benchmarks": [each.name for each in sets],
            "corpus": sum(len(each.corpus) for each in sets),
            "profile": profile,
            "scope": scope.value,
            "mini": mini,
            "limit": limit,
            "seed": seed,
            "jobs": settings.jobs,
        },
    )
    with bench_library(library) as store, progress_bar() as step:
        runs = retrieving.run_retrieval(
            store,
            sets,
            data,
            profile=profile,
            given=retrieving.ContractScope(scope.value),
            encoder=encoder,
            make_encoder=partial(default_encoder, threads=1),
            reranker=reranker,
            settings=settings,
            on_progress=step,
        )
    if run_out is not None:
        write_lines(run_out, (answer for run in runs for answer in run.answers))
    record.models["encoder"] = encoder.name if how is None or how.dense else None
    record.models["reranker"] = reranker.name if reranker else None
    told = profile_notes(profile, reranker)
    if how is None:
        weights = retrieving.weights_hash()
        record.models["weights"] = weights
        told = [f"Sentences are weighed as follows: {weights['provenance']}"]
    record.settings["notes"] = told
    for note in told:
        console.err().print(note, markup=False)
    record.measures["routing"] = {
        run.part.name: tables.routing_measures(run.routed) for run in runs if run.routed
    }
    record.measures["seconds_a_question"] = {
        run.part.name: round(run.seconds / max(1, len(run.answers)), 4) for run in runs
    }
    _report([(run.part, run.answers) for run in runs], record, record_out, seed=seed, plots=plots)
    for run in runs:
        if run.routed:
            console.stdout_console().print(
                tables.routing_line(run.part.name, run.routed), markup=False
            )


def score_run(
    run: Path,
    data: Path,
    record_out: Path | None,
    *,
    limit: int | None,
    unseen_by: str | None = None,
) -> None:
    """Score a run file of the retrieval benchmark; with a limit, its first lines alone."""
    from fourcorners.evaluation.record import Record
    from fourcorners.evaluation.retrieval import loader as legalbench
    from fourcorners.evaluation.retrieval.unseen import questions_unseen

    answers = legalbench.read_run(run)[:limit]
    sets = [legalbench.load_set(data, name) for name in legalbench.set_names(data)]
    record = Record("retrieval", {"data": str(data), "run": str(run), "limit": limit})
    record.settings["unseen_by"] = unseen_by
    answered = legalbench.match_run(sets, answers, partial=limit is not None)
    _report(questions_unseen(answered, data, unseen_by), record, record_out)


def _report(
    answered: Sequence[tuple[QuestionSet, Sequence[Answer]]],
    record: Record,
    path: Path | None,
    *,
    seed: int = 0,
    plots: Path | None = None,
) -> None:
    from fourcorners.cli.output import console
    from fourcorners.evaluation.retrieval import report as tables
    from fourcorners.evaluation.retrieval.score import mean_of_sets, resample_scores

    drawn = [
        resample_scores(part.name, part.questions, answers, seed=seed) for part, answers in answered
    ]
    scores: list[RetrievalScores] = [each.scores() for each in drawn]
    if len(drawn) > 1:
        scores.append(mean_of_sets(drawn).scores())
    figures: dict[str, Json] = {each.name: each.to_json() for each in scores}
    record.measures["sets"] = figures
    record.write(path)
    out = console.stdout_console()
    for each in scores:
        for shown in (tables.retrieval_table(each), *tables.published_tables(each)):
            out.print(shown, crop=False)
            out.print()
    if plots is not None:
        tables.write_plots(plots, scores)


def build(
    out: Annotated[
        Path, typer.Argument(metavar="DIR", help="Where benchmarks and corpus are written.")
    ],
    questions: Annotated[
        Path,
        typer.Option(
            "--questions", metavar="FILE", help="JSON: for each set, category and question."
        ),
    ],
    cuad: Annotated[
        Path | None, typer.Option("--cuad", metavar="DIR", help="The folder of CUAD.")
    ] = None,
    contractnli: Annotated[
        Path | None,
        typer.Option("--contractnli", metavar="FILE", help="A split of ContractNLI, as JSON."),
    ] = None,
    maud: Annotated[
        Path | None,
        typer.Option("--maud", metavar="DIR", help="MAUD: main.csv, and its texts in contracts."),
    ] = None,
    privacy_qa: Annotated[
        Path | None,
        typer.Option("--privacy-qa", metavar="FILE", help="PrivacyQA's table of annotations."),
    ] = None,
    descriptions: Annotated[
        Path | None,
        typer.Option(
            "--descriptions",
            metavar="FILE",
            help="JSON: for each set, file name and description of the document.",
            show_default="by title and parties",
        ),
    ] = None,
) -> None:
    """Make a benchmark such as LegalBench-RAG from its source data.

    What cannot be told apart, placed or described is left out, and counted.
    """
    from fourcorners.cli.output import console
    from fourcorners.errors import ConfigError
    from fourcorners.evaluation.retrieval import build as building

    sources = {"cuad": cuad, "contractnli": contractnli, "maud": maud, "privacy_qa": privacy_qa}
    given = {name: path for name, path in sources.items() if path is not None}
    if not given:
        raise ConfigError("there is nothing to build from.", remedy="Give --cuad or another.")
    for name, source in given.items():
        built = building.build_set(
            name,
            source,
            asked=building.load_mapping(questions, name),
            described=building.load_mapping(descriptions, name) if descriptions else None,
        )
        building.write_set(built, out)
        left = "; ".join(f"{reason}: {count}" for reason, count in built.left_out.items())
        console.stdout_console().print(
            f"{name}: {len(built.questions):,} questions of {len(built.texts):,} documents."
            + (f" Left out: {left}." if left else ""),
            markup=False,
        )
