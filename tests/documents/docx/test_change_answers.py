"""Another author's tracked changes are rejected within them, and their comments get replies."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from fourcorners.documents.change_marks import find_tracked_changes
from fourcorners.documents.docx.change_answers import AnsweredDocument
from fourcorners.documents.docx.resolved_changes import resolve_changes
from fourcorners.documents.read import read_document
from fourcorners.errors import InputError
from tests.documents.docx.packages import parts
from tests.redline.word_contracts import AUTHOR, deleted, inserted, note, paragraph, run, word_file

OURS, THEIRS, THIRD = "Ann Lee", "Other Side", "Third Person"
END = paragraph(run("Nothing else is agreed."))


def third(change: str) -> str:
    return change.replace(THEIRS, THIRD)


def end(kind: str) -> str:
    return f'<w:rPr><w:{kind} w:id="77" {AUTHOR}/></w:rPr>'


def table(*rows: str) -> str:
    return f"<w:tbl><w:tblPr/><w:tblGrid/>{''.join(rows)}</w:tbl>"


def row(*cells: str, properties: str = "") -> str:
    shown = "".join(f"<w:tc><w:tcPr/>{each}</w:tc>" for each in cells)
    return f"<w:tr><w:trPr>{properties}</w:trPr>{shown}</w:tr>"


PERIOD = paragraph(
    run("Notice of "), deleted("sixty (60)"), inserted("ninety (90)"), run(" days is given.")
)
NESTED = paragraph(
    run("The buyer "),
    f'<w:ins w:id="8" {AUTHOR}>{run("who pays ")}{third(deleted("promptly", 9))}{run(" or not ")}'
    "</w:ins>",
    run("loses its rights."),
)
CELL = table(row(paragraph(run("Bolts")), paragraph(deleted("£5"), inserted("£9"))))
NEW_ROW = table(
    row(paragraph(run("Bolts")), paragraph(run("£5"))),
    row(
        *(paragraph(inserted("Nuts")), paragraph(inserted("£7"))),
        properties=f'<w:ins w:id="78" {AUTHOR}/>',
    ),
)
GONE = paragraph(run("First.")) + paragraph(deleted("It ends soon."), properties=end("del"))
COME = paragraph(run("First.")) + paragraph(inserted("It never ends."), properties=end("ins"))
TWO = paragraph(run("Pay "), inserted("soon "), run("and well "), third(inserted("and often")))
CASES = {
    "period": PERIOD,
    "nested": NESTED,
    "cell": CELL,
    "row": NEW_ROW,
    "paragraph gone": GONE,
    "paragraph come": COME,
    "two authors": TWO,
}


def text_of(data: bytes, folder: Path) -> str:
    path = folder / "read.docx"
    path.write_bytes(data)
    return read_document(path).text


def answered(data: bytes, folder: Path, author: str = THEIRS, comment: str = "") -> bytes:
    """Return a file in which the changes of an author are rejected."""
    path = folder / "theirs.docx"
    path.write_bytes(data)
    at = datetime(2026, 3, 4, 9, tzinfo=UTC)
    document = AnsweredDocument(data, path, author=OURS, at=at)
    for change in find_tracked_changes(read_document(path)):
        if change.author == author:
            document.reject(change)
            if comment:
                document.comment_on(change, comment)
    return document.save()


@pytest.mark.parametrize("name", CASES)
def test_what_is_rejected_is_as_it_was_once_all_is_accepted(name: str, tmp_path: Path) -> None:
    data = word_file({"body": CASES[name] + END})
    marked = answered(data, tmp_path)
    without = resolve_changes(data, Path(), accept=False, author=THEIRS)
    assert text_of(marked, tmp_path) == text_of(without, tmp_path)
    assert text_of(marked, tmp_path) != text_of(data, tmp_path)
    withdrawn = resolve_changes(marked, Path(), accept=False, author=OURS)
    assert text_of(withdrawn, tmp_path) == text_of(data, tmp_path)
    (tmp_path / "withdrawn.docx").write_bytes(withdrawn)
    (tmp_path / "theirs.docx").write_bytes(data)
    for change in ("theirs.docx", "withdrawn.docx"):
        read = find_tracked_changes(read_document(tmp_path / change))
        assert {each.author for each in read} <= {THEIRS, THIRD}
    before, after = (parts(each)["word/document.xml"].decode() for each in (data, marked))
    assert after.count(f'"{THEIRS}"') >= before.count(f'"{THEIRS}"')
    assert after.count(f'"{THIRD}"') == before.count(f'"{THIRD}"')


def test_only_one_author_is_answered(tmp_path: Path) -> None:
    data = word_file({"body": TWO + END})
    marked = answered(data, tmp_path, THIRD)
    assert text_of(marked, tmp_path).startswith("Pay soon and well \n")


def test_what_another_removed_of_a_third_is_restored_outside_of_it(tmp_path: Path) -> None:
    data = word_file({"body": NESTED + END})
    marked = answered(data, tmp_path, THIRD)
    assert "who pays promptly or not loses" in text_of(marked, tmp_path)
    root = parts(marked)["word/document.xml"].decode()
    assert root.index("</w:ins>") < root.index(f'"{OURS}"')


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (
            paragraph(inserted("Risk passes.")).replace("w:ins", "w:moveTo"),
            "moved",
        ),
        (paragraph(run("First."), deleted("Second", 5).replace("</w:r>", note(2)[5:])), "note"),
        (paragraph(run("One "), deleted("two"), properties=end("del")), "end of a paragraph"),
        (
            table(
                row(paragraph(run("Bolts"))),
                row(paragraph(deleted("Nuts")), properties=f'<w:del w:id="7" {AUTHOR}/>'),
            ),
            "row",
        ),
    ],
)
def test_what_cannot_be_rejected_within_the_change_is_left(
    body: str, why: str, tmp_path: Path
) -> None:
    with pytest.raises(InputError, match=why):
        answered(word_file({"body": body + END}), tmp_path)


def commented(text: str) -> dict[str, str]:
    place = '<w:commentRange{} w:id="7"/>'
    reference = '<w:r><w:commentReference w:id="7"/></w:r>'
    body = paragraph(
        run("Notice of "),
        *(place.format("Start"), deleted("sixty"), inserted("ninety"), place.format("End")),
        *(reference, run(" days.")),
    )
    return {
        "body": body + END,
        "comments": f'<w:comment w:id="7" {AUTHOR}>{paragraph(run(text))}</w:comment>',
    }


def test_a_comment_of_theirs_gets_a_reply(tmp_path: Path) -> None:
    data = word_file(commented("We need longer."))
    marked = answered(data, tmp_path, comment="Sixty is usual.")
    held = parts(marked)
    comments = held["word/comments.xml"].decode()
    assert "We need longer." in comments
    assert "Sixty is usual." in comments
    threads = held["word/commentsExtended.xml"].decode()
    former, own = '50000001"', '50000002"'
    assert f'paraIdParent="{former}' in threads
    assert all(f'paraId="{each}' in threads and each in comments for each in (former, own))
    assert b"commentsExtended+xml" in held["[Content_Types].xml"]
    assert b"2011/relationships/commentsExtended" in held["word/_rels/document.xml.rels"]
    body = held["word/document.xml"].decode()
    assert [body.count(f'{each} w:id="8"') for each in ("Start", "End", "Reference")] == [1, 1, 1]


def test_a_change_without_a_comment_gets_one(tmp_path: Path) -> None:
    marked = answered(word_file({"body": PERIOD + END}), tmp_path, comment="Sixty is usual.")
    assert "word/commentsExtended.xml" not in parts(marked)
    assert b"Sixty is usual." in parts(marked)["word/comments.xml"]
