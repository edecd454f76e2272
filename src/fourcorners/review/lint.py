"""Drafting lint: find slips in a contract, for the person who drafts or signs it.

What is reported must be worth a lawyer's time: if the reading itself is uncertain (an unreliable
outline, a contract that takes its definitions from another), a check reports nothing.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise
from typing import TypeVar

from fourcorners.documents.document import Document, PageLabel
from fourcorners.outline.terms import find_uses
from fourcorners.outline.tree import (
    DefinedTerm,
    Node,
    NodeKind,
    Outline,
    ReferenceKind,
)
from fourcorners.review.attachments import (
    ATTACHMENTS,
    find_missing_attachments,
    missing_references,
)
from fourcorners.review.checks.contradictions import find_conflicts, find_negatives
from fourcorners.review.checks.undefined_terms import describe_undefined, undefined_phrases
from fourcorners.review.finding import Severity
from fourcorners.text.patterns import load_patterns
from fourcorners.text.span import Span

Candidate = TypeVar("Candidate")


class Check(StrEnum):
    """What is checked."""

    DANGLING = "dangling-reference"  # a section that is not in the contract
    MISSING = "missing-attachment"  # an exhibit or schedule that is not in the file
    DEFINED_TWICE = "defined-twice"  # a term with two different definitions
    UNDEFINED = "undefined-term"  # words used like a defined term without a definition
    UNUSED = "unused-term"  # a defined term that is never used
    GAP = "numbering-gap"  # a missing number between two clauses
    FORUMS = "two-forums"  # courts have exclusive jurisdiction, and arbitration decides
    NEGATIVES = "double-negative"  # "neither party shall not", "shall not make no change"


SEVERITIES = {
    Check.DANGLING: Severity.HIGH,
    Check.MISSING: Severity.MEDIUM,
    Check.DEFINED_TWICE: Severity.MEDIUM,
    Check.UNDEFINED: Severity.MEDIUM,
    Check.UNUSED: Severity.LOW,
    Check.GAP: Severity.LOW,
    Check.FORUMS: Severity.HIGH,
    Check.NEGATIVES: Severity.MEDIUM,
}
_ORDER = (Severity.HIGH, Severity.MEDIUM, Severity.LOW)


@dataclass(frozen=True, slots=True)
class LintIssue:
    """One thing that a drafter should look at.

    Attributes:
        span: The words it is about; the first of several places.
        around: The sentence or line that surrounds it.
        page: The page of `span`; None for formats without pages.
    """

    check: Check
    severity: Severity
    span: Span
    around: Span
    page: PageLabel | None
    message: str
    places: int = 1


@dataclass(frozen=True, slots=True)
class LintReport:
    """The slips of a contract, most severe first, and what was not checked and why."""

    issues: tuple[LintIssue, ...]
    unchecked: tuple[str, ...] = ()


_TRUST = 0.7  # outline confidence below which references and numbers are not judged
_MOST_DANGLING = 0.3  # share of dangling references above which the outline is probably wrong
_MOST = 100  # items of a kind that are searched for in the whole text
_FEW = 3  # dangling references that may be slips regardless of their share
_AROUND = 110  # characters of context on either side


def lint_contract(document: Document, outline: Outline) -> LintReport:
    text = document.text
    unchecked: list[str] = []
    found: list[tuple[Check, Span, str, int]] = []
    if outline.windows or outline.confidence < _TRUST:
        unchecked.append(
            "References and numbering were not checked: "
            f"the outline is not sure enough ({outline.confidence:.2f})."
        )
    else:
        unresolved = missing_references(outline)
        judged = _limit_findings(unresolved, "References that lead nowhere", unchecked)
        dangling = [*_dangling(text, outline, judged)]
        sections = [each for each in dangling if each[0] is Check.DANGLING]
        numbered = sum(
            each.kind is ReferenceKind.NUMBERED and each.raw.split(" ")[0] not in ATTACHMENTS
            for each in outline.references
        )
        if len(sections) > max(_FEW, _MOST_DANGLING * numbered):
            unchecked.append(
                f"References to sections were not judged: {len(sections)} of {numbered} lead "
                "nowhere, so the numbering was probably read wrongly."
            )
            dangling = [each for each in dangling if each[0] is Check.MISSING]
        found += dangling
        found += _gaps(text, outline)
    found += _twice(text, outline)
    unused = _limit_findings(
        _find_unused_terms(text, outline), "Terms that are used nowhere", unchecked
    )
    found += _drop_used_elsewhere(text, outline, unused)
    phrases = undefined_phrases(text, outline)
    if phrases is None:
        unchecked.append(
            "Undefined terms were not looked for: the contract takes definitions from another."
        )
    undefined = _limit_findings(phrases or [], "Phrases used like defined terms", unchecked)
    found += [(Check.FORUMS, *each, 1) for each in find_conflicts(text)]
    found += [(Check.NEGATIVES, *each, 1) for each in find_negatives(text)]
    found += [(Check.UNDEFINED, *each) for each in describe_undefined(text, undefined)]
    slips = (
        LintIssue(
            check=check,
            severity=SEVERITIES[check],
            span=span,
            around=_around(text, span),
            page=document.page_of(span.start),
            message=message,
            places=places,
        )
        for check, span, message, places in found
    )
    ordered = sorted(slips, key=lambda slip: (_ORDER.index(slip.severity), slip.span))
    return LintReport(tuple(ordered), tuple(unchecked))


def _limit_findings(
    found: Sequence[Candidate], called: str, unchecked: list[str]
) -> Sequence[Candidate]:
    """Return at most `_MOST` items, and report if there are more."""
    if len(found) > _MOST:
        unchecked.append(f"{called}: the first {_MOST} of {len(found):,} were looked at.")
    return found[:_MOST]


def _around(text: str, span: Span) -> Span:
    start, end = max(0, span.start - _AROUND), min(len(text), span.end + _AROUND)
    while start > 0 and start < span.start and not text[start - 1].isspace():
        start += 1
    while end < len(text) and end > span.end and not text[end].isspace():
        end -= 1
    return Span(start, end).strip(text)


_PATTERNS = load_patterns("fourcorners.review", "lint")
# Words before a number that make it a reference.
_LEADS = _PATTERNS["leads"]
_BLOCK = _PATTERNS["block"]
_NUMBER = _PATTERNS["number"]


def _is_whole_word(text: str, raw: str) -> bool:
    """Return whether a number labels a clause somewhere, in case the outline missed it."""
    number = _NUMBER.search(raw)
    if number is None or "(" in raw:
        return False
    own = re.compile(rf"(?<![\w.§$]){re.escape(number.group())}(?:\.0)?(?![\w%]|[.,]\d)")
    if "." not in number.group():  # a bare number labels a clause only where a clause may start
        own = re.compile(
            rf"(?:^|\n|[.;:)\]]\s|\s\s)[^\S\n]*(?:(?i:section|article|clause)\s+)?{number.group()}"
            r"(?:[.)]|\.0|\s[-–])?\s+[\"“(\[]?[A-Z]"
        )
        return any(
            not _LEADS.search(text[max(0, found.start() - 12) : found.start() + 1])
            for found in own.finditer(text)
        )
    return any(
        _BLOCK.search(before := text[max(0, found.start() - 60) : found.start()])
        or not _LEADS.search(before)
        for found in own.finditer(text)
    )


def _dangling(
    text: str, outline: Outline, unresolved: Sequence[tuple[str, list[Span]]]
) -> Iterator[tuple[Check, Span, str, int]]:
    for each in find_missing_attachments(text, outline):
        similar = f"; there is {each.alike}" if each.alike else ""
        message = f"{each.raw} is referred to, but is not in this document{similar}."
        yield Check.MISSING, each.places[0], message, len(each.places)
    for raw, spans in unresolved:
        if raw.split(" ")[0] in ATTACHMENTS or _is_whole_word(text, raw):
            continue
        message = f"{raw} is referred to, but this document has no such part."
        yield Check.DANGLING, spans[0], message, len(spans)


_LAST = _PATTERNS["last"]


def _gaps(text: str, outline: Outline) -> Iterator[tuple[Check, Span, str, int]]:
    children: dict[int | None, list[Node]] = defaultdict(list)
    for node in outline.nodes:
        if node.kind in (NodeKind.SECTION, NodeKind.ARTICLE) and node.label:
            children[node.parent].append(node)
    for siblings in children.values():
        for one, other in pairwise(siblings):
            first, second = _LAST.match(one.label), _LAST.match(other.label)
            if not first or not second or first["stem"] != second["stem"]:
                continue
            low, high = int(first["number"]), int(second["number"])
            if high - low != 2:  # a wider gap is more often a reading error than a drafting error
                continue
            missing = re.escape(f"{first['stem']}{low + 1}".split(" ")[-1])
            between = text[one.span.start : other.span.start + 1]
            if not re.search(rf"(?<![\d.]){missing}(?!\d)", between):
                message = f"The numbering goes from {one.label} to {other.label}."
                yield Check.GAP, _head(other), message, 1


def _head(node: Node) -> Span:
    end = node.heading.end if node.heading else node.span.start + 40
    return Span(node.span.start, min(max(end, node.span.start + 1), node.span.end))


_POINTER = _PATTERNS["pointer"]
_COMMON = frozenset(
    [
        *("agreement", "this agreement", "contract", "amendment", "party", "parties", "company"),
        *("effective date", "date", "term", "notice", "claim", "claims", "fund"),
        *("we", "us", "our", "you", "your", "disclosing party", "receiving party"),
    ]
)


def _twice(text: str, outline: Outline) -> Iterator[tuple[Check, Span, str, int]]:
    ends = (
        node.span.start
        for node in outline.nodes
        if node.kind in (NodeKind.SIGNATURE, NodeKind.SCHEDULE) and node.parent is None
    )
    body = min((end for end in ends if end > len(text) // 10), default=len(text))
    places: dict[str, list[DefinedTerm]] = defaultdict(list)
    for term in outline.terms:
        if term.span.start < body and _is_meant(text, term):
            places[term.term].append(term)
    for name, defined in places.items():
        if name.casefold() in _COMMON or len(defined) < 2:
            continue
        several = [each for each in defined if not _POINTER.search(each.definition.text_in(text))]
        if len(several) < 2:
            continue
        meanings = {_bare(each.definition.text_in(text)) for each in several}
        if len(meanings) > 1:
            message = f"“{name}” is defined {len(several)} times, and not in the same words."
            yield Check.DEFINED_TWICE, several[1].span, message, len(several)


_MEANT = _PATTERNS["meant"]


def _is_meant(text: str, term: DefinedTerm) -> bool:
    """Return whether a sentence defines a term; short names in brackets may be repeated."""
    return bool(_MEANT.match(text, term.span.end))


def _bare(words: str) -> str:
    return re.sub(r"\W+", " ", words).casefold().strip()


_NEAR = 120  # characters between two names that one definition gives


def _find_unused_terms(text: str, outline: Outline) -> list[DefinedTerm]:
    """Return terms that are never used under any name of their definition."""
    terms = outline.terms
    first: dict[str, int] = {}
    for index, term in enumerate(terms):
        first.setdefault(_bare(term.term), index)
    used = {_bare(terms[use.term].term) for use in find_uses(text, terms)}
    found = []
    for name, index in first.items():
        term = terms[index]
        if name in used or name in _COMMON or _is_short_name(text, term):
            continue
        similar = (
            other
            for other in (*terms[max(0, index - 3) : index], *terms[index + 1 : index + 4])
            if abs(other.span.start - term.span.start) < _NEAR
            and other.definition.overlaps(term.definition)
        )
        if any(_bare(other.term) in used for other in similar):
            continue
        found.append(term)
    return found


def _drop_used_elsewhere(
    text: str, outline: Outline, unused: Sequence[DefinedTerm]
) -> Iterator[tuple[Check, Span, str, int]]:
    """Yield terms that occur nowhere else, in any case, and refer nowhere."""
    lower = text.casefold()
    times = Counter(term.term for term in outline.terms)
    for term in unused:
        if lower.count(term.term.casefold()) > times[term.term]:
            continue
        if not _POINTER.search(term.definition.text_in(text)):
            yield Check.UNUSED, term.span, f"“{term.term}” is defined but not used.", 1


_FRONT = 6_000  # characters that name the parties; a party's short name need not be used


def _is_short_name(text: str, term: DefinedTerm) -> bool:
    """Return whether an unused term is harmless: the short name of a party or a contract."""
    if term.span.start < _FRONT and not _is_meant(text, term):
        return True
    return len(term.term) < 3 or bool(re.fullmatch(r"[A-Z0-9&./-]{2,8}", term.term))  # abbreviated
