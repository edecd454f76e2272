"""Which language a text is in, told by its commonest words: enough to say "this is not English"."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from dataclasses import dataclass

# The commonest function words of each language that occur in few of the others.
_COMMON_WORDS = {
    "en": "the of and to in that for with is by this be or shall any not such from which are",
    "de": "der die und den von das mit des ist für auf dem nicht ein eine wird werden oder sind",
    "fr": "le la les des et du en une que pour dans par est sur qui au aux pas ou ces sont",
    "es": "el la los las de y del que en un una por con para se es su al como sus o",
    "it": "il di e la che per un una del della delle dei le con non si è da nel gli o",
    "pt": "o a os as de e do da que em um uma para com não por no na dos das ou",
    "nl": "de het een van en in is dat op te zijn voor met die niet aan door om of",
    "sv": "och att det som en på är av för med den till ett inte om eller ska har",
    "da": "og at det som en på er af for med den til et ikke om eller skal har",
    "pl": "i w z na do nie się jest że o przez lub od oraz dla jako strony umowy",
    "tr": "ve bir bu için ile olarak da de olan veya tarafından her kadar gibi",
}
_WORDS = {language: frozenset(words.split()) for language, words in _COMMON_WORDS.items()}
_SCRIPTS = {
    "CYRILLIC": "ru",
    "GREEK": "el",
    "ARABIC": "ar",
    "HEBREW": "he",
    "CJK": "zh",
    "HIRAGANA": "ja",
    "KATAKANA": "ja",
    "HANGUL": "ko",
    "THAI": "th",
    "DEVANAGARI": "hi",
}
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
    """Return the language of a script other than Latin that most letters are of."""
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
