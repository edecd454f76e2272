"""The manifests for Kubernetes: valid by its own schemas, closed in, and true of the program."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from typer.testing import CliRunner

from fourcorners.cli.main import app
from fourcorners.settings import Settings

FOLDER = Path(__file__).parents[2] / "deploy" / "kubernetes"
SCRATCH = "/tmp"  # noqa: S108 - of a container
OVERLAYS = ("one-file", "postgresql")
Resource = dict[str, Any]
kubectl = shutil.which("kubectl")


def rendered(overlay: str) -> list[Resource]:
    """Return the resources of an overlay as kustomize makes them."""
    if kubectl is None:
        pytest.skip("kubectl is not installed, which draws the overlays")
    done = subprocess.run(
        [kubectl, "kustomize", FOLDER / "overlays" / overlay],
        check=True,
        capture_output=True,
        text=True,
    )
    return list(yaml.safe_load_all(done.stdout))


def files() -> list[Path]:
    """Return the files with whole resources; the others name or change them."""
    return [*FOLDER.glob("base/[!k]*.yaml"), *FOLDER.glob("overlays/one-file/[!k]*.yaml")]


def pods(resources: list[Resource]) -> Iterator[Resource]:
    for each in resources:
        spec = each.get("spec", {})
        template = spec.get("jobTemplate", {}).get("spec", spec).get("template")
        if template:
            yield template["spec"]


def validate(resource: Resource) -> None:
    validator = pytest.importorskip("kubernetes_validate", reason="it comes with `make check`")
    validator.validate(resource, validator.latest_version(), strict=True)


@pytest.mark.parametrize("path", files(), ids=lambda path: path.name)
def test_a_file_is_valid(path: Path) -> None:
    for resource in yaml.safe_load_all(path.read_text("utf-8")):
        validate(resource)


@pytest.mark.parametrize("overlay", OVERLAYS)
def test_an_overlay_is_valid(overlay: str) -> None:
    resources = rendered(overlay)
    assert {each["kind"] for each in resources} >= {"StatefulSet", "Service", "NetworkPolicy"}
    for resource in resources:
        validate(resource)


def test_the_validator_bites() -> None:
    validator = pytest.importorskip("kubernetes_validate", reason="it comes with `make check`")
    service = yaml.safe_load((FOLDER / "base" / "service.yaml").read_text("utf-8"))
    service["spec"]["prot"] = 80
    with pytest.raises(validator.ValidationError):
        validate(service)


def base() -> list[Resource]:
    return [each for path in files() for each in yaml.safe_load_all(path.read_text("utf-8"))]


def test_containers_are_closed_in() -> None:
    found = list(pods(base()))
    assert len(found) == 2
    for pod in found:
        assert pod["securityContext"]["runAsNonRoot"]
        assert pod["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
        assert pod["automountServiceAccountToken"] is False
        for container in pod["containers"]:
            context = container["securityContext"]
            assert context["readOnlyRootFilesystem"]
            assert not context["allowPrivilegeEscalation"]
            assert context["capabilities"] == {"drop": ["ALL"]}
            assert SCRATCH in [mount["mountPath"] for mount in container["volumeMounts"]]


def test_nothing_goes_out() -> None:
    (policy,) = [each for each in base() if each["kind"] == "NetworkPolicy"]
    assert policy["spec"]["podSelector"] == {}  # all pods of the namespace
    assert policy["spec"]["policyTypes"] == ["Ingress", "Egress"]
    assert policy["spec"]["egress"] == []


def test_with_postgresql_only_the_database_is_reached() -> None:
    out = [
        rule
        for each in rendered("postgresql")
        if each["kind"] == "NetworkPolicy"
        for rule in each["spec"]["egress"]
    ]
    (rule,) = out
    assert [port["port"] for port in rule["ports"]] == [5432]
    assert all(each["ipBlock"]["cidr"].endswith("/32") for each in rule["to"])


def test_probes_commands_and_settings_are_the_programs_own() -> None:
    (server, backup) = sorted(
        (c for pod in pods(base()) for c in pod["containers"]), key=lambda c: -len(c["name"])
    )[:2]
    names = {each["name"] for each in server["env"]}
    known = {f"FOURCORNERS_{name.upper()}" for name in Settings.model_fields}
    assert {each for each in names if each.startswith("FOURCORNERS_")} <= known
    paths = {
        server[probe]["httpGet"]["path"]
        for probe in ("startupProbe", "livenessProbe", "readinessProbe")
    }
    assert paths == {"/healthz", "/readyz"}
    for container in (server, backup):
        program, command, *arguments = container["args"]
        assert program == "fourcorners"
        helped = CliRunner().invoke(app, [command, "--help"], env={"COLUMNS": "200"}).output
        assert [a for a in arguments if a.startswith("--") and a not in helped] == []
