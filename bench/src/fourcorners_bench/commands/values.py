"""`fourcorners bench values`: contract cards against the answers of CUAD's lawyers."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from fourcorners.cli import options
from fourcorners.cli.output import console
from fourcorners_bench.commands.plots import plot_record, require_plots

if TYPE_CHECKING:
    from fourcorners_bench.record import Record


def values(
    data: options.Data,
    run_out: options.Run = None,
    record_out: options.Record = None,
    limit: options.Limit = None,
    plots: options.Plots = None,
) -> None:
    """Compare contract cards with the answers of CUAD's lawyers.

    What are dates, terms and notice was learned from most of these contracts; `training/values`
    writes answers that are out of fold. Rules for titles, parties and types were made while looking
    at part of the contracts; figures of the held-out part stand beside.
    """
    from fourcorners.outline.card.values.judge import learned_from
    from fourcorners_bench.cards import score as card_scores
    from fourcorners_bench.cards import values as card_values
    from fourcorners_bench.extraction import loader as cuad
    from fourcorners_bench.record import Record
    from fourcorners_bench.run_files import write_lines

    console.require_place(run_out, record_out)
    require_plots(plots)
    record = Record("values", {"data": str(data), "limit": limit})
    record.models["values"] = learned_from()
    contracts = cuad.load_cuad(data, limit=limit)
    with console.progress_steps() as step:
        cards = card_scores.read_cards(
            contracts, on_progress=lambda done, total: step("Reading cards", done, total)
        )
    run = [line for name, card in cards.items() for line in card_values.answer_values(name, card)]
    if run_out is not None:
        write_lines(run_out, run)
    counts = card_values.score_values([*cards], card_values.load_values(data), run)
    scores = card_scores.score_cards(contracts, card_values.load_answers(data), cards)
    record.measures["values"] = card_values.value_measures(counts)
    record.measures["names"] = card_scores.card_measures(scores)
    record.write(record_out)
    plot_record(plots, record)
    out = console.stdout_console()
    out.print(card_values.value_table(counts))
    out.print(card_scores.card_table(scores))


def score_run(
    run: Path, data: Path, record: Record, record_out: Path | None, *, limit: int | None
) -> None:
    """Score a run file of values."""
    from fourcorners_bench.cards import values as card_values
    from fourcorners_bench.extraction import loader as cuad

    names = [each.name for each in cuad.load_cuad(data, limit=limit)]
    counts = card_values.score_values(
        names, card_values.load_values(data), card_values.read_values(run)
    )
    record.measures.update(card_values.value_measures(counts))
    record.write(record_out)
    console.stdout_console().print(card_values.value_table(counts))
