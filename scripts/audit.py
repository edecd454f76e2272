"""Look up every version of requirements/ among known vulnerabilities, with no network.

    python scripts/audit.py ADVISORIES

ADVISORIES is what osv.dev exports for PyPI (`all.zip`), or the folder that it unpacks to: one
advisory a file, in the OSV format (https://ossf.github.io/osv-schema/). Prints each advisory that
concerns a version, and the versions that mend it; ends with 1 if there are any.
"""

from __future__ import annotations

import json
import re
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from packaging.utils import NormalizedName, canonicalize_name
from packaging.version import InvalidVersion, Version

LISTS = Path(__file__).resolve().parent.parent / "requirements"
Advisory = dict[str, Any]


def main() -> None:
    """Print what is known of the versions, and end with 1 if anything is."""
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    versions = pinned(LISTS)
    count = 0
    found: list[str] = []
    for advisory in read_advisories(Path(sys.argv[1])):
        count += 1
        found += concerned(advisory, versions)
    if not count:
        sys.exit(f"{sys.argv[1]} holds no advisories.")
    print("\n".join(sorted(found)) or "Nothing is known.")
    print(f"{sum(map(len, versions.values()))} versions, {count} advisories.")
    sys.exit(1 if found else 0)


def pinned(folder: Path) -> dict[NormalizedName, set[Version]]:
    """Return the versions of all lists of a folder, by package."""
    found: dict[NormalizedName, set[Version]] = {}
    for file in folder.glob("*.txt"):
        for name, version in re.findall(r"^([\w.-]+)==([^\s;]+)", file.read_text("utf-8"), re.M):
            found.setdefault(canonicalize_name(name), set()).add(Version(version))
    return found


def read_advisories(path: Path) -> Iterator[Advisory]:
    """Yield the advisories of an archive or a folder, without those that were withdrawn."""
    if path.is_dir():
        texts: Iterator[bytes] = (file.read_bytes() for file in sorted(path.rglob("*.json")))
    else:
        texts = _members(path)
    for text in texts:
        advisory = json.loads(text)
        if "withdrawn" not in advisory:
            yield advisory


def _members(path: Path) -> Iterator[bytes]:
    with zipfile.ZipFile(path) as archive:
        for name in sorted(archive.namelist()):
            if name.endswith(".json"):
                yield archive.read(name)


def concerned(advisory: Advisory, versions: dict[NormalizedName, set[Version]]) -> Iterator[str]:
    """Yield a line for each version that an advisory concerns."""
    for affected in advisory.get("affected", ()):
        package = affected.get("package", {})
        if package.get("ecosystem") != "PyPI":
            continue
        name = canonicalize_name(package["name"])
        events = [
            each["events"] for each in affected.get("ranges", ()) if each["type"] == "ECOSYSTEM"
        ]
        listed = {version for each in affected.get("versions", ()) if (version := _version(each))}
        for version in versions.get(name, ()):
            if version in listed or any(_is_within(version, each) for each in events):
                mended = [event["fixed"] for each in events for event in each if "fixed" in event]
                remedy = f"mended in {', '.join(mended)}" if mended else "not mended yet"
                summary = advisory.get("summary", "")
                yield f"{name} {version}: {advisory['id']} ({remedy}) {summary}".rstrip()


def _is_within(version: Version, events: list[dict[str, str]]) -> bool:
    """Tell whether a version lies in a range, which its events divide from the lowest on."""
    inside = False
    bounds = [(_version(text), kind) for event in events for kind, text in event.items()]
    for bound, kind in sorted((bound, kind) for bound, kind in bounds if bound is not None):
        if kind == "introduced" and version >= bound:
            inside = True
        elif version > bound or (kind == "fixed" and version == bound):
            inside = False
    return inside


def _version(text: str) -> Version | None:
    try:
        return Version("0.dev0" if text == "0" else text)  # 0 stands for the first there was
    except InvalidVersion:  # some advisories name versions from before PEP 440
        return None


if __name__ == "__main__":
    main()
