"""A Word document as pages: LibreOffice draws them, and the words of its text are found on them.

The pages show what the text says: tracked changes accepted, and fields such as today's date as they
were saved. Words that differ on the pages have no place there.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, cast

from fourcorners.documents.archive.container import load_unchanged
from fourcorners.documents.conversion.libreoffice import READABLE, Target, convert, find_libreoffice
from fourcorners.documents.document import (
    STRUCK_THROUGH,
    Box,
    Document,
    MarkKind,
    OcrWord,
    Page,
    TextSource,
)
from fourcorners.documents.docx.resolved_changes import resolve_changes
from fourcorners.documents.docx.styles import W
from fourcorners.documents.media_types import MediaType
from fourcorners.documents.odf.styles import TEXT
from fourcorners.documents.office_package import OfficePackage
from fourcorners.documents.pdf import reader as pdf_reader
from fourcorners.documents.pdf.annotations import load_page
from fourcorners.documents.pdf.page import Rectangle, open_pdf
from fourcorners.documents.pdf.text import page_text
from fourcorners.documents.reader import RawFile
from fourcorners.errors import InputError
from fourcorners.system.confinement import landlock_version
from fourcorners.text.span import Span, merge_spans
from fourcorners.text.word_differences import align_words

if TYPE_CHECKING:
    from lxml.etree import _Element

_MARGINS = frozenset({MarkKind.HEADER, MarkKind.FOOTER})
_CHANGES = frozenset({MarkKind.INSERTED, MarkKind.DELETED})
# A word with the signs around it; those between two words, as at the end of a line, are of neither.
_WORD = re.compile(r"(?:(?<!\S)[^\w\s]+)?(\w+)(?:[^\w\s]+(?=\s|$))?")
_CHANGING_FIELD = re.compile(r"\s*(?:DATE|TIME|FILENAME|EDITTIME|USERNAME)\b", re.IGNORECASE)
_CHANGING = ("date", "time", "file-name")  # the same in an OpenDocument text
_SHORTEST_RUN = 3  # words that are found together, unless others are near
_NEAR = 4  # words between two runs that are near each other
_LEAST_SHARE = 0.6  # of the words of a text, below which its pages are of something else


@dataclass(frozen=True, slots=True)
class Rendition:
    """A document as a PDF.

    Attributes:
        pages: The pages of the PDF; their spans are of the document's text, and tile it.
        words: The words of the document that are on the pages, with their places there.
        unlike: How many words of the text are not on the pages, or the other way round.
    """

    pdf: bytes
    pages: tuple[Page, ...]
    words: tuple[OcrWord, ...]
    unlike: int


def is_supported(document: Document) -> bool:
    """Return whether a document could be drawn as pages here.

    LibreOffice opens the files that an RTF names unless Landlock forbids it.
    """
    if document.media_type not in READABLE or find_libreoffice() is None:
        return False
    return document.media_type != MediaType.RTF or landlock_version() > 0


def render_document(document: Document) -> Rendition:
    """Draw a document as pages; call it in a worker process.

    Raises:
        InputError: If its file has changed, or LibreOffice does not open it, or what it draws is
            not what was read.
    """
    path = Path(document.path)
    file = RawFile(path, load_unchanged(path, document.sha256), MediaType(document.media_type))
    is_changed = any(
        mark.kind in _CHANGES and mark.detail != STRUCK_THROUGH for mark in document.marks
    )
    if is_changed and file.media_type in (MediaType.DOC, MediaType.RTF):
        data = convert(file, Target.DOCX)
        file = replace(file, data=data, media_type=MediaType.DOCX)
    if file.media_type is MediaType.DOCX:
        accepted = resolve_changes(file.data, path, accept=True)
        file = replace(file, data=_freeze_fields(accepted, path))
    elif file.media_type is MediaType.ODT:
        file = replace(file, data=_accept_all(file.data, path))
    pdf = convert(file, Target.PDF)
    return _place_words(document, RawFile(path, pdf, MediaType.PDF))


def _freeze_fields(data: bytes, path: Path) -> bytes:
    """Return a Word document whose fields show what was saved, not the time of drawing."""
    package = OfficePackage(data, path)
    main = package.related_parts("").get("officeDocument", "word/document.xml")
    margins = (package.related_parts_of_kind(main, kind) for kind in ("header", "footer"))
    changed: dict[str, _Element | bytes] = {}
    for name in (main, *(name for names in margins for name in names)):
        root = package.xml_root(name)
        for node in () if root is None else root.iter(f"{W}instrText", f"{W}fldSimple"):
            is_simple = node.tag == f"{W}fldSimple"
            if _CHANGING_FIELD.match((node.get(f"{W}instr") if is_simple else node.text) or ""):
                if is_simple:
                    node.set(f"{W}instr", "")
                else:
                    node.text = ""
                changed[name] = cast("_Element", root)
    return package.with_parts(changed) if changed else data


def _accept_all(data: bytes, path: Path) -> bytes:
    """Return an OpenDocument text with its changes accepted and its dates as they were saved."""
    package = OfficePackage(data, path)
    root = package.xml_root("content.xml")
    if root is None:
        return data
    for node in list(root.iter(f"{TEXT}tracked-changes")):
        if (parent := node.getparent()) is not None:
            parent.remove(node)
    for node in root.iter(*(f"{TEXT}{name}" for name in _CHANGING)):
        node.set(f"{TEXT}fixed", "true")
    return package.with_parts({"content.xml": root})


@dataclass(frozen=True, slots=True)
class _Word:
    """A word by which texts are aligned; `span` is of the signs around its letters, too."""

    key: str
    span: Span
    letters: Span


def _place_words(document: Document, drawn: RawFile) -> Rendition:
    content = pdf_reader.READER.read(drawn)
    ours = _words(document.text, [m.span for m in document.marks if m.kind in _MARGINS])
    theirs = _words(content.text, [m.span for m in content.marks if m.kind in _MARGINS])
    in_order = list(_in_order(ours, theirs))
    taken = {one for one, _ in in_order}, {other for _, other in in_order}
    pairs = [(ours[one].span, theirs[other].span) for one, other in in_order]
    pairs += _split_words(in_order, ours, theirs)
    pairs += (
        (ours[one].span, theirs[other].span) for one, other in _left_over(taken, ours, theirs)
    )
    if len(in_order) < _LEAST_SHARE * len(ours):
        raise InputError(
            f"{drawn.path}: LibreOffice draws other words than the file has.",
            remedy="Read its text, or save it as PDF and add that file.",
        )
    pairs.sort(key=lambda pair: pair[0].start)
    boxes = _boxes(drawn, content.pages, [other for _, other in pairs])
    words = tuple(
        OcrWord(span, box, 1.0)
        for (span, _), box in zip(pairs, boxes, strict=True)
        if box is not None
    )
    starts = _page_starts(content.pages, [(ours[a].span, theirs[b].span) for a, b in in_order])
    ends = [*starts[1:], len(document.text)]
    pages = tuple(
        replace(page, span=Span(start, end), source=TextSource.OCR, label="")
        for page, start, end in zip(content.pages, starts, ends, strict=True)
    )
    return Rendition(drawn.data, pages, words, _count_unlike(document, (ours, theirs), pairs))


def _count_unlike(
    document: Document,
    texts: tuple[Sequence[_Word], Sequence[_Word]],
    pairs: Sequence[tuple[Span, Span]],
) -> int:
    """Count the words that only one of the texts has; what margins repeat is not counted."""
    margins = [m.span for m in document.marks if m.kind in _MARGINS]
    repeated = {each.key for span in margins for each in _words(span.text_in(document.text), ())}
    placed = (merge_spans(pair[0] for pair in pairs), merge_spans(pair[1] for pair in pairs))
    here, there = (
        [each for each in words if not _covers(spans, each.letters)]
        for words, spans in zip(texts, placed, strict=True)
    )
    drawn = [each for each in there if each.key not in repeated and not each.key.isdecimal()]
    return max(len(here), len(drawn))


def _covers(spans: Sequence[Span], letters: Span) -> bool:
    at = bisect_right(spans, letters.start, key=lambda span: span.start) - 1
    return at >= 0 and spans[at].overlaps(letters)


def _words(text: str, skipped: Iterable[Span]) -> list[_Word]:
    """Return the words of a text in order, without those of the pages' margins."""
    left_out = merge_spans(skipped)
    found = []
    for match in _WORD.finditer(text):
        if not _covers(left_out, Span(*match.span(1))):
            key = unicodedata.normalize("NFKC", match[1]).casefold()
            found.append(_Word(key, Span(*match.span()), Span(*match.span(1))))
    return found


def _in_order(ours: Sequence[_Word], theirs: Sequence[_Word]) -> Iterator[tuple[int, int]]:
    """Yield the places of words that are the same, in the order of both texts.

    A few words that are alone among others are there by chance.
    """
    runs: list[list[tuple[int, int]]] = []
    for pair in align_words([each.key for each in ours], [each.key for each in theirs]):
        if runs and pair == (runs[-1][-1][0] + 1, runs[-1][-1][1] + 1):
            runs[-1].append(pair)
        else:
            runs.append([pair])
    edges = [[(-1, -1)], *runs, [(len(ours), len(theirs))]]
    for before, run, after in zip(edges, runs, edges[2:], strict=False):
        is_near = any(_are_near(one[-1], other[0]) for one, other in pairwise([before, run, after]))
        if is_near or len(run) >= _SHORTEST_RUN:
            yield from run


def _are_near(end: tuple[int, int], start: tuple[int, int]) -> bool:
    return max(start[0] - end[0], start[1] - end[1]) <= _NEAR


def _split_words(
    pairs: Sequence[tuple[int, int]], ours: Sequence[_Word], theirs: Sequence[_Word]
) -> Iterator[tuple[Span, Span]]:
    """Yield the parts of words that are divided otherwise in one text, as at the end of a line."""
    for (one, other), (next_one, next_other) in pairwise(pairs):
        mine, drawn = ours[one + 1 : next_one], theirs[other + 1 : next_other]
        letters = "".join(each.key for each in mine)
        if not letters or letters != "".join(each.key for each in drawn):
            continue
        places = [at for each in mine for at in range(each.letters.start, each.letters.end)]
        if len(places) != len(letters):
            continue
        done = 0
        for each in drawn:
            first, last = places[done], places[done + len(each.key) - 1]
            yield Span(first, last + 1), each.span
            done += len(each.key)


def _left_over(
    taken: tuple[set[int], set[int]], ours: Sequence[_Word], theirs: Sequence[_Word]
) -> Iterator[tuple[int, int]]:
    """Yield the places of words that come elsewhere on the pages, such as those of footnotes."""
    mine = [at for at in range(len(ours)) if at not in taken[0]]
    drawn = [at for at in range(len(theirs)) if at not in taken[1]]
    found = align_words([ours[at].key for at in mine], [theirs[at].key for at in drawn])
    run: list[tuple[int, int]] = []
    for pair in [*((mine[one], drawn[other]) for one, other in found), (-1, -1)]:
        if run and pair != (run[-1][0] + 1, run[-1][1] + 1):
            yield from run if len(run) >= _SHORTEST_RUN else ()
            run = []
        run.append(pair)


def _boxes(drawn: RawFile, pages: Sequence[Page], spans: Sequence[Span]) -> list[Box | None]:
    """Return where words are on the pages of a PDF; None of those that have no extent."""
    by_page: dict[int, list[int]] = {}
    for number, span in enumerate(spans):
        at = bisect_right(pages, span.start, key=lambda page: page.span.start) - 1
        by_page.setdefault(at, []).append(number)
    found: list[Box | None] = [None] * len(spans)
    with open_pdf(drawn.data, drawn.path) as pdf:
        for at, numbers in by_page.items():
            sheet, annotations = load_page(pdf, at)
            shifted = [spans[number].shift(-pages[at].span.start) for number in numbers]
            bounds = page_text(sheet, annotations).bounds_of(shifted)
            for number, (x0, y0, x1, y1) in zip(numbers, bounds.tolist(), strict=True):
                found[number] = _box(at + 1, (x0, y0, x1, y1))
            sheet.close()
    return found


def _box(page: int, bounds: Rectangle) -> Box | None:
    x0, y0, x1, y1 = (round(side, 1) for side in bounds)
    return Box(page, x0, y0, x1, y1) if x1 > x0 and y1 > y0 else None


def _page_starts(pages: Sequence[Page], pairs: Sequence[tuple[Span, Span]]) -> list[int]:
    """Return where each page begins in the text; one without words of it, where the next does."""
    starts: list[int] = []
    at = 0
    for page in pages:
        while at < len(pairs) and pairs[at][1].start < page.span.start:
            at += 1
        starts.append(pairs[at][0].start if at < len(pairs) else starts[-1] if starts else 0)
    return [0, *starts[1:]]
