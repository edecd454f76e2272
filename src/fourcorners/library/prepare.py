"""What a worker process does with one file: read it, outline it, cut it into passages."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

from fourcorners.documents.document import Document
from fourcorners.errors import InputError
from fourcorners.library.store import require_whole
from fourcorners.outline.card import Card
from fourcorners.outline.tree import Outline, Passage


@dataclass(frozen=True, slots=True)
class Prepared:
    """A file, ready to be encoded and stored; the seconds are those of this process."""

    document: Document
    outline: Outline
    card: Card
    passages: tuple[Passage, ...]
    read_seconds: float
    outline_seconds: float


def prepare(path: Path) -> Prepared:
    """Read a file and make all that the library keeps of it but its vectors.

    Raises:
        InputError: If it cannot be read, or holds no words.
    """
    from fourcorners.documents.read import read
    from fourcorners.outline.build import build
    from fourcorners.outline.cards import read_card
    from fourcorners.outline.passages import passages

    began = time.perf_counter()
    document = read(path)
    _require_words(document)
    done = time.perf_counter()
    outline = build(document)
    card = read_card(document, outline)
    cut = tuple(passages(document, outline))
    require_whole(document, cut)
    return Prepared(
        document=document,
        outline=outline,
        card=card,
        passages=cut,
        read_seconds=done - began,
        outline_seconds=time.perf_counter() - done,
    )


def _require_words(document: Document) -> None:
    if any(character.isalnum() for character in document.text):
        return
    if document.needs_ocr:
        raise InputError(
            f"{document.path}: it needs OCR: none of its {len(document.pages)} pages has text.",
            remedy="Run text recognition first, for example `ocrmypdf in.pdf out.pdf`, "
            "and add the file that it makes.",
        )
    raise InputError(
        f"{document.path}: it holds no words.",
        remedy="Check that it is the contract, and supply it again.",
    )
