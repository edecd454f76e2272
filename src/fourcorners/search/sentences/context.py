"""How a sentence is shown to a model that reads it beside a question: with what it stands under."""

from __future__ import annotations

from fourcorners.search.sentences.units import PreparedDocument
from fourcorners.text.patterns import load_patterns

MAX_HEADINGS = 2
"""How many of the headings above a sentence stand in front of it, the innermost."""
MAX_LEAD = 160
"""Characters of the words that open its list, at most, from their end."""
_AHEAD = 12  # sentences before it among which those words are looked for
_PATTERNS = load_patterns("fourcorners.search.sentences", "context")
_ITEM = _PATTERNS["item"]
_OPEN = _PATTERNS["open"]


def sentence_in_context(units: PreparedDocument, at: int) -> str:
    """Return a sentence below its headings, an item of a list after what opens the list."""
    unit = units.units[at]
    headings = [each.text_in(units.text) for each in units.headings[unit.passage][-MAX_HEADINGS:]]
    words = unit.span.text_in(units.text)
    lead = _lead(units, at) if _ITEM.match(words) else ""
    above = " / ".join(" ".join(each.split()) for each in headings)
    return "\n".join(each for each in (above, f"{lead} {' '.join(words.split())}".strip()) if each)


def _lead(units: PreparedDocument, at: int) -> str:
    """Return the end of the words that open the list in which a sentence stands."""
    clause = units.clause_of[units.units[at].passage]
    for before in range(at - 1, max(-1, at - 1 - _AHEAD), -1):
        unit = units.units[before]
        if units.clause_of[unit.passage] != clause:
            return ""
        words = " ".join(unit.span.text_in(units.text).split())
        if _OPEN.search(words) and not _ITEM.match(words):
            return words[-MAX_LEAD:].split(" ", 1)[-1] if len(words) > MAX_LEAD else words
    return ""
