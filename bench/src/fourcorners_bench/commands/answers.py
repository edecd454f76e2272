"""`fourcorners bench answers`: how good the reports on questions to contracts are."""

from __future__ import annotations

import json
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

import fourcorners
from fourcorners.cli import options
from fourcorners.cli.model_port import of_model
from fourcorners.cli.options import argument, option
from fourcorners.cli.output import console
from fourcorners.errors import ConfigError
from fourcorners.research.answer import MAX_TURNS, TURNS
from fourcorners.work_folder import replace_text
from fourcorners_bench.commands.runner import (
    ExchangeOptions,
    Output,
    measurement,
    report_unread,
    require_model_options,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from fourcorners.library.store import Library
    from fourcorners.llm import Port
    from fourcorners.models.encoder.protocol import Encoder
    from fourcorners.research.answer import Answer
    from fourcorners.settings import Settings
    from fourcorners_bench.answers.loader import Question
    from fourcorners_bench.answers.run_files import Report
    from fourcorners_bench.answers.score import AnswerMeasures

app = typer.Typer(help="Measure the answers to questions.")


@dataclass(frozen=True, slots=True)
class _Questions:
    """Which questions are put to which contracts."""

    data: Annotated[
        Path | None,
        option(
            "--data PATH",
            "Questions like examples/questions.yaml; with --removal the folder of LegalBench-RAG.",
        ),
    ] = None
    contracts: Annotated[
        Path | None,
        option(
            "--contracts DIR",
            "What the questions are put to.",
            default="dataroom/ in the same folder",
        ),
    ] = None
    only: Annotated[
        list[str] | None, option("--only ID", "Only this question. May be given again.")
    ] = None


@dataclass(frozen=True, slots=True)
class _Answering:
    """How they are answered."""

    with_model: Annotated[
        bool, option("--with-model", "Answer with the three agents and their models.")
    ] = False
    plain: Annotated[
        bool,
        option(
            "--plain",
            "With --with-model: by one call on the nearest chunks, the baseline of reports.",
        ),
    ] = False
    turns: Annotated[
        int,
        option(
            "--turns N", "How often the model looks things up, at most.", least=1, most=MAX_TURNS
        ),
    ] = TURNS


@dataclass(frozen=True, slots=True)
class _Removal:
    """The removal test."""

    removal: Annotated[
        bool,
        option(
            "--removal",
            "The removal test: questions of contracts with the answering words, and with "
            "them cut out.",
        ),
    ] = False
    cases: Annotated[int, option("--cases N", "How many the removal test draws.", least=1)] = 200
    seed: Annotated[int, option("--seed N", "The seed by which they are drawn.")] = 0


@dataclass(frozen=True, slots=True)
class _RunOptions:
    """How the benchmark runs."""

    jobs: options.Jobs = None
    library: options.Keep = None


@app.callback(invoke_without_command=True)
@measurement()
def answers(
    output: Output,
    context: typer.Context,
    asked: _Questions,
    answering: _Answering,
    exchanges: ExchangeOptions,
    removal: _Removal,
    execution: _RunOptions,
) -> None:
    """Put questions to contracts, and measure what the reports quote.

    For each question: the share of the needed words that the report quotes, how much it quotes in
    all, its sentences with verified words, and whether it says so where a contract is silent.
    """
    if context.invoked_subcommand is not None:
        return
    data, model = asked.data, answering.with_model
    if data is None:
        raise ConfigError("there are no questions.", remedy="Name their file: --data FILE.")
    given = (exchanges.replay, exchanges.record, answering.plain)
    require_model_options(model, given, "Add --with-model.")
    if removal.removal:
        _test_removal(data, removal, execution.library, output)
        return
    from fourcorners.library.llm_store import library_port
    from fourcorners.settings import Settings
    from fourcorners_bench.answers import loader as answer_questions
    from fourcorners_bench.answers import run_files as answer_runs
    from fourcorners_bench.answers import score as answer_scores
    from fourcorners_bench.record import Record

    settings = Settings.load(jobs=execution.jobs)
    chosen = _select_questions(answer_questions.load_questions(data), asked.only or [])
    folder = asked.contracts or data.parent / "dataroom"
    if not folder.is_dir():
        raise ConfigError(
            f"{folder} is no folder.", remedy="Name that of the contracts: --contracts DIR."
        )
    encoder = fourcorners.default_encoder(settings.encoder, threads=settings.jobs)
    measured: list[AnswerMeasures] = []
    reports: list[Report] = []
    with console.bench_library(execution.library) as store, ExitStack() as stack:
        port = None
        if model:
            llm = of_model(settings.llm, "", exchanges.replay, exchanges.record)
            port = stack.enter_context(library_port(store, llm, "bench answers"))
        by = _answered_by(port, plain=answering.plain)
        written = Record("answers", {"data": str(data), "contracts": str(folder), "by": by})
        written.models["encoder"] = encoder.name
        with console.progress_steps() as step:
            unread = _fill(store, _files(folder, chosen), encoder, settings)
            report_unread(written, unread)
            places = answer_questions.locate_required_words(store, chosen, unread)
            ask = _asking(store, encoder, port, answering.turns, plain=answering.plain)
            if unread:
                ask = _unless_unread(ask, unread)
            for one, answer in answer_scores.run_questions(chosen, places, ask, on_progress=step):
                measured.append(one)
                reports.append(answer_runs.Report(one.question.id, by, answer))
    written.measures.update(answer_scores.answer_measures(measured))
    output.finish(written)
    output.write_run(reports)
    out = console.stdout_console()
    out.print(answer_scores.question_table(measured), crop=False)
    for table in answer_scores.kind_tables(written.measures):
        out.print()
        out.print(table, crop=False)
    if len(measured) < len(chosen):
        left = console.count_noun(len(chosen) - len(measured), "question")
        console.err().print(f"{left} left out: no program has read the scan.")


def _test_removal(data: Path, asked: _Removal, library: Path | None, output: Output) -> None:
    """Ask questions of contracts that answer them, and of copies without the answering words.

    The folder is LegalBench-RAG's, or the one that holds it and CUAD, whose groups keep the
    contracts apart that the rule was learned from. No language model is asked.
    """
    from fourcorners_bench.answers import removal
    from fourcorners_bench.measures.statistics import wilson_interval
    from fourcorners_bench.record import Record

    drawn = removal.draw_cases(data, held=True, count=asked.cases, seed=asked.seed)
    encoder, concepts = fourcorners.default_encoder(), fourcorners.default_concepts()
    record = Record(
        "answers", {"data": str(data), "test": "removal", "cases": len(drawn), "seed": asked.seed}
    )
    record.models["encoder"] = encoder.name
    with console.bench_library(library) as store, console.progress_steps() as step:
        outcomes = list(
            removal.run_removal(
                store, data, drawn, encoder=encoder, concepts=concepts, on_progress=step
            )
        )
    if output.run is not None:
        replace_text(output.run, "".join(f"{removal.outcome_line(each)}\n" for each in outcomes))
    removal_figures = removal.removal_measures(outcomes)
    record.measures.update(removal_figures)
    output.finish(record)
    for name, says in (
        ("answered", "answered, from the whole contract"),
        ("right", "with a quote of the marked words"),
        ("denied", "said not to be there, once it was cut out"),
    ):
        low, high = wilson_interval(round(removal_figures[name] * len(outcomes)), len(outcomes))
        console.print_text(f"{removal_figures[name]:6.1%}  {says} (95%: {low:.1%} to {high:.1%})")
    console.print_text(json.dumps({"cases": len(outcomes), "seed": asked.seed}))


def _select_questions(answer_questions: list[Question], only: list[str]) -> list[Question]:
    if unknown := set(only) - {each.id for each in answer_questions}:
        raise ConfigError(f"there is no question {min(unknown)!r}.")
    return [each for each in answer_questions if each.id in only] if only else answer_questions


def _answered_by(port: Port | None, *, plain: bool) -> str:
    from fourcorners.research.agents.inquiry import InquirySettings, require_models
    from fourcorners.research.offline.run import NO_MODEL
    from fourcorners_bench.answers.plain_rag import ROLE

    if port is None:
        return NO_MODEL
    if plain:
        return f"plain retrieval, {port.role_model(ROLE).name}"
    return ", ".join(dict.fromkeys(require_models(port, InquirySettings()).values()))


def _files(folder: Path, asked: list[Question]) -> list[Path]:
    """Return what to read of a folder: all of it, or no more than questions name if all do."""
    if not all(each.contracts for each in asked):
        return [folder]
    starts = tuple({start for each in asked for start in each.contracts})
    starts += tuple({needed.contract for each in asked for needed in each.needed})
    return sorted(path for path in folder.iterdir() if path.name.startswith(starts))


def _fill(
    store: Library, files: list[Path], encoder: Encoder, settings: Settings
) -> dict[str, str]:
    """Add the contracts; return why some could not be read, by the names of their files."""
    from fourcorners.library.ingest import add_files

    report = add_files(store, files, collection="questions", encoder=encoder, settings=settings)
    return {Path(each.path).name: each.reason for each in report.failed}


def _unless_unread(
    ask: Callable[[Question], Answer], unread: Mapping[str, str]
) -> Callable[[Question], Answer]:
    """Return what finds nothing for questions to a contract that could not be read."""
    from fourcorners.research.answer import Answer, PreliminaryAnswer, Provenance, Verdict
    from fourcorners_bench.answers.loader import is_unread

    def answer(question: Question) -> Answer:
        if not any(is_unread(start, unread) for start in question.contracts):
            return ask(question)
        made = Provenance("nobody", "fourcorners", datetime.now(UTC).isoformat(timespec="seconds"))
        nothing = PreliminaryAnswer(Verdict.UNSURE, ())
        stopped = "The contract could not be read."
        return Answer(question.asked, question.asked, made, "", nothing, stopped=stopped)

    return answer


def _asking(
    store: Library, encoder: Encoder, port: Port | None, turns: int, *, plain: bool
) -> Callable[[Question], Answer]:
    from fourcorners.research.agents.inquiry import InquirySettings
    from fourcorners.research.run import ResearchQuestion, ask, final_answer
    from fourcorners_bench.answers.loader import find_entry
    from fourcorners_bench.answers.plain_rag import answer_from_passages

    concepts = fourcorners.default_concepts()
    entries = store.documents()
    how = InquirySettings(turns=turns)

    def answer(question: Question) -> Answer:
        ids = [find_entry(entries, start).id for start in question.contracts]
        if plain and port is not None:
            asked = ids or [each.id for each in entries]
            return answer_from_passages(store, question.asked, asked, port, encoder)
        researched = ResearchQuestion(question.asked, contracts=ids, how=how)
        return final_answer(ask(store, researched, encoder=encoder, concepts=concepts, port=port))

    return answer


@dataclass(frozen=True, slots=True)
class _JudgeOptions:
    """Who judges, and how often."""

    by: Annotated[
        str,
        option(
            "--judge MODEL", "The model that judges.", default="the settings' model for judging"
        ),
    ] = ""
    samples: Annotated[int, option("--samples N", "Of each score; the mean.", least=1, most=20)] = 1
    people: Annotated[
        Path | None,
        option(
            "--people FILE",
            "Votes of people, as JSON lines (question, criterion, vote, labelled), to compare "
            "with the judge's.",
        ),
    ] = None


@app.command("judge")
@measurement("record", "plots")
def judge(
    output: Output,
    run: Annotated[Path, argument("RUN", "What --run-out wrote.")],
    against: Annotated[Path | None, argument("OTHER", "A second system's.")] = None,
    *,
    judging_by: _JudgeOptions,
    exchanges: ExchangeOptions,
    library: options.Keep = None,
) -> None:
    """Have a named model score reports by nine criteria, as G-Eval does.

    It sees the question and the report, and not who made it. Of two runs it scores both, and
    counts the votes for each.
    """
    from fourcorners.library.llm_store import library_port
    from fourcorners.settings import Settings
    from fourcorners_bench.answers import judging, votes
    from fourcorners_bench.answers import run_files as answer_runs
    from fourcorners_bench.answers.judging import load_criteria
    from fourcorners_bench.record import Record, json_figures

    runs = [answer_runs.read_reports(path) for path in (run, against) if path is not None]
    systems = [", ".join(dict.fromkeys(one.by for one in each.values())) for each in runs]
    given = votes.read_votes(judging_by.people, systems) if judging_by.people else []
    if judging_by.people and len(set(systems)) < 2:
        raise ConfigError("people vote between two systems.", remedy="Give the run of another.")
    run_record = Record(
        "answers, judged",
        {
            "runs": [str(run), *([str(against)] if against else [])],
            "samples": judging_by.samples,
            "paper": load_criteria().source,
        },
    )
    llm = of_model(Settings.load().llm, judging_by.by, exchanges.replay, exchanges.record)
    with (
        console.bench_library(library) as store,
        console.progress_steps() as step,
        library_port(store, llm, "bench judge") as port,
    ):
        found = [
            judging.judge_reports(each.values(), port, samples=judging_by.samples, on_progress=step)
            for each in runs
        ]
    run_record.models["judge"] = found[0].judge
    run_record.measures["judged"] = [each.to_json() for each in found]
    tables = [judging.judge_table(found)]
    if len(found) > 1:
        judge_shares = votes.judged_votes(*found)
        people_shares = votes.people_votes(given, systems)
        compared = votes.agreements(judge_shares, given, systems)
        run_record.measures["votes"] = json_figures(
            {"judge": judge_shares, "people": people_shares}
        )
        run_record.measures["agreement"] = {name: each.to_json() for name, each in compared.items()}
        tables.append(votes.votes_table(judge_shares, people_shares, systems))
        tables += [votes.agreement_table(compared)] if compared else []
    output.finish(run_record, *tables)
    if failed := sum(each.failed for each in found):
        console.err().print(f"{console.count_noun(failed, 'score')} never came.")
