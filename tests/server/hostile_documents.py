"""Fifty documents that mean harm to whoever draws them: large, and as dense as they can be."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import cycle, islice

from fourcorners.documents.document import Document, Mark, MarkKind, Page
from fourcorners.outline.tree import CrossReference, DefinedTerm, Node, NodeKind, Outline
from fourcorners.text.span import Span

TEXTS = {
    "one term defined again and again": '"Term" means ',
    "a term a line": '"Term" means it.\n\n',
    "short terms": '"A" means A. A A A A A ',
    "references": "1. See Section 1.\n",
    "references in one line": "See Section 1, 2, 3 and 4. ",
    "one letter": "a",
    "short words": "a b ",
    "empty lines": "x\n\n",
    "only line ends": ".\n",
    "tabs": "\t.",
    "markup": "<b>&amp;\"'</b><script>",
    "templates": "{{ 7 * 7 }}{% for x in y %}",
    "turned about": "\u202eabc\u202c ",
    "isolates": "\u2066a\u2067b\u2069 ",
    "characters that show nothing": "\u200b\u200c\u2060\ufeff",
    "controls": "\x01\x02\x03 ",
    "noncharacters": "\ufffe\uffff ",
    "accents upon accents": "a\u0301\u0302\u0303\u0304",
    "astral letters": "\U0001d400\U0001d401 ",
    "joined families": "\U0001f468\u200d\U0001f469\u200d\U0001f467 ",
    "lines of the paper's width": "the words of a line that the width of paper has cut off here\n",
    "long lines": "word " * 4_000 + "\n",
    "right to left": "\u05d0\u05d1\u05d2 \u0645\u0631\u062d ",
    "rows": "| a | b | c |\n",
    "brackets": "((((((",
}

Build = Callable[[str], Outline]


def _spans(text: str, step: int, length: int) -> Iterator[Span]:
    return (Span(at, at + length) for at in range(0, len(text) - max(step, length), step))


def _flat(text: str) -> Outline:
    """Return a part every 20 characters."""
    nodes = [
        Node(number, None, NodeKind.SECTION, str(number), Span(span.start, span.start + 4), span)
        for number, span in enumerate(_spans(text, 20, 20))
    ]
    return Outline(tuple(nodes), 1.0)


def _deep(text: str) -> Outline:
    """Return 2,000 parts within each other, and many references into them."""
    nodes = [
        Node(at, at - 1 if at else None, NodeKind.ITEM, "(a)" * 40, None, Span(at, len(text) - at))
        for at in range(2_000)
    ]
    cited = [
        CrossReference(span, number % 2_000) for number, span in enumerate(_spans(text, 20, 9))
    ]
    return Outline(tuple(nodes), 1.0, references=tuple(cited))


def _defined(text: str) -> Outline:
    """Return a term of its own every 28 characters, each with the longest definition."""
    terms = [
        DefinedTerm(f"Term {number}", span, Span(span.start, min(len(text), span.start + 4_000)))
        for number, span in enumerate(_spans(text, 28, 6))
    ]
    return Outline((), 0.0, windows=True, terms=tuple(terms))


def _repeated(text: str) -> Outline:
    """Return one term, defined at each place where it stands."""
    terms = [DefinedTerm("Term", span, span) for span in _spans(text, 13, 4)]
    return Outline((), 0.0, windows=True, terms=tuple(terms))


def _cited(text: str) -> Outline:
    """Return references that overlap, half of them to nothing."""
    node = Node(0, None, NodeKind.SECTION, "1", None, Span(0, len(text)))
    cited = [
        CrossReference(span, None if number % 2 else 0, "Section 1 " * 50)
        for number, span in enumerate(_spans(text, 12, 40))
    ]
    return Outline((node,), 1.0, references=tuple(cited))


SHAPES: dict[str, Build] = {
    "parts": _flat, "depth": _deep, "terms": _defined, "one term": _repeated, "citations": _cited,
}  # fmt: skip

_WORDS = "The Term is a term of Term 12 in it.\n"


def _bold(text: str) -> tuple[Mark, ...]:
    return tuple(Mark(MarkKind.BOLD, span) for span in _spans(text, 4, 2))


def _nested(text: str) -> tuple[Mark, ...]:
    middle = len(text) // 2
    return tuple(Mark(MarkKind.BOLD, Span(at, len(text) - at)) for at in range(0, middle, 20))


def _all_kinds(text: str) -> tuple[Mark, ...]:
    kinds = cycle((MarkKind.INSERTED, MarkKind.DELETED, MarkKind.COMMENT, MarkKind.NUMBER))
    return tuple(map(Mark, kinds, _spans(text, 10, 30)))


def _cells(text: str, rows: int, columns: int) -> tuple[Mark, ...]:
    step = max(2, len(text) // (rows * columns))
    cells = [
        Mark(MarkKind.CELL, Span(at, at + step - 1), f"{number // columns},{number % columns}")
        for number, at in enumerate(range(0, len(text) - step, step))
    ]
    return (Mark(MarkKind.TABLE, Span(0, len(text))), *cells)


def _tables(text: str) -> tuple[Mark, ...]:
    marks: list[Mark] = []
    for span in _spans(text, 24, 24):
        marks += [Mark(MarkKind.TABLE, span), Mark(MarkKind.CELL, span, "0,0")]
    return tuple(marks)


def _tables_within_tables(text: str) -> tuple[Mark, ...]:
    marks: list[Mark] = []
    for at in range(0, len(text) // 2, 40):
        span = Span(at, len(text) - at)
        marks += [Mark(MarkKind.TABLE, span), Mark(MarkKind.CELL, span, "0,0")]
    return tuple(marks)


MARKS: dict[str, Callable[[str], tuple[Mark, ...]]] = {
    "bold letters": _bold,
    "marks within marks": _nested,
    "marks over marks": _all_kinds,
    "a table of rows": lambda text: _cells(text, 100_000, 3),
    "a table of columns": lambda text: _cells(text, 2, 60_000),
    "one cell": lambda text: _cells(text, 1, 1),
    "tables": _tables,
    "tables within tables": _tables_within_tables,
}


def hostile_documents(size: int) -> Iterator[tuple[str, Document, Outline]]:
    """Yield fifty documents of so many characters, each with its name and an outline of it."""
    for name, repeated in TEXTS.items():
        text = _fill(repeated, size)
        outline = _repeated(text) if "term" in name else Outline((), 0.0, windows=True)
        yield name, _document(len(name), text), outline
    text = _fill(_WORDS, size)
    for number, (name, build) in enumerate(SHAPES.items()):
        yield name, _document(100 + number, text), build(text)
    for number, (name, mark) in enumerate(MARKS.items()):
        yield name, _document(200 + number, text, mark(text)), Outline((), 0.0, windows=True)
        if number < 6:
            yield f"{name}, and parts", _document(300 + number, text, mark(text)), _flat(text)
    for number, (name, build) in enumerate(SHAPES.items()):
        yield f"{name}, in bold", _document(400 + number, text, _bold(text)), build(text)
    yield "a page a word", _paged(text), _flat(text)


def _fill(repeated: str, size: int) -> str:
    return "".join(islice(cycle(repeated), size))


def _document(number: int, text: str, marks: tuple[Mark, ...] = ()) -> Document:
    identifier = f"{number:016x}"
    return Document(
        identifier, f"{number}.txt", f"{number}.txt", identifier * 4, "text/plain", "text/1", text,
        marks=marks,
    )  # fmt: skip


def _paged(text: str) -> Document:
    pages = tuple(
        Page(number, span, 600, 800)
        for number, span in enumerate(_spans(text, len(text) // 19_000, len(text) // 19_000), 1)
    )
    plain = _document(500, text)
    return Document(
        plain.id, "500.pdf", "500.pdf", plain.sha256, "application/pdf", "pdf/1", text, pages
    )
