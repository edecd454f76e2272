"""The words that carry a finding, as few as a person reads next to its value."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date
from itertools import pairwise
from typing import Final

from fourcorners.review.finding import Evidence, Finding, Severity
from fourcorners.text.invisible_characters import shorten, single_line
from fourcorners.text.quote import Quote
from fourcorners.text.sentences import split_sentences

KEY_LENGTH: Final = 260  # characters of the words next to a value: some four lines of a column
# Characters shown of words that change others, and of those changed: more than most clauses have,
# and less than a schedule.
AMENDING_LENGTH: Final = 1_500
_LEAST: Final = 40  # characters that must follow a heading; fewer are no clause
_EDGE: Final = 200  # characters that the edge of a page puts between two halves of a sentence
_QUOTES: Final = 2  # quotes next to a value; a person reads no more
_ISO: Final = re.compile(r"\b(\d{4})-(\d{2})-(\d{2})\b")
# Labels and headings in front of the words of a clause, such as `Section 15.01 Assignment. `.
_HEADING: Final = re.compile(
    r"\s*(?:(?:ARTICLE|Article|SECTION|Section|Clause|§)\s*)?"
    r"(?:\d+(?:\.\d+)*\.?|\([0-9A-Za-z]{1,4}\)|[IVXLC]+\.)\s+"
    r"(?:[A-Z][\w’'-]*(?:[ ,]+[\w’'-]+){0,5}(?:\.\s+|\s*\n\s*)|[A-Z][A-Z ,&’'-]{3,60}(?=\s[A-Z(]))?"
)


def key_quotes(finding: Finding) -> tuple[Quote, ...]:
    """Return the quotes to show for a finding: those of its answers, else the likeliest."""
    if dated := _dated_quote(finding):
        return (dated,)
    answers = sorted((a for a in finding.answers if a.answer), key=lambda each: not each.statement)
    quotes = dict.fromkeys(q for answer in answers for q in answer.quotes if q.verified)
    # Of overlapping words, the fewer say what the answer rests on.
    distinct = [
        each
        for each in quotes
        if not any(one.words != each.words and one.words in each.words for one in quotes)
    ]
    if not distinct and finding.best is not None:
        return (finding.best.quote,)
    return tuple(distinct[:_QUOTES])


def _dated_quote(finding: Finding) -> Quote | None:
    """Return the quote with the day that the reason of a flag names, if there is one."""
    days = [_day(found) for found in _ISO.finditer(finding.reason)]
    for evidence in finding.evidence:
        if any(day in single_line(evidence.quote.words) for day in days):
            return evidence.quote
    return None


def key_words(quote: Quote, limit: int = KEY_LENGTH) -> str:
    """Return the words of a quote on one line: without its heading, and cut if it is long."""
    words, start = quote.words, 0
    while heading := _HEADING.match(words, start):
        if len(words) - heading.end() < max(_LEAST, len(words) // 2):
            break
        start = heading.end()
    return shorten(words[start:], limit)


def deciding_quotes(finding: Finding) -> tuple[Quote, ...]:
    """Return all quotes that a finding's severity rests on, in the order of the text.

    Those are the words of its answers; where one is open that could change the severity, all words
    that were found.
    """
    if dated := _dated_quote(finding):
        return (dated,)
    found = [each.quote for each in finding.evidence]
    if finding.severity is Severity.TO_READ or not any(a.quotes for a in finding.answers):
        return tuple(found)
    answering = [quote for answer in finding.answers if answer.answer for quote in answer.quotes]
    # A part of a quote is shown with the whole: its proviso may be behind it.
    shown = [
        each for each in found if any(_holds(each, one) for one in answering) or not each.verified
    ]
    halves = [pair for pair in pairwise(found) if _is_torn(*pair)]
    shown = [each for each in found if each in shown or _is_half_of(each, shown, halves)]
    shown += [one for one in answering if not any(_holds(each, one) for each in found)]
    return tuple(dict.fromkeys(shown))


def _is_torn(first: Quote, second: Quote) -> bool:
    """Return whether two quotes are the halves of a sentence that a page's edge has torn."""
    if first.span is None or second.span is None:
        return False
    between = second.span.start - first.span.end
    is_cut = not first.words.rstrip().endswith((".", ";", ":", "!", "?"))
    return 0 <= between <= _EDGE and is_cut and second.words[:1].islower()


def _is_half_of(
    quote: Quote, shown: Sequence[Quote], halves: Sequence[tuple[Quote, Quote]]
) -> bool:
    return any(quote in pair and not {*pair}.isdisjoint(shown) for pair in halves)


def _holds(quote: Quote, part: Quote) -> bool:
    if quote.span is None or part.span is None:
        return quote == part
    return quote.span.overlaps(part.span)


def whole_sentences(words: str, most: int) -> str:
    """Return words, or of longer ones the first sentences: about so many characters, 0 for all."""
    line = single_line(words)
    shown = first_sentences(line, most)
    return line if len(shown) == len(line) else f"{shown} …"


def first_sentences(words: str, most: int) -> str:
    """Return the first sentence, and those up to `most` characters; all where it is 0."""
    if not most or len(words) <= most:
        return words
    ends = [each.end for each in split_sentences(words)]
    end = max((each for each in ends if each <= most), default=min(ends, default=len(words)))
    return words[:end]


def evidence_of(finding: Finding, quote: Quote) -> Evidence | None:
    """Return the evidence that holds a quote: it knows the clause and the page."""
    return next((each for each in finding.evidence if _holds(each.quote, quote)), None)


def write_days(words: str) -> str:
    """Return words with their ISO dates as people write days."""
    return _ISO.sub(_day, words)


def _day(found: re.Match[str]) -> str:
    try:
        value = date(int(found[1]), int(found[2]), int(found[3]))
    except ValueError:
        return found[0]
    return f"{value.day} {value:%B %Y}"
