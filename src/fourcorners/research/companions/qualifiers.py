"""Words by which a contract qualifies what it says: conditions, exceptions, provisos."""

from __future__ import annotations

import re
from dataclasses import dataclass

from fourcorners.text.span import Span

_EXCEPTION = (
    r"\bnotwithstanding\b|\bexcept(?:\s+(?:as|for|that|where|to\s+the\s+extent))?\b|\bsave\s+"
    r"(?:as|for|that|where)\b|\bother\s+than\b|\bexcluding\b|\b(?:does|shall)\s+not\s+apply\b|"
    r"\bwithout\s+prejudice\s+to\b"
)
_CONDITION = (
    r"\bsubject\s+to\b|\bprovided(?:,)?\s+(?:however,?\s+)?(?:further,?\s+)?that\b|\bprovided\s+"
    r"always\b|\bonly\s+if\b|\bif\s+and\s+only\s+if\b|"
    r"(?<!\bas\s)(?<!\beven\s)\bif\b(?!\s+(?:any|applicable|so|not)\b)|"
    r"\bunless\b|\bon\s+condition\s+that\b|\bto\s+the"
    r"\s+extent\s+(?:that|permitted)\b|\bso\s+long\s+as\b|\bas\s+long\s+as\b|\bin\s+the\s+event\s+"
    r"(?:that|of)\b|\bwith(?:out)?\s+(?:the\s+)?prior\s+(?:written\s+)?(?:consent|approval|notice)\b|"
    r"\bupon\s+(?:\w+\s+){0,5}?(?:notice|consent|payment|request)\b"
)
_KNOWN = (
    ("exception", re.compile(_EXCEPTION, re.IGNORECASE)),
    ("condition", re.compile(_CONDITION, re.IGNORECASE)),
)
_END = re.compile(r"[;.](?=\s|$)|,\s+(?=(?:provided|except|unless|subject)\b)", re.IGNORECASE)
_LONGEST = 400  # characters of a condition
_APART = 12  # characters within which two cues are one


@dataclass(frozen=True, slots=True)
class Qualifier:
    """A qualification; `kind` is "condition" or "exception", `cue` the words that mark it."""

    kind: str
    cue: str
    span: Span


def find_qualifiers(text: str, within: Span) -> list[Qualifier]:
    """Return how a part of a text is qualified, in order: from each cue to where it ends."""
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
