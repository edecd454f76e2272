"""Where in its document a passage stands, for people: name, page and path."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass

from fourcorners.documents.document import Page
from fourcorners.library.catalogue import Catalogue
from fourcorners.library.codec import PAGES, StoredNodes
from fourcorners.library.memory import VersionedCache
from fourcorners.outline.tree import node_path


@dataclass(frozen=True, slots=True)
class DocumentPlaces:
    name: str
    pages: tuple[Page, ...]
    nodes: StoredNodes

    @classmethod
    def load(cls, library: Catalogue, document: str) -> DocumentPlaces:
        known: VersionedCache[DocumentPlaces] = library.memory.cache("places")
        return known.get(library.content_version, document, lambda: cls._read(library, document))

    @classmethod
    def _read(cls, library: Catalogue, document: str) -> DocumentPlaces:
        name, pages, outline = library.stored_place(document)
        return cls(name, PAGES.load(pages), StoredNodes(outline))

    def page_of(self, offset: int) -> int | None:
        """Return the number of the page that a character stands on; None without pages."""
        starts = [page.span.start for page in self.pages]
        return self.pages[max(0, bisect_right(starts, offset) - 1)].number if starts else None

    def path_of(self, node: int | None, text: str) -> tuple[str, ...]:
        if node is None:
            return ()
        return node_path(self.nodes.ancestors(node), text)
