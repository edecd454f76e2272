"""Text in the making: words with marks that move along when it is put into other text."""

from __future__ import annotations

from dataclasses import dataclass, field

from fourcorners.documents.document import Mark, MarkKind
from fourcorners.text.span import Span

_MERGEABLE_KINDS = frozenset({MarkKind.INSERTED, MarkKind.DELETED, MarkKind.HIDDEN, MarkKind.BOLD})
_MERGE_WINDOW = 4  # marks looked back at, so that merging stays linear


@dataclass(slots=True)
class Fragment:
    pieces: list[str] = field(default_factory=list)
    length: int = 0
    marks: list[Mark] = field(default_factory=list)

    def __len__(self) -> int:
        return self.length

    @property
    def text(self) -> str:
        return "".join(self.pieces)

    def add(self, words: str, kind: MarkKind | None = None, detail: str = "") -> None:
        if not words:
            return
        start = self.length
        self.pieces.append(words)
        self.length += len(words)
        if kind is not None:
            self.mark(kind, start, detail)

    def mark(self, kind: MarkKind, start: int, detail: str = "") -> None:
        """Mark everything from `start` to the end; a mark that continues one of its like grows."""
        if start >= self.length:
            return
        if kind in _MERGEABLE_KINDS:
            for at in range(len(self.marks) - 1, max(-1, len(self.marks) - 1 - _MERGE_WINDOW), -1):
                last = self.marks[at]
                if (last.kind, last.detail, last.span.end) == (kind, detail, start):
                    self.marks[at] = Mark(kind, Span(last.span.start, self.length), detail)
                    return
        self.marks.append(Mark(kind, Span(start, self.length), detail))

    def mark_point(self, kind: MarkKind, detail: str) -> None:
        self.marks.append(Mark(kind, Span(self.length, self.length), detail))

    def extend(self, other: Fragment) -> None:
        start = self.length
        self.pieces += other.pieces
        self.length += other.length
        self.marks += [Mark(m.kind, m.span.shift(start), m.detail) for m in other.marks]


def join_fragments(fragments: list[Fragment], separator: str) -> Fragment:
    whole = Fragment()
    for number, fragment in enumerate(fragments):
        if number:
            whole.add(separator)
        whole.extend(fragment)
    return whole


def footnote(number: int, words: Fragment, kind: str = "footnotes") -> Fragment:
    """Return a note as it stands at the end of the text, after its number in brackets."""
    note = Fragment()
    note.add(f"[{number}] ")
    note.extend(words)
    note.mark(MarkKind.FOOTNOTE, 0, kind)
    return note
