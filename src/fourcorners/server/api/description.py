"""The description of the API, OpenAPI 3.1, as a generator of clients likes it.

FastAPI describes parameters, bodies and answers. Here schemas get the names of the trade (`Finding`
for `FindingValue`, `DocumentPage` for `Paged[DocumentValue]`), and what holds for all routes is
said once: how to sign in, and the headers of responses.
"""

from __future__ import annotations

import json
import re
from typing import Any

from fastapi import FastAPI

_NAME = re.compile(r"#/components/schemas/(\w+)")
_PAGED = re.compile(r"Paged_(\w+?)(?:Value)?_")
_TAGS = {
    "Collections": "The named parts of the library: a deal, a client, a clause bank.",
    "Documents": "Contracts, their words, and the files they came in.",
    "Health": "The check of a collection's papers before a review.",
    "Search": "Passages for words, a query or a question; clauses to draft from.",
    "Playbooks": "Lists of provisions to look for.",
    "Reviews": "A collection by a playbook: started, listed, sent as a file.",
    "Findings": "The cells of a review, and what people say of them.",
    "Columns": "Questions of your own to every contract of a review.",
    "Mark-ups": "Proposed changes of a contract, and the file with them.",
    "Answers": "Questions to contracts, and the reports that answer them.",
    "Tasks": "Long work, and how far it is.",
    "Webhooks": "Addresses that are notified when a task has ended.",
    "Users": "Accounts, roles and tokens.",
    "Audit": "What was done, by whom.",
}
_SIGN_IN = {
    "token": {
        "type": "http",
        "scheme": "bearer",
        "description": "An API token: from the account page, `fourcorners users token`, or "
        "`POST /api/v1/tokens`.",
    },
    "session": {
        "type": "apiKey",
        "in": "cookie",
        "name": "__Host-fourcorners",
        "description": "The session of a browser; writes also need the header `X-CSRF-Token`.",
    },
}
_PROBLEM = {"$ref": "#/components/schemas/Problem"}
_HEADERS = {
    "RateLimit-Policy": ("How many requests there may be, and in how many seconds.", "string"),
    "RateLimit": ("How many are left, and in how many seconds all are there again.", "string"),
    "Location": ("Where what was made, or the task that was begun, is found.", "string"),
    "ETag": ("Send it as `If-None-Match`: where nothing has changed the answer is 304.", "string"),
    "Retry-After": ("Seconds to wait.", "integer"),
}


def describe_api(app: FastAPI) -> dict[str, Any]:
    """Return the description; it asks for a sign-in where the server is a team's."""
    whole: dict[str, Any] = _rename_schemas(app.openapi())
    whole["info"]["description"] = (
        "Contracts, what is found in them, and what people say of it. Times are in UTC; spans are "
        "half-open ranges of code points of a document's text. A request that does not hold its "
        "schema is answered 422, with what is wrong by field; one that holds it, and cannot be "
        "done, is answered otherwise."
    )
    whole["tags"] = [{"name": name, "description": text} for name, text in _TAGS.items()]
    components = whole["components"]
    components["headers"] = {
        name: {"description": text, "schema": {"type": kind}}
        for name, (text, kind) in _HEADERS.items()
    }
    state = getattr(app.state, "server", None)
    components["securitySchemes"] = _SIGN_IN
    if state is not None and state.team:
        whole["security"] = [{name: []} for name in _SIGN_IN]
    for item in whole["paths"].values():
        for method, operation in item.items():
            for status, answer in operation["responses"].items():
                if status.startswith("4"):
                    answer["content"] = {"application/problem+json": {"schema": _PROBLEM}}
                _add_headers(method, status, answer)
    return whole


def _rename_schemas(schema: dict[str, Any]) -> dict[str, Any]:
    """Return a description whose schemas are named as clients are to call them."""
    names = {name: _client_name(name) for name in schema["components"]["schemas"]}
    if len(set(names.values())) < len(names):
        raise ValueError("two schemas have one name")
    text = json.dumps(schema)
    whole: dict[str, Any] = json.loads(
        _NAME.sub(lambda found: f"#/components/schemas/{names[found[1]]}", text)
    )
    schemas = whole["components"]["schemas"]
    whole["components"]["schemas"] = {
        names[name]: {**value, "title": names[name]} for name, value in sorted(schemas.items())
    }
    return whole


def _client_name(name: str) -> str:
    paged = _PAGED.fullmatch(name)
    return f"{paged[1]}Page" if paged else name.removesuffix("Value")


def _add_headers(method: str, status: str, answer: dict[str, Any]) -> None:
    bears = []
    if status[0] in "24" and status != "401":
        bears += ["RateLimit-Policy", "RateLimit"]
    if status in ("201", "202"):
        bears.append("Location")
    if method == "get" and status == "200" and "application/json" in answer.get("content", {}):
        bears.append("ETag")
    if status in ("429", "503"):
        bears.append("Retry-After")
    if bears:
        answer["headers"] = {
            name: {"$ref": f"#/components/headers/{name}"} for name in sorted(bears)
        }
