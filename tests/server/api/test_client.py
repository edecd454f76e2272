"""A client that openapi-python-client generates from the description does the whole job."""

from __future__ import annotations

import importlib
import io
import json
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable, Iterator
from http import HTTPStatus
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from fourcorners.operations.principal import Role, Scope
from fourcorners.server.auth.accounts import ALL_COLLECTIONS, Accounts
from fourcorners.server.auth.api_tokens import ApiTokens
from fourcorners.source_settings import WebhookSettings
from tests.server.conftest import LEASE, Room

pytest.importorskip("openapi_python_client")
CONFIG = Path(__file__).parents[3] / "scripts" / "client.yaml"
PASSWORD = "a short sentence is good"  # noqa: S105 - of a test
HOUSE = """id: house
name: House style
version: "1"
provisions:
  - id: ending
    name: Ending
    definition: The right of a party to end the contract on notice.
    query: '"end this lease"'
    threshold: 0.01
"""


class Api:
    """A generated package, and one of its clients: its functions by subject and operation."""

    def __init__(self, room: Room, token: str, package: str) -> None:
        self._package = package
        made = importlib.import_module(package)
        self._client = made.AuthenticatedClient(base_url="https://firm.test", token=token)
        speaker = TestClient(room.app, base_url="https://firm.test", follow_redirects=False)
        speaker.headers["Authorization"] = f"Bearer {token}"
        self._client.set_httpx_client(speaker)

    def model(self, name: str) -> Any:
        return getattr(importlib.import_module(f"{self._package}.models"), name)

    def ask(self, subject: str, operation: str, *path: str, **given: Any) -> Any:
        """Call an operation; return its answer, or the problem that it is refused with."""
        module = importlib.import_module(f"{self._package}.api.{subject}.{operation}")
        answer = module.sync_detailed(*path, client=self._client, **given)
        self.status, self.headers = answer.status_code, answer.headers
        return answer.parsed

    def settle(self, task: Any) -> Any:
        until = time.monotonic() + 120
        while task.finished is None:
            assert time.monotonic() < until
            time.sleep(0.05)
            task = self.ask("tasks", "get_task", task.id)
        assert task.state == "done", task
        return task


@pytest.fixture
def package(tmp_path: Path, room: Room, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Generate a client of what the server describes; nothing of the description is passed over."""
    described = tmp_path / "openapi.json"
    described.write_text(json.dumps(room.client.get("/api/v1/openapi.json").json()))
    made = subprocess.run(
        [
            *(sys.executable, "-m", "openapi_python_client", "generate", "--meta", "none"),
            *("--path", str(described), "--config", str(CONFIG), "--fail-on-warning"),
            *("--output-path", str(tmp_path / "fourcorners_client")),
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    assert made.returncode == 0, made.stdout + made.stderr
    monkeypatch.syspath_prepend(str(tmp_path))
    yield "fourcorners_client"
    for name in [each for each in sys.modules if each.startswith("fourcorners_client")]:
        del sys.modules[name]


@pytest.fixture
def team(make_room: Callable[..., Room]) -> tuple[Room, str]:
    """A team's server, and the token of Ada, who administers it."""
    hooks = WebhookSettings(hosts=("hooks.firm.test",))
    room = make_room("team.db", team=True, webhooks=hooks)
    with room.app.state.server.connection_pool.library() as library:
        accounts = Accounts(library)
        accounts.add("ada", PASSWORD, by="test")
        accounts.grant("ada", Role.ADMIN, ALL_COLLECTIONS, by="test")
        token = ApiTokens(library).add("ada", [Scope.ADMIN], "test", 1, by="test")
    return room, token


def test_a_generated_client_does_the_whole_job(package: str, team: tuple[Room, str]) -> None:
    api = Api(*team, package)
    made = importlib.import_module(f"{package}.types")

    # Add contracts
    body = api.model("UploadDocumentsBody")(
        collection="Mill",
        files=[made.File(payload=io.BytesIO(LEASE.encode()), file_name="lease.txt")],
    )
    task = api.ask("documents", "upload_documents", body=body)
    assert api.status == HTTPStatus.ACCEPTED
    assert api.headers["location"] == f"/api/v1/tasks/{task.id}"
    assert api.settle(task).result.additional_properties["added"] == 1
    (document,) = api.ask("documents", "list_documents", collection="Mill").items
    assert document.added.year >= 2026
    assert api.ask("documents", "get_original", document.id).payload.read() == LEASE.encode()
    assert api.ask("documents", "get_text", document.id).text == LEASE
    hits = api.ask("search", "search", q='"six months"', document=[document.id])
    assert "six months" in hits.items[0].words

    # Write a playbook, and review by it
    draft, text = api.model("PlaybookDraft"), api.model("PlaybookText")
    broken = api.ask(
        "playbooks", "check_playbook", body=text(text=HOUSE.replace("name: E", "nme: E"))
    )
    assert api.status == HTTPStatus.BAD_REQUEST
    assert {(each.field, each.line) for each in broken.errors} >= {
        ("text.provisions.ending.nme", 6)
    }
    tried = api.model("TrialRequest")(document=document.id, text=HOUSE)
    (cell,) = api.ask("playbooks", "try_playbook", "due-diligence", body=tried)
    assert cell.state == "found"
    assert api.ask("playbooks", "save_playbook", body=draft(text=HOUSE)).id == "house"
    assert api.ask("playbooks", "get_playbook_file", "house") == HOUSE
    again = api.ask("playbooks", "save_playbook", body=draft(text=HOUSE))
    assert (api.status, again.code) == (HTTPStatus.CONFLICT, "conflict")
    (version,) = api.ask("playbooks", "list_playbook_versions", "house")
    assert version.by == "ada"
    asked = api.model("ReviewRequest")(collection="Mill", playbook="house")
    api.settle(api.ask("reviews", "start_review", body=asked))
    (review,) = api.ask("reviews", "list_reviews")
    assert (review.collection, review.playbook, review.filled) == ("Mill", "house", 1)

    # Check the findings
    place = {"playbook": "house"}
    (finding,) = api.ask("findings", "list_findings", collection="Mill", **place).items
    assert finding.state == "found"
    cell = {"document": document.id, "provision": "ending", **place}
    mark = api.model("AnnotationRequest")
    state = api.model("ReviewState")("confirmed")
    api.ask("users", "add_user", body=api.model("NewUser")(name="bram", password=PASSWORD))
    assert api.headers["location"] == "/api/v1/users/bram"
    role = api.model("MemberChange")(role=api.model("MemberChangeRole")("reviewer"))
    api.ask("collections", "set_member", "Mill", "bram", body=role)
    api.ask("findings", "mark_finding", body=mark(**cell, state=state, comment="As agreed."))
    api.ask("findings", "mark_finding", body=mark(**cell, assignee="bram", comment="Please look."))
    said = api.ask("findings", "list_annotations", document.id, "ending", **place)
    assert [each.comment for each in said] == ["As agreed.", "@bram: Please look."]
    one = api.ask("findings", "get_finding", document.id, "ending", **place)
    assert one.review == "confirmed"
    unknown = api.ask("findings", "list_findings", collection="Mill", provision="endng", **place)
    assert (api.status, unknown.code) == (HTTPStatus.NOT_FOUND, "not_found")
    wrong = mark(**{**cell, "provision": "endng"}, state=state)
    assert api.ask("findings", "mark_finding", body=wrong).detail == unknown.detail
    assert "ending" in unknown.remedy
    report = api.ask("reviews", "export_review", collection="Mill", **place)
    assert "xl/workbook.xml" in zipfile.ZipFile(report.payload).namelist()

    # Ask
    question = api.model("AskRequest")(
        question="How much notice must the Tenant give to end this lease?", collection="Mill"
    )
    asked = api.settle(api.ask("answers", "ask_question", body=question))
    identity = asked.result.additional_properties["answer"]
    answer = api.ask("answers", "get_answer", identity)
    assert answer.question.startswith("How much notice")
    assert all(quote.words in LEASE for each in answer.answer for quote in each.quotes)
    word = api.ask("answers", "export_answer", identity)
    assert "word/document.xml" in zipfile.ZipFile(word.payload).namelist()

    # What falls due, what parties must do, how it is drafted; the report as a task
    subject = "dates_and_obligations"
    dates = api.ask(subject, "get_dates", collection="Mill", within=3650)
    assert [each.day.isoformat() for each in dates.dates] == ["2029-05-01"]
    found = api.ask(subject, "get_obligations", collection="Mill", read_for="Tenant")
    assert any("assign this lease" in each.statement for each in found.obligations)
    document = dates.dates[0].document
    assert api.ask("documents", "lint_document", document).document == document
    report = api.model("ExportRequest")(collection="Mill", playbook="house", documents=[document])
    task = api.settle(api.ask("reviews", "start_export", body=report))
    file = api.ask("tasks", "get_task_file", task.id)
    assert "xl/workbook.xml" in zipfile.ZipFile(file.payload).namelist()

    # Administer
    (member,) = api.ask("collections", "list_members", "Mill")
    assert (member.user, member.role) == ("bram", "reviewer")
    hook = api.model("WebhookRequest")(url="https://hooks.firm.test/x", collection="Mill")
    assert api.ask("webhooks", "add_webhook", body=hook).secret.startswith("whsec_")
    change = api.model("CollectionChange")(name="Mill (closed)")
    assert api.ask("collections", "update_collection", "Mill", body=change).name == "Mill (closed)"
    (document,) = api.ask("documents", "list_documents", collection="Mill (closed)").items
    assert api.ask("documents", "get_text", document.id).text == LEASE
    events = [each.event for each in api.ask("audit", "list_audit_entries", limit=1000).items]
    assert {"add", "remark", "export", "collection renamed", "webhook added"} <= set(events)
    assert api.ask("audit", "verify_audit_trail").faults == []
    api.ask("collections", "delete_collection", "Mill (closed)")
    assert api.status == HTTPStatus.NO_CONTENT
    assert api.ask("collections", "list_collections") == []
    gone = api.ask("documents", "get_document", document.id)
    assert (gone.status, gone.code) == (404, "not_found")
