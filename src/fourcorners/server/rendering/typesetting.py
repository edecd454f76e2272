"""A contract's text set for reading: blocks by its outline, pieces by what they contain.

Every character is shown once and in order, apart from white space around blocks and what only
separates the cells of a table; so a highlighted span shows exactly its words.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from fourcorners.documents.document import Document, Mark, MarkKind
from fourcorners.documents.media_types import MediaType
from fourcorners.outline.terms import TermFinder
from fourcorners.outline.tree import Node, NodeKind, Outline
from fourcorners.server.rendering.styled_runs import Layer, RunCutter, TextRun, flatten_layers
from fourcorners.text.span import Span
from fourcorners.text.word_differences import Edit, EditKind

MAX_TERMS = 500
"""Defined terms that a window explains, at most."""

_BREAK = re.compile(r"\n[^\S\n]*(?:\n[^\S\n]*)+")
_LINE = re.compile(r"[^\n]+")
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
class PlacedChange:
    """Edits of the words of a span, to be shown in them; `look` is the name of a style class."""

    id: str
    span: Span
    edits: Sequence[Edit]
    look: str = ""


@dataclass(frozen=True, slots=True)
class TextBlock:
    """A paragraph, a heading, a table or a cell of one.

    Attributes:
        kind: `p`, `h` (with its level from 2), `table` (with its rows of cells) or `cell`.
        start: Where its words start in the document's text.
        depth: How deep in the outline it is.
    """

    kind: str
    start: int
    pieces: tuple[TextRun, ...] = ()
    rows: tuple[tuple[TextBlock, ...], ...] = ()
    anchors: tuple[str, ...] = ()
    level: int = 2
    depth: int = 0


def typeset_document(
    document: Document,
    outline: Outline,
    marked: Span | None = None,
    changes: Iterable[PlacedChange] = (),
    within: Span | None = None,
    elsewhere: Callable[[int], str] = lambda _: "",
) -> Iterator[TextBlock]:
    """Yield a document's blocks, with the words of one span highlighted, and with changes.

    `within` is the window that is wanted, None for the whole; `elsewhere` gives the address of the
    window that holds a character, for references out of this one.
    """
    text = document.text
    within = within or Span(0, len(text))
    removed, added = _place_changes(changes)
    layers = [*_layers(document, outline, within, elsewhere), *removed]
    if marked is not None:
        layers.append((marked, TextRun("", marked=True)))
    anchor = "" if marked is None else f"s={marked.start}-{marked.end}"
    cutter = RunCutter(
        text, flatten_layers(layers, within), _soft_ends(document, within), added, anchor
    )
    tables = {span: cells for span, cells in _tables(document.marks) if span.overlaps(within)}
    anchors: dict[int, list[str]] = {}
    for each in outline.nodes:
        if within.start <= each.span.start < within.end:
            anchors.setdefault(each.span.start, []).append(f"n{each.id}")
    depths = node_depths(outline)
    for part, table in _parts(text, within, list(tables), sorted(anchors)):
        inside = part.strip(text)
        if not inside:
            continue
        node = outline.node_at(inside.start)
        # A node that starts in the white space before belongs to the block, too.
        places = range(part.start, inside.start + 1)
        ids = tuple(name for at in places for name in anchors.get(at, ()))
        depth = 0 if node is None else depths[node.id]
        if table is not None:
            rows = tuple(_row(cutter, row, within, text) for row in tables[table])
            yield TextBlock("table", inside.start, rows=tuple(filter(None, rows)), anchors=ids)
            continue
        heading = _heading(node, inside, text)
        if heading is not None:
            runs, level = cutter.runs(heading), min(2 + depth, 5)
            yield TextBlock("h", heading.start, runs, anchors=ids, level=level, depth=depth)
            inside, ids = Span(heading.end, inside.end).strip(text), ()
        if inside:
            yield TextBlock("p", inside.start, cutter.runs(inside), anchors=ids, depth=depth)


def _row(
    cutter: RunCutter, cells: Sequence[Span], within: Span, text: str
) -> tuple[TextBlock, ...]:
    """Return the cells of a row that a window shows; none of a row outside of it."""
    shown = [cell.intersection(within) for cell in cells]
    if not any(shown):
        return ()
    here = [Span(within.end, within.end) if cell is None else cell.strip(text) for cell in shown]
    return tuple(TextBlock("cell", cell.start, cutter.runs(cell) if cell else ()) for cell in here)


def _place_changes(
    changes: Iterable[PlacedChange],
) -> tuple[list[Layer], dict[int, list[TextRun]]]:
    """Return the words that changes remove, as layers, and those that they add, by offset."""
    removed: list[Layer] = []
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


def window_terms(outline: Outline, within: Span) -> list[int]:
    """Return the defined terms that a window explains, by index: its own first, then the others.

    A contract has some tens of terms; of a text with more than `MAX_TERMS`, some are left out.
    """
    every = range(len(outline.terms))
    own = [number for number in every if outline.terms[number].span.overlaps(within)]
    chosen = set(own[:MAX_TERMS])
    for number in every:
        if len(chosen) >= MAX_TERMS:
            break
        chosen.add(number)
    return sorted(chosen)


def _layers(
    document: Document, outline: Outline, within: Span, elsewhere: Callable[[int], str]
) -> Iterator[Layer]:
    for mark in document.marks:
        if mark.kind in _CLASSES and mark.span.overlaps(within):
            yield mark.span, TextRun("", _CLASSES[mark.kind])
    for reference in outline.references:
        if reference.span.overlaps(within):
            if reference.target is None:
                yield reference.span, TextRun("", "dangling")
                continue
            start = outline.nodes[reference.target].span.start
            page = "" if within.start <= start < within.end else elsewhere(start)
            yield reference.span, TextRun("", "reference", f"{page}#n{reference.target}")
    for term in outline.terms:
        if term.span.overlaps(within):
            yield term.span, TextRun("", "definition")
    listed = window_terms(outline, within)
    for use in TermFinder([outline.terms[each] for each in listed]).find(document.text, within):
        number = listed[use.term]
        yield use.span, TextRun("", "term", f"#t{number}", number)


def _tables(marks: Iterable[Mark]) -> Iterator[tuple[Span, list[list[Span]]]]:
    """Yield each table's span with the spans of its cells, row by row; none overlap.

    Tables within a cell are its text.
    """
    cells = sorted(
        (mark for mark in marks if mark.kind is MarkKind.CELL),
        key=lambda mark: (mark.span.start, -mark.span.end),
    )
    starts = [cell.span.start for cell in cells]
    last = 0
    for table in (mark.span for mark in marks if mark.kind is MarkKind.TABLE):
        if table.start < last:
            continue
        rows: dict[int, list[Span]] = {}
        end = table.start
        for cell in cells[bisect_left(starts, table.start) : bisect_left(starts, table.end)]:
            if end <= cell.span.start and cell.span.end <= table.end:
                rows.setdefault(int(cell.detail.partition(",")[0]), []).append(cell.span)
                end = cell.span.end
        if rows:
            yield table, [rows[row] for row in sorted(rows)]
            last = table.end


def _parts(
    text: str, within: Span, tables: Sequence[Span], starts: Sequence[int]
) -> Iterator[tuple[Span, Span | None]]:
    """Cut a window at blank lines, at tables and where nodes start; the parts tile it.

    With each part comes the table that it is of.
    """
    cuts = {*starts, *(match.end() for match in _BREAK.finditer(text, within.start, within.end))}
    between = sorted(cuts)
    at = within.start
    for table in [*tables, None]:
        until = within.end if table is None else max(at, table.start)
        first, last = bisect_right(between, at), bisect_left(between, until)
        for start, end in pairwise([at, *between[first:last], until]):
            yield Span(start, end), None
        if table is not None:
            at = min(table.end, within.end)
            yield Span(until, at), table


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


def _soft_ends(document: Document, within: Span) -> list[int]:
    """Return where lines end because the paper did: lines nearly as long as the text's usual ones.

    Only where a line of the text is a line on paper; elsewhere it is a paragraph.
    """
    if document.media_type not in (MediaType.PDF, MediaType.TEXT):
        return []
    text = document.text
    lines = [match.span() for match in _LINE.finditer(text, within.start, within.end)]
    lengths = sorted(end - start for start, end in lines)
    if not lengths:
        return []
    usual = lengths[len(lengths) * 3 // 4]
    if usual > _LONGEST_LINE:
        return []
    enough = usual * _FULL
    return [end for start, end in lines if end - start >= enough and end < len(text)]


def node_depths(outline: Outline) -> list[int]:
    """Return how deep each node of an outline is; its roots are at 0."""
    depths: list[int] = []
    for node in outline.nodes:
        depths.append(0 if node.parent is None else depths[node.parent] + 1)
    return depths
