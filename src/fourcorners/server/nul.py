"""Refuses the NUL character: no word has it, PostgreSQL does not store it, and no path holds it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from fastapi import Request
from fastapi.exceptions import RequestValidationError
from fastapi.params import Form
from fastapi.routing import APIRoute
from starlette.datastructures import FormData, UploadFile

_NUL = "\0"
NUL_FAULT = "it contains a NUL character (U+0000)"


async def refuse_nul(request: Request) -> None:
    """Refuse a NUL in the path, the query or the body; every route depends on it.

    Raises:
        RequestValidationError: If there is one.
    """
    _check("path", request.path_params.items())
    _check("query", request.query_params.multi_items())
    route = request.scope["route"]
    field = route.body_field if isinstance(route, APIRoute) else None
    if field is not None and isinstance(field.field_info, Form):  # FastAPI has read it
        _check("body", (await request.form()).multi_items())
    elif field is not None and _is_json(request) and await request.body():
        _check("body", [("", await request.json())])


async def read_form(request: Request, **limits: int) -> FormData:
    """Return the form of a route that declares none, with limits of Starlette's `Request.form`.

    Raises:
        RequestValidationError: If it has a NUL.
    """
    form = await request.form(**limits)
    try:
        _check("body", form.multi_items())
    except RequestValidationError:
        await form.close()
        raise
    return form


def _is_json(request: Request) -> bool:
    kind = request.headers.get("content-type", "").partition(";")[0]
    return kind.strip().casefold().endswith("json")


def has_nul(value: object) -> bool:
    """Tell whether there is a NUL in a text, or anywhere in a value of JSON."""
    return next(_places(value, ()), None) is not None


def _check(where: str, items: Iterable[tuple[str, object]]) -> None:
    faults: list[dict[str, Any]] = [
        {"type": "nul_character", "loc": (where, *place), "msg": NUL_FAULT, "input": ""}
        for name, value in items
        for place in _places(value, (name,) if name else ())
    ]
    if faults:
        raise RequestValidationError(faults)


def _places(value: object, place: tuple[str | int, ...]) -> Iterator[tuple[str | int, ...]]:
    waiting = [(value, place)]
    while waiting:  # a body may be nested more deeply than functions may call each other
        value, place = waiting.pop()
        if isinstance(value, UploadFile):
            value = value.filename or ""
        if _NUL in str(place[-1:]) or (isinstance(value, str) and _NUL in value):
            yield tuple(str(part).replace(_NUL, "") for part in place)
        elif isinstance(value, dict):
            waiting += [(each, (*place, key)) for key, each in value.items()]
        elif isinstance(value, list):
            waiting += [(each, (*place, at)) for at, each in enumerate(value)]
