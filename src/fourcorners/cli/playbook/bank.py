"""`fourcorners bank`: clause banks, to learn from."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fourcorners.cli import options
from fourcorners.cli.options import argument, option
from fourcorners.cli.output import console
from fourcorners.errors import ConfigError
from fourcorners.text.invisible_characters import show_invisible, single_line

if TYPE_CHECKING:
    from fourcorners.playbooks.bank.store import BankClause, ImportCounts

app = typer.Typer(help="Keep banks of example clauses, to learn from.", no_args_is_help=True)

BankOption = Annotated[str, option("--bank -b NAME", "The clause bank.")]
ProvisionOption = Annotated[str | None, option("--provision NAME", "Only this provision.")]
LeastOption = Annotated[
    int | None, option("--stars N", "Only with N stars or more.", least=1, most=5)
]


@app.command("import")
def import_clauses(
    path: Annotated[
        Path, argument("PATH", "JSON lines, a BEIR folder, or annotated contracts (CUAD).")
    ],
    bank: BankOption = "clauses",
    library: options.Library = None,
    as_json: options.Json = False,
) -> None:
    """Import clauses into a bank; one that it holds already is kept once."""
    from fourcorners.playbooks.bank import store as banks
    from fourcorners.playbooks.bank.files import read_clauses

    clauses = list(read_clauses(path))
    with console.open_library(library, create=True) as store:
        done = banks.store_clauses(store, bank, clauses)
    _say_added(bank, done, as_json=as_json)


@app.command("collect")
def collect(
    bank: BankOption = "clauses",
    playbook: options.Playbook = "due-diligence",
    collection: options.Collection = None,
    library: options.Library = None,
    as_json: options.Json = False,
) -> None:
    """Add confirmed findings to a bank, none of them twice.

    Corrected ones join as far as the correction is in the contract's own words.
    """
    from fourcorners.playbooks.load import load_playbook
    from fourcorners.review.people.confirmed import add_to_bank

    book = load_playbook(playbook)
    with console.open_library(library) as store:
        done = add_to_bank(store, book, bank, collection)
    _say_added(bank, done, as_json=as_json)


@app.command("list")
def list_clauses(
    bank: Annotated[str | None, option("--bank -b NAME", "Only this bank.")] = None,
    clauses: Annotated[
        bool, option("--clauses", "Print the clauses with their ids; needs --bank.")
    ] = False,
    provision: ProvisionOption = None,
    stars: LeastOption = None,
    library: options.Library = None,
    as_json: options.Json = False,
) -> None:
    """List the banks with their provisions, or the clauses of one."""
    from fourcorners.playbooks.bank import store as banks

    each_clause = clauses or provision or stars
    if bank is None and each_clause:
        raise ConfigError("whose clauses?", remedy="Name the bank with --bank.")
    with console.open_library(library) as store:
        if bank is not None and each_clause:
            _print(
                banks.bank_clauses(store, bank, provision=provision, least=stars), as_json=as_json
            )
            return
        held = banks.bank_summary(store, bank)
        if bank is not None and not held:
            banks.bank_clauses(store, bank)
    if as_json:
        console.print_json(held)
        return
    for each in held:
        count = console.count_noun(each.clauses, "clause")
        console.print_text(
            f"{single_line(each.bank)}  {single_line(each.provision)}: "
            f"{count}, {each.rated:,} with stars"
        )
    if not held:
        console.print_text("No clause banks. Import one: fourcorners bank import PATH --bank NAME")


@app.command("rate")
def rate(
    clause: Annotated[str, argument("ID", "The clause's id, or the start of it.")],
    stars: Annotated[int, argument("STARS", "1 to 5; 0 takes the stars away.", least=0, most=5)],
    bank: BankOption = "clauses",
    library: options.Library = None,
    as_json: options.Json = False,
) -> None:
    """Say how good an example a clause is."""
    from fourcorners.playbooks.bank import store as banks

    with console.open_library(library) as store:
        rated = banks.rate_clause(store, bank, clause, stars or None)
    if as_json:
        console.print_json(_value(rated))
    else:
        _print([rated], as_json=False)


@app.command("export")
def export(
    out: options.File,
    bank: BankOption = "clauses",
    provision: ProvisionOption = None,
    stars: LeastOption = None,
    library: options.Library = None,
) -> None:
    """Write a bank's clauses as JSON lines, which an import reads."""
    from fourcorners.playbooks.bank import store as banks

    console.require_place(out)
    with console.open_library(library) as store:
        found = banks.bank_clauses(store, bank, provision=provision, least=stars)
    out.write_text("".join(f"{each}\n" for each in banks.clause_lines(found)), encoding="utf-8")
    console.print_line(f"{console.count_noun(len(found), 'clause')} written to {out}.")


def _say_added(bank: str, done: ImportCounts, *, as_json: bool) -> None:
    if as_json:
        console.print_json({"bank": bank, **asdict(done)})
        return
    line = f"{console.count_noun(done.added, 'clause')} added to {bank!r}"
    console.print_text(f"{line}; {done.known:,} it held already." if done.known else f"{line}.")


def _value(clause: BankClause) -> dict[str, object]:
    return {"id": clause.id, **asdict(clause)}


def _print(clauses: list[BankClause], *, as_json: bool) -> None:
    if as_json:
        console.print_json([_value(each) for each in clauses])
        return
    for each in clauses:
        stars = "★" * each.stars if each.stars else "no stars"
        where = f"  {single_line(each.source)}" if each.source else ""
        shown_line = f"  {single_line(each.provision)}  {stars}{where}"
        console.print_text((each.id, "bold"), shown_line)
        console.print_indented(2, show_invisible(" ".join(each.text.split())))
