from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from fourcorners.errors import ConfigError
from fourcorners.llm import Budget, FakeModel, Port, Recorder, Role, is_configured, open_port
from fourcorners.llm.configure import RolePlan, role_plans
from fourcorners.settings import LlmSettings

KEY = "sk-very-secret"


@pytest.fixture(autouse=True)
def no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GOOGLE_API_KEY", "AZURE_OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)


def said(roles: dict[str, dict[str, Any]] | None = None, **given: Any) -> LlmSettings:
    return LlmSettings.model_validate({**given, "roles": roles or {}})


def plan(role: Role = Role.EXTRACT, **given: Any) -> RolePlan:
    return role_plans(said(**given))[role]


def test_by_default_there_is_no_model_and_nothing_is_opened() -> None:
    assert role_plans(LlmSettings()) == {}
    assert not is_configured(LlmSettings())
    with open_port(LlmSettings()) as port:
        assert not any(port.has(role) for role in Role)


@pytest.mark.parametrize(
    ("given", "name", "url"),
    [
        ({"model": "openai:gpt-4o", "key": KEY}, "openai:gpt-4o", "https://api.openai.com/v1"),
        ({"model": "ollama:llama3.2:3b"}, "ollama:llama3.2:3b", "http://localhost:11434/v1"),
        (
            {"model": "llama3.2:3b", "url": "http://h:1/v1"},
            "compatible:llama3.2:3b",
            "http://h:1/v1",
        ),
        (
            {"model": "openai:m", "url": "http://h:1/v1", "key": KEY},
            "compatible:m",
            "http://h:1/v1",
        ),
        ({"model": "Anthropic:c", "key": KEY}, "anthropic:c", "https://api.anthropic.com"),
        (
            {"model": "azure:d", "url": "https://n.openai.azure.com/openai/v1", "key": KEY},
            "azure:d",
            "https://n.openai.azure.com/openai/v1",
        ),
    ],
)
def test_a_name_says_the_provider(given: dict[str, Any], name: str, url: str) -> None:
    found = plan(**given)
    assert (found.name, found.url) == (name, url)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"model": "gpt-4o"}, "names no known provider"),
        ({"model": "mistral:large"}, "names no known provider"),
        ({"url": "http://h/v1"}, "no model"),
        ({"model": "azure:d", "key": KEY}, "without a URL"),
        ({"model": "openai:gpt-4o"}, "needs a key"),
        ({"model": "m", "url": "ftp://h"}, "not the URL of a server"),
        ({"model": "m", "url": f"http://user:{KEY}@h/v1"}, "name or password"),
    ],
)
def test_what_is_missing_is_said(given: dict[str, Any], told: str) -> None:
    with pytest.raises(ConfigError, match=told) as caught:
        role_plans(said(**given))
    assert caught.value.remedy
    assert KEY not in str(caught.value)


def test_the_providers_usual_variable_is_a_key_for_that_provider_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    assert (plan(model="openai:m").key, plan(model="openai:m").key_from) == (KEY, "OPENAI_API_KEY")
    assert plan(model="openai:m", key="own").key == "own"
    assert plan(model="openai:m", url="http://elsewhere/v1").key == ""
    assert plan(model="m", url="http://elsewhere/v1").key == ""
    with pytest.raises(ConfigError):
        plan(model="anthropic:m")


def test_a_role_takes_what_it_does_not_say(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant")
    settings = said(
        model="openai:small",
        key=KEY,
        temperature=0.1,
        max_tokens=50,
        price_in=1,
        roles={
            "follow_up": {"temperature": 0.9},
            "judge": {"model": "openai:large"},
            "write": {"model": "anthropic:claude", "max_tokens": 70},
        },
    )
    found = role_plans(settings)
    assert found[Role.EXTRACT].name == found[Role.FOLLOW_UP].name == "openai:small"
    assert found[Role.FOLLOW_UP].settings.temperature == 0.9
    assert found[Role.FOLLOW_UP].settings.price_in == 1
    assert (found[Role.JUDGE].name, found[Role.JUDGE].key) == ("openai:large", KEY)
    assert found[Role.JUDGE].settings.price_in is None
    assert (found[Role.WRITE].key, found[Role.WRITE].key_from) == ("sk-ant", "ANTHROPIC_API_KEY")
    assert (found[Role.WRITE].settings.max_tokens, found[Role.WRITE].settings.temperature) == (
        70,
        0.1,
    )


def test_a_key_never_goes_to_another_server() -> None:
    settings = said(
        model="big",
        url="https://one.example/v1",
        key=KEY,
        roles={
            "judge": {"url": "https://two.example/v1"},
            "write": {"model": "ollama:llama3.2"},
            "follow_up": {"model": "bigger"},
        },
    )
    found = role_plans(settings)
    assert (found[Role.JUDGE].key, found[Role.JUDGE].url) == ("", "https://two.example/v1")
    assert (found[Role.WRITE].key, found[Role.WRITE].url) == ("", "http://localhost:11434/v1")
    assert (found[Role.FOLLOW_UP].key, found[Role.FOLLOW_UP].model) == (KEY, "bigger")


def test_only_roles_with_a_model_have_one() -> None:
    settings = said(roles={"judge": {"model": "ollama:m"}})
    assert set(role_plans(settings)) == {Role.JUDGE}
    assert is_configured(settings)


def test_a_plan_tells_no_key() -> None:
    found = plan(model="openai:m", key=KEY)
    assert KEY not in repr(found) + str(found) + repr(found.settings)
    assert isinstance(found.settings.key, SecretStr)


def test_roles_with_the_same_model_share_pace_and_voice() -> None:
    settings = said(
        model="ollama:m", roles={"judge": {"temperature": 1}, "write": {"model": "ollama:n"}}
    )
    with open_port(settings) as port:
        extract, judge, write = (port.role_model(r) for r in (Role.EXTRACT, Role.JUDGE, Role.WRITE))
        assert extract is port.role_model(Role.FOLLOW_UP)
        assert extract is not judge
        assert extract.rate_limiter is judge.rate_limiter
        assert extract.rate_limiter is not write.rate_limiter
        assert (extract.options.temperature, judge.options.temperature) == (0.0, 1)


def test_prices() -> None:
    def price(**given: Any) -> float | None:
        with open_port(said(**given)) as port:
            found = port.role_model(Role.EXTRACT).price
            return None if found is None else found(1_000_000, 1_000_000)

    assert price(model="openai:gpt-4o", key=KEY) == pytest.approx(12.5)
    assert price(model="openai:gpt-4o", key=KEY, price_in=1.0, price_out=2.0) == 3.0
    assert price(model="ollama:m") == 0.0
    assert price(model="m", url="https://models.example/v1") is None
    assert price(model="openai:no-such-model-at-all", key=KEY) is None


def test_limits_and_budget_come_from_the_settings(tmp_path: Path) -> None:
    settings = said(
        model="ollama:m", budget=2.5, budget_tokens=9, timeout=7, attempts=3, concurrency=2, seed=1
    )
    with open_port(settings) as port:
        assert port.budget == Budget(2.5, 9)
        voice = port.role_model(Role.WRITE)
        assert (voice.timeout, voice.attempts, voice.rate_limiter.concurrency) == (7, 3, 2)
        assert voice.options.seed == 1
        assert voice.endpoint == "http://localhost:11434/v1"
    with open_port(settings, budget=Budget(tokens=1)) as port:
        assert port.budget == Budget(tokens=1)
    with pytest.raises(ConfigError, match="cannot be read"):
        open_port(said(model="ollama:m", replay=tmp_path / "none"))


WITHOUT = """
import sys
for name in ("pydantic_ai", "openai", "anthropic", "google.genai", "httpx2", "genai_prices"):
    sys.modules[name] = None
from fourcorners.errors import ConfigError
from fourcorners.llm import Role, open_port
from fourcorners.settings import LlmSettings
assert not open_port(LlmSettings()).has(Role.WRITE)
settings = LlmSettings(model="openai:gpt-4o", key="k")
try:
    open_port(settings)
except ConfigError as error:
    print(error.message, error.remedy)
with open_port(LlmSettings(model="openai:gpt-4o", key="k", replay=sys.argv[1])) as port:
    print(port.ask("check", {}).value, port.estimate("check", {}).cost)
"""


def test_without_the_extra_the_remedy_is_told_and_recordings_are_replayed(tmp_path: Path) -> None:
    file = tmp_path / "exchanges.jsonl"
    model = Recorder(FakeModel(["ready"]), file)
    with Port.for_model(model, name="openai:gpt-4o") as port:
        port.ask("check", {})
    command = [sys.executable, "-c", WITHOUT, str(file)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    told, replayed = done.stdout.splitlines()
    assert "not installed" in told
    assert "pip install 'fourcorners[llm]'" in told
    assert replayed == "ready None"


def test_importing_the_room_is_light() -> None:
    heavy = "pydantic_ai", "openai", "anthropic", "google.genai", "httpx2", "jinja2", "pydantic"
    code = f"import sys, fourcorners.llm; print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
