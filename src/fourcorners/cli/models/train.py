"""`fourcorners train`: small models of a firm's own, learned from what its people said."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fourcorners.cli import options
from fourcorners.cli.options import option
from fourcorners.cli.output import console
from fourcorners.errors import ConfigError
from fourcorners.text.invisible_characters import single_line

if TYPE_CHECKING:
    from fourcorners.library.store import Library
    from fourcorners.precedents.learning.adapters import InstalledAdapter
    from fourcorners.precedents.learning.learn import (
        LearnedAdapter,
        LearningRatings,
        MeasureGain,
        RatedClause,
    )
    from fourcorners.review.people.labelled_clauses import LabelledClauses
    from fourcorners.review.people.verdict_learning import LearnedVerdicts

app = typer.Typer(help="Learn from a firm's own clauses, on this machine.", no_args_is_help=True)


@app.callback()
def _train() -> None:
    """Learn from a firm's own clauses, on this machine."""


@app.command("adapter")
def adapter(
    bank: Annotated[str, option("--from BANK", "Learn from this clause bank.")],
    name: Annotated[
        str | None, option("--name NAME", "What the adapter is called.", default="the bank's name")
    ] = None,
    playbook: Annotated[
        str | None,
        option(
            "--playbook NAME",
            "Learn also from what people confirmed or rejected in reviews by this playbook.",
        ),
    ] = None,
    library: options.Library = None,
    jobs: options.Jobs = None,
    as_json: options.Json = False,
) -> None:
    """Learn to rank as a firm does; install it where it helps.

    It is tried on queries and sources that it did not learn from; where the interval of its gain
    includes zero it is not installed, and the exit code is 1.
    """
    from fourcorners.models import default_encoder
    from fourcorners.playbooks.bank import store as banks
    from fourcorners.precedents.learning import adapters
    from fourcorners.precedents.learning import learn as learned_ratings
    from fourcorners.precedents.learning import learn as learning
    from fourcorners.precedents.scoring.vectors import cached_vectors
    from fourcorners.settings import Settings

    settings = Settings.load(jobs=jobs)
    encoder = default_encoder(settings.encoder, threads=settings.jobs)
    called = _quote_name(name or bank)
    with console.open_library(library) as store:
        rated = learned_ratings.bank_ratings(banks.bank_clauses(store, bank))
        reviewed = _reviewed(store, playbook)
        given = learned_ratings.merge_ratings([*rated, *reviewed])
        with console.progress_steps("Reading", "Trying") as step:
            learned = learning.learn_from_ratings(
                given,
                encoder,
                vectors=lambda texts: cached_vectors(store, texts, encoder),
                on_progress=step,
            )
        done = None
        if learned.adapter is not None:
            card = _card(bank, playbook, given, learned, len(reviewed))
            done = adapters.install_adapter(store, called, learned.adapter, encoder, card)
    if as_json:
        installed = done and {"name": done.name, "sha256": done.sha256, "bytes": done.size}
        console.print_json(
            {
                "installed": installed,
                "encoder": encoder.name,
                "parts": _parts(learned),
                "clauses": len(given.items),
                "sources": len(set(given.sources)),
                "scores": _figures(learned),
                "queries": {
                    name: {"before": round(before, 4), "after": round(after, 4)}
                    for name, (before, after) in learned.by_query.items()
                },
            }
        )
    else:
        _print(given, learned, done)
    if done is None:
        matrices, heads = learned.matrices.gain, learned.heads.gain
        console.print_note(
            "Not installed: it does not help. The intervals of its gains are "
            f"{matrices[1]:+.3f} to {matrices[2]:+.3f} and {heads[1]:+.3f} to {heads[2]:+.3f}, and "
            "neither lies above zero. Rate more clauses, of more sources."
        )
        raise typer.Exit(1)


@app.command("verdicts")
def verdicts(
    cases: Annotated[
        list[Path],
        option("--cases FILE", "Labelled clauses, as `playbook labels` writes them; repeatable."),
    ],
    out: Annotated[Path, option("--out FOLDER", "The folder of the model.")],
    library: options.Library = None,
    as_json: options.Json = False,
) -> None:
    """Learn what a firm's corrections tell of clauses; write a model where it helps.

    Each question is tried on contracts that it did not learn from, and keeps the shipped answers
    where they are as good; where none is kept nothing is written, and the exit code is 1.
    """
    from fourcorners.models.registry import shipped_verdict_reader
    from fourcorners.models.verdict_reader.correction import require_folder, write_corrections
    from fourcorners.review.people.labelled_clauses import read_labelled
    from fourcorners.review.people.verdict_learning import learn_verdicts, model_card

    require_folder(out)
    base = shipped_verdict_reader()
    with console.open_optional_library(library) as store:
        given = read_labelled(cases, base.heads, store)
    for fault in given.faults:
        console.print_note(single_line(f"Left out: {fault}"), style="yellow")
    with console.progress_steps("Trying") as step:
        learned = learn_verdicts(given.clauses, base, on_progress=step)
    if learned.heads:
        name = out.resolve().name
        write_corrections(
            out, learned.heads, learned.corrections, model_card(name, given.clauses, learned, base)
        )
    if as_json:
        console.print_json(
            {
                "written": str(out) if learned.heads else None,
                "base": base.name,
                "clauses": len(given.clauses),
                "contracts": len({each.contract for each in given.clauses}),
                "left_out": given.faults,
                "unknown": given.unknown,
                "questions": [each.as_json() for each in learned.gains],
            }
        )
    else:
        _print_verdicts(given, learned)
    if not learned.heads:
        console.print_note(
            "Nothing is written: no question is surely answered better than before on contracts "
            "held back. The shipped answers stay. More corrections may tell."
        )
        raise typer.Exit(1)
    if not as_json:
        console.print_line(
            f"Written to {single_line(str(out))}. Reviews use it once the settings name it:"
        )
        console.print_indented(2, single_line(f'[verdicts] path = "{out.resolve()}"'))
        console.print_line("To undo it, take that out again.")


def _print_verdicts(given: LabelledClauses, learned: LearnedVerdicts) -> None:
    contracts = len({each.contract for each in given.clauses})
    line = (
        f"{console.count_noun(len(given.clauses), 'clause')} from "
        f"{console.count_noun(contracts, 'contract')}."
    )
    if given.unknown:
        line += f" {given.unknown:,} of provisions that the shipped model does not know."
    console.print_line(line)
    rows = []
    for each in learned.gains:
        (asserted, now), (right, right_now) = each.asserted, each.asserted_right
        figures = f"{right}/{asserted} → {right_now}/{now}"
        answers = (f"{each.answers:,}", f"{each.right[0]} → {each.right[1]}", figures)
        rows.append((single_line(each.head.name), *answers))
    heads = ("Question", "answers", "right", "right of asserted")
    title = "On contracts held back, before → after"
    console.stdout_console().print(console.plain_table(heads, rows, title=title))
    for each in learned.gains:
        name = single_line(each.head.name)
        console.print_indented(2, "kept" if each.is_better else each.reason, head=f"{name}: ")


def _quote_name(name: str) -> str:
    from fourcorners.models.registry import model_folders

    called = " ".join(name.split())
    if not called or called in [folder.name for folder in model_folders()]:
        taken = f"an adapter cannot be called {called!r}: a model is called so."
        problem = taken if called else "an adapter needs a name."
        raise ConfigError(problem, remedy="Give another with --name.")
    return called


def _reviewed(store: Library, playbook: str | None) -> list[RatedClause]:
    from fourcorners.playbooks.load import load_playbook
    from fourcorners.review.people.confirmed import rated_clauses

    return [] if playbook is None else rated_clauses(store, load_playbook(playbook))


def _card(
    bank: str,
    playbook: str | None,
    learned_ratings: LearningRatings,
    learned: LearnedAdapter,
    reviewed: int,
) -> dict[str, object]:
    from fourcorners.models.encoder import adapter as encoder_adapter

    source = f"the clause bank {bank!r}"
    if playbook is not None:
        source += f", and what people said in reviews by {playbook!r}"
    return {
        "kind": "adapter",
        "version": "1",
        "source": source,
        "bank": bank,
        "licence": "the firm's own",
        "made": datetime.now(UTC).isoformat(timespec="seconds"),
        "parts": _parts(learned),
        "data": {
            "clauses": len(learned_ratings.items),
            "sources": len(set(learned_ratings.sources)),
            "queries": list(learned_ratings.queries),
            "reviewed": reviewed,
        },
        "settings": {
            "steps": [encoder_adapter.STEPS, encoder_adapter.HEAD_STEPS],
            "rates": [encoder_adapter.RATE, encoder_adapter.HEAD_RATE],
            "decay": [encoder_adapter.DECAY, encoder_adapter.HEAD_DECAY],
            "sharpness": encoder_adapter.SHARPNESS,
            "seeds": list(encoder_adapter.SEEDS),
        },
        "scores": _figures(learned),
        "learned_from": [each.hash for each in learned_ratings.items],
    }


def _parts(learned: LearnedAdapter) -> list[str]:
    parts = {"matrices": learned.matrices.is_significant, "heads": learned.heads.is_significant}
    return [name for name, helps in parts.items() if helps]


def _figures(learned: LearnedAdapter) -> dict[str, dict[str, list[float]]]:
    return {
        "matrices, NDCG@10 on queries and sources held back": _figure(learned.matrices),
        "heads, NDCG@10 on sources held back": _figure(learned.heads),
    }


def _figure(gain: MeasureGain) -> dict[str, list[float]]:
    figures = {"before": gain.before, "after": gain.after, "gain": gain.gain}
    return {name: [round(each, 4) for each in value] for name, value in figures.items()}


def _print(
    learned_ratings: LearningRatings, learned: LearnedAdapter, done: InstalledAdapter | None
) -> None:
    console.print_line(
        f"{console.count_noun(len(learned_ratings.items), 'clause')} from "
        f"{console.count_noun(len(set(learned_ratings.sources)), 'source')}, "
        f"{len(learned_ratings.queries)} provisions and tags."
    )
    figures = ("before", "after", "gain")
    title = "NDCG@10 (95% over queries): matrices on other queries and sources, heads on sources"
    gains = {"matrices": learned.matrices, "heads": learned.heads}
    rows = [
        (
            what,
            _format_interval(gain.before),
            _format_interval(gain.after),
            _format_interval(gain.gain, sign="+"),
        )
        for what, gain in gains.items()
    ]
    out = console.stdout_console()
    out.print(console.plain_table(("", *figures), rows, title=title))
    by_query = [
        (single_line(query), f"{before:.2f}", f"{after:.2f}", f"{after - before:+.2f}")
        for query, (before, after) in learned.by_query.items()
    ]
    out.print()
    out.print(console.plain_table(("Provision or tag", *figures), by_query))
    if done is not None:
        parts = " and ".join(_parts(learned))
        line = f"Installed as {done.name!r}: {parts}, {done.size / 1e3:,.0f} kB. "
        console.print_line(f"{line}`fourcorners precedents` uses it from now on.")


def _format_interval(value: tuple[float, float, float], sign: str = "") -> str:
    return f"{value[0]:{sign}.3f} ({value[1]:{sign}.3f} to {value[2]:{sign}.3f})"
