"""Words by which a contract qualifies what it says: conditions, exceptions, provisos."""

from __future__ import annotations

from dataclasses import dataclass

from fourcorners.text.patterns import load_patterns
from fourcorners.text.span import Span

_PATTERNS = load_patterns("fourcorners.research.companions", "qualifiers")
_KNOWN = (("exception", _PATTERNS["exception"]), ("condition", _PATTERNS["condition"]))
_END = _PATTERNS["end"]
_LONGEST = 400  # characters of a condition
_APART = 12  # characters within which two cues are one


@dataclass(frozen=True, slots=True)
class Qualifier:
    """A qualification; `kind` is "condition" or "exception", `cue` the words that mark it."""

    kind: str
    cue: str
    span: Span


def find_qualifiers(text: str, within: Span) -> list[Qualifier]:
    """Return the qualifications of a part of a text, in order, each from its cue to its end."""
    cues = sorted(
        (match.start(), match.end(), kind)
        for kind, pattern in _KNOWN
        for match in pattern.finditer(text, within.start, within.end)
    )
    found: list[Qualifier] = []
    for start, after, kind in cues:
        if found and start < found[-1].span.start + _APART:
            continue
        end = _END.search(text, after, within.end)
        stop = min(end.start() if end else within.end, start + _LONGEST)
        if stop == start + _LONGEST:
            stop = text.rfind(" ", after, stop) if text.rfind(" ", after, stop) > after else stop
        span = Span(start, max(after, stop)).strip(text)
        found.append(Qualifier(kind, " ".join(text[start:after].split()), span))
    return found
