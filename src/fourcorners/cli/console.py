"""What all commands share: their common options, consoles, and progress that a person can read."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from fourcorners.errors import FourcornersError

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress

    from fourcorners.documents.document import Document
    from fourcorners.library.entries import Failure
    from fourcorners.library.store import Library
    from fourcorners.outline.tree import Outline

Json: TypeAlias = "str | int | float | bool | Sequence[Json] | Mapping[str, Json] | None"

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
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")]


def out() -> Console:
    """Return the console of answers: standard output."""
    from rich.console import Console

    return Console(highlight=False, emoji=False)


def err() -> Console:
    """Return the console of progress and complaints: standard error."""
    from rich.console import Console

    return Console(stderr=True, highlight=False, emoji=False)


def complain(error: FourcornersError) -> None:
    """Say what went wrong and what to do, on standard error."""
    from rich.text import Text

    line = Text.assemble(("Error: ", "bold red"), error.message)
    if error.remedy:
        line.append(f"\n{error.remedy}", style="dim")
    err().print(line, soft_wrap=True)


def print_json(value: Json) -> None:
    """Print one JSON value on standard output."""
    sys.stdout.write(json.dumps(value, ensure_ascii=False, indent=2, allow_nan=False) + "\n")


def open_library(url: str | None, *, create: bool) -> Library:
    """Open the library that the option, the settings or the default names."""
    from fourcorners.library.store import Library
    from fourcorners.settings import Settings

    return Library.open(Settings.load(library=url).library, create=create)


def print_failures(to: Console, failures: Sequence[Failure]) -> None:
    """Print each file that could not be read: one line, then what to do about it."""
    from rich.padding import Padding
    from rich.text import Text

    from fourcorners.reports.visible import line

    if failures:
        to.print()
        to.print(Text(f"{len(failures)} could not be read:", "bold red"))
    for failure in failures:
        to.print(Text.assemble(("✗ ", "red"), line(failure.path)), soft_wrap=True)
        words = Text(line(failure.reason)) + Text(f" {line(failure.remedy)}", "dim")
        to.print(Padding(words, (0, 0, 0, 2)))


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
                "heading": node.heading.of(document.text) if node.heading else "",
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
