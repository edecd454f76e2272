"""`fourcorners bench comparison` and `versions`: versions made with edits, compared and scored."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Annotated, Literal

from fourcorners.cli import options
from fourcorners.cli.options import option
from fourcorners.cli.output import console
from fourcorners_bench.commands.runner import Output, measurement, report_unread


@dataclass(frozen=True, slots=True)
class _Pairs:
    """The contracts that get a second version."""

    half: Annotated[
        Literal["development", "report"],
        option("--half NAME", "development, which rules are made on, or report."),
    ] = "report"
    pairs: Annotated[int, option("--pairs N", "Contracts that get a second version.", least=1)] = 30
    skip: Annotated[
        int, option("--skip N", "Leave out the first N contracts of the half.", least=0)
    ] = 0
    seed: Annotated[int, option("--seed N", "The seed of the edits.")] = 1


@measurement("record", "plots")
def comparison(
    output: Output,
    data: options.Data,
    chosen: _Pairs,
    pages: Annotated[
        int, option("--pages N", "The length of the contract whose time is taken.", least=1)
    ] = 200,
    words_only: options.Words = False,
    show: Annotated[
        bool, option("--show", "List the edits that were missed, and what is reported of none.")
    ] = False,
) -> None:
    """Measure how many known edits a comparison reports.

    Second versions are made of contracts of CUAD: words, numbers, negations and parties changed,
    clauses added, removed, moved, split, merged and renumbered.
    """
    from fourcorners.models import default_encoder
    from fourcorners_bench.comparison import run as comparison_run
    from fourcorners_bench.extraction import loader as cuad
    from fourcorners_bench.record import Record

    record = Record("comparison", {"data": str(data), **asdict(chosen)})
    encoder = None if words_only else default_encoder()
    record.models["encoder"] = encoder.name if encoder else None
    contracts = cuad.load_cuad(data, keep_unread=True)
    report_unread(record, cuad.unread_reasons(contracts))
    contracts = cuad.readable(contracts)
    made = comparison_run.make_pairs(
        contracts, chosen.half, chosen.pairs, chosen.seed, skip=chosen.skip
    )
    with console.progress_steps() as step:
        found = comparison_run.run_comparisons(made, encoder=encoder, on_progress=step)
    speed = comparison_run.measure_speed(made, pages, encoder=encoder)
    pairing = comparison_run.measure_pairing(contracts, chosen.half, chosen.pairs, encoder)
    record.measures.update(comparison_run.comparison_measures(found, speed, pairing))
    output.finish(record, comparison_run.comparison_table(found))
    for line in comparison_run.summary_lines(found, speed, pairing):
        console.print_text(line)
    if show:
        for line in comparison_run.failure_lines(found, made):
            console.print_line(line)


@measurement("record")
def versions(
    output: Output,
    data: options.Data,
    half: Annotated[
        Literal["development", "report"],
        option("--half NAME", "development, which rules are made on, or report."),
    ] = "development",
    pairs: Annotated[
        int, option("--pairs N", "Word files that get a second version.", least=1)
    ] = 64,
    seed: Annotated[int, option("--seed N", "The seed of the edits.")] = 1,
    libreoffice: Annotated[
        int,
        option(
            "--libreoffice N",
            "Pairs whose changes LibreOffice accepts and rejects as well, if it is installed with "
            "its Python module.",
            least=0,
        ),
    ] = 0,
) -> None:
    """Measure whether a compared Word file becomes either version.

    Word files are made of contracts of CUAD, with tables, notes, fields, text boxes, pictures,
    headers, footers and other people's tracked changes. Second versions have one to forty edits of
    seventeen kinds. All changes accepted must give the second version, all rejected the first.
    """
    from fourcorners_bench.comparison import word_run
    from fourcorners_bench.extraction import loader as cuad
    from fourcorners_bench.record import Record

    record = Record("versions", {"data": str(data), "half": half, "pairs": pairs, "seed": seed})
    contracts = cuad.load_cuad(data, keep_unread=True)
    report_unread(record, cuad.unread_reasons(contracts))
    made = word_run.make_word_pairs(cuad.readable(contracts), half, pairs, seed)
    with console.progress_steps() as step:
        scores = word_run.run_word_pairs(made, on_progress=step)
    record.measures.update(word_run.word_measures(scores))
    judged = made[:libreoffice]
    wrong = word_run.judge_in_libreoffice(judged) if judged else []
    record.measures["libreoffice"] = {"sides": 2 * len(judged), "wrong": len(wrong)}
    output.finish(record, word_run.word_table(scores))
    if judged:
        right = 2 * len(judged) - len(wrong)
        console.print_text(f"LibreOffice: {right} of {2 * len(judged)} sides are the version.")
        for each in wrong:
            console.print_text(f"  {each}")
