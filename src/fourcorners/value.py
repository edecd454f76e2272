"""`Value`: the base of requests and results of operations, the same for every interface."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, Strict, ValidationError
from pydantic_core import PydanticCustomError

from fourcorners.errors import ConfigError, describe_problem
from fourcorners.text.span import Span

_FAULTS = 5  # of one request that are named


def _parse_day(given: object) -> object:
    """Return a day that is written as ISO 8601 has it; what else is given stays as it is."""
    if not isinstance(given, str):
        return given
    try:
        return date.fromisoformat(given)
    except ValueError as error:
        raise PydanticCustomError("day", "Give a day as YYYY-MM-DD") from error


def _require_number(given: object) -> object:
    if isinstance(given, str | bool):
        raise PydanticCustomError("int_type", "a whole number")
    return given


def as_list(given: object) -> object:
    """Return one name that is given alone as a list; what else is given stays as it is."""
    return [given] if isinstance(given, str) else given


Day = Annotated[date, BeforeValidator(_parse_day)]
"""A day; every mistake in writing one has the same message."""
Flag = Annotated[bool, Strict()]
"""True or false in JSON; words and numbers are refused."""
NoWord = BeforeValidator(_require_number)
"""For whole numbers in JSON, which may be written as 3.0: words are refused."""


class Value(BaseModel):
    """A value of the API: no more, and no less, than its schema says."""

    model_config = ConfigDict(extra="forbid", frozen=True, from_attributes=True)

    @classmethod
    def from_fields(cls, **given: object) -> Self:
        """Return a value of what a person gave.

        Raises:
            ConfigError: If it does not hold the schema.
        """
        try:
            return cls.model_validate(given)
        except ValidationError as error:
            raise ConfigError(f"{describe_faults(error)}.") from error

    @classmethod
    def make(cls, source: object, /, **more: object) -> Self:
        """Return what `source` has under the names of the fields, with `more` before it.

        A request need not have what has a default: that is for `more` to give. Of any other source,
        a field that is missing is a mistake.
        """
        rest = cls.model_fields.keys() - more
        if isinstance(source, Value):
            fields = cls.model_fields
            rest = {each for each in rest if fields[each].is_required() or hasattr(source, each)}
        return cls.model_validate({name: getattr(source, name) for name in rest} | more)


def describe_faults(error: ValidationError) -> str:
    """Return what is wrong with the first fields of a request, in one line."""
    return "; ".join(map(describe_problem, error.errors()[:_FAULTS]))


class PlacedWords(Value):
    """Words of a document with their place, a half-open range of its text in code points."""

    text: str
    start: int = Field(examples=[120])
    end: int = Field(examples=[340])

    @classmethod
    def from_span(cls, text: str, span: Span) -> PlacedWords:
        return cls(text=text, start=span.start, end=span.end)


ChangeAuthors = Annotated[
    tuple[str, ...],
    Field(description="The authors whose tracked changes, accepted by nobody, words depend on."),
]


class CitedWords(PlacedWords):
    """Words with their document, and how a lawyer cites their place."""

    document: str
    where: str
    proposed: ChangeAuthors = ()
