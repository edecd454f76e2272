"""`fourcorners bench extraction`: the review, or a language model, on CUAD's contracts.

With a language model it is the law firm's generation experiments.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from fourcorners.cli import options
from fourcorners.cli.options import option
from fourcorners.cli.output import console
from fourcorners.errors import ConfigError
from fourcorners_bench.commands.runner import (
    ModelsOptions,
    Output,
    RunOptions,
    Scoring,
    measurement,
    report_unread,
    require_model_options,
)

if TYPE_CHECKING:
    from rich.table import Table

    from fourcorners.models.encoder.protocol import Encoder
    from fourcorners.settings import LlmSettings, Settings
    from fourcorners_bench.extraction.loader import AnnotatedContract, Extraction
    from fourcorners_bench.record import Record


@dataclass(frozen=True, slots=True)
class _Contracts:
    """Which contracts are read."""

    data: options.Data
    limit: options.Limit = None


@measurement()
def extraction(
    output: Output,
    asked: _Contracts,
    execution: RunOptions,
    profile: Annotated[
        Literal["default", "words"],
        option("--profile NAME", "default: words and meaning; words: the query alone."),
    ] = "default",
    experiment: Annotated[
        str,
        option(
            "--experiment NAME",
            "Ask the language model nine provisions: grid, the paper's and each axis alone; a run "
            "of it, such as “10 chunks, keywords, accused”; or a YAML file of one's own.",
            default=False,
        ),
    ] = "",
    *,
    models: ModelsOptions,
) -> None:
    """Extract the 41 categories of CUAD, and score the answers.

    Figures are by the law firm's rule: of all categories, and of the nine of the paper. With
    --experiment a language model extracts the nine, and the paper's figures are shown, too.
    """
    from fourcorners.models import default_clause_reader, default_encoder
    from fourcorners.review.extract.scoring import default_calibration
    from fourcorners.settings import Settings
    from fourcorners_bench.extraction import loader as cuad
    from fourcorners_bench.extraction import run as extracting
    from fourcorners_bench.record import Record

    require_model_options(bool(experiment), astuple(models), "Add --experiment.")
    settings = Settings.load(jobs=execution.jobs)
    encoder = (
        default_encoder(settings.encoder, threads=settings.jobs) if profile == "default" else None
    )
    if experiment:
        if output.run is not None:
            raise ConfigError(
                "a run file holds all 41 categories, and a model is asked for nine.",
                remedy="Leave out --run-out; --json has the figures.",
            )
        llms = models.configure(settings.llm)
        runs = _ExperimentRuns(settings, llms, encoder, execution.library)
        runs.run(experiment, asked, output)
        return
    record = Record(
        "extraction", {"data": str(asked.data), "limit": asked.limit, "seed": execution.seed}
    )
    record.settings.update({"jobs": settings.jobs, "profile": profile})
    contracts = cuad.load_cuad(asked.data, limit=asked.limit, keep_unread=True)
    with console.bench_library(execution.library) as store, console.progress_steps() as step:
        added = extracting.fill_library(
            store, contracts, asked.data, encoder=encoder, settings=settings, on_progress=step
        )
        contracts = extracting.mark_unread(contracts, added)
        answers = extracting.run_extraction(
            store, contracts, encoder=encoder, settings=settings, on_progress=step
        )
    output.write_run(answers)
    report_unread(record, cuad.unread_reasons(contracts))
    reader, calibration = default_clause_reader(), default_calibration()
    record.models["encoder"] = encoder.name if encoder else None
    record.models["clause_reader"] = reader.name
    record.models["calibration"] = calibration.version
    learned = calibration.learned_from | reader.learned_from
    record.settings["seen"] = [  # what something shipped was fitted to
        each.name
        for each in cuad.readable(contracts)
        if extracting.document_id(each.text) in learned
    ]
    output.finish(record, *_score(contracts, answers, record, seed=execution.seed))


def score_run(asked: Scoring, record: Record) -> Sequence[Table]:
    """Score a run file of the extraction benchmark."""
    from fourcorners_bench.extraction import loader as cuad
    from fourcorners_bench.retrieval.unseen import contracts_unseen

    answers = cuad.read_extractions(asked.run)
    contracts = cuad.load_cuad(asked.data, limit=asked.limit, keep_unread=True)
    report_unread(record, cuad.unread_reasons(contracts))
    contracts = contracts_unseen(contracts, asked.unseen_by)
    return _score(contracts, answers, record)


def _score(
    contracts: Sequence[AnnotatedContract],
    answers: Sequence[Extraction],
    record: Record,
    *,
    seed: int = 0,
) -> Sequence[Table]:
    """Put the figures of a run on record, and return its tables."""
    from fourcorners_bench.extraction import precision_recall
    from fourcorners_bench.extraction import score as scoring
    from fourcorners_bench.extraction.loader import CATEGORIES, NINE_PROVISIONS

    scores = scoring.score_run(contracts, answers)
    tallies = precision_recall.contract_tallies(contracts, answers)
    curve = precision_recall.curve_measures(tallies, seed=seed)
    record.measures.update(scoring.extraction_measures(scores, seed=seed))
    record.measures["curve"] = curve
    rest = [name for name in CATEGORIES if name not in NINE_PROVISIONS]
    return (
        precision_recall.curve_table(curve),
        scoring.extraction_table(scores, rest, "The other categories of CUAD"),
        scoring.extraction_table(scores, NINE_PROVISIONS, "The nine provisions of the paper"),
    )


@dataclass(frozen=True, slots=True)
class _ExperimentRuns:
    """What the runs of an experiment share."""

    settings: Settings
    llms: Sequence[LlmSettings]
    encoder: Encoder | None
    library: Path | None

    def run(self, experiment: str, asked: _Contracts, output: Output) -> None:
        """Ask each model what an experiment asks, and print the figures with the paper's."""
        from fourcorners.library.llm_store import library_port
        from fourcorners.llm import Role
        from fourcorners.models import default_clause_reader
        from fourcorners_bench.experiments.read import read_experiment
        from fourcorners_bench.extraction import loader as cuad
        from fourcorners_bench.extraction import model_run
        from fourcorners_bench.extraction import run as extracting
        from fourcorners_bench.extraction.experiments import Experiment
        from fourcorners_bench.record import Record

        planned = read_experiment("extraction", experiment, Experiment)
        contracts = cuad.load_cuad(asked.data, keep_unread=True)
        contracts = model_run.filter_by_length(contracts, planned)[: asked.limit]
        record = Record("extraction with a model", {"data": str(asked.data), "limit": asked.limit})
        record.models["encoder"] = self.encoder.name if self.encoder else None
        record.models["clause_reader"] = default_clause_reader().name
        results: list[model_run.Result] = []
        with console.bench_library(self.library) as store, console.progress_steps() as step:
            for llm in self.llms:
                with library_port(
                    store, model_run.paper_parameters(llm), "bench extraction"
                ) as port:
                    port.role_model(Role.EXTRACT)  # what is not configured is said before the work
                    added = extracting.fill_library(
                        store,
                        contracts,
                        asked.data,
                        encoder=self.encoder,
                        settings=self.settings,
                        on_progress=step,
                    )
                    contracts = extracting.mark_unread(contracts, added)
                    for each in planned:
                        if each.local and llm is not self.llms[0]:
                            continue
                        run = model_run.run_local if each.local else model_run.run_experiment
                        results.append(
                            run(
                                store, contracts, each, port, encoder=self.encoder, on_progress=step
                            )
                        )
                        record.measures["experiments"] = [one.to_json() for one in results]
                        record.write(output.record)
        report_unread(record, cuad.unread_reasons(contracts))
        tables = [model_run.provision_table(each) for each in results]
        tables += [model_run.experiment_table(results), model_run.effort_table(results)]
        output.finish(record, *tables)
        names = ", ".join(dict.fromkeys(each.model.partition(" (")[0] for each in results))
        count = console.count_noun(len(contracts), "contract")
        console.stdout_console().print(f"{count}; {names}.")
