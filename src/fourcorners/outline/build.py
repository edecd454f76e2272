"""The contract as a tree: `build` reads a document's outline by rules."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import replace
from operator import attrgetter

from fourcorners.documents.document import Document, MarkKind
from fourcorners.outline.card.titles import Title, find_title
from fourcorners.outline.exclusions import shown_document
from fourcorners.outline.parser import frame
from fourcorners.outline.parser.attachments import find_attachments
from fourcorners.outline.parser.contents import find_contents, without_cover
from fourcorners.outline.parser.growth import grow_tree
from fourcorners.outline.parser.headings import find_headings, is_title
from fourcorners.outline.parser.lift import ITEM, lift_levels, prune_lists
from fourcorners.outline.parser.lines import TextLines
from fourcorners.outline.parser.markers import MAX_MARKERS, Marker, drop_number_lists, find_markers
from fourcorners.outline.parser.missing import find_missing
from fourcorners.outline.parser.numbering import steps_between
from fourcorners.outline.parser.sequence import INNER, OPEN, PlacedMarker, place_markers
from fourcorners.outline.references.find import find_references
from fourcorners.outline.terms import find_terms
from fourcorners.outline.tree import Node, NodeKind, Outline
from fourcorners.text.span import Span, merge_spans

SIZE_LIMIT = 4_000_000  # characters; a longer text is not a contract, and is read in windows
_COUNTED = frozenset({"1.", "1.1", "article", "chapter", "section", "I.", "A."})
_start = attrgetter("start")
_BLANKS = 200  # characters before a number on its line that are examined
_CLAUSES = 4  # minimum of numbers at line starts in a contract with numbered clauses
_STYLED = 2.0  # how much more certain a number is in a paragraph styled as a heading


def build_outline(document: Document) -> Outline:
    if len(document.text) > SIZE_LIMIT or not document.text.strip():
        return Outline(nodes=(), confidence=0.0, windows=True)
    document = shown_document(document)
    lines = TextLines(document)
    title = find_title(lines, document)
    markers, contents = _markers(lines, document, title)
    listed = without_cover(contents, title.span if title else None, lines.text)
    if len(markers) > MAX_MARKERS:
        terms = find_terms(lines.text)
        return Outline((), confidence=0.0, windows=True, terms=terms, contents=listed)
    placed = place_markers(markers)
    if missing := find_missing(lines, placed, contents):
        known = {marker.start for marker in missing}
        unknown = [marker for marker in markers if marker.start not in known]
        markers = sorted([*unknown, *missing], key=_start)
        placed = place_markers(markers)
    taken = lift_levels(prune_lists(placed), lines.length)
    nodes = grow_tree(lines, taken, title.span if title else None, contents)
    sure = outline_confidence(lines, markers, taken, nodes)
    terms = find_terms(lines.text)
    if sure < MIN_CONFIDENCE:
        return Outline((), confidence=sure, windows=True, terms=terms, contents=listed)
    references = find_references(lines.text, nodes)
    return Outline(nodes, sure, terms=terms, references=references, contents=listed)


def _markers(
    lines: TextLines, document: Document, title: Title | None
) -> tuple[list[Marker], list[Span]]:
    """Return all markers that may start a node, in order, and the excluded tables of contents."""
    generated = frozenset(
        mark.span.start for mark in document.marks if mark.kind is MarkKind.NUMBER
    )
    counted = find_markers(lines, generated)
    signed = frame.find_signatures(lines)
    if signed:
        counted = drop_number_lists(lines, counted, signed[0])
    attached = find_attachments(lines, signed, title.span.start if title else lines.length)
    entries = [marker for marker in counted if not _is_bare(lines, marker)]
    contents = find_contents(lines, sorted([*entries, *attached], key=_start))
    attached = [marker for marker in attached if not _is_within(contents, marker.start)]
    headed = find_headings(lines, document, signed, numbered=_numbered(counted))
    terms = frame.first_clause_after(lines, counted, attached)
    inner = frame.inner_signatures(signed, attached)
    frames = frame.find_recitals(lines, min(10_000, lines.length // 3), contents)
    frames += [terms] if terms else []
    frames += (
        frame.fixed_marker("signature", start, (INNER if start in inner else OPEN)[0])
        for start in signed
    )
    opened = [each.start for each in frames if each.readings[0].family != "signature"]
    own = [each.start for each in counted if each.own_line and not _is_within(contents, each.start)]
    opening = min(opened or own, default=0)
    if frames and frames[0].readings[0].family == "recitals":
        attached = [each for each in attached if each.start > opening]  # a list of them above
    cover = opening if opened else title.span.start if title and _numbered(counted) else 0
    headed = [
        each
        for each in headed
        if each.readings[0].family == "heading"
        or not (each.start < cover or (each.start < opening and is_title(lines, each)))
    ]
    merged = _merge(lines, counted, attached, headed)
    aside = [*contents, *(Span(item.start, item.start + 1) for item in frames)]
    aside = merge_spans([*aside, title.span] if title else aside)
    outside = [marker for marker in merged if not _is_within(aside, marker.start)]
    return sorted([*outside, *frames], key=_start), contents


def _numbered(markers: list[Marker]) -> bool:
    families = [marker.readings[0].family for marker in markers if marker.own_line]
    return sum(family in _COUNTED for family in families) >= _CLAUSES


def _is_bare(lines: TextLines, marker: Marker) -> bool:
    """Return whether a number within a line has no dot: page numbers in contents have none."""
    bare = marker.written.isdigit() and marker.end - marker.start == len(marker.written)
    line = max(lines.start_of_line(marker.start), marker.start - _BLANKS)
    return bare and bool(lines.text[line : marker.start].strip())


def _is_within(spans: list[Span], offset: int) -> bool:
    """Return whether an offset is in one of the ordered, disjoint spans."""
    at = bisect_right(spans, offset, key=_start) - 1
    return at >= 0 and offset < spans[at].end


def _merge(
    lines: TextLines, counted: list[Marker], attached: list[Marker], headed: list[Marker]
) -> list[Marker]:
    """Join the kinds of markers: a heading that starts with a number belongs to the number."""
    taken_lines = {lines.start_of_line(marker.start) for marker in attached if marker.own_line}
    inside = sorted(Span(marker.start, marker.end) for marker in attached)
    free = [marker for marker in counted if not _is_within(inside, marker.start)]
    merged = sorted([*free, *attached], key=_start)
    places = [marker.start for marker in merged]
    result = {marker.start: marker for marker in merged}
    for heading in headed:
        at = bisect_right(places, heading.start) - 1
        near = merged[at] if at >= 0 else None
        if near is not None and not lines.text[near.end : heading.start].strip(" \t\n\xa0*_.:–—-"):
            if heading.readings[0].family == "heading" and near.own_line:
                result[near.start] = replace(near, leave=near.leave + _STYLED, take=0.0)
            continue
        if lines.start_of_line(heading.start) not in taken_lines:
            result[heading.start] = heading
    return sorted(result.values(), key=_start)


MIN_CONFIDENCE = 0.5  # below it an outline is not used; by hand
_STRONG, _DOUBTFUL = 1.2, 0.3
_GAP = 0.9  # cost from which a missing number counts as a gap; by hand
_DOUBT, _DOUBTS = 0.85, 3  # for each break in the numbers of the top level, up to so many
_TOP_LEVEL = frozenset({"1.", "article", "section", "chapter", "I.", "A."})
# A short paper without clauses is read as well as its frame: there is nothing else to find.
_FEW = 2  # numbers
_SHORT = 20_000  # characters
_UNNUMBERED = frozenset({"attachment", "recitals", "signature", "body", "heading", "caps"})
_FRAME = frozenset({NodeKind.RECITALS, NodeKind.SIGNATURE, NodeKind.SCHEDULE})


def outline_confidence(
    lines: TextLines, markers: list[Marker], taken: list[PlacedMarker], nodes: tuple[Node, ...]
) -> float:
    """Return the confidence in an outline, 0 to 1.

    It is a product: the share of strong markers at line starts that found a place; few gaps and
    restarts; no leaf that holds most of the text; enough nodes for the length.
    """
    placed = {item.marker.start for item in taken}
    strong = [
        marker
        for marker in markers
        if marker.own_line and marker.leave >= _STRONG and marker.take <= _DOUBTFUL
        if not ITEM.match(marker.readings[0].family)
    ]
    share = sum(m.start in placed for m in strong) / len(strong) if strong else 1.0
    counted = [t for t in taken if t.reading.family not in ("heading", "caps", "body")]
    missed = sum(item.gap >= _GAP for item in counted)
    gaps = missed / max(1, len(counted))
    clauses = [n for n in nodes if n.kind not in (NodeKind.TITLE, NodeKind.SIGNATURE)]
    parts = [n for n in clauses if n.label or n.heading]
    wanted = min(8.0, max(3.0, lines.length / 2_500))
    enough = min(1.0, len(parts) / wanted)
    whole = _DOUBT ** min(_DOUBTS, _breaks(taken))
    sure = share * (1.0 - gaps) ** 2 * _spread(lines, nodes) * enough
    if sure >= MIN_CONFIDENCE:
        sure = max(MIN_CONFIDENCE, sure * whole)
    numbers = sum(m.readings[0].family not in _UNNUMBERED for m in strong)
    if numbers <= _FEW and lines.length <= _SHORT and any(n.kind in _FRAME for n in nodes):
        return max(sure, MIN_CONFIDENCE)
    return sure


def _breaks(taken: list[PlacedMarker]) -> int:
    """Return how often numbers of the top level are missing, or restart for no reason."""
    found = 0
    before: tuple[str, float] | None = None
    for item in taken:
        family, path = item.reading.family, item.reading.path
        if item.depth <= 0 and family in _TOP_LEVEL:
            if before is not None and before[0] == family:
                found += steps_between(before[1], path[0]) != 1
            before = (family, path[0])
        elif item.depth <= 0:
            before = None
    return found


def _spread(lines: TextLines, nodes: tuple[Node, ...]) -> float:
    """Return 1 unless a leaf is both long and most of the text."""
    inner = {node.parent for node in nodes}
    leaves = [
        len(node.span)
        for node in nodes
        if node.id not in inner and node.kind not in (NodeKind.SCHEDULE, NodeKind.SIGNATURE)
    ]
    largest = max(leaves, default=lines.length)
    if largest < 4_000:
        return 1.0
    return max(0.0, min(1.0, 1.25 - largest / lines.length))
