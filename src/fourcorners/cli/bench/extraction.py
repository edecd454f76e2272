"""`fourcorners bench extraction`: the review, or a language model, on CUAD's contracts."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fourcorners.cli.bench import extraction_model as asking_options
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
from fourcorners.errors import ConfigError

if TYPE_CHECKING:
    from fourcorners.evaluation.extraction.loader import AnnotatedContract, Extraction
    from fourcorners.evaluation.record import Record


class Profile(StrEnum):
    """A named way to do the work; `default` is what a user gets by default."""

    DEFAULT = "default"
    WORDS = "words"


def extraction(
    data: DataOption,
    run_out: Annotated[
        Path | None, typer.Option("--run-out", metavar="FILE", help="Write the raw answers.")
    ] = None,
    record_out: RecordOption = None,
    limit: LimitOption = None,
    seed: SeedOption = 0,
    jobs: JobsOption = None,
    profile: Annotated[
        Profile,
        typer.Option(
            "--profile",
            metavar="NAME",
            help="default: words and meaning; words: the query alone.",
        ),
    ] = Profile.DEFAULT,
    library: KeepOption = None,
    with_model: asking_options.WithModelOption = False,
    grid: asking_options.GridOption = False,
    asking: asking_options.AskingOption = None,
    passages: asking_options.PassagesOption = None,
    order: asking_options.OrderOption = None,
    system: asking_options.SystemOption = None,
    keywords: asking_options.KeywordsOption = None,
    follow_up: asking_options.FollowUpOption = None,
    emotive: asking_options.EmotiveOption = False,
    best_of: asking_options.BestOfOption = 1,
    hypothetical: asking_options.HypotheticalOption = False,
    model: asking_options.ModelOption = None,
    replay: asking_options.ReplayOption = None,
    exchanges: asking_options.ExchangesOption = None,
    all_lengths: asking_options.AllLengthsOption = False,
) -> None:
    """Extract the 41 categories of CUAD, and score the answers.

    Figures are by the law firm's rule: of all categories, and of the nine of the paper. With
    --with-model a language model extracts the nine, and the paper's figures stand beside.
    """
    from fourcorners.evaluation.run_files import write_lines

    axes = asking_options.Axes(
        asking,
        passages,
        order,
        system,
        keywords,
        follow_up,
        emotive,
        best_of,
        hypothetical,
        tuple(model or ()),
        replay,
        exchanges,
        all_lengths,
        grid,
    )
    asking_options.require_model(axes, with_model=with_model)
    if with_model:
        require_place(record_out)
        if run_out is not None:
            raise ConfigError(
                "a run file holds all 41 categories, and a model is asked for nine.",
                remedy="Leave out --run-out; --json has the figures.",
            )
        words_only = profile is Profile.WORDS
        asking_options.run(
            axes,
            data,
            record_out,
            limit=limit,
            jobs=jobs,
            words_only=words_only,
            library=library,
        )
        return
    from fourcorners.evaluation.extraction import loader as cuad
    from fourcorners.evaluation.extraction import run as extracting
    from fourcorners.evaluation.record import Record
    from fourcorners.models import default_clause_reader, default_encoder
    from fourcorners.review.extract.calibration import default_calibration
    from fourcorners.settings import Settings

    require_place(run_out)
    require_place(record_out)
    settings = Settings.load(jobs=jobs)
    record = Record(
        "extraction",
        {
            "data": str(data),
            "limit": limit,
            "seed": seed,
            "jobs": settings.jobs,
            "profile": profile.value,
        },
    )
    contracts = cuad.load_cuad(data, limit=limit)
    encoder = default_encoder(threads=settings.jobs) if profile is Profile.DEFAULT else None
    with bench_library(library) as store, progress_bar() as step:
        extracting.fill_library(
            store, contracts, data, encoder=encoder, settings=settings, on_progress=step
        )
        answers = extracting.run_extraction(
            store, contracts, encoder=encoder, settings=settings, on_progress=step
        )
    if run_out is not None:
        write_lines(run_out, answers)
    named = encoder.name if encoder else None
    record.models.update(
        {
            "encoder": named,
            "clause_reader": default_clause_reader().name,
            "calibration": default_calibration().version,
        }
    )
    record.settings["seen"] = _seen(contracts)
    report(contracts, answers, record, record_out, seed=seed)


def report(
    contracts: list[AnnotatedContract],
    answers: list[Extraction],
    record: Record,
    path: Path | None,
    *,
    seed: int = 0,
) -> None:
    """Score the answers, write the record, and print the tables."""
    from fourcorners.cli.output import console
    from fourcorners.evaluation.extraction.loader import CATEGORIES, NINE_PROVISIONS
    from fourcorners.evaluation.extraction.precision_recall import (
        contract_tallies,
        curve_measures,
        curve_table,
    )
    from fourcorners.evaluation.extraction.score import (
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
    out.print(extraction_table(scores, NINE_PROVISIONS, "The nine provisions of the paper"))


def _seen(contracts: list[AnnotatedContract]) -> list[str]:
    """Return the names of the contracts that something shipped was fitted to."""
    from fourcorners.evaluation.extraction.run import document_id
    from fourcorners.models import default_clause_reader
    from fourcorners.review.extract.calibration import default_calibration

    learned = default_calibration().learned_from | default_clause_reader().learned_from
    return [each.name for each in contracts if document_id(each.text) in learned]
