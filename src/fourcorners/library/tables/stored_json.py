"""Store values as JSON, by the names of their fields, and read them back.

A field that is missing has its default: so a value that was stored before the field was added is
read.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Generic, TypeVar

from fourcorners.documents.document import Mark, OcrWord, Page
from fourcorners.errors import DamagedValue, describe_problem
from fourcorners.library.database import SQLiteValue, as_string
from fourcorners.outline.card.card import Card, Fact, Party
from fourcorners.outline.tree import Node, Outline

if TYPE_CHECKING:
    from pydantic import TypeAdapter

T = TypeVar("T")


class StoredJson(Generic[T]):
    """Writes and reads values of one type, named by its annotation such as `tuple[Page, ...]`."""

    def __init__(self, form: type[T]) -> None:
        self._form = form

    @cached_property
    def adapter(self) -> TypeAdapter[T]:
        from pydantic import TypeAdapter

        return TypeAdapter(self._form)

    def dump(self, value: T) -> str:
        return self.adapter.dump_json(value).decode()

    def load(self, text: str) -> T:
        """Return the value that `dump` wrote.

        Raises:
            DamagedValue: If the text is damaged, or has fields that this version does not know.
        """
        adapter = self.adapter
        with _readable(self._form):
            return adapter.validate_json(text, strict=True, extra="forbid")


@contextmanager
def _readable(form: object) -> Iterator[None]:
    """Convert an error in a stored value to one that says what the value was."""
    from pydantic import ValidationError

    try:
        yield
    except (ValueError, KeyError, TypeError) as error:
        fault: object = error
        if isinstance(error, ValidationError):
            fault = describe_problem(error.errors()[0])
        raise DamagedValue(
            f"a stored {form.__name__ if isinstance(form, type) else form} cannot be read "
            f"({fault}).",
            remedy="The library is damaged or of a newer version: restore a copy or upgrade.",
        ) from error


PAGES = StoredJson(tuple[Page, ...])
MARKS = StoredJson(tuple[Mark, ...])
WARNINGS = StoredJson(tuple[str, ...])
WORDS = StoredJson(tuple[OcrWord, ...])
NUMBERS = StoredJson(tuple[int, ...])
OUTLINE = StoredJson(Outline)
CARD = StoredJson(Card)
PARTIES = StoredJson(tuple[Fact[Party], ...])


def load_card(card: SQLiteValue, parties: SQLiteValue) -> Card:
    """Return a card with the parties that a person gave in the place of those that were read.

    Raises:
        DamagedValue: If one of the two is damaged.
    """
    read = CARD.load(as_string(card))
    return read if parties is None else replace(read, parties=PARTIES.load(as_string(parties)))


_NODE = StoredJson(Node)
_scan = json.JSONDecoder().raw_decode


class StoredNodes:
    """The nodes of a stored outline, each created on demand: a hit needs only a few."""

    def __init__(self, text: str) -> None:
        self._text = text

    def ancestors(self, node: int) -> list[Node]:
        """Return a node and those above it, the outermost first.

        Raises:
            DamagedValue: If the text is damaged.
        """
        found: list[Node] = []
        at: int | None = node
        while at is not None:
            with _readable(Node):
                # A node begins with its id, and inside a string the quotes would be escaped.
                value, _ = _scan(self._text, self._text.index(f'{{"id":{at},'))
                found.append(_NODE.adapter.validate_python(value))
            at = found[-1].parent
        return found[::-1]
