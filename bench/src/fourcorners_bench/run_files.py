"""Run files: the raw answers of a benchmark, one JSON object a line."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any, TypeAlias, TypeVar

from pydantic import BeforeValidator, PlainSerializer, TypeAdapter, ValidationError, WrapSerializer

from fourcorners.errors import ConfigError, FourcornersError
from fourcorners.text.span import Span
from fourcorners.work_folder import replace_text

T = TypeVar("T")
K = TypeVar("K")
_ADAPTERS: dict[type, TypeAdapter[Any]] = {}
_KEYS = {  # the key that only lines of this benchmark have
    "hypothesis": "entailment",
    "snippets": "retrieval",
    "ranking": "precedents",
    "nodes": "outline",
    "passages": "provisions",
    "value": "values",
    "verdict": "statements",
    "family": "families",
}

Rounded: TypeAlias = Annotated[float, PlainSerializer(lambda value: round(value, 6))]
Place: TypeAlias = Annotated[
    Span,
    BeforeValidator(lambda pair: Span(*pair) if isinstance(pair, list) else pair),
    PlainSerializer(lambda span: [span.start, span.end]),
]
"""A span, in a run file its start and end."""
ScoredPlace: TypeAlias = Annotated[
    tuple[Span, float],
    BeforeValidator(lambda each: (Span(*each[:2]), each[2]) if isinstance(each, list) else each),
    PlainSerializer(lambda each: [each[0].start, each[0].end, round(each[1], 6)]),
]
"""A span with its score, in a run file start, end and score."""


def at_most(count: int) -> WrapSerializer:
    """Return what keeps a run file to the first so many of a field's values."""
    return WrapSerializer(lambda values, dump: dump(values[:count]))


def _adapter(kind: type[T]) -> TypeAdapter[T]:
    if kind not in _ADAPTERS:
        _ADAPTERS[kind] = TypeAdapter(kind)
    return _ADAPTERS[kind]


def run_line(answer: object) -> str:
    """Return an answer as its line of a run file."""
    values = _adapter(type(answer)).dump_python(answer, mode="json")
    return json.dumps(values, ensure_ascii=False, allow_nan=False)


def write_lines(path: Path, run: Iterable[object]) -> None:
    replace_text(path, "".join(f"{run_line(line)}\n" for line in run))


def read_answers(path: Path, kind: type[T], what: str, remedy: str = "") -> list[T]:
    """Return a run; a line of another form is a `ConfigError` that names it."""
    return read_lines(path, _adapter(kind).validate_python, what, remedy)


def read_lines(path: Path, parse: Callable[[Any], T], what: str, remedy: str = "") -> list[T]:
    """Return what `parse` makes of each line's JSON.

    Raises:
        ConfigError: If the file cannot be read, or a line is not `what`; the message names it.
    """
    try:
        with path.open(encoding="utf-8") as file:
            lines = list(file)
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path} cannot be read ({error}).") from None
    found = []
    for number, line in enumerate(lines, start=1):
        try:
            found.append(parse(json.loads(line)))
        except (ValueError, KeyError, TypeError, FourcornersError) as error:
            message = repr(error)
            if isinstance(error, ValidationError):
                fault = error.errors()[0]
                message = f"{'.'.join(map(str, fault['loc']))}: {fault['msg']}"
            raise ConfigError(
                f"{path}, line {number}: not {what} ({message}).", remedy=remedy
            ) from error
    return found


def index_lines(run: Iterable[T], key: Callable[[T], K]) -> dict[K, T]:
    """Return a run's lines by what they answer.

    Raises:
        ConfigError: If two lines answer the same.
    """
    lines: dict[K, T] = {}
    for line in run:
        if key(line) in lines:
            raise ConfigError(f"the run holds two lines for {_sample_of(key(line))}.")
        lines[key(line)] = line
    return lines


def require_line(lines: Mapping[K, T], key: K) -> T:
    """Return the line that answers something; a missing line is an error, never a "not found".

    Raises:
        ConfigError: If there is none.
    """
    if key not in lines:
        raise ConfigError(
            f"the run holds no line for {_sample_of(key)}.",
            remedy="Score it against the data it was made from.",
        )
    return lines[key]


def _sample_of(key: object) -> str:
    return " × ".join(map(repr, key)) if isinstance(key, tuple) else repr(key)


def run_benchmark(path: Path) -> str:
    """Return which benchmark a run file is of, by its first line; extraction if no other."""
    with path.open(encoding="utf-8") as file:
        try:
            record = json.loads(file.readline())
        except ValueError:
            record = {}
    own = _KEYS.keys() & record if isinstance(record, dict) else ()
    return _KEYS[min(own)] if own else "extraction"
