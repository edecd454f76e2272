"""The marked text as PDF: words of both versions in their colours, as data, and a summary."""

from __future__ import annotations

from collections import defaultdict
from datetime import UTC, datetime

import pytest

from fourcorners.comparison.versions import Versions, compare_versions
from fourcorners.reports.comparison.pdf import comparison_pdf
from fourcorners.reports.typesetting import TypesetFile
from tests.comparison.contracts import CLAUSES, contract, replaced

pytest.importorskip("typst", reason="the extra `pdf` is not installed")

HOSTILE = '5.4 #panic("no") $x^2$ *not bold* \\ @nowhere <label> // and `raw` \u202egnp.exe'
BLUE, RED, GREEN, INK = (11, 63, 174), (179, 18, 29), (28, 107, 52), (27, 35, 48)


def words_by_colour(data: bytes) -> dict[tuple[int, ...], str]:
    """Return the letters of the pages but the last by their colours, and all of the last's."""
    import pypdfium2
    from pypdfium2 import raw

    found: dict[tuple[int, ...], str] = defaultdict(str)
    *pages, last = pypdfium2.PdfDocument(data)
    for page in pages:
        text = page.get_textpage()
        for at in range(text.count_chars()):
            colour = [raw.c_uint() for _ in range(4)]
            raw.FPDFText_GetFillColor(text, at, *colour)
            found[tuple(each.value for each in colour[:3])] += text.get_text_range(at, 1)
    found[()] = last.get_textpage().get_text_range()
    return {colour: "".join(words.split()) for colour, words in found.items()}


def _pdf(versions: Versions) -> TypesetFile:
    return comparison_pdf(versions.against(1), datetime(2026, 3, 9, tzinfo=UTC))


def test_words_have_the_colour_of_what_became_of_them_and_are_never_markup() -> None:
    second = replaced("thirty (30) days", "sixty (60) days")
    third = (*second[:9], *second[10:15], second[9].replace("2.4", "4.1"), *second[15:], HOSTILE)
    versions = compare_versions([contract(*each) for each in (CLAUSES, second, third)])
    pages = words_by_colour(_pdf(versions).data)
    assert "thirty(30" in pages[RED]
    assert "sixty(60" in pages[BLUE]
    assert pages[GREEN].count("keepspareparts") == 2  # where it was, and where it is
    assert 'panic("no")$x^2$*notbold*\\@nowhere<label>//and`raw`⟦U+202E⟧gnp.exe' in pages[BLUE]
    assert "TheBuyermayinspecttheGoods" in pages[INK]
    for line in ("Insertions3", "Movedclauses1", "Version3contract.txt:"):
        assert line in pages[()], line


def test_characters_that_no_font_has_are_named_with_the_fonts_that_are_needed() -> None:
    versions = compare_versions([contract(), contract(*CLAUSES, "5.4 \u0378\u0379.")])
    assert _pdf(versions).missing == "\u0378\u0379"  # which mean nothing
    warning = TypesetFile(b"", "合ผの。").warning
    assert "4 of its characters" in warning
    assert warning.endswith("Install Noto Sans CJK, Noto Sans Thai.")
