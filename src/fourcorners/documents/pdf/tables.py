"""Find tables on a PDF page by their ruled lines, or by rows whose parts are aligned."""

from __future__ import annotations

import ctypes
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from fourcorners.documents.document import Mark, MarkKind
from fourcorners.documents.pdf.columns import ALIGNMENT_TOLERANCE
from fourcorners.documents.pdf.page import PageFrame, PlacedObject, Rectangle
from fourcorners.documents.pdf.text import PageText, TextLine
from fourcorners.text.span import Span, merge_spans

MAX_RULE_WIDTH = 3.0  # points: anything thinner is a line
SNAP_TOLERANCE = 3.0  # points within which lines meet
MAX_RULES = 600  # of one page; more is a drawing
MAX_TABLES = 50  # segments of a row that are compared
MIN_ROWS = 3  # of a table without rules
MIN_COLUMN_WIDTH = 40.0  # points: a narrower first column holds clause numbers or bullets


@dataclass(frozen=True, slots=True)
class TableGrid:
    xs: tuple[float, ...]
    ys: tuple[float, ...]

    def contains(self, x: float, y: float) -> bool:
        return self.xs[0] <= x <= self.xs[-1] and self.ys[0] <= y <= self.ys[-1]

    def cell(self, x: float, y: float) -> tuple[int, int]:
        """Return the row and column, from 1, of a point in the table."""
        return bisect_right(self.ys, y), bisect_right(self.xs, x)


def find_tables(text: PageText, lines: list[TextLine]) -> Iterator[Mark]:
    ruled = list(_grids_from_rules(_ruled_lines(text.objects, text.frame)))
    aligned = [
        grid
        for grid in _grids_from_alignment(text.rows)
        if not any(each.contains(grid.xs[0] + 1, (grid.ys[0] + grid.ys[-1]) / 2) for each in ruled)
    ]
    for grid in [*ruled, *aligned]:
        middles = ((line.box, (line.box[1] + line.box[3]) / 2) for line in lines)
        inside = [grid.contains(b[0] + 1, y) or grid.contains(b[2] - 1, y) for b, y in middles]
        for within, run in groupby(zip(lines, inside, strict=True), key=lambda pair: pair[1]):
            if within:
                span = merge_spans((line.span for line, _ in run), gap=len(text.text))[0]
                yield from _table_marks(text, grid, span)


def _table_marks(text: PageText, grid: TableGrid, span: Span) -> Iterator[Mark]:
    cells: list[tuple[tuple[int, int], Span]] = []
    for offset, (x0, y0, x1, y1) in enumerate(text.char_boxes(span).tolist(), span.start):
        if text.text[offset].isspace() or not grid.contains((x0 + x1) / 2, (y0 + y1) / 2):
            continue
        cell = grid.cell((x0 + x1) / 2, (y0 + y1) / 2)
        if cells and cells[-1][0] == cell:
            cells[-1] = cell, Span(cells[-1][1].start, offset + 1)
        else:
            cells.append((cell, Span(offset, offset + 1)))
    if len({cell for cell, _ in cells}) < 2:
        return
    yield Mark(MarkKind.TABLE, span, f"{len(grid.ys) - 1}x{len(grid.xs) - 1}")
    for (row, column), part in cells:
        yield Mark(MarkKind.CELL, part, f"{row},{column}")


def _ruled_lines(objects: Sequence[PlacedObject], frame: PageFrame) -> list[Rectangle]:
    from pypdfium2 import raw

    rectangles: list[Rectangle] = []
    for each in objects:
        if each.kind != raw.FPDF_PAGEOBJ_PATH or each.depth:
            continue
        if raw.FPDFPath_CountSegments(each.item) > 5:
            rectangles += _path_strokes(each.item, frame)
        elif each.bounds:
            rectangles += _rectangle_edges(frame.to_display(each.bounds))
        if len(rectangles) > MAX_RULES:
            return []
    return rectangles


def _rectangle_edges(box: Rectangle) -> list[Rectangle]:
    """Return a line unchanged, and a rectangle as its four sides."""
    x0, y0, x1, y1 = box
    if x1 - x0 <= MAX_RULE_WIDTH or y1 - y0 <= MAX_RULE_WIDTH:
        return [box]
    return [(x0, y0, x1, y0), (x0, y1, x1, y1), (x0, y0, x0, y1), (x1, y0, x1, y1)]


def _path_strokes(item: object, frame: PageFrame) -> list[Rectangle]:
    from pypdfium2 import raw

    matrix = raw.FS_MATRIX()
    if not raw.FPDFPageObj_GetMatrix(item, matrix):
        return []
    x, y = ctypes.c_float(), ctypes.c_float()
    rectangles: list[Rectangle] = []
    here: tuple[float, float] | None = None
    for index in range(min(raw.FPDFPath_CountSegments(item), 4 * MAX_RULES)):
        segment = raw.FPDFPath_GetPathSegment(item, index)
        raw.FPDFPathSegment_GetPoint(segment, x, y)
        px = matrix.a * x.value + matrix.c * y.value + matrix.e
        py = matrix.b * x.value + matrix.d * y.value + matrix.f
        px, py, _, _ = frame.to_display((px, py, px, py))
        kind = raw.FPDFPathSegment_GetType(segment)
        if kind == raw.FPDF_SEGMENT_LINETO and here is not None:
            line = min(here[0], px), min(here[1], py), max(here[0], px), max(here[1], py)
            if line[2] - line[0] <= MAX_RULE_WIDTH or line[3] - line[1] <= MAX_RULE_WIDTH:
                rectangles.append(line)
        here = px, py
    return rectangles


def _grids_from_rules(rules: list[Rectangle]) -> Iterator[TableGrid]:
    lines = [rule for rule in rules if max(rule[2] - rule[0], rule[3] - rule[1]) >= 6]
    left = set(range(len(lines)))
    while left:
        group, edge = [], [left.pop()]
        while edge:
            one = edge.pop()
            group.append(lines[one])
            touching = {other for other in left if _is_touching(lines[one], lines[other])}
            left -= touching
            edge += touching
        ys = _snap_positions([(r[1] + r[3]) / 2 for r in group if r[2] - r[0] > r[3] - r[1]])
        xs = _snap_positions([(r[0] + r[2]) / 2 for r in group if r[3] - r[1] > r[2] - r[0]])
        if len(xs) >= 3 and len(ys) >= 3:
            yield TableGrid(tuple(xs), tuple(ys))


def _is_touching(one: Rectangle, other: Rectangle) -> bool:
    return all(
        one[low] <= other[high] + SNAP_TOLERANCE and other[low] <= one[high] + SNAP_TOLERANCE
        for low, high in ((0, 2), (1, 3))
    )


def _snap_positions(places: list[float]) -> list[float]:
    snapped: list[float] = []
    for place in sorted(places):
        if not snapped or place - snapped[-1] > SNAP_TOLERANCE:
            snapped.append(place)
    return snapped


def _grids_from_alignment(lines: list[list[Rectangle]]) -> Iterator[TableGrid]:
    group: list[list[Rectangle]] = []
    for row in [*lines, []]:
        if len(row) >= 2 and (not group or _is_next_row(group[-1], row)):
            group.append(row)
            continue
        grid = _columns_grid(group)
        if grid is not None:
            yield grid
        group = [row] if len(row) >= 2 else []


def _is_next_row(above: list[Rectangle], row: list[Rectangle]) -> bool:
    height = row[0][3] - row[0][1]
    return -height < row[0][1] - above[0][3] < 2.5 * height and _count_shared_edges(above, row) >= 1


def _count_shared_edges(above: list[Rectangle], row: list[Rectangle]) -> int:
    return sum(
        any(
            min(abs(one[0] - other[0]), abs(one[2] - other[2])) <= ALIGNMENT_TOLERANCE
            for other in above[1:MAX_TABLES]
        )
        for one in row[1:MAX_TABLES]
    )


def _columns_grid(group: list[list[Rectangle]]) -> TableGrid | None:
    if len(group) < MIN_ROWS:
        return None
    most = Counter(len(row) for row in group).most_common(1)[0][0]
    whole = [row for row in group if len(row) == most]
    if most == 2 and max(row[0][2] - row[0][0] for row in whole) < MIN_COLUMN_WIDTH:
        return None
    xs = [min(row[0][0] for row in group)]
    for column in range(1, most):
        before = max(row[column - 1][2] for row in whole)
        after = min(row[column][0] for row in whole)
        if after <= before:
            return None
        xs.append((before + after) / 2)
    xs.append(max(row[-1][2] for row in group))
    ys = sorted(min(box[1] for box in row) for row in group)
    return TableGrid(tuple(xs), (*ys, max(box[3] for box in group[-1])))
