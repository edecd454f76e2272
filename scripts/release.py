"""A dry run of a release: checks what a tag needs, and builds both distributions into dist/.

A release is a signed tag `vX.Y.Z` on a commit whose changelog begins with a dated section of that
version, such as `## 0.2.0 (2026-11-28)`. The tag is the version of both distributions. This says
what is missing for one, and changes nothing but dist/.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

BILL_WRITER = "cyclonedx-bom==7.5.0"
ROOT = Path(__file__).resolve().parent.parent


SECTION = re.compile(r"^## (\d+\.\d+\.\d+) \(\d{4}-\d\d-\d\d\)$", re.MULTILINE)
FIRST = re.compile(r"^## .+$", re.MULTILINE)


def main() -> None:
    """Build the release and print what is missing for a tag."""
    changelog = (ROOT / "CHANGELOG.md").read_text("utf-8")
    number = released_version(changelog)
    missing = []
    if number is None:
        missing.append("CHANGELOG.md does not begin with a dated section: date `## Unreleased`.")
    if _git("status", "--porcelain"):
        missing.append("The working tree has changes: commit them.")
    if number and f"v{number}" in _git("tag").split():
        missing.append(f"The tag v{number} exists: begin the next section of CHANGELOG.md.")
    if not _git("config", "--get", "user.signingkey"):
        missing.append("Git has no signing key: set user.signingkey.")
    tagged = {"SETUPTOOLS_SCM_PRETEND_VERSION": number} if number else {}
    for folder in (ROOT, ROOT / "bench"):
        command: list[str | Path] = [
            sys.executable,
            "-m",
            "build",
            "--outdir",
            ROOT / "dist",
            folder,
        ]
        subprocess.run(command, check=True, env={**os.environ, **tagged})
    if number:
        _write_bill(number)
    for file in sorted((ROOT / "dist").glob(f"fourcorners*{number or ''}*")):
        print(f"{file.relative_to(ROOT)}  {file.stat().st_size / 1e6:.1f} MB")
    for line in missing:
        print(f"missing: {line}")
    if not missing:
        print(f"Ready: git tag --sign v{number} && git push --tags")


def released_version(changelog: str) -> str | None:
    """Return the version of the changelog's first section; None if it is not dated yet."""
    first = FIRST.search(changelog)
    section = SECTION.fullmatch(first[0]) if first else None
    return section[1] if section else None


def _write_bill(number: str) -> None:
    """Write what the package and its extras need: a locked list, and a bill (CycloneDX)."""
    uv = Path(sys.executable).with_name("uv")
    needed = ROOT / "dist" / f"fourcorners-{number}.requirements.txt"
    bill = ROOT / "dist" / f"fourcorners-{number}.cdx.json"
    resolving: list[str | Path] = ["--all-extras", "--generate-hashes"]
    for file in sorted((ROOT / "requirements").glob("*.txt")):
        resolving += ["--constraint", file]
    plain: list[str | Path] = ["--no-annotate", "--no-header", "--quiet", "--output-file", needed]
    subprocess.run(
        [uv, "pip", "compile", "pyproject.toml", *resolving, *plain], cwd=ROOT, check=True
    )
    tool = ["tool", "run", "--quiet", "--from", BILL_WRITER, "cyclonedx-py", "requirements"]
    described: list[str | Path] = [
        "--pyproject",
        "pyproject.toml",
        "--output-reproducible",
        "--output-file",
        bill,
    ]
    subprocess.run([uv, *tool, needed, *described], cwd=ROOT, check=True)


def _git(*arguments: str) -> str:
    done = subprocess.run(
        ["git", *arguments],  # noqa: S607
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    return done.stdout.strip()


if __name__ == "__main__":
    main()
