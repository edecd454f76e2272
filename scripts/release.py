"""A dry run of a release: checks what a tag needs, and builds sdist, wheel and bill into dist/.

A release is a signed tag `vX.Y.Z` on a commit whose changelog has a section of that version; this
says what is missing for one, and changes nothing but dist/.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

BILL_WRITER = "cyclonedx-bom==7.5.0"
ROOT = Path(__file__).resolve().parent.parent


def main() -> None:
    """Build the release and print what stands between it and a tag."""
    version = re.search(r'^version = "(.+)"', (ROOT / "pyproject.toml").read_text("utf-8"), re.M)
    if version is None:
        sys.exit("pyproject.toml names no version.")
    number = version[1]
    changelog = (ROOT / "CHANGELOG.md").read_text("utf-8")
    missing = []
    if f"## {number}" not in changelog:
        missing.append(f"CHANGELOG.md has no section `## {number}`: rename `## Unreleased`.")
    if _git("status", "--porcelain"):
        missing.append("The working tree has changes: commit them.")
    if f"v{number}" in _git("tag").split():
        missing.append(f"The tag v{number} is there already: raise the version in pyproject.toml.")
    if not _git("config", "--get", "user.signingkey"):
        missing.append("Git has no signing key: set user.signingkey.")
    subprocess.run([sys.executable, "-m", "build", "--outdir", ROOT / "dist", ROOT], check=True)
    _write_bill(number)
    for file in sorted((ROOT / "dist").glob(f"fourcorners-{number}*")):
        print(f"{file.relative_to(ROOT)}  {file.stat().st_size / 1e6:.1f} MB")
    for line in missing:
        print(f"missing: {line}")
    if not missing:
        print(f"Ready: git tag --sign v{number} && git push --tags")


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
