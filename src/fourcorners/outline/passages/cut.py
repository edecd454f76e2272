"""Cut a document into passages for the index, and into the sentences that can be quoted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from fourcorners.documents.document import Document
from fourcorners.errors import ConfigError
from fourcorners.outline.exclusions import Exclusion, blank_text, shown_document
from fourcorners.outline.tree import Node, NodeKind, Outline, Passage, View
from fourcorners.text.patterns import load_patterns
from fourcorners.text.sentences import split_sentences
from fourcorners.text.span import Span

MAX_PASSAGE = 1_000  # maximum characters of a passage
MIN_PASSAGE = 200  # characters below which a clause is joined with its neighbours
MIN_WORDS = 4  # of a sentence: what has fewer is a heading, a label or a signature
_HEADING = 120  # characters below which a first sentence is not a separate passage
_PATTERNS = load_patterns("fourcorners.outline.passages", "cut")
_SEPARATORS = ("\n\n", "\n", " ", "")
_MAX_DESCENDANT = 6_000  # maximum characters of a descendant view: anything longer is not a clause
_MAX_OVERLAP = 0.95  # views of which one covers this share of the other are near duplicates
_JOINED = frozenset({NodeKind.ITEM, NodeKind.PARAGRAPH})


@dataclass(frozen=True, slots=True)
class _Piece:
    """A stretch of text to become a passage or several, and the node it belongs to."""

    span: Span
    node: int | None


def cut_passages(
    document: Document, outline: Outline, *, strategy: str = "outline"
) -> list[Passage]:
    """Cut a document into passages, in order of position.

    The strategy `outline` gives disjoint passages of bounded length that together
    cover every character that is not white space. `views` gives PAKTON's three views of each node,
    which overlap. `fixed-SIZE-OVERLAP` gives plain windows of that many characters, whatever they
    hold, and `recursive-SIZE` cuts at paragraphs, lines and words.

    Invisible words are only in passages that surround them.

    Raises:
        ConfigError: If there is no such strategy.
    """
    text = shown_document(document).text
    if strategy == "outline":
        pieces = _windows(text) if outline.windows else _clauses(text, outline)
        view = View.WINDOW if outline.windows else View.NODE
        return [
            Passage(ordinal, piece.span, view, piece.node, _context(text, outline, piece))
            for ordinal, piece in enumerate(pieces)
        ]
    if strategy == "views" and not outline.windows:
        return cut_views(text, outline)
    if strategy == "views":
        return cut_passages(document, outline)
    cut_at = _PATTERNS["recursive"].fullmatch(strategy)
    if cut_at:
        spans = split_recursively(text, int(cut_at["size"]))
        return [Passage(ordinal, span, View.WINDOW) for ordinal, span in enumerate(spans)]
    fixed = _PATTERNS["fixed"].fullmatch(strategy)
    if not fixed or int(fixed["overlap"]) >= int(fixed["size"]):
        raise ConfigError(
            f"unknown way to cut passages: {strategy!r}.",
            remedy="Use 'outline', 'views', 'recursive-SIZE' such as 'recursive-500', or "
            "'fixed-SIZE-OVERLAP' such as 'fixed-3500-700'.",
        )
    spans = _fixed(text, int(fixed["size"]), int(fixed["overlap"]))
    return [Passage(ordinal, span, View.WINDOW) for ordinal, span in enumerate(spans)]


def _fixed(text: str, size: int, overlap: int) -> list[Span]:
    last = max(1, len(text) - overlap)  # start of a window that is not within the previous one
    starts = range(0, min(last, len(text)), size - overlap)
    spans = (Span(start, min(start + size, len(text))).strip(text) for start in starts)
    return [span for span in spans if span]


def _windows(text: str) -> list[_Piece]:
    return [_Piece(span, None) for span in cut_span(text, Span(0, len(text)))]


def _clauses(text: str, outline: Outline) -> list[_Piece]:
    children = _children(outline)
    pieces: list[_Piece] = []
    offset = 0
    for root in children.get(None, []):
        pieces.append(_Piece(Span(offset, max(offset, root.span.start)), None))
        pieces.extend(_of_node(text, root, children))
        offset = max(offset, root.span.end)
    pieces.append(_Piece(Span(offset, len(text)), None))
    whole = [_Piece(piece.span.strip(text), piece.node) for piece in pieces]
    return [
        _Piece(span, piece.node)
        for piece in whole
        if piece.span
        for span in cut_span(text, piece.span)
    ]


def _children(outline: Outline) -> dict[int | None, list[Node]]:
    found: dict[int | None, list[Node]] = {}
    for node in outline.nodes:
        found.setdefault(node.parent, []).append(node)
    return found


def _of_node(text: str, top: Node, children: dict[int | None, list[Node]]) -> list[_Piece]:
    """Return the pieces of a node: itself if it is short, else its lead-in and its children's."""
    done: dict[int, list[_Piece]] = {}
    order = [top]
    for node in order:
        order.extend(children.get(node.id, ()))
    for node in reversed(order):
        done[node.id] = _join_passages(text, node, children.get(node.id, []), done)
    return done[top.id]


def _join_passages(
    text: str, node: Node, below: list[Node], done: dict[int, list[_Piece]]
) -> list[_Piece]:
    if not below:
        return [_Piece(node.span, node.id)]
    lead = Span(node.span.start, below[0].span.start)
    if len(node.span) <= MAX_PASSAGE and all(child.kind in _JOINED for child in below):
        return [_Piece(node.span, node.id)]
    pieces = [_Piece(lead, node.id)]
    bare = _only_heading(text, node, lead)
    for index, child in enumerate(below):
        parts = done.pop(child.id)
        last = pieces[-1]
        whole = Span(last.span.start, parts[0].span.end)
        fits = len(whole) <= MAX_PASSAGE
        if index == 0 and bare:
            pieces[-1] = _Piece(whole, parts[0].node)
        elif child.kind in _JOINED and fits and _small(last.span, parts[0].span, len(parts)):
            pieces[-1] = _Piece(whole, last.node if last.node == node.id else node.id)
        else:
            pieces.append(parts[0])
        pieces.extend(parts[1:])
    tail = Span(pieces[-1].span.end, node.span.end).strip(text) if pieces else node.span
    if tail:
        pieces.append(_Piece(tail, node.id))
    return pieces


def _small(last: Span, first: Span, parts: int) -> bool:
    return parts == 1 and min(len(last), len(first)) < MIN_PASSAGE


def _only_heading(text: str, node: Node, lead: Span) -> bool:
    """Return whether a node has no words other than its number and heading."""
    start = max(lead.start, node.heading.end if node.heading else 0)
    return len(text[start : lead.end].split()) <= 3


def cut_span(text: str, span: Span, *, longest: int = MAX_PASSAGE) -> list[Span]:
    """Cut a span at sentence ends into consecutive spans of at most `longest` characters.

    A longer sentence is cut between words, a longer word anywhere.
    """
    span = span.strip(text)
    if len(span) <= longest:
        return [span] if span else []
    units: list[Span] = []
    for sentence in _with_headings(split_sentences(text, span)):
        units.extend([sentence] if len(sentence) <= longest else _words(text, sentence, longest))
    parts = -(-len(span) // longest)
    target = min(longest, int(len(span) / parts * 1.15))
    found: list[Span] = []
    for unit in units:
        joined = Span(found[-1].start, unit.end) if found else unit
        room = longest if found and min(len(found[-1]), len(unit)) < MIN_PASSAGE else target
        if found and len(joined) <= room:
            found[-1] = joined
        else:
            found.append(unit)
    return found


def _with_headings(found: list[Span]) -> list[Span]:
    """Join short first sentences, most often headings, with the sentence after them."""
    while len(found) > 1 and len(found[0]) < _HEADING:
        found = [Span(found[0].start, found[1].end), *found[2:]]
    return found


def _words(text: str, sentence: Span, longest: int) -> list[Span]:
    """Cut a long sentence at the last white space that fits, a list item's if there is one."""
    found: list[Span] = []
    start = sentence.start
    while sentence.end - start > longest:
        limit, half = start + longest, start + longest // 2
        place = max(text.rfind(sign, half, limit) for sign in (";\n", "; ", "\n", ": "))
        if place < 0:
            place = max(text.rfind(" ", half, limit), text.rfind("\xa0", half, limit))
        end = place + 1 if place > 0 else limit
        piece = Span(start, end).strip(text)
        if piece:
            found.append(piece)
        start = end
    last = Span(start, sentence.end).strip(text)
    return [*found, last] if last else found


def _context(text: str, outline: Outline, piece: _Piece) -> str:
    """Return the headings above a piece that are not among its words."""
    if piece.node is None:
        return ""
    node = outline.nodes[piece.node]
    names = []
    for step in [*outline.ancestors(node), node]:
        if step.heading and piece.span.contains(step.heading):
            continue
        if step is node and piece.span.start == node.span.start and not step.heading:
            continue
        heading = " ".join(step.heading.text_in(text).split()) if step.heading else ""
        names.append(" ".join(part for part in (step.label, heading) if part))
    return " > ".join(filter(None, names))


def cut_views(text: str, outline: Outline) -> list[Passage]:
    """Return three views of every node, after PAKTON (section 3.1), in order of position.

    The node view holds a node's own words; the ancestor view the same words with the headings above
    as context; the descendant view the node with everything below it. A view that adds nothing to
    one before it (a leaf's descendants, a top node's ancestors, a parent that is little more than
    its only child) is left out.
    """
    children = _children(outline)
    found = [each for node in outline.nodes for each in _views_of(text, outline, node, children)]
    ordered = sorted(found, key=lambda each: (each[0], each[1].value))
    passages: list[Passage] = []
    for span, view, at, context in ordered:
        if not _is_repeated(span, view, context, passages):
            passages.append(Passage(len(passages), span, view, at, context))
    return passages


def _views_of(
    text: str, outline: Outline, node: Node, children: dict[int | None, list[Node]]
) -> Iterator[tuple[Span, View, int, str]]:
    below = children.get(node.id, [])
    own = Span(node.span.start, below[0].span.start if below else node.span.end).strip(text)
    above = outline.ancestors(node)
    context = " > ".join(outline.path(above[-1], text)) if above else ""
    if own:
        yield own, View.NODE, node.id, ""
        if context:
            yield own, View.ANCESTOR, node.id, context
    whole = node.span.strip(text)
    if below and len(whole) <= _MAX_DESCENDANT and len(own) < _MAX_OVERLAP * len(whole):
        yield whole, View.DESCENDANT, node.id, context


def _is_repeated(span: Span, view: View, context: str, passages: list[Passage]) -> bool:
    """Return whether one of the last few views shows nearly the same words in the same way."""
    shown = context, view is View.DESCENDANT
    for other in passages[-4:]:
        both = other.span.intersection(span)
        alike = both and len(both) >= _MAX_OVERLAP * max(len(other.span), len(span))
        if alike and (other.context, other.view is View.DESCENDANT) == shown:
            return True
    return False


def split_recursively(text: str, size: int) -> list[Span]:
    """Cut a text into spans of at most `size` characters, as LegalBench-RAG's baselines do.

    It is cut at paragraphs, where a piece is still too long at lines, then at words, then anywhere;
    pieces in a row are joined again while they fit.

    Raises:
        ValueError: If `size` is not positive.
    """
    if size < 1:
        raise ValueError(f"not a size: {size}")
    pieces = _cut(text, Span(0, len(text)), size, 0)
    joined: list[Span] = []
    for piece in pieces:
        if joined and piece.end - joined[-1].start <= size:
            joined[-1] = Span(joined[-1].start, piece.end)
        else:
            joined.append(piece)
    return [span for span in (each.strip(text) for each in joined) if span]


def _cut(text: str, span: Span, size: int, level: int) -> Iterator[Span]:
    if len(span) <= size:
        yield span
        return
    separator = _SEPARATORS[level]
    if not separator:
        for start in range(span.start, span.end, size):
            yield Span(start, min(start + size, span.end))
        return
    start = span.start
    while start < span.end:
        found = text.find(separator, start, span.end)
        end = found + len(separator) if found >= 0 else span.end
        yield from _cut(text, Span(start, end), size, level + 1)
        start = end


@dataclass(frozen=True, slots=True)
class Unit:
    """A quotable sentence, cut where a passage ends. `passage` is the passage's position."""

    span: Span
    passage: int


def cut_units(
    text: str, passages: Sequence[Passage], exclusions: Sequence[Exclusion] = ()
) -> list[Unit]:
    """Return the sentences of passages that are in order and disjoint.

    Exclusions are in none, but may interrupt one.
    """
    shown = blank_text(text, exclusions)
    return [
        Unit(span, ordinal)
        for ordinal, passage in enumerate(passages)
        for span in split_sentences(shown, passage.span)
        if len(span.text_in(shown).split()) >= MIN_WORDS
    ]
