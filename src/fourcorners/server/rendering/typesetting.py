"""A contract's text set for reading: blocks by its outline, pieces by what stands in them.

Every character is shown once and in order, apart from white space around blocks and what only
separates the cells of a table; so a highlighted span shows exactly its words.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeAlias

from fourcorners.documents.document import Document, Mark, MarkKind
from fourcorners.documents.media_types import MediaType
from fourcorners.outline.terms import find_uses
from fourcorners.outline.tree import Node, NodeKind, Outline
from fourcorners.text.span import Span
from fourcorners.text.word_differences import Edit, EditKind

_BREAK = re.compile(r"\n[^\S\n]*(?:\n[^\S\n]*)+")
_CLASSES = {
    MarkKind.NUMBER: "number",
    MarkKind.BOLD: "bold",
    MarkKind.INSERTED: "inserted",
    MarkKind.DELETED: "deleted",
    MarkKind.HIDDEN: "hidden-text",
    MarkKind.COMMENT: "comment",
    MarkKind.FOOTNOTE: "footnote",
    MarkKind.HEADER: "margin",
    MarkKind.FOOTER: "margin",
}
_LONGEST_LINE = 140  # characters; a text whose usual line is longer has none but paragraphs
_FULL = 0.75  # of the usual length from which a line was cut by the width of the paper
_SECTIONS = frozenset({NodeKind.ARTICLE, NodeKind.SECTION, NodeKind.SCHEDULE, NodeKind.RECITALS})


@dataclass(frozen=True, slots=True)
class TextRun:
    """Words that are set alike.

    Attributes:
        classes: How they look, as names of style classes.
        href: Where they lead; empty for nowhere.
        term: The index of the defined term that they are; None for none.
        marked: Whether they are highlighted.
        anchor: The id of the place that starts here; empty for none.
        change: The id of the change that removes these words, or adds them; empty for none.
        is_new: Whether the change adds them: then they are no words of the contract.
    """

    text: str
    classes: str = ""
    href: str = ""
    term: int | None = None
    marked: bool = False
    anchor: str = ""
    change: str = ""
    is_new: bool = False


@dataclass(frozen=True, slots=True)
class PlacedChange:
    """Edits of the words of a span, to be shown in them; `look` is the name of a style class."""

    id: str
    span: Span
    edits: Sequence[Edit]
    look: str = ""


@dataclass(frozen=True, slots=True)
class TextBlock:
    """A paragraph, a heading or a table.

    Attributes:
        kind: `p`, `h` (with its level from 2) or `table` (with its rows of cells of pieces).
        depth: How deep in the outline it stands.
    """

    kind: str
    pieces: tuple[TextRun, ...] = ()
    rows: tuple[tuple[tuple[TextRun, ...], ...], ...] = ()
    anchors: tuple[str, ...] = ()
    level: int = 2
    depth: int = 0


# A span with what it adds to the pieces in it.
_Layer: TypeAlias = tuple[Span, TextRun]


def typeset_document(
    document: Document,
    outline: Outline,
    marked: Span | None = None,
    changes: Iterable[PlacedChange] = (),
) -> list[TextBlock]:
    """Return a document's blocks, with the words of one span highlighted, and with changes."""
    text = document.text
    removed, added = _place_changes(changes)
    layers = sorted([*_layers(document, outline), *removed], key=lambda each: each[0])
    tables = _tables(document.marks)
    anchors: dict[int, list[str]] = {}
    for each in outline.nodes:
        anchors.setdefault(each.span.start, []).append(f"n{each.id}")
    depths = node_depths(outline)
    setter = _Setter(text, layers, marked, _soft_ends(document), added)
    blocks = []
    for part in _parts(text, [table for table, _ in tables], sorted(anchors)):
        table = next((cells for span, cells in tables if span == part), None)
        inside = part.strip(text)
        if not inside:
            continue
        node = outline.node_at(inside.start)
        # A node that starts in the white space before belongs to the block, too.
        places = range(part.start, inside.start + 1)
        ids = tuple(name for at in places for name in anchors.get(at, ()))
        depth = 0 if node is None else depths[node.id]
        if table is not None:
            rows = tuple(tuple(setter.pieces(cell.strip(text)) for cell in row) for row in table)
            blocks.append(TextBlock("table", rows=rows, anchors=ids, depth=depth))
            continue
        heading = _heading(node, inside, text)
        if heading is not None:
            pieces, level = setter.pieces(heading), min(2 + depth, 5)
            blocks.append(TextBlock("h", pieces, anchors=ids, level=level, depth=depth))
            inside, ids = Span(heading.end, inside.end).strip(text), ()
        if inside:
            blocks.append(TextBlock("p", setter.pieces(inside), anchors=ids, depth=depth))
    return blocks


class _Setter:
    """Cuts spans of a text into pieces wherever a layer starts or ends.

    Args:
        soft: Where the text has line ends that only its paper's width made, in order.
        added: Words to show at offsets of the text, once each.
    """

    def __init__(
        self,
        text: str,
        layers: Sequence[_Layer],
        marked: Span | None,
        soft: Sequence[int],
        added: dict[int, list[TextRun]],
    ) -> None:
        self._soft, self._added = soft, added
        self._text, self._layers, self._marked = text, layers, marked
        self._starts = [place.start for place, _ in layers]
        self._longest = max((len(place) for place, _ in layers), default=0)
        self._anchored = False

    def pieces(self, span: Span) -> tuple[TextRun, ...]:
        first = bisect_left(self._starts, span.start - self._longest)
        last = bisect_left(self._starts, span.end)
        here = [each for each in self._layers[first:last] if each[0].overlaps(span)]
        if self._marked is not None and self._marked.overlaps(span):
            here.append((self._marked, TextRun("", marked=True)))
        inside = {at for at in self._added if span.start <= at <= span.end}
        if not here and not inside:
            return (TextRun(self._flowing(span)),)
        cuts = {span.start, span.end, *inside}
        for place, _ in here:
            cuts |= {max(span.start, place.start), min(span.end, place.end)}
        runs = self._added.pop(span.start, [])
        for start, end in pairwise(sorted(cuts)):
            runs += [self._piece(Span(start, end), here), *self._added.pop(end, ())]
        return tuple(runs)

    def _flowing(self, span: Span) -> str:
        words = span.text_in(self._text)
        if "\n" not in words:
            return words
        first, last = (bisect_left(self._soft, at) for at in (span.start, span.end))
        for at in self._soft[first:last]:
            words = f"{words[: at - span.start]} {words[at - span.start + 1 :]}"
        return words

    def _piece(self, span: Span, here: Iterable[_Layer]) -> TextRun:
        over = [layer for place, layer in here if place.contains(span)]
        if not over:
            return TextRun(self._flowing(span))
        marked = any(layer.marked for layer in over)
        anchor = ""
        if marked and not self._anchored and self._marked is not None:
            self._anchored = True
            anchor = f"s={self._marked.start}-{self._marked.end}"
        return TextRun(
            self._flowing(span),
            classes=" ".join(layer.classes for layer in over if layer.classes),
            href=next((layer.href for layer in over if layer.href), ""),
            term=next((layer.term for layer in over if layer.term is not None), None),
            marked=marked,
            anchor=anchor,
            change=next((layer.change for layer in over if layer.change), ""),
        )


def _place_changes(
    changes: Iterable[PlacedChange],
) -> tuple[list[_Layer], dict[int, list[TextRun]]]:
    """Return the words that changes remove, as layers, and those that they add, by offset."""
    removed: list[_Layer] = []
    added: dict[int, list[TextRun]] = {}
    for each in changes:
        at = each.span.start
        for edit in each.edits:
            if edit.kind is EditKind.INSERT:
                run = TextRun(edit.text, each.look, change=each.id, is_new=True)
                added.setdefault(at, []).append(run)
                continue
            if edit.kind is EditKind.DELETE:
                place = Span(at, at + len(edit.text))
                removed.append((place, TextRun("", each.look, change=each.id)))
            at += len(edit.text)
    return removed, added


def _layers(document: Document, outline: Outline) -> Iterator[_Layer]:
    for mark in document.marks:
        if mark.kind in _CLASSES and mark.span:
            yield mark.span, TextRun("", _CLASSES[mark.kind])
    for reference in outline.references:
        target = reference.target
        led = ("dangling", "") if target is None else ("reference", f"#n{target}")
        yield reference.span, TextRun("", *led)
    for index, term in enumerate(outline.terms):
        yield term.span, TextRun("", "definition", term=index)
    for use in find_uses(document.text, outline.terms):
        yield use.span, TextRun("", "term", f"#t{use.term}", use.term)


def _tables(marks: Iterable[Mark]) -> list[tuple[Span, list[list[Span]]]]:
    """Return each table's span with the spans of its cells, row by row."""
    cells = [mark for mark in marks if mark.kind is MarkKind.CELL]
    found: list[tuple[Span, list[list[Span]]]] = []
    for table in (mark for mark in marks if mark.kind is MarkKind.TABLE):
        rows: dict[int, list[Span]] = {}
        for cell in cells:
            if table.span.contains(cell.span):
                rows.setdefault(int(cell.detail.partition(",")[0]), []).append(cell.span)
        if rows and not any(table.span.overlaps(other) for other, _ in found):
            found.append((table.span, [sorted(rows[row]) for row in sorted(rows)]))
    return found


def _parts(text: str, tables: Sequence[Span], starts: Sequence[int]) -> Iterator[Span]:
    """Cut a text at blank lines, at tables and where nodes start; the parts tile it."""
    cuts = {0, len(text), *(start for start in starts if start <= len(text))}
    cuts |= {match.end() for match in _BREAK.finditer(text)}
    for table in tables:
        cuts = {cut for cut in cuts if not table.start < cut < table.end}
        cuts |= {table.start, table.end}
    for start, end in pairwise(sorted(cuts)):
        yield Span(start, end)


def _heading(node: Node | None, part: Span, text: str) -> Span | None:
    """Return the part's first line, with its number, where it is a node's heading."""
    if node is None or node.heading is None or not part.contains(node.heading):
        return None
    if text[part.start : node.heading.start].count("\n") > 1 or len(node.heading) > 160:
        return None
    heading = Span(part.start, node.heading.end)
    rest = text[heading.end : part.end]
    line = rest.split("\n", 1)[0].strip()
    if line and not (node.kind in _SECTIONS and line[:1] in ".:—–-"):
        return None  # the heading runs on into its paragraph
    return Span(part.start, heading.end + len(rest) - len(rest.lstrip(".: ")))


def _soft_ends(document: Document) -> list[int]:
    """Return where lines end because the paper did: lines nearly as long as the text's usual ones.

    Only where a line of the text is a line on paper; elsewhere it is a paragraph.
    """
    if document.media_type not in (MediaType.PDF, MediaType.TEXT):
        return []
    lines = [(match.start(), match.end()) for match in re.finditer(r"[^\n]+", document.text)]
    lengths = sorted(end - start for start, end in lines)
    if not lengths:
        return []
    usual = lengths[len(lengths) * 3 // 4]
    if usual > _LONGEST_LINE:
        return []
    enough = usual * _FULL
    return [end for start, end in lines if end - start >= enough and end < len(document.text)]


def node_depths(outline: Outline) -> list[int]:
    """Return how deep each node of an outline stands; its roots are at 0."""
    depths: list[int] = []
    for node in outline.nodes:
        depths.append(0 if node.parent is None else depths[node.parent] + 1)
    return depths
