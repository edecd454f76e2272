"""What is drawn of a contract at once: a window of its words, or of its printed pages."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from urllib.parse import urlencode

from fourcorners.documents.document import Box, Document, MarkKind, Page, TextSource
from fourcorners.documents.media_types import MediaType
from fourcorners.errors import InputError
from fourcorners.outline.tree import DefinedTerm, Outline
from fourcorners.server.links import document_href, words_hash
from fourcorners.server.rendering.page_renderer import PageRenderer
from fourcorners.server.rendering.renditions import RenditionState
from fourcorners.server.rendering.typesetting import TextBlock, typeset_document, window_terms
from fourcorners.text.span import Span

_BLOCKS = 200  # that are set before it is asked whether anybody still waits
_LETTER = re.compile(r"\w")


@dataclass(frozen=True, slots=True)
class ContractView:
    """A window of a contract.

    Attributes:
        document: It with its pages, if they are shown; else as it was read.
        number: Which of the windows is drawn, from 1.
        pages_state: Whether its pages can be shown.
        file_problem: Why the file that it was read from cannot be had; empty if it can.
        is_printed: Whether its pages are shown, not its text.
        unlike: How many words differ between the text and the pages.
        boxes: Where the highlighted words are, by page.
        problem: Why the highlighted words cannot be shown on their page.
        is_near: Whether those words are only the closest to what was looked for.
    """

    document: Document
    outline: Outline
    windows: list[Span]
    number: int
    marked: Span | None
    pages_state: RenditionState
    file_problem: str
    is_printed: bool
    unlike: int = 0
    boxes: dict[int, list[Box]] = field(default_factory=dict)
    problem: str = ""
    is_near: bool = False

    @property
    def within(self) -> Span:
        return self.windows[self.number - 1]

    @property
    def pages(self) -> list[Page]:
        return [page for page in self.document.pages if self._starts_here(page.span.start)]

    @property
    def terms(self) -> dict[int, DefinedTerm]:
        """The defined terms that are explained next to this window, by index."""
        return {each: self.outline.terms[each] for each in window_terms(self.outline, self.within)}

    def blocks(self, check: Callable[[], None]) -> Iterator[TextBlock]:
        """Yield the blocks of the window; `check` is called now and then, and may end it."""
        made = typeset_document(
            self.document,
            self.outline,
            self.marked,
            within=self.within,
            elsewhere=lambda offset: self.window_href(window_at(self.windows, offset) + 1),
        )
        for number, block in enumerate(made):
            if number % _BLOCKS == 0:
                check()
            yield block

    def page_of(self, span: Span) -> int:
        """Return the number of the page that words are on; 0 if that is not known."""
        if words := self.document.words_in(span):
            return words[0].box.page
        page = self.document.page_at(span.start)
        return page.number if page is not None and page.source is TextSource.TEXT else 0

    def node_href(self, number: int) -> str:
        """Return the address of a part of the outline."""
        start = self.outline.nodes[number].span.start
        page = self.document.page_at(start) if self.is_printed else None
        anchor = f"#n{number}" if page is None else f"#page-{page.number}"
        if self._starts_here(start):
            return anchor
        return f"{self.window_href(window_at(self.windows, start) + 1)}{anchor}"

    def window_href(self, number: int) -> str:
        return f"{document_href(self.document.id)}?{urlencode({**self._form, 'part': number})}"

    def other_href(self, *, printed: bool) -> str:
        """Return the address of the same words in the text, or on paper."""
        asked = {} if printed else {"view": "text"}
        anchor = ""
        if self.marked is not None:
            place = f"{self.marked.start}-{self.marked.end}"
            asked, anchor = {**asked, "s": place}, f"#s={place}"
            asked |= {"near": "1"} if self.is_near else {}
        query = f"?{urlencode(asked)}" if asked else ""
        return f"{document_href(self.document.id)}{query}{anchor}"

    def span_href(self, span: Span) -> str:
        """Return the address of words of this document that stays in the same view."""
        place = f"{span.start}-{span.end}"
        asked = {"s": place, "h": words_hash(span.text_in(self.document.text)), **self._form}
        asked |= {"near": "1"} if self.is_near and span == self.marked else {}
        return f"{document_href(self.document.id)}?{urlencode(asked)}#s={place}"

    @property
    def _form(self) -> dict[str, str]:
        has_pages = self.pages_state is not RenditionState.NONE
        return {"view": "text"} if has_pages and not self.is_printed else {}

    def _starts_here(self, offset: int) -> bool:
        within = self.within
        return within.start <= offset < max(within.end, within.start + 1)


def open_view(
    document: Document,
    outline: Outline,
    renderer: PageRenderer,
    *,
    marked: Span | None = None,
    text: bool = False,
    number: int = 0,
) -> ContractView:
    """Return a window of a contract: a numbered one, from 1, or that of the highlighted words.

    `text` asks for its text, though its pages could be shown.
    """
    printed = renderer.find_printed(document)
    is_printed = printed is not None and not text
    state = (
        renderer.renditions.state(document, prepare=not text)
        if printed is None
        else RenditionState.READY
    )
    shown = printed if printed is not None and is_printed else document
    windows = _page_windows(shown) if is_printed else text_windows(document, outline)
    if not number:
        number = 1 if marked is None else window_at(windows, marked.start) + 1
    number = min(max(number, 1), len(windows))
    boxes: dict[int, list[Box]] = {}
    problem = ""
    sought = None if marked is None else marked.intersection(windows[number - 1])
    if is_printed and sought is not None:
        try:
            for box in renderer.span_boxes(shown, sought):
                boxes.setdefault(box.page, []).append(box)
            problem = _problem(document, shown, sought, found=bool(boxes))
        except InputError:
            problem = _NOT_SHOWN
    return ContractView(
        shown,
        outline,
        windows,
        number,
        marked,
        pages_state=state,
        file_problem=renderer.file_problem(document),
        is_printed=is_printed,
        unlike=renderer.renditions.unlike(document) if is_printed else 0,
        boxes=boxes,
        problem=problem,
    )


_NOT_SHOWN = "The words cannot be shown on the page."


def _problem(document: Document, shown: Document, sought: Span, *, found: bool) -> str:
    """Say that highlighted words are not on the pages, or not all of them."""
    if not found:
        return _NOT_SHOWN
    if document.media_type == MediaType.PDF:  # its text is that of the pages
        return ""
    letters = sum(1 for _ in _LETTER.finditer(document.text, sought.start, sought.end))
    placed = (word.span.intersection(sought) for word in shown.words_in(sought))
    on_page = sum(len(_LETTER.findall(span.text_in(document.text))) for span in placed if span)
    return "" if on_page >= letters else "Some of the words are not on the page as drawn."


TEXT_WINDOW = 60_000
"""Characters of a text that are drawn at once, at most: some 25 printed pages."""

PAGE_WINDOW = 100
"""Printed pages that are drawn at once, at most."""


def text_windows(document: Document, outline: Outline) -> list[Span]:
    """Return the windows of a text, cut where a reader would cut it.

    That is before a part of the outline or a row of a table, else at a blank line, at a line's end,
    between words, or where it must be.
    """
    text = document.text
    if len(text) <= TEXT_WINDOW:
        return [Span(0, len(text))]
    starts = {node.span.start for node in outline.nodes}
    starts |= {mark.span.start for mark in document.marks if mark.kind is MarkKind.CELL}
    places = sorted(starts)
    windows, start = [], 0
    while len(text) - start > TEXT_WINDOW:
        end = _cut(text, places, start)
        windows.append(Span(start, end))
        start = end
    return [*windows, Span(start, len(text))]


def _cut(text: str, places: Sequence[int], start: int) -> int:
    least, most = start + TEXT_WINDOW // 2, start + TEXT_WINDOW
    before = bisect_right(places, most) - 1
    if before >= 0 and places[before] > least:
        return places[before]
    for between in ("\n\n", "\n", " "):
        at = text.rfind(between, least, most)
        if at >= 0:
            return at + len(between)
    return most


def _page_windows(document: Document) -> list[Span]:
    """Return the windows of printed pages, as the spans of the words on them."""
    firsts = document.pages[::PAGE_WINDOW]
    ends = [page.span.start for page in firsts[1:]]
    return [
        Span(first.span.start, end)
        for first, end in zip(firsts, [*ends, len(document.text)], strict=True)
    ]


def window_at(windows: Sequence[Span], offset: int) -> int:
    """Return the number, from 0, of the window that holds a character."""
    return max(0, bisect_right(windows, offset, key=lambda window: window.start) - 1)
