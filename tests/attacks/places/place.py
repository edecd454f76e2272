"""A place in a file, and what becomes of words that stand there."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from html import escape

from tests.attacks.room import CONTRACT, PLACE

NEUTRAL = "Reserved."
PARAGRAPHS = tuple(" ".join(each.split()) for each in CONTRACT.split("\n\n"))
BEFORE = PARAGRAPHS[: PARAGRAPHS.index(PLACE)]
AFTER = PARAGRAPHS[PARAGRAPHS.index(PLACE) :]


class Reach(StrEnum):
    """How far words get from where they stand in a file."""

    SHOWN = "shown"  # into the text: a reader sees them
    HIDDEN = "hidden"  # into the text, marked: no reader sees them
    STRUCK = "struck"  # into the text, marked: a line is drawn through them
    MARK = "mark"  # into a mark next to the text: a comment, a deletion
    NOWHERE = "nowhere"  # no further than the file

    @property
    def in_text(self) -> bool:
        """Tell whether the words are part of the document's text."""
        return self in (Reach.SHOWN, Reach.HIDDEN, Reach.STRUCK)


@dataclass(frozen=True, slots=True)
class Place:
    """A place of a format: `build` makes the contract with words there, as a file."""

    suffix: str
    name: str
    reach: Reach
    build: Callable[[str], bytes]
    says: Callable[[str], str] = str  # what of the words there is to be read there

    @property
    def id(self) -> str:
        """Return what a test calls it."""
        return f"{self.suffix} {self.name}"


def packed(parts: Mapping[str, str]) -> bytes:
    """Return an archive of texts."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return out.getvalue()


def lines(words: str) -> list[str]:
    """Return the lines of some words, as markup."""
    return [escape(each) for each in words.split("\n")]


def inline(words: str) -> str:
    """Return some words as markup on one line."""
    return " ".join(lines(words))
