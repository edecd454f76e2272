"""The Word document: accepted it is the second version, rejected the first, and it is read so."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from fourcorners.comparison.comparison import Comparison
from fourcorners.documents.read import read_document
from fourcorners.reports.comparison.writers import comparison_writer
from tests.comparison.contracts import CLAUSES, compare
from tests.comparison.test_marking import CHANGED

if TYPE_CHECKING:
    from lxml.etree import _Element

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"


def written(comparison: Comparison, folder: Path) -> Path:
    path = folder / "compared.docx"
    comparison_writer(path)(comparison, path, author="A. Reviewer")
    return path


def resolved(path: Path, kept: str, dropped: str) -> list[str]:
    """Return the paragraphs with all changes of one kind taken and those of the other left."""
    import docx

    paragraphs: list[str] = []
    joined = False
    for paragraph in docx.Document(str(path)).element.body.iter(f"{W}p"):
        words = "".join(_words(paragraph, dropped))
        if joined:
            paragraphs[-1] += words
        else:
            paragraphs.append(words)
        joined = paragraph.find(f"{W}pPr/{W}rPr/{W}{dropped}") is not None
    assert kept != dropped
    return [" ".join(each.split()) for each in paragraphs if each.strip()]


def _words(paragraph: _Element, dropped: str) -> Sequence[str]:
    return [
        node.text or ""
        for node in paragraph.iter(f"{W}t", f"{W}delText")
        if not any(above.tag == f"{W}{dropped}" for above in node.iterancestors())
    ]


@pytest.mark.parametrize("name", CHANGED)
def test_accepting_all_gives_the_second_version_and_rejecting_all_the_first(
    name: str, tmp_path: Path
) -> None:
    path = written(compare(*CHANGED[name]), tmp_path)
    assert resolved(path, "ins", "del") == [*CHANGED[name]]
    assert resolved(path, "del", "ins") == [*CLAUSES]


def test_the_reader_of_word_files_reads_the_accepted_version(tmp_path: Path) -> None:
    path = written(compare(*CHANGED["a value"]), tmp_path)
    assert read_document(path).text.split() == " ".join(CHANGED["a value"]).split()


def test_each_change_has_its_author_and_characters_that_xml_lacks_do_no_harm(
    tmp_path: Path,
) -> None:
    import docx

    path = written(compare(*CLAUSES, "5.4 A bell\x07 and <w:p/> & more of the same."), tmp_path)
    changes = list(docx.Document(str(path)).element.body.iter(f"{W}ins", f"{W}del"))
    assert changes
    assert {each.get(f"{W}author") for each in changes} == {"A. Reviewer"}
    assert "<w:p/> & more" in resolved(path, "ins", "del")[-1]
