"""Markdown: verbatim, with its headings marked."""

from __future__ import annotations

from pathlib import Path

import pytest

from fourcorners.documents.document import MarkKind
from fourcorners.documents.markdown import mark_headings
from fourcorners.documents.read import read_document

TEXT = """---
title: not a heading
---
# Services Agreement

## 1. Term ##
The term is one year.

Fees
----
| a | b |
|---|---|
- item
---
```
# not a heading
```
Schedule
========
####### seven signs are text
#hashtag is text
"""


def found(text: str) -> list[tuple[str, str]]:
    return [(mark.detail, mark.span.text_in(text)) for mark in mark_headings(text)]


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_headings_are_marked_with_their_level(line_end: str) -> None:
    assert found(TEXT.replace("\n", line_end)) == [
        ("1", "Services Agreement"),
        ("2", "1. Term"),
        ("2", "Fees"),
        ("1", "Schedule"),
    ]


def test_the_text_is_kept_as_written(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_text(TEXT, newline="")
    document = read_document(path)
    assert document.text == TEXT
    assert (document.media_type, document.reader) == ("text/markdown", "markdown/1")
    assert {mark.kind for mark in document.marks} == {MarkKind.HEADING}


def test_an_underline_below_nothing_is_no_heading() -> None:
    assert found("\n---\n\n- a\n---\ntext\n") == []
    assert found("Name: ______\n\n------\n") == []
