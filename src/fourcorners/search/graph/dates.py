"""When what an amendment says takes effect, and whether that is sure."""

from __future__ import annotations

from datetime import date

from fourcorners.library.contract import Contract
from fourcorners.search.graph.changes import CONDITION, QUOTED, UNCHANGED, CitedChange
from fourcorners.search.graph.links import AmendmentLink
from fourcorners.search.graph.revisions import ClauseRevision
from fourcorners.search.graph.statements import MAX_PREAMBLE, RESTATED
from fourcorners.text.sentences import split_sentences
from fourcorners.text.span import Span, intersect_spans, merge_spans
from fourcorners.text.values.dates import WrittenDate, find_dates

_FROM = frozenset(("from", "effect", "effective"))  # one of the last words before a change's day
_UNTIL = frozenset(("until", "till", "to", "through"))
# "The amendment takes effect", "these changes become effective": of what, does what, and when.
_STARTS = frozenset(
    ("take", "takes", "become", "becomes", "comes", "come", "into", "is", "are", "be", "has")
)
_EFFECT = frozenset(("effect", "effective", "force"))
_PAPERS = frozenset(
    ("addendum", "agreement", "amendment", "amendments", "changes", "deed", "letter", "variation")
)
_AT_ONCE = (
    *("immediately", "forthwith", "at once", "today", "date of this", "date hereof", "above"),
    *("on signature", "upon signature"),
)
# What makes a letter more than a proposal.
_AGREED = ("hereby", "letter amends", "letter varies", "agreed to amend", "countersign")


def effective_day(reading: Contract, change: CitedChange) -> date | None:
    """Return the day from which a change counts: by its sentence, else by its amendment."""
    text, span = reading.text, change.span
    quotes = [Span(*found.span()) for found in QUOTED.finditer(text, span.start, span.end)]
    for each in find_dates(text, span):
        words = text[span.start : each.span.start].casefold().split()[-3:]
        if _FROM.intersection(words) and not any(q.contains(each.span) for q in quotes):
            return each.value
    fact = reading.card.effective_date
    return fact.value if fact else None


def has_other_days(
    reading: Contract, change: CitedChange, edit: ClauseRevision, known: date | None, today: date
) -> bool:
    """Return whether an amendment gives a change other days than that from which it counts."""
    for sentence, day, is_general, is_last in _days(reading):
        if not is_general and not sentence.overlaps(change.span):
            continue
        if day.value == edit.extends or (edit.words and edit.words.contains(day.span)):
            continue
        if is_last or (day.value > today and day.value != known):
            return True
    return False


def _days(reading: Contract) -> list[tuple[Span, WrittenDate, bool, bool]]:
    """Return the dates of an amendment, with their sentences, but not those of new words.

    With each, whether it may be that of every change, and whether it is the last of some time.
    """

    def find() -> list[tuple[Span, WrittenDate, bool, bool]]:
        text, found = reading.text, []
        quotes = merge_spans(Span(*each.span()) for each in QUOTED.finditer(text))
        for sentence in split_sentences(text):
            words = sentence.text_in(text)
            plain = words.casefold()
            is_timed = any(each in plain for each in ("effect", "appl", "follow"))
            for day in find_dates(text, sentence):
                if intersect_spans(quotes, [day.span]):
                    continue
                leads = is_timed or text[day.span.end :][:2].lstrip().startswith(":")
                before = text[sentence.start : day.span.start].casefold().split()
                last = not _UNTIL.isdisjoint(before[-1:])
                found.append((sentence, day, leads and not UNCHANGED.search(words), last))
        return found

    return reading.compute("days of changes", find)


def is_conditional(reading: Contract) -> bool:
    """Return whether an amendment counts only if or when something happens.

    So does one that takes effect, but on no day that can be read; and a letter may only propose.
    """
    text = reading.text
    is_letter = "\nDear " in text[:MAX_PREAMBLE]
    if is_letter and not any(each in " ".join(text.casefold().split()) for each in _AGREED):
        return True
    for sentence in split_sentences(text):
        words = " ".join(sentence.text_in(text).casefold().split())
        plain = words.replace(",", "").split()
        at = next((at for at, word in enumerate(plain) if word.strip(".;") in _EFFECT), 0)
        verb = {*plain[max(0, at - 2) : at]}
        if not verb & _STARTS or "no" in verb or _PAPERS.isdisjoint(plain[max(0, at - 10) : at]):
            continue
        is_dated = any(find_dates(text, sentence)) or any(each in words for each in _AT_ONCE)
        is_dated |= "effective date" in words and reading.card.effective_date is not None
        if not is_dated or "subject" in plain or CONDITION.search(words):
            return True
    return False


def restatement_span(reading: Contract, link: AmendmentLink, today: date) -> tuple[Span, bool]:
    """Return the words that take a contract's place, and whether no later day is named for it."""
    span, start = reading.sentence(link.span), link.span.start
    after = Span(start, min(len(reading.text), start + MAX_PREAMBLE))
    for sentence in split_sentences(reading.text, after):
        words = sentence.text_in(reading.text)
        if RESTATED.search(words) and not UNCHANGED.search(words):
            span = sentence
            break
    fact = reading.card.effective_date
    days = [each.value for each in find_dates(reading.text, span)] + ([fact.value] if fact else [])
    return span, max(days, default=today) <= today
