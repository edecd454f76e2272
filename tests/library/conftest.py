"""A library on disk, and documents made by hand to put in it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from fourcorners.documents.document import Box, Document, Mark, MarkKind, OcrWord, Page, TextSource
from fourcorners.library.store import Library
from fourcorners.outline.card.card import Card, Fact, Party
from fourcorners.outline.tree import Node, NodeKind, Outline, Passage, View
from fourcorners.text.span import Span
from tests.models.fake import HashEncoder

ENCODER = HashEncoder(16)

CLAUSES = [
    "SUPPLY AGREEMENT between Alder Ltd and Birch GmbH.",
    "1. Term. This Agreement runs for three years.",
    "1.1 Either party may terminate upon a change of control of the other.",
    "2. Law. The laws of Norway govern this Agreement.",
]


@dataclass(frozen=True)
class Parts:
    """What `Library.add` takes."""

    document: Document
    outline: Outline
    card: Card
    passages: list[Passage]
    vectors: NDArray[np.float32] | None

    def add(self, library: Library, collection: str = "Deal") -> bool:
        return library.add(
            self.document,
            self.outline,
            self.card,
            self.passages,
            self.vectors,
            collection=collection,
        )


def contract(
    name: str = "supply.txt", clauses: list[str] | None = None, kind: str = "Supply Agreement"
) -> Parts:
    """Make a contract of one section, one subsection and one section, a passage a clause."""
    lines = clauses or CLAUSES
    text = "\n".join(lines)
    digest = sha256(text.encode()).hexdigest()
    spans: list[Span] = []
    for line in lines:
        start = spans[-1].end + 1 if spans else 0
        spans.append(Span(start, start + len(line)))
    middle = len(text) // 2
    document = Document(
        id=digest[:16],
        name=name,
        path=f"room/{name}",
        sha256=digest,
        media_type="text/plain",
        reader="plain/1",
        text=text,
        pages=(
            Page(1, Span(0, middle), 595.0, 842.0, TextSource.OCR, 0.925),
            Page(2, Span(middle, len(text)), 595.0, 842.0, TextSource.NONE),
        ),
        marks=(Mark(MarkKind.HEADING, spans[0], "1"),),
        warnings=("Page 2 needs OCR.",),
        words=(OcrWord(Span(0, 6), Box(1, 72.0, 70.5, 110.25, 84.0), 0.925),),
    )
    nodes = (
        Node(0, None, NodeKind.TITLE, "", spans[0], spans[0]),
        Node(1, None, NodeKind.SECTION, "1", None, Span(spans[1].start, spans[2].end)),
        Node(2, 1, NodeKind.SECTION, "1.1", None, spans[2]),
        *(
            Node(i, None, NodeKind.SECTION, str(i - 1), None, spans[i])
            for i in range(3, len(lines))
        ),
    )
    passages = [Passage(i, span, View.NODE, i, "Supply") for i, span in enumerate(spans)]
    return Parts(
        document=document,
        outline=Outline(nodes, 0.9),
        card=Card(
            type=Fact(kind, spans[0], 0.8),
            parties=(Fact(Party("Alder Ltd", "Alder"), spans[0], 0.9),),
        ),
        passages=passages,
        vectors=ENCODER.encode([span.text_in(text) for span in spans]),
    )


@pytest.fixture
def make() -> Callable[..., Parts]:
    return contract


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    with Library.open(tmp_path / "firm.db") as opened:
        opened.set_encoder(ENCODER.name, ENCODER.dimension)
        yield opened
