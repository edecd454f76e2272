"""Whether two sentences have the same words, but for those that carry no meaning.

An article may be dropped, "this" be "the", "shall" be "must" or "will", or the verb alone, and an
opening such as "for the avoidance of doubt" be missing. All other words and marks are the same and
in the same order.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from fourcorners.models.entailment.features import DENIALS
from fourcorners.text.patterns import load_patterns

_PATTERNS = load_patterns("fourcorners.research.agents", "same_words")
_OPENING = _PATTERNS["opening"]
_TOKEN = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*|[^\w\s]|_+")
_ARTICLES = frozenset(("a", "an", "the", "this"))
_DEFINITE = {"the", "this"}
_COUNTED = frozenset(("few", "little"))  # "a few" are some, "few" are hardly any
_SAME_DUTY = {"shall": {"must", "will"}, "must": {"shall", "will"}}
_PRESENT = {"be": ("is", "are"), "have": (), "not": ()}  # "shall have paid" is no "has paid"
_AHEAD = 4  # words that decide about one; a name that a pronoun is for has at most as many
_MOST_PLACES = 4_000  # that are tried: ten sentences long
_PAUSES = frozenset((",", ";", ":"))
_PRONOUNS = frozenset(("it", "its", "they", "their", "them", "he", "she", "his", "her", "him"))
_NO_NAME = DENIALS | frozenset(
    ("and", "or", "but", "if", "unless", "except", "may", "shall", "must", "will", "can")
)
_DENIED = {"does", "do"}  # "does not pay" for "shall not pay"


def has_same_words(statement: str, words: str) -> bool:
    """Tell whether a statement has the words of a sentence, but for those without meaning."""
    return _is_match(statement, words, is_close=False)


def has_close_words(statement: str, words: str) -> bool:
    """Tell the same of the beginning of a sentence, or of one with pronouns for its names.

    Whom a pronoun means is open: such a statement may be false, and is on the sentence's subject.
    """
    return _is_match(statement, words, is_close=True)


def _is_match(statement: str, words: str, *, is_close: bool) -> bool:
    own, quoted = _tokens(statement), _tokens(words)
    places = [(0, 0)]
    seen: set[tuple[int, int]] = set()
    while places and len(seen) < _MOST_PLACES:
        place = at, start = places.pop()
        if place in seen:
            continue
        seen.add(place)
        if at == len(own):
            if start == len(quoted) or (is_close and at and quoted[start] in _PAUSES):
                return True
        elif start < len(quoted):
            ahead = own[at : at + _AHEAD], quoted[start : start + _AHEAD]
            steps = [_step(*ahead), *(_names(*ahead) if is_close else ())]
            places += [(at + step[0], start + step[1]) for step in steps if step]
    return False


def _names(own: Sequence[str], quoted: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yield how many words may be a name of which the other sentence has a pronoun."""
    for pronoun, name, is_own in ((own, quoted, True), (quoted, own, False)):
        if pronoun[0] in _PRONOUNS:
            for count in range(1, len(name) + 1):
                if not name[count - 1][0].isalpha() or name[count - 1] in _NO_NAME:
                    break
                yield (1, count) if is_own else (count, 1)


def _tokens(text: str) -> list[str]:
    """Return words and marks in small letters, but for the A of "Schedule A" and of "(a)"."""
    opening = _OPENING.match(text)
    found = _TOKEN.findall(text[opening.end() :] if opening else text)
    tokens = [each.casefold() for each in found]
    for at, each in enumerate(found):
        is_name = at > 0 and each == "A"
        follows = tokens[at + 1] if at + 1 < len(tokens) else ")"
        if tokens[at] in _ARTICLES and (is_name or follows in (")", ".", *_COUNTED)):
            tokens[at] = each.upper()
    if len(tokens) > 1 and tokens[1] == ",":  # "Otherwise, the Mill pays"
        del tokens[1]
    return tokens


def _step(own: Sequence[str], quoted: Sequence[str]) -> tuple[int, int] | None:
    """Return how many words of each are the same next; None if they differ."""
    one, other = own[0], quoted[0]
    if one.casefold() == other.casefold():
        return 1, 1
    if one in _ARTICLES and other in _ARTICLES:
        return (1, 1) if {one, other} == _DEFINITE else None
    if other in _ARTICLES:
        return 0, 1
    if one in _ARTICLES:
        return 1, 0
    if one in _SAME_DUTY.get(other, ()):
        return 1, 1
    return _present(own, quoted) if other == "shall" and len(quoted) > 1 else None


def _present(own: Sequence[str], quoted: Sequence[str]) -> tuple[int, int] | None:
    """Read "pays" for "shall pay", "is not" for "shall not be", "does not" for "shall not"."""
    one, verb = own[0], quoted[1]
    if verb == "not" and own[1:2] == ["not"]:
        if one in _PRESENT["be"] and quoted[2:3] == ["be"]:
            return 2, 3
        return (2, 2) if one in _DENIED else None
    forms = _PRESENT.get(verb, (verb, f"{verb}s", f"{verb}es", f"{verb[:-1]}ies"))
    return (1, 2) if one in forms else None
