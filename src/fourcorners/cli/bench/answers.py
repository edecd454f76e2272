"""`fourcorners bench answers`: how good the reports on questions to contracts are."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fourcorners.cli.bench import votes as bench_votes
from fourcorners.cli.bench.extraction_model import ExchangesOption, ReplayOption
from fourcorners.cli.bench.options import (
    KeepOption,
    RecordOption,
    bench_library,
    of_model,
    progress_bar,
)
from fourcorners.cli.output.console import JobsOption, require_place
from fourcorners.errors import ConfigError
from fourcorners.research.limits import MAX_TURNS, TURNS

if TYPE_CHECKING:
    from collections.abc import Callable

    from fourcorners.evaluation.answers.loader import Question
    from fourcorners.evaluation.answers.run_files import Report
    from fourcorners.evaluation.answers.score import AnswerMeasures
    from fourcorners.library.store import Library
    from fourcorners.llm import Port
    from fourcorners.models.encoder.protocol import Encoder
    from fourcorners.research.answer import Answer
    from fourcorners.settings import Settings

app = typer.Typer(help="Measure the answers to questions.")
app.command("judge")(bench_votes.judge)
app.command("ballot")(bench_votes.ballot)
app.command("agreement")(bench_votes.agreement)


@app.callback(invoke_without_command=True)
def answers(
    context: typer.Context,
    data: Annotated[
        Path | None,
        typer.Option(
            "--data",
            metavar="PATH",
            help="Questions like examples/questions.yaml; with --removal the folder of "
            "LegalBench-RAG.",
        ),
    ] = None,
    contracts: Annotated[
        Path | None,
        typer.Option(
            "--contracts",
            metavar="DIR",
            help="What the questions are put to.",
            show_default="dataroom/ beside them",
        ),
    ] = None,
    only: Annotated[
        list[str] | None,
        typer.Option(
            "--only",
            metavar="ID",
            help="Only this question. May be given again.",
            show_default=False,
        ),
    ] = None,
    with_model: Annotated[
        bool,
        typer.Option("--with-model", help="Answer with the three agents and their models."),
    ] = False,
    turns: Annotated[
        int,
        typer.Option(
            "--turns",
            metavar="N",
            min=1,
            max=MAX_TURNS,
            help="How often the model looks things up, at most.",
        ),
    ] = TURNS,
    replay: ReplayOption = None,
    record: ExchangesOption = None,
    removal: Annotated[
        bool,
        typer.Option(
            "--removal",
            help="The removal test: questions of contracts with the answering words, and with "
            "them cut out.",
        ),
    ] = False,
    cases: Annotated[
        int,
        typer.Option("--cases", metavar="N", min=1, help="How many the removal test draws."),
    ] = 200,
    seed: Annotated[
        int, typer.Option("--seed", metavar="N", help="The seed by which they are drawn.")
    ] = 0,
    jobs: JobsOption = None,
    library: KeepOption = None,
    run_out: Annotated[
        Path | None, typer.Option("--run-out", metavar="FILE", help="Write the reports.")
    ] = None,
    record_out: RecordOption = None,
) -> None:
    """Put questions to contracts, and measure what the reports quote.

    For each question: the share of the needed words that the report quotes, how much it quotes in
    all, its sentences with verified words, and whether it says so where a contract is silent.
    """
    if context.invoked_subcommand is not None:
        return
    if data is None:
        raise ConfigError("there are no questions.", remedy="Name their file: --data FILE.")
    if not with_model and (replay or record):
        raise ConfigError(
            "exchanges are named, and no language model is asked.", remedy="Add --with-model."
        )
    if removal:
        from fourcorners.cli.bench.judge import answers as test_removal

        test_removal(
            data, removal=True, cases=cases, seed=seed, library=library, run_out=run_out,
            record_out=record_out,
        )  # fmt: skip
        return
    require_place(run_out)
    require_place(record_out)
    _run(
        data,
        contracts or data.parent / "dataroom",
        only or [],
        (replay, record) if with_model else None,
        run_out=run_out,
        record_out=record_out,
        turns=turns,
        jobs=jobs,
        library=library,
    )


def _run(
    data: Path,
    contracts: Path,
    only: list[str],
    model: tuple[Path | None, Path | None] | None,
    *,
    run_out: Path | None,
    record_out: Path | None,
    turns: int,
    jobs: int | None,
    library: Path | None,
) -> None:
    from fourcorners.cli.output import console
    from fourcorners.evaluation.answers import loader as questions
    from fourcorners.evaluation.answers import run_files as answer_runs
    from fourcorners.evaluation.answers import score as questioning
    from fourcorners.evaluation.record import Record
    from fourcorners.evaluation.run_files import write_lines
    from fourcorners.models import default_encoder
    from fourcorners.settings import Settings

    settings = Settings.load(jobs=jobs)
    asked = _chosen(questions.load_questions(data), only)
    if not contracts.is_dir():
        raise ConfigError(
            f"{contracts} is no folder.", remedy="Name that of the contracts: --contracts DIR."
        )
    encoder = default_encoder(threads=settings.jobs)
    told: list[AnswerMeasures] = []
    kept: list[Report] = []
    with bench_library(library) as store, ExitStack() as stack:
        port = stack.enter_context(_port(settings, store, *model)) if model else None
        by = _by(port)
        record = Record("answers", {"data": str(data), "contracts": str(contracts), "by": by})
        record.models["encoder"] = encoder.name
        with progress_bar() as step:
            _fill(store, _files(contracts, asked), encoder, settings)
            places = questions.locate_required_words(store, asked)
            ask = _asking(store, encoder, port, turns)
            for one, answer in questioning.run_questions(asked, places, ask, on_progress=step):
                told.append(one)
                kept.append(answer_runs.Report(one.question.id, by, answer))
    record.measures.update(questioning.answer_measures(told))
    record.write(record_out)
    if run_out is not None:
        write_lines(run_out, kept)
    out = console.stdout_console()
    out.print(questioning.question_table(told), crop=False)
    for table in questioning.kind_tables(record.measures):
        out.print()
        out.print(table, crop=False)
    if len(told) < len(asked):
        left = console.count_noun(len(asked) - len(told), "question")
        console.err().print(f"{left} left out: no program has read the scan.", markup=False)


def _chosen(questions: list[Question], only: list[str]) -> list[Question]:
    unknown = set(only) - {each.id for each in questions}
    if unknown:
        raise ConfigError(f"there is no question {min(unknown)!r}.")
    return [each for each in questions if each.id in only] if only else questions


def _port(settings: Settings, store: Library, replay: Path | None, record: Path | None) -> Port:
    from fourcorners.library.llm_store import LibraryCache, LibraryLedger
    from fourcorners.llm import open_port

    return open_port(
        of_model(settings.llm, "", replay, record),
        cache=LibraryCache(store),
        ledger=LibraryLedger(store),
        job="bench answers",
    )


def _by(port: Port | None) -> str:
    from fourcorners.research.agents.inquiry import AGENTS, require_models
    from fourcorners.research.offline.run import NO_MODEL

    if port is None:
        return NO_MODEL
    require_models(port)
    return ", ".join(dict.fromkeys(port.role_model(role).name for role in AGENTS))


def _files(folder: Path, asked: list[Question]) -> list[Path]:
    """Return what to read of a folder: all of it, or no more than questions name if all do."""
    if not all(each.contracts for each in asked):
        return [folder]
    starts = tuple({start for each in asked for start in each.contracts})
    starts += tuple({needed.contract for each in asked for needed in each.needed})
    return sorted(path for path in folder.iterdir() if path.name.startswith(starts))


def _fill(store: Library, files: list[Path], encoder: Encoder, settings: Settings) -> None:
    from fourcorners.library.ingest import add_files

    report = add_files(store, files, collection="questions", encoder=encoder, settings=settings)
    if report.failed:
        first = report.failed[0]
        raise ConfigError(f"{first.path}: {first.reason}", remedy=first.remedy)


def _asking(
    store: Library, encoder: Encoder, port: Port | None, turns: int
) -> Callable[[Question], Answer]:
    from fourcorners.evaluation.answers.loader import find_entry
    from fourcorners.playbooks.concepts import default_concepts
    from fourcorners.research.agents.inquiry import InquirySettings
    from fourcorners.research.run import ask, final_answer

    concepts = default_concepts()
    entries = store.documents()
    how = InquirySettings(turns=turns)

    def answer(question: Question) -> Answer:
        ids = [find_entry(entries, start).id for start in question.contracts]
        return final_answer(
            ask(
                store,
                question.asked,
                contracts=ids,
                encoder=encoder,
                concepts=concepts,
                port=port,
                how=how,
            )
        )

    return answer
