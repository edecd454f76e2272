from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from typer.testing import CliRunner

from fourcorners.cli.main import app
from fourcorners.errors import ConfigError
from tests.serving import Asked, Reply, Served, served

pytestmark = pytest.mark.allow_hosts(["127.0.0.1"])
KEY = "sk-very-secret"


@pytest.fixture
def server() -> Iterator[Served]:
    with served() as running:
        running.answer = answered
        yield running


@pytest.fixture(autouse=True)
def environment(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path_factory.mktemp("work"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path_factory.mktemp("config")))
    monkeypatch.setenv("COLUMNS", "100")


def answered(asked: Asked) -> Reply:
    message = {"role": "assistant", "content": "OK\x1b[31m"}
    whole = {
        "id": "1",
        "object": "chat.completion",
        "created": 1,
        "model": asked.body["model"],
        "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
        "usage": {"prompt_tokens": 21, "completion_tokens": 2, "total_tokens": 23},
    }
    return Reply(json.dumps(whole))


def configure(monkeypatch: pytest.MonkeyPatch, server: Served, **more: str) -> None:
    given = {"MODEL": "stub", "URL": server.url, "KEY": KEY, "ATTEMPTS": "1", **more}
    for name, value in given.items():
        monkeypatch.setenv(f"FOURCORNERS_LLM_{name}", value)


def test_without_a_model_nothing_is_called() -> None:
    done = CliRunner().invoke(app, ["llm", "check"])
    assert done.exit_code == 0
    assert "No language model is configured: nothing is ever called." in done.output
    done = CliRunner().invoke(app, ["llm", "check", "--json"])
    assert json.loads(done.output) == {"models": []}


def test_each_model_is_asked_once_and_said(server: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    configure(monkeypatch, server, ROLES_JUDGE_MODEL="large", PRICE_IN="1000", PRICE_OUT="0")
    done = CliRunner().invoke(app, ["llm", "check", "--json"])
    assert done.exit_code == 0, done.output
    first, second = json.loads(done.output)["models"]
    assert (first["model"], first["roles"]) == (
        "compatible:stub",
        ["extract", "follow_up", "write", "archivist", "interrogator", "researcher"],
    )
    assert (second["model"], second["roles"]) == ("compatible:large", ["judge"])
    assert (first["answers"], first["tokens_in"], first["tokens_out"]) == (True, 21, 2)
    assert (first["cost"], second["cost"]) == (0.021, 0.0)
    assert first["key"] == "settings"
    assert first["seconds"] > 0
    assert [asked.body["model"] for asked in server.asked] == ["stub", "large"]
    assert KEY not in done.output


def test_it_is_told_in_words(server: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    configure(monkeypatch, server)
    done = CliRunner().invoke(app, ["llm", "check"])
    assert "compatible:stub  for extract, follow_up, judge, write" in done.output
    assert "21 tokens in, 2 out" in done.output
    assert "key from settings" in done.output
    assert "\x1b" not in done.output
    assert KEY not in done.output


def test_a_model_that_does_not_answer_is_a_failure(
    server: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.answer = lambda _: Reply('{"error": {"message": "no such model"}}', 404)
    configure(monkeypatch, server)
    done = CliRunner().invoke(app, ["llm", "check"])
    assert done.exit_code == 1
    assert "answered 404: no such model." in done.output
    done = CliRunner().invoke(app, ["llm", "check", "--json"])
    (told,) = json.loads(done.output)["models"]
    assert (told["answers"], told["cost"]) == (False, None)
    assert told["remedy"]


def test_settings_that_are_not_enough_are_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FOURCORNERS_LLM_MODEL", "gpt-4o")
    done = CliRunner().invoke(app, ["llm", "check"])
    assert isinstance(done.exception, ConfigError)
    assert "names no known provider" in str(done.exception)
