"""A comparison as a Word document of tracked changes: accepted it is the second version.

Rejected it is the first. The document is plain: it holds the words of both versions, paragraph by
paragraph, and nothing of how they were set.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final

from fourcorners.comparison.comparison import (
    Clause,
    ClauseChange,
    Comparison,
    Relation,
    Step,
    both_orders,
)
from fourcorners.comparison.marking import BREAK, mark_words
from fourcorners.reports.word.package import open_template, save
from fourcorners.text.invisible_characters import single_line
from fourcorners.text.word_differences import Edit, EditKind

if TYPE_CHECKING:
    from docx.document import Document as WordDocument
    from lxml.etree import _Element

_W: Final = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_SPACE: Final = "{http://www.w3.org/XML/1998/namespace}space"
_NOT_XML: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_MARKS: Final = {EditKind.INSERT: "ins", EditKind.DELETE: "del"}
_WHOLE: Final = frozenset({Relation.REPLACED, Relation.DIVIDED})


def write_word(comparison: Comparison, path: Path, author: str) -> None:
    """Write the tracked changes that lead from the first version to the second."""
    document = open_template(None)
    _Writer(document, author).write(comparison)
    save(document, path)


class _Writer:
    """What writes paragraphs with tracked changes at the end of a document."""

    def __init__(self, document: WordDocument, author: str) -> None:
        self._body: _Element = document.element.body
        self._end: _Element = document.element.body.sectPr
        self._author = _NOT_XML.sub("\ufffd", author)
        self._date = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        self._next = 1

    def write(self, comparison: Comparison) -> None:
        last = EditKind.EQUAL
        for step, change in both_orders(comparison):
            for edits, end in _paragraphs(comparison, step, change):
                self._write_paragraph(edits, end)
                last = end
        if last is not EditKind.EQUAL:  # a paragraph's end that goes needs one that stays
            self._write_paragraph([], EditKind.EQUAL)

    def _write_paragraph(self, edits: Sequence[Edit], end: EditKind) -> None:
        paragraph = self._body.makeelement(f"{_W}p")
        if end in _MARKS:
            properties = paragraph.makeelement(f"{_W}pPr")
            mark = properties.makeelement(f"{_W}rPr")
            mark.append(self._change(_MARKS[end]))
            properties.append(mark)
            paragraph.append(properties)
        for edit in edits:
            run = self._run(edit)
            if edit.kind in _MARKS:
                change = self._change(_MARKS[edit.kind])
                change.append(run)
                run = change
            paragraph.append(run)
        self._end.addprevious(paragraph)

    def _run(self, edit: Edit) -> _Element:
        run = self._body.makeelement(f"{_W}r")
        name = "delText" if edit.kind is EditKind.DELETE else "t"
        text = run.makeelement(f"{_W}{name}", {_SPACE: "preserve"})
        text.text = _NOT_XML.sub("\ufffd", edit.text)
        run.append(text)
        return run

    def _change(self, kind: str) -> _Element:
        self._next += 1
        attributes = {"id": str(self._next), "author": self._author, "date": self._date}
        return self._body.makeelement(
            f"{_W}{kind}", {f"{_W}{name}": value for name, value in attributes.items()}
        )


def _paragraphs(
    comparison: Comparison, step: Step, change: ClauseChange
) -> Iterator[tuple[list[Edit], EditKind]]:
    """Yield the paragraphs of one step, each with what becomes of its end."""
    if step is Step.STAY and change.relation not in _WHOLE and _is_simple(change):
        yield from _divide(mark_words(comparison, change))
        return
    if step is not Step.COME:
        yield from _whole_paragraphs(change.before, comparison.before.text, EditKind.DELETE)
    if step is not Step.GO:
        yield from _whole_paragraphs(change.after, comparison.after.text, EditKind.INSERT)


def _is_simple(change: ClauseChange) -> bool:
    """Tell whether paragraphs are divided in one version as in the other, or split or merged."""
    counts = (len(change.before), len(change.after))
    return counts == (1, 1) or (
        change.relation in (Relation.SPLIT, Relation.MERGED) and min(counts) == 1
    )


def _whole_paragraphs(
    clauses: Sequence[Clause], text: str, kind: EditKind
) -> Iterator[tuple[list[Edit], EditKind]]:
    for each in clauses:
        yield [Edit(kind, single_line(each.span.text_in(text)))], kind


def _divide(edits: Sequence[Edit]) -> Iterator[tuple[list[Edit], EditKind]]:
    paragraph: list[Edit] = []
    for edit in edits:
        first, *others = edit.text.split(BREAK)
        paragraph.append(Edit(edit.kind, _one_line(first)))
        for other in others:
            yield [each for each in paragraph if each.text], edit.kind
            paragraph = [Edit(edit.kind, _one_line(other))]
    yield [each for each in paragraph if each.text], EditKind.EQUAL


def _one_line(words: str) -> str:
    """Return words with each run of white space as one space, those at the ends too."""
    return single_line(f"|{words}|")[1:-1]
