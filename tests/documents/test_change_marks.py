"""What tracked changes propose: the words before and after, and whose they are."""

from __future__ import annotations

from pathlib import Path

import pytest

from fourcorners.documents.change_marks import find_tracked_changes, name_change_authors
from fourcorners.documents.document import Document
from fourcorners.documents.read import read_document
from fourcorners.text.span import Span
from tests.redline.word_contracts import deleted, inserted, paragraph, run, word_file


def read(tmp_path: Path, *paragraphs: str) -> Document:
    path = tmp_path / "changed.docx"
    path.write_bytes(word_file({"body": "".join(paragraphs)}))
    return read_document(path)


def by(author: str, change: str) -> str:
    return change.replace("Other Side", author)


def changes(document: Document) -> list[tuple[str, str, str]]:
    return [
        (each.author, each.before, each.span.text_in(document.text))
        for each in find_tracked_changes(document)
    ]


def test_words_in_the_place_of_others_are_one_change(tmp_path: Path) -> None:
    document = read(
        tmp_path,
        paragraph(
            run("Notice of "),
            *(deleted("sixty"), inserted("ninety"), run(" ("), deleted("60"), inserted("90")),
            run(") days is given to "),
            *(deleted("Alder"), inserted("Birch"), run(".")),
        ),
    )
    assert changes(document) == [
        ("Other Side", "sixty (60", "ninety (90"),
        ("Other Side", "Alder", "Birch"),
    ]
    assert find_tracked_changes(document)[0].date == "2026-01-05T10:00:00Z"


def test_two_authors_have_a_change_each(tmp_path: Path) -> None:
    struck = by("Third", deleted("within ten days", 5))
    nested = (
        f'<w:ins w:id="9" w:author="Other, Side">{run("who pays ")}{struck}{run(" or")}</w:ins>'
    )
    document = read(tmp_path, paragraph(run("The buyer "), nested, run(" loses its rights.")))
    assert changes(document) == [
        ("Other, Side", "", "who pays  or"),
        ("Third", "within ten days", ""),
    ]
    whole = Span(0, len(document.text))
    assert name_change_authors(find_tracked_changes(document), whole) == ("Other, Side", "Third")


def test_a_cell_is_changed(tmp_path: Path) -> None:
    cells = (paragraph(run("Bolts")), paragraph(deleted("£5"), inserted("£9")))
    row = f"<w:tr>{''.join(f'<w:tc>{each}</w:tc>' for each in cells)}</w:tr>"
    document = read(tmp_path, f"<w:tbl>{row}</w:tbl>", paragraph(run("Nothing else.")))
    assert changes(document) == [("Other Side", "£5", "£9")]


@pytest.mark.parametrize(
    ("removed", "is_of_next"),
    [("1. The buyer pays a fee of £9.", False), ("Within ten days and ", True)],
)
def test_a_sentence_that_was_removed_is_no_part_of_the_next(
    tmp_path: Path, removed: str, is_of_next: bool
) -> None:
    document = read(tmp_path, paragraph(deleted(removed), run("the seller delivers the goods.")))
    next_sentence = Span(0, document.text.index("."))
    found = name_change_authors(find_tracked_changes(document), next_sentence)
    assert found == (("Other Side",) if is_of_next else ())
