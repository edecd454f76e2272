"""`fourcorners bench extraction`: the review, or a language model, on CUAD's contracts.

With a language model it is the law firm's generation experiments.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from fourcorners.cli import options
from fourcorners.cli.model_port import library_port, of_model
from fourcorners.cli.options import option
from fourcorners.cli.output import console
from fourcorners.errors import ConfigError
from fourcorners.review.prompting.settings import FollowUp, PassageOrder, SystemPrompt
from fourcorners_bench.commands.plots import plot_record, require_plots

if TYPE_CHECKING:
    from fourcorners.models.encoder.protocol import Encoder
    from fourcorners.settings import LlmSettings, Settings
    from fourcorners_bench.extraction.loader import AnnotatedContract, Extraction
    from fourcorners_bench.extraction.model_run import Experiment
    from fourcorners_bench.record import Record


@dataclass(frozen=True, slots=True)
class Axes:
    """What was said of the axes; None for what the profile has."""

    asking: str | None = None
    passages: str | None = None
    order: PassageOrder | None = None
    system: SystemPrompt | None = None
    keywords: bool | None = None
    follow_up: FollowUp | None = None
    emotive: bool = False
    best_of: int = 1
    hypothetical: bool = False


def extraction(
    data: options.Data,
    run_out: options.Run = None,
    record_out: options.Record = None,
    plots: options.Plots = None,
    limit: options.Limit = None,
    seed: options.Seed = 0,
    jobs: options.Jobs = None,
    profile: Annotated[
        Literal["default", "words"],
        option("--profile NAME", "default: words and meaning; words: the query alone."),
    ] = "default",
    library: options.Keep = None,
    with_model: Annotated[
        bool, option("--with-model", "Ask the configured language model; nine provisions only.")
    ] = False,
    grid: Annotated[
        bool, option("--grid", "All the experiments: the paper's, and each axis alone.")
    ] = False,
    asking: Annotated[
        Literal["clauses", "paper"] | None,
        option(
            "--asking NAME",
            "paper: the model extracts from chunks; clauses: it judges proposals.",
            default="paper",
        ),
    ] = None,
    passages: Annotated[
        str | None, option("--passages N", "How many are given, or: whole.", default="10")
    ] = None,
    order: Annotated[
        PassageOrder | None,
        option(
            "--order KIND",
            "Of the passages: score, document or definitions-first.",
            default="document",
        ),
    ] = None,
    system: Annotated[
        SystemPrompt | None,
        option("--system KIND", "The system prompt: short or long.", default="long"),
    ] = None,
    keywords: Annotated[
        bool | None,
        option(
            "--keywords/--no-keywords",
            "Name words that are worth a close look.",
            default="by --asking",
        ),
    ] = None,
    follow_up: Annotated[
        FollowUp | None,
        option(
            "--follow-up KIND",
            "What comes after the answer: none, neutral or accusing.",
            default="by --asking",
        ),
    ] = None,
    emotive: Annotated[bool, option("--emotive", "Tell the model how much depends on it.")] = False,
    best_of: Annotated[
        int, option("--best-of N", "Answers, of which most count.", least=1, most=15)
    ] = 1,
    hypothetical: Annotated[
        bool, option("--hypothetical", "Search with a clause that the model drafts, too.")
    ] = False,
    model: options.Model = None,
    replay: options.Replay = None,
    exchanges: options.Exchanges = None,
    all_lengths: Annotated[
        bool, option("--all-lengths", "All contracts, not only those of 40 to 60 chunks.")
    ] = False,
) -> None:
    """Extract the 41 categories of CUAD, and score the answers.

    Figures are by the law firm's rule: of all categories, and of the nine of the paper. With
    --with-model a language model extracts the nine, and the paper's figures stand beside.
    """
    from fourcorners.models import default_clause_reader, default_encoder
    from fourcorners.review.extract.scoring import default_calibration
    from fourcorners.settings import Settings
    from fourcorners_bench.extraction import loader as cuad
    from fourcorners_bench.extraction import run as extracting
    from fourcorners_bench.record import Record
    from fourcorners_bench.run_files import write_lines

    axes = Axes(
        asking, passages, order, system, keywords, follow_up, emotive, best_of, hypothetical
    )
    others = (grid, model, replay, exchanges, all_lengths)
    if not with_model and (axes != Axes() or any(others)):
        raise ConfigError(
            "options of the language model are given, and none is asked.",
            remedy="Add --with-model.",
        )
    if grid and axes != Axes():
        raise ConfigError("the grid has all axes already.", remedy="Leave out the other options.")
    if with_model and run_out is not None:
        console.require_place(record_out)
        raise ConfigError(
            "a run file holds all 41 categories, and a model is asked for nine.",
            remedy="Leave out --run-out; --json has the figures.",
        )
    console.require_place(run_out, record_out)
    require_plots(plots)
    settings = Settings.load(jobs=jobs)
    if with_model:
        planned = _experiments(axes, grid=grid)
        contracts = _chunked(cuad.load_cuad(data), all_lengths=all_lengths)[:limit]
        encoder = default_encoder(threads=settings.jobs) if profile == "default" else None
        record = Record("extraction with a model", {"data": str(data), "limit": limit})
        runs = [
            settings.model_copy(
                update={"llm": _paper_parameters(of_model(settings.llm, name, replay, exchanges))}
            )
            for name in model or [""]
        ]
        _ask_models(planned, runs, contracts, data, encoder, library, record, record_out, grid=grid)
        plot_record(plots, record)
        return
    record = Record("extraction", {"data": str(data), "limit": limit, "seed": seed})
    record.settings.update({"jobs": settings.jobs, "profile": profile})
    contracts = cuad.load_cuad(data, limit=limit)
    encoder = default_encoder(threads=settings.jobs) if profile == "default" else None
    with console.bench_library(library) as store, console.progress_steps() as step:
        extracting.fill_library(
            store, contracts, data, encoder=encoder, settings=settings, on_progress=step
        )
        answers = extracting.run_extraction(
            store, contracts, encoder=encoder, settings=settings, on_progress=step
        )
    if run_out is not None:
        write_lines(run_out, answers)
    reader, calibration = default_clause_reader(), default_calibration()
    record.models["encoder"] = encoder.name if encoder else None
    record.models["clause_reader"] = reader.name
    record.models["calibration"] = calibration.version
    learned = calibration.learned_from | reader.learned_from
    record.settings["seen"] = [  # what something shipped was fitted to
        each.name for each in contracts if extracting.document_id(each.text) in learned
    ]
    _report(contracts, answers, record, record_out, seed=seed)
    plot_record(plots, record)


def score_run(
    run: Path,
    data: Path,
    record: Record,
    record_out: Path | None,
    *,
    limit: int | None,
    unseen_by: str | None,
) -> None:
    """Score a run file of the extraction benchmark."""
    from fourcorners_bench.extraction import loader as cuad
    from fourcorners_bench.extraction.loader import read_extractions
    from fourcorners_bench.retrieval.unseen import contracts_unseen

    answers = read_extractions(run)
    contracts = contracts_unseen(cuad.load_cuad(data, limit=limit), unseen_by)
    _report(contracts, answers, record, record_out)


def _report(
    contracts: list[AnnotatedContract],
    answers: list[Extraction],
    record: Record,
    path: Path | None,
    *,
    seed: int = 0,
) -> None:
    from fourcorners_bench.extraction.loader import CATEGORIES, NINE_PROVISIONS
    from fourcorners_bench.extraction.precision_recall import (
        contract_tallies,
        curve_measures,
        curve_table,
    )
    from fourcorners_bench.extraction.score import (
        extraction_measures,
        extraction_table,
        score_run,
    )

    scores = score_run(contracts, answers)
    curve = curve_measures(contract_tallies(contracts, answers), seed=seed)
    record.measures.update(extraction_measures(scores, seed=seed))
    record.measures["curve"] = curve
    record.write(path)
    out = console.stdout_console()
    out.print(curve_table(curve))
    rest = [name for name in CATEGORIES if name not in NINE_PROVISIONS]
    out.print(extraction_table(scores, rest, "The other categories of CUAD"))
    nine = "The nine provisions of the paper"
    out.print(extraction_table(scores, NINE_PROVISIONS, nine))


def _experiments(axes: Axes, *, grid: bool) -> list[Experiment]:
    """Return what is to be run.

    Raises:
        ConfigError: If an axis has a value that it cannot have.
    """
    from fourcorners.review.prompting.settings import PROFILES, Profile
    from fourcorners_bench.extraction.model_run import Experiment, experiments

    if grid:
        return experiments()
    base = PROFILES[Profile(axes.asking or "paper")]
    settings = replace(
        base,
        risks=False,
        passages=base.passages if axes.passages is None else _count(axes.passages),
        order=axes.order or base.order,
        system=axes.system or base.system,
        keywords=base.keywords if axes.keywords is None else axes.keywords,
        follow_up=axes.follow_up or base.follow_up,
        emotive=axes.emotive,
        best_of=axes.best_of,
        hypothetical=axes.hypothetical,
    )
    named = (each for each in experiments() if each.asking == settings)
    return [next(named, Experiment(settings.description, settings))]


def _paper_parameters(llm: LlmSettings) -> LlmSettings:
    """Return the settings with the paper's parameters where they say none of their own."""
    from fourcorners_bench.extraction.model_run import PAPER_PARAMETERS

    left = {
        name: value for name, value in PAPER_PARAMETERS.items() if name not in llm.model_fields_set
    }
    return llm.model_copy(update=left)


def _count(passages: str) -> int | None:
    if passages == "whole":
        return None
    if passages.isdecimal() and int(passages) > 0:
        return int(passages)
    raise ConfigError(
        f"--passages is {passages!r}, which is no number of passages.",
        remedy="Write a number such as 10, or whole.",
    )


def _chunked(contracts: list[AnnotatedContract], *, all_lengths: bool) -> list[AnnotatedContract]:
    from fourcorners_bench.extraction.model_run import filter_by_length

    found = contracts if all_lengths else filter_by_length(contracts)
    if not found:
        raise ConfigError(
            "no contract has 40 to 60 chunks.", remedy="Ask for all contracts: --all-lengths."
        )
    return found


def _ask_models(
    planned: Sequence[Experiment],
    models: Sequence[Settings],
    contracts: Sequence[AnnotatedContract],
    data: Path,
    encoder: Encoder | None,
    library: Path | None,
    record: Record,
    record_out: Path | None,
    *,
    grid: bool,
) -> None:
    """Run the experiments with each model, and print the figures beside the paper's."""
    from fourcorners.llm import Role
    from fourcorners.models import default_clause_reader
    from fourcorners_bench.extraction import model_run
    from fourcorners_bench.extraction import run as extracting

    record.models["encoder"] = encoder.name if encoder else None
    record.models["clause_reader"] = default_clause_reader().name
    results: list[model_run.Result] = []
    with console.bench_library(library) as store, console.progress_steps() as step:
        for settings in models:
            with library_port(store, settings.llm, "bench extraction") as port:
                port.role_model(Role.EXTRACT)  # what is not configured is said before the work
                extracting.fill_library(
                    store, contracts, data, encoder=encoder, settings=settings, on_progress=step
                )
                if grid and not results:
                    local = model_run.run_local(store, contracts, encoder=encoder, on_progress=step)
                    results.append(local)
                for each in planned:
                    results.append(
                        model_run.run_experiment(
                            store, contracts, each, port, encoder=encoder, on_progress=step
                        )
                    )
                    record.measures["experiments"] = [one.to_json() for one in results]
                    record.write(record_out)
    out = console.stdout_console()
    for result in results:
        out.print(model_run.provision_table(result))
    out.print(model_run.experiment_table(results))
    out.print(model_run.effort_table(results))
    names = ", ".join(dict.fromkeys(each.model.partition(" (")[0] for each in results))
    out.print(f"{console.count_noun(len(contracts), 'contract')}; {names}.")
