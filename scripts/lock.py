"""Write down what each step of the work installs: versions, and the hashes of their files.

A list of requirements/ holds what a step needs besides the lists that it builds on, for every
system and version of Python. Versions that are written down stay, unless --upgrade is given.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "requirements"
ENTRY = re.compile(r"^\S.*?(?=^\S|\Z)", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Step:
    """A list: what it is for, the lists that it builds on, and what it adds to them.

    The Makefile installs a list after those that it builds on.
    """

    purpose: str
    builds_on: tuple[str, ...] = ()
    extras: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()


STEPS = {
    "package": Step("the package itself, and what builds it", groups=("build",)),
    "server": Step("a server for a team", ("package",), extras=("web", "llm", "pdf")),
    "firm": Step(
        "a server for a firm: PostgreSQL, originals in a bucket, sign-in, SCIM, MCP and traces",
        ("server",),
        extras=("mcp", "oidc", "passkeys", "postgres", "s3", "scim", "telemetry"),
    ),
    "cluster": Step("a node of a Ray cluster", ("firm",), extras=("cluster",)),
    "test": Step("the tests", ("cluster",), groups=("test",)),
    "check": Step("`make check`", ("test",), groups=("check",)),
    "docs": Step("`make docs`", ("server",), groups=("docs",)),
    "dev": Step("everything", ("check", "docs"), groups=("dev",)),
}


def main() -> None:
    """Resolve each list and write it without what the lists that it builds on have."""
    kept = "" if "--upgrade" in sys.argv[1:] else "".join(map(_read, STEPS))
    resolved: dict[str, list[str]] = {}
    for name, step in STEPS.items():
        resolved[name] = ENTRY.findall(_resolve(name, kept))
        kept += "".join(resolved[name])
        there = {entry for before in step.builds_on for entry in resolved[before]}
        added = [entry for entry in resolved[name] if entry not in there]
        head = f"# For {step.purpose}; `make lock` writes this.\n"
        for before in step.builds_on:
            head += f"# Builds on {before}.txt.\n"
        FOLDER.mkdir(exist_ok=True)
        (FOLDER / f"{name}.txt").write_text(head + "".join(added), encoding="utf-8")
        print(f"requirements/{name}.txt: {len(added)} of {len(resolved[name])} added")


def _read(name: str) -> str:
    file = FOLDER / f"{name}.txt"
    text = file.read_text("utf-8") if file.exists() else ""
    return "".join(line for line in text.splitlines(keepends=True) if line[:1] != "#")


def _asked_for(name: str) -> list[str]:
    """Return the arguments that name what a list needs, with the lists that it builds on."""
    step = STEPS[name]
    arguments = [each for before in step.builds_on for each in _asked_for(before)]
    arguments += [part for extra in step.extras for part in ("--extra", extra)]
    return arguments + [part for group in step.groups for part in ("--group", group)]


def _resolve(name: str, kept: str) -> str:
    """Return the whole list as uv writes it; versions in `kept` are preferred."""
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder) / "list.txt"
        output.write_text(kept, encoding="utf-8")
        how = ["--universal", "--generate-hashes", "--no-annotate", "--no-header", "--quiet"]
        uv = Path(sys.executable).with_name("uv")
        subprocess.run(
            [uv, "pip", "compile", "pyproject.toml", *_asked_for(name), *how, "-o", output],
            cwd=ROOT,
            check=True,
        )
        return output.read_text("utf-8")


if __name__ == "__main__":
    main()
