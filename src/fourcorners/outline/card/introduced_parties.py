"""Find who is given a short name without introductory words such as "between"."""

from __future__ import annotations

from collections.abc import Iterator

from fourcorners.outline.card.card import Fact, Party
from fourcorners.outline.card.party_names import (
    CLOSED,
    HAS_FORM,
    MAX_NAMES_TESTED,
    MAX_PARTIES,
    NAME,
    NO_SHORT,
    PRONOUNS,
    ROLES,
    find_short_names,
    has_number,
    has_only_roles,
    is_acting,
    name_at,
    name_key,
    party_fact,
    short_name,
)
from fourcorners.outline.card.signers import Signers
from fourcorners.text.patterns import load_patterns
from fourcorners.text.span import Span

_PATTERNS = load_patterns("fourcorners.outline.card", "introduced_parties")
_LED = 120  # characters before words that tell of a register that hold a company's name


def find_introduced_parties(text: str, preamble: Span, signers: Signers) -> tuple[Fact[Party], ...]:
    """Find the parties; those within a sentence are some if their short name acts."""
    found: dict[str, Fact[Party]] = {}
    signing = {name_key(span.text_in(text)) for span in signers.companies}
    last, asked = preamble.start, 0
    for match in find_short_names(text, preamble.start, preamble.end):
        if len(found) >= MAX_PARTIES or asked >= MAX_NAMES_TESTED:
            break
        short = short_name(match)
        if not short or NO_SHORT.search(short):
            continue
        shorts = [each for each in (short, match.groupdict().get("other")) if each]
        segment = Span(max(last, match.start() - 700), match.start())
        last = match.end()
        subjects = _subjects(text, segment, person=short.casefold() not in PRONOUNS)
        if not subjects:
            continue
        asked += 1
        listed = any(_is_listed(text, segment, span) for span in subjects)
        signs = name_key(subjects[-1].text_in(text)) in signing
        acts = (each.casefold() in ROLES or is_acting(text, each) for each in shorts)
        if not (listed or signs or any(acts)):
            continue
        for span in subjects:
            fact = party_fact(text, span, short if span == subjects[-1] else "")
            found.setdefault(name_key(fact.value.name), Fact(fact.value, fact.span, 0.5))
    return tuple(found.values())[:MAX_PARTIES]


def find_registered_parties(text: str) -> tuple[Fact[Party], ...]:
    """Read parties by the register named after a company's name, anywhere in the text."""
    found: dict[str, Fact[Party]] = {}
    for match in _PATTERNS["registered"].finditer(text):
        led = [*NAME.finditer(text, max(0, match.start() - _LED), match.start())]
        span = name_at(text, led[-1].start(), match.start()) if led else None
        if span and span.end == match.start() and CLOSED.search(span.text_in(text)):
            found.setdefault(name_key(span.text_in(text)), party_fact(text, span, ""))
    return tuple(found.values()) if 1 < len(found) <= MAX_PARTIES else ()


def _subjects(text: str, segment: Span, *, person: bool) -> list[Span]:
    """Return whom the words before a short name are about.

    That is a company, with one joined to it by "and", else (`person`) the name that the words
    describe or the one right before.
    """
    names = [
        span for span in _names(text, segment) if not has_only_roles(span.text_in(text).casefold())
    ]
    companies = [span for span in names if HAS_FORM.search(span.text_in(text))]
    if companies:
        last = companies[-1]
        joined = [
            span
            for span in companies[-2:-1]
            if text[span.end : last.start].strip(" \n,").casefold() == "and"
            and _is_listed(text, segment, span)
        ]
        return [*joined, last]
    if not person:
        return []
    listed = [span for span in names if _is_listed(text, segment, span)]
    near = [span for span in names[-1:] if not text[span.end : segment.end].strip(" \n,")]
    return listed[:1] or near


def _names(text: str, segment: Span) -> Iterator[Span]:
    for match in NAME.finditer(text, segment.start, segment.end):
        led = _PATTERNS["not_name"].match(text, match.start(), match.end())
        led = None if has_number(text, Span(*match.span())) else led
        span = name_at(text, led.end() if led else match.start(), segment.end)
        blank = text[span.start - 1 : span.start] == "[" if span else False
        if (
            span
            and not blank
            and not _PATTERNS["mentioned"].search(text, max(0, span.start - 12), span.start)
        ):
            yield span


def _is_listed(text: str, segment: Span, span: Span) -> bool:
    """Return whether a name begins the words before a short name, and is described by them."""
    led = text[segment.start : span.start]
    opens = _PATTERNS["joint"].search(led) is not None
    return opens and bool(_PATTERNS["described_next"].match(text, span.end))
