"""`fourcorners backup` and `restore`: a library with its uploaded files, in one archive."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fourcorners.cli.output.console import JsonOption

if TYPE_CHECKING:
    from fourcorners.server.store.backup import BackupSummary


def backup(
    library: Annotated[str, typer.Argument(metavar="LIBRARY", help="The library: a file.")],
    target: Annotated[Path, typer.Argument(metavar="FILE", help="The archive to write: a .zip.")],
    as_json: JsonOption = False,
) -> None:
    """Write a library and its uploads into an archive.

    A server may go on using it meanwhile.
    """
    from fourcorners.server.store.backup import write_backup

    _print(f"Written to {target}", write_backup(library, target), as_json=as_json)


def restore(
    archive: Annotated[Path, typer.Argument(metavar="FILE", help="What `backup` wrote.")],
    library: Annotated[
        str, typer.Argument(metavar="LIBRARY", help="Where there is no library yet: a file.")
    ],
    as_json: JsonOption = False,
) -> None:
    """Put a library back from an archive.

    All hashes are compared first; nothing is overwritten.
    """
    from fourcorners.server.store.backup import restore_backup as put_back

    _print(f"Restored to {library}", put_back(archive, library), as_json=as_json)


def _print(what: str, held: BackupSummary, *, as_json: bool) -> None:
    from dataclasses import asdict

    from fourcorners.cli.output import console

    if as_json:
        console.print_json(asdict(held))
        return
    console.stdout_console().print(
        f"{what}: {console.count_noun(held.documents, 'document')} and "
        f"{console.count_noun(held.files, 'uploaded file')}, {held.bytes:,} bytes, "
        f"as of {held.made}.",
        soft_wrap=True,
        markup=False,
    )
    if held.missing:
        console.err().print(
            f"Of {console.count_noun(held.missing, 'uploaded document')} "
            "the original is not there.",
            soft_wrap=True,
        )
