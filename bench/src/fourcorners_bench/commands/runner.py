"""What the benchmarks' commands share: where a run goes, and what is scored of one."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from fourcorners.cli import options
from fourcorners.cli.model_port import of_model
from fourcorners.cli.options import option, spread
from fourcorners.cli.output import console
from fourcorners.errors import ConfigError

if TYPE_CHECKING:
    from rich.table import Table

    from fourcorners.settings import LlmSettings
    from fourcorners_bench.record import Record

_OUTPUTS = {"run": options.Run, "record": options.Record, "plots": options.Plots}


@dataclass(frozen=True, slots=True)
class Output:
    """Where the raw answers, the record and the plots of a run are written."""

    run: Path | None = None
    record: Path | None = None
    plots: Path | None = None

    def require(self) -> None:
        """Refuse, before the work, what cannot be written after it.

        Raises:
            ConfigError: If a folder cannot be written to, or what draws is not installed.
        """
        console.require_place(self.run, self.record)
        if self.plots is not None:
            from fourcorners_bench.measures.plots import require_library

            require_library()

    def write_run(self, lines: Iterable[object]) -> None:
        from fourcorners_bench.run_files import write_lines

        if self.run is not None:
            write_lines(self.run, lines)

    def numbered(self, number: int) -> Output:
        """Return where one of several runs is written: run.jsonl, run.2.jsonl and so on."""
        if self.run is None or number == 1:
            return self
        numbered = replace(self, run=self.run.with_suffix(f".{number}{self.run.suffix}"))
        console.require_place(numbered.run)
        return numbered

    def finish(self, record: Record, *tables: Table, spaced: bool = False) -> None:
        """Write a record, draw it, and print its tables, if `spaced` with an empty line after."""
        record.write(self.record)
        if self.plots is not None:
            from fourcorners_bench.measures.named_record import NamedRecord
            from fourcorners_bench.plotters import plot_records

            named = NamedRecord("this run", record.measures, record.settings)
            plot_records(self.plots, record.benchmark, [named])
        print_figures(tables, spaced=spaced)


def print_figures(tables: Iterable[Table], *, spaced: bool = False) -> None:
    """Print tables, if `spaced` as wide as they are and each with an empty line after it."""
    if spaced:
        console.print_tables(*tables)
        return
    for table in tables:
        console.stdout_console().print(table)


def report_unread(record: Record, unread: Mapping[str, str]) -> None:
    """Name the files that could not be read, on record too: in them nothing was found."""
    record.settings["unread"] = dict(unread)
    for name, reason in unread.items():
        console.err().print(f"{name} could not be read, and counts as “not found”: {reason}")


def measurement(*outputs: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command the options of its outputs, in place of its parameter `output`.

    Its other groups of options are spread, too.

    Without names they are all three: `run`, `record` and `plots`.
    """
    names = outputs or tuple(_OUTPUTS)

    def decorate(function: Callable[..., None]) -> Callable[..., None]:
        signature = inspect.signature(function, eval_str=True)
        own = [each for each in signature.parameters.values() if each.name != "output"]
        kind = inspect.Parameter.KEYWORD_ONLY
        added = [
            inspect.Parameter(f"{name}_out", kind, default=None, annotation=_OUTPUTS[name])
            for name in names
        ]

        @wraps(function)
        def command(**given: Any) -> None:  # noqa: ANN401 - whatever the command takes
            output = Output(**{name: given.pop(f"{name}_out") for name in names})
            output.require()
            function(**given, output=output)

        parameters = [each.replace(kind=kind) for each in own] + added
        command.__dict__["__signature__"] = signature.replace(parameters=parameters)
        command.__annotations__ = {each.name: each.annotation for each in parameters}
        return spread(command)

    return decorate


@dataclass(frozen=True, slots=True)
class Scoring:
    """A run file to be scored, and what of it.

    Attributes:
        limit: Only the first contracts, documents or lines.
        truth: Audited outlines.
        unseen_by: Only what this shipped model has not learned from.
    """

    run: Path
    data: Path
    limit: int | None = None
    truth: tuple[Path, ...] = ()
    unseen_by: str | None = None


@dataclass(frozen=True, slots=True)
class RunOptions:
    """How a benchmark runs."""

    seed: options.Seed = 0
    jobs: options.Jobs = None
    library: options.Keep = None


@dataclass(frozen=True, slots=True)
class ExchangeOptions:
    """The file of the exchanges with a language model."""

    replay: options.Replay = None
    record: options.Exchanges = None


@dataclass(frozen=True, slots=True)
class ModelOptions:
    """The language model of a run, and the file of its exchanges."""

    model: Annotated[
        str, option("--model NAME", "In place of the settings' language model.", default=False)
    ] = ""
    replay: options.Replay = None
    exchanges: options.Exchanges = None

    def configure(self, settings: LlmSettings) -> LlmSettings:
        return of_model(settings, self.model, self.replay, self.exchanges)


@dataclass(frozen=True, slots=True)
class ModelsOptions:
    """The language models of a run, and the file of their exchanges."""

    model: options.Model = None
    replay: options.Replay = None
    exchanges: options.Exchanges = None

    def configure(self, settings: LlmSettings) -> list[LlmSettings]:
        """Return the settings of each model: of that of the settings, if none is named."""
        names = self.model or [""]
        return [of_model(settings, name, self.replay, self.exchanges) for name in names]


def require_model_options(asks: bool, given: Iterable[object], remedy: str) -> None:
    """Refuse options of the language model where none is asked.

    Raises:
        ConfigError: If some are given.
    """
    if not asks and any(given):
        raise ConfigError(
            "options of the language model are given, and none is asked.", remedy=remedy
        )
