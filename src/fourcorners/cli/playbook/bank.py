"""`fourcorners bank`: clause banks, to learn from."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fourcorners.cli.output.console import (
    CollectionOption,
    JsonOption,
    LibraryOption,
    require_place,
)

if TYPE_CHECKING:
    from fourcorners.cli.output.console import Json
    from fourcorners.playbooks.bank.store import BankClause, ImportCounts

app = typer.Typer(help="Keep banks of example clauses, to learn from.", no_args_is_help=True)

BankOption = Annotated[str, typer.Option("--bank", "-b", metavar="NAME", help="The clause bank.")]
ProvisionOption = Annotated[
    str | None,
    typer.Option("--provision", metavar="NAME", help="Only this provision.", show_default=False),
]
LeastOption = Annotated[
    int | None,
    typer.Option(
        "--stars", metavar="N", min=1, max=5, help="Only with N stars or more.", show_default=False
    ),
]


@app.command("import")
def import_clauses(
    path: Annotated[
        Path,
        typer.Argument(
            metavar="PATH", help="JSON lines, a BEIR folder, or annotated contracts (CUAD)."
        ),
    ],
    bank: BankOption = "clauses",
    library: LibraryOption = None,
    as_json: JsonOption = False,
) -> None:
    """Import clauses into a bank; one that it holds already is kept once."""
    from fourcorners.cli.output import console
    from fourcorners.playbooks.bank import store as banks
    from fourcorners.playbooks.bank.files import read_clauses

    clauses = list(read_clauses(path))
    with console.open_library(library, create=True) as store:
        done = banks.store_clauses(store, bank, clauses)
    _say_added(bank, done, as_json=as_json)


@app.command("collect")
def collect(
    bank: BankOption = "clauses",
    playbook: Annotated[
        str,
        typer.Option("--playbook", "-p", metavar="NAME", help="The playbook of the review."),
    ] = "due-diligence",
    collection: CollectionOption = None,
    library: LibraryOption = None,
    as_json: JsonOption = False,
) -> None:
    """Add confirmed findings to a bank, none of them twice.

    Corrected ones join as far as the correction is in the contract's own words.
    """
    from fourcorners.cli.output import console
    from fourcorners.playbooks.load import load_playbook
    from fourcorners.review.people.confirmed import add_to_bank as gather

    book = load_playbook(playbook)
    with console.open_library(library, create=False) as store:
        done = gather(store, book, bank, collection)
    _say_added(bank, done, as_json=as_json)


@app.command("list")
def list_clauses(
    bank: Annotated[
        str | None,
        typer.Option("--bank", "-b", metavar="NAME", help="Only this bank.", show_default=False),
    ] = None,
    clauses: Annotated[
        bool, typer.Option("--clauses", help="Print the clauses with their ids; needs --bank.")
    ] = False,
    provision: ProvisionOption = None,
    stars: LeastOption = None,
    library: LibraryOption = None,
    as_json: JsonOption = False,
) -> None:
    """List the banks with their provisions, or the clauses of one."""
    from fourcorners.cli.output import console
    from fourcorners.errors import ConfigError
    from fourcorners.playbooks.bank import store as banks
    from fourcorners.text.invisible_characters import single_line

    if bank is None and (clauses or provision or stars):
        raise ConfigError("whose clauses?", remedy="Name the bank with --bank.")
    with console.open_library(library, create=False) as store:
        if bank is not None and (clauses or provision or stars):
            found = banks.bank_clauses(store, bank, provision=provision, least=stars)
            if as_json:
                console.print_json([_json(each) for each in found])
                return
            _print(found)
            return
        held = banks.bank_summary(store, bank)
        if bank is not None and not held:
            banks.bank_clauses(store, bank)
    if as_json:
        console.print_json(
            [
                {
                    "bank": each.bank,
                    "provision": each.provision,
                    "clauses": each.clauses,
                    "rated": each.rated,
                }
                for each in held
            ]
        )
        return
    out = console.stdout_console()
    for each in held:
        count = console.count_noun(each.clauses, "clause")
        out.print(
            f"{single_line(each.bank)}  {single_line(each.provision)}: "
            f"{count}, {each.rated:,} with stars"
        )
    if not held:
        out.print("No clause banks. Import one: fourcorners bank import PATH --bank NAME")


@app.command("rate")
def rate(
    clause: Annotated[
        str, typer.Argument(metavar="ID", help="The clause's id, or the start of it.")
    ],
    stars: Annotated[
        int, typer.Argument(metavar="STARS", min=0, max=5, help="1 to 5; 0 takes the stars away.")
    ],
    bank: BankOption = "clauses",
    library: LibraryOption = None,
    as_json: JsonOption = False,
) -> None:
    """Say how good an example a clause is."""
    from fourcorners.cli.output import console
    from fourcorners.playbooks.bank import store as banks

    with console.open_library(library, create=False) as store:
        rated = banks.rate_clause(store, bank, clause, stars or None)
    if as_json:
        console.print_json(_json(rated))
        return
    _print([rated])


@app.command("export")
def export(
    out: Annotated[Path, typer.Option("--out", metavar="FILE", help="The file of JSON lines.")],
    bank: BankOption = "clauses",
    provision: ProvisionOption = None,
    stars: LeastOption = None,
    library: LibraryOption = None,
) -> None:
    """Write a bank's clauses as JSON lines, which an import reads."""
    from fourcorners.cli.output import console
    from fourcorners.playbooks.bank import store as banks

    require_place(out)
    with console.open_library(library, create=False) as store:
        found = banks.bank_clauses(store, bank, provision=provision, least=stars)
    out.write_text("".join(f"{each}\n" for each in banks.clause_lines(found)), encoding="utf-8")
    console.stdout_console().print(
        f"{console.count_noun(len(found), 'clause')} written to {out}.", soft_wrap=True
    )


def _say_added(bank: str, done: ImportCounts, *, as_json: bool) -> None:
    from fourcorners.cli.output import console

    if as_json:
        console.print_json({"bank": bank, "added": done.added, "known": done.known})
        return
    said = f"{console.count_noun(done.added, 'clause')} added to {bank!r}"
    console.stdout_console().print(
        f"{said}; {done.known:,} it held already." if done.known else f"{said}."
    )


def _json(clause: BankClause) -> Json:
    return {
        "id": clause.id,
        "provision": clause.provision,
        "text": clause.text,
        "stars": clause.stars,
        "source": clause.source,
        "start": clause.start,
        "end": clause.end,
        "tags": list(clause.tags),
    }


def _print(clauses: list[BankClause]) -> None:
    from rich.text import Text

    from fourcorners.cli.output import console
    from fourcorners.text.invisible_characters import show_invisible, single_line

    out = console.stdout_console()
    for each in clauses:
        stars = "★" * each.stars if each.stars else "no stars"
        where = f"  {single_line(each.source)}" if each.source else ""
        out.print(
            Text.assemble((each.id, "bold"), f"  {single_line(each.provision)}  {stars}{where}")
        )
        console.print_indented(out, Text(show_invisible(" ".join(each.text.split()))), 2)
