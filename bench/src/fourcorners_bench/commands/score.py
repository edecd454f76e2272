"""`fourcorners bench score`: run files made anywhere, scored by the rules of their benchmarks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from fourcorners.cli import options
from fourcorners.cli.options import argument, option
from fourcorners.errors import ConfigError
from fourcorners_bench.commands import (
    entailment,
    extraction,
    families,
    outline,
    precedents,
    provisions,
    retrieval,
    statements,
    values,
)
from fourcorners_bench.commands.runner import Output, Scoring, measurement, print_figures

if TYPE_CHECKING:
    from rich.table import Table

    from fourcorners_bench.measures.named_record import NamedRecord
    from fourcorners_bench.record import Record

SCORERS: Mapping[str, Callable[[Scoring, Record], Sequence[Table]]] = {
    "entailment": entailment.score_run,
    "extraction": extraction.score_run,
    "families": families.score_run,
    "outline": outline.score_run,
    "precedents": precedents.score_run,
    "provisions": provisions.score_run,
    "retrieval": retrieval.score_run,
    "statements": statements.score_run,
    "values": values.score_run,
}
"""By the benchmark of a run file: what puts its figures on record, and returns its tables."""
_CONTRACTS = ("extraction", "provisions", "retrieval")  # whose documents `--unseen-by` filters
_SPACED = ("entailment", "precedents", "retrieval")  # whose tables have empty lines between them


@measurement("record", "plots")
def score(
    output: Output,
    runs: Annotated[list[Path], argument("RUN", "Run files; several are drawn in the same plots.")],
    data: options.Data,
    limit: options.Limit = None,
    truth: outline.Truth = None,
    unseen_by: Annotated[
        str | None,
        option(
            "--unseen-by MODEL",
            "Score what this shipped model has not learned from, and nothing else.",
        ),
    ] = None,
) -> None:
    """Score run files without running anything."""
    from fourcorners_bench.measures.named_record import NamedRecord
    from fourcorners_bench.plotters import plot_records
    from fourcorners_bench.record import Record
    from fourcorners_bench.run_files import run_benchmark

    if output.record is not None and len(runs) > 1:
        raise ConfigError("--json holds one run.", remedy="Score each run by itself.")
    named: dict[str, list[NamedRecord]] = {}
    for run in runs:
        benchmark = run_benchmark(run)
        record = Record(benchmark, {"data": str(data), "run": str(run), "limit": limit})
        if benchmark in _CONTRACTS:
            record.settings["unseen_by"] = unseen_by
        elif unseen_by is not None and benchmark != "outline":
            raise ConfigError(
                "--unseen-by is for answers about CUAD's contracts and LegalBench-RAG's questions.",
                remedy="Leave it out: what a judge of these has learned from is named by the run.",
            )
        asked = Scoring(run, data, limit, tuple(truth or ()), unseen_by)
        tables = SCORERS[benchmark](asked, record)
        record.write(output.record)
        print_figures(tables, spaced=benchmark in _SPACED)
        scored = NamedRecord(run.stem, record.measures, record.settings)
        named.setdefault(benchmark, []).append(scored)
    if output.plots is not None:
        for benchmark, records in named.items():
            plot_records(output.plots, benchmark, records)
