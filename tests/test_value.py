"""A result is made of a request with what was found; a source of another kind has every field."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from fourcorners.value import Value


class _Asked(Value):
    collection: str


class _Done(Value):
    collection: str
    findings: int
    left: int = 0


@dataclass(frozen=True)
class _Found:
    collection: str
    findings: int


def test_a_request_lacks_what_has_a_default() -> None:
    made = _Done.make(_Asked(collection="Mill"), findings=3)
    assert made == _Done(collection="Mill", findings=3, left=0)
    with pytest.raises(AttributeError, match="findings"):
        _Done.make(_Asked(collection="Mill"))


def test_a_field_that_another_source_lacks_is_a_mistake() -> None:
    with pytest.raises(AttributeError, match="left"):
        _Done.make(_Found("Mill", 3))
