"""The slots of model wording: `{our party}`, `{governing law}`, `{Affiliate|affiliate}`."""

from __future__ import annotations

import re
from collections.abc import Callable

_SLOT = re.compile(r"\{([^{}]*)\}")
MAX_SLOT = 80  # characters


def slot_problem(text: str) -> str:
    """Say what is wrong with the slots of a wording; empty if nothing is."""
    rest = _SLOT.sub("", text)
    if "{" in rest or "}" in rest:
        return "a brace is not closed, or opens within another"
    for name in slot_names(text):
        if not name or not all(part.strip() for part in name.split("|")):
            return "a slot needs a name, as in {our party}"
        if len(name) > MAX_SLOT:
            return f"a slot's name has at most {MAX_SLOT} characters"
    return ""


def slot_names(text: str) -> list[str]:
    """Return the names between the braces of a wording, in order."""
    return [match[1].strip() for match in _SLOT.finditer(text)]


def fill_slots(text: str, value: Callable[[str, int], str]) -> str:
    """Return a wording with each slot replaced by its value.

    `value` is given the slot's name and its offset in the wording.
    """
    return _SLOT.sub(lambda match: value(match[1].strip(), match.start()), text)
