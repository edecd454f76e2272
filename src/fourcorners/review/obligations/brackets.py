"""Match the brackets of a sentence, without those of list numbers such as "b)"."""

from __future__ import annotations

from collections.abc import Iterator

from fourcorners.text.patterns import load_patterns
from fourcorners.text.span import Span

_PATTERNS = load_patterns("fourcorners.review.obligations", "brackets")


def find_bracket_end(text: str, within: Span) -> int | None:
    """Return where words first close a bracket that they do not open."""
    return next((at for at, depth in _follow(text, within) if depth < 0), None)


def is_in_brackets(text: str, within: Span, at: int) -> bool:
    """Return whether a place in words is within brackets that these open and close."""
    depth, is_open = 0, False
    for offset, deep in _follow(text, within):
        if offset >= at and not is_open:
            is_open = depth > 0
            if not is_open:
                return False
        if is_open and deep <= 0:
            return True
        depth = deep
    return False


def strip_bracket(text: str, words: Span) -> str:
    """Return words without a bracket that is opened before them."""
    end = find_bracket_end(text, words)
    if end is None:
        return words.text_in(text)
    return f"{text[words.start : end]}{text[end + 1 : words.end]}"


def _follow(text: str, within: Span) -> Iterator[tuple[int, int]]:
    """Yield each bracket with the depth after it, to one that nothing opens."""
    depth = 0
    for at in range(within.start, within.end):
        if text[at] not in "()":
            continue
        if text[at] == "(":
            depth += 1
        elif depth or not _PATTERNS["number"].search(text, max(0, at - 5), at):
            depth -= 1
        yield at, depth
        if depth < 0:
            return
