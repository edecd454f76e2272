"""Calendar files: what RFC 5545 asks of them."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime

from hypothesis import given
from hypothesis import strategies as st

from fourcorners.reports.icalendar import CalendarDay, escape_text, fold_line, write_calendar

AT = datetime(2026, 11, 1, 9, 30, tzinfo=UTC)


def test_a_day() -> None:
    day = CalendarDay("a-1@x", date(2026, 12, 31), "End: Supply; oats, milled", "“until\nthen”")
    assert write_calendar([day], AT).split("\r\n") == [
        "BEGIN:VCALENDAR",
        "VERSION:2.0",
        write_calendar([], AT).split("\r\n")[2],
        "CALSCALE:GREGORIAN",
        "BEGIN:VEVENT",
        "UID:a-1@x",
        "DTSTAMP:20261101T093000Z",
        "DTSTART;VALUE=DATE:20261231",
        "DTEND;VALUE=DATE:20270101",
        "SUMMARY:End: Supply\\; oats\\, milled",
        "DESCRIPTION:“until\\nthen”",
        "TRANSP:TRANSPARENT",
        "END:VEVENT",
        "END:VCALENDAR",
        "",
    ]


def test_text_is_no_line_of_its_own() -> None:
    assert escape_text("a\r\nEND:VEVENT\x07\\") == "a\\nEND:VEVENT\\\\"


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=400))
def test_lines_are_folded_and_come_back(text: str) -> None:
    value = escape_text(text)
    parts = fold_line(f"SUMMARY:{value}")
    assert all(len(part.encode()) <= 75 for part in parts)
    assert all(part.startswith(" ") for part in parts[1:])
    assert parts[0] + "".join(part[1:] for part in parts[1:]) == f"SUMMARY:{value}"
    assert not re.search(r"[\x00-\x08\x0a-\x1f\x7f]", value)
