"""The packages on Windows and macOS: what a system lacks is not needed to import or to begin."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from fourcorners.system import confinement, paths

SIMULATION = Path(__file__).with_name("simulated_windows.py")


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_every_module_is_imported_without_what_windows_lacks() -> None:
    done = subprocess.run(
        [sys.executable, str(SIMULATION)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert int(done.stdout.split()[0]) > 500


def test_a_program_is_found_where_its_installer_for_macos_puts_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("PATH", "")
    program = tmp_path / "Applications" / "LibreOffice.app" / "Contents" / "MacOS" / "soffice"
    program.parent.mkdir(parents=True)
    program.touch(mode=0o700)
    assert paths.find_program("soffice") == str(program)


@pytest.mark.parametrize("platform", ["darwin", "win32"])
def test_what_is_weaker_elsewhere_is_listed(platform: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", platform)
    monkeypatch.setattr(confinement, "landlock_version", lambda: 0)
    missing = confinement.missing_protections()
    assert any("memory" in each for each in missing)
    assert any("LibreOffice" in each for each in missing)
    assert any("profile" in each for each in missing) == (platform == "win32")


@pytest.mark.skipif(not confinement.landlock_version(), reason="the kernel has no Landlock")
def test_on_a_current_linux_nothing_is_missing() -> None:
    assert confinement.missing_protections() == ()
