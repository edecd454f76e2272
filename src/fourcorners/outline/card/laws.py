"""Find the governing law that a contract chooses."""

from __future__ import annotations

import re
from itertools import islice
from pathlib import Path

from fourcorners.outline.card.card import Fact
from fourcorners.text.patterns import load_patterns, load_yaml
from fourcorners.text.span import Span

_DATA = load_yaml(Path(__file__).with_suffix(".yaml").read_text("utf-8"))
_ADJECTIVES: dict[str, str] = _DATA["adjectives"]
_SAME: dict[str, str] = _DATA["same"]
_NAMES = r"\s+".join(re.sub(r"\s*\|\s*", "|", _DATA["places"]).replace(".", r"\.").split())
_PLACE = rf"(?P<place>(?i:{_NAMES}))\b"
_ADJECTIVE = "|".join(map(re.escape, _ADJECTIVES))
_ANYWHERE = re.compile(rf"(?<!\w)(?:{_PLACE}|(?P<adjective>{_ADJECTIVE})\b)")
_PATTERNS = load_patterns("fourcorners.outline.card", "laws")
_LAW_OF = re.compile(
    r"\b(?i:laws?|legislation|regulations)(?:\s+(?i:and\s+(?:regulations|jurisdiction|rules)))?[^.;]{0,60}?\b(?i:of|in)\s+"
    rf"(?:[^.;,()]{{0,60}}?\b)?{_PLACE}"
)
_PLACE_LAW = re.compile(
    rf"(?:{_PLACE}(?:\s+(?i:state))?|(?P<adjective>{_ADJECTIVE}))\s+(?i:substantive\s+)?"
    r"(?i:laws?)\b"
)
# The law before the words that choose it.
_LAW_GOVERNS = re.compile(
    rf"\b(?i:laws?|legislation)\s+(?i:of|in)\s+(?:[^.;,()]{{0,40}}?\b)?{_PLACE}[^.;]{{0,60}}?\b(?i:shall|will|must)?\s*"
    r"(?i:governs?|controls?|appl(?:y|ies))\b"
)
_PLACE_LAW_GOVERNS = re.compile(
    rf"\b(?:{_PLACE}|(?P<adjective>{_ADJECTIVE}))\s+[Ll]aw\s+"
    r"(?:shall\s+|will\s+)?(?:govern|control|appl)(?:s|ies|y)?\b"
)
_PLACE_THEN_THEREOF = re.compile(
    rf"\b(?i:state|commonwealth|province)\s+(?i:of)\s+{_PLACE}[^.;]{{0,80}}?\bgoverned\b[^.;]{{0,60}}?\blaws\s+"
    r"(?:thereof|of\s+(?:such|that|said)\s+(?:state|commonwealth|province))\b"
)
_ALSO = re.compile(
    rf"[^.;()]{{0,20}}?\band\s+(?:of\s+)?(?:the\s+)?(?i:state|commonwealth)\s+(?i:of)\s+{_PLACE}"
)
# "… of Delaware or Texas": a further jurisdiction of the same words.
_OR = re.compile(rf"\s*(?:,|\b(?:and|or)\b)\s*(?:of\s+)?(?:the\s+)?{_PLACE}")
_MOST = 1_000  # words of choice that are examined; a contract has a few dozen
_WEIGHED = 300  # words of choice with a law nearby
_SURE, _LIKELY = 0.95, 0.6  # the limit of the search, and of the search for other wordings
_REACH = 350  # characters between the words of choice and the jurisdiction, at most


def find_governing_law(text: str) -> Fact[str] | None:
    """Find the law that governs the contract; the span covers the words that choose it."""
    best: Fact[str] | None = None
    weighed = 0
    for match in islice(_PATTERNS["chooses"].finditer(text), _MOST):
        low = match.group().lower()
        window = min(len(text), match.end() + _REACH)
        if not _PATTERNS["law"].search(text, match.end(), window):
            continue
        weighed += 1
        if weighed > _WEIGHED:
            break
        found = _LAW_OF.search(text, match.end(), window)
        other = _PLACE_LAW.search(text, match.end(), window)
        if other and (found is None or other.start() < found.start()):
            found = other
        if found is None or _PATTERNS["unless"].search(text[match.end() : found.start()]):
            continue
        between = text[match.end() : found.start()]
        sure = 0.9 if low.startswith("govern") else 0.85 if low.startswith("constr") else 0.5
        sure -= 0.2 * bool(re.search(r"[.;]\s", between)) + 0.1 * (len(between) > 200)
        own = _PATTERNS["of_this"].search(text, max(0, match.start() - 200), match.start())
        sure += 0.07 if own else -0.1
        named = _ALSO.match(text, found.end()) if _name(found) == "United States" else None
        if best is None or sure > best.confidence + 0.05:
            span = Span(match.start(), (named or found).end())
            best = Fact(_name(named or found), span, round(sure, 2))
        if best.confidence >= _SURE:
            break
    return best if best and best.confidence >= _LIKELY else _turned(text) or best


def named_laws(words: str) -> frozenset[str]:
    """Return the jurisdictions whose law words name, called as `find_governing_law` calls them."""
    found: set[str] = set()
    for first in (each for laws in (_LAW_OF, _PLACE_LAW) for each in laws.finditer(words)):
        named = None if _PATTERNS["unless"].search(words[: first.start()]) else first
        while named:
            found.add(_name(named))
            named = _OR.match(words, named.end())
    return frozenset(found)


def named_places(text: str, within: Span) -> frozenset[str]:
    """Return the jurisdictions that a part of a text names, and what they are parts of."""
    found = (_name(each) for each in _ANYWHERE.finditer(text, within.start, within.end))
    return frozenset(part for name in found for part in name.split(" and "))


def _turned(text: str) -> Fact[str] | None:
    for pattern in (_LAW_GOVERNS, _PLACE_LAW_GOVERNS, _PLACE_THEN_THEREOF):
        if found := pattern.search(text):
            return Fact(_name(found), Span(*found.span()), 0.8)
    return None


def _name(match: re.Match[str]) -> str:
    adjective = match.groupdict().get("adjective")
    if adjective:
        return _ADJECTIVES[adjective]
    words = " ".join((match.group("place") or "").split())
    named = " ".join(
        word if word in ("of", "and", "&") else word.capitalize() for word in words.lower().split()
    )
    return _SAME.get(named, named)
