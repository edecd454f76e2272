"""Hold the periods and rates of some words against the limits of a playbook's positions."""

from __future__ import annotations

from collections.abc import Sequence

from fourcorners.playbooks.playbook import Position, Provision
from fourcorners.redline.clause_edits import period_days
from fourcorners.review.finding import Finding
from fourcorners.text.patterns import load_patterns
from fourcorners.text.span import Span
from fourcorners.text.values.periods import find_durations
from fourcorners.text.values.quantities import PERCENT, find_quantities

_PATTERNS = load_patterns("fourcorners.redline", "periods")
_MONTHLY = _PATTERNS["monthly"]


def refused_periods(text: str, parts: Sequence[Span], position: Position) -> list[str]:
    """Return the periods of some sentences that a position refuses, as they are written."""
    least, most = _days(position.under), _days(position.over)
    if not least and not most:
        return []
    is_rate = "%" in position.under + position.over
    measured = _rates if is_rate else _periods
    found = [each for part in parts for each in measured(text, part)]
    short = [each < least for _, each in found]
    refused = [
        " ".join(place.text_in(text).split())
        for (place, length), is_short in zip(found, short, strict=True)
        if (is_short and all(short)) or (most and length > most)
    ]
    return list(dict.fromkeys(refused))


def _periods(text: str, part: Span) -> list[tuple[Span, float]]:
    return [(each.span, period_days(each.value)) for each in find_durations(text, part)]


def _rates(text: str, part: Span) -> list[tuple[Span, float]]:
    """Return percentages, a year; those without "month" after them are yearly ones."""
    found = []
    for each in find_quantities(text, part):
        if each.unit == PERCENT:
            monthly = _MONTHLY.match(text, each.span.end, part.end)
            end = monthly.end() if monthly else each.span.end
            found.append((Span(each.span.start, end), float(each.number) * (12 if monthly else 1)))
    return found


def listed_periods(
    text: str, parts: Sequence[Span], provision: Provision, position: Position, finding: Finding
) -> list[str] | None:
    """Return the periods among the answers of a position, to a question that has no answer.

    None if it asks for no period, or the words have none.
    """
    given = {each.id for each in finding.answers if each.value}
    wanted = [
        position.answers[each.id]
        for each in provision.questions
        if each.id in position.answers and each.id not in given and each.answer == "duration"
    ]
    found = [each for part in parts for each in find_durations(text, part)]
    if not wanted or not found:
        return None
    refused = [each for each in found if all(each.value.iso in values for values in wanted)]
    return list(dict.fromkeys(" ".join(each.span.text_in(text).split()) for each in refused))


def _days(limit: str) -> float:
    """Return the days of a period, or the percentage that is given instead."""
    measured = _rates if "%" in limit else _periods
    return sum(each for _, each in measured(limit, Span(0, len(limit))))
