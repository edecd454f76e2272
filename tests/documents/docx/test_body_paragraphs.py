"""Paragraphs as Word counts them, and where their words are in the text that was read."""

from __future__ import annotations

from pathlib import Path

import pytest

from fourcorners.documents.docx.body_paragraphs import paragraph_at, read_body_paragraphs
from fourcorners.documents.read import read_document
from fourcorners.text.span import Span
from tests.redline.word_contracts import (
    NUMBERING,
    WORD_CONTRACTS,
    contract,
    deleted,
    inserted,
    note,
    paragraph,
    run,
    word_file,
)


@pytest.mark.parametrize("name", WORD_CONTRACTS)
def test_each_word_is_where_the_text_has_it(name: str, tmp_path: Path) -> None:
    path = tmp_path / "contract.docx"
    path.write_bytes(word_file(WORD_CONTRACTS[name]()))
    text = read_document(path).text
    found = read_body_paragraphs(path.read_bytes(), path)
    numbers = [each.number for each in found]
    assert numbers == sorted(set(numbers))
    for each in found:
        assert "".join(piece.text_in(text) for piece in each.pieces) == each.text
        for at, letter in enumerate(each.text):
            place = next(
                place
                for piece in each.pieces
                for place in range(piece.start, piece.end)
                if each.offset_of(place) == at
            )
            assert text[place] == letter
            assert paragraph_at(found, place) is each


def test_numbers_notes_and_deleted_words_are_no_words_of_a_paragraph(tmp_path: Path) -> None:
    consent = (run("No "), deleted("express "), inserted("written "), run("consent"), note(2))
    notes = f'<w:footnote w:id="2">{paragraph(run("As it is."))}</w:footnote>'
    body = contract(consent=(*consent, run(" is needed.")))
    path = tmp_path / "contract.docx"
    path.write_bytes(word_file({"body": body, "numbering": NUMBERING, "footnotes": notes}))
    text = read_document(path).text
    found = read_body_paragraphs(path.read_bytes(), path)
    words = [each.text for each in found]
    assert "No written consent is needed." in words
    assert "As it is." not in words  # the body alone can be written into
    own = next(each for each in found if each.text.startswith("No written"))
    before, after = text.index("consent["), text.index(" is needed")
    assert own.span_of(Span(before, before + 7)) == Span(11, 18)
    assert own.span_of(Span(before, after + 3)) is None  # a note is in their midst
    assert paragraph_at(found, text.index("As it is")) is None


def test_cells_of_tables_count_and_boxes_do_not(tmp_path: Path) -> None:
    box = (
        f"<w:r><w:pict><w:txbxContent>{paragraph(run('In a box.'))}</w:txbxContent></w:pict></w:r>"
    )
    cell = f"<w:tc><w:tcPr/>{paragraph(run('In a cell.'))}</w:tc>"
    table = f"<w:tbl><w:tblPr/><w:tblGrid><w:gridCol/></w:tblGrid><w:tr>{cell}</w:tr></w:tbl>"
    body = paragraph(run("First."), box) + paragraph() + table + paragraph(run("Last."))
    path = tmp_path / "contract.docx"
    path.write_bytes(word_file({"body": body}))
    found = read_body_paragraphs(path.read_bytes(), path)
    assert [(each.number, each.text) for each in found] == [
        (0, "First."),
        (2, "In a cell."),
        (3, "Last."),
    ]
