"""`fourcorners bench entailment`: ContractNLI, what a contract says of a hypothesis, and where."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fourcorners.cli.bench.entailment_model import (
    ExemplarsOption,
    ModelRunOptions,
    TriesOption,
    TurnsOption,
    is_model_run,
    run_with_models,
)
from fourcorners.cli.bench.extraction_model import ExchangesOption, ModelOption, ReplayOption
from fourcorners.cli.bench.options import KeepOption, RecordOption, SeedOption, progress_bar
from fourcorners.cli.output.console import require_place

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fourcorners.evaluation.entailment.loader import JudgedHypothesis, Split
    from fourcorners.evaluation.record import Record


def entailment(
    data: Annotated[
        Path, typer.Option("--data", metavar="FILE", help="A split of ContractNLI, as JSON.")
    ],
    profile: Annotated[
        list[str] | None,
        typer.Option(
            "--profile",
            metavar="NAME",
            help="default; sentences: evidence among the program's sentences; unseen: as if no "
            "hypothesis were known, guided by nda-review; alone: not guided; words: by the words "
            "that are shared. With a language model, may be given again: zero-shot, "
            "zero-shot-optimised, few-shot, few-shot-spans, few-shot-spans-hypothesis, "
            "chain-of-thought, gold-spans, rag, agents.",
            show_default="default",
        ),
    ] = None,
    limit: Annotated[
        int | None, typer.Option("--limit", metavar="N", min=1, help="Only the first N documents.")
    ] = None,
    seed: SeedOption = 0,
    run_out: Annotated[
        Path | None, typer.Option("--run-out", metavar="FILE", help="Write the raw answers.")
    ] = None,
    record_out: RecordOption = None,
    tries: TriesOption = 3,
    exemplars: ExemplarsOption = None,
    turns: TurnsOption = None,
    model: ModelOption = None,
    replay: ReplayOption = None,
    record: ExchangesOption = None,
    library: KeepOption = None,
) -> None:
    """Judge documents against hypotheses, with evidence; score it.

    Quotes are ranked by how surely they are evidence, whatever the label. With a language model,
    answers are kept in the library, and are not asked for again.
    """
    from fourcorners.cli.output import console
    from fourcorners.evaluation.entailment import loader as contractnli
    from fourcorners.evaluation.entailment import run as entailing
    from fourcorners.evaluation.record import Record
    from fourcorners.evaluation.run_files import write_lines

    require_place(run_out)
    require_place(record_out)
    asking = ModelRunOptions(tries, exemplars, turns, tuple(model or ()), replay, record, library)
    names = profile or [entailing.Profile.DEFAULT.value]
    if is_model_run(names, asking):
        run_with_models(names, data, asking, limit, seed, run_out, record_out)
        return
    how = entailing.parse_profile(names[0])
    split = contractnli.load_split(data, limit=limit)
    told = Record(
        "entailment",
        {"data": str(data), "profile": how.value, "limit": limit, "seed": seed},
    )
    judge = entailing.judge_for(how)
    told.models.update(entailing.model_names(judge))
    told.settings["seen"] = entailing.trained_documents(judge, split)
    given = how is not entailing.Profile.SENTENCES
    with progress_bar() as step:
        run = entailing.run_entailment(split, judge, given=given, on_progress=step)
    if run_out is not None:
        write_lines(run_out, run)
    for note in entailing.run_notes(judge, split):
        console.err().print(note, markup=False)
    title = f"ContractNLI, {len(split.documents)} documents of {data.name}, {how.value}; percent"
    _report(split, run, told, record_out, title, seed=seed)


def score_run(run: Path, data: Path, record_out: Path | None, *, limit: int | None) -> None:
    """Score a run file of the entailment benchmark; with a limit, the first documents alone."""
    from fourcorners.evaluation.entailment import loader as contractnli
    from fourcorners.evaluation.record import Record

    answers = contractnli.read_run(run)
    split = contractnli.load_split(contractnli.find_split(data, answers), limit=limit)
    if limit is not None:
        asked = {document.id for document in split.documents}
        answers = [answer for answer in answers if answer.document in asked]
    record = Record("entailment", {"data": str(data), "run": str(run), "limit": limit})
    title = f"ContractNLI, {len(split.documents)} documents of {run.name}; percent"
    _report(split, answers, record, record_out, title)


def _report(
    split: Split,
    run: Sequence[JudgedHypothesis],
    record: Record,
    path: Path | None,
    title: str,
    *,
    seed: int = 0,
) -> None:
    from fourcorners.cli.output import console
    from fourcorners.evaluation.entailment import report as tables
    from fourcorners.evaluation.entailment.loader import match_run
    from fourcorners.evaluation.entailment.score import entailment_measures, score_document

    outcomes = [score_document(document, answers) for document, answers in match_run(split, run)]
    figures = entailment_measures(outcomes, seed=seed)
    record.measures.update(figures)
    record.settings["paper"] = tables.load_paper().source
    record.write(path)
    out = console.stdout_console()
    for shown in (
        tables.hypothesis_table(figures, split.hypotheses),
        tables.evidence_table(figures),
        tables.label_table(figures, title),
    ):
        out.print(shown, crop=False)
        out.print()
