"""The tracked changes of a document: words that an author proposes and nobody has accepted."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from fourcorners.documents.document import Document, Mark, MarkKind
from fourcorners.documents.media_types import MediaType
from fourcorners.text.span import Span

UNKNOWN = "unknown"
_AUTHORED = frozenset({MediaType.DOCX.value, MediaType.ODT.value})  # whose marks name the author
_DETAIL = re.compile(
    r"(?P<author>.*?)(?:, (?P<date>\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d)?))?"
    r"(?P<moved>, moved)?(?:: (?P<words>.*))?",
    re.DOTALL,
)
_ENDS = (".", ";", ":")


@dataclass(frozen=True, slots=True)
class TrackedChange:
    """Words that an author proposes to insert, to remove, or to put in the place of others.

    Attributes:
        date: As the file has it (ISO 8601); empty if it has none.
        span: The words as they would be; empty where they are only removed.
        before: The words as they were.
        marks: What the reader marked as part of it, in order.
    """

    author: str
    date: str
    span: Span
    before: str
    is_moved: bool
    marks: tuple[Mark, ...]

    @property
    def is_removal(self) -> bool:
        return not self.span

    def concerns(self, span: Span) -> bool:
        """Tell whether some of these words are proposed, or others were removed from them."""
        if not self.is_removal:
            return self.span.overlaps(span)
        at = self.span.start
        if span.start < at < span.end:
            return True
        # What was removed at an edge is a part of these words unless it was a sentence by itself.
        return at in (span.start, span.end) and not self.before.rstrip().endswith(_ENDS)


def find_tracked_changes(document: Document) -> tuple[TrackedChange, ...]:
    """Return the tracked changes of a document in order; adjacent ones of an author are one."""
    is_authored = document.media_type in _AUTHORED
    return tuple(join_marks(document.marks, document.text, is_authored=is_authored))


def join_marks(
    marks: Iterable[Mark], text: str, *, is_authored: bool = True
) -> Iterator[TrackedChange]:
    """Yield the changes of which marks are parts, in order of position."""
    kinds = (MarkKind.INSERTED, MarkKind.DELETED)
    marks = [
        each
        for each in marks
        if each.kind in kinds and bool(each.span) == (each.kind is MarkKind.INSERTED)
    ]
    found: list[TrackedChange] = []
    last: dict[str, int] = {}  # the last change of each author
    for mark in sorted(marks, key=lambda each: each.span):
        new = _read_mark(mark, is_authored=is_authored)
        at = last.get(new.author)
        former = found[at] if at is not None else None
        gap = text[former.span.end : new.span.start] if former else ""
        is_near = "\n\n" not in gap and not any(each.isalnum() for each in gap)
        if at is not None and former and is_near and former.is_moved == new.is_moved:
            found[at] = replace(
                former,
                span=Span(former.span.start, max(former.span.end, new.span.end)),
                before=f"{former.before}{gap}{new.before}",
                marks=(*former.marks, mark),
            )
        else:
            last[new.author] = len(found)
            found.append(new)
    yield from found


def name_change_authors(changes: Sequence[TrackedChange], span: Span) -> tuple[str, ...]:
    """Return the authors whose tracked changes some words are, or were changed by."""
    return tuple(dict.fromkeys(each.author for each in changes if each.concerns(span)))


def _read_mark(mark: Mark, *, is_authored: bool) -> TrackedChange:
    is_removal = mark.kind is MarkKind.DELETED
    if not is_authored:
        return TrackedChange(
            UNKNOWN, "", mark.span, mark.detail if is_removal else "", is_moved=False, marks=(mark,)
        )
    read = _DETAIL.fullmatch(mark.detail)
    assert read is not None  # noqa: S101 - it matches anything
    return TrackedChange(
        author=read["author"] or UNKNOWN,
        date=read["date"] or "",
        span=mark.span,
        before=(read["words"] or "") if is_removal else "",
        is_moved=read["moved"] is not None,
        marks=(mark,),
    )
