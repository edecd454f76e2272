"""`fourcorners playbook learn`: a playbook's queries from a clause bank."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fourcorners.cli.output.console import JobsOption, JsonOption, LibraryOption, require_place

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from fourcorners.cli.output.console import Json
    from fourcorners.playbooks.learning.learn import Clause, LearnedQuery, QueryGain, Sentence

MOST_PASSAGES = 20_000
"""Of the library, that a bank's clauses are told from."""


def learn(
    out: Annotated[Path, typer.Option("--out", metavar="FILE", help="The playbook file to write.")],
    bank: Annotated[
        str | None,
        typer.Option(
            "--from", metavar="BANK", help="Learn from this clause bank.", show_default=False
        ),
    ] = None,
    data: Annotated[
        Path | None,
        typer.Option(
            "--data",
            metavar="DIR",
            help="Learn from annotated contracts, laid out as CUAD.",
            show_default=False,
        ),
    ] = None,
    playbook: Annotated[
        str | None,
        typer.Option(
            "--playbook",
            metavar="NAME",
            help="Add what is learned to this playbook: a name or a file.",
            show_default=False,
        ),
    ] = None,
    provision: Annotated[
        list[str] | None,
        typer.Option(
            "--provision",
            metavar="NAME",
            help="Only this provision; may be repeated.",
            show_default=False,
        ),
    ] = None,
    words_only: Annotated[
        bool, typer.Option("--words-only", help="Choose no examples by meaning.")
    ] = False,
    library: LibraryOption = None,
    jobs: JobsOption = None,
    as_json: JsonOption = False,
) -> None:
    """Learn keyword queries and examples; print what they gain."""
    from fourcorners.cli.output import console
    from fourcorners.errors import ConfigError
    from fourcorners.models import default_encoder
    from fourcorners.playbooks.learning.learn import QueryLearner, cross_validate
    from fourcorners.playbooks.load import load_playbook
    from fourcorners.playbooks.write import learned_yaml, match_provision
    from fourcorners.settings import Settings

    if (bank is None) == (data is None):
        raise ConfigError("there is one thing to learn from.", remedy="Give --from or --data.")
    require_place(out)
    book = load_playbook(playbook) if playbook is not None else None
    settings = Settings.load(library=library, jobs=jobs)
    given, clauses = _annotated(data) if data else _bank(str(bank), library)
    wanted = _wanted(clauses, provision)
    kept = [clause for clause in clauses if clause.provision in wanted]
    encoder = None if words_only else default_encoder(threads=settings.jobs)
    learner = QueryLearner(given, kept, encoder=encoder)
    learned: dict[str, LearnedQuery] = {}
    gains: list[QueryGain] = []
    left_out: dict[str, str] = {}
    with console.progress() as bars:
        task = bars.add_task("Learning", total=len(wanted))
        for name in wanted:
            own = match_provision(book, name)
            try:
                learned[name] = learner.learn(name)
            except ConfigError as error:
                left_out[name] = error.message
            else:
                found = cross_validate(learner, name, own.query if own else None)
                gains += [found] if found else []
            bars.advance(task)
    if not learned:
        raise ConfigError(
            "nothing was learned: " + " ".join(left_out.values()),
            remedy="Import more clauses: fourcorners bank import.",
        )
    out.write_text(learned_yaml(learned, playbook, out.stem), encoding="utf-8")
    if as_json:
        console.print_json(_json(learned, gains, left_out))
        return
    _print(learned, gains, left_out, out)


def _wanted(clauses: Sequence[Clause], asked: Sequence[str] | None) -> list[str]:
    from fourcorners.errors import ConfigError

    known = list(dict.fromkeys(clause.provision for clause in clauses))
    if not asked:
        return known
    by_fold = {name.casefold(): name for name in known}
    missing = [name for name in asked if name.casefold() not in by_fold]
    if missing:
        raise ConfigError(
            f"there are no clauses of {missing[0]!r}.", remedy=f"There are: {', '.join(known)}."
        )
    return list(dict.fromkeys(by_fold[name.casefold()] for name in asked))


def _annotated(folder: Path) -> tuple[list[Sentence], list[Clause]]:
    from fourcorners.playbooks.bank.files import read_annotated_folder

    return read_annotated_folder(folder)


def _bank(bank: str, library: str | None) -> tuple[list[Sentence], list[Clause]]:
    """Return a bank's clauses, and their sentences with those of the library's contracts."""
    from fourcorners.cli.output import console
    from fourcorners.playbooks.bank.store import bank_clauses, training_clauses
    from fourcorners.playbooks.learning.learn import label_sentences

    with console.open_library(library, create=False) as store:
        clauses = training_clauses(bank_clauses(store, bank))
        background: list[str] = []
        for entry in store.documents():
            if len(background) >= MOST_PASSAGES:
                break
            text = store.text(entry.id)
            background += [each.span.text_in(text) for each in store.passages(entry.id)]
    return label_sentences(clauses, background), clauses


def _json(
    learned: Mapping[str, LearnedQuery], gains: Sequence[QueryGain], left_out: Mapping[str, str]
) -> Json:
    by_name = {each.provision: each for each in gains}
    provisions: list[Json] = []
    for name, each in learned.items():
        gained = by_name.get(name)
        provisions.append(
            {
                "provision": name,
                "query": each.query,
                "examples": list(each.examples),
                "clauses": gained.clauses if gained else None,
                "before": gained.before if gained else None,
                "learned": gained.learned if gained else None,
            }
        )
    return {"provisions": provisions, "left_out": dict(left_out)}


def _print(
    learned: Mapping[str, LearnedQuery],
    gains: Sequence[QueryGain],
    left_out: Mapping[str, str],
    path: Path,
) -> None:
    from rich.table import Table

    from fourcorners.cli.output import console
    from fourcorners.text.invisible_characters import single_line

    out = console.stdout_console()
    table = Table(
        title="Average precision on clauses that were not learned from",
        title_justify="left",
        header_style="bold",
        box=None,
        pad_edge=False,
    )
    table.add_column("Provision")
    for head in ("clauses", "terms", "its own query", "learned", "gain"):
        table.add_column(head, justify="right")
    for each in gains:
        table.add_row(
            single_line(each.provision),
            f"{each.clauses:,}",
            f"{len(learned[each.provision].terms)}",
            "–" if each.before is None else f"{each.before:.2f}",
            f"{each.learned:.2f}",
            "–" if each.before is None else f"{each.learned - each.before:+.2f}",
        )
    out.print(table)
    for reason in left_out.values():
        out.print(f"Left out: {single_line(reason)}", soft_wrap=True)
    out.print(f"{console.count_noun(len(learned), 'provision')} written to {path}.", soft_wrap=True)
