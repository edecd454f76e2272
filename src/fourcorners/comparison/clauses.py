"""A contract cut into clauses: its paragraphs, and what the outline numbers at a line's start.

The words that are compared leave out the clauses' own numbers, so that a number that changed is
not a change of words, and what is printed on every page.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from unicodedata import normalize

from fourcorners.comparison.comparison import Clause
from fourcorners.documents.document import Document, Mark, MarkKind
from fourcorners.outline.tree import Node, NodeKind, Outline, node_path
from fourcorners.text.divided_words import join_words
from fourcorners.text.patterns import load_patterns
from fourcorners.text.sentences import BLANK_LINE
from fourcorners.text.span import Span, merge_spans
from fourcorners.text.word_differences import Words

_PATTERNS = load_patterns("fourcorners.comparison", "clauses")
_NUMBER = _PATTERNS["number"]
_PAGE = _PATTERNS["page"]
_CELL_END = "|"  # what readers write between the cells of a table
_NEAR = 4  # numbers on lines of their own among which the next page's is
_AROUND_NOTE = 40  # characters before the number of a note by which it is found
_FIRST_OF_NOTE = 4  # words of a note by which it is found
_SHORTEST_PAGE = 500  # characters between two numbers of pages
_ENDS = ".:;!?"  # what a paragraph ends with that does not go on on the next page
_ON_EVERY_PAGE = frozenset({MarkKind.HEADER, MarkKind.FOOTER})
_PLACES = {
    MarkKind.HEADER: "Header",
    MarkKind.FOOTER: "Footer",
    MarkKind.FOOTNOTE: "Footnote",
    MarkKind.TEXT_BOX: "Text box",
}
_NOTES = {"footnotes": "Footnote", "endnotes": "Endnote"}
_WITHIN_LINE = frozenset({NodeKind.ARTICLE, NodeKind.SECTION, NodeKind.SCHEDULE})
_TYPOGRAPHY = str.maketrans("’‘“”–—‐‑\u2212", "''\"\"-----")

NOTE = "note\0"
"""The word in place of the number of a note, which programs count by themselves."""


@dataclass(frozen=True)
class Version:
    """One version: its clauses in order, its words, and which clause each word is of.

    `printed` is what every page has; its words are left out.
    """

    document: Document
    outline: Outline
    clauses: Sequence[Clause]
    words: Words
    owners: Sequence[int]
    printed: Sequence[Span]

    def printed_in(self, clauses: Sequence[int]) -> set[str]:
        """Return what is printed on every page from some clauses to the one after them."""
        start, last = self.clauses[clauses[0]].span.start, clauses[-1] + 1
        text = self.document.text
        end = self.clauses[last].span.start if last < len(self.clauses) else len(text)
        found = (each.text_in(text) for each in self.printed if start <= each.start < end)
        return {" ".join(each.split()) for each in found}

    @cached_property
    def ranges(self) -> list[range]:
        """Return the positions of the words of each clause."""
        found = [range(0)] * len(self.clauses)
        first = 0
        for at, owner in enumerate(self.owners):
            if at == 0 or owner != self.owners[at - 1]:
                first = at
            found[owner] = range(first, at + 1)
        return found

    @cached_property
    def lengths(self) -> list[int]:
        """Return how many words each clause has; of one without words how many signs."""
        texts = self.words.texts
        return [
            sum(is_word(texts[at]) for at in found) or max(1, len(found)) for found in self.ranges
        ]

    def text_of(self, clause: Clause) -> str:
        return clause.span.text_in(self.document.text)

    def words_of(self, clauses: Sequence[int]) -> Words:
        """Return the words of some clauses, one after the other."""
        return self.words.select([at for clause in clauses for at in self.ranges[clause]])


def read_version(
    document: Document,
    outline: Outline,
    *,
    with_margins: bool = False,
    other: Document | None = None,
) -> Version:
    """Read a version; with margins, headers and footers are clauses under these names.

    With another version, the numbers of notes are left out, also where only that one marks them.
    """
    margins = [mark.span for mark in document.marks if mark.kind in _ON_EVERY_PAGE]
    printed = merge_spans([*(() if with_margins else margins), *_page_numbers(document)])
    clauses = list(_clauses(document, outline, printed))
    found = _words(document.text)
    starts = [clause.span.start for clause in clauses]
    references = [mark.span for mark in _note_references(document)]
    numbers = [] if other is None else [*references, *_printed_notes(document.text, other)]
    cut = {each.end: each.start for each in numbers}
    own = (clause.number for clause in clauses if clause.number)
    hidden = merge_spans([*printed, *numbers, *own])
    hidden_starts = [span.start for span in hidden]
    notes = {span.start + 1 for span in references}
    plain = {text: normalize("NFC", text.translate(_TYPOGRAPHY)) for text in set(found.texts)}
    texts, first, last, owners = [], [], [], []
    for text, start, end in zip(found.texts, found.starts, found.ends, strict=True):
        cover = bisect_right(hidden_starts, start) - 1
        if text == _CELL_END or (cover >= 0 and start < hidden[cover].end):
            continue
        owner = bisect_right(starts, start) - 1
        own_end = cut.get(end, end)  # of a word with the number of a note at its end
        texts.append(NOTE if start in notes else plain[text][: len(text) - (end - own_end)])
        first.append(start)
        last.append(own_end)
        owners.append(owner)
    words = Words(document.text, texts, first, last)
    return Version(document, outline, clauses, words, owners, printed)


def _words(text: str) -> Words:
    """Return the words of a text; one that a line's end divides is one word."""
    joined = join_words(text)
    if joined is None:
        return Words.read(text)
    found = Words.read(joined.text)
    return Words(
        text,
        found.texts,
        [joined.source_start(start) for start in found.starts],
        [joined.source_end(end) for end in found.ends],
    )


def _clauses(document: Document, outline: Outline, printed: Sequence[Span]) -> Iterator[Clause]:
    text = document.text
    nodes = _starting_nodes(text, outline)
    under: tuple[Node, ...] = ()
    alone: Span | None = None  # a number on a separate line, followed by its words
    pieces = _pieces(document, nodes, printed)
    places = [mark for mark in document.marks if mark.kind in _PLACES]
    references = _note_references(document)
    cited: dict[tuple[str, str], str] = {}  # the number of the clause in which a note is cited
    for at, piece in enumerate(pieces):
        node = nodes.get(piece.start)
        span = Span(alone.start, piece.end) if alone is not None else piece
        node = nodes.get(span.start) or node
        number = alone or _number_at(text, span, node)
        alone = None
        if node is not None and node.label[-1:] != ")":
            under = (node,)
        if number == piece and at + 1 < len(pieces):
            following = pieces[at + 1]
            if not _number_at(text, following, nodes.get(following.start)):
                alone = piece
                continue
        if number == span:  # it is all that there is to compare
            number = Span(span.start, span.start)
        name = " ".join(node_path(under, text)) if under and under[0].label else ""
        for mark in places:
            if mark.span.contains(piece):
                name = _PLACES[mark.kind]
                if mark.detail in _NOTES:
                    name, number = _name_note(text, mark, piece, cited)
        heading = ""
        if node is not None and node.heading is not None:
            heading = " ".join(node.heading.text_in(text).split())
        label = node.label if node is not None else ""
        for note in references:
            if span.contains(note.span):
                cited.setdefault((note.detail, note.span.text_in(text)), label or _label(under))
        is_note = text[number.start : number.start + 1] == "["
        written = "" if is_note else " ".join(number.text_in(text).split())
        yield Clause(span, label or written.strip(" .():"), number, written, heading, name)


def _printed_notes(text: str, other: Document) -> Iterator[Span]:
    """Yield the numbers of another version's notes in a text that has them as any words."""
    for mark in other.marks:
        if mark.detail not in _NOTES:
            continue
        start, end = mark.span.start, other.text.find("]", mark.span.start)
        if mark.kind is MarkKind.NUMBER:
            around = other.text[max(0, start - _AROUND_NOTE) : start].split()
            is_after_figure = other.text[start - 1 : start].isdigit()
            number = re.escape(other.text[start + 1 : end]) if is_after_figure else r"\d{1,3}"
            pattern = rf"{_in_any_lines(around)}(?P<number>{number})(?!\w)"
        else:
            around = other.text[end + 1 : mark.span.end].split()[:_FIRST_OF_NOTE]
            pattern = rf"^[^\S\n]*(?P<number>\d{{1,3}})[.)]?\s+{_in_any_lines(around)}"
        for found in re.finditer(pattern, text, re.MULTILINE) if around else ():
            yield Span(*found.span("number"))


def _in_any_lines(words: Sequence[str]) -> str:
    return r"\s+".join(map(re.escape, words))


def _note_references(document: Document) -> list[Mark]:
    marks = document.marks
    return [each for each in marks if each.kind is MarkKind.NUMBER and each.detail in _NOTES]


def _label(nodes: tuple[Node, ...]) -> str:
    return nodes[0].label if nodes else ""


def _name_note(
    text: str, mark: Mark, piece: Span, cited: Mapping[tuple[str, str], str]
) -> tuple[str, Span]:
    """Return what to call a note, and where its number is written in a paragraph of it."""
    written = Span(mark.span.start, text.find("]", mark.span.start) + 1)
    clause = cited.get((mark.detail, written.text_in(text)))
    name = f"{_NOTES[mark.detail]} {written.text_in(text).strip('[]')}"
    number = written if piece.start == mark.span.start else Span(piece.start, piece.start)
    return f"{name} to clause {clause}" if clause else name, number


def _pieces(document: Document, nodes: Mapping[int, Node], printed: Sequence[Span]) -> list[Span]:
    """Return the paragraphs, cut where nodes start, but not at a page's end within a sentence."""
    text = document.text
    edges = {match.end() for match in BLANK_LINE.finditer(text)} | nodes.keys() | {0}
    ordered = [*sorted(edge for edge in edges if edge < len(text)), len(text)]
    spans = [Span(start, end).strip(text) for start, end in pairwise(ordered)]
    pieces: list[Span] = []
    for span in spans:
        if not span or any(each.contains(span) for each in printed):
            continue
        last = pieces[-1].text_in(text)[-1] if pieces else "."
        if span.start not in nodes and text[span.start].islower() and last not in _ENDS:
            pieces[-1] = Span(pieces[-1].start, span.end)
        else:
            pieces.append(span)
    return pieces


def _page_numbers(document: Document) -> list[Span]:
    """Return the lines that number a page: in no table, and one after another through the text."""
    cells = [mark.span for mark in document.marks if mark.kind is MarkKind.CELL]
    found = [
        (int(match["number"]), Span(*match.span()))
        for match in _PAGE.finditer(document.text)
        if not any(cell.overlaps(Span(*match.span())) for cell in cells)
    ]
    pages = (document.page_at(span.start) for _, span in found)
    own = (0 if page is None else page.number for page in pages)
    shifts = [number - page for (number, _), page in zip(found, own, strict=True)]
    common = Counter(shifts).most_common(1) if document.pages else []
    usual = [shift for shift, times in common if times > 1]
    numbered = {span for (_, span), shift in zip(found, shifts, strict=True) if shift in usual}
    # The file's own pages may hold those of an older print.
    for at, (number, span) in enumerate(found):
        for following, other in found[at + 1 : at + 1 + _NEAR]:
            if following == number + 1 and other.start - span.end > _SHORTEST_PAGE:
                numbered |= {span, other}
    return sorted(numbered)


def _starting_nodes(text: str, outline: Outline) -> dict[int, Node]:
    """Return the innermost node that starts at each place where a clause is cut."""
    found: dict[int, Node] = {}
    for node in outline.nodes:
        start = node.span.strip(text).start
        line = text.rfind("\n", 0, start) + 1
        if not text[line:start].strip() or node.kind in _WITHIN_LINE:
            found[start] = node
    return found


def _number_at(text: str, span: Span, node: Node | None) -> Span:
    """Return where a clause's number is written, the word before it included."""
    match = _NUMBER.match(text, span.start, span.end)
    if match is None:
        return Span(span.start, span.start)
    # What no outline confirms may be a quantity: "2.50 per unit" numbers nothing.
    if not match["sure"] and (node is None or not node.label):
        return Span(span.start, span.start)
    return Span(span.start, match.end("all"))


def is_word(text: str) -> bool:
    """Tell a word or a number from a sign."""
    return text[0].isalnum()
