"""A comparison as tracked changes in the first version's own Word file, its look kept.

What cannot be changed there (part of a field, a text box, a cell of a table) stays, with a comment
that says what the second version has.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from fourcorners.comparison.comparison import (
    Aspect,
    Clause,
    ClauseChange,
    Comparison,
    Relation,
    Step,
    WordChange,
    both_orders,
)
from fourcorners.documents.document import Document, MarkKind
from fourcorners.documents.docx.tracked_changes import NewWords, TrackedDocument
from fourcorners.documents.media_types import MediaType
from fourcorners.errors import InputError
from fourcorners.text.invisible_characters import single_line
from fourcorners.text.patterns import load_patterns
from fourcorners.text.span import Span
from fourcorners.text.word_differences import Edit, EditKind

_IN_PLACE = frozenset({Relation.SAME, Relation.CHANGED})
_PATTERNS = load_patterns("fourcorners.reports.comparison", "word_original")
_FIGURES = _PATTERNS["figures"]
_LETTERS = _PATTERNS["letters"]
_SHOWN = 2_000  # characters of words that a comment holds


def original_file(document: Document) -> bytes | None:
    """Return the Word file that a document was read from; None if it is none or is gone."""
    path = Path(document.path)
    if document.media_type != MediaType.DOCX.value or not path.is_file():
        return None
    data = path.read_bytes()
    return data if hashlib.sha256(data).hexdigest() == document.sha256 else None


def mark_original(comparison: Comparison, data: bytes, author: str) -> tuple[bytes, int]:
    """Return the first version's file with the changes tracked, and how many could not be."""
    writer = _Marker(comparison, data, author)
    for step, change in both_orders(comparison):
        writer.apply(step, change)
    return writer.document.save(), writer.refused


class _Marker:
    """What tracks the changes of one comparison."""

    def __init__(self, comparison: Comparison, data: bytes, author: str) -> None:
        self.old, self.new = comparison.before, comparison.after
        path = Path(self.old.path)
        self.document = TrackedDocument(data, path, author=author, at=datetime.now(UTC))
        self.refused = 0
        self._numbered = {
            mark.span.start for mark in self.old.marks if mark.kind is MarkKind.NUMBER
        }
        self._last: Clause | None = None  # of the first version, after which what comes is put
        self._models: dict[str, Clause] = {}  # the last clause with a number of each shape

    def apply(self, step: Step, change: ClauseChange) -> None:
        """Track what is done with clauses at one place; they come in both versions' order."""
        is_one = len(change.before) == len(change.after) == 1
        if step is Step.STAY and (is_one or not change.changes) and change.relation in _IN_PLACE:
            for each in change.changes:
                self._replace(each)
        else:
            if step is not Step.COME:
                for clause in change.before:
                    self._remove(clause)
            if step is not Step.GO:
                for clause in change.after:
                    self._add(clause, change)
        for clause in change.before if step is not Step.COME else ():
            self._last = clause
            self._models[_shape(clause)] = clause

    def _replace(self, change: WordChange) -> None:
        text = self.old.text
        come = " ".join(change.after.text_in(self.new.text).split())
        span = change.before
        if span and come:
            edits = [Edit(EditKind.DELETE, span.text_in(text)), Edit(EditKind.INSERT, come)]
        elif span:
            span = _with_space(text, span)
            edits = [Edit(EditKind.DELETE, span.text_in(text))]
        else:
            follows_space = text[max(0, span.start - 1) : span.start].isspace()
            edits = [Edit(EditKind.INSERT, f"{come} " if follows_space else f" {come}")]
        if not self.document.obstacle(span):
            self.document.replace(span, edits)
        elif change.aspect is not Aspect.NUMBERING:  # Word computes the numbers that it can
            self._refuse(change.before, come)

    def _remove(self, clause: Clause) -> None:
        for span in _paragraphs(self.old.text, clause):
            body = Span(max(span.start, clause.number.end), span.end).strip(self.old.text)
            if not body:
                continue
            try:
                self.document.delete_paragraph(body.start)
            except InputError:
                self._refuse(body, "")

    def _add(self, clause: Clause, change: ClauseChange) -> None:
        own = change.before[0] if change.before else None
        model = own or self._models.get(_shape(clause)) or self._last
        after = self._last
        span = clause.span
        if model is not None and clause.written and model.span.start in self._numbered:
            span = Span(clause.number.end, clause.span.end)  # Word numbers it
        words = single_line(span.text_in(self.new.text))
        if model is None or after is None:
            self.refused += 1
            return
        place = _body_start(self.old.text, after, is_last=True)
        like = _body_start(self.old.text, model)
        if self.document.paragraph_obstacle(place) or self.document.paragraph_obstacle(like):
            self._refuse(change.before[0].span if change.before else after.span, words)
            return
        self.document.insert_paragraph(place, like, [NewWords(words, like)])

    def _refuse(self, span: Span, come: str) -> None:
        """Say in a comment what the second version has instead of words that cannot be changed."""
        self.refused += 1
        text = self.old.text
        if not span:
            start = text.rfind(" ", 0, max(0, span.start - 1)) + 1
            span = Span(start, span.end)
        words = come[:_SHOWN] + ("…" if len(come) > _SHOWN else "")
        if not self.document.comment_obstacle(span):
            note = (
                f"The other version has here: {words}"
                if words
                else "The other version has no such words."
            )
            self.document.add_comment(span, note)


def _shape(clause: Clause) -> str:
    """Return what the number of a clause looks like, such as `9.9` or `(a)`."""
    return _FIGURES.sub("9", _LETTERS.sub("a", clause.written)).strip(" .:")


def _with_space(text: str, span: Span) -> Span:
    """Return words to remove with one adjacent space, on the same line."""
    if text[span.end : span.end + 1] in (" ", "\u00a0"):
        return Span(span.start, span.end + 1)
    if span.start and text[span.start - 1] in (" ", "\u00a0"):
        return Span(span.start - 1, span.end)
    return span


def _paragraphs(text: str, clause: Clause) -> Sequence[Span]:
    """Return the paragraphs of a clause; a number alone on its line is one."""
    spans = []
    start = clause.span.start
    for part in clause.span.text_in(text).split("\n\n"):
        span = Span(start, start + len(part))
        start = span.end + 2
        if part.strip():
            spans.append(span)
    return spans


def _body_start(text: str, clause: Clause, *, is_last: bool = False) -> int:
    """Return where the words of a clause's first paragraph begin, or of its last."""
    span = _paragraphs(text, clause)[-1 if is_last else 0]
    return Span(min(max(span.start, clause.number.end), span.end), span.end).strip(text).start
