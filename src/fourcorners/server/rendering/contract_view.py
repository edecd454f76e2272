"""What is drawn of a contract at once: a window of its words, or of its printed pages."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlencode

from fourcorners.documents.document import Box, Document, Page
from fourcorners.errors import InputError
from fourcorners.outline.tree import DefinedTerm, Outline
from fourcorners.server.links import document_href, words_hash
from fourcorners.server.rendering.document_windows import page_windows, text_windows, window_at
from fourcorners.server.rendering.page_renderer import PageRenderer
from fourcorners.server.rendering.typesetting import TextBlock, typeset_document, window_terms
from fourcorners.text.span import Span

_BLOCKS = 200  # that are set before it is asked whether anybody still waits


@dataclass(frozen=True, slots=True)
class ContractView:
    """A window of a contract.

    Attributes:
        number: Which of the windows is drawn, from 1.
        original: The PDF that the contract was read from, if its pages can be shown.
        has_file: Whether the file that it was read from is there, whatever it is.
        is_printed: Whether its pages are shown, not its text.
        boxes: Where the highlighted words are, by page.
        problem: Why the highlighted words cannot be shown on their page.
    """

    document: Document
    outline: Outline
    windows: list[Span]
    number: int
    marked: Span | None
    original: Path | None
    has_file: bool
    is_printed: bool
    boxes: dict[int, list[Box]] = field(default_factory=dict)
    problem: str = ""

    @property
    def within(self) -> Span:
        return self.windows[self.number - 1]

    @property
    def is_cut(self) -> bool:
        return len(self.windows) > 1

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
        query = f"?{urlencode(asked)}" if asked else ""
        return f"{document_href(self.document.id)}{query}{anchor}"

    def span_href(self, span: Span) -> str:
        """Return the address of words of this document that stays in the same view."""
        place = f"{span.start}-{span.end}"
        asked = {"s": place, "h": words_hash(span.text_in(self.document.text)), **self._form}
        return f"{document_href(self.document.id)}?{urlencode(asked)}#s={place}"

    @property
    def _form(self) -> dict[str, str]:
        return {"view": "text"} if self.original is not None and not self.is_printed else {}

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
    original = renderer.find_original(document)
    is_printed = original is not None and not text
    windows = page_windows(document) if is_printed else text_windows(document, outline)
    if not number:
        number = 1 if marked is None else window_at(windows, marked.start) + 1
    number = min(max(number, 1), len(windows))
    boxes: dict[int, list[Box]] = {}
    problem = ""
    shown = None if marked is None else marked.intersection(windows[number - 1])
    if is_printed and original is not None and shown is not None:
        try:
            for box in renderer.span_boxes(document, original, shown):
                boxes.setdefault(box.page, []).append(box)
        except InputError as error:
            problem = error.message
    return ContractView(
        document,
        outline,
        windows,
        number,
        marked,
        original=original,
        has_file=renderer.find_file(document) is not None,
        is_printed=is_printed,
        boxes=boxes,
        problem=problem,
    )
