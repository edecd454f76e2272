"""`fourcorners bench precedents`: ACORD, the clauses that lawyers would choose."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fourcorners.cli.bench.extraction_model import ExchangesOption, ReplayOption
from fourcorners.cli.bench.options import (
    DataOption,
    KeepOption,
    RecordOption,
    SeedOption,
    bench_library,
    of_model,
    progress_bar,
)
from fourcorners.cli.contracts.precedents import (
    ExpandOption,
    ProfileOption,
    RerankOption,
    one_rerank,
    open_model_port,
)
from fourcorners.cli.output.console import JobsOption, require_place

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.table import Table


class Wording(StrEnum):
    """The wording of the queries."""

    SHORT = "short"
    MEDIUM = "medium"
    LONG = "long"
    BOTH = "both"


def precedents(
    data: DataOption,
    split: Annotated[
        str, typer.Option("--split", metavar="NAME", help="The split: train, valid or test.")
    ] = "valid",
    wording: Annotated[
        Wording,
        typer.Option(
            "--format",
            metavar="FORMAT",
            help="short, medium, long; both: short and long, their scores averaged.",
        ),
    ] = Wording.SHORT,
    profile: ProfileOption = "default",
    reread: RerankOption = None,
    expand: ExpandOption = False,
    grid: Annotated[
        bool,
        typer.Option(
            "--grid",
            help="Every profile (those with a reranker if there is one), every format. No language "
            "model is asked.",
        ),
    ] = False,
    from_contracts: Annotated[
        Path | None,
        typer.Option(
            "--from-contracts",
            metavar="DIR",
            help="Cut the contracts of CUAD in DIR into clauses; a judged clause has the score of "
            "the best that covers 75% of it. With --library, a run that is stopped goes on.",
            show_default=False,
        ),
    ] = None,
    contracts: Annotated[
        int | None,
        typer.Option(
            "--contracts",
            metavar="N",
            min=1,
            help="Of the contracts only the first N.",
            show_default=False,
        ),
    ] = None,
    library: KeepOption = None,
    limit: Annotated[
        int | None, typer.Option("--limit", metavar="N", min=1, help="Only the first N queries.")
    ] = None,
    seed: SeedOption = 0,
    jobs: JobsOption = None,
    run_out: Annotated[
        Path | None, typer.Option("--run-out", metavar="FILE", help="Write the raw answers.")
    ] = None,
    record_out: RecordOption = None,
    model: Annotated[
        str,
        typer.Option(
            "--model",
            metavar="NAME",
            help="In place of the settings' language model.",
            show_default=False,
        ),
    ] = "",
    replay: ReplayOption = None,
    exchanges: ExchangesOption = None,
) -> None:
    """Rank the judged clauses of ACORD's queries; score the order.

    A query's clauses are ranked without a look at their stars.
    """
    from fourcorners.cli.bench.precedents_report import cut_tables, report, report_grid
    from fourcorners.cli.output import console
    from fourcorners.errors import ConfigError
    from fourcorners.evaluation.precedents import from_contracts as whole
    from fourcorners.evaluation.precedents import loader as acord
    from fourcorners.evaluation.precedents import run as preceding
    from fourcorners.evaluation.precedents.model_rerank import ModelReranker, require_single_mode
    from fourcorners.evaluation.record import Record
    from fourcorners.evaluation.run_files import write_lines
    from fourcorners.models import default_encoder, default_reranker
    from fourcorners.precedents import rerank as expanding
    from fourcorners.precedents import rerank as rereading
    from fourcorners.precedents.profile import parse_method, uses_reranker
    from fourcorners.precedents.scoring import collection as kept
    from fourcorners.settings import Settings

    require_place(run_out)
    require_place(record_out)
    way = parse_method(profile)
    how, again = way.profile, one_rerank(way.rerank, None, reread)
    roles = [*([rereading.ROLE] if again else []), *([expanding.WORDINGS_ROLE] if expand else [])]
    require_single_mode(bool(roles), grid=grid, from_contracts=from_contracts is not None)
    if not roles and (model or replay or exchanges):
        raise ConfigError(
            "options of the language model are given, and none is asked.",
            remedy="Name a profile that asks one, such as bm25-pointwise, or add --expand.",
        )
    if grid and (from_contracts is not None or run_out is not None):
        raise ConfigError(
            "--grid has many runs, --run-out and --from-contracts are of one.",
            remedy="Name the run with --profile and --format.",
        )
    settings = Settings.load(jobs=jobs)
    llm = of_model(settings.llm, model, replay, exchanges)
    asked = acord.load_split(data, split, limit=limit)
    encoder = default_encoder(threads=settings.jobs)
    reranker = default_reranker(threads=settings.jobs) if grid or uses_reranker(how) else None
    record = Record(
        "precedents",
        {
            "data": str(data),
            "split": split,
            "format": wording.value,
            "profile": way.name,
            "grid": grid,
            "from_contracts": None if from_contracts is None else str(from_contracts),
            "limit": limit,
            "contracts": contracts,
            "seed": seed,
            "jobs": settings.jobs,
        },
    )
    record.models.update(preceding.model_names(how, encoder, reranker))
    record.settings["without_format"] = preceding.queries_without_wording(asked, wording.value)
    record.settings["seen"] = preceding.trained_queries(how, asked, encoder)
    tables: list[Table] = []
    with (
        bench_library(library) as store,
        open_model_port(store, roles, settings=llm, job="bench precedents") as port,
        progress_bar() as step,
    ):
        first = reread or rereading.MAX_RERANKED
        asker = ModelReranker(port, again, first, expands=expand) if port else None

        def vectors(texts: Sequence[str]) -> kept.Rows:
            return kept.cached_vectors(store, texts, encoder)

        if grid:
            runs = preceding.run_grid(
                asked, encoder, reranker=reranker, vectors=vectors, on_progress=step
            )
        elif from_contracts is None:
            run = preceding.run_precedents(
                asked,
                wording.value,
                encoder,
                profile=how,
                reranker=reranker,
                vectors=vectors,
                asker=asker,
                on_progress=step,
            )
        else:
            done = whole.run_from_contracts(
                store,
                from_contracts,
                asked,
                wording.value,
                encoder,
                profile=how,
                reranker=reranker,
                settings=settings,
                on_progress=step,
                contracts=contracts,
            )
            run = done.run
            tables = cut_tables(done, record, seed)
    notes = list(preceding.run_notes(how, asked, wording.value, encoder))
    if asker is not None:
        record.models.update(asker.models)
        record.settings["asked"] = asker.to_json()
        notes += asker.notes()
    for note in notes:
        console.err().print(note, markup=False)
    if grid:
        report_grid(asked, runs, record, record_out, seed=seed)
        return
    if run_out is not None:
        write_lines(run_out, run)
    title = f"ACORD {split}: {len(asked.queries)} queries, {wording.value}, {way.name}; percent"
    report(asked, run, record, record_out, title, seed=seed, more=tables)
