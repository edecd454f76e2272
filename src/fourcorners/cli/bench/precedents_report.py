"""What `fourcorners bench precedents` prints and puts on record of a run."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rich.table import Table

    from fourcorners.evaluation.precedents.from_contracts import CutRun
    from fourcorners.evaluation.precedents.loader import Ranking, Split
    from fourcorners.evaluation.record import Record
    from fourcorners.precedents.profile import Profile

_SHORT = "short"


def cut_tables(done: CutRun, record: Record, seed: int) -> list[Table]:
    """Put what was measured of whole contracts on record, and return its tables."""
    from fourcorners.evaluation.precedents import report as precedents_tables
    from fourcorners.evaluation.precedents.score import precedent_measures

    record.measures["from_contracts"] = {
        **done.to_json(),
        "as_given": precedent_measures(done.baseline, seed=seed),
        "as_cut": precedent_measures(done.as_cut, seed=seed),
    }
    return [
        precedents_tables.counts_table(done.clauses, done.parts()),
        precedents_tables.depth_table(done.found, seed=seed),
        precedents_tables.cut_table(done.baseline, done.as_cut, seed=seed),
    ]


def report_grid(
    asked: Split,
    runs: Mapping[tuple[Profile, str], Sequence[Ranking]],
    record: Record,
    path: Path | None,
    *,
    seed: int,
) -> None:
    """Print the figures of many runs, by profile and format, and put them on record."""
    from fourcorners.cli.output import console
    from fourcorners.evaluation.precedents import report as tables
    from fourcorners.evaluation.precedents.score import mean_figures, score_run

    rows = {
        (profile.value, wording): score_run(asked.queries, run)
        for (profile, wording), run in runs.items()
    }
    record.measures["grid"] = {
        f"{name}, {wording}": {
            measure: figure.to_json() for measure, figure in mean_figures(part, seed=seed).items()
        }
        for (name, wording), part in rows.items()
    }
    record.write(path)
    out = console.stdout_console()
    short = {name: part for (name, wording), part in rows.items() if wording == _SHORT}
    title = f"ACORD {asked.name}: {len(asked.queries)} queries, short; percent"
    for shown in (
        tables.format_table(),
        tables.wording_table(rows, seed=seed),
        tables.category_table(short["full"], seed=seed),
        tables.grid_table(short, title, seed=seed),
    ):
        out.print(shown, crop=False)
        out.print()


def score_run(run: Path, data: Path, record_out: Path | None, *, limit: int | None) -> None:
    """Score a run file of the precedents benchmark; with a limit, its first lines alone."""
    from fourcorners.evaluation.precedents import loader as acord
    from fourcorners.evaluation.record import Record

    answers = acord.read_run(run)[:limit]
    asked = acord.match_run(data, answers, partial=limit is not None)
    record = Record("precedents", {"data": str(data), "run": str(run), "limit": limit})
    title = f"ACORD {asked.name}: {len(asked.queries)} queries of {run.name}; percent"
    report(asked, answers, record, record_out, title)


def report(
    asked: Split,
    run: Sequence[Ranking],
    record: Record,
    path: Path | None,
    title: str,
    *,
    seed: int = 0,
    more: Sequence[Table] = (),
) -> None:
    """Print the figures of a run beside the paper's, and put them on record."""
    from fourcorners.cli.output import console
    from fourcorners.evaluation.precedents import report as tables
    from fourcorners.evaluation.precedents.score import precedent_measures, score_run

    rows = score_run(asked.queries, run)
    record.measures.update(precedent_measures(rows, seed=seed))
    record.settings["paper"] = tables.load_paper().source
    record.write(path)
    out = console.stdout_console()
    for shown in (
        tables.format_table(),
        tables.category_table(rows, seed=seed),
        tables.summary_table(rows, title, seed=seed),
        *more,
    ):
        out.print(shown, crop=False)
        out.print()
