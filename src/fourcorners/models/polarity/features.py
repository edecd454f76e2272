"""What tells whether the words that answer a question of yes or no say yes or no.

A question asks whether something is allowed, or required, or so, and may ask it by its opposite
("can they refuse…"); the words that answer it permit, forbid, oblige, spare, confine. Signs are
what both do together, for the whole of the words and for the piece of them that is nearest to the
question, and the plain words of both.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from fourcorners.models.entailment.features import content_stems
from fourcorners.text.patterns import load_patterns

_PATTERNS = load_patterns("fourcorners.models.polarity", "features")
CUE_PATTERNS = {
    "denies": _PATTERNS["denies"],
    "non": _PATTERNS["non"],
    "within": _PATTERNS["within"],
    "may": _PATTERNS["may"],
    "shall": _PATTERNS["shall"],
    "only": _PATTERNS["only"],
    "without": _PATTERNS["without"],
    "unless": _PATTERNS["unless"],
    "entitled": _PATTERNS["entitled"],
    "consent": _PATTERNS["consent"],
    "both": _PATTERNS["both"],
    "measure": _PATTERNS["measure"],
    "if": _PATTERNS["if"],
    "liable": _PATTERNS["liable"],
    "waives": _PATTERNS["waives"],
    "includes": _PATTERNS["includes"],
}
_ASKS = (
    ("exists", _PATTERNS["exists"]),
    ("may", _PATTERNS["allowed"]),
    ("must", _PATTERNS["required"]),
)
_UNASKED = _PATTERNS["unasked"]
_OPPOSITE = _PATTERNS["opposite"]
_US = _PATTERNS["us"]
_THEM = _PATTERNS["them"]
_PIECES = _PATTERNS["pieces"]
_SENTENCES = _PATTERNS["sentences"]
_WORD = re.compile(r"[a-z']+")
_FAINT = 0.5  # what a plain word of a contract counts


def polarity_features(question: str, words: str) -> dict[str, float]:
    """Return the signs of a question and the words that answer it, each with what it counts.

    How a contract is laid out, line breaks and all, says nothing.
    """
    question, words = (" ".join(each.split()) for each in (question, words))
    asked = _WORD.findall(question.casefold())
    last = _SENTENCES.split(question.casefold())[-1].split() or asked or [""]
    asks = next((name for name, pattern in _ASKS if pattern.search(question)), "is")
    turned = "opposite" if _OPPOSITE.search(question) else "plain"
    unasked = "unasked" if _UNASKED.search(question) else "freely"
    who = "us" if _US.search(question) else "them" if _THEM.search(question) else "it"
    found = dict.fromkeys((f"begins {last[0]}", f"begins {' '.join(last[:2])}"), 1.0)
    found |= dict.fromkeys((f"asks {asks}", f"asks {asks} of {who}"), 1.0)
    for name, source_text in (("all", words), ("near", nearest_piece(question, words))):
        cues = [cue for cue, pattern in CUE_PATTERNS.items() if pattern.search(source_text)]
        if "denies" not in cues:
            cues.append("affirms")
        for cue in cues:
            found[f"{name} {cue}"] = 1.0
            found |= dict.fromkeys(
                (
                    f"{name} {cue}, asks {asks}",
                    f"{name} {cue}, {turned}",
                    f"{name} {cue}, {unasked}",
                    f"{name} {cue}, begins {last[0]}",
                    f"{name} {cue}, asks {asks} {turned}",
                ),
                1.0,
            )
    found |= {f"asked {word}": 1.0 for word in asked}
    tokens = _WORD.findall(words.casefold())
    found |= {f"said {each}": _FAINT for each in (*tokens, *_pairs(tokens))}
    found["shared"] = len(set(asked) & set(tokens)) / max(1, len(set(asked)))
    return found


def nearest_piece(question: str, words: str) -> str:
    """Return the piece of some words that has most of a question, the first of equals."""
    asked = set(content_stems(question))
    pieces = [each for each in _PIECES.split(words) if each.strip()]
    return max(pieces, key=lambda each: len(asked & set(content_stems(each))), default=words)


def _pairs(tokens: list[str]) -> Iterator[str]:
    return (f"{first} {second}" for first, second in pairwise(tokens))
