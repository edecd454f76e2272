"""`fourcorners bench provisions`: the law firm's three scenarios and its chunking experiment."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias

from fourcorners.cli import options
from fourcorners.cli.options import option
from fourcorners.cli.output import console
from fourcorners.errors import ConfigError
from fourcorners_bench.commands.runner import (
    Output,
    RunOptions,
    Scoring,
    measurement,
    report_unread,
)

if TYPE_CHECKING:
    from rich.table import Table

    from fourcorners_bench.extraction.loader import AnnotatedContract
    from fourcorners_bench.provisions.score import ProvidedPassages, Scenario
    from fourcorners_bench.record import Json, Record

Profile: TypeAlias = Literal["default", "both", "learned", "optimised", "plain"]


@dataclass(frozen=True, slots=True)
class _Scenario:
    """What is asked, and how."""

    scenario: Annotated[int, option("--scenario N", "1, 2 or 3.", least=1, most=3)] = 1
    profile: Annotated[
        Profile,
        option("--profile NAME", "default; learned or both: out of fold; optimised; plain."),
    ] = "default"
    passages: Annotated[
        Literal["windows", "chunks"],
        option("--passages KIND", "What the run file holds: windows or chunks."),
    ] = "windows"
    against: Annotated[
        Profile | None, option("--against NAME", "Show the gain over this profile, by provision.")
    ] = None
    chunking: Annotated[
        bool, option("--chunking", "The chunking experiment instead of a scenario.")
    ] = False
    embed: Annotated[
        bool,
        option(
            "--embed",
            "With --chunking: encode each chunk whole, for an encoder that reads so much.",
        ),
    ] = False


@measurement()
def provisions(
    output: Output,
    data: options.Data,
    asked: _Scenario,
    limit: options.Limit = None,
    *,
    execution: RunOptions,
) -> None:
    """Return passages for 14 provisions of CUAD, and score them.

    The queries that `default` is shipped with were mined from these contracts, so its figures on
    them are in-sample; `both` is the same with queries learned from the other folds.
    """
    from fourcorners.models import default_encoder
    from fourcorners.settings import Settings
    from fourcorners_bench.extraction import loader as cuad
    from fourcorners_bench.extraction import run as extracting
    from fourcorners_bench.provisions import score as provision_scores
    from fourcorners_bench.provisions.chunking import chunking_table, run_experiment
    from fourcorners_bench.provisions.run import run_scenario
    from fourcorners_bench.provisions.score import gain_table, scenario_table
    from fourcorners_bench.record import Record

    settings = Settings.load(jobs=execution.jobs)
    chosen = provision_scores.SCENARIOS[asked.scenario - 1]
    record = Record(
        "provisions",
        {
            "data": str(data),
            "scenario": None if asked.chunking else asked.scenario,
            "profile": asked.profile,
            "passages": asked.passages,
            "embed": asked.embed,
            "limit": limit,
            "seed": execution.seed,
            "jobs": settings.jobs,
        },
    )
    contracts = cuad.load_cuad(data, limit=limit, keep_unread=True)
    encoder = default_encoder(settings.encoder, threads=settings.jobs)
    record.models["encoder"] = encoder.name
    other: list[ProvidedPassages] = []
    with console.bench_library(execution.library) as store, console.progress_steps() as step:
        added = extracting.fill_library(
            store, contracts, data, encoder=encoder, settings=settings, on_progress=step
        )
        contracts = extracting.mark_unread(contracts, added)
        report_unread(record, cuad.unread_reasons(contracts))
        if asked.chunking:
            read = cuad.readable(contracts)
            figures = run_experiment(
                store, read, encoder=encoder, embeds_chunks=asked.embed, on_progress=step
            )
            record.measures.update(figures)
            output.finish(record, chunking_table(figures))
            return
        ask = partial(
            run_scenario,
            store,
            contracts,
            chosen,
            encoder=encoder,
            seed=execution.seed,
            on_progress=step,
        )
        runs = ask(asked.profile)
        if asked.against is not None:
            others = ask(asked.against)
            other = others.get(asked.passages) or others["chunks"]
    output.write_run(runs.get(asked.passages) or runs["chunks"])
    shaped = {name: _measures(contracts, run, chosen, execution.seed) for name, run in runs.items()}
    record.measures.update(shaped)
    record.settings["seen"] = asked.profile in ("default", "optimised")
    title = f"Scenario {asked.scenario}, {asked.profile}"
    tables = [scenario_table(title, asked.scenario, shaped)]
    if asked.against is not None:
        before = provision_scores.scenario_measures(
            provision_scores.score_run(contracts, other, chosen), seed=execution.seed
        )
        record.measures[f"against {asked.against}"] = before
        first = next(iter(shaped.values()))
        tables.insert(0, gain_table(title, before, first, asked.against, asked.profile))
    output.finish(record, *tables)


def _measures(
    contracts: Sequence[AnnotatedContract],
    run: Sequence[ProvidedPassages],
    scenario: Scenario,
    seed: int = 0,
) -> dict[str, Json]:
    from fourcorners_bench.provisions import score as provision_scores

    most = provision_scores.max_passages(run, scenario)
    scores = provision_scores.score_run(contracts, run, scenario, most=most)
    return provision_scores.scenario_measures(scores, seed=seed)


def score_run(asked: Scoring, record: Record) -> Sequence[Table]:
    """Score a run file of a scenario: that whose contracts it answers."""
    from fourcorners_bench.extraction import loader as cuad
    from fourcorners_bench.provisions import score as provision_scores
    from fourcorners_bench.provisions.score import scenario_table
    from fourcorners_bench.retrieval.unseen import contracts_unseen

    contracts = cuad.load_cuad(asked.data, limit=asked.limit, keep_unread=True)
    answers = provision_scores.read_run(asked.run)
    names = {line.name for line in answers}
    held = [contract for contract in contracts if contract.name in names]
    fitting = [
        each
        for each in provision_scores.SCENARIOS
        if {contract.name for contract in contracts if each.includes(contract)} <= names
        and all(each.includes(contract) for contract in held)
    ]
    if not fitting:
        raise ConfigError(
            f"{asked.run}: its contracts are those of no scenario.",
            remedy="A run must answer every contract of its scenario.",
        )
    scenario = fitting[-1]
    shaped = {"run": _measures(contracts_unseen(contracts, asked.unseen_by), answers, scenario)}
    record.measures.update(shaped)
    return [scenario_table(f"Scenario {scenario.number}", scenario.number, shaped)]
