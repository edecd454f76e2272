"""`fourcorners train`: small models of a firm's own, learned from what its people said."""

from __future__ import annotations

from datetime import UTC, datetime
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
        MeasureGain,
        RatedClause,
        Ratings,
    )

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
    from fourcorners.precedents.learning import learn as ratings
    from fourcorners.precedents.learning import learn as teaching
    from fourcorners.precedents.scoring import collection as kept
    from fourcorners.settings import Settings

    settings = Settings.load(jobs=jobs)
    encoder = default_encoder(threads=settings.jobs)
    called = _called(name or bank)
    with console.open_library(library) as store:
        rated = ratings.bank_ratings(banks.bank_clauses(store, bank))
        reviewed = _reviewed(store, playbook)
        given = ratings.merge_ratings([*rated, *reviewed])
        with console.progress_steps("Reading", "Trying") as step:
            taught = teaching.learn_from_ratings(
                given,
                encoder,
                vectors=lambda texts: kept.cached_vectors(store, texts, encoder),
                on_progress=step,
            )
        done = None
        if taught.adapter is not None:
            card = _card(bank, playbook, given, taught, len(reviewed))
            done = adapters.install_adapter(store, called, taught.adapter, encoder, card)
    if as_json:
        installed = done and {"name": done.name, "sha256": done.sha256, "bytes": done.size}
        console.print_json(
            {
                "installed": installed,
                "encoder": encoder.name,
                "parts": _parts(taught),
                "clauses": len(given.items),
                "sources": len(set(given.sources)),
                "scores": _figures(taught),
                "queries": {
                    name: {"before": round(before, 4), "after": round(after, 4)}
                    for name, (before, after) in taught.by_query.items()
                },
            }
        )
    else:
        _print(given, taught, done)
    if done is None:
        matrices, heads = taught.matrices.gain, taught.heads.gain
        console.print_note(
            "Not installed: it does not help. The intervals of its gains are "
            f"{matrices[1]:+.3f} to {matrices[2]:+.3f} and {heads[1]:+.3f} to {heads[2]:+.3f}, and "
            "neither lies above zero. Rate more clauses, of more sources."
        )
        raise typer.Exit(1)


def _called(name: str) -> str:
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
    bank: str, playbook: str | None, ratings: Ratings, taught: LearnedAdapter, reviewed: int
) -> dict[str, object]:
    from fourcorners.models.encoder import adapter as maths

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
        "parts": _parts(taught),
        "data": {
            "clauses": len(ratings.items),
            "sources": len(set(ratings.sources)),
            "queries": list(ratings.queries),
            "reviewed": reviewed,
        },
        "settings": {
            "steps": [maths.STEPS, maths.HEAD_STEPS],
            "rates": [maths.RATE, maths.HEAD_RATE],
            "decay": [maths.DECAY, maths.HEAD_DECAY],
            "sharpness": maths.SHARPNESS,
            "seeds": list(maths.SEEDS),
        },
        "scores": _figures(taught),
        "learned_from": [each.hash for each in ratings.items],
    }


def _parts(taught: LearnedAdapter) -> list[str]:
    parts = {"matrices": taught.matrices.is_significant, "heads": taught.heads.is_significant}
    return [name for name, helps in parts.items() if helps]


def _figures(taught: LearnedAdapter) -> dict[str, dict[str, list[float]]]:
    return {
        "matrices, NDCG@10 on queries and sources held back": _figure(taught.matrices),
        "heads, NDCG@10 on sources held back": _figure(taught.heads),
    }


def _figure(gain: MeasureGain) -> dict[str, list[float]]:
    told = {"before": gain.before, "after": gain.after, "gain": gain.gain}
    return {name: [round(each, 4) for each in value] for name, value in told.items()}


def _print(ratings: Ratings, taught: LearnedAdapter, done: InstalledAdapter | None) -> None:
    console.print_line(
        f"{console.count_noun(len(ratings.items), 'clause')} from "
        f"{console.count_noun(len(set(ratings.sources)), 'source')}, "
        f"{len(ratings.queries)} provisions and tags."
    )
    figures = ("before", "after", "gain")
    title = "NDCG@10 (95% over queries): matrices on other queries and sources, heads on sources"
    gains = {"matrices": taught.matrices, "heads": taught.heads}
    rows = [
        (what, _told(gain.before), _told(gain.after), _told(gain.gain, sign="+"))
        for what, gain in gains.items()
    ]
    out = console.stdout_console()
    out.print(console.plain_table(("", *figures), rows, title=title))
    by_query = [
        (single_line(query), f"{before:.2f}", f"{after:.2f}", f"{after - before:+.2f}")
        for query, (before, after) in taught.by_query.items()
    ]
    out.print()
    out.print(console.plain_table(("Provision or tag", *figures), by_query))
    if done is not None:
        parts = " and ".join(_parts(taught))
        said = f"Installed as {done.name!r}: {parts}, {done.size / 1e3:,.0f} kB. "
        console.print_line(f"{said}`fourcorners precedents` uses it from now on.")


def _told(value: tuple[float, float, float], sign: str = "") -> str:
    return f"{value[0]:{sign}.3f} ({value[1]:{sign}.3f} to {value[2]:{sign}.3f})"
