"""What the benchmarks' commands share: options, a library to work in, progress."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from rich.progress import TaskID

    from fourcorners.library.store import Library
    from fourcorners.settings import LlmSettings

DataOption = Annotated[
    Path, typer.Option("--data", metavar="DIR", help="The folder of the data set.")
]
RecordOption = Annotated[
    Path | None,
    typer.Option("--json", metavar="FILE", help="Write settings, versions and measures."),
]
LimitOption = Annotated[
    int | None, typer.Option("--limit", metavar="N", min=1, help="Only the first N contracts.")
]
SeedOption = Annotated[
    int, typer.Option("--seed", metavar="N", help="The seed of the confidence intervals.")
]
KeepOption = Annotated[
    Path | None,
    typer.Option(
        "--library",
        metavar="FILE",
        help="Keep the library here, and go on with it another time.",
        show_default="a temporary one",
    ),
]


@contextmanager
def bench_library(path: Path | None) -> Iterator[Library]:
    """Open the library to keep, or one that is gone afterwards."""
    from fourcorners.library.store import Library

    if path is not None:
        with Library.open(path) as library:
            yield library
        return
    with (
        tempfile.TemporaryDirectory(prefix="fourcorners-") as folder,
        Library.open(Path(folder) / "bench.db") as library,
    ):
        yield library


@contextmanager
def progress_bar() -> Iterator[Callable[[str, int, int], None]]:
    """Show how far each step has come; the step is told by what it does, done and total."""
    from fourcorners.cli.output import console

    with console.progress() as bars:
        tasks: dict[str, TaskID] = {}

        def step(what: str, done: int, total: int) -> None:
            if what not in tasks:
                tasks[what] = bars.add_task(what, total=total)
            bars.update(tasks[what], completed=done, total=total)

        yield step


def of_model(
    settings: LlmSettings, model: str, replay: Path | None, record: Path | None
) -> LlmSettings:
    """Return settings with another model for all roles, if one is named, and other recordings."""
    from fourcorners.settings import LlmRolesSettings

    update: dict[str, object] = {}
    if model:
        update |= {"model": model, "roles": LlmRolesSettings()}
    if replay is not None:
        update["replay"] = replay
    if record is not None:
        update["record"] = record
    return settings.model_copy(update=update)
