"""A conversation with a model behind it: what "them" meant is kept."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from fourcorners.cli.main import app
from tests.cli.contracts.test_ask import LEASE
from tests.serving import Asked, Reply, Served, served

pytestmark = pytest.mark.allow_hosts(["127.0.0.1"])
FIRST = "Whose consent is needed for an assignment?"
THEN = "And may they be asked by e-mail?"
NAMED = "May the Landlord be asked for consent by e-mail?"


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Served]:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "lease.txt").write_text(LEASE, "utf-8")
    added = CliRunner().invoke(app, ["add", "lease.txt", "-l", "firm.db", "--jobs", "1"])
    assert added.exit_code == 0, added.output
    with served() as running:
        running.answer = answer_as_model
        for name, value in (("MODEL", "stub"), ("URL", running.url), ("ATTEMPTS", "1")):
            monkeypatch.setenv(f"FOURCORNERS_LLM_{name}", value)
        yield running


def answer_as_model(asked: Asked) -> Reply:
    """Play a model that names the Landlord only where it was told of it before."""
    prompt = asked.body["messages"][-1]["content"]
    if "You receive the client" in prompt:
        said = re.findall(r"The client said: (.*)", prompt)[0]
        follows = f"The situation: This follows the question “{FIRST}”." in prompt
        knows = follows and "prior written consent of the Landlord" in prompt
        told: object = {"question": NAMED if said == THEN and knows else said}
    elif "failed a check" in prompt:
        told = {}
    else:
        number = int(re.findall(r"\[(\d+)\] [^\n]*shall not assign", prompt)[0])
        told = {
            "findings": [
                {
                    "number": 1,
                    "statement": "The Tenant shall not assign this Lease without the prior written "
                    "consent of the Landlord.",
                    "sentences": [number],
                }
            ],
            "answer": {
                "ruling": "the contract says",
                "sentences": [
                    {"text": "The Landlord must consent in writing.", "findings": [1]},
                    {"text": "It has 77 days to do so.", "findings": [1]},
                ],
            },
        }
    message = {"role": "assistant", "content": json.dumps(told)}
    whole = {
        "id": "1",
        "object": "chat.completion",
        "created": 1,
        "model": "stub",
        "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
        "usage": {"prompt_tokens": 20, "completion_tokens": 2, "total_tokens": 22},
    }
    return Reply(json.dumps(whole))


def test_a_question_may_refer_to_what_was_answered_before(server: Served) -> None:
    done = CliRunner().invoke(
        app, ["ask", "--in", "lease", "-l", "firm.db"], input=f"{FIRST}\n{THEN}\n\n"
    )
    assert done.exit_code == 0, done.output
    prompts = [each.body["messages"][-1]["content"] for each in server.asked]
    asked = [each for each in prompts if "The client asked:" in each]
    assert f"The client asked: {FIRST}" in asked[0]
    assert f"The client asked: {THEN}\n" in asked[-2]  # before the correction
    assert f"Understood as: {NAMED}" in asked[-2]
    assert f"The client asked: {NAMED}\n" in asked[-1]
    shown = " ".join(done.output.split())
    assert f"Question: {THEN} Understood as: {NAMED} Cannot tell" in shown
    assert not [each for each in prompts if "This follows" in each and "77 days" in each]
    assert "Cannot tell: no verified sentence of the answer carries a ruling." in done.output
    assert "The contract says" not in done.output
    assert "%" not in done.output
