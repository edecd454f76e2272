"""What holds for every document that was read, whatever file it came from."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from fourcorners.documents.archive.container import open_container
from fourcorners.documents.boxes import line_boxes
from fourcorners.documents.document import Document
from fourcorners.documents.media_types import MediaType
from fourcorners.documents.ocr.recognition import OcrOptions
from fourcorners.documents.read import media_type_of, read_document
from fourcorners.errors import InputError
from fourcorners.outline.build import build_outline
from fourcorners.outline.passages.cut import cut_passages
from fourcorners.outline.tree import Outline
from fourcorners.text.normalisation import normalise_text
from fourcorners.text.span import Span

NO_OCR = OcrOptions(enabled=False)
MOST_HELD = 200  # members of one container that are looked into
MAPPED = 100_000  # characters of a text whose offsets are mapped back


def whole(document: Document) -> None:
    """Check that pages tile the text, that marks lie in it, and that it can be stored."""
    text = document.text
    ends = [0, *(page.span.end for page in document.pages)]
    assert [page.span.start for page in document.pages] == ends[:-1]
    assert not document.pages or ends[-1] == len(text)
    assert all(mark.span.end <= len(text) for mark in document.marks)
    assert [mark.span.start for mark in document.marks] == sorted(
        mark.span.start for mark in document.marks
    )
    assert "\0" not in text
    text.encode()  # no half of a surrogate pair


def nests(outline: Outline, text: str) -> None:
    """Check that nodes lie in their parents and beside each other, and that targets exist."""
    ends: dict[int | None, int] = {}  # of the last child of each node
    for number, node in enumerate(outline.nodes):
        assert node.id == number
        assert node.span
        assert node.span.end <= len(text)
        assert node.heading is None or node.span.contains(node.heading)
        if node.parent is not None:
            assert node.parent < node.id
            assert outline.nodes[node.parent].span.contains(node.span)
        assert node.span.start >= ends.get(node.parent, 0), "siblings overlap"
        ends[node.parent] = node.span.end
    for reference in outline.references:
        assert reference.target is None or reference.target < len(outline.nodes)
    for term in outline.terms:
        assert " ".join(term.span.text_in(text).split()) == " ".join(term.term.split())
        assert term.definition.contains(term.span)


def maps_back(text: str) -> None:
    """Check that each character of the normalised view leads back to where it came from."""
    text = text[:MAPPED]
    view = normalise_text(text)
    last = 0
    for at in range(0, len(view.text), max(1, len(view.text) // 2_000)):
        source = view.to_source(Span(at, at + 1))
        assert last <= source.start < source.end <= len(text)
        assert normalise_text(source.text_in(text)).text.strip() or view.text[at].isspace()
        last = source.start


def boxed(path: Path, document: Document) -> None:
    """Check that the boxes of a PDF's lines lie on their pages, in order."""
    last = 0
    for span, box in line_boxes(path, document, Span(0, len(document.text))):
        page = document.pages[box.page - 1]
        assert page.span.contains(span), (page, span)
        assert 0 <= box.x0 < box.x1 <= page.width + 0.01, (page, box)
        assert 0 <= box.y0 < box.y1 <= page.height + 0.01, (page, box)
        assert span.start >= last, "lines in disorder"
        last = span.start


def recognise(path: Path) -> int:
    """Read a file, with text recognition, and check that it is whole."""
    document = read_document(path, OcrOptions(seconds=30))
    whole(document)
    return len(document.text)


@dataclass(frozen=True, slots=True)
class Looked:
    """A file as it was read (an archive is no document itself), and what it holds."""

    document: Document | None
    holds: tuple[Path, ...]


def look(path: Path) -> Looked:
    """Read a file, and say what it holds."""
    kind = media_type_of(path)
    document = None if kind is MediaType.ZIP else read_document(path, NO_OCR)
    if kind not in (MediaType.ZIP, MediaType.EMAIL):
        return Looked(document, ())
    with open_container(path) as members:
        return Looked(document, tuple(path / member.name for member in members))


def inspect(path: Path) -> int:
    """Read a file, and what it holds, and check all that is true for any.

    Returns:
        How many characters there are in all.
    """
    kind = media_type_of(path)
    if kind is MediaType.ZIP:
        return _held(path)
    document = read_document(path, NO_OCR)
    whole(document)
    outline = build_outline(document)
    nests(outline, document.text)
    maps_back(document.text)
    for passage in cut_passages(document, outline):
        assert passage.span.end <= len(document.text)
    if kind is MediaType.PDF:
        boxed(path, document)
    return len(document.text) + (_held(path) if kind is MediaType.EMAIL else 0)


def _held(path: Path) -> int:
    with open_container(path) as members:
        names = [member.name for member in members]
    assert len(set(names)) == len(names)
    total = 0
    for name in names[:MOST_HELD]:
        assert not name.startswith("/")
        assert ".." not in name.split("/")
        with suppress(InputError):  # that one is refused, the others go on
            total += inspect(path / name)
    return total
