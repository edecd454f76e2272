"""`fourcorners bench values`: contract cards against the answers of CUAD's lawyers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from fourcorners.cli import options
from fourcorners.cli.output import console
from fourcorners_bench.commands.runner import Output, Scoring, measurement, report_unread

if TYPE_CHECKING:
    from rich.table import Table

    from fourcorners_bench.record import Record


@measurement()
def values(output: Output, data: options.Data, limit: options.Limit = None) -> None:
    """Compare contract cards with the answers of CUAD's lawyers.

    What are dates, terms and notice was learned from most of these contracts; `training/values`
    writes answers that are out of fold. Rules for titles, parties and types were made while looking
    at part of the contracts; figures of the held-out part are shown, too.
    """
    from fourcorners.outline.card.values.judge import learned_from
    from fourcorners_bench.cards import score as card_scores
    from fourcorners_bench.cards import values as card_values
    from fourcorners_bench.extraction import loader as cuad
    from fourcorners_bench.record import Record

    record = Record("values", {"data": str(data), "limit": limit})
    record.models["values"] = learned_from()
    contracts = cuad.load_cuad(data, limit=limit, keep_unread=True)
    report_unread(record, cuad.unread_reasons(contracts))
    read = cuad.readable(contracts)
    with console.progress_steps() as step:
        cards = card_scores.read_cards(read, on_progress=step)
    names = [each.name for each in contracts]
    run = [line for name in names for line in card_values.answer_values(name, cards.get(name))]
    output.write_run(run)
    counts = card_values.score_values(names, card_values.load_values(contracts), run)
    scores = card_scores.score_cards(read, cards)
    record.measures["values"] = card_values.value_measures(counts)
    record.measures["names"] = card_scores.card_measures(scores)
    output.finish(record, card_values.value_table(counts), card_scores.card_table(scores))


def score_run(asked: Scoring, record: Record) -> Sequence[Table]:
    """Score a run file of values."""
    from fourcorners_bench.cards import values as card_values
    from fourcorners_bench.extraction import loader as cuad

    contracts = cuad.load_cuad(asked.data, limit=asked.limit, keep_unread=True)
    truth = card_values.load_values(contracts)
    counts = card_values.score_values([*truth], truth, card_values.read_values(asked.run))
    record.measures.update(card_values.value_measures(counts))
    return [card_values.value_table(counts)]
