"""What all commands share: what they open, how they print, and progress that a person can read."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import fields, is_dataclass
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from fourcorners.errors import ConfigError, FourcornersError
from fourcorners.text.invisible_characters import show_invisible, single_line
from fourcorners.work_folder import make_temporary_folder

if TYPE_CHECKING:
    from pydantic import BaseModel
    from rich.console import Console
    from rich.progress import Progress
    from rich.table import Table
    from rich.text import Text

    from fourcorners.documents.workers.worker_pool import WorkerPool
    from fourcorners.library.entries import Failure
    from fourcorners.library.store import Library
    from fourcorners.operations.access import Access

Words: TypeAlias = "str | Text | tuple[str, str]"
"""Words to print; a pair is of words and their style."""
MAX_WIDTH = 110
"""Columns of running text, at most: longer lines are hard to read."""
_ODD = re.compile(r"[^\n\x20-\x7e]")  # perhaps not printable


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
    remedy = (f"\n{show_invisible(error.remedy)}", "dim") if error.remedy else ""
    print_note(("Error: ", "bold red"), show_invisible(error.message), remedy)


def print_line(*words: Words) -> None:
    """Print words on standard output, in one line that is left to the terminal to wrap."""
    from rich.text import Text

    stdout_console().print(Text.assemble(*words), soft_wrap=True)


def print_note(*words: Words, style: str = "") -> None:
    """Print words on standard error, in one line that is left to the terminal to wrap."""
    from rich.text import Text

    err().print(Text.assemble(*words, style=style), soft_wrap=True)


def print_text(*words: Words) -> None:
    """Print words on standard output, wrapped to the console's width."""
    from rich.text import Text

    stdout_console().print(Text.assemble(*words))


def print_indented(by: int, *words: Words, head: str = "") -> None:
    """Print words wrapped to the console's width (at most `MAX_WIDTH`), moved in by some spaces.

    The first line has `head` in that space.
    """
    from rich.text import Text

    out = stdout_console()
    for wrapped in Text.assemble(*words).wrap(out, max(20, min(out.width, MAX_WIDTH) - by)):
        wrapped.rstrip()
        out.print(Text.assemble((head.ljust(by), "dim"), wrapped), soft_wrap=True)
        head = ""


def print_tables(*tables: Table) -> None:
    """Print tables as wide as they are, each with an empty line after it."""
    out = stdout_console()
    for table in tables:
        out.print(table, crop=False)
        out.print()


def plain_table(heads: Sequence[str], rows: Sequence[Sequence[str]], *, title: str = "") -> Table:
    """Return a table without lines, whose first column holds words and the others numbers."""
    from rich.table import Table

    table = Table(
        title=title or None, title_justify="left", header_style="bold", box=None, pad_edge=False
    )
    for head in heads:
        table.add_column(head, justify="right" if table.columns else "left")
    for row in rows:
        table.add_row(*row)
    return table


def print_json(value: object) -> None:
    """Print one JSON value on standard output; what a terminal would obey or hide is escaped.

    An object of a dataclass is one of its fields.
    """
    plain = "utf" not in (sys.stdout.encoding or "").lower()
    serialized = json.dumps(value, ensure_ascii=plain, indent=2, allow_nan=False, default=_plain)
    sys.stdout.write(_ODD.sub(_escape_match, serialized) + "\n")
    sys.stdout.flush()


def print_value(value: BaseModel) -> None:
    """Print a value of the API as JSON, in the same form as REST."""
    print_json(value.model_dump(mode="json"))


def _plain(value: object) -> object:
    if is_dataclass(value):
        return {each.name: getattr(value, each.name) for each in fields(value)}
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"{value!r} is no JSON.")


def attributes(value: object, names: str) -> dict[str, object]:
    """Return some attributes of an object by their names, for JSON."""
    return {name: getattr(value, name) for name in names.split()}


def _escape_match(found: re.Match[str]) -> str:
    character = found.group()
    return character if character.isprintable() else json.dumps(character)[1:-1]


def open_library(url: str | None, *, create: bool = False) -> Library:
    """Open the library that the option, the settings or the default names."""
    from fourcorners.library.store import Library
    from fourcorners.settings import Settings

    opened = Library.open(Settings.load(library=url).library, create=create)
    opened.damages.on_damage = _print_warning
    return opened


def _print_warning(error: FourcornersError) -> None:
    """Say on standard error what went wrong with a part of the work, which goes on."""
    remedy = (f" {show_invisible(error.remedy)}", "dim") if error.remedy else ""
    print_note(("Warning: ", "bold yellow"), show_invisible(error.message), remedy)


@contextmanager
def open_access(url: str | None, by: str | None = None) -> Iterator[Access]:
    """Open the library for the person at this terminal, who may do everything with it."""
    from fourcorners.operations.access import Access
    from fourcorners.operations.principal import Principal, Role

    with open_library(url) as library:
        principal = Principal(reviewer(by), Role.ADMIN, local=True)
        yield Access(library, principal, watched=False)


def open_optional_library(url: str | None) -> AbstractContextManager[Library | None]:
    """Open the library; None where there is none and none was named."""
    from fourcorners.library.store import scheme_of
    from fourcorners.settings import Settings

    path = Settings.load().library
    if url is None and not scheme_of(path) and not Path(path).expanduser().is_file():
        return nullcontext()
    return open_library(url)


@contextmanager
def bench_library(path: Path | None) -> Iterator[Library]:
    """Open the library of a benchmark: the one to keep, or one that is gone afterwards."""
    from fourcorners.library.store import Library

    with (
        make_temporary_folder() as folder,
        Library.open(path or folder / "bench.db") as library,
    ):
        yield library


@contextmanager
def worker_pool(on: str | None, jobs: int | None) -> Iterator[WorkerPool | None]:
    """Connect to the cluster that `--on` names; None where it names none."""
    if on is None:
        yield None
        return
    from fourcorners.cluster import open_worker_pool

    with open_worker_pool(on, jobs=jobs) as found:
        yield found


def as_of_date(written: str) -> date:
    """Return the day that `--as-of` names.

    Raises:
        ConfigError: If it is none.
    """
    try:
        return date.fromisoformat(written)
    except ValueError as error:
        raise ConfigError(
            f"--as-of is {written!r}, which is not a date.", remedy="Write it as 2025-12-31."
        ) from error


def print_failures(failures: Sequence[Failure]) -> None:
    """Print each file that could not be read: one line, then what to do about it."""
    if failures:
        print_text()
        print_text((f"{count_noun(len(failures), 'file')} could not be read:", "bold red"))
    for failure in failures:
        print_line(("✗ ", "red"), single_line(failure.path))
        print_indented(2, single_line(failure.reason), " ", (single_line(failure.remedy), "dim"))


def count_noun(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def proposed_by(authors: Iterable[str]) -> str:
    """Say that words are a tracked change which nobody has accepted."""
    return f"proposed by {', '.join(map(single_line, authors))}, not accepted"


def require_place(*paths: Path | None) -> None:
    """Refuse, before the work, to write where nothing can be written after it.

    Raises:
        ConfigError: If the folder of a path is missing or may not be written to.
    """
    for path in filter(None, paths):
        folder = path.absolute().parent
        if path.is_dir():
            problem = "this is a folder"
        elif not folder.is_dir():
            problem = f"there is no folder {folder}"
        elif not os.access(folder, os.W_OK):
            problem = f"no permission to write in {folder}"
        else:
            continue
        raise ConfigError(
            f"{path} cannot be written: {problem}.",
            remedy="Name a file in a folder that exists and that you may write to.",
        )


def require_other_file(path: Path, contracts: Iterable[str]) -> None:
    """Refuse to write over a contract that is read.

    Raises:
        ConfigError: If the path is the file of one of them.
    """
    for each in map(Path, contracts):
        if each.exists() and path.exists() and path.samefile(each):
            raise ConfigError(
                f"{path} is the contract itself.", remedy="Give another name to what is written."
            )


def progress() -> Progress:
    """Return bars with counts, time gone and time left, on standard error."""
    from rich import progress

    console = err()
    return progress.Progress(
        progress.TextColumn("{task.description}"),
        progress.BarColumn(bar_width=None),
        progress.MofNCompleteColumn(),
        progress.TimeElapsedColumn(),
        progress.TextColumn("left"),
        progress.TimeRemainingColumn(),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    )


@contextmanager
def progress_steps(*first: str) -> Iterator[Callable[[str, int, int], None]]:
    """Show the progress of each step; report it by the step's name, what is done and the total.

    The steps of `first` are shown from the start.
    """
    with progress() as bars:
        tasks = {what: bars.add_task(what, total=None) for what in first}

        def step(what: str, done: int, total: int) -> None:
            if what not in tasks:
                tasks[what] = bars.add_task(what, total=total)
            bars.update(tasks[what], completed=done, total=total)

        yield step


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
