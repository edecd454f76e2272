"""Find how a contract's term is renewed: by itself, by choice, or by agreement."""

from __future__ import annotations

from fourcorners.outline.card.card import Renewal, RenewalManner, Value
from fourcorners.outline.card.values.candidates import statement_around
from fourcorners.text.patterns import load_patterns
from fourcorners.text.span import Span
from fourcorners.text.values.numbers import parse_number

_PATTERNS = load_patterns("fourcorners.outline.card", "renewals")
_MANNERS = (  # the most certain first: one that renews by itself may also be extended by choice
    (RenewalManner.AUTOMATIC, _PATTERNS["automatic"]),
    (RenewalManner.CHOICE, _PATTERNS["choice"]),
    (RenewalManner.AGREEMENT, _PATTERNS["agreement"]),
)


def find_renewal(text: str, value: Value | None = None) -> Renewal | None:
    """Return how the term is renewed, with the words; None if there are none.

    `value` is the length of a renewal; if it is asserted, its statement says how. Without it all
    words of renewal count, even if their manner is unclear: a contract that may renew is never
    assumed to have ended.
    """
    if value is not None and value.parts:  # its sentence; in it, somebody has a choice, or nobody
        words = _plain(text, value.parts[0])
        manner = RenewalManner.AUTOMATIC if value.asserted else _manner(words)
        return _renewal(manner, words, value.parts[0], asserted=value.asserted)
    if value is not None and value.asserted:
        span = statement_around(text, value.span).strip(text)
        words = _plain(text, span)
        return _renewal(_manner(words), words, span, asserted=True)
    found: dict[RenewalManner, Span] = {}
    for match in _PATTERNS["renews"].finditer(text):
        span = statement_around(text, Span(*match.span())).strip(text)
        words = _plain(text, span)
        if _PATTERNS["term"].search(words) and not _PATTERNS["denied"].search(words):
            found.setdefault(_manner(words), span)
    if not found:
        return None
    manner = min(found, key=[*RenewalManner].index)
    return _renewal(manner, _plain(text, found[manner]), found[manner], asserted=False)


def _renewal(manner: RenewalManner, words: str, span: Span, *, asserted: bool) -> Renewal:
    times = _times(words)
    again = times is None and _PATTERNS["again"].search(words) is not None
    return Renewal(manner, times, span, asserted, again)


def _plain(text: str, span: Span) -> str:
    return " ".join(span.text_in(text).lower().split())


def _manner(words: str) -> RenewalManner:
    found = (manner for manner, pattern in _MANNERS if pattern.search(words))
    return next(found, RenewalManner.UNCLEAR)


def _times(words: str) -> int | None:
    """Return how many renewals there may be; None if no number is given."""
    counted = _PATTERNS["times"].search(words)
    if counted:
        count = parse_number(counted["count"])
        return None if count is None else int(count)
    if _PATTERNS["again"].search(words):
        return None
    return 1 if _PATTERNS["once"].search(words) else None
