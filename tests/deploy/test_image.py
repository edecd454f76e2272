"""The image: built and started where a container engine is, else its steps run without one."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
import time
import tomllib
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from scripts.lock import STEPS

ROOT = Path(__file__).parents[2]
DOCKERFILE = (ROOT / "deploy" / "Dockerfile").read_text("utf-8")
COMPOSED = sorted((ROOT / "deploy").glob("compose*.yaml"))
LISTS = re.findall(r'^ARG LISTS="(.+)"$', DOCKERFILE, re.M)[0].split()
EXTRAS = {extra for name in LISTS for extra in STEPS[name].extras}
NOT_IN_IT = {
    "cluster",
    "local",
    "ocr",
    "sentence-transformers",
}  # Ray, models, and what Tesseract does
IMPORT_ALL = """
import importlib, re, sys
from importlib.metadata import packages_distributions
missing = set(sys.argv[1:])
for module, names in packages_distributions().items():
    found = {re.sub("[-_.]+", "-", name).lower() for name in names} & set(sys.argv[1:])
    if found and module.isidentifier():
        importlib.import_module(module)
        missing -= found
sys.exit(f"not installed: {missing}" if missing else 0)
"""
PATIENCE = 120.0
pytestmark = pytest.mark.allow_hosts(["127.0.0.1"])


@dataclass(frozen=True)
class Instruction:
    word: str
    value: str


def stages() -> list[list[Instruction]]:
    """Return the instructions of the Dockerfile, by stage; those before the first are with it."""
    lines = [line for line in DOCKERFILE.splitlines() if not line.lstrip().startswith("#")]
    whole = "\n".join(lines).replace("\\\n", " ")
    found: list[list[Instruction]] = [[]]
    for line in filter(str.strip, whole.splitlines()):
        word, _, value = line.partition(" ")
        if word == "FROM" and any(each.word == "FROM" for each in found[-1]):
            found.append([])
        found[-1].append(Instruction(word, value))
    return found


def engine() -> str | None:
    """Return the container engine that answers; a client without a server is none."""
    for name in ("podman", "docker"):
        if shutil.which(name):
            done = subprocess.run([name, "info"], capture_output=True)
            if done.returncode == 0:
                return name
    return None


@contextmanager
def serving(command: list[str | Path], port: int, **options: object) -> Iterator[str]:
    """Run a server until the end of the block, and yield its address once it is ready."""
    with subprocess.Popen(command, **options) as server:  # type: ignore[call-overload]
        until = time.monotonic() + PATIENCE
        address = f"http://127.0.0.1:{port}"
        try:
            while True:
                try:
                    with urllib.request.urlopen(f"{address}/readyz", timeout=5) as answer:  # noqa: S310
                        assert answer.status == 200
                        break
                except OSError:
                    assert server.poll() is None, "it ended"
                    assert time.monotonic() < until
                    time.sleep(0.5)
            yield address
        finally:
            server.terminate()


@pytest.mark.slow
def test_its_steps_install_what_a_firm_needs(tmp_path: Path, free_port: int) -> None:
    """The first stage, at other paths; what it installs imports every extra and serves."""
    source, target = tmp_path / "src", tmp_path / "fourcorners"
    source.mkdir()
    given: dict[str, str] = {}
    for each in stages()[0]:
        if each.word == "ARG":
            name, _, value = each.value.partition("=")
            given[name] = value.strip('"')
        elif each.word == "COPY":
            *names, _ = shlex.split(each.value)
            for name in names:
                copied = ROOT / name
                if copied.is_dir():
                    ignored = shutil.ignore_patterns("__pycache__")
                    shutil.copytree(copied, source / name, ignore=ignored)
                else:
                    shutil.copy(copied, source)
        elif each.word == "RUN":
            script = each.value.replace("/opt/fourcorners", str(target))
            script = script.replace("python3 -m venv", f"{shlex.quote(sys.executable)} -m venv")
            subprocess.run(["sh", "-euc", script], cwd=source, env=clean(given), check=True)
    subprocess.run([target / "bin" / "python", *importing()], check=True, env=clean({}))
    words: list[str | Path] = [target / "bin" / "fourcorners", *command()[1:]]
    words[words.index("8844")] = str(free_port)
    library = {"FOURCORNERS_LIBRARY": str(tmp_path / "firm.db")}
    with serving(words, free_port, cwd=tmp_path, env=clean(library)) as address:
        assert "Fourcorners" in urllib.request.urlopen(f"{address}/sign-in").read().decode()  # noqa: S310


def importing() -> list[str]:
    """Return the arguments of a Python that imports all that the extras of the image name."""
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    asked = [
        canonicalize_name(Requirement(each).name)
        for extra in sorted(EXTRAS)
        for each in extras["optional-dependencies"][extra]
    ]
    return ["-c", IMPORT_ALL, *asked]


def clean(more: dict[str, str]) -> dict[str, str]:
    """Return this environment without what leads Python to other packages."""
    import os

    left_out = ("PYTHONPATH", "VIRTUAL_ENV", "FOURCORNERS_LIBRARY")
    return {k: v for k, v in os.environ.items() if k not in left_out} | more


def command() -> list[str]:
    """Return what the image starts."""
    (found,) = [each.value for each in stages()[-1] if each.word == "CMD"]
    return [str(word) for word in yaml.safe_load(found)]


@pytest.fixture
def free_port() -> int:
    import socket

    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
        return port


@pytest.mark.slow
def test_it_is_built_and_starts(free_port: int) -> None:
    found = engine()
    if found is None:
        pytest.skip("no container engine answers")
    base = next(e.value for e in stages()[0] if e.word == "ARG").partition("=")[2]
    fetched = subprocess.run([found, "pull", base], capture_output=True)
    held = subprocess.run([found, "image", "inspect", base], capture_output=True)
    if fetched.returncode and held.returncode:
        pytest.skip(f"the base image {base} cannot be fetched here")
    tried = subprocess.run([found, "run", "--rm", base, "true"], capture_output=True)
    if tried.returncode:
        pytest.skip(f"{found} starts no container here: {tried.stderr.decode()[-300:]}")
    build = [found, "build", "--file", "deploy/Dockerfile", "--tag", "fourcorners-test", "."]
    subprocess.run(build, cwd=ROOT, check=True)
    name = f"fourcorners-test-{free_port}"
    run = [found, "run", "--rm", "--name", name, "--read-only", "--tmpfs", "/tmp"]  # noqa: S108
    run += ["--cap-drop", "ALL", "--publish", f"127.0.0.1:{free_port}:8844", "fourcorners-test"]
    with serving(list(run), free_port):
        subprocess.run([found, "exec", name, "python", *importing()], check=True)
        subprocess.run([found, "exec", name, "tesseract", "--version"], check=True)
        who = subprocess.run([found, "exec", name, "id", "-u"], capture_output=True, text=True)
        assert who.stdout.strip() == "10001"
        subprocess.run([found, "stop", "--time", "10", name], check=True)


def test_its_lists_are_each_after_what_they_build_on() -> None:
    for names in [LISTS, *map(str.split, re.findall(r'--build-arg LISTS="(.+?)"', DOCKERFILE))]:
        for at, name in enumerate(names):
            assert set(STEPS[name].builds_on) <= set(names[:at])


def test_it_has_every_extra_that_a_firm_needs() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert set(project["optional-dependencies"]) - EXTRAS == NOT_IN_IT


@pytest.mark.parametrize("path", COMPOSED, ids=lambda path: path.name)
def test_composed_servers_are_closed_in(path: Path) -> None:
    composed = yaml.safe_load(path.read_text("utf-8"))
    assert composed["networks"]["inside"] == {"internal": True}
    built = [each for each in composed["services"].values() if "build" in each]
    assert built
    for each in built:
        assert each["read_only"]
        assert each["cap_drop"] == ["ALL"]
        assert each["networks"] == ["inside"]
        assert each["build"]["dockerfile"] == "deploy/Dockerfile"
    proxied = composed["services"]["proxy"]["command"]
    names = {name for name, each in composed["services"].items() if "build" in each}
    assert set(re.findall(r"--to (\w+):8844", proxied)) == names
    for each in composed["services"].values():
        for mounted in each.get("volumes", []):
            assert mounted.partition(":")[0] in composed["volumes"]


def test_two_servers_share_one_library() -> None:
    services = yaml.safe_load((ROOT / "deploy" / "compose.cluster.yaml").read_text("utf-8"))[
        "services"
    ]
    built = [each for each in services.values() if "build" in each]
    assert len({each["hostname"] for each in built}) == len(built) == 2
    libraries = {each["environment"]["FOURCORNERS_LIBRARY"] for each in built}
    (library,) = libraries
    assert library.startswith("postgresql://")
    assert library.split("@")[1].split("/")[0] in services
