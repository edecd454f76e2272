"""How a report states a contract's term: its length and first day, its end, and its renewal."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta
from typing import Final

from fourcorners.outline.card.card import Card, Value
from fourcorners.outline.card.term import Term, day_of, find_final_end, read_term
from fourcorners.outline.card.values.candidates import PERPETUAL
from fourcorners.reports.chapters.material import format_date
from fourcorners.reports.tree import Run, Tone
from fourcorners.review.finding import ReviewedDocument
from fourcorners.text.values.dates import MONTHS
from fourcorners.text.values.periods import Period, describe_period, find_durations, parse_period

# The confidence from which a term that a person must read is shown, and marked so.
_LIKELY: Final = 0.5
_A_DAY: Final = timedelta(days=1)  # by which the last day of a term may precede the sum
_ENDLESS: Final = "runs until terminated"


def term_runs(document: ReviewedDocument, as_of: date) -> tuple[Run, ...]:
    """Return a contract's term on a day, marked if it is to be read; empty if it is not known."""
    term, mark = read_term(document.card), Run(" (to be read)", Tone.TO_READ)
    first, is_certain = _first_days(document)
    rest = "; ".join(term_phrases(document, as_of))
    is_likely = _is_shown(term) and not term.is_asserted
    runs = [Run(first)] if first else []
    runs += [mark] if first and not is_certain and not (is_likely and rest) else []
    runs += [Run(f"; {rest}" if first else rest)] if rest else []
    runs += [mark] if is_likely and runs and runs[-1] is not mark else []
    return tuple(runs)


def term_phrases(document: ReviewedDocument, as_of: date) -> Iterator[str]:
    """Yield how a contract's term ends and is renewed, as far as that is certain.

    A contract is said to have ended only if nothing but a further document prolongs it.
    """
    card = document.card
    term, final = read_term(card), find_final_end(card)
    if final is not None and final < as_of:
        yield f"ended on {format_date(final)}{', unless renewed' if term.renewal else ''}"
        return
    if term.end is not None and term.is_asserted:
        if term.end.text == PERPETUAL:
            yield _ENDLESS
        elif term.end_day:
            until = "first term until" if term.renewal else "ends on"
            yield f"{until} {format_date(term.end_day)}"
    if term.renewal is None or not _is_shown(term):
        return
    if not term.is_automatic or not term.renewal.asserted:
        yield "may be renewed"
        return
    length = term.length if term.length and term.length.asserted else None
    period = f" for {describe_period(parse_period(length.text))}" if length else ""
    times = {None: "", 1: ", once"}.get(term.renewal.times, f", {term.renewal.times} times at most")
    yield f"renews by itself{period}{times}"


def _is_shown(term: Term) -> bool:
    return term.end is not None and (term.is_asserted or term.end.confidence >= _LIKELY)


def _first_days(document: ReviewedDocument) -> tuple[str, bool]:
    """Return how long a first term is and when it begins, "5 years from 1 May 2020".

    With it, whether that day is certain.
    """
    term = read_term(document.card)
    day, is_certain = _first_day(document.card)
    first = f"from {day}" if day else ""
    if term.end is None or not _is_shown(term):
        return first, is_certain
    periods = [*find_durations(document.text, term.end.span)]
    if len(periods) == 1 and _adds_up(document.card, periods[0].value):
        return f"{describe_period(periods[0].value)} {first}".rstrip(), is_certain
    if term.is_asserted:
        return first, is_certain
    if term.end.text == PERPETUAL:
        return "; ".join(filter(None, (first, _ENDLESS))), is_certain
    end = day_of(term.end)
    until = format_date(end) if end else _month(term.end)
    return (f"{first} until {until}".lstrip() if until else first), is_certain


def _first_day(card: Card) -> tuple[str, bool]:
    """Return the first day of a term, and whether it is certain.

    The contract's date is that day only where its end is computed from it.
    """
    starts, end = card.effective_date or card.agreement_date, card.value("end")
    if starts is None:
        start = read_term(card).start
        return _month(start), start is None or start.kind == "effective"
    effective = card.value("effective")
    is_certain = card.effective_date is not None and (effective is None or effective.asserted)
    arithmetic = end.arithmetic if end and end.asserted else ""
    return format_date(starts.value), is_certain or arithmetic.startswith(f"{starts.value}")


def _adds_up(card: Card, length: Period) -> bool:
    """Return whether a length and the first day give the end: an amendment may have changed it."""
    starts, end = card.effective_date or card.agreement_date, day_of(card.value("end"))
    return starts is None or end is None or abs(length.shift(starts.value) - end) <= _A_DAY


def _month(value: Value | None) -> str:
    """Return the month of a value whose day is blank: "February 2017"."""
    year, _, month = value.text.partition("-") if value else ("", "", "")
    return f"{MONTHS[int(month) - 1]} {year}" if len(month) == 2 and year.isdigit() else ""
