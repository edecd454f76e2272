"""`fourcorners bench entailment` with language models: the settings of PAKTON's paper."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fourcorners.cli.output.console import require_place
from fourcorners.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Callable

    from fourcorners.evaluation.entailment.exemplars import ExemplarSet
    from fourcorners.evaluation.entailment.loader import Split
    from fourcorners.evaluation.entailment.model_run import Attempt, Setting
    from fourcorners.library.store import Library
    from fourcorners.llm import Port
    from fourcorners.models.encoder.protocol import Encoder

    _Step = Callable[[str, int, int], None]

MAX_TRIES = 20  # of every question
TriesOption = Annotated[
    int,
    typer.Option(
        "--tries",
        metavar="N",
        min=1,
        max=MAX_TRIES,
        help="How often a model is asked everything.",
    ),
]
ExemplarsOption = Annotated[
    Path | None,
    typer.Option(
        "--exemplars",
        metavar="FILE",
        help="Solved examples: ContractNLI's train_spans.csv, or train.json for whole contracts.",
        show_default="train_spans.csv beside --data",
    ),
]
TurnsOption = Annotated[
    int | None,
    typer.Option("--turns", metavar="N", min=1, help="Of the agents, at most.", show_default="5"),
]


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


def is_model_run(names: Sequence[str], asking: ModelRunOptions) -> bool:
    """Tell whether profiles are put to language models.

    Raises:
        ConfigError: If some are and some are not, or options do not fit.
    """
    from fourcorners.evaluation.entailment import run as entailing
    from fourcorners.evaluation.entailment.model_run import SETTINGS

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


def run_with_models(
    names: Sequence[str],
    data: Path,
    asking: ModelRunOptions,
    limit: int | None,
    seed: int,
    run_out: Path | None,
    record_out: Path | None,
) -> None:
    """Ask in each setting with each model, and print the figures beside the paper's."""
    from fourcorners.cli.bench.options import bench_library, of_model, progress_bar
    from fourcorners.cli.output import console
    from fourcorners.evaluation.entailment import loader as contractnli
    from fourcorners.evaluation.entailment import model_report as results
    from fourcorners.evaluation.entailment.model_run import find_setting
    from fourcorners.evaluation.entailment.report import load_paper
    from fourcorners.evaluation.extraction.model_run import spending_since
    from fourcorners.evaluation.record import Record
    from fourcorners.library.llm_store import LibraryCache, LibraryLedger
    from fourcorners.llm import Role, open_port
    from fourcorners.settings import Settings

    settings = Settings.load()
    planned = [find_setting(name) for name in dict.fromkeys(names)]
    if run_out is not None and len(planned) * max(1, len(asking.models)) > 1:
        raise ConfigError(
            "several runs cannot be written to one file.", remedy="Run one profile and one model."
        )
    split = contractnli.load_split(data, limit=limit)
    examples = _exemplars(planned, data, asking, seed)
    encoder = _encoder(planned, settings.jobs)
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
    found: list[results.Result] = []
    with bench_library(asking.library) as store, progress_bar() as step:
        for name in asking.models or ("",):
            llm = of_model(settings.llm, name, asking.replay, asking.record)
            cache, ledger = LibraryCache(store), LibraryLedger(store)
            with open_port(llm, cache=cache, ledger=ledger, job="bench entailment") as port:
                told = port.role_model(Role.JUDGE).name
                for each in planned:
                    before = port.ledger.job_spending(port.job)
                    tries = [
                        _tried(split, each, port, store, examples, encoder, number, asking, step)
                        for number in range(asking.tries)
                    ]
                    spent = spending_since(before, port.ledger.job_spending(port.job))
                    found.append(results.build_result(split, each, told, tries, spent, seed=seed))
                    _write(run_out, tries)
                    record.measures["results"] = [one.to_json() for one in found]
                    record.write(record_out)
    over = results.robustness_by_setting(found)
    if over:
        record.measures["over_models"] = [each.to_json() for each in over]
        record.write(record_out)
    title = f"ContractNLI, {len(split.documents)} documents of {data.name}; percent"
    out = console.stdout_console()
    out.print(results.table(found, title), crop=False)
    for one in found:
        out.print(results.effort_line(one), markup=False, soft_wrap=True)
    if over:
        out.print()
        out.print(results.robustness_table(over), crop=False)
    if any(each.name == "gold-spans" for each in planned):
        console.err().print("gold-spans reads the annotations: it is an upper bound.", markup=False)


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
    from fourcorners.evaluation.entailment import agents as entailment_agents
    from fourcorners.evaluation.entailment import model_run as entailment_asking
    from fourcorners.evaluation.entailment.model_run import Premise
    from fourcorners.playbooks.concepts import default_concepts
    from fourcorners.research.limits import TURNS

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


def _exemplars(
    planned: Sequence[Setting], data: Path, asking: ModelRunOptions, seed: int
) -> ExemplarSet:
    from fourcorners.evaluation.entailment import exemplars

    if not any(each.needs_examples for each in planned):
        return exemplars.ExemplarSet([])
    path = asking.exemplars or data.parent / "train_spans.csv"
    return exemplars.ExemplarSet(exemplars.read_examples(path), seed=seed)


def _encoder(planned: Sequence[Setting], jobs: int | None) -> Encoder | None:
    from fourcorners.evaluation.entailment.model_run import Premise
    from fourcorners.models import default_encoder

    needed = (Premise.PASSAGES, Premise.REPORT)
    return default_encoder(threads=jobs) if any(e.premise in needed for e in planned) else None


def _write(path: Path | None, tries: Sequence[Attempt]) -> None:
    """Write the first try to a file, and the others beside it: run.jsonl, run.2.jsonl."""
    from fourcorners.evaluation.run_files import write_lines

    if path is None:
        return
    for number, tried in enumerate(tries, start=1):
        place = path if number == 1 else path.with_suffix(f".{number}{path.suffix}")
        require_place(place)
        write_lines(place, tried.answers)
