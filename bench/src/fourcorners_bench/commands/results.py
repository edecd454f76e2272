"""`fourcorners bench all`: the benchmarks that need no language model, and a page of results."""

from __future__ import annotations

import os
import shlex
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from fourcorners.cli import options
from fourcorners.cli.options import option, spread
from fourcorners.cli.output import console
from fourcorners.errors import ConfigError
from fourcorners.system.private_files import make_folder
from fourcorners.work_folder import replace_text
from fourcorners_bench.commands.runner import Output

if TYPE_CHECKING:
    from fourcorners_bench.results.plan import Step
    from fourcorners_bench.results.runs import Result

_COLUMNS = 100  # of the tables on the page
RunCommand: TypeAlias = "Callable[[list[str]], None]"


@dataclass(frozen=True, slots=True)
class _Steps:
    """What is run."""

    only: Annotated[
        list[str] | None, option("--only NAME", "Only this benchmark. May be given again.")
    ] = None
    again: Annotated[bool, option("--again", "Run what the page has already, too.")] = False
    limit: Annotated[
        int | None,
        option("--limit N", "Of each benchmark the first N contracts or queries.", least=1),
    ] = None
    jobs: options.Jobs = None


@spread
def results_page(
    context: typer.Context,
    data: Annotated[Path, option("--data DIR", "The folder of all data sets.")],
    out: Annotated[Path, option("--out DIR", "Where the page is written.")],
    runs: Annotated[
        list[Path] | None,
        option("--run FILE", "A run file from elsewhere, shown next to these. May be given again."),
    ] = None,
    *,
    asked: _Steps,
) -> None:
    """Run what needs no language model; write a page of results.

    The page is in DIR with its plots, tables, records and run files, and needs no server. What
    it has already is kept: a stopped run continues, and other run files can be added later.
    """
    from fourcorners_bench.results.page import write_page
    from fourcorners_bench.results.plan import STEPS
    from fourcorners_bench.results.runs import draw_results, read_results, write_results

    Output(plots=out).require()
    chosen = _chosen_steps(STEPS, asked.only or ())
    make_folder(out)
    held = {} if asked.again else read_results(out)
    held = {name: each for name, each in held.items() if each.is_whole(out)}
    left: list[str] = []
    command = (context.parent or context).command

    def run(arguments: list[str]) -> None:
        command.main(arguments, standalone_mode=False)

    for step in chosen:
        if not (data / step.data).exists():
            left.append(f"{step.title}: not run, since the data hold no {step.data}.")
            continue
        found = _run_step(run, step, data, out, held.get(step.name), asked.limit, asked.jobs)
        held[step.name] = found
        write_results(out, _in_order(held, STEPS))
    for path in runs or ():
        scored = _score_run(run, path, data, out, {step.name for step in STEPS})
        held[scored.name] = scored
    listed = _in_order(held, STEPS)
    write_results(out, listed)
    written = write_page(out, listed, draw_results(out, listed), left)
    for reason in left:
        console.err().print(reason)
    console.print_line(f"{console.count_noun(len(listed), 'run')} in {written}.")


def _chosen_steps(steps: Sequence[Step], only: Sequence[str]) -> list[Step]:
    names = [step.name for step in steps]
    for name in only:
        if name not in names:
            raise ConfigError(
                f"there is no benchmark {name!r}.", remedy=f"There are: {', '.join(names)}."
            )
    return [step for step in steps if not only or step.name in only]


def _in_order(held: dict[str, Result], steps: Sequence[Step]) -> list[Result]:
    """Return results in the order of the steps, those from elsewhere after them."""
    place = {step.name: at for at, step in enumerate(steps)}
    return sorted(held.values(), key=lambda each: (place.get(each.name, len(place)), each.name))


def _run_step(
    run_command: RunCommand,
    step: Step,
    data: Path,
    out: Path,
    held: Result | None,
    limit: int | None,
    jobs: int | None,
) -> Result:
    """Run a step unless the page has it; return its result."""
    from fourcorners.version import __version__

    size = ["--limit", str(limit)] if limit is not None else []
    typed = [*step.command(data), *size]
    command = shlex.join(["fourcorners", *typed])
    if held is not None and (held.command, held.version) == (command, __version__):
        console.err().print(f"{step.name}: there already")
        return held
    record, tables, run = _files(out, step.name)
    extra = ["--json", str(record)]
    if step.answers:
        extra += ["--run-out", str(run)]
    if step.library:
        libraries = out / "libraries"
        make_folder(libraries)
        extra += ["--library", str(libraries / f"{step.library}.db")]
    if jobs is not None and step.arguments[0] not in ("entailment", "values"):
        extra += ["--jobs", str(jobs)]
    console.err().print(f"{step.name} …")
    began = time.monotonic()
    _invoke(run_command, [*typed[1:], *extra], tables)
    spent = round(time.monotonic() - began, 1)
    return _result(out, step.name, step.title, command, spent, answers=step.answers)


def _score_run(
    run_command: RunCommand, path: Path, data: Path, out: Path, taken: set[str]
) -> Result:
    """Score a run file from elsewhere, and keep it with the others."""
    from fourcorners_bench.results.plan import FOLDERS
    from fourcorners_bench.run_files import run_benchmark

    if not path.is_file():
        raise ConfigError(f"{path} is no file.", remedy="Name a run file: --run FILE.")
    if path.stem in taken:
        raise ConfigError(
            f"{path.name} is called like a run of the program's own.",
            remedy="Give the file the name of your system.",
        )
    benchmark = run_benchmark(path)
    if benchmark not in FOLDERS:
        raise ConfigError(
            f"{path}: {benchmark} have no folder of their own in the data.",
            remedy="Score the run by itself: fourcorners bench score RUN --data FILE.",
        )
    folder = data / FOLDERS[benchmark]
    folder = folder.parent if folder.suffix else folder
    record, tables, run = _files(out, path.stem)
    if path.resolve() != run.resolve():
        replace_text(run, path.read_bytes().decode())
    _invoke(run_command, ["score", str(run), "--data", str(folder), "--json", str(record)], tables)
    command = shlex.join(["fourcorners", "bench", "score", path.name, "--data", str(folder)])
    return _result(out, path.stem, path.stem, command, None)


def _result(
    out: Path, name: str, title: str, command: str, seconds: float | None, *, answers: bool = True
) -> Result:
    from fourcorners.version import __version__
    from fourcorners_bench.results.runs import Result, file_hash

    record, tables, run = (path.relative_to(out).as_posix() for path in _files(out, name))
    held = (run, file_hash(out / run)) if answers else ()
    return Result(name, title, command, __version__, seconds, record, tables, *held)


def _files(out: Path, name: str) -> tuple[Path, Path, Path]:
    """Return where the record, the tables and the run file of a result are."""
    found = (
        out / "records" / f"{name}.json",
        out / "tables" / f"{name}.txt",
        out / "runs" / f"{name}.jsonl",
    )
    for path in found:
        make_folder(path.parent)
    return found


def _invoke(run_command: RunCommand, arguments: list[str], tables: Path) -> None:
    """Run a command of the benchmarks in this process, and keep what it prints."""
    printed = StringIO()
    with _columns(_COLUMNS), redirect_stdout(printed):
        run_command(arguments)
    replace_text(tables, printed.getvalue())


@contextmanager
def _columns(columns: int) -> Iterator[None]:
    before = os.environ.get("COLUMNS")
    os.environ["COLUMNS"] = str(columns)
    try:
        yield
    finally:
        if before is None:
            del os.environ["COLUMNS"]
        else:
            os.environ["COLUMNS"] = before
