"""YAML that comes with the package, and regular expressions as data: `patterns.yaml` of a room.

Each expression has the words that it must match and words close to them that it must not.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

import yaml

FILE = "patterns.yaml"


def load_patterns(package: str, module: str) -> Mapping[str, re.Pattern[str]]:
    return {
        name: re.compile(*_expression(entry))
        for name, entry in pattern_entries(package)[module].items()
    }


@cache
def pattern_entries(package: str) -> Mapping[str, Mapping[str, Mapping[str, Any]]]:
    text = files(package).joinpath(FILE).read_text(encoding="utf-8")
    return load_yaml(text)  # type: ignore[no-any-return]


def _expression(entry: Mapping[str, Any]) -> tuple[str, int]:
    flags = sum(re.RegexFlag[flag.upper()] for flag in entry.get("flags", ""))
    return "".join(entry["pattern"].splitlines()), int(flags)


_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def load_yaml(text: str) -> Any:  # noqa: ANN401 - whatever it holds
    """Return the data of a YAML text.

    Raises:
        YAMLError: If it is not YAML.
    """
    return yaml.load(text, _LOADER)  # noqa: S506 - both loaders are safe
