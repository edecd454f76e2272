"""`fourcorners bench obligations`: who must do what, against obligations read by hand."""

from __future__ import annotations

from typing import Annotated

from fourcorners.cli import options
from fourcorners.cli.options import option
from fourcorners.cli.output import console
from fourcorners.text.invisible_characters import single_line
from fourcorners_bench.commands.runner import Output, measurement, report_unread

_AROUND = 90  # characters around words that are shown


@measurement("record", "plots")
def obligations(
    output: Output,
    data: options.Data,
    misses: Annotated[
        bool, option("--misses", "Show what is not right, and what was not found.")
    ] = False,
) -> None:
    """Compare obligations with those read by hand.

    Five contracts were read before the program was written, and asked at its end (blind); on three
    it was made (tuning). The labels are places, no words: the texts are those of the data.
    """
    from fourcorners_bench.obligations import score
    from fourcorners_bench.record import Record

    record = Record("obligations", {"data": str(data)})
    contracts = score.load_truth(data)
    report_unread(record, {each.name: each.unread for each in contracts if each.unread})
    scores = [score.score_contract(each) for each in contracts]
    for part in score.PARTS:
        own = [each for each in scores if each.part == part]
        record.measures[part] = score.total_measures(own)
    output.finish(record, score.obligation_table(scores))
    if misses:
        texts = {each.name: each.text for each in contracts}
        for miss in (each for scored in scores for each in scored.misses):
            text, span = texts[miss.contract], miss.span
            words = text[max(0, span.start - _AROUND) : span.end + _AROUND]
            console.print_line((f"{miss.what}: ", "bold"), single_line(" ".join(words.split())))
