"""What all commands share: their common options, consoles, and progress that a person can read."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from fourcorners.errors import ConfigError, FourcornersError

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress
    from rich.text import Text

    from fourcorners.documents.document import Document
    from fourcorners.documents.workers.worker_pool import WorkerPool
    from fourcorners.library.entries import Failure
    from fourcorners.library.store import Library
    from fourcorners.outline.tree import Outline

Json: TypeAlias = "str | int | float | bool | Sequence[Json] | Mapping[str, Json] | None"

MAX_WIDTH = 110
"""Columns of running text, at most: longer lines are hard to read."""
_ODD = re.compile(r"[^\n\x20-\x7e]")  # perhaps not printable

LibraryOption = Annotated[
    str | None,
    typer.Option(
        "--library",
        "-l",
        metavar="URL",
        help="The library: a file or a URL. Default: ./fourcorners.db if it is there, "
        "else one in your data folder (FOURCORNERS_LIBRARY sets another).",
        show_default=False,
    ),
]
CollectionOption = Annotated[
    str | None,
    typer.Option(
        "--collection",
        "-c",
        metavar="NAME",
        help="A named part of the library: a deal, a client, a clause bank.",
        show_default=False,
    ),
]
JobsOption = Annotated[
    int | None,
    typer.Option(
        "--jobs", "-j", metavar="N", min=1, help="Processes at once.", show_default="one a core"
    ),
]
OnOption = Annotated[
    str | None,
    typer.Option(
        "--on",
        metavar="CLUSTER",
        help="Let a Ray cluster work: ray://HOST:PORT, or ray to start one on this machine.",
        show_default=False,
    ),
]
ByOption = Annotated[
    str | None,
    typer.Option(
        "--by",
        metavar="NAME",
        help="Who says it. Default: the setting `reviewer`, else your user name.",
        show_default=False,
    ),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")]


def stdout_console() -> Console:
    """Return the console of answers: standard output."""
    from rich.console import Console

    return Console(highlight=False, emoji=False, markup=False)


def err() -> Console:
    """Return the console of progress and complaints: standard error."""
    from rich.console import Console

    return Console(stderr=True, highlight=False, emoji=False, markup=False)


def print_error(error: FourcornersError) -> None:
    """Say what went wrong and what to do, on standard error."""
    from rich.text import Text

    from fourcorners.text.invisible_characters import show_invisible

    said = Text.assemble(("Error: ", "bold red"), show_invisible(error.message))
    if error.remedy:
        said.append(f"\n{show_invisible(error.remedy)}", style="dim")
    err().print(said, soft_wrap=True)


def print_json(value: Json) -> None:
    """Print one JSON value on standard output; what a terminal would obey or hide is escaped."""
    plain = "utf" not in (sys.stdout.encoding or "").lower()
    told = json.dumps(value, ensure_ascii=plain, indent=2, allow_nan=False)
    sys.stdout.write(_ODD.sub(_escaped, told) + "\n")
    sys.stdout.flush()


def _escaped(found: re.Match[str]) -> str:
    character = found.group()
    return character if character.isprintable() else json.dumps(character)[1:-1]


def open_library(url: str | None, *, create: bool) -> Library:
    """Open the library that the option, the settings or the default names."""
    from fourcorners.library.store import Library
    from fourcorners.settings import Settings

    return Library.open(Settings.load(library=url).library, create=create)


@contextmanager
def worker_pool(on: str | None, jobs: int | None) -> Iterator[WorkerPool | None]:
    """Connect to the cluster that `--on` names; None where it names none."""
    if on is None:
        yield None
        return
    from fourcorners.cluster import open_worker_pool

    with open_worker_pool(on, jobs=jobs) as found:
        yield found


def as_of_date(written: str | None) -> date:
    """Return the day that `--as-of` names, or today."""
    if written is None:
        return datetime.now(UTC).date()
    try:
        return date.fromisoformat(written)
    except ValueError as error:
        raise ConfigError(
            f"--as-of is {written!r}, which is not a date.", remedy="Write it as 2025-12-31."
        ) from error


def print_failures(to: Console, failures: Sequence[Failure]) -> None:
    """Print each file that could not be read: one line, then what to do about it."""
    from rich.text import Text

    from fourcorners.text.invisible_characters import single_line

    if failures:
        to.print()
        to.print(Text(f"{count_noun(len(failures), 'file')} could not be read:", "bold red"))
    for failure in failures:
        to.print(Text.assemble(("✗ ", "red"), single_line(failure.path)), soft_wrap=True)
        words = Text.assemble(
            single_line(failure.reason), " ", (single_line(failure.remedy), "dim")
        )
        print_indented(to, words, 2)


def print_indented(to: Console, words: Text, by: int, head: str = "") -> None:
    """Print words wrapped to the console's width (at most `WIDEST`), moved in by some spaces.

    The first line has `head` in that space.
    """
    from rich.text import Text

    for wrapped in words.wrap(to, max(20, min(to.width, MAX_WIDTH) - by)):
        wrapped.rstrip()
        to.print(Text.assemble((head.ljust(by), "dim"), wrapped), soft_wrap=True)
        head = ""


def count_noun(number: int, noun: str) -> str:
    """Return a number with its noun, which takes an s."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def require_place(path: Path | None) -> None:
    """Refuse, before the work, to write where nothing can be written after it.

    Raises:
        ConfigError: If the folder of the path is missing or may not be written to.
    """
    if path is None:
        return
    folder = path.absolute().parent
    if path.is_dir():
        problem = "this is a folder"
    elif not folder.is_dir():
        problem = f"there is no folder {folder}"
    elif not os.access(folder, os.W_OK):
        problem = f"no permission to write in {folder}"
    else:
        return
    raise ConfigError(
        f"{path} cannot be written: {problem}.",
        remedy="Name a file in a folder that exists and that you may write to.",
    )


def document_json(document: Document, outline: Outline | None) -> Json:
    """Return a document as JSON: its text, or its outline where one is given."""
    base: dict[str, Json] = {
        "id": document.id,
        "name": document.name,
        "path": document.path,
        "media_type": document.media_type,
        "warnings": list(document.warnings),
    }
    if outline is None:
        return {**base, "text": document.text}
    return {
        **base,
        "confidence": outline.confidence,
        "nodes": [
            {
                "label": node.label,
                "kind": node.kind.value,
                "heading": node.heading.text_in(document.text) if node.heading else "",
                "start": node.span.start,
                "end": node.span.end,
                "parent": node.parent,
            }
            for node in outline.nodes
        ],
    }


@contextmanager
def progress(*, quiet: bool = False) -> Iterator[Progress]:
    """Show bars with counts, time gone and time left, on standard error."""
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    console = err()
    with Progress(
        TextColumn("{task.description}"),
        BarColumn(bar_width=None),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
        console=console,
        transient=True,
        disable=quiet or not console.is_terminal,
    ) as bars:
        yield bars


def reviewer(by: str | None) -> str:
    """Return who checks findings: as said, by the settings, or by the system.

    Raises:
        ConfigError: If nobody knows.
    """
    from getpass import getuser

    from fourcorners.settings import Settings

    if by is not None:
        return by
    if named := Settings.load().reviewer.strip():
        return named
    try:
        return getuser()
    except (OSError, KeyError, ImportError) as error:  # no such user, as in some containers
        raise ConfigError(
            "who says this? The system has no name for you.",
            remedy="Give --by NAME, or set `reviewer` in the settings.",
        ) from error
