from __future__ import annotations

import re
from pathlib import Path

import pytest

import fourcorners
from fourcorners.text.patterns import FILE, load_patterns, pattern_entries

SOURCE = Path(fourcorners.__file__).parent
PACKAGES = [
    ".".join(("fourcorners", *path.parent.relative_to(SOURCE).parts))
    for path in sorted(SOURCE.rglob(FILE))
]


@pytest.mark.parametrize("package", PACKAGES)
def test_each_pattern_matches_its_example_and_not_what_stands_close(package: str) -> None:
    for module, entries in pattern_entries(package).items():
        patterns = load_patterns(package, module)
        for name, entry in entries.items():
            assert patterns[name].search(entry["matches"]), (module, name)
            assert not patterns[name].search(entry["rejects"]), (module, name)


@pytest.mark.parametrize("package", PACKAGES)
def test_each_pattern_is_used(package: str) -> None:
    folder = SOURCE.joinpath(*package.split(".")[1:])
    for module, entries in pattern_entries(package).items():
        text = (folder / f"{module}.py").read_text("utf-8")
        assert f'load_patterns("{package}", "{module}")' in text
        assert set(re.findall(r'_PATTERNS\["(\w+)"\]', text)) == entries.keys(), module
