"""`fourcorners bench entailment`: ContractNLI, what a contract says of a hypothesis, and where.

With language models it is in the settings of PAKTON's paper.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from fourcorners.cli import options
from fourcorners.cli.model_port import of_model
from fourcorners.cli.options import option
from fourcorners.cli.output import console
from fourcorners.errors import ConfigError
from fourcorners_bench.commands.runner import Output, Scoring, measurement, require_model_options

if TYPE_CHECKING:
    from rich.table import Table

    from fourcorners_bench.entailment.loader import JudgedHypothesis, Split
    from fourcorners_bench.entailment.model_run import Setting
    from fourcorners_bench.record import Record

MAX_TRIES = 20  # of every question


@dataclass(frozen=True, slots=True)
class _Documents:
    """Which documents are judged, and how."""

    data: Annotated[Path, option("--data FILE", "A split of ContractNLI, as JSON.")]
    profile: Annotated[
        Literal["default", "sentences", "unseen", "alone", "words"],
        option(
            "--profile NAME",
            "default; sentences: evidence among the program's sentences; unseen: as if no "
            "hypothesis were known, guided by nda-review; alone: not guided; words: by the words "
            "that are shared.",
        ),
    ] = "default"
    limit: Annotated[int | None, option("--limit N", "Only the first N documents.", least=1)] = None
    questions: Annotated[
        int | None,
        option("--questions N", "With --experiment: N questions, drawn by the seed.", least=1),
    ] = None
    seed: options.Seed = 0


@dataclass(frozen=True, slots=True)
class _Experiments:
    """What language models are asked."""

    experiment: Annotated[
        list[str] | None,
        option(
            "--experiment NAME",
            "Ask language models: zero-shot, zero-shot-optimised, few-shot, few-shot-spans, "
            "few-shot-spans-hypothesis, chain-of-thought, each also with -gold; "
            "few-shot-retrieved, rag, agents; paper, which is all of these; or a YAML file. May be "
            "given again.",
        ),
    ] = None
    tries: Annotated[
        int, option("--tries N", "How often a model is asked everything.", least=1, most=MAX_TRIES)
    ] = 3
    exemplars: Annotated[
        list[Path] | None,
        option(
            "--exemplars FILE",
            "Solved examples: ContractNLI's train_spans.csv, or train.json for whole contracts. "
            "May be given again: the paper's agents had dev.json, too.",
            default="train_spans.csv in the folder of --data",
        ),
    ] = None
    reports: Annotated[
        Path | None,
        option(
            "--reports FILE",
            "With agents or rag: their reports, for `bench answers judge`; those of rag are asked "
            "for in a call of their own.",
        ),
    ] = None
    model: options.Model = None
    replay: options.Replay = None
    exchanges: options.Exchanges = None
    library: options.Keep = None


@measurement()
def entailment(output: Output, asked: _Documents, experiments: _Experiments) -> None:
    """Judge documents against hypotheses, with evidence; score it.

    Quotes are ranked by how surely they are evidence, whatever the label. With a language model,
    answers are kept in the library, and are not asked for again.
    """
    from fourcorners_bench.entailment import loader as contractnli
    from fourcorners_bench.entailment import run as entailing
    from fourcorners_bench.record import Record

    given = replace(experiments, experiment=None)
    require_model_options(
        bool(experiments.experiment),
        (given != _Experiments(), asked.questions),
        "Add --experiment.",
    )
    if experiments.experiment:
        _run_experiments(asked, experiments, output)
        return
    how = entailing.Profile(asked.profile)
    split = contractnli.load_split(asked.data, limit=asked.limit)
    record = Record(
        "entailment", {"data": str(asked.data), "profile": how.value, "limit": asked.limit}
    )
    record.settings["seed"] = asked.seed
    judge = entailing.judge_for(how)
    record.models.update(entailing.model_names(judge))
    record.settings["seen"] = entailing.trained_documents(judge, split)
    spans_given = how is not entailing.Profile.SENTENCES
    with console.progress_steps() as step:
        run = entailing.run_entailment(split, judge, given=spans_given, on_progress=step)
    output.write_run(run)
    for note in entailing.run_notes(judge, split):
        console.err().print(note)
    title = (
        f"ContractNLI, {len(split.documents)} documents of {asked.data.name}, {how.value}; percent"
    )
    output.finish(record, *_score(split, run, record, title, seed=asked.seed), spaced=True)


def score_run(asked: Scoring, record: Record) -> Sequence[Table]:
    """Score a run file of the entailment benchmark; with a limit, the first documents alone."""
    from fourcorners_bench.entailment import loader as contractnli

    answers = contractnli.read_run(asked.run)
    path = contractnli.find_split(asked.data, answers)
    split = contractnli.load_split(path, limit=asked.limit)
    if asked.limit is not None:
        held = {document.id for document in split.documents}
        answers = [answer for answer in answers if answer.document in held]
    title = f"ContractNLI, {len(split.documents)} documents of {asked.run.name}; percent"
    return _score(split, answers, record, title)


def _score(
    split: Split, run: Sequence[JudgedHypothesis], record: Record, title: str, *, seed: int = 0
) -> Sequence[Table]:
    """Put the figures of a run on record, and return its tables."""
    from fourcorners_bench.entailment import report
    from fourcorners_bench.entailment.loader import match_run
    from fourcorners_bench.entailment.paper import paper_figures
    from fourcorners_bench.entailment.score import entailment_measures, score_document

    outcomes = [score_document(document, answers) for document, answers in match_run(split, run)]
    figures = entailment_measures(outcomes, seed=seed)
    record.measures.update(figures)
    record.settings["paper"] = paper_figures().source
    return (
        report.hypothesis_table(figures, split.hypotheses),
        report.evidence_table(figures),
        report.label_table(figures, title),
    )


def _planned(experiments: _Experiments, output: Output) -> list[Setting]:
    """Return the settings to run.

    Raises:
        ConfigError: If several runs would be written to one file.
    """
    from fourcorners_bench.entailment.model_run import SEARCHED, read_settings

    named = (each for name in experiments.experiment or () for each in read_settings(name))
    planned = list({each.name: each for each in named}.values())
    written = output.run or experiments.reports
    if written and len(planned) * len(experiments.model or [""]) > 1:
        raise ConfigError(
            "several runs cannot be written to one file.", remedy="Run one setting and one model."
        )
    if experiments.reports and planned[0].premise not in SEARCHED:
        raise ConfigError(
            f"{planned[0].name} writes no reports.", remedy="Give --experiment agents, or rag."
        )
    return planned


def _run_experiments(asked: _Documents, experiments: _Experiments, output: Output) -> None:
    """Ask each model in each setting, and print the figures with the paper's."""
    from fourcorners.library.llm_store import library_port
    from fourcorners.llm import Role
    from fourcorners.models import default_encoder
    from fourcorners.settings import Settings
    from fourcorners_bench.entailment import agents, exemplars, model_report, model_run
    from fourcorners_bench.entailment import loader as contractnli
    from fourcorners_bench.entailment.model_run import Premise
    from fourcorners_bench.entailment.paper import paper_figures
    from fourcorners_bench.measures.model_calls import spending_since
    from fourcorners_bench.record import Record
    from fourcorners_bench.run_files import write_lines

    settings = Settings.load()
    planned, models = _planned(experiments, output), experiments.model or [""]
    console.require_place(experiments.reports)
    split = contractnli.load_split(asked.data, limit=asked.limit)
    if asked.questions is not None:
        split = contractnli.sample_questions(split, asked.questions, seed=asked.seed)
    shows = any(each.needs_examples for each in planned)
    files = (experiments.exemplars or [asked.data.parent / "train_spans.csv"]) if shows else []
    solved = [each for file in files for each in exemplars.read_examples(file)]
    examples = exemplars.ExemplarSet(solved, seed=asked.seed)
    encoder = None
    if any(each.needs_encoder for each in planned):
        encoder = default_encoder(settings.encoder, threads=settings.jobs)
    record = Record(
        "entailment with a model",
        {
            "data": str(asked.data),
            "limit": asked.limit,
            "questions": asked.questions,
            "seed": asked.seed,
            "profiles": [each.name for each in planned],
            "exemplars": [str(each) for each in experiments.exemplars or ()] or None,
            "paper": paper_figures().source,
        },
    )
    record.models["encoder"] = encoder.name if encoder else None
    found: list[model_report.Result] = []
    with console.bench_library(experiments.library) as store, console.progress_steps() as step:
        for name in models:
            llm = of_model(settings.llm, name, experiments.replay, experiments.exchanges)
            with library_port(store, llm, "bench entailment") as port:
                judge = port.role_model(Role.JUDGE).name
                for each in planned:
                    before = port.ledger.job_spending(port.job)
                    run = model_run.run_attempt
                    if each.premise is Premise.REPORT:
                        run = agents.InquiryAttempts(store).run_attempt
                    tries = [
                        run(
                            split,
                            each,
                            port,
                            examples,
                            number=number,
                            encoder=encoder,
                            on_progress=step,
                        )
                        for number in range(experiments.tries)
                    ]
                    spent = spending_since(before, port.ledger.job_spending(port.job))
                    found.append(
                        model_report.build_result(split, each, judge, tries, spent, seed=asked.seed)
                    )
                    if experiments.reports is not None and encoder is not None:
                        reports = tries[0].reports or agents.plain_reports(
                            store, split, port, encoder=encoder, on_progress=step
                        )
                        write_lines(experiments.reports, reports)
                    for number, attempt in enumerate(tries, start=1):
                        output.numbered(number).write_run(attempt.answers)
                    record.measures["results"] = [one.to_json() for one in found]
                    record.write(output.record)
    if over := model_report.robustness_by_setting(found):
        record.measures["over_models"] = [each.to_json() for each in over]
    title = f"ContractNLI, {len(split.documents)} documents of {asked.data.name}; percent"
    out = console.stdout_console()
    output.finish(record)
    out.print(model_report.table(found, title), crop=False)
    for one in found:
        console.print_line(model_report.effort_line(one))
    if over:
        out.print()
        out.print(model_report.robustness_table(over), crop=False)
    if any(each.premise is Premise.GOLD for each in planned):
        console.err().print("What ends in -gold reads the annotations: it is an upper bound.")
