"""Tracked changes and comments in a Word file: accepted they are the edits, rejected nothing."""

from __future__ import annotations

import random
import zipfile
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path

import pytest

from fourcorners.documents.document import MarkKind
from fourcorners.documents.docx.resolved_changes import resolve_changes
from fourcorners.documents.docx.tracked_changes import NewWords, TrackedDocument
from fourcorners.documents.read import read_document
from fourcorners.errors import InputError
from fourcorners.text.span import Span
from fourcorners.text.word_differences import Edit, EditKind, diff_words
from tests.redline.word_contracts import (
    NUMBERING,
    WORD_CONTRACTS,
    listed,
    paragraph,
    run,
    word_file,
)

AUTHOR = "Ann Lee"
AT = datetime(2026, 3, 4, 9, tzinfo=UTC)


def opened(name: str) -> tuple[bytes, TrackedDocument]:
    data = word_file(WORD_CONTRACTS[name]())
    return data, TrackedDocument(data, Path(f"{name}.docx"), author=AUTHOR, at=AT)


def text_of(data: bytes, folder: Path) -> str:
    path = folder / "read.docx"
    path.write_bytes(data)
    return read_document(path).text


def part(data: bytes, name: str) -> str:
    with zipfile.ZipFile(BytesIO(data)) as archive:
        return archive.read(name).decode()


def place(document: TrackedDocument, words: str) -> Span:
    start = document.text.index(words)
    return Span(start, start + len(words))


def swap(document: TrackedDocument, old: str, new: str, comment: str = "") -> None:
    document.replace(place(document, old), diff_words(old, new), comment)


@pytest.mark.parametrize("name", WORD_CONTRACTS)
def test_rejected_it_is_the_original_and_accepted_the_edits(name: str, tmp_path: Path) -> None:
    data, document = opened(name)
    before = document.text
    swap(document, "within thirty days of an invoice", "within sixty days of an invoice", "Why.")
    after = place(document, "begins on its date")
    document.insert_paragraph(after.start, after.start, [NewWords("It lasts a year.", after.start)])
    marked = document.save()
    shown = text_of(marked, tmp_path)
    number = "" if name == "tables" else "5.2 "  # Word's own, where the clauses are a list
    assert "within sixty days of an invoice" in shown
    assert f"until it is terminated.\n\n{number}It lasts a year." in shown
    assert len(shown) == len(before) + len(f"\n\n{number}It lasts a year.") - len("thir") + len(
        "six"
    )
    assert text_of(resolve_changes(marked, Path(), accept=True), tmp_path) == shown
    for author in (None, AUTHOR):
        original = resolve_changes(data, Path(), accept=False, author=author)
        rejected = resolve_changes(marked, Path(), accept=False, author=author)
        assert text_of(rejected, tmp_path) == text_of(original, tmp_path)


@pytest.mark.parametrize("name", WORD_CONTRACTS)
def test_any_words_that_may_be_changed_are_changed_and_come_back(name: str, tmp_path: Path) -> None:
    for seed in range(4):
        draw = random.Random(seed)
        _, document = opened(name)
        text, wanted = document.text, document.text
        cuts = sorted(draw.sample(range(len(text) - 1), 20))
        done: list[Span] = []
        for start, end in zip(cuts[::2], cuts[1::2], strict=True):
            span = Span(start, min(end, start + 50))
            if "\n" in span.text_in(text) or document.obstacle(span):
                continue
            edits = [Edit(EditKind.DELETE, span.text_in(text)), Edit(EditKind.INSERT, " NEW ")]
            if document.obstacle(Span(span.end, span.end)):
                continue
            document.replace(span, edits)
            done.append(span)
        for span in reversed(done):
            note = "[1]" if "[1]" in span.text_in(text) else ""
            wanted = f"{wanted[: span.start]}{note} NEW {wanted[span.end :]}"
        marked = document.save()
        assert done
        words = text_of(marked, tmp_path).replace("[1]", "").split()
        assert words == wanted.replace("[1]", "").split()
        rejected = resolve_changes(marked, Path(), accept=False, author=AUTHOR)
        assert text_of(rejected, tmp_path) == text


def test_who_changed_what_and_why_is_told(tmp_path: Path) -> None:
    _, document = opened("automatic-numbering")
    swap(document, "within thirty days", "within sixty days", "Sixty is usual.\nSee the playbook.")
    marked = document.save()
    path = tmp_path / "marked.docx"
    path.write_bytes(marked)
    read = read_document(path)
    marks = {mark.kind: mark for mark in read.marks}
    assert marks[MarkKind.INSERTED].detail == "Ann Lee, 2026-03-04T09:00:00Z"
    assert marks[MarkKind.DELETED].detail == "Ann Lee, 2026-03-04T09:00:00Z: thirty"
    comment = marks[MarkKind.COMMENT]
    assert comment.detail == "Ann Lee, 2026-03-04T09:00:00Z: Sixty is usual. See the playbook."
    assert comment.span.text_in(read.text) == "sixty"
    assert "comments+xml" in part(marked, "[Content_Types].xml")


def test_a_comment_joins_those_that_are_there() -> None:
    _, document = opened("tracked-changes")
    document.add_comment(place(document, "Risk in the Goods"), "Whose risk?")
    comments = part(document.save(), "word/comments.xml")
    assert "Our usual notice." in comments
    assert 'w:id="8"' in comments
    assert "Whose risk?" in comments


def test_words_that_another_inserted_are_deleted_within_their_insertion(tmp_path: Path) -> None:
    data, document = opened("tracked-changes")
    swap(document, "prior written consent", "prior consent")
    marked = document.save()
    assert "the prior consent of" in text_of(marked, tmp_path)
    theirs = resolve_changes(marked, Path(), accept=False, author="Other Side")
    ours = resolve_changes(marked, Path(), accept=False, author=AUTHOR)
    assert text_of(ours, tmp_path) == text_of(data, tmp_path)
    assert "without the express party" in text_of(theirs, tmp_path)


def test_a_field_goes_as_a_whole_or_not_at_all(tmp_path: Path) -> None:
    data, document = opened("fields")
    number = place(document, "5.3 and Section")
    half = Span(number.start, number.start + 1)
    assert "field" in document.obstacle(half)
    with pytest.raises(InputError, match="cross-reference"):
        document.replace(half, [Edit(EditKind.DELETE, "5")])
    swap(document, "Subject to clause 5.3 and Section 4.1, neither", "Neither")
    marked = document.save()
    assert "6.1 Neither party may" in text_of(marked, tmp_path)
    assert part(marked, "word/document.xml").count("delInstrText") == 4  # two, with their ends
    rejected = resolve_changes(marked, Path(), accept=False)
    assert text_of(rejected, tmp_path) == text_of(data, tmp_path)


def test_a_note_stays_where_words_around_it_go(tmp_path: Path) -> None:
    _, document = opened("footnotes")
    swap(document, "consent[1] of the other party.", "consent.")
    shown = text_of(document.save(), tmp_path)
    assert "prior written consent[1]." in shown or "consent.[1]" in shown
    assert "[1] Consent may be given by e-mail." in shown


def test_numbers_that_word_computes_and_ends_of_paragraphs_are_not_words() -> None:
    _, document = opened("automatic-numbering")
    assert document.obstacle(place(document, "5.2")) == "Word computes it"
    assert "end of a paragraph" in document.obstacle(place(document, "terminated.\n\n5.2 Either"))
    at = place(document, "Goods").start
    with pytest.raises(ValueError, match="line end"):
        document.replace(Span(at, at), [Edit(EditKind.INSERT, "a\nb")])


def test_the_same_words_are_changed_once() -> None:
    _, document = opened("tables")
    swap(document, "ten days of delivery", "five days of delivery")
    assert document.obstacle(place(document, "within ten days")) == "the words are changed already"


def test_a_paragraph_at_the_end_of_the_body(tmp_path: Path) -> None:
    data, document = opened("automatic-numbering")
    end = len(document.text.rstrip()) - 1
    document.insert_paragraph(end, end, [NewWords("Signed twice.", end)])
    marked = document.save()
    assert text_of(marked, tmp_path).endswith("____\n\nSigned twice.\n")
    rejected = resolve_changes(marked, Path(), accept=False)
    assert text_of(rejected, tmp_path) == text_of(data, tmp_path)


def test_a_last_paragraph_unlike_the_new_one_has_its_format_back(tmp_path: Path) -> None:
    body = paragraph(run("The parties agree."), properties=listed(0)) + paragraph(run("So be it."))
    data = word_file({"body": body, "numbering": NUMBERING})
    document = TrackedDocument(data, tmp_path / "x.docx", author=AUTHOR, at=AT)
    document.insert_paragraph(len(document.text.rstrip()) - 1, 3, [NewWords("New.", 3)])
    marked = document.save()
    assert text_of(marked, tmp_path).endswith("So be it.\n\n2. New.\n")
    rejected = resolve_changes(marked, Path(), accept=False)
    assert text_of(rejected, tmp_path) == text_of(data, tmp_path)
    accepted = resolve_changes(marked, Path(), accept=True)
    assert text_of(accepted, tmp_path) == text_of(marked, tmp_path)
    assert "pPrChange" not in part(accepted, "word/document.xml")


def test_a_new_paragraph_with_a_comment_before_a_table_goes(tmp_path: Path) -> None:
    cell = f"<w:tc>{paragraph(run('Signed'))}</w:tc>"
    body = (
        paragraph(run("The parties agree."), properties=listed(0))
        + paragraph(run("So be it."))
        + f"<w:tbl><w:tblPr/><w:tblGrid><w:gridCol/></w:tblGrid><w:tr>{cell}</w:tr></w:tbl>"
    )
    data = word_file({"body": body, "numbering": NUMBERING})
    document = TrackedDocument(data, tmp_path / "x.docx", author=AUTHOR, at=AT)
    document.insert_paragraph(document.text.index("So"), 3, [NewWords("New.", 3)], "Why.")
    rejected = resolve_changes(document.save(), Path(), accept=False)
    assert text_of(rejected, tmp_path) == text_of(data, tmp_path)


def test_new_words_look_like_the_plainer_of_those_beside_them() -> None:
    _, document = opened("fields")
    at = place(document, "consent").end
    document.replace(Span(at, at), [Edit(EditKind.INSERT, " (in writing)")])
    written = part(document.save(), "word/document.xml")
    start = written.index(" (in writing)")
    assert "<w:i/>" not in written[start - 120 : start]


def test_other_parts_stay_byte_for_byte() -> None:
    data, document = opened("footnotes")
    swap(document, "within thirty days", "within sixty days")
    marked = document.save()
    for name in ("word/numbering.xml", "word/footnotes.xml", "_rels/.rels"):
        assert part(marked, name) == part(data, name)


def test_tabs_that_are_characters_stay() -> None:
    words = ("1.1\tGrant.\t\tIt may sell.", "1.2\tOften.")
    body = "".join(f"<w:p><w:r><w:t>{each}</w:t></w:r></w:p>" for each in words)
    data = word_file({"body": body})
    document = TrackedDocument(data, Path("x.docx"), author=AUTHOR, at=AT)
    swap(document, "Often", "Once")
    assert "1.1\tGrant.\t\tIt may sell." in part(document.save(), "word/document.xml")


def test_paragraphs_that_lose_all_their_words_go(tmp_path: Path) -> None:
    data, document = opened("automatic-numbering")
    gone = "Risk in the Goods passes to the Customer when they are delivered."
    document.replace(place(document, gone), [Edit(EditKind.DELETE, gone)])
    marked = document.save()
    path = tmp_path / "marked.docx"
    path.write_bytes(resolve_changes(marked, path, accept=True))
    assert "3.1 The Customer shall inspect" in read_document(path).text
    path.write_bytes(resolve_changes(marked, path, accept=False))
    assert read_document(path).text == text_of(data, tmp_path)
