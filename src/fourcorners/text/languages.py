"""Detect the language of a text by its most frequent words, well enough to recognise English."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from fourcorners.text.patterns import load_yaml

_DATA = load_yaml(Path(__file__).with_suffix(".yaml").read_text("utf-8"))
_WORDS = {language: frozenset(words.split()) for language, words in _DATA["words"].items()}
_SCRIPTS: dict[str, str] = _DATA["scripts"]
_SAMPLE_LENGTH = 60_000  # characters of a long text
_MIN_WORDS = 40  # words, below which nothing is said
_MIN_SHARE = 0.12  # of the words that must be a language's commonest
_WORD = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True, slots=True)
class Language:
    """A language as a BCP 47 tag, and the share of the text that speaks for it, 0 to 1."""

    tag: str
    share: float


def detect_language(text: str) -> Language | None:
    """Return the language of a text; None for a text too short or too odd to tell.

    Beginning, middle and end are read of a long text. Scripts that one language or family owns
    name it by its commonest language.
    """
    sample = _sample(text)
    script = _script_language(sample)
    if script is not None:
        return script
    words = [word.casefold() for word in _WORD.findall(sample)]
    if len(words) < _MIN_WORDS:
        return None
    counts = Counter(words)
    shares = {
        language: sum(counts[word] for word in known) / len(words)
        for language, known in _WORDS.items()
    }
    best = max(sorted(shares), key=lambda language: shares[language])
    return Language(best, round(shares[best], 3)) if shares[best] >= _MIN_SHARE else None


def _sample(text: str) -> str:
    if len(text) <= _SAMPLE_LENGTH:
        return text
    part, middle = _SAMPLE_LENGTH // 3, len(text) // 2
    return " ".join((text[:part], text[middle : middle + part], text[-part:]))


def _script_language(sample: str) -> Language | None:
    letters = [character for character in sample[:6_000] if character.isalpha()]
    foreign = [character for character in letters if character > "\u024f"]
    if len(letters) < _MIN_WORDS or len(foreign) * 2 < len(letters):
        return None
    names = Counter(unicodedata.name(character, "").split(" ")[0] for character in foreign)
    found = [name for name in names if name in _SCRIPTS]
    if not found:
        return None
    if {"HIRAGANA", "KATAKANA"} & set(found):  # Japanese has Chinese characters too
        return Language("ja", round(len(foreign) / len(letters), 3))
    best = max(found, key=lambda name: names[name])
    return Language(_SCRIPTS[best], round(names[best] / len(letters), 3))
