"""Convert documents, outlines and cards to JSON text and back, exactly.

A dataclass is written as an array of its fields; the names of the fields are written once, at the
beginning (`layout`), so that a value written before a field was added is read with the field's
default.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import fields, is_dataclass
from datetime import date
from enum import Enum, StrEnum
from functools import cache, lru_cache
from operator import attrgetter
from types import NoneType, UnionType
from typing import Generic, TypeAlias, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from fourcorners.documents.document import Mark, OcrWord, Page
from fourcorners.errors import DamagedValue
from fourcorners.outline.card.card import Card
from fourcorners.outline.tree import Node, Outline

T = TypeVar("T")
Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"
Write: TypeAlias = Callable[[object], Json]
Read: TypeAlias = Callable[[Json], object]
Layout: TypeAlias = Mapping[str, list[str]]


class Codec(Generic[T]):
    """Write and read values of one type, named by its annotation such as `tuple[Page, ...]`.

    Raises:
        TypeError: If the type contains something without a JSON form here.
    """

    def __init__(self, form: object) -> None:
        self._form = form
        self._layout: dict[str, list[str]] = {}
        self._write = _writer(form, {}, self._layout)
        self._head = json.dumps(self._layout, separators=(",", ":"))
        self._readers = [(dict(self._layout), _reader(form, {}, self._layout))]

    def dump(self, value: T) -> str:
        body = json.dumps(self._write(value), separators=(",", ":"))
        return f'{{"layout":{self._head},"value":{body}}}'

    def load(self, text: str) -> T:
        """Return the value that `dump` wrote.

        Raises:
            DamagedValue: If the text is damaged, or has fields that this version does not know.
        """
        with _readable(self._form):
            stored = json.loads(text)
            return cast("T", self._reader_of(stored["layout"])(stored["value"]))

    def _reader_of(self, layout: dict[str, list[str]]) -> Read:
        """Return the reader of a layout; the few in a library are cached."""
        for known, read in self._readers:
            if known == layout:
                return read
        read = _reader(self._form, {}, layout)
        self._readers.append((layout, read))
        return read


@contextmanager
def _readable(form: object) -> Iterator[None]:
    """Convert an error in a stored value to one that says what the value was."""
    try:
        yield
    except (ValueError, KeyError, TypeError, IndexError) as error:
        raise DamagedValue(
            f"a stored {_name(form)} cannot be read ({error}).",
            remedy="The library is damaged or of a newer version: restore a copy or upgrade.",
        ) from error


def _name(form: object) -> str:
    return form.__name__ if isinstance(form, type) else str(form)


def _as_is(value: object) -> Json:
    return cast("Json", value)


def _parts(
    form: object, bound: Mapping[object, object]
) -> tuple[object, tuple[object, ...], dict[object, object]]:
    """Return the origin of a form, its arguments with type variables bound, and their binding."""
    form = bound.get(form, form) if isinstance(form, TypeVar) else form
    origin = get_origin(form) or form
    arguments = tuple(bound.get(a, a) if isinstance(a, TypeVar) else a for a in get_args(form))
    names = getattr(origin, "__parameters__", ()) if is_dataclass(origin) else ()
    return origin, arguments, dict(zip(names, arguments, strict=False))


@cache
def _hints(kind: type) -> dict[str, object]:
    return get_type_hints(kind)


def _optional(arguments: tuple[object, ...]) -> object:
    inner = [part for part in arguments if part is not NoneType]
    if len(inner) != 1 or len(arguments) != 2:
        raise TypeError(f"no form for a union of {arguments}")
    return inner[0]


def _writer(form: object, bound: Mapping[object, object], layout: dict[str, list[str]]) -> Write:
    origin, arguments, inside = _parts(form, bound)
    if origin in (str, int, float, bool, NoneType):
        return _as_is
    if origin in (Union, UnionType):
        inner = _writer(_optional(arguments), bound, layout)
        if inner is _as_is:
            return _as_is
        return lambda value: None if value is None else inner(value)
    if origin is tuple and len(arguments) == 2 and arguments[1] is Ellipsis:
        each = _writer(arguments[0], bound, layout)
        if each is _as_is:
            return _as_is  # JSON writes a tuple as a list
        return lambda value: [each(item) for item in cast("tuple[object, ...]", value)]
    if origin is tuple:
        ones = [_writer(argument, bound, layout) for argument in arguments]
        return lambda value: [
            one(item) for one, item in zip(ones, cast("tuple[object, ...]", value), strict=True)
        ]
    if isinstance(origin, type) and issubclass(origin, date):
        return lambda value: cast("date", value).isoformat()
    if isinstance(origin, type) and issubclass(origin, StrEnum):
        return _as_is  # JSON writes its value
    if isinstance(origin, type) and issubclass(origin, Enum):
        return lambda value: cast("Enum", value).value
    if isinstance(origin, type) and is_dataclass(origin):
        names = [field.name for field in fields(origin)]
        layout[origin.__name__] = names
        hints = _hints(origin)
        return _columns_writer(names, [_writer(hints[name], inside, layout) for name in names])
    raise TypeError(f"no form for {form}")


def _columns_writer(names: list[str], writers: list[Write]) -> Write:
    """Return the writer of a record, which reads all fields at once and converts some of them."""
    if len(names) == 1:
        return lambda value: [writers[0](getattr(value, names[0]))]
    take = cast("Callable[[object], tuple[Json, ...]]", attrgetter(*names))
    changed = [(at, write) for at, write in enumerate(writers) if write is not _as_is]

    def write_columns(value: object) -> Json:
        columns = list(take(value))
        for at, write in changed:
            columns[at] = write(columns[at])
        return columns

    return write_columns


def _reader(form: object, bound: Mapping[object, object], layout: Layout) -> Read:
    origin, arguments, inside = _parts(form, bound)
    if origin in (str, int, float, bool, NoneType):
        return lambda value: value
    if origin in (Union, UnionType):
        inner = _reader(_optional(arguments), bound, layout)
        return lambda value: None if value is None else inner(value)
    if origin is tuple and len(arguments) == 2 and arguments[1] is Ellipsis:
        each = _reader(arguments[0], bound, layout)
        return lambda value: tuple([each(item) for item in cast("list[Json]", value)])
    if origin is tuple:
        ones = [_reader(argument, bound, layout) for argument in arguments]
        return lambda value: tuple(
            one(item) for one, item in zip(ones, cast("list[Json]", value), strict=True)
        )
    if isinstance(origin, type) and issubclass(origin, date):
        return lambda value: date.fromisoformat(cast("str", value))
    if isinstance(origin, type) and issubclass(origin, Enum):
        return {member.value: member for member in origin}.__getitem__
    if isinstance(origin, type) and is_dataclass(origin):
        return _record(origin, inside, layout)
    raise TypeError(f"no form for {form}")


def _record(kind: type, inside: Mapping[object, object], layout: Layout) -> Read:
    names = layout[kind.__name__]
    hints = _hints(kind)
    unknown = [name for name in names if name not in hints]
    if unknown:
        raise TypeError(f"{kind.__name__} has no field {unknown[0]!r}")
    columns = [_reader(hints[name], inside, layout) for name in names]
    current = [field.name for field in fields(kind)]

    if names == current[: len(names)]:
        return lambda value: kind(
            *[read(item) for read, item in zip(columns, cast("list[Json]", value), strict=True)]
        )
    return lambda value: kind(
        **{
            name: read(item)
            for name, read, item in zip(names, columns, cast("list[Json]", value), strict=True)
        }
    )


PAGES: Codec[tuple[Page, ...]] = Codec(tuple[Page, ...])
MARKS: Codec[tuple[Mark, ...]] = Codec(tuple[Mark, ...])
WARNINGS: Codec[tuple[str, ...]] = Codec(tuple[str, ...])
WORDS: Codec[tuple[OcrWord, ...]] = Codec(tuple[OcrWord, ...])
NUMBERS: Codec[tuple[int, ...]] = Codec(tuple[int, ...])
OUTLINE: Codec[Outline] = Codec(Outline)
CARD: Codec[Card] = Codec(Card)


_LAYOUT, _VALUE = '{"layout":', ',"value":['
_scan = json.JSONDecoder().raw_decode


@lru_cache(maxsize=16)
def _node_reader(head: str) -> Read:
    layout = json.loads(head)
    if layout["Outline"][0] != "nodes":
        raise ValueError("its nodes do not come first")
    return _reader(Node, {}, layout)


class StoredNodes:
    """The nodes of a stored outline, each created on demand: a hit needs only a few.

    Raises:
        DamagedValue: If the text is damaged, or has fields that this version does not know.
    """

    def __init__(self, text: str) -> None:
        with _readable(Outline):
            at = text.index(_VALUE)
            self._read = _node_reader(text[len(_LAYOUT) : at])
            self._nodes, _ = _scan(text, at + len(_VALUE))

    def ancestors(self, node: int) -> list[Node]:
        """Return a node and those above it, the outermost first."""
        found: list[Node] = []
        at: int | None = node
        while at is not None:
            with _readable(Node):
                found.append(cast("Node", self._read(self._nodes[at])))
            at = found[-1].parent
        return found[::-1]


def load_words(text: str) -> tuple[OcrWord, ...]:
    """Return recognised words; empty text, as in documents without any, means none."""
    return WORDS.load(text) if text else ()
