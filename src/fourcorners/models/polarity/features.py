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

CUE_PATTERNS = {
    name: re.compile(pattern, re.IGNORECASE)
    for name, pattern in {
        "denies": r"\b(?:not(?!\s+(?:exceed|less|more|later|unreasonably)\b)|no|nor|neither|"
        r"never|none|cannot|nothing)\b",
        "non": r"\bnon-?\w+",
        "within": r"\b(?:not\s+(?:to\s+)?exceed|limited\s+to|no\s+(?:more|less|later))\b",
        "may": r"\bmay\b(?! not)",
        "shall": r"\b(?:shall|must|will)\b(?! not)",
        "only": r"\b(?:only|solely)\b",
        "without": r"\bwithout\b",
        "unless": r"\b(?:unless|except|provided)\b",
        "entitled": r"\b(?:right|entitled|permitted|free to)\b",
        "consent": r"\b(?:consent|prior written)\b",
        "both": r"\b(?:each party|either party|both parties|parties)\b",
        "measure": r"\b(?:exceed\w*|more than|at least|minimum|maximum)\b",
        "if": r"\b(?:if|in the event)\b",
        "liable": r"\b(?:responsib\w*|liab\w*|indemnif\w*)\b",
        "waives": r"\b(?:waiv\w*|disclaim\w*)\b",
        "includes": r"\b(?:including|in addition)\b",
    }.items()
}
_ALLOWED = re.compile(
    r"\b(?:can|could|may|allowed|free to|permitted|able|entitled|ok|okay)\b", re.IGNORECASE
)
_REQUIRED = re.compile(
    r"\b(?:must|have to|has to|need|required|obliged|should|owe|liable|responsible)\b",
    re.IGNORECASE,
)
_EXISTS = re.compile(
    r"\b(?:is|are)\s+there\b|\b(?:any|a|an)\s+(?:cap|limit|ceiling|minimum|penalty|duty|promise)\b",
    re.IGNORECASE,
)
_UNASKED = re.compile(
    r"\bwithout\b|\b(?:permission|consent|approval|say-so|sign-off|nod)\b", re.IGNORECASE
)
_OPPOSITE = re.compile(
    r"\b(?:not|no|without|never|refuse|stop|only|any|exclusive|all)\b|n['’]t\b", re.IGNORECASE
)
_ASKS = (("exists", _EXISTS), ("may", _ALLOWED), ("must", _REQUIRED))
_US = re.compile(r"\b(?:we|us|our|i|my|me)\b", re.IGNORECASE)
_THEM = re.compile(r"\b(?:they|them|their|he|she)\b", re.IGNORECASE)
_PIECES = re.compile(r"(?<=[;:])\s+|,?\s+(?=(?:provided|except|unless|but|and)\b)")
_SENTENCES = re.compile(r"[.,!;-]\s+")
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
    for name, said in (("all", words), ("near", nearest_piece(question, words))):
        cues = [cue for cue, pattern in CUE_PATTERNS.items() if pattern.search(said)]
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
    told = _WORD.findall(words.casefold())
    found |= {f"said {each}": _FAINT for each in (*told, *_pairs(told))}
    found["shared"] = len(set(asked) & set(told)) / max(1, len(set(asked)))
    return found


def nearest_piece(question: str, words: str) -> str:
    """Return the piece of some words that has most of a question, the first of equals."""
    asked = set(content_stems(question))
    pieces = [each for each in _PIECES.split(words) if each.strip()]
    return max(pieces, key=lambda each: len(asked & set(content_stems(each))), default=words)


def _pairs(told: list[str]) -> Iterator[str]:
    return (f"{first} {second}" for first, second in pairwise(told))
