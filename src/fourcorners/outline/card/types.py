"""The types of contracts, and the words of a title that identify them."""

from __future__ import annotations

import re
from pathlib import Path

from fourcorners.text.yaml_data import load_yaml

_KINDS = load_yaml(Path(__file__).with_suffix(".yaml").read_text("utf-8"))
KINDS: tuple[str, ...] = tuple(dict.fromkeys(each["kind"] for each in _KINDS))
_PATTERNS = tuple(
    (each["kind"], re.compile(rf"\b(?:{each['words']})", re.IGNORECASE)) for each in _KINDS
)


def contract_type(words: str) -> tuple[str, re.Match[str]] | None:
    for name, pattern in _PATTERNS:
        match = pattern.search(words)
        if match:
            return name, match
    return None


def contract_types(words: str) -> frozenset[str]:
    return frozenset(name for name, pattern in _PATTERNS if pattern.search(words))
