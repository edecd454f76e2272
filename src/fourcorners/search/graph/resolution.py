"""Resolve which document of the library another one says it amends or replaces."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date

from fourcorners.outline.card.party_names import SHORT_FORMS
from fourcorners.search.graph.statements import (
    AmendmentRelation,
    AmendmentStatement,
    distinctive_words,
)
from fourcorners.text.span import Span
from fourcorners.text.values.dates import find_dates

MIN_CONFIDENCE = 0.6
"""The confidence from which a statement is taken to mean a document."""
_CLEAR = 0.03  # the margin that the likeliest needs
_PARTIES, _TITLE, _DATE = 0.4, 0.25, 0.35
_TOGETHER = 0.05  # the evidence common to all candidates: they are in one collection
_UNTOLD = 0.55  # the weight of missing evidence
_BY_FILE = 0.8  # the weight of a title known only from the file's name
_NEARLY = 0.6  # share of a name's words that a title has at least, where it counts three quarters
_SHORTEST = 6  # characters of a party's key that is searched for in running text
_HEAD = 4_000  # characters at the top that name a document's parties and date


@dataclass(frozen=True, slots=True)
class TitlePage:
    """A document's first words: the letters and digits, folded, and the dates."""

    folded: str
    dates: frozenset[date]


def title_page(text: str, start: int = 0) -> TitlePage:
    end = min(len(text), start + _HEAD)
    folded = "".join(char for char in text[start:end].casefold() if char.isalnum())
    for long, short in SHORT_FORMS:
        folded = folded.replace(long, short)
    return TitlePage(folded, frozenset(found.value for found in find_dates(text, Span(start, end))))


@dataclass(frozen=True, slots=True)
class DocumentProfile:
    """What is known of a document that another may mean.

    Attributes:
        parties: The keys of its parties.
        titled: The distinguishing words of its title, its type and its file's name.
        title: The distinguishing words of its title.
        dates: Its agreement and its effective date.
        changes: Whether it amends another itself.
    """

    document: str
    parties: frozenset[str]
    titled: frozenset[str]
    title: frozenset[str]
    dates: tuple[date, ...]
    changes: bool


@dataclass(frozen=True, slots=True)
class Resolution:
    """The document that a statement means, if any; `because` says why, for people."""

    target: str | None
    confidence: float
    because: str


def resolve_target(
    statement: AmendmentStatement,
    own: DocumentProfile,
    candidates: Sequence[DocumentProfile],
    head: Callable[[str], TitlePage],
) -> Resolution:
    scored = sorted(
        (
            (_score(statement, own, each, head), each)
            for each in candidates
            if each.document != own.document and not _is_copy(own, each)
        ),
        key=lambda pair: (-pair[0].confidence, pair[1].document),
    )
    if not scored or scored[0][0].confidence < MIN_CONFIDENCE:
        best = max(0.0, scored[0][0].confidence) if scored else 0.0
        return Resolution(None, min(1.0, best), "no document of the library matches")
    first, meant = scored[0]
    sure = min(1.0, first.confidence)
    alike = [
        each
        for one, each in scored[1:]
        if one.confidence >= MIN_CONFIDENCE and first.confidence - one.confidence < _CLEAR
    ]
    if any(not _is_copy(meant, each) for each in alike):
        return Resolution(None, sure, f"{len(alike) + 1} documents match equally well")
    copies = f"; the first of {len(alike) + 1} copies" if alike else ""
    return Resolution(first.target, sure, first.because + copies)


def _is_copy(one: DocumentProfile, other: DocumentProfile) -> bool:
    """Return whether two documents are one contract, perhaps in two formats."""
    same = (one.title, one.dates, one.parties) == (other.title, other.dates, other.parties)
    return same and bool(one.title) and bool(one.dates or one.parties)


def _score(
    statement: AmendmentStatement,
    own: DocumentProfile,
    other: DocumentProfile,
    head: Callable[[str], TitlePage],
) -> Resolution:
    parties = _parties(own, other, head)
    title = _title(statement, other)
    dated = _dated(statement, other, head)
    reasons = [
        (_PARTIES, parties),
        (_TITLE, _UNTOLD if title is None else title),
        (_DATE, _UNTOLD if dated is None else dated),
    ]
    confidence = sum(weight * value for weight, value in reasons)
    if parties < 0.5 and not (dated == 1.0 and title is not None and title >= 0.75):
        confidence = min(confidence, 0.45)
    if title is None and dated is None:
        confidence = min(confidence, 0.5)
    if _clash(own.parties, other.parties) or _clash(other.parties, own.parties):
        confidence = min(confidence, 0.5)
    if dated == 0.0:
        confidence = min(confidence, 0.55)
    if title is not None and title < 0.3:
        confidence = min(confidence, 0.5)
    if own.dates and other.dates and min(other.dates) > max(own.dates):
        confidence *= 0.5  # the amended document is older
    if other.changes and statement.relation is not AmendmentRelation.RESTATES:
        confidence *= 0.7  # an earlier amendment of the same
    confidence = round(confidence + _TOGETHER, 2)
    return Resolution(other.document, confidence, _explain_match(parties, title, dated))


def _explain_match(parties: float, title: float | None, dated: float | None) -> str:
    reasons = [
        "the same parties" if parties >= 1.0 else "a shared party" if parties >= 0.5 else "",
        "the title" if title is not None and title >= 0.5 else "",
        "the date" if dated is not None and dated >= 0.9 else "",
    ]
    return ", ".join(part for part in reasons if part) or "little"


def _parties(
    own: DocumentProfile, other: DocumentProfile, head: Callable[[str], TitlePage]
) -> float:
    """Return how far the two share parties, by their cards and their first words."""
    if not own.parties and not other.parties:
        return 0.0
    here, there = head(own.document).folded, head(other.document).folded
    theirs = sum(key in own.parties or _is_whole_word(key, here) for key in other.parties)
    ours = sum(key in other.parties or _is_whole_word(key, there) for key in own.parties)
    return max(theirs / max(2, min(3, len(other.parties))), ours / max(2, min(3, len(own.parties))))


def _clash(some: frozenset[str], others: frozenset[str]) -> bool:
    """Return whether a party of one is a namesake of another: `… Company of Delaware`."""
    return any(
        longer.startswith(f"{key.removesuffix('co')}") and "of" in longer[len(key) - 2 :]
        for key in some - others
        if len(key) >= _SHORTEST
        for longer in others - some
        if len(longer) > len(key)
    )


def _is_whole_word(key: str, folded: str) -> bool:
    return len(key) >= _SHORTEST and key in folded


def _title(statement: AmendmentStatement, other: DocumentProfile) -> float | None:
    wanted = distinctive_words(statement.title)
    if not wanted:
        return None
    found = _share(wanted, other.titled)
    back = _share(other.title, wanted) if other.title else found
    return (0.7 * found + 0.3 * back) * (1.0 if other.title else _BY_FILE)


def has_similar_title(name: str, titled: frozenset[str]) -> bool:
    """Return whether a document may be meant by a name alone, regardless of its parties."""
    wanted = distinctive_words(name)
    return bool(wanted) and _share(wanted, titled) >= _NEARLY


def _share(wanted: frozenset[str], known: frozenset[str]) -> float:
    """Return the share of words that are among others; `services` matches `service`."""
    stems = {token.removesuffix("s") for token in known}
    return sum(token.removesuffix("s") in stems for token in wanted) / len(wanted)


def _dated(
    statement: AmendmentStatement, other: DocumentProfile, head: Callable[[str], TitlePage]
) -> float | None:
    if statement.date is None:
        return None
    if statement.date in other.dates:
        return 1.0
    written = head(other.document).dates
    if statement.date in written:
        return 0.9
    return 0.0 if other.dates or written else None
