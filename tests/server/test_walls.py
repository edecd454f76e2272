"""What is out of reach answers as what does not exist, wherever a name of it can be sent.

Every route of the API and of the pages, and every tool of MCP, is taken from its own description.
Each of its fields is sent what names something behind the wall, and what names nothing: the two
answers are the same, byte for byte, but for the name itself.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np
import pytest
from fastapi import FastAPI, Request
from fastapi.testclient import TestClient
from numpy.typing import NDArray

from fourcorners.operations.answers import AnswerOrigin, save_answer
from fourcorners.operations.local_models import LocalModels
from fourcorners.operations.principal import Principal, Role
from fourcorners.playbooks.load import load_playbook
from fourcorners.research.answer import Answer, PreliminaryAnswer, Provenance, Source, Verdict
from fourcorners.server import api
from fourcorners.server.api import requests as guarding
from fourcorners.server.auth.accounts import ALL_COLLECTIONS, Accounts
from fourcorners.server.context import RequestContext
from fourcorners.server.pages import FOR_TEAMS, PAGES
from fourcorners.server.rate_limit import RateStatus
from fourcorners.server.tasks.handlers import ask
from fourcorners.server.word import pane
from fourcorners.settings import WordSettings
from tests.models.fake import HashEncoder
from tests.server.conftest import LEASE, SUPPLY, Room
from tests.server.grids import absent, fill

PASSWORD = "a long enough password 1"  # noqa: S105 - of a test
BOOK = load_playbook("due-diligence")
FIRST = BOOK.provisions[0].id
HIDDEN_BOOK = "silo-01"
ROLES = ("outsider", "reader", "reviewer", "editor", "admin")
# Each role takes as long, and they differ by what they may write: one of them is sent all that is
# tried, another a quarter of it.
EACH = [
    ("reviewer", 1),
    ("outsider", 4),
    *(pytest.param(each, 1, marks=pytest.mark.slow) for each in ROLES if each != "reviewer"),
]
_NO_WALL = ("/sign-", "/account/", "/static/")  # what knows of no collection
_FORMS: Mapping[str, tuple[str, ...]] = {"/upload": ("collection", "files")}  # read by hand
_SAME = (
    *(("Brain", "Grain"), ("brain", "grain"), ("Oaks", "Oats"), ("oaks", "oats")),
    ("supplx", "supply"),
    ("silo-dd", "silo-01"),
)
_IDS = ("d", "document", "documents", "follows", "column", "cursor", "before")
_SHOWN = 20
_CHANGING = re.compile(
    r"\"id\":\d+|\b[0-9a-f]{25}\b|\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d[^\"<]*|asked-[0-9a-f]+"
)


@dataclass(frozen=True)
class Field:
    """A parameter of a request: where it stands (path, query, form or json) and its name."""

    where: str
    name: str


@dataclass(frozen=True)
class Operation:
    method: str
    path: str
    fields: tuple[Field, ...]

    def __str__(self) -> str:
        return f"{self.method} {self.path}"


@dataclass(frozen=True)
class Probe:
    """Words that name what is out of reach, and others of the same form that name nothing."""

    hidden: str
    invented: str


@dataclass
class Wall:
    """A team's server, what each name may be in a request, and what is sent in their place."""

    room: Room
    clients: dict[str, TestClient]
    tokens: dict[str, str]
    visible: dict[str, str]
    probes: dict[str, list[Probe]]


@pytest.fixture
def wall(make_room: Callable[..., Room], monkeypatch: pytest.MonkeyPatch) -> Wall:
    """Mill, in which each role is held by someone, and Grain, which none of them may know of."""
    monkeypatch.setattr(guarding, "REQUESTS_PER_MINUTE", 10**9)
    monkeypatch.setattr(ask, "_WAITING", 10**9)
    monkeypatch.setattr(LocalModels, "encoder", property(lambda _: EvenEncoder()))
    room = make_room(team=True, word=WordSettings(office_js=Path("none")))
    room.app.state.server.workers.stop()
    room.put({"lease.txt": LEASE}, "Mill")
    room.put({"supply.txt": SUPPLY, "shared.txt": LEASE}, "Grain")
    pool = room.app.state.server.connection_pool
    with pool.library() as library:
        accounts = Accounts(library)
        for name in (*ROLES, "owner"):
            accounts.add(name, PASSWORD, by="test")
        for role in Role:
            accounts.grant(role.title, role, "Mill", by="test")
        accounts.grant("outsider", Role.READER, "Elm", by="test")
        accounts.grant("owner", Role.ADMIN, ALL_COLLECTIONS, by="test")
        documents = {"Mill": library.resolve("lease").id, "Grain": library.resolve("supply").id}
        shared = library.resolve("shared").id
        cells = [absent(d, p.id) for d in (*documents.values(), shared) for p in BOOK.provisions]
        fill(library, BOOK, cells)
    monkeypatch.setattr(
        "fourcorners.server.app.RateLimiter.spend", lambda *_: RateStatus(9, 9, 9, 9)
    )
    clients, tokens = {}, {}
    for name in (*ROLES, "owner"):
        client = TestClient(room.app, base_url="https://firm.test", follow_redirects=False)
        assert client.post("/sign-in", data={"name": name, "password": PASSWORD}).status_code == 303
        found = re.search(r'name="csrf-token" content="(\w+)"', client.get("/").text)
        assert found
        clients[name], tokens[name] = client, found[1]
    owner, headers = clients["owner"], {"X-CSRF-Token": tokens["owner"]}
    text = f'id: {HIDDEN_BOOK}\nname: Silo\nversion: "1"\nextends: due-diligence\nprovisions: []\n'
    draft = {"text": text, "collection": "Grain"}
    assert owner.post("/api/v1/playbooks", json=draft, headers=headers).status_code == 201
    made: dict[str, dict[str, str]] = {"Mill": {}, "Grain": {}}
    for collection, names in made.items():
        body = {"collection": collection}
        names["task"] = owner.post("/api/v1/reviews", json=body, headers=headers).json()["id"]
        body["question"] = f"Who holds the {collection}?"
        column = owner.post("/api/v1/columns", json=body, headers=headers).json()["column"]
        names["column"] = column["id"]
        with pool.library() as library:
            origin = AnswerOrigin(collection, "owner")
            answer = _answer(collection, documents[collection])
            names["answer"] = save_answer(library, answer, names["task"], origin)
    visible = {
        "collection": "Mill",
        "c": "Mill",
        "document": documents["Mill"],
        "d": documents["Mill"],
        "playbook": BOOK.id,
        "p": BOOK.id,
        "provision": FIRST,
        "v": FIRST,
        "row": documents["Mill"],
        "q": "tenant",
        "question": "Who may end it?",
        "back": f"c=Mill&p={BOOK.id}",
        "from": "c:Mill",
        "form": "html",
        "as": "json",
        "format": "json",
        "page": "1",
        "bank": "house",
        "clause": "d" * 12,
        "user": "reader",
        "role": "reader",
        "token": "d" * 12,
        "session": "d" * 12,
        "webhook": "d" * 16,
        "url": "https://hooks.firm.test/",
        "number": "1",
        "view": "999",  # of nobody: another request would find that a view is gone
        "says": "second_look",
        "event": "read",
        "since": "2026-01-01",
        "until": "2126-01-01",
        "action": "retry",
        "tag": "signed",
        "tagging": "add",
        "wanted": "false",
        "text": "a lease",
        "state": "second_look",
        "to": "/",
        "which": "not_found",
        "start": "0",
        "end": "10",
        "change": "assignment-1",
        "identifier": made["Mill"]["task"],
        **made["Mill"],
        "identity": made["Mill"]["answer"],
        "find": "lease",
        "scope": "contracts",
        "count": "1",
    }
    hidden = {**made["Grain"], "document": documents["Grain"], "playbook": HIDDEN_BOOK}
    invented = {name: re.sub(r"[0-9a-f]", "d", value) for name, value in hidden.items()}
    invented["column"] = "asked-" + "d" * len(hidden["column"].removeprefix("asked-"))
    ids = [Probe(hidden[name], invented[name]) for name in hidden]
    collections = [Probe("Grain", "Brain"), Probe("grain", "brain")]
    words = [
        Probe('collection:"Grain" tenant', 'collection:"Brain" tenant'),
        Probe("type:supply tenant", "type:supplx tenant"),
        Probe('party:"Oats Limited" tenant', 'party:"Oaks Limited" tenant'),
        Probe("under the Supply of Grain, who pays", "under the Supply of Brain, who pays"),
        Probe("can Oats Limited end the lease", "can Oaks Limited end the lease"),
    ]
    places = [
        Probe(f"c=Mill&p={hidden['playbook']}", f"c=Mill&p={invented['playbook']}"),
        Probe(f"c=Grain&p={BOOK.id}", f"c=Brain&p={BOOK.id}"),
        Probe("c:Grain", "c:Brain"),
        Probe("0/supply.txt", "0/supplx.txt"),
    ]
    probes = {"id": ids, "collection": collections, "words": words, "place": places}
    return Wall(room, clients, tokens, visible, probes)


def _answer(collection: str, document: str) -> Answer:
    question = f"Who holds the {collection}?"
    return Answer(
        asked=question,
        question=question,
        made=Provenance("rules", "engine", "2026-01-01T00:00:00+00:00"),
        title=question,
        answer=PreliminaryAnswer(Verdict.UNSURE),
        sources=(Source(document, collection, ""),),
    )


@cache
def operations() -> tuple[Operation, ...]:
    """Return every route with its fields, as the description of the application has them."""
    app = FastAPI()
    for name in (*PAGES, *FOR_TEAMS):
        app.include_router(import_module(f"fourcorners.server.pages.{name}").router)
    app.include_router(pane.router)
    api.install(app)
    schema = app.openapi()
    found = []
    for path, item in schema["paths"].items():
        if path.startswith(_NO_WALL):
            continue
        for method, operation in item.items():
            fields = [
                Field(each["in"], each["name"])
                for each in operation.get("parameters", [])
                if each["in"] in ("path", "query")
            ]
            for media, content in operation.get("requestBody", {}).get("content", {}).items():
                shape = content["schema"]
                if "$ref" in shape:
                    shape = schema["components"]["schemas"][shape["$ref"].rsplit("/", 1)[1]]
                where = "json" if media == "application/json" else "form"
                fields += [Field(where, name) for name in shape["properties"]]
            fields += [Field("form", name) for name in _FORMS.get(path, ())]
            found.append(Operation(method.upper(), path, tuple(fields)))
    return tuple(found)


def send(wall: Wall, user: str, operation: Operation, field: Field | None, value: str) -> Any:
    """Send a request whose fields are of Mill, but for the one that has this value."""
    parts: dict[str, dict[str, Any]] = {"path": {}, "query": {}, "form": {}, "json": {}}
    for each in operation.fields:
        if each == field:
            parts[each.where][each.name] = value
        elif (known := _known(wall, operation, each)) is not None:
            parts[each.where][each.name] = known
    path = operation.path.format(**{k: quote(v, safe="") for k, v in parts["path"].items()})
    headers = {"X-CSRF-Token": wall.tokens[user]}
    files = None
    if "files" in {each.name for each in operation.fields}:
        files = [("files", ("a.txt", b"A lease of a mill."))]
        parts["form"].pop("files", None)
    body: dict[str, Any] = {"json": parts["json"]} if parts["json"] else {"data": parts["form"]}
    if operation.method in ("GET", "DELETE"):
        body = {}
    return wall.clients[user].request(
        operation.method, path, params=parts["query"], headers=headers, files=files, **body
    )


def _known(wall: Wall, operation: Operation, field: Field) -> str | None:
    if field.name == "name":
        return "Mill" if operation.path.startswith("/c/") else BOOK.id
    if field.name == "column" and field.where == "query":
        return None
    if field.name in ("answer", "task", "text", "state", "find", "start", "end", "to"):
        own = field.where == "path" or field.name == "text" or "span" in operation.path
        return wall.visible[field.name] if own else None
    return wall.visible.get(field.name)


def probes_for(wall: Wall, field: Field) -> Iterator[Probe]:
    """Yield what is sent in a field: all kinds in text, ids where ids are meant."""
    kinds = wall.probes
    if field.name == "short":  # a label: nothing is looked up by it
        return
    yield from kinds["collection"][:1]
    if field.name in ("q", "question", "find", "context", "instructions", "value"):
        yield from kinds["words"]
        yield from kinds["id"][:1]
    elif field.name in ("back", "from", "source", "row", "to"):
        yield from (*kinds["place"], *kinds["id"])
    elif field.where == "path" or field.name in _IDS:
        yield from kinds["id"]
    elif field.name in ("playbook", "p"):
        yield from (each for each in kinds["id"] if each.hidden == HIDDEN_BOOK)
    else:
        yield from (kinds["collection"][1], kinds["place"][2])


def plain(answer: Any, probe: Probe) -> tuple[int, str, dict[str, str]]:
    """Return an answer with its echoes of either name made one, and without what changes."""
    left_out = {"x-request-id", "content-length", "date", "set-cookie", "etag"}
    headers = {k: _without_echoes(v, probe) for k, v in answer.headers.items() if k not in left_out}
    return answer.status_code, _without_echoes(answer.text, probe), headers


def _without_echoes(text: str, probe: Probe) -> str:
    begins = (probe.invented[:_SHOWN], probe.hidden[:_SHOWN])  # of what a message shortens
    for invented, hidden in ((probe.invented, probe.hidden), begins, *_SAME):
        text = text.replace(invented, hidden)
    return _CHANGING.sub("…", text)


class EvenEncoder(HashEncoder):
    """An encoder to which the names of what is out of reach and of nothing mean the same."""

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        even = (_without_echoes(text, Probe("…", "…")) for text in texts)
        return super().encode([re.sub(r"[0-9a-f]{12,}", "", text) for text in even])


@pytest.mark.parametrize(("user", "step"), EACH)
def test_what_is_out_of_reach_answers_as_what_does_not_exist(
    wall: Wall, user: str, step: int
) -> None:
    count, differences = 0, []
    for operation in operations():
        for field in operation.fields:
            for probe in probes_for(wall, field):
                count += 1
                if count % step:
                    continue
                answers = [
                    send(wall, user, operation, field, name)
                    for name in (probe.hidden, probe.invented)
                ]
                hidden, invented = (plain(each, probe) for each in answers)
                if hidden != invented or hidden[0] >= 500:
                    differences.append((str(operation), field, probe, hidden[0], invented[0]))
                if operation.path.endswith("/parties"):
                    _read_parties_again(wall)  # else a later name is one that was given
    assert not differences, "\n".join(map(str, differences))
    assert count > 500


def _read_parties_again(wall: Wall) -> None:
    with wall.room.app.state.server.connection_pool.library() as library:
        for entry in library.documents("Mill"):
            library.set_parties(entry.id, ())


@pytest.mark.parametrize("user", ROLES)
def test_no_route_tells_of_what_is_out_of_reach(wall: Wall, user: str) -> None:
    secrets = (
        "Oats",
        "Grain",
        "Silo",
        "supply.txt",
        "shared.txt",
        *(p.hidden for p in wall.probes["id"]),
    )
    for operation in operations():
        if operation.method == "GET":
            answer = send(wall, user, operation, None, "")
            told = [secret for secret in secrets if secret in answer.text]
            assert told == [], str(operation)


def test_the_description_of_the_api_is_covered(wall: Wall) -> None:
    described = wall.clients["owner"].get("/api/v1/openapi.json").json()["paths"]
    routes = {(path, method.upper()) for path, item in described.items() for method in item}
    assert routes <= {(each.path, each.method) for each in operations()}


def test_tools_of_mcp_have_the_same_walls(wall: Wall) -> None:
    protocol = pytest.importorskip("fourcorners.server.mcp.protocol")
    from fourcorners.source_settings import McpSettings

    state = wall.room.app
    request = Request({"type": "http", "app": state, "headers": [], "method": "POST", "path": "/"})
    person = Principal("reviewer", roles={"mill": Role.REVIEWER})
    context = RequestContext(request, person)
    server = protocol.McpServer(lambda _: context, McpSettings(write=True))
    for tool in protocol.TOOLS:
        names = tool.types[0].model_json_schema().get("properties", {})
        known = ("collection", "document", "question", "task")
        base: dict[str, Any] = {name: wall.visible[name] for name in names if name in known}
        base |= {n: "tenant" for n in names if n in ("query", "term", "words", "like")}
        if tool.name == "finding":
            base["provision"] = FIRST
        for name in names:
            for probe in probes_for(wall, Field("path", name)):
                results = []
                for value in (probe.hidden, probe.invented):
                    asked = {**base, name: [value] if name == "documents" else value}
                    told = server._name_called_tool(context, tool, asked, lambda *_: None)
                    text = json.dumps(told.model_dump(mode="json"))
                    text = re.sub(r"\b[0-9a-f]{12}\b", "…", text)  # the id of an answer
                    results.append(_without_echoes(text, probe))
                assert results[0] == results[1], (tool.name, name, probe)


def test_one_file_in_two_collections_is_two_matters(wall: Wall) -> None:
    """Ada and Bram bid for the same mill; the same lease lies in both rooms. Cleo sees neither."""
    library_of = wall.room.app.state.server.connection_pool.library
    with library_of() as library:
        accounts = Accounts(library)
        for name, collection in (("ada.turner", "Mill"), ("bram", "Wharf"), ("cleo", "Elm")):
            accounts.add(name, PASSWORD, by="test")
            accounts.grant(name, Role.EDITOR, collection, by="test")
    people = {name: Person(wall.room.app, name) for name in ("ada.turner", "bram", "cleo")}
    wall.room.put({"lease.txt": LEASE}, "Elm")  # Cleo's own, of the same bytes
    wall.room.put({"the landlord's draft.txt": LEASE}, "Wharf")
    ada, bram, cleo = people.values()
    (lease,), (draft,) = ada.documents("Mill"), bram.documents("Wharf")
    assert lease["id"] != draft["id"]
    assert (lease["name"], draft["name"]) == ("lease.txt", "the landlord's draft.txt")
    with library_of() as library:
        fill(library, BOOK, [absent(draft["id"], FIRST)])

    said = {"document": lease["id"], "provision": FIRST, "state": "corrected", "value": "Our mill"}
    assert ada.post("/api/v1/findings/mark", {**said, "comment": "Do not tell."}).status_code == 200
    (mine,) = [each for each in ada.findings("Mill") if each["provision"] == FIRST]
    (theirs,) = bram.findings("Wharf")
    assert (mine["review"], mine["value"]) == ("corrected", "Our mill")
    assert (theirs["review"], theirs["value"]) == ("proposed", "")
    for person, others in ((bram, lease), (cleo, lease), (cleo, draft), (ada, draft)):
        assert person.get(f"/api/v1/documents/{others['id']}").status_code == 404
        mark = {**said, "document": others["id"]}
        assert person.post("/api/v1/findings/mark", mark).status_code == 404
    for path in ("/", "/c/Wharf", f"/d/{draft['id']}", "/reviews?c=Wharf", "/activity"):
        page = bram.get(path).text
        for secret in (
            "lease.txt",
            "Do not tell",
            "Our mill",
            "ada.turner",
            "/c/Mill",
            lease["id"],
        ):
            assert secret not in page, (path, secret)

    assert ada.delete(f"/api/v1/documents/{lease['id']}").status_code == 204
    assert bram.documents("Wharf") == [draft]
    assert bram.findings("Wharf") == [theirs]


class Person:
    """Someone who has signed in, with the requests that they send."""

    def __init__(self, app: FastAPI, name: str) -> None:
        self._client = TestClient(app, base_url="https://firm.test", follow_redirects=False)
        signed_in = self._client.post("/sign-in", data={"name": name, "password": PASSWORD})
        assert signed_in.status_code == 303
        found = re.search(r'name="csrf-token" content="(\w+)"', self._client.get("/").text)
        assert found
        self._headers = {"X-CSRF-Token": found[1]}

    def get(self, path: str) -> Any:
        return self._client.get(path)

    def post(self, path: str, body: Mapping[str, str]) -> Any:
        return self._client.post(path, json=dict(body), headers=self._headers)

    def delete(self, path: str) -> Any:
        return self._client.delete(path, headers=self._headers)

    def documents(self, collection: str) -> list[dict[str, Any]]:
        found = self.get(f"/api/v1/documents?collection={collection}").json()["items"]
        return list(found)

    def findings(self, collection: str) -> list[dict[str, Any]]:
        found = self.get(f"/api/v1/findings?collection={collection}").json()["items"]
        return list(found)
