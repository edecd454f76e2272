"""`fourcorners bank`: clause banks, to learn from."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fourcorners.cli import options
from fourcorners.cli.options import argument, option, spread
from fourcorners.cli.output import console
from fourcorners.errors import ConfigError
from fourcorners.text.invisible_characters import show_invisible, single_line
from fourcorners.work_folder import replace_text

if TYPE_CHECKING:
    from fourcorners.playbooks.bank.store import BankClause, ImportCounts

app = typer.Typer(help="Keep banks of example clauses, to learn from.", no_args_is_help=True)

BankOption = Annotated[str, option("--bank -b NAME", "The clause bank.")]
ProvisionOption = Annotated[str | None, option("--provision NAME", "Only this provision.")]
RaterOption = Annotated[str | None, option("--as NAME", "Whose ratings: a person's name.")]
LeastOption = Annotated[
    int | None, option("--stars N", "Only with N stars or more.", least=1, most=5)
]


@app.command("import")
def import_clauses(
    path: Annotated[
        Path,
        argument(
            "PATH",
            "JSON lines, a table (.xlsx, .docx), a BEIR folder, or CUAD's layout.",
        ),
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
    joined: Annotated[
        bool,
        option(
            "--joined",
            "Each with the sections that it refers to, a mark between what is apart.",
        ),
    ] = False,
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
        done = add_to_bank(store, book, bank, collection, joined=joined)
    _say_added(bank, done, as_json=as_json)


@app.command("list")
def list_clauses(
    bank: Annotated[
        str | None, option("--bank -b NAME", "Print the clauses of this bank, with their ids.")
    ] = None,
    provision: ProvisionOption = None,
    stars: LeastOption = None,
    rater: RaterOption = None,
    library: options.Library = None,
    as_json: options.Json = False,
) -> None:
    """List the banks with their provisions, or the clauses of one.

    With --as a person sees their own stars alone, so that nobody rates by what others said.
    """
    from fourcorners.playbooks.bank import store as banks
    from fourcorners.playbooks.bank.ratings import bank_ratings, own_stars

    if bank is None and (provision or stars):
        raise ConfigError("whose clauses?", remedy="Name the bank with --bank.")
    with console.open_library(library) as store:
        if bank is not None:
            found = banks.bank_clauses(store, bank, provision=provision, least=stars)
            if rater is not None:
                ratings = bank_ratings(store, bank)
                found = [replace(each, stars=own_stars(ratings, each.id, rater)) for each in found]
            _print(found, as_json=as_json)
            return
        held = banks.bank_summary(store)
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
    rater: RaterOption = None,
    library: options.Library = None,
    as_json: options.Json = False,
) -> None:
    """Say how good an example a clause is.

    Several people may rate it, each with --as: the clause gets the rounded mean. Without --as the
    stars are final, as a panel's decision, whatever people say.
    """
    from fourcorners.playbooks.bank.ratings import rate_clause

    with console.open_library(library) as store:
        rated = rate_clause(store, bank, clause, stars or None, rater)
    if rater is not None:
        rated = replace(rated, stars=stars or None)
    if as_json:
        console.print_json(_value(rated))
    else:
        _print([rated], as_json=False)


@app.command("ratings")
def ratings(
    bank: BankOption = "clauses",
    disputed: Annotated[
        bool, option("--disputed", "Only those that a panel is to decide, or has decided.")
    ] = False,
    library: options.Library = None,
    as_json: options.Json = False,
) -> None:
    """Show what several people said of each clause, and where they differ."""
    from fourcorners.playbooks.bank.ratings import bank_ratings, disagreement

    with console.open_library(library) as store:
        held = bank_ratings(store, bank)
    shown = [each for each in held.values() if each.is_disputed or not disputed]
    differing, several = disagreement(held.values())
    if as_json:
        values = [
            {
                "clause": each.clause,
                "ratings": dict(each.given),
                "average": each.average,
                "panel": each.decided,
                "stars": each.stars,
                "disputed": each.is_disputed,
            }
            for each in shown
        ]
        console.print_json({"clauses": values, "disputed": differing, "rated_by_several": several})
        return
    rows = []
    for each in shown:
        given = ", ".join(f"{name} {stars}" for name, stars in each.given.items())
        average = "" if each.average is None else f"{each.average:.2f}"
        state = "decided" if each.decided else "disputed" if each.is_disputed else ""
        rows.append((each.clause, single_line(given), average, str(each.stars or ""), state))
    heads = ("Clause", "Ratings", "mean", "stars", "")
    console.print_tables(console.plain_table(heads, rows))
    share = f" ({differing / several:.0%})" if several else ""
    console.print_text(
        f"{console.count_noun(several, 'clause')} rated by several people, {differing:,} "
        f"disputed{share}."
    )


@dataclass(frozen=True, slots=True)
class _LayoutOptions:
    """What a folder in BEIR's layout has besides a bank's own judgements."""

    split: Annotated[
        bool,
        option("--split", "With --beir: queries divided into train, valid and test, 45 / 5 / 50%."),
    ] = False
    expand: Annotated[
        int,
        option(
            "--expand N",
            "With --beir: for each query N clauses of other provisions, judged irrelevant.",
            least=0,
            default=False,
        ),
    ] = 0


@app.command("export")
@spread
def export(
    out: Annotated[Path, option("--out PATH", "The file of JSON lines; with --beir the folder.")],
    beir: Annotated[
        bool, option("--beir", "A folder in BEIR's layout: a query for each provision.")
    ] = False,
    bank: BankOption = "clauses",
    provision: ProvisionOption = None,
    stars: LeastOption = None,
    library: options.Library = None,
    *,
    layout: _LayoutOptions,
) -> None:
    """Write a bank's clauses as JSON lines or in BEIR's layout; an import reads either.

    In BEIR's layout a clause with one star is judged irrelevant, and one without stars not judged.
    An import refuses an export with --expand: nobody has judged the clauses that it adds.
    """
    from fourcorners.playbooks.bank import store as banks
    from fourcorners.playbooks.bank.files import write_beir

    if not beir and (layout.split or layout.expand):
        raise ConfigError("--split and --expand are of BEIR's layout.", remedy="Add --beir.")
    if not beir:
        console.require_place(out)
    with console.open_library(library) as store:
        found = banks.bank_clauses(store, bank, provision=provision, least=stars)
    if beir:
        judged = write_beir(found, out, split=layout.split, expand=layout.expand)
        console.print_line(
            f"{console.count_noun(len(found), 'clause')} written to {out}, {judged:,} judged."
        )
        return
    replace_text(out, "".join(f"{each}\n" for each in banks.clause_lines(found)))
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
