"""Split a question by rules into its parts, with what each asks for."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

from fourcorners.text.injections import find_injections
from fourcorners.text.patterns import load_patterns
from fourcorners.text.span import Span
from fourcorners.text.stems import IDLE, stems
from fourcorners.text.tokenization import tokenize
from fourcorners.text.values.dates import find_dates
from fourcorners.text.values.periods import find_periods
from fourcorners.text.values.quantities import find_quantities, find_times


class QuestionAspect(StrEnum):
    WHETHER = "whether"
    EXISTS = "whether there is such a clause"
    WHO = "who"
    WHEN = "when"
    HOW_LONG = "how long"
    HOW_MUCH = "how much"
    HOW = "how"
    WHERE = "where"
    WHY = "why"
    CONDITIONS = "on what conditions"
    EXCEPTIONS = "with what exceptions"
    CONSEQUENCE = "what follows"
    WHAT = "what"


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a question that can be answered by itself."""

    text: str
    aspects: tuple[QuestionAspect, ...]

    @property
    def is_whether(self) -> bool:
        return QuestionAspect.WHETHER in self.aspects or QuestionAspect.EXISTS in self.aspects


# What the words that answer hold, by what is asked for.
_VALUES: Mapping[QuestionAspect, Callable[[str, Span], Iterable[object]]] = {
    QuestionAspect.HOW_LONG: find_times,
    QuestionAspect.HOW_MUCH: find_quantities,
    QuestionAspect.WHEN: lambda text, span: [*find_dates(text, span), *find_periods(text, span)],
}


def value_finder(part: Part) -> Callable[[str, Span], Iterable[object]] | None:
    """Return what finds values of the kind that is asked for; None where none is."""
    return next((_VALUES[each] for each in part.aspects if each in _VALUES), None)


def lacks_figure(part: Part, words: Iterable[str]) -> bool:
    """Return whether a time or a number is asked for, and none of these words has any."""
    if part.is_whether or not _FIGURE.search(part.text):
        return False
    is_time = QuestionAspect.HOW_LONG in part.aspects
    finders = (*_VALUES.values(),) if not is_time else (find_times, _VALUES[QuestionAspect.WHEN])
    texts = [*words]
    return not any(
        True for text in texts for find in finders for _ in find(text, Span(0, len(text)))
    )


NO_QUESTION = (
    "Ask in words what a contract says: “How much notice must we give?”, “Which contracts renew "
    "automatically?”."
)
"""What a question is, for who asked none."""


def is_question(text: str) -> bool:
    """Return whether words ask anything: there are some, and they give the program no orders."""
    return bool(tokenize(text).tokens) and not find_injections(text)


_WH = (
    r"(?:what|which|who|whom|whose|when|where|how|why|whether|under what|on what|in what|at what|"
    r"to whom|by whom|for how)"
)
AUXILIARY = (
    r"(?:is|are|was|were|do|does|did|can|could|may|might|must|shall|should|will|would|has|have|had)"
)
_PAPER = r"(?:contract|agreement|document|lease|licen[cs]e|nda|policy|deed|order)"
_ITSELF = rf"(?:it|this|(?:this|the|that|our|my|your)\s+(?:\w+\s+)?{_PAPER})"
_HOLDS = r"(?:contain|include|provide|have|mention|specify|state|say|indicate|address|cover)s?"
_APART = re.compile(
    rf"(?<=\?)\s+|\s*;\s+(?=(?:and\s+)?{_WH}\b)|,?\s+and\s+(?:if so,?\s+)?(?={_WH}\b\s)|"
    rf",?\s+and\s+(?:if so,?\s+)?(?=(?:{_WH})\?|(?:by|at|to|from|in|on)\s+(?:how|what|which)\b|"
    rf"{AUXILIARY}\s+(?:the|a|an|any|either|it|they|we|i|you|there|this|that|each|one|both)\b)|"
    r",?\s+if so,?\s+",
    re.IGNORECASE,
)
_PATTERNS = load_patterns("fourcorners.research", "question")
# "Is it owed, although the contract excludes it?": what is conceded must be looked up, too.
_CONCEDED = _PATTERNS["conceded"]
_POINTS_BACK = _PATTERNS["points_back"]
_DEFINITE = _PATTERNS["definite"]
_FIGURE = _PATTERNS["figure"]
_KNOWN = (
    (
        QuestionAspect.EXISTS,
        re.compile(
            rf"^(?:is|are|was)\s+there\b|^{AUXILIARY}\s+{_ITSELF}\s+{_HOLDS}\b", re.IGNORECASE
        ),
    ),
    (QuestionAspect.EXCEPTIONS, _PATTERNS["exceptions"]),
    (QuestionAspect.CONDITIONS, _PATTERNS["conditions"]),
    (QuestionAspect.CONSEQUENCE, _PATTERNS["consequence"]),
    (QuestionAspect.HOW_LONG, _PATTERNS["how_long"]),
    (QuestionAspect.HOW_MUCH, _PATTERNS["how_much"]),
    (QuestionAspect.WHEN, _PATTERNS["when"]),
    (QuestionAspect.WHO, _PATTERNS["who"]),
    (QuestionAspect.WHERE, _PATTERNS["where"]),
    (QuestionAspect.WHY, _PATTERNS["why"]),
    (QuestionAspect.HOW, _PATTERNS["how"]),
)
_ASKS_WHETHER = re.compile(rf"^(?:whether\b|{AUXILIARY}(?:n't|n’t)?\s)", re.IGNORECASE)
# "In year four, can we walk?", "They sold our list: is that allowed?"
_AFTER_ALL = re.compile(
    r"(?:[,.!:;]|\s[-–—])\s+"
    rf"(?P<asked>{AUXILIARY}(?:n't|n’t)?\s[^?.!]*)\?*$",
    re.IGNORECASE,
)
_LEAD = _PATTERNS["lead"]
_BARE = frozenset(
    ("condit", "except", "circumst", "case", "basi", "notic", "period", "happen", "long", "soon")
)
_SO_THAT = _PATTERNS["so_that"]
_OPENS = re.compile(rf"^(?:{_WH})\b", re.IGNORECASE)


def split_question(question: str) -> tuple[Part, ...]:
    """Return the parts of a question, in order; at least one.

    What a part leaves unsaid ("and when?") it takes from the one before it.
    """
    plain_text = " ".join(question.split())
    lead = _LEAD.match(plain_text)
    plain_text = lead["rest"] if lead else plain_text
    parts: list[Part] = []
    first = ""
    for piece in (one for cut in _APART.split(plain_text) for one in _find_concession(cut)):
        words = piece.strip(" ,;")
        if not words:
            continue
        before = first.rstrip(" ?")
        if before and _is_incomplete(words, before):
            whole = f"{words.rstrip(' ?')}: {before[:1].casefold()}{before[1:]}?"
            parts.append(replace(_part(words), text=whole))
        else:
            parts.append(_part(words))
            first = words
    return tuple(parts) or (_part(plain_text),)


def _find_concession(piece: str) -> tuple[str, ...]:
    """Return a question and what it concedes, which becomes a yes-or-no question as well."""
    found = _CONCEDED.search(piece)
    if found is None:
        return (piece,)
    return piece, f"Is it so that {found['what']}?"


def _is_incomplete(words: str, before: str) -> bool:
    """Return whether a part of a question is too short to be understood by itself.

    It may have no content ("and when?"), or refer to what the question before it named.
    """
    if _SO_THAT.match(words):
        return False
    if (_OPENS.match(words) and lacks_content(words)) or _POINTS_BACK.search(words):
        return True
    named = {stem for noun in _DEFINITE.findall(words) for stem in stems(noun)}
    return bool(named & set(stems(before)))


def lacks_content(words: str) -> bool:
    """Return whether words name nothing that could be looked up: "on what notice?"."""
    return all(stem in IDLE or stem in _BARE for stem in stems(words))


def _part(words: str) -> Part:
    found = [aspect for aspect, pattern in _KNOWN if pattern.search(words)]
    after_all, opens = _AFTER_ALL.search(words), _OPENS.match(words)
    is_when = opens is None or opens[0].casefold() == "when"
    if after_all and words[after_all.start()] == "," and not is_when:
        after_all = None  # "Which, if any, may we end?"
    asked = after_all["asked"] if after_all else words
    whether = bool(_ASKS_WHETHER.match(asked))
    if not whether:
        found = [aspect for aspect in found if aspect is not QuestionAspect.EXISTS]
    elif QuestionAspect.EXISTS not in found:
        found.insert(0, QuestionAspect.WHETHER)
    return Part(words, tuple(found or [QuestionAspect.WHAT]))
