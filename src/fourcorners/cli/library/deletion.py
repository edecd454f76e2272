"""`fourcorners library delete`: contracts deleted, with a report that proves it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fourcorners.cli import options
from fourcorners.cli.options import argument, option
from fourcorners.cli.output import console
from fourcorners.errors import ConfigError
from fourcorners.text.invisible_characters import single_line
from fourcorners.work_folder import replace_text

if TYPE_CHECKING:
    from fourcorners.server.store.deletion import DeletionReport


def delete(
    *,
    contracts: Annotated[
        list[str] | None, argument("CONTRACT", "A part of its name, its path or its id.")
    ] = None,
    collection: Annotated[
        str | None, option("--collection -c NAME", "A whole collection, in place of contracts.")
    ] = None,
    yes: Annotated[bool, option("--yes", "Delete; without it they are only listed.")] = False,
    backups: Annotated[
        Path | None, option("--backups FOLDER", "Name the backups in it that have them.")
    ] = None,
    out: Annotated[
        Path | None, option("--out -o FILE", "Write the report: as JSON, or as text to a .txt.")
    ] = None,
    by: options.By = None,
    library: options.Library = None,
    as_json: options.Json = False,
) -> None:
    """Delete contracts or a collection, and prove that nothing of them is left.

    Text, passages, vectors, findings, obligations, answers that quote them, originals in a bucket
    and what was drawn of them go. Then every table, every byte of the library's file and the files
    next to it are searched for their words. The exit code is 1 if something of them remains.
    """
    from fourcorners.library.originals.files import Originals
    from fourcorners.server.store.deletion import (
        Deletion,
        delete_contracts,
        require_known,
    )
    from fourcorners.settings import Settings

    if out is not None:
        console.require_place(out)
    require_known(backups)
    settings = Settings.load(library=library)
    with console.open_access(library, by) as access:
        found = [access.find(each) for each in contracts or ()]
        if not yes:
            listed = found or (access.documents(collection) if collection else [])
            for each in listed:
                console.print_line(single_line(f"{each.name}  {each.id}  {each.collection}"))
            raise ConfigError(
                f"{console.count_noun(len(listed), 'contract')} would be deleted; nothing was.",
                remedy="Add --yes to delete them: nothing but a backup brings them back.",
            )
        records = [each for each in (settings.llm.record, settings.llm.replay) if each is not None]
        asked = Deletion([each.id for each in found], collection or "", backups, records)
        report = delete_contracts(access, Originals(settings.originals), asked)
    print_report(report, out, as_json=as_json)


def print_report(report: DeletionReport, out: Path | None, *, as_json: bool) -> None:
    """Print a report, and write it to a file that is named; exit with 1 if anything remains."""
    from fourcorners.server.store.deletion import report_text

    text = report_text(report)
    if out is not None:
        as_text = out.suffix == ".txt"
        replace_text(out, text if as_text else report.model_dump_json(indent=1) + "\n")
    if as_json:
        console.print_value(report)
    else:
        for line in text.splitlines():
            console.print_line(single_line(line))
    if not report.is_clean:
        raise typer.Exit(1)
