"""Measure how reliable an outline is, by checking its skeleton."""

from __future__ import annotations

from fourcorners.outline.parser.lines import TextLines
from fourcorners.outline.parser.markers import Marker
from fourcorners.outline.parser.numbering import steps_between
from fourcorners.outline.parser.sequence import PlacedMarker
from fourcorners.outline.tree import Node, NodeKind
from fourcorners.text.patterns import load_patterns

MIN_CONFIDENCE = 0.5  # below it an outline is not used; by hand
_STRONG, _DOUBTFUL = 1.2, 0.3
_GAP = 0.9  # cost from which a missing number counts as a gap; by hand
_DOUBT, _DOUBTS = 0.85, 3  # for each break in the numbers of the top level, up to so many
_COUNTED = frozenset({"1.", "article", "section", "chapter", "I.", "A."})
_PATTERNS = load_patterns("fourcorners.outline.parser", "confidence")
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
        if not _PATTERNS["bracketed"].match(marker.readings[0].family)
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
        if item.depth <= 0 and family in _COUNTED:
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
