"""`fourcorners library delete`: contracts deleted, with a report that proves it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fourcorners.cli import options
from fourcorners.cli.options import argument, option, spread
from fourcorners.cli.output import console
from fourcorners.errors import ConfigError
from fourcorners.text.invisible_characters import single_line
from fourcorners.work_folder import replace_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fourcorners.operations.access import Access
    from fourcorners.server.store.deletion_report import DeletionReport


@dataclass(frozen=True, slots=True)
class DeletionOptions:
    """Whether contracts are deleted, and what the report has."""

    yes: Annotated[bool, option("--yes", "Delete them; without it they are only listed.")] = False
    backups: Annotated[
        Path | None, option("--backups FOLDER", "Name the backups in it that have them.")
    ] = None
    out: Annotated[
        Path | None, option("--out -o FILE", "Write the report: as JSON, or as text to a .txt.")
    ] = None

    def require_places(self) -> None:
        """Refuse what could not be written or read, before anything is deleted."""
        from fourcorners.server.store.deletion import require_known

        if self.out is not None:
            console.require_place(self.out)
        require_known(self.backups)

    def delete(
        self, access: Access, library: str | None, documents: Sequence[str], collection: str = ""
    ) -> DeletionReport:
        """Delete contracts, or a collection."""
        from fourcorners.library.originals.files import Originals
        from fourcorners.server.store.deletion import Deletion, delete_contracts
        from fourcorners.settings import Settings

        settings = Settings.load(library=library)
        records = [each for each in (settings.llm.record, settings.llm.replay) if each is not None]
        asked = Deletion(documents, collection, self.backups, records)
        return delete_contracts(access, Originals(settings.originals), asked)

    def print_report(self, report: DeletionReport, *, as_json: bool) -> None:
        """Print a report, and write it to a file that is named; exit with 1 if anything remains."""
        from fourcorners.server.store.deletion_report import report_json, report_text

        text = report_text(report)
        if self.out is not None:
            replace_text(self.out, text if self.out.suffix == ".txt" else report_json(report))
        if as_json:
            console.print_value(report)
        else:
            for line in text.splitlines():
                console.print_line(single_line(line))
        if not report.is_clean:
            raise typer.Exit(1)


@spread
def delete(
    *,
    contracts: Annotated[
        list[str] | None, argument("CONTRACT", "A part of its name, its path or its id.")
    ] = None,
    collection: Annotated[
        str | None, option("--collection -c NAME", "A whole collection, in place of contracts.")
    ] = None,
    deletion: DeletionOptions,
    by: options.By = None,
    library: options.Library = None,
    as_json: options.Json = False,
) -> None:
    """Delete contracts or a collection, and prove that nothing of them is left.

    Text, passages, vectors, findings, obligations, answers that quote them, originals in a bucket
    and what was drawn of them go. Then every table, every byte of the library's file and the files
    next to it are searched for their words. The exit code is 1 if something of them remains.
    """
    if bool(contracts) == bool(collection):
        raise ConfigError(
            "name contracts, or a collection, but not both.",
            remedy='For example: fourcorners library delete "supply agreement".',
        )
    deletion.require_places()
    with console.open_access(library, by) as access:
        found = [access.find(each) for each in contracts or ()]
        listed = found or access.documents(collection)
        for name in sorted({each.collection for each in listed}):
            access.require_no_hold(name)
        if not deletion.yes:
            for each in listed:
                console.print_line(single_line(f"{each.name}  {each.id}  {each.collection}"))
            also = f", with the collection {collection!r}" if collection else ""
            raise ConfigError(
                f"nothing was deleted: this would delete "
                f"{console.count_noun(len({each.id for each in listed}), 'contract')}{also}.",
                remedy="Add --yes to delete. Only a backup can restore what was deleted.",
            )
        documents = list(dict.fromkeys(each.id for each in found))
        report = deletion.delete(access, library, documents, collection or "")
    deletion.print_report(report, as_json=as_json)
