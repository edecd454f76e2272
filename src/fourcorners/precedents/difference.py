"""How a precedent differs from a draft, word by word."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import SequenceMatcher
from enum import StrEnum

from fourcorners.text.patterns import load_patterns

_PATTERNS = load_patterns("fourcorners.precedents", "difference")
_PIECE = _PATTERNS["piece"]
_NO_SPACE = _PATTERNS["no_space"]


class Change(StrEnum):
    """How to change the draft into the precedent."""

    SAME = "same"
    ADDED = "added"
    REMOVED = "removed"


@dataclass(frozen=True, slots=True)
class DifferencePiece:
    """Words in a row that are the same, added or removed."""

    change: Change
    text: str


def word_difference(draft: str, precedent: str) -> list[DifferencePiece]:
    """Return the pieces that lead from a draft to a precedent; case and spaces do not differ."""
    old, new = _PIECE.findall(draft), _PIECE.findall(precedent)
    matcher = SequenceMatcher(
        None, [each.casefold() for each in old], [each.casefold() for each in new], autojunk=False
    )
    pieces = []
    for kind, i1, i2, j1, j2 in matcher.get_opcodes():
        if kind == "equal":
            pieces.append(DifferencePiece(Change.SAME, join_words(new[j1:j2])))
            continue
        if i2 > i1:
            pieces.append(DifferencePiece(Change.REMOVED, join_words(old[i1:i2])))
        if j2 > j1:
            pieces.append(DifferencePiece(Change.ADDED, join_words(new[j1:j2])))
    return pieces


def join_words(words: list[str]) -> str:
    text = ""
    for word in words:
        text += word if not text or _NO_SPACE.match(word) or text[-1] in "([“$" else f" {word}"
    return text


def similarity(pieces: list[DifferencePiece]) -> float:
    """Return the share of the words of both that are the same, 0 to 1."""
    counts = dict.fromkeys(Change, 0)
    for piece in pieces:
        counts[piece.change] += len(piece.text.split())
    whole = 2 * counts[Change.SAME] + counts[Change.ADDED] + counts[Change.REMOVED]
    return 2 * counts[Change.SAME] / whole if whole else 1.0
