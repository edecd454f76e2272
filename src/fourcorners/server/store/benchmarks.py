"""What `fourcorners bench` wrote in a folder, read for a page: figures, intervals, series.

A file is what its `--json` or that of `fourcorners bench score` wrote. Its measures are of many
forms, one a benchmark; here only their form counts: a figure, a figure with its interval
(`[value, low, high]`, or a name with its `intervals`), or figures at 1, 2, 4 … of something.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import TypeAlias

from fourcorners.operations.errors import NotFound

Json: TypeAlias = "str | int | float | bool | Sequence[Json] | Mapping[str, Json] | None"
MAX_FILES = 500
"""Files of the folder that are looked at, the latest ones."""
MAX_BYTES = 16 << 20  # of a run file
_MOST_ROWS = 60  # figures of one group that are shown
_MOST_GROUPS = 40  # rows of a page
_DEEPEST = 4  # levels of measures that are shown
_PLAIN = ("seconds", "characters", "cost", "tokens", "calls", "threshold", "price", "bytes")
# What a run is known by, the first that is there; else its first figure with an interval.
_HEADLINES: Mapping[str, tuple[tuple[str, ...], ...]] = {
    "retrieval": (("sets", "*", "union_recall", "16"),),
    "extraction": (("nine", "f1"),),
    "entailment": (("accuracy",),),
    "precedents": (("all", "ndcg@5"), ("all", "ndcg5")),
    "provisions": (("recall",),),
}


@dataclass(frozen=True, slots=True)
class Measure:
    """A measure; `low` and `high` are its 95% interval, None where the run has none.

    `is_share` tells whether it is a part of a whole, from 0 to 1.
    """

    name: str
    value: float
    low: float | None = None
    high: float | None = None
    is_share: bool = True

    @property
    def text(self) -> str:
        return _format_value(self.value, is_share=self.is_share)

    @property
    def interval(self) -> str:
        if self.low is None or self.high is None:
            return ""
        low, high = (_format_value(each, is_share=self.is_share) for each in (self.low, self.high))
        return f"{low} to {high}"


@dataclass(frozen=True, slots=True)
class MeasureSeries:
    name: str
    points: tuple[tuple[float, Measure], ...]


@dataclass(frozen=True, slots=True)
class MeasureGroup:
    """Measures that belong together; `more` of them are not shown."""

    name: str
    figures: tuple[Measure, ...]
    series: tuple[MeasureSeries, ...]
    more: int = 0

    @property
    def plottable(self) -> tuple[Measure, ...]:
        """Return the shares that have an interval: what a plot can show together."""
        return tuple(each for each in self.figures if each.is_share and each.low is not None)


@dataclass(frozen=True, slots=True)
class BenchRun:
    """A file of a benchmark.

    Attributes:
        id: Names it in an address; never a path.
        settings: As a person reads them; of a path its last part alone.
        scored: Whether the answers were another run's, and this scored them.
    """

    id: str
    file: str
    benchmark: str
    made: datetime
    seconds: float | None
    version: str
    settings: tuple[tuple[str, str], ...]
    models: tuple[tuple[str, str], ...]
    groups: tuple[MeasureGroup, ...]
    headline: Measure | None
    scored: bool


@dataclass(frozen=True, slots=True)
class BenchmarkFolder:
    """What a folder of benchmarks holds.

    Attributes:
        answers: Names of files with raw answers, which can be scored.
        skipped: Files that are no record, and why.
    """

    runs: tuple[BenchRun, ...]
    answers: tuple[str, ...] = ()
    skipped: tuple[tuple[str, str], ...] = ()
    missing: bool = False


def read_folder(folder: Path) -> BenchmarkFolder:
    """Read the runs of a folder, the latest first; folders in it are not looked into."""
    try:
        held = [each for each in folder.iterdir() if each.is_file()]
        dated = sorted(((each.stat().st_mtime, each) for each in held), reverse=True)
    except OSError:
        return BenchmarkFolder((), missing=True)
    runs: list[BenchRun] = []
    passed: list[tuple[str, str]] = []
    answers = [each.name for _, each in dated if each.suffix in (".jsonl", ".run")]
    for at, file in [(at, each) for at, each in dated if each.suffix == ".json"][:MAX_FILES]:
        found = _run(file, at)
        if isinstance(found, BenchRun):
            runs.append(found)
        else:
            passed.append((file.name, found))
    return BenchmarkFolder(tuple(runs), tuple(answers), tuple(passed))


def find_run(folder: Path, identity: str) -> BenchRun:
    """Return a run by its id.

    Raises:
        NotFound: If there is none.
    """
    for each in read_folder(folder).runs:
        if each.id == identity:
            return each
    raise NotFound(f"there is no run {identity[:40]!r}.", remedy="See Benchmarks for all.")


def _run(file: Path, at: float) -> BenchRun | str:
    """Return what a file holds, or why it is no run."""
    try:
        if file.stat().st_size > MAX_BYTES:
            return "larger than any record of a benchmark"
        held = json.loads(file.read_text("utf-8"))
    except (OSError, ValueError, RecursionError):
        return "no JSON that can be read"
    if not isinstance(held, dict):
        return "no record of a benchmark"
    name, measures = held.get("benchmark"), held.get("measures")
    if not isinstance(name, str) or not isinstance(measures, dict):
        return "no record of a benchmark"
    groups = tuple(_groups(measures))[:_MOST_GROUPS]
    settings = _flat(held.get("settings"))
    seconds = parse_measure("seconds", held.get("seconds"))
    versions = held.get("versions")
    version = versions.get("fourcorners", "") if isinstance(versions, dict) else ""
    return BenchRun(
        id=sha256(file.name.encode("utf-8", "surrogateescape")).hexdigest()[:12],
        file=file.name,
        benchmark=name,
        made=datetime.fromtimestamp(at, UTC),
        seconds=seconds.value if seconds else None,
        version=str(version),
        settings=tuple(settings),
        models=tuple(_flat(held.get("models"))),
        groups=groups,
        headline=_headline(name, measures, groups),
        scored=any(key == "run" for key, _ in settings),
    )


def _groups(measures: Mapping[str, Json]) -> Iterator[MeasureGroup]:
    """Yield the measures by their place, the outermost first."""
    waiting: list[tuple[tuple[str, ...], Mapping[str, Json]]] = [((), measures)]
    while waiting:
        path, held = waiting.pop(0)
        figures = tuple(_figures(held, path))
        series = tuple(_series(held))
        if figures or series:
            yield MeasureGroup(
                " · ".join(path), figures[:_MOST_ROWS], series, max(0, len(figures) - _MOST_ROWS)
            )
        if len(path) < _DEEPEST:
            inner = [
                ((*path, str(key)), value)
                for key, value in held.items()
                if isinstance(value, dict) and not _is_aside(key) and _points(value) is None
            ]
            waiting[:0] = inner


def _is_aside(key: str) -> bool:
    return key == "intervals" or key.endswith(("_intervals", "_interval"))


def _figures(held: Mapping[str, Json], path: Sequence[str]) -> Iterator[Measure]:
    is_plain = any(word in step for step in path for word in _PLAIN)
    aside = held.get("intervals")
    intervals = aside if isinstance(aside, dict) else {}
    for key, value in held.items():
        if _is_aside(key):
            continue
        interval = intervals.get(key, held.get(f"{key}_interval"))
        made = parse_measure(str(key), value, interval)
        if made is not None:
            yield replace(made, is_share=False) if is_plain else made
    for key, block in held.items():  # {"nine": {…}, "nine_intervals": {…}}
        spread = held.get(f"{key}_intervals")
        if isinstance(block, dict) and isinstance(spread, dict):
            for name, interval in spread.items():
                made = parse_measure(f"{key}: {name}", block.get(name), interval)
                if made is not None:
                    yield made


def _series(held: Mapping[str, Json]) -> Iterator[MeasureSeries]:
    for key, value in held.items():
        points = _points(value) if isinstance(value, dict) else None
        if points:
            yield MeasureSeries(_readable_name(str(key)), points)


def _points(value: Mapping[str, Json]) -> tuple[tuple[float, Measure], ...] | None:
    """Return figures at numbers; None for anything else."""
    if len(value) < 2 or not all(str(each).isdecimal() and len(str(each)) < 9 for each in value):
        return None
    found = []
    for at, each in value.items():
        made = parse_measure(str(at), each)
        if made is None:
            return None
        found.append((float(at), made))
    return tuple(sorted(found, key=lambda each: each[0]))


def parse_measure(name: str, value: Json, interval: Json = None) -> Measure | None:
    """Return a measure with its interval; None for what is none, or lies outside of it."""
    numbers = _numbers(value, 3) or [*_numbers([value], 1), *_numbers(interval, 2)]
    if not numbers or len(numbers) == 2:
        return None
    first, *ends = numbers
    if ends and not ends[0] <= first <= ends[1]:
        return None
    is_share = (
        all(0 <= each <= 1 for each in numbers)
        and (bool(ends) or isinstance(first, float))
        and not any(word in name for word in _PLAIN)
    )
    low, high = map(float, ends) if ends else (None, None)
    return Measure(_readable_name(name), float(first), low, high, is_share)


def _numbers(values: Json, count: int) -> list[int | float]:
    """Return so many numbers as there must be; none where there are others, or anything else."""
    if not isinstance(values, Sequence) or isinstance(values, str) or len(values) != count:
        return []
    found = [each for each in values if isinstance(each, int | float) and math.isfinite(each)]
    return [] if len(found) < count or any(isinstance(each, bool) for each in found) else found


def _headline(
    name: str, measures: Mapping[str, Json], groups: Sequence[MeasureGroup]
) -> Measure | None:
    for path in _HEADLINES.get(name, ()):
        found = _measure_at(measures, path, path[-1])
        if found is not None:
            return found
    plotted = [each for group in groups for each in group.plottable]
    if plotted:
        return plotted[0]
    at = [point for group in groups for each in group.series for _, point in each.points]
    figures = [each for group in groups for each in group.figures if each.is_share]
    return next(iter([*figures, *at]), None)


def _measure_at(held: Json, path: Sequence[str], name: str) -> Measure | None:
    """Return the figure at a path; `*` is the last of what there is, which is the whole."""
    spread: Json = None
    for step in path:
        if not isinstance(held, dict) or not held:
            return None
        key = list(held)[-1] if step == "*" else step
        beside = held.get(f"{key}_intervals")
        spread = beside if isinstance(beside, dict) else held.get("intervals", spread)
        held = held.get(key)
    interval = spread.get(name) if isinstance(spread, dict) else None
    label = " at ".join(path[-2:]) if name.isdecimal() else name
    return parse_measure(label, held, interval)


def _flat(held: object, before: str = "") -> list[tuple[str, str]]:
    """Return settings as a person reads them; texts are cut, and of a path the end is shown."""
    rows: list[tuple[str, str]] = []
    if not isinstance(held, dict):
        return rows
    for key, value in held.items():
        name = f"{before}{key}"
        if isinstance(value, dict):
            rows += _flat(value, f"{name}.")
        elif isinstance(value, list):
            rows.append((name, ", ".join(_word(each) for each in value[:8])))
        elif value is not None and value != "":
            rows.append((name, _word(value)))
    return rows


def _word(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, str) and "/" in value and " " not in value and "://" not in value:
        return Path(value).name
    return str(value)[:300]


def _readable_name(name: str) -> str:
    return name.replace("_", " ")


def _format_value(value: float, *, is_share: bool) -> str:
    if is_share:
        return f"{100 * value:.1f}%"
    return f"{value:,.0f}" if float(value).is_integer() else f"{value:,.4g}"
