"""Every route of the API, asked what its schema allows and what it does not, by schemathesis.

Nothing may answer 5xx, or otherwise than the schema says. `SCHEMA_EXAMPLES` says how
many requests each route gets.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from fourcorners.server.api import requests as guarding
from tests.server.conftest import LEASE, SUPPLY, Room

schemathesis = pytest.importorskip("schemathesis")
_EXAMPLES = int(os.environ.get("SCHEMA_EXAMPLES", "6"))
_DESCRIPTION = "/api/v1/openapi.json"
_LAST = {"DELETE"}  # what they take away others are to find
_PATIENCE = 90.0


@pytest.fixture
def furnished(make_room: Callable[..., Room], monkeypatch: pytest.MonkeyPatch) -> Room:
    """A server with contracts, a review and an answer, that lets one caller ask without end."""
    monkeypatch.setattr(guarding, "REQUESTS_PER_MINUTE", 10**9)
    room = make_room()
    room.put({"lease.txt": LEASE, "supply.txt": SUPPLY})
    return room


def known(room: Room) -> dict[str, list[str]]:
    """Return names of what there is, by the parameters that may bear them."""
    api = room.client
    asked = {"question": "On what notice may the Tenant end it?", "collection": "Mill"}
    tasks = [
        api.post("/api/v1/answers", json=asked).json()["id"],
        api.post("/api/v1/reviews", json={"collection": "Mill"}).json()["id"],
    ]
    until = time.monotonic() + _PATIENCE
    for task in tasks:
        while not (told := api.get(f"/api/v1/tasks/{task}").json())["finished"]:
            assert time.monotonic() < until, told
            time.sleep(0.05)
    answers = [each["id"] for each in api.get("/api/v1/answers").json()["items"]]
    assert answers
    return {
        "document": [room.document("lease"), room.document("supply")],
        "task": tasks,
        "answer": answers,
        "collection": ["Mill"],
        "playbook": ["due-diligence"],
        "provision": ["assignment"],
    }


def routes() -> list[str]:
    """Return the routes by the names that schemathesis gives them, without a library."""
    from fastapi import FastAPI

    from fourcorners.server import api

    app = FastAPI()
    api.install(app)
    return sorted(
        f"{method.upper()} {path}"
        for path, item in app.openapi()["paths"].items()
        for method in item
    )


@pytest.mark.filterwarnings("ignore")
def test_every_route_answers_as_its_schema_says(furnished: Room) -> None:
    names = known(furnished)
    schema = schemathesis.openapi.from_dict(furnished.client.get(_DESCRIPTION).json())
    schema.config.update(base_url="http://localhost")
    faults: list[str] = []
    seen = []
    operations = [found.ok() for found in schema.get_all_operations()]
    for operation in sorted(operations, key=lambda each: each.method.upper() in _LAST):
        seen.append(operation.label)
        try:
            _ask(furnished, operation, names)
        except Exception as error:  # noqa: BLE001 - all routes are asked, then all faults are told
            faults.append(f"{operation.label}: {type(error).__name__}: {error}"[:3000])
    assert sorted(seen) == routes()
    assert not faults, "\n\n".join(faults)


def _ask(room: Room, operation: Any, names: dict[str, list[str]]) -> None:
    modes = schemathesis.GenerationMode
    strategy = operation.as_strategy(generation_mode=modes.POSITIVE)
    strategy |= operation.as_strategy(generation_mode=modes.NEGATIVE)

    @given(case=strategy, real=st.booleans(), pick=st.integers(0, 7))
    @settings(
        max_examples=_EXAMPLES,
        deadline=None,
        derandomize=_EXAMPLES < 50,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    def ask(case: Any, real: bool, pick: int) -> None:
        if real:
            _name(case, names, pick)
        response = room.client.request(**_request(case))
        response.request.read()  # else a form that was refused unread cannot be looked at
        case.validate_response(response, checks=_checks())

    ask()


def _name(case: Any, names: dict[str, list[str]], pick: int) -> None:
    """Put names of what there is where the case may bear them."""
    body = case.body if isinstance(case.body, dict) else {}
    for held in (case.path_parameters or {}, case.query or {}, body):
        for key in names.keys() & held.keys():
            held[key] = names[key][pick % len(names[key])]


def _request(case: Any) -> dict[str, Any]:
    sent = case.as_transport_kwargs(base_url="http://localhost")
    if isinstance(sent.get("files"), list):  # what is no file is sent as one with its words
        sent["files"] = [(name, _as_file(value)) for name, value in sent["files"]]
    return {key: value for key, value in sent.items() if value is not None and key != "timeout"}


def _as_file(value: Any) -> Any:
    if isinstance(value, tuple):  # a name, the content, and its type if that is named
        return (value[0], _as_file(value[1]), *value[2:])
    return value if isinstance(value, bytes | str) else repr(value).encode()


def _checks() -> list[Any]:
    from schemathesis import checks
    from schemathesis.specs.openapi.checks import (
        content_type_conformance,
        response_schema_conformance,
        status_code_conformance,
    )

    return [
        checks.not_a_server_error,
        content_type_conformance,
        response_schema_conformance,
        status_code_conformance,
    ]
