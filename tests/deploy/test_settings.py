"""The settings that a firm is shown are the program's own, and every way to start it reads them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from fourcorners.settings import Settings

DEPLOY = Path(__file__).parents[2] / "deploy"
EXAMPLE = (DEPLOY / "firm.env.example").read_text("utf-8")
COPY = "firm.env"
VARIABLES = dict(re.findall(r"^#([A-Z_]+)=(.*)$", EXAMPLE, re.M))
SECTIONS = {"audit", "llm", "mail", "oidc", "originals", "telemetry", "watch", "webhooks"}


@pytest.fixture
def loaded(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Settings:
    """The settings with all that is in the example."""
    monkeypatch.chdir(tmp_path)
    for name, value in VARIABLES.items():
        monkeypatch.setenv(name, value)
    return Settings.load()


def test_the_example_has_each_section_that_a_firm_needs(loaded: Settings) -> None:
    changed = {
        name for name in SECTIONS if getattr(loaded, name) != getattr(Settings.defaults(), name)
    }
    assert changed == SECTIONS
    assert loaded.originals.find("litigation")
    assert loaded.oidc.roles[0].collection == loaded.watch[0].collection == "Project Larch"


def test_the_secrets_that_settings_name_are_in_the_example_and_empty(loaded: Settings) -> None:
    for name in (loaded.oidc.secret_env, loaded.mail.password_env, "AWS_SECRET_ACCESS_KEY"):
        assert VARIABLES[name] == ""


def test_every_start_reads_the_copy() -> None:
    for path in DEPLOY.glob("compose*.yaml"):
        services = yaml.safe_load(path.read_text("utf-8"))["services"].values()
        read = [each["env_file"] for each in services if "build" in each]
        assert read
        assert all(each == [{"path": COPY, "required": False}] for each in read)
    unit = (DEPLOY / "fourcorners.service").read_text("utf-8")
    assert f"EnvironmentFile=-/etc/fourcorners/{COPY}" in unit
    server = yaml.safe_load((DEPLOY / "kubernetes" / "base" / "server.yaml").read_text("utf-8"))
    (container,) = server["spec"]["template"]["spec"]["containers"]
    (source,) = container["envFrom"]
    secret = source["secretRef"]
    assert secret["optional"]
    assert f"create secret generic {secret['name']} --from-env-file={COPY}\n" in EXAMPLE
