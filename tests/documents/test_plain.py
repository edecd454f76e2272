"""Plain text and Markdown: the file's own characters in any usual encoding."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from fourcorners.documents.document import STRUCK_THROUGH, MarkKind
from fourcorners.documents.encoding import decode_text, is_probably_text
from fourcorners.documents.read import read_document

WORDS = "The \u201cFee\u201d is \u20ac5,000;\r\npayable in caf\u00e9s.\rNow.\n"


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"]
)
def test_unicode_is_read_with_its_line_ends(encoding: str) -> None:
    decoded = decode_text(WORDS.encode(encoding))
    assert decoded.text == WORDS
    assert decoded.warnings == ()


def test_windows_text_is_read_with_a_warning() -> None:
    decoded = decode_text(WORDS.encode("cp1252"))
    assert decoded.text == WORDS
    assert decoded.warnings == ("The text is not UTF-8; it was read as Windows-1252.",)


def test_bytes_that_windows_leaves_undefined_keep_their_place() -> None:
    assert decode_text(b"fee\x81 caf\xe9").text == "fee\ufffd caf\u00e9"


def test_nul_becomes_a_character_that_can_be_stored() -> None:
    rest = " is due." * 20
    decoded = decode_text(f"The fee\0{rest}".encode())
    assert decoded.text == f"The fee\ufffd{rest}"
    assert "NUL" in decoded.warnings[0]


def test_rubbish_is_not_text() -> None:
    chance = random.Random(1)
    for size in (64, 1000, 100_000):
        assert not is_probably_text(chance.randbytes(size))
    assert not is_probably_text(b"\xff\xfe\x00\xd8\x00\x00")
    with pytest.raises(ValueError, match="not text"):
        decode_text(chance.randbytes(5000))


TEXT = """---
title: Supply
---
# Services *Agreement*

## 1. Term ##
1.1 The term is **one** year, see [clause 2](#two) and <http://a.example>.
1.2 It ends \\*early\\* &amp; for good.

- first `item`
   1. ~~struck~~ [Fee][f]

| Item | Price |
|---|--:|
| Flour | _50_ |

[f]: http://b.example "Fees"
<!-- not shown -->
```
# not a heading
```
Schedule
========
####### seven signs are text
"""
SHOWN = """title: Supply

Services Agreement

1. Term

1.1 The term is one year, see clause 2 and http://a.example.
1.2 It ends *early* & for good.

\u2022 first item

1. struck Fee

Item | Price
Flour | 50

# not a heading

Schedule

####### seven signs are text
"""


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_markdown_is_read_as_shown(tmp_path: Path, line_end: str) -> None:
    path = tmp_path / "a.md"
    path.write_text(TEXT.replace("\n", line_end), newline="")
    document = read_document(path)
    assert document.text.replace("\n\n\n", "\n\n") == SHOWN
    assert (document.media_type, document.reader) == ("text/markdown", "markdown/2")
    shown = {(mark.kind, mark.span.text_in(document.text), mark.detail) for mark in document.marks}
    assert {each for each in shown if each[0] is MarkKind.HEADING} == {
        (MarkKind.HEADING, "Services Agreement", "1"),
        (MarkKind.HEADING, "1. Term", "2"),
        (MarkKind.HEADING, "Schedule", "1"),
    }
    assert (MarkKind.CELL, "50", "2,2") in shown
    assert (MarkKind.DELETED, "struck", STRUCK_THROUGH) in shown


def test_plain_text_that_looks_like_markdown_is_kept_as_written(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text(TEXT)
    assert read_document(path).text == TEXT
