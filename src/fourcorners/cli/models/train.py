"""`fourcorners train`: small models of a firm's own, learned from what its people said."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated

import typer

from fourcorners.cli.output.console import JobsOption, JsonOption, LibraryOption

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fourcorners.cli.output.console import Json
    from fourcorners.library.store import Library
    from fourcorners.models.encoder.protocol import Encoder
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
    bank: Annotated[
        str, typer.Option("--from", metavar="BANK", help="Learn from this clause bank.")
    ],
    name: Annotated[
        str | None,
        typer.Option(
            "--name",
            metavar="NAME",
            help="What the adapter is called.",
            show_default="the bank's name",
        ),
    ] = None,
    playbook: Annotated[
        str | None,
        typer.Option(
            "--playbook",
            metavar="NAME",
            help="Learn also from what people confirmed or rejected in reviews by this playbook.",
            show_default=False,
        ),
    ] = None,
    library: LibraryOption = None,
    jobs: JobsOption = None,
    as_json: JsonOption = False,
) -> None:
    """Learn to rank as a firm does; install it where it helps.

    It is tried on queries and sources that it did not learn from; where the interval of its gain
    includes zero it is not installed, and the exit code is 1.
    """
    from fourcorners.cli.output import console
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
    with console.open_library(library, create=False) as store:
        rated = ratings.bank_ratings(banks.bank_clauses(store, bank))
        reviewed = _reviewed(store, playbook)
        given = ratings.merge_ratings([*rated, *reviewed])
        with console.progress() as bars:
            tasks = {each: bars.add_task(each, total=None) for each in ("Reading", "Trying")}

            def step(what: str, done: int, total: int) -> None:
                bars.update(tasks[what], completed=done, total=total)

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
        console.print_json(_json(given, taught, done, encoder))
    else:
        _print(given, taught, done)
    if done is None:
        console.err().print(_refused(taught), soft_wrap=True)
        raise typer.Exit(1)


def _called(name: str) -> str:
    from fourcorners.errors import ConfigError
    from fourcorners.models.registry import model_folders

    called = " ".join(name.split())
    if not called or called in [folder.name for folder in model_folders()]:
        raise ConfigError(
            f"an adapter cannot be called {called!r}: a model is called so."
            if called
            else "an adapter needs a name.",
            remedy="Give another with --name.",
        )
    return called


def _reviewed(store: Library, playbook: str | None) -> list[RatedClause]:
    from fourcorners.playbooks.load import load_playbook
    from fourcorners.review.people.confirmed import rated_clauses

    return [] if playbook is None else rated_clauses(store, load_playbook(playbook))


def _card(
    bank: str, playbook: str | None, ratings: Ratings, taught: LearnedAdapter, reviewed: int
) -> Mapping[str, object]:
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


def _figures(taught: LearnedAdapter) -> dict[str, Json]:
    return {
        "matrices, NDCG@10 on queries and sources held back": _figure(taught.matrices),
        "heads, NDCG@10 on sources held back": _figure(taught.heads),
    }


def _figure(gain: MeasureGain) -> dict[str, Json]:
    told = {"before": gain.before, "after": gain.after, "gain": gain.gain}
    return {name: [round(each, 4) for each in value] for name, value in told.items()}


def _json(
    ratings: Ratings, taught: LearnedAdapter, done: InstalledAdapter | None, encoder: Encoder
) -> Json:
    return {
        "installed": None
        if done is None
        else {"name": done.name, "sha256": done.sha256, "bytes": done.size},
        "encoder": encoder.name,
        "parts": _parts(taught),
        "clauses": len(ratings.items),
        "sources": len(set(ratings.sources)),
        "scores": _figures(taught),
        "queries": {
            name: {"before": round(before, 4), "after": round(after, 4)}
            for name, (before, after) in taught.by_query.items()
        },
    }


def _print(ratings: Ratings, taught: LearnedAdapter, done: InstalledAdapter | None) -> None:
    from rich.table import Table

    from fourcorners.cli.output import console
    from fourcorners.text.invisible_characters import single_line

    out = console.stdout_console()
    sources = console.count_noun(len(set(ratings.sources)), "source")
    out.print(
        f"{console.count_noun(len(ratings.items), 'clause')} from {sources}, "
        f"{len(ratings.queries)} provisions and tags.",
        soft_wrap=True,
    )
    table = Table(title_justify="left", header_style="bold", box=None, pad_edge=False)
    table.title = (
        "NDCG@10 (95% over queries): matrices on other queries and sources, heads on sources"
    )
    for head in ("", "before", "after", "gain"):
        table.add_column(head, justify="right" if head else "left")
    for what, gain in (
        ("matrices", taught.matrices),
        ("heads", taught.heads),
    ):
        table.add_row(what, _told(gain.before), _told(gain.after), _told(gain.gain, sign="+"))
    out.print(table)
    by_query = Table(header_style="bold", box=None, pad_edge=False)
    for head in ("Provision or tag", "before", "after", "gain"):
        by_query.add_column(head, justify="left" if head[0] == "P" else "right")
    for query, (before, after) in taught.by_query.items():
        by_query.add_row(
            single_line(query), f"{before:.2f}", f"{after:.2f}", f"{after - before:+.2f}"
        )
    out.print()
    out.print(by_query)
    if done is not None:
        parts = " and ".join(_parts(taught))
        said = f"Installed as {done.name!r}: {parts}, {done.size / 1e3:,.0f} kB. "
        out.print(f"{said}`fourcorners precedents` uses it from now on.", soft_wrap=True)


def _told(value: tuple[float, float, float], sign: str = "") -> str:
    return f"{value[0]:{sign}.3f} ({value[1]:{sign}.3f} to {value[2]:{sign}.3f})"


def _refused(taught: LearnedAdapter) -> str:
    matrices, heads = taught.matrices.gain, taught.heads.gain
    return (
        "Not installed: it does not help. The intervals of its gains are "
        f"{matrices[1]:+.3f} to {matrices[2]:+.3f} and {heads[1]:+.3f} to {heads[2]:+.3f}, and "
        "neither lies above zero. Rate more clauses, of more sources."
    )
