"""Days and numbers are written as the reader's browser asks; the contract's words stay."""

from __future__ import annotations

from datetime import date

import pytest

from fourcorners.server.locales import reading, write_day, write_number
from tests.server.conftest import LEASE, Room


@pytest.mark.parametrize(
    ("accepted", "number", "day"),
    [
        ("", "1,234,567", "3 May 2026"),
        ("en-GB,en;q=0.9", "1,234,567", "3 May 2026"),
        ("en-US,en;q=0.9", "1,234,567", "May 3, 2026"),
        ("de-DE,de;q=0.9,en;q=0.8", "1.234.567", "3 May 2026"),
        ("de-CH", "1’234’567", "3 May 2026"),
        ("fr;q=0.8", "1\u202f234\u202f567", "3 May 2026"),
        ("*", "1,234,567", "3 May 2026"),
        (";;,,<script>", "1,234,567", "3 May 2026"),
    ],
)
def test_numbers_and_days(accepted: str, number: str, day: str) -> None:
    with reading(accepted):
        assert write_number(1_234_567) == number
        assert write_day(date(2026, 5, 3)) == day
    assert write_number(1_234) == "1,234"


def test_pages_are_written_for_their_reader_and_contracts_are_not(room: Room) -> None:
    dated = LEASE.replace(
        "LEASE OF A MILL\n", "LEASE OF A MILL\n\nThis lease is dated 1 May 2024\n"
    )
    room.put({"lease.txt": dated + "The rent is 12,345 crowns from May 3, 2026.\n" * 600})
    lease = room.document("lease.txt")

    def read(address: str, language: str) -> str:
        return room.client.get(address, headers={"Accept-Language": language}).text

    assert ">May 1, 2024</time>" in read("/c/Mill", "en-US")
    assert ">1 May 2024</time>" in read("/c/Mill", "en-GB")
    pages = [read(f"/d/{lease}", each) for each in ("en-US", "de-DE")]
    assert all("12,345 crowns from May 3, 2026" in each for each in pages)
    for language, day in (("en-US", "May 1, 2024"), ("en-GB", "1 May 2024")):
        shown = read(f"/d/{lease}", language)
        written = f'<time datetime="2024-05-01">{day}</time></bdi>'
        assert f"<bdi>Ada Turner / Bram Miller, {written}" in shown
        assert f"<bdi>{written}" in shown  # among the key facts
