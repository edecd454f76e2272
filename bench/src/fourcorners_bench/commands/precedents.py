"""`fourcorners bench precedents`: ACORD, the clauses that lawyers would choose."""

from __future__ import annotations

from dataclasses import astuple, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from fourcorners.cli import options
from fourcorners.cli.model_port import open_model_port
from fourcorners.cli.options import option
from fourcorners.cli.output import console
from fourcorners.errors import ConfigError
from fourcorners_bench.commands.runner import (
    ModelOptions,
    Output,
    RunOptions,
    Scoring,
    measurement,
    report_unread,
    require_model_options,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rich.table import Table

    from fourcorners_bench.precedents.from_contracts import CutRun
    from fourcorners_bench.precedents.loader import Ranking, Split
    from fourcorners_bench.record import Record


@dataclass(frozen=True, slots=True)
class _Queries:
    """Which queries are ranked, and how they are put."""

    data: options.Data
    split: Annotated[str, option("--split NAME", "The split: train, valid or test.")] = "valid"
    wording: Annotated[
        Literal["short", "medium", "long", "both"],
        option(
            "--format FORMAT", "short, medium, long; both: short and long, their scores averaged."
        ),
    ] = "short"
    limit: Annotated[int | None, option("--limit N", "Only the first N queries.", least=1)] = None


@dataclass(frozen=True, slots=True)
class _Ranking:
    """What ranks the clauses."""

    profile: options.Method = "default"
    reread: Annotated[
        int | None,
        option(
            "--reread N",
            "How many of the first the language model reads again.",
            least=2,
            default="100, as in the paper",
        ),
    ] = None
    expand: options.Expand = False
    grid: Annotated[
        bool,
        option(
            "--grid",
            "Every profile (those with a reranker if there is one), every format; with --model "
            "also a language model on BM25 and on the encoder, in the format of --format.",
        ),
    ] = False


@dataclass(frozen=True, slots=True)
class _CutContracts:
    """Contracts whose clauses are ranked in place of the judged ones."""

    from_contracts: Annotated[
        Path | None,
        option(
            "--from-contracts DIR",
            "Cut the contracts of CUAD in DIR into clauses; a judged clause has the score of "
            "the best that covers 75% of it. With --library, a stopped run continues.",
        ),
    ] = None
    contracts: Annotated[
        int | None, option("--contracts N", "Of the contracts only the first N.", least=1)
    ] = None


@measurement()
def precedents(
    output: Output,
    queries: _Queries,
    ranking: _Ranking,
    statistics: Annotated[
        bool, option("--statistics", "Count what the data hold, and rank nothing.")
    ] = False,
    *,
    cut: _CutContracts,
    execution: RunOptions,
    model: ModelOptions,
) -> None:
    """Rank the judged clauses of ACORD's queries; score the order.

    A query's clauses are ranked without a look at their stars.
    """
    from fourcorners.models import default_encoder, default_reranker, shipped_reranker
    from fourcorners.precedents import rerank as reranking
    from fourcorners.precedents.profile import parse_method, require_model_profile, uses_reranker
    from fourcorners.precedents.scoring import vectors as clause_vectors
    from fourcorners.precedents.scoring.score import MAX_RERANKED
    from fourcorners.settings import Settings
    from fourcorners_bench.precedents import loader as acord
    from fourcorners_bench.precedents import run as preceding
    from fourcorners_bench.precedents.from_contracts import run_from_contracts
    from fourcorners_bench.precedents.model_rerank import ModelReranker, require_single_mode
    from fourcorners_bench.record import Record

    if statistics:
        _report_statistics(queries.data, output)
        return
    way = parse_method(ranking.profile)
    has_model_rows = ranking.grid and any(astuple(model))
    reread = None if has_model_rows else ranking.reread
    require_model_profile(way, reread)
    how, again = way.profile, way.rerank
    require_single_mode(
        bool(again or ranking.expand),
        grid=ranking.grid,
        from_contracts=cut.from_contracts is not None,
    )
    roles = [
        *([reranking.ROLE] if again or has_model_rows else []),
        *([reranking.WORDINGS_ROLE] if ranking.expand else []),
    ]
    remedy = "Name a profile that asks one, such as bm25-pointwise, or add --expand."
    require_model_options(bool(roles), astuple(model), remedy)
    if ranking.grid and (cut.from_contracts is not None or output.run is not None):
        raise ConfigError(
            "--grid has many runs, --run-out and --from-contracts are of one.",
            remedy="Name the run with --profile and --format.",
        )
    settings = Settings.load(jobs=execution.jobs)
    llm = model.configure(settings.llm)
    asked = acord.load_split(queries.data, queries.split, limit=queries.limit)
    encoder = default_encoder(settings.encoder, threads=settings.jobs)
    reranker = (
        default_reranker(settings.reranker, threads=settings.jobs)
        if ranking.grid or uses_reranker(how)
        else None
    )
    if reranker is None and uses_reranker(how):
        reranker = shipped_reranker()
    record = Record(
        "precedents",
        {
            "data": str(queries.data),
            "split": queries.split,
            "format": queries.wording,
            "profile": way.name,
            "grid": ranking.grid,
            "from_contracts": None if cut.from_contracts is None else str(cut.from_contracts),
            "limit": queries.limit,
            "contracts": cut.contracts,
            "seed": execution.seed,
            "jobs": settings.jobs,
            "without_format": preceding.queries_without_wording(asked, queries.wording),
            "seen": preceding.trained_queries(how, asked, encoder),
        },
    )
    record.models.update(preceding.model_names(how, encoder, reranker))
    precedents_report: list[Table] = []
    with (
        console.bench_library(execution.library) as store,
        open_model_port(store, roles, settings=llm, job="bench precedents") as port,
        console.progress_steps() as step,
    ):
        first = ranking.reread or MAX_RERANKED
        asker = ModelReranker(port, again, first, expands=ranking.expand) if port else None

        def vectors(texts: Sequence[str]) -> clause_vectors.Rows:
            return clause_vectors.cached_vectors(store, texts, encoder)

        ranker = preceding.ClauseRanker(encoder, queries.wording, how, reranker, vectors)
        if ranking.grid:
            runs = preceding.run_grid(asked, ranker, asker=asker, on_progress=step)
        elif cut.from_contracts is None:
            run = preceding.run_precedents(asked, ranker, asker=asker, on_progress=step)
        else:
            done = run_from_contracts(
                store,
                cut.from_contracts,
                asked,
                ranker,
                settings=settings,
                on_progress=step,
                contracts=cut.contracts,
            )
            run = done.run
            report_unread(record, done.unread)
            precedents_report = _cut_tables(done, record, execution.seed)
    notes = list(preceding.run_notes(how, asked, queries.wording, encoder))
    if asker is not None:
        record.models.update(asker.models)
        record.settings["asked"] = asker.to_json()
        notes += asker.notes()
    for note in notes:
        console.err().print(note)
    if ranking.grid:
        output.finish(record, *_grid_tables(asked, runs, record, seed=execution.seed), spaced=True)
        return
    output.write_run(run)
    title = f"ACORD {queries.split}: {len(asked.queries)} queries, {queries.wording}, {way.name}"
    title += "; percent"
    tables = [*_score(asked, run, record, title, seed=execution.seed), *precedents_report]
    output.finish(record, *tables, spaced=True)


def _report_statistics(data: Path, output: Output) -> None:
    """Print what the splits hold, and put it on record."""
    from fourcorners_bench.precedents import statistics
    from fourcorners_bench.record import Record

    found = statistics.read_statistics(data)
    record = Record("precedents", {"data": str(data), "statistics": True})
    record.measures.update(statistics=found.to_json(), lengths=list(found.lengths))
    tables = (statistics.stars_table(found), statistics.stars_by_category_table(found))
    output.finish(record, *tables, spaced=True)


def _cut_tables(done: CutRun, record: Record, seed: int) -> list[Table]:
    """Put what was measured of whole contracts on record, and return its tables."""
    from fourcorners_bench.precedents import report as precedents_report
    from fourcorners_bench.precedents.score import precedent_measures

    record.measures["from_contracts"] = {
        **done.to_json(),
        "as_given": precedent_measures(done.baseline, seed=seed),
        "as_cut": precedent_measures(done.as_cut, seed=seed),
    }
    return [
        precedents_report.counts_table(done.clauses, done.parts()),
        precedents_report.depth_table(done.found, seed=seed),
        precedents_report.cut_table(done.baseline, done.as_cut, seed=seed),
    ]


def _grid_tables(
    asked: Split,
    runs: Mapping[tuple[str, str], Sequence[Ranking]],
    record: Record,
    *,
    seed: int,
) -> Sequence[Table]:
    """Put the figures of many runs on record, and return their tables by profile and format."""
    from fourcorners_bench.precedents import report as precedents_report
    from fourcorners_bench.precedents.score import mean_figures, score_run

    rows = {cell: score_run(asked.queries, run) for cell, run in runs.items()}
    record.measures["grid"] = {
        f"{name}, {wording}": {
            measure: figure.to_json() for measure, figure in mean_figures(part, seed=seed).items()
        }
        for (name, wording), part in rows.items()
    }
    short = {name: part for (name, wording), part in rows.items() if wording == "short"}
    title = f"ACORD {asked.name}: {len(asked.queries)} queries, short; percent"
    return (
        precedents_report.format_table(rows),
        precedents_report.wording_table(rows, seed=seed),
        precedents_report.category_table(short["full"], seed=seed),
        precedents_report.grid_table(short, title, seed=seed),
    )


def score_run(asked: Scoring, record: Record) -> Sequence[Table]:
    """Score a run file of the precedents benchmark; with a limit, its first lines alone."""
    from fourcorners_bench.precedents import loader as acord

    answers = acord.read_run(asked.run)[: asked.limit]
    split = acord.match_run(asked.data, answers, partial=asked.limit is not None)
    title = f"ACORD {split.name}: {len(split.queries)} queries of {asked.run.name}; percent"
    return _score(split, answers, record, title)


def _score(
    asked: Split, run: Sequence[Ranking], record: Record, title: str, *, seed: int = 0
) -> Sequence[Table]:
    """Put the figures of a run on record, and return its tables."""
    from fourcorners_bench.precedents import report as precedents_report
    from fourcorners_bench.precedents.paper import paper_figures
    from fourcorners_bench.precedents.score import precedent_measures, score_run

    rows = score_run(asked.queries, run)
    record.measures.update(precedent_measures(rows, seed=seed))
    record.settings["paper"] = paper_figures().source
    return (
        precedents_report.format_table(),
        precedents_report.category_table(rows, seed=seed),
        precedents_report.summary_table(rows, title, seed=seed),
    )
