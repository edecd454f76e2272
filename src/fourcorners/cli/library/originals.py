"""`fourcorners library originals`: the files that contracts were read from, and their buckets."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from fourcorners.cli import options
from fourcorners.cli.options import argument, option
from fourcorners.cli.output import console
from fourcorners.text.invisible_characters import single_line

if TYPE_CHECKING:
    from fourcorners.library.originals.files import MoveReport, Originals

app = typer.Typer(help="See and move the files that contracts came from.", no_args_is_help=True)
_Collection = Annotated[
    str | None, option("--collection -c NAME", "Only those of this part of the library.")
]
_MOST_LISTED = 20  # by hand


@app.command("move")
def move(
    collection: _Collection = None,
    library: options.Library = None,
    as_json: options.Json = False,
) -> None:
    """Put originals into the bucket that they belong in, and delete what must go there.

    It may be stopped at any moment: the same command goes on. Each is read back before it counts;
    uploaded files are then removed from this machine, and files elsewhere are left. The exit code
    is 1 if any could not be stored.
    """
    originals = _originals(library)
    with console.open_library(library) as store, console.progress_steps("Storing") as step:
        report = originals.move(store, collection, lambda done, total: step("Storing", done, total))
        deleted, failed = originals.delete_loose(store)
    if as_json:
        console.print_json({**asdict(report), "deleted": len(deleted), "not_deleted": failed})
    else:
        console.print_text(f"{console.count_noun(report.moved, 'original')} stored and read back.")
        if report.elsewhere:
            console.print_note(
                f"Of {console.count_noun(report.elsewhere, 'contract')} the file is not on this "
                "machine, or has changed."
            )
        if deleted:
            console.print_text(f"{console.count_noun(len(deleted), 'deleted original')} removed.")
        print_waiting(report)
    if report.failed or failed:
        raise typer.Exit(1)


@app.command("status")
def status(
    collection: _Collection = None,
    library: options.Library = None,
    as_json: options.Json = False,
) -> None:
    """Count the originals that are in a bucket, and those that are not."""
    with console.open_library(library) as store:
        counts = _originals(library).count(store, collection)
    if as_json:
        console.print_json(counts)
        return
    console.print_text(
        f"{console.count_noun(counts.stored, 'original')} in a bucket, "
        f"{counts.waiting:,} waiting to be stored in one, {counts.local:,} in none."
    )
    for reason in counts.reasons:
        console.print_line(("! ", "yellow"), single_line(reason))


@app.command("bucket")
def bucket(
    collection: Annotated[str, argument("COLLECTION", "The part of the library.")],
    name: Annotated[
        str | None, argument("NAME", "A bucket of the settings; none for that of all collections.")
    ] = None,
    by: options.By = None,
    library: options.Library = None,
) -> None:
    """Give a collection a bucket of the settings; `move` then puts its originals there."""
    from fourcorners.operations.originals import choose_bucket

    with console.open_access(library, by) as access:
        choose_bucket(access, _originals(library), collection, name or "")
    called = f"the bucket {name!r}" if name else "the bucket of all collections"
    console.print_text(f"Originals of {single_line(collection)} belong in {called}.")


def print_waiting(report: MoveReport) -> None:
    """Say which originals could not be stored, and that nothing of them is lost."""
    for name, reason in [*report.failed.items()][:_MOST_LISTED]:
        console.print_line(("! ", "yellow"), single_line(f"{name}: not in its bucket: {reason}"))
    if report.failed:
        console.print_note(
            f"{console.count_noun(len(report.failed), 'original')} not stored; nothing is lost: "
            "the contracts are in the library. Try again: fourcorners library originals move."
        )


def _originals(library: str | None) -> Originals:
    from fourcorners.library.originals.files import Originals
    from fourcorners.settings import Settings

    return Originals(Settings.load(library=library).originals)
