"""`fourcorners bench provisions`: the law firm's three scenarios and its chunking experiment."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fourcorners.cli.bench.options import (
    DataOption,
    KeepOption,
    LimitOption,
    RecordOption,
    SeedOption,
    bench_library,
    progress_bar,
)
from fourcorners.cli.output.console import JobsOption, require_place

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from fourcorners.evaluation.extraction.loader import AnnotatedContract
    from fourcorners.evaluation.provisions.score import ProvidedPassages, Scenario
    from fourcorners.evaluation.record import Json


class Profile(StrEnum):
    """What is asked."""

    DEFAULT = "default"
    BOTH = "both"
    LEARNED = "learned"
    OPTIMISED = "optimised"
    PLAIN = "plain"


class Passages(StrEnum):
    """What is returned: windows around what counts, or the paper's fixed chunks."""

    WINDOWS = "windows"
    CHUNKS = "chunks"


def provisions(
    data: DataOption,
    scenario: Annotated[
        int, typer.Option("--scenario", metavar="N", min=1, max=3, help="1, 2 or 3.")
    ] = 1,
    profile: Annotated[
        Profile,
        typer.Option(
            "--profile",
            metavar="NAME",
            help="default; learned or both: out of fold; optimised; plain.",
        ),
    ] = Profile.DEFAULT,
    passages: Annotated[
        Passages,
        typer.Option(
            "--passages", metavar="KIND", help="What the run file holds: windows or chunks."
        ),
    ] = Passages.WINDOWS,
    against: Annotated[
        Profile | None,
        typer.Option(
            "--against", metavar="NAME", help="Show the gain over this profile, by provision."
        ),
    ] = None,
    chunking: Annotated[
        bool, typer.Option("--chunking", help="The chunking experiment instead of a scenario.")
    ] = False,
    run_out: Annotated[
        Path | None, typer.Option("--run-out", metavar="FILE", help="Write the raw answers.")
    ] = None,
    record_out: RecordOption = None,
    limit: LimitOption = None,
    seed: SeedOption = 0,
    jobs: JobsOption = None,
    library: KeepOption = None,
) -> None:
    """Return passages for 14 provisions of CUAD, and score them.

    The queries that `default` is shipped with were mined from these contracts, so its figures on
    them are in-sample; `both` is the same with queries learned from the other folds.
    """
    from fourcorners.cli.output import console
    from fourcorners.evaluation.extraction import loader as cuad
    from fourcorners.evaluation.extraction import run as extracting
    from fourcorners.evaluation.provisions import score as scenarios
    from fourcorners.evaluation.provisions.chunking import chunking_table, run_experiment
    from fourcorners.evaluation.provisions.run import run_scenario
    from fourcorners.evaluation.provisions.score import gain_table, scenario_table
    from fourcorners.evaluation.record import Record
    from fourcorners.evaluation.run_files import write_lines
    from fourcorners.models import default_encoder
    from fourcorners.settings import Settings

    require_place(run_out)
    require_place(record_out)
    settings = Settings.load(jobs=jobs)
    chosen = scenarios.find_scenario(scenario)
    record = Record(
        "provisions",
        {
            "data": str(data),
            "scenario": None if chunking else scenario,
            "profile": profile.value,
            "passages": passages.value,
            "limit": limit,
            "seed": seed,
            "jobs": settings.jobs,
        },
    )
    contracts = cuad.load_cuad(data, limit=limit)
    encoder = default_encoder(threads=settings.jobs)
    record.models["encoder"] = encoder.name
    runs: dict[str, list[ProvidedPassages]] = {}
    other: list[ProvidedPassages] = []
    with bench_library(library) as store, progress_bar() as step:
        extracting.fill_library(
            store, contracts, data, encoder=encoder, settings=settings, on_progress=step
        )
        if chunking:
            figures = run_experiment(store, contracts, encoder=encoder, on_progress=step)
            record.measures.update(figures)
            record.write(record_out)
            console.stdout_console().print(chunking_table(figures))
            return
        runs = run_scenario(
            store, contracts, chosen, profile.value, encoder=encoder, seed=seed, on_progress=step
        )
        if against is not None:
            others = run_scenario(
                store,
                contracts,
                chosen,
                against.value,
                encoder=encoder,
                seed=seed,
                on_progress=step,
            )
            other = others.get(passages.value) or others["chunks"]
    kept = runs.get(passages.value) or runs["chunks"]
    if run_out is not None:
        write_lines(run_out, kept)
    shaped = _measured(contracts, runs, chosen, seed)
    record.measures.update(shaped)
    record.settings["seen"] = profile.value in ("default", "optimised")
    out = console.stdout_console()
    title = f"Scenario {scenario}, {profile.value}"
    if against is not None:
        before = scenarios.scenario_measures(
            scenarios.score_run(contracts, other, chosen), seed=seed
        )
        record.measures[f"against {against.value}"] = before
        first = next(iter(shaped.values()))
        out.print(gain_table(title, before, first, against.value, profile.value))
    record.write(record_out)
    out.print(scenario_table(title, scenario, shaped))


def _measured(
    contracts: Sequence[AnnotatedContract],
    runs: Mapping[str, Sequence[ProvidedPassages]],
    scenario: Scenario,
    seed: int,
) -> dict[str, Json]:
    from fourcorners.evaluation.provisions import score as scenarios

    def figures(run: Sequence[ProvidedPassages]) -> dict[str, Json]:
        most = scenarios.max_passages(run, scenario)
        return scenarios.scenario_measures(
            scenarios.score_run(contracts, run, scenario, most=most), seed=seed
        )

    return {name: figures(run) for name, run in runs.items()}


def score_run(
    run: Path,
    data: Path,
    record_out: Path | None,
    *,
    limit: int | None,
    unseen_by: str | None = None,
) -> None:
    """Score a run file of a scenario: that whose contracts it answers."""
    from fourcorners.cli.output import console
    from fourcorners.errors import ConfigError
    from fourcorners.evaluation.extraction import loader as cuad
    from fourcorners.evaluation.provisions import score as scenarios
    from fourcorners.evaluation.provisions.score import scenario_table
    from fourcorners.evaluation.record import Record
    from fourcorners.evaluation.retrieval.unseen import contracts_unseen

    contracts = cuad.load_cuad(data, limit=limit)
    answers = scenarios.read_run(run)
    names = {line.name for line in answers}
    held = [contract for contract in contracts if contract.name in names]
    fitting = [
        each
        for each in scenarios.SCENARIOS
        if {contract.name for contract in contracts if each.includes(contract)} <= names
        and all(each.includes(contract) for contract in held)
    ]
    if not fitting:
        raise ConfigError(
            f"{run}: its contracts are those of no scenario.",
            remedy="A run must answer every contract of its scenario.",
        )
    record = Record("provisions", {"data": str(data), "run": str(run), "limit": limit})
    record.settings["unseen_by"] = unseen_by
    contracts = contracts_unseen(contracts, unseen_by)
    scenario = fitting[-1]
    most = scenarios.max_passages(answers, scenario)
    shaped: dict[str, Json] = {
        "run": scenarios.scenario_measures(
            scenarios.score_run(contracts, answers, scenario, most=most)
        )
    }
    record.measures.update(shaped)
    record.write(record_out)
    number = scenario.number
    console.stdout_console().print(scenario_table(f"Scenario {number}", number, shaped))
