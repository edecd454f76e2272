"""Old Word documents through LibreOffice: where it is there, where it is not, where it fails."""

from __future__ import annotations

import re
import subprocess
import time
from pathlib import Path

import pytest
from lxml import etree

from fourcorners.documents.conversion import libreoffice as office
from fourcorners.documents.read import read_document
from fourcorners.errors import InputError
from fourcorners.system.confinement import network_isolation

OLD = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "WordDocument".encode("utf-16-le") + bytes(600)


def put(tmp_path: Path) -> Path:
    path = tmp_path / "old.doc"
    path.write_bytes(OLD)
    return path


def program(tmp_path: Path, script: str) -> str:
    path = tmp_path / "soffice"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return str(path)


@pytest.fixture
def unconfined(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a program in LibreOffice's place write what it saw where the test reads it."""
    monkeypatch.setattr(office, "confined", lambda _: ())


def test_without_libreoffice_it_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(office, "find_libreoffice", lambda: None)
    with pytest.raises(InputError, match="LibreOffice is not installed") as caught:
        read_document(put(tmp_path))
    assert "save it as DOCX" in caught.value.remedy


def test_a_program_that_makes_nothing_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = program(tmp_path, "echo 'Error: source file could not be loaded'")
    monkeypatch.setattr(office, "find_libreoffice", lambda: found)
    with pytest.raises(InputError, match="source file could not be loaded"):
        read_document(put(tmp_path))


@pytest.mark.usefixtures("unconfined")
def test_a_program_that_hangs_is_ended_with_all_it_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = program(tmp_path, f"sleep 47 & echo $! > {tmp_path}/child; wait")
    monkeypatch.setattr(office, "find_libreoffice", lambda: found)
    monkeypatch.setattr(office, "SECONDS", 0.5)
    start = time.monotonic()
    with pytest.raises(InputError, match=r"did not finish within 0\.5 seconds"):
        read_document(put(tmp_path))
    assert time.monotonic() - start < 10
    child = (tmp_path / "child").read_text().strip()
    state = Path(f"/proc/{child}/stat")
    assert not state.exists() or state.read_text().rpartition(")")[2].split()[0] == "Z"


def seen_by(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[str, str, str]:
    """Return what a program in LibreOffice's place sees: environment, networks, settings."""
    script = f"""env > {tmp_path}/env
cat /proc/self/net/dev > {tmp_path}/net 2>/dev/null || touch {tmp_path}/net
cat profile/user/registrymodifications.xcu > {tmp_path}/settings"""
    found = program(tmp_path, script)
    monkeypatch.setattr(office, "find_libreoffice", lambda: found)
    monkeypatch.setenv("HTTPS_PROXY", "http://proxy.example.com:3128")
    with pytest.raises(InputError, match="made nothing of the file"):
        read_document(put(tmp_path))
    environment, networks, settings = (
        (tmp_path / name).read_text() for name in ("env", "net", "settings")
    )
    return environment, networks, settings


@pytest.mark.usefixtures("unconfined")
def test_it_has_no_network(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    environment, networks, settings = seen_by(tmp_path, monkeypatch)
    assert "proxy.example.com" not in environment
    assert "https_proxy=http://127.0.0.1:9" in environment
    said = dict(re.findall(r'oor:name="(\w+)" oor:op="fuse"><value>([^<]*)<', settings))
    assert etree.fromstring(settings.encode()).tag.endswith("}items")
    assert said["ooInetHTTPSProxyName"] == "127.0.0.1"
    assert said["DisableMacrosExecution"] == said["BlockUntrustedRefererLinks"] == "true"
    if not network_isolation():
        pytest.skip("no network namespace can be made here")
    assert [line.split(":")[0].strip() for line in networks.splitlines() if ":" in line] == ["lo"]


@pytest.mark.usefixtures("unconfined")
def test_where_no_namespace_can_be_made_it_runs_nevertheless(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    refusing = tmp_path / "unshare"
    refusing.write_text("#!/bin/sh\nexit 1\n")
    refusing.chmod(0o755)
    network_isolation.cache_clear()
    try:
        with monkeypatch.context() as patched:
            patched.setenv("PATH", str(tmp_path))
            assert network_isolation() == ()
        environment, _, _ = seen_by(tmp_path, monkeypatch)
    finally:
        network_isolation.cache_clear()
    assert "https_proxy=http://127.0.0.1:9" in environment


@pytest.mark.slow
def test_an_old_document_is_read_with_its_numbers(tmp_path: Path, dataroom: Path) -> None:
    found = office.find_libreoffice()
    if found is None:
        pytest.skip("LibreOffice is not installed")
    source = dataroom / "12-northmere-amendment-letter.docx"
    command = [found, f"-env:UserInstallation={(tmp_path / 'profile').as_uri()}", "--headless"]
    command += ["--convert-to", "doc", "--outdir", str(tmp_path), str(source)]
    subprocess.run(command, check=True, capture_output=True, timeout=120)
    document = read_document(tmp_path / f"{source.stem}.doc")
    assert document.media_type == "application/msword"
    assert "read through LibreOffice" in document.warnings[0]
    assert "(a) in Part 2 of Schedule 1, the design flow" in document.text
    assert "(i) removal of sludge from wash water tanks" in document.text
