"""Answer the tracked changes of other authors in a Word document, as Word does it.

What another inserted is deleted within their insertion, and what they removed is inserted again
next to their deletion; a comment of theirs gets a reply. Their marks stay: only they, or whoever
accepts or rejects all changes, take them away.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from fourcorners.documents.change_marks import TrackedChange
from fourcorners.documents.docx.marks import xml_text
from fourcorners.documents.docx.placed_text import NOTE_REFERENCES, removed_element
from fourcorners.documents.docx.resolved_changes import lacks_end
from fourcorners.documents.docx.runs import insert_after, paragraph_of, restore_runs
from fourcorners.documents.docx.styles import W
from fourcorners.documents.docx.tracked_changes import TrackedDocument, WriteKind
from fourcorners.text.span import Span

if TYPE_CHECKING:
    from lxml.etree import _Element


class AnsweredDocument(TrackedDocument):
    """A Word document to mark up in which the tracked changes of others are answered, too."""

    def rejection_obstacle(self, change: TrackedChange) -> str:
        """Say why a change by another author cannot be rejected within it; empty if it can."""
        if change.is_moved:
            return "the words were moved"
        for mark in self._find_change(change).marks:
            node = removed_element(mark)
            if node is None:
                why = next(filter(None, map(self.obstacle, self._parts(mark.span))), "")
            elif node.tag != f"{W}del" or not self._is_in_body(node):
                why = "a row, or a part of a note, was removed"
            elif any(each.tag == f"{W}txbxContent" for each in node.iterancestors()):
                why = "it is a text box"
            elif next(node.iter(*NOTE_REFERENCES), None) is not None:
                why = "a note was removed"
            elif lacks_end(paragraph_of(node)) and self._holds_words(paragraph_of(node)):
                why = "the end of a paragraph was removed"
            else:
                why = ""
            if why:
                return why
        return ""

    def reject(self, change: TrackedChange) -> None:
        """Delete what another author inserted, and insert again what they removed.

        Their change stays, so that it is theirs to withdraw.

        Raises:
            InputError: If it cannot be rejected so (`rejection_obstacle`).
        """
        if why := self.rejection_obstacle(change):
            raise self._refusal(why, change.span)
        removed: dict[_Element, list[_Element]] = {}  # by paragraph
        for mark in self._find_change(change).marks:
            node = removed_element(mark)
            if node is not None:
                removed.setdefault(paragraph_of(node), []).append(node)
            for part in self._parts(mark.span) if node is None else ():
                self._taken.append(part)
                self._schedule(part.start, WriteKind.DELETION, partial(self._delete, part, []))
                write = partial(self._delete_end, part, change)
                self._schedule(part.start, WriteKind.DELETION, write)
        for paragraph, nodes in removed.items():
            write = partial(self._restore, paragraph, nodes)
            self._schedule(change.span.start, WriteKind.INSERTION, write)

    def comment_on(self, change: TrackedChange, comment: str) -> None:
        """Comment on a change by another author; where they commented on it, as a reply."""
        at = change.span
        theirs = next(
            (
                name
                for mark in self._placed.comment_marks
                if mark.detail.startswith(f"{change.author}, ")
                and mark.span.start <= at.end
                and at.start <= mark.span.end
                for name, text in self._placed.comments.items()
                if text == mark.detail
            ),
            None,
        )
        if theirs is not None:
            write = partial(self._comments.reply, theirs, xml_text(comment), self._body)
            self._schedule(at.start, WriteKind.COMMENT, write)
            return
        nodes = [removed_element(each) for each in self._find_change(change).marks]
        nodes += [each.node for each in self._placed.overlapping(at)]
        held = [
            each
            for each in nodes
            if each is not None
            and self._is_in_body(each)
            and any(above.tag == f"{W}p" for above in each.iterancestors())
        ]
        if held:
            write = partial(self._comment_on, held, comment)
            self._schedule(at.start, WriteKind.COMMENT, write)

    def _find_change(self, change: TrackedChange) -> TrackedChange:
        """Return a change with the marks of this reading."""
        same = (change.author, change.span, change.before)
        found = (e for e in self._placed.changes if (e.author, e.span, e.before) == same)
        return next(found, replace(change, marks=()))

    def _parts(self, span: Span) -> list[Span]:
        """Return the parts of a span in one paragraph each."""
        parts: dict[_Element, Span] = {}
        for words in self._placed.overlapping(span):
            paragraph, within = paragraph_of(words.node), span.intersection(words.span)
            if within is not None:
                start = parts[paragraph].start if paragraph in parts else within.start
                parts[paragraph] = Span(start, within.end)
        return [*parts.values()]

    def _holds_words(self, paragraph: _Element) -> bool:
        return any(paragraph_of(each.node) is paragraph for each in self._placed.words)

    def _delete_end(self, span: Span, change: TrackedChange) -> None:
        """Delete the end of a paragraph, and the row, that came with its words."""
        paragraph = paragraph_of(self._placed.overlapping(span)[0].node)
        own = [each.span for each in self._placed.words if paragraph_of(each.node) is paragraph]
        ends = [paragraph.find(f"{W}pPr/{W}rPr")] if all(map(span.contains, own)) else []
        rows = paragraph.iterancestors(f"{W}tr")
        for properties in (*ends, *(each.find(f"{W}trPr") for each in rows)):
            came = properties.find(f"{W}ins") if properties is not None else None
            if came is None or properties is None or properties.find(f"{W}del") is not None:
                continue
            if came.get(f"{W}author") == change.author:
                came.addnext(self._marks.create("del"))

    def _restore(self, paragraph: _Element, nodes: Sequence[_Element]) -> None:
        """Insert again the words that deletions of a paragraph removed, or the whole paragraph."""
        for node in nodes if not lacks_end(paragraph) else ():
            mark = self._marks.create("ins")
            mark.extend(restore_runs(node))
            insert_after(node, mark, self._marks.new_id)
        if lacks_end(paragraph):
            made, mark = self._paragraph_like(paragraph), self._marks.create("ins")
            mark.extend(run for node in nodes for run in restore_runs(node))
            made.append(mark)
            self._marks.mark_end(made, "ins")
            paragraph.addnext(made)
