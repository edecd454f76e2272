"""`fourcorners bench entailment`: ContractNLI, what a contract says of a hypothesis, and where.

With language models it is in the settings of PAKTON's paper.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from fourcorners.cli import options
from fourcorners.cli.model_port import library_port, of_model
from fourcorners.cli.options import option
from fourcorners.cli.output import console
from fourcorners.errors import ConfigError
from fourcorners_bench.commands.plots import plot_record, require_plots

if TYPE_CHECKING:
    from collections.abc import Callable

    from fourcorners.library.store import Library
    from fourcorners.llm import Port
    from fourcorners.models.encoder.protocol import Encoder
    from fourcorners_bench.entailment.exemplars import ExemplarSet
    from fourcorners_bench.entailment.loader import JudgedHypothesis, Split
    from fourcorners_bench.entailment.model_run import Attempt, Setting
    from fourcorners_bench.record import Record

    _Step = Callable[[str, int, int], None]

MAX_TRIES = 20  # of every question


@dataclass(frozen=True, slots=True)
class ModelRunOptions:
    """What was said of asking models."""

    tries: int = 3
    exemplars: Path | None = None
    turns: int | None = None
    models: tuple[str, ...] = ()
    replay: Path | None = None
    record: Path | None = None
    library: Path | None = None


def entailment(
    data: Annotated[Path, option("--data FILE", "A split of ContractNLI, as JSON.")],
    profile: Annotated[
        list[str] | None,
        option(
            "--profile NAME",
            "default; sentences: evidence among the program's sentences; unseen: as if no "
            "hypothesis were known, guided by nda-review; alone: not guided; words: by the words "
            "that are shared. With a language model, may be given again: zero-shot, "
            "zero-shot-optimised, few-shot, few-shot-spans, few-shot-spans-hypothesis, "
            "chain-of-thought, each also with -gold; rag, agents.",
            default="default",
        ),
    ] = None,
    limit: Annotated[
        int | None, option("--limit N", "Only the first N documents.", least=1)
    ] = None,
    seed: options.Seed = 0,
    run_out: options.Run = None,
    record_out: options.Record = None,
    plots: options.Plots = None,
    tries: Annotated[
        int, option("--tries N", "How often a model is asked everything.", least=1, most=MAX_TRIES)
    ] = 3,
    exemplars: Annotated[
        Path | None,
        option(
            "--exemplars FILE",
            "Solved examples: ContractNLI's train_spans.csv, or train.json for whole contracts.",
            default="train_spans.csv beside --data",
        ),
    ] = None,
    turns: Annotated[
        int | None, option("--turns N", "Of the agents, at most.", least=1, default="5")
    ] = None,
    model: options.Model = None,
    replay: options.Replay = None,
    exchanges: options.Exchanges = None,
    library: options.Keep = None,
) -> None:
    """Judge documents against hypotheses, with evidence; score it.

    Quotes are ranked by how surely they are evidence, whatever the label. With a language model,
    answers are kept in the library, and are not asked for again.
    """
    from fourcorners_bench.entailment import loader as contractnli
    from fourcorners_bench.entailment import run as entailing
    from fourcorners_bench.record import Record
    from fourcorners_bench.run_files import write_lines

    console.require_place(run_out, record_out)
    require_plots(plots)
    asking = ModelRunOptions(
        tries, exemplars, turns, tuple(model or ()), replay, exchanges, library
    )
    names = profile or [entailing.Profile.DEFAULT.value]
    if _is_model_run(names, asking):
        record = _run_with_models(names, data, asking, limit, seed, run_out, record_out)
        plot_record(plots, record)
        return
    how = entailing.parse_profile(names[0])
    split = contractnli.load_split(data, limit=limit)
    run_record = Record("entailment", {"data": str(data), "profile": how.value, "limit": limit})
    run_record.settings["seed"] = seed
    judge = entailing.judge_for(how)
    run_record.models.update(entailing.model_names(judge))
    run_record.settings["seen"] = entailing.trained_documents(judge, split)
    given = how is not entailing.Profile.SENTENCES
    with console.progress_steps() as step:
        run = entailing.run_entailment(split, judge, given=given, on_progress=step)
    if run_out is not None:
        write_lines(run_out, run)
    for note in entailing.run_notes(judge, split):
        console.err().print(note)
    title = f"ContractNLI, {len(split.documents)} documents of {data.name}, {how.value}; percent"
    _report(split, run, run_record, record_out, title, seed=seed)
    plot_record(plots, run_record)


def score_run(
    run: Path, data: Path, record: Record, record_out: Path | None, *, limit: int | None
) -> None:
    """Score a run file of the entailment benchmark; with a limit, the first documents alone."""
    from fourcorners_bench.entailment import loader as contractnli

    answers = contractnli.read_run(run)
    split = contractnli.load_split(contractnli.find_split(data, answers), limit=limit)
    if limit is not None:
        asked = {document.id for document in split.documents}
        answers = [answer for answer in answers if answer.document in asked]
    title = f"ContractNLI, {len(split.documents)} documents of {run.name}; percent"
    _report(split, answers, record, record_out, title)


def _report(
    split: Split,
    run: Sequence[JudgedHypothesis],
    record: Record,
    path: Path | None,
    title: str,
    *,
    seed: int = 0,
) -> None:
    from fourcorners_bench.entailment import report as entailment_report
    from fourcorners_bench.entailment.loader import match_run
    from fourcorners_bench.entailment.score import entailment_measures, score_document

    outcomes = [score_document(document, answers) for document, answers in match_run(split, run)]
    figures = entailment_measures(outcomes, seed=seed)
    record.measures.update(figures)
    record.settings["paper"] = entailment_report.load_paper().source
    record.write(path)
    console.print_tables(
        entailment_report.hypothesis_table(figures, split.hypotheses),
        entailment_report.evidence_table(figures),
        entailment_report.label_table(figures, title),
    )


def _is_model_run(names: Sequence[str], asking: ModelRunOptions) -> bool:
    """Tell whether profiles are put to language models.

    Raises:
        ConfigError: If some are and some are not, or options do not fit.
    """
    from fourcorners_bench.entailment import run as entailing
    from fourcorners_bench.entailment.model_run import SETTINGS

    local = [name for name in names if name not in SETTINGS]
    for name in local:
        if name not in list(entailing.Profile):
            known = ", ".join([*entailing.Profile, *SETTINGS])
            raise ConfigError(f"there is no profile {name!r}.", remedy=f"There are: {known}.")
    if local and len(names) > 1:
        raise ConfigError(
            f"the profile {local[0]!r} needs no language model, and is run alone.",
            remedy="Give it in a run of its own.",
        )
    if local and asking != ModelRunOptions():
        raise ConfigError(
            "options of the language model are given, and none is asked.",
            remedy=f"Name a profile that asks one: {', '.join(SETTINGS)}.",
        )
    return not local


def _run_with_models(
    names: Sequence[str],
    data: Path,
    asking: ModelRunOptions,
    limit: int | None,
    seed: int,
    run_out: Path | None,
    record_out: Path | None,
) -> Record:
    """Ask in each setting with each model, and print the figures beside the paper's."""
    from fourcorners.llm import Role
    from fourcorners.models import default_encoder
    from fourcorners.settings import Settings
    from fourcorners_bench.entailment import exemplars, model_report
    from fourcorners_bench.entailment import loader as contractnli
    from fourcorners_bench.entailment.model_run import Premise, find_setting
    from fourcorners_bench.entailment.report import load_paper
    from fourcorners_bench.extraction.model_run import spending_since
    from fourcorners_bench.record import Record

    settings = Settings.load()
    planned = [find_setting(name) for name in dict.fromkeys(names)]
    if run_out is not None and len(planned) * max(1, len(asking.models)) > 1:
        raise ConfigError(
            "several runs cannot be written to one file.", remedy="Run one profile and one model."
        )
    split = contractnli.load_split(data, limit=limit)
    examples = exemplars.ExemplarSet([])
    if any(each.needs_examples for each in planned):
        path = asking.exemplars or data.parent / "train_spans.csv"
        examples = exemplars.ExemplarSet(exemplars.read_examples(path), seed=seed)
    searched = any(each.premise in (Premise.PASSAGES, Premise.REPORT) for each in planned)
    encoder = default_encoder(threads=settings.jobs) if searched else None
    record = Record(
        "entailment with a model",
        {
            "data": str(data),
            "limit": limit,
            "seed": seed,
            "profiles": [each.name for each in planned],
            "exemplars": str(asking.exemplars) if asking.exemplars else None,
            "paper": load_paper().source,
        },
    )
    record.models["encoder"] = encoder.name if encoder else None
    found: list[model_report.Result] = []
    with console.bench_library(asking.library) as store, console.progress_steps() as step:
        for name in asking.models or ("",):
            llm = of_model(settings.llm, name, asking.replay, asking.record)
            with library_port(store, llm, "bench entailment") as port:
                judge = port.role_model(Role.JUDGE).name
                for each in planned:
                    before = port.ledger.job_spending(port.job)
                    tries = [
                        _tried(split, each, port, store, examples, encoder, number, asking, step)
                        for number in range(asking.tries)
                    ]
                    spent = spending_since(before, port.ledger.job_spending(port.job))
                    found.append(
                        model_report.build_result(split, each, judge, tries, spent, seed=seed)
                    )
                    _write(run_out, tries)
                    record.measures["results"] = [one.to_json() for one in found]
                    record.write(record_out)
    over = model_report.robustness_by_setting(found)
    if over:
        record.measures["over_models"] = [each.to_json() for each in over]
        record.write(record_out)
    title = f"ContractNLI, {len(split.documents)} documents of {data.name}; percent"
    out = console.stdout_console()
    out.print(model_report.table(found, title), crop=False)
    for one in found:
        console.print_line(model_report.effort_line(one))
    if over:
        out.print()
        out.print(model_report.robustness_table(over), crop=False)
    if any(each.premise is Premise.GOLD for each in planned):
        console.err().print("What ends in -gold reads the annotations: it is an upper bound.")
    return record


def _tried(
    split: Split,
    setting: Setting,
    port: Port,
    store: Library,
    examples: ExemplarSet,
    encoder: Encoder | None,
    number: int,
    asking: ModelRunOptions,
    step: _Step,
) -> Attempt:
    from fourcorners.playbooks.concepts import default_concepts
    from fourcorners.research.limits import TURNS
    from fourcorners_bench.entailment import agents as entailment_agents
    from fourcorners_bench.entailment import model_run as entailment_asking
    from fourcorners_bench.entailment.model_run import Premise

    if setting.premise is not Premise.REPORT or encoder is None:
        return entailment_asking.run_attempt(
            split, setting, port, examples, number=number, encoder=encoder, on_progress=step
        )
    return entailment_agents.run_attempt(
        split,
        store,
        port,
        examples,
        encoder=encoder,
        concepts=default_concepts(),
        turns=asking.turns or TURNS,
        number=number,
        on_progress=step,
    )


def _write(path: Path | None, tries: Sequence[Attempt]) -> None:
    """Write the first try to a file, and the others beside it: run.jsonl, run.2.jsonl."""
    from fourcorners_bench.run_files import write_lines

    if path is None:
        return
    for number, tried in enumerate(tries, start=1):
        place = path if number == 1 else path.with_suffix(f".{number}{path.suffix}")
        console.require_place(place)
        write_lines(place, tried.answers)
