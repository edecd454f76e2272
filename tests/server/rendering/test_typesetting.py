"""A contract set in windows: every word once, and a highlight that shows exactly its words."""

from __future__ import annotations

import pytest

from fourcorners.documents.document import Document, Mark, MarkKind
from fourcorners.outline.build import build_outline
from fourcorners.server.rendering import contract_view
from fourcorners.server.rendering.contract_view import text_windows
from fourcorners.server.rendering.styled_runs import TextRun, flatten_layers
from fourcorners.server.rendering.typesetting import TextBlock, typeset_document
from fourcorners.text.normalisation import find_phrase
from fourcorners.text.span import Span
from tests.server.conftest import LEASE

TEXT = LEASE * 6 + "word " * 60 + "x" * 900 + "\n\na\tb\nc\td\n"


def document() -> Document:
    start = TEXT.rindex("a\tb")
    cells = [Span(start + 2 * at, start + 2 * at + 1) for at in range(4)]
    marks = (
        Mark(MarkKind.BOLD, Span(10, 900)),
        Mark(MarkKind.BOLD, Span(500, 510)),
        Mark(MarkKind.TABLE, Span(start, start + 8)),
        *(Mark(MarkKind.CELL, span, f"{at // 2},{at % 2}") for at, span in enumerate(cells)),
    )
    return Document("0" * 16, "a.txt", "a.txt", "0" * 64, "text/plain", "text/1", TEXT, marks=marks)


def runs_of(block: TextBlock) -> list[TextRun]:
    return [*block.pieces, *(run for row in block.rows for cell in row for run in cell.pieces)]


@pytest.mark.parametrize("size", [100, 333, 5_000])
def test_windows_show_every_word_once_and_exactly_what_is_marked(
    monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    monkeypatch.setattr(contract_view, "TEXT_WINDOW", size)
    read = document()
    outline, marked = build_outline(read), Span(700, 1_900)
    windows = text_windows(read, outline)
    assert [window.start for window in windows] == [0, *(window.end for window in windows[:-1])]
    assert max(map(len, windows)) <= size
    blocks = [
        block
        for window in windows
        for block in typeset_document(read, outline, marked, within=window)
    ]
    shown = [run for block in blocks for run in runs_of(block)]
    assert squeezed("".join(run.text for run in shown)) == squeezed(TEXT)
    highlighted = "".join(run.text for run in shown if run.marked)
    assert squeezed(highlighted) == squeezed(marked.text_in(TEXT))
    for block in blocks:
        if block.kind == "p":
            words = "".join(run.text for run in block.pieces)
            assert squeezed(TEXT[block.start :]).startswith(squeezed(words))


def squeezed(text: str) -> str:
    return "".join(text.split())


def test_layers_over_layers_are_cut_where_one_begins_or_ends() -> None:
    bold, link = TextRun("", "bold"), TextRun("", "term", "#t1", 1)
    layers = [(Span(2, 8), bold), (Span(4, 6), link), (Span(5, 12), bold)]
    runs = flatten_layers(layers, Span(0, 10))
    assert [(span.start, span.end, run.classes, run.href) for span, run in runs] == [
        (2, 4, "bold", ""),
        (4, 5, "bold term", "#t1"),
        (5, 6, "bold term", "#t1"),
        (6, 8, "bold", ""),
        (8, 10, "bold", ""),
    ]


def test_a_phrase_is_found_over_lines_and_with_other_quotation_marks() -> None:
    text = 'the\n  “Term” and THE "TERM"; a co\u2011owner'
    assert [each.text_in(text) for each in find_phrase(text, 'the "term"', 9)] == [
        "the\n  “Term”", 'THE "TERM"',
    ]  # fmt: skip
    assert find_phrase(text, "co-owner", 9)[0].text_in(text) == "co\u2011owner"
    assert find_phrase(text, "  ", 9) == []
    assert len(find_phrase("a" * 99, "a", 5)) == 5
