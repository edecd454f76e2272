"""Grow a tree of nested nodes from the places of the numbering."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from fourcorners.outline.parser.lines import TextLines, has_verb, is_all_capitals, is_title_like
from fourcorners.outline.parser.sequence import PlacedMarker
from fourcorners.outline.tree import Node, NodeKind
from fourcorners.text.patterns import load_patterns
from fourcorners.text.span import Span

_PATTERNS = load_patterns("fourcorners.outline.parser", "growth")
_CAPITAL_WORD = r"(?:[A-Z][A-Z’'&/,;()-]+|[&/-])"
_CAPITAL_WORDS = re.compile(rf"{_CAPITAL_WORD}(?:[^\S\n]{_CAPITAL_WORD})*")
_ALONE = 9  # words of a heading in lower case, at most
_HEADING_LIMIT = 110  # characters of a heading that is followed by text on its line
_CAPITALS_LIMIT = 400  # characters of a heading in capitals before a sentence on its line
_SIGNS = 200  # characters of signs before a number on its line
_LEAD = " \t\xa0\r.:-–—*_"
_PREFIXED = frozenset({"article", "part", "chapter"})
_KINDS = {
    "attachment": NodeKind.SCHEDULE,
    "recitals": NodeKind.RECITALS,
    "signature": NodeKind.SIGNATURE,
    **dict.fromkeys(_PREFIXED, NodeKind.ARTICLE),
    **dict.fromkeys(("heading", "caps", "section"), NodeKind.SECTION),
}


@dataclass(slots=True)
class Branch:
    """A node while the tree grows.

    Attributes:
        family: The scheme of its number.
        in_sentence: Whether words precede its number on its line.
    """

    kind: NodeKind
    family: str
    label: str
    heading: Span | None
    start: int
    confidence: float
    end: int = 0
    children: list[Branch] = field(default_factory=list)
    in_sentence: bool = False


def grow_tree(
    lines: TextLines, taken: list[PlacedMarker], title: Span | None, contents: list[Span]
) -> tuple[Node, ...]:
    """Return the nodes in reading order; every span ends with its last word."""
    restarting = _restarting(taken)
    roots: list[Branch] = []
    opened: list[Branch] = []
    for item in taken:
        if item.depth < 0:
            continue
        start = _with_signs(lines, item.marker.start)
        for branch in opened[item.depth :]:
            branch.end = start
        del opened[item.depth :]
        parent = opened[-1] if opened else None
        branch = Branch(
            kind=_kind(item, opened),
            family=item.reading.family,
            label=_label(item, opened, restarting),
            heading=_heading(lines, item),
            start=start,
            confidence=max(0.1, 1.0 - 0.25 * item.gap - 0.2 * item.marker.take),
            in_sentence=_is_in_sentence(lines, item.marker.start),
        )
        (parent.children if parent else roots).append(branch)
        opened.append(branch)
    for branch in opened:
        branch.end = lines.length
    _end_lists(lines.written, roots)
    return _number(lines.written, [*_front(lines, roots, title, contents), *roots])


def _is_in_sentence(lines: TextLines, start: int) -> bool:
    """Return whether words precede a number on its line, without a wide gap between."""
    before = lines.text[max(lines.start_of_line(start), start - 2) : start]
    return bool(before.strip())


def _end_lists(text: str, branches: list[Branch]) -> None:
    """End the last point of a list within a sentence with the sentence: what follows is not of it.

    The points before it show that it is one: they are parts of a sentence.
    """
    run: list[Branch] = []
    for at, branch in enumerate(branches):
        _end_lists(text, branch.children)
        same = run and branch.family == run[0].family and branch.label != run[0].label
        run = [*run, branch] if same else [branch]
        after = branches[at + 1] if at + 1 < len(branches) else None
        if after and after.family == branch.family and after.label != run[0].label:
            continue
        is_list = branch.in_sentence and len(run) > 1 and ")" in branch.family
        if is_list and all(_is_part(text, each) for each in run[:-1]):
            over = _PATTERNS["over"].search(text, branch.start, branch.end)
            if over and all(child.start < over.end() for child in branch.children):
                _shorten(branch, over.end())


def _is_part(text: str, branch: Branch) -> bool:
    words = text[branch.start : branch.end]
    return bool(_PATTERNS["part"].search(words)) and not _PATTERNS["over"].search(words)


def _shorten(branch: Branch, end: int) -> None:
    branch.end = min(branch.end, end)
    for child in branch.children:
        _shorten(child, end)


def _with_signs(lines: TextLines, start: int) -> int:
    line = lines.start_of_line(start)
    if start - line > _SIGNS:
        return start
    signs = lines.text[line:start]
    return line + len(signs) - len(signs.lstrip()) if not signs.strip(" \t\xa0#*_>|[") else start


def _front(
    lines: TextLines, roots: list[Branch], title: Span | None, contents: list[Span]
) -> list[Branch]:
    """Return the title, and the text around it above the first node."""
    limit = roots[0].start if roots else lines.length
    found: list[Branch] = []
    aside = [span for span in contents if span.start < limit]
    if title and title.end <= limit:
        found.append(Branch(NodeKind.TITLE, "", "", title, title.start, 1.0, title.end))
        aside = sorted([*aside, title])
    offset = 0
    for span in [*aside, Span(limit, limit)]:
        between = Span(offset, max(offset, min(span.start, limit))).strip(lines.written)
        if any(char.isalnum() for char in between.text_in(lines.written)):
            found.append(Branch(NodeKind.PARAGRAPH, "", "", None, between.start, 1.0, between.end))
        offset = max(offset, span.end)
    return sorted(found, key=lambda branch: branch.start)


def _number(text: str, roots: list[Branch]) -> tuple[Node, ...]:
    nodes: list[Node] = []
    stack: list[tuple[Branch, int | None]] = [(branch, None) for branch in reversed(roots)]
    while stack:
        branch, parent = stack.pop()
        span = Span(branch.start, branch.end).strip(text)
        heading = branch.heading if branch.heading and span.contains(branch.heading) else None
        number = len(nodes)
        nodes.append(
            Node(number, parent, branch.kind, branch.label, heading, span, branch.confidence)
        )
        stack.extend((child, number) for child in reversed(branch.children))
    return tuple(nodes)


def _restarting(taken: list[PlacedMarker]) -> frozenset[str]:
    """Return the schemes that restart under each article, and need its label before theirs."""
    seen: set[tuple[int, str, tuple[float, ...]]] = set()
    found: set[str] = set()
    container = 0
    for item in taken:
        family = item.reading.family
        container += family == "attachment"
        key = (container, family, item.reading.path)
        if family in ("1.", "section", "A.", "I.", "caps") and key in seen:
            found.add(family)
        seen.add(key)
    return frozenset(found)


def _label(item: PlacedMarker, opened: list[Branch], restarting: frozenset[str]) -> str:
    family, written = item.reading.family, item.marker.written
    if family in ("recitals", "signature", "heading", "caps"):
        return ""
    if family == "attachment":
        return written
    root = next((b.label for b in opened if b.kind is NodeKind.SCHEDULE), "")
    if opened and opened[0].kind is NodeKind.RECITALS:
        root = "Recital"
    prefix = f"{root} " if root else ""
    absolute = len(item.reading.path) > 1 or family in _PREFIXED
    named = [branch for branch in opened if branch.label and branch.kind is not NodeKind.SCHEDULE]
    if absolute or not named:
        return prefix + written
    above = named[-1]
    if above.family in _PREFIXED:
        if family in ("1.", "section") and family not in restarting:
            return prefix + written
        return f"{above.label} {written}"
    if family.startswith("("):
        return above.label + written
    if family.endswith(")"):
        return f"{above.label}({written})"
    return f"{above.label}.{written}"


def _kind(item: PlacedMarker, opened: list[Branch]) -> NodeKind:
    family = item.reading.family
    if family in _KINDS:
        return _KINDS[family]
    if opened and opened[0].kind is NodeKind.RECITALS:
        return NodeKind.ITEM
    if len(item.reading.path) > 1:
        if family.endswith("()"):
            return NodeKind.ITEM
        return NodeKind.SECTION if len(item.reading.path) == 2 else NodeKind.PARAGRAPH
    above = [b for b in opened if b.kind in (NodeKind.SECTION, NodeKind.PARAGRAPH, NodeKind.ITEM)]
    if family.endswith(".") or family == "first":
        if not above:
            return NodeKind.SECTION
        return NodeKind.PARAGRAPH if above[-1].family[0] in "IA1" else NodeKind.ITEM
    return NodeKind.ITEM if above or family.startswith("(") else NodeKind.SECTION


def _heading(lines: TextLines, item: PlacedMarker) -> Span | None:
    """Find the heading's words: run in with the text, alone on the line, or on the next."""
    text, marker, family = lines.text, item.marker, item.reading.family
    if family == "signature":
        return None
    if family == "recitals":
        line = lines.rest_of_line(marker.start)
        return None if line.text_in(text)[:7].lower() == "whereas" else _trim(text, line)
    if family in ("heading", "caps"):
        return _trim(text, _unnumbered(lines, item))
    start = marker.end
    line_end = lines.end_of_line(start)
    while start < line_end and text[start] in _LEAD:
        start += 1
    if start >= line_end:
        return _heading_below(lines, item, start)
    capitals = _CAPITAL_WORDS.match(text, start, min(line_end, start + _CAPITALS_LIMIT))
    followed = capitals and _PATTERNS["sentence"].match(text, capitals.end())
    if capitals and followed and is_all_capitals(capitals.group()):
        return _trim(text, Span(*capitals.span()))
    stop = _PATTERNS["run_in"].search(text, start, min(lines.length, start + _HEADING_LIMIT))
    if stop is None and line_end - start >= _HEADING_LIMIT:
        return None
    end = stop.start() if stop else line_end
    words = Span(start, end).strip(text)
    if words and words.end >= line_end - 2 and _is_heading_line(lines, item, words):
        return _trim(text, words)
    if not is_title_like(words.text_in(text), limit=_HEADING_LIMIT) or text[words.end - 1] in ",;":
        return None
    if _PATTERNS["reference"].fullmatch(words.text_in(text)):
        return None
    if family.startswith("(") and (stop is None or stop.group() == "\n") and len(words) > 60:
        return None
    return _trim(text, words)


def _unnumbered(lines: TextLines, item: PlacedMarker) -> Span:
    """Return a heading without a number: its line, or the capitals that open a paragraph."""
    line = Span(item.marker.start, lines.end_of_line(item.marker.start))
    if item.reading.family == "heading" or is_all_capitals(line.text_in(lines.text)):
        return line
    capitals = _CAPITAL_WORDS.match(lines.text, line.start)
    return Span(*capitals.span()) if capitals else line


def _is_heading_line(lines: TextLines, item: PlacedMarker, words: Span) -> bool:
    """Tell whether words that fill the line after a number are a heading in lower case."""
    heading_text = words.text_in(lines.text)
    if (
        item.reading.family.startswith("(")
        or not heading_text[0].isupper()
        or heading_text[-1] in ".;,:"
    ):
        return False
    few = len(heading_text.split()) <= _ALONE and len(heading_text) <= 70
    return few and not has_verb(heading_text) and lines.is_break_after(words.end)


def _heading_below(lines: TextLines, item: PlacedMarker, start: int) -> Span | None:
    text = lines.text
    offset = lines.start_of_words(start)
    if text.count("\n", start, offset) > 4 or item.reading.family.startswith("("):
        return None
    line = lines.rest_of_line(offset)
    words = line.text_in(text)
    if line.end - line.start >= _HEADING_LIMIT or not words or words[-1] in ".;,":
        return None
    return _trim(text, line) if is_all_capitals(words) or is_title_like(words) else None


def _trim(text: str, span: Span) -> Span | None:
    start, end = span.start, span.end
    while start < end and (text[start].isspace() or text[start] in "*_#"):
        start += 1
    while end > start and (text[end - 1].isspace() or text[end - 1] in _LEAD):
        end -= 1
    return Span(start, end) if end > start else None
