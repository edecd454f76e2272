"""`Value`: the base of requests and results of operations, the same for every interface."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field
from pydantic_core import PydanticCustomError

from fourcorners.text.span import Span


def _parse_day(given: object) -> object:
    """Return a day that is written as ISO 8601 has it; what else is given stays as it is."""
    if not isinstance(given, str):
        return given
    try:
        return date.fromisoformat(given)
    except ValueError as error:
        raise PydanticCustomError("day", "Give a day as YYYY-MM-DD") from error


Day = Annotated[date, BeforeValidator(_parse_day)]
"""A day; every mistake in writing one has the same message."""


class Value(BaseModel):
    """A value of the API: no more, and no less, than its schema says."""

    model_config = ConfigDict(extra="forbid", frozen=True, from_attributes=True)

    @classmethod
    def make(cls, source: object, /, **more: object) -> Self:
        """Return what `source` has under the names of the fields, with `more` before it."""
        rest = cls.model_fields.keys() - more
        return cls.model_validate({name: getattr(source, name) for name in rest} | more)


class PlacedWords(Value):
    """Words of a document with their place, a half-open range of its text in code points."""

    text: str
    start: int = Field(examples=[120])
    end: int = Field(examples=[340])

    @classmethod
    def from_span(cls, text: str, span: Span) -> PlacedWords:
        return cls(text=text, start=span.start, end=span.end)


class CitedWords(PlacedWords):
    """Words with their document, and how a lawyer cites their place."""

    document: str
    where: str
