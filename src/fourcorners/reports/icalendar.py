"""Days as a calendar file: iCalendar, as RFC 5545 has it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

from fourcorners.review.obligations.listed import ContractObligation
from fourcorners.text.invisible_characters import shorten, single_line
from fourcorners.version import __version__

_OCTETS = 75  # of a line, without its end (RFC 5545, 3.1)
_SUMMARY = 90  # characters of what must be done
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")


@dataclass(frozen=True, slots=True)
class CalendarDay:
    """An entry that takes a whole day; `id` stays the same for the same thing."""

    id: str
    day: date
    summary: str
    description: str = ""


def proposal_note(authors: Iterable[str]) -> str:
    """Return what follows words that depend on tracked changes; empty if they do not."""
    names = ", ".join(map(single_line, dict.fromkeys(authors)))
    return f" (proposed by {names}, not accepted)" if names else ""


def obligation_days(found: Iterable[ContractObligation]) -> Iterator[CalendarDay]:
    """Yield an entry for each day by which something must be done."""
    for each in found:
        for time in each.days:
            unless = f" (unless {time.unless})" if time.unless else ""
            what = shorten(each.statement, _SUMMARY)
            place = " of ".join(filter(None, (each.where, each.title)))
            changed = "; ".join(map(single_line, each.changed_by))
            note = f" (changed by {changed})" if changed else ""
            day = time.day or date.max
            yield CalendarDay(
                f"{each.document}-obligation-{each.action.start}-{day:%Y%m%d}@fourcorners",
                day,
                single_line(f"{each.party}: {what}{unless}{proposal_note(each.proposed)}"),
                f"{single_line(place)}{note}: {single_line(each.source)}",
            )


def write_calendar(days: Iterable[CalendarDay], at: datetime) -> str:
    """Return a calendar of whole days, written `at` a time."""
    lines = [
        "BEGIN:VCALENDAR",
        "VERSION:2.0",
        f"PRODID:-//Fourcorners//{__version__}//EN",
        "CALSCALE:GREGORIAN",
        *(line for each in days for line in _entry(each, at)),
        "END:VCALENDAR",
    ]
    return "".join(f"{part}\r\n" for line in lines for part in fold_line(line))


def _entry(each: CalendarDay, at: datetime) -> Iterator[str]:
    yield "BEGIN:VEVENT"
    yield f"UID:{escape_text(each.id)}"
    yield f"DTSTAMP:{at.astimezone(UTC):%Y%m%dT%H%M%SZ}"
    yield f"DTSTART;VALUE=DATE:{each.day:%Y%m%d}"
    yield f"DTEND;VALUE=DATE:{each.day + timedelta(days=1):%Y%m%d}"
    yield f"SUMMARY:{escape_text(each.summary)}"
    if each.description:
        yield f"DESCRIPTION:{escape_text(each.description)}"
    yield "TRANSP:TRANSPARENT"
    yield "END:VEVENT"


def escape_text(text: str) -> str:
    """Return text as a value of type TEXT (RFC 5545, 3.3.11), without control characters."""
    plain = _CONTROL.sub("", text.replace("\r\n", "\n"))
    for sign in ("\\", ";", ","):
        plain = plain.replace(sign, f"\\{sign}")
    return plain.replace("\n", "\\n")


def fold_line(line: str) -> list[str]:
    """Return a line in parts of 75 octets at most; those after the first begin with a space."""
    parts, part, size = [], "", 0
    for character in line:
        octets = len(character.encode())
        if size + octets > _OCTETS:
            parts.append(part)
            part, size = " ", 1
        part += character
        size += octets
    return [*parts, part]
