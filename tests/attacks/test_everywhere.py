"""Every style of attack in every place that a format has: how far it gets, and what is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from fourcorners.documents.document import Document, MarkKind
from fourcorners.documents.read import read_document
from fourcorners.review.suspicion import SuspicionKind, find_suspicions
from tests.attacks.injections import PASSAGES, SCRIPTS
from tests.attacks.places import NEUTRAL, PLACES, Place, Reach

STYLES = PASSAGES | {"scripts": "\n".join(SCRIPTS.values())}
UNSEEN = "tags"  # the style whose letters show nothing wherever they stand, and no PDF can hold


def bare(text: str) -> str:
    """Return the letters of a text: lines break elsewhere in each place, also at soft hyphens."""
    return "".join(text.replace("\u00ad", "").split())


def made(place: Place, words: str, folder: Path) -> Document:
    path = folder / f"contract{place.suffix}"
    path.write_bytes(place.build(words))
    return read_document(path)


def signs_of(document: Document) -> set[SuspicionKind]:
    return {each.sign for each in find_suspicions(document)}


def marked(document: Document, *kinds: MarkKind) -> list[str]:
    """Return what marks of a kind are about: their words, or what they say."""
    marks = [mark for mark in document.marks if mark.kind in kinds]
    return [bare(mark.span.text_in(document.text) or mark.detail) for mark in marks]


def gone_wrong(place: Place, style: str, document: Document, clean: Document) -> str:
    """Return what is not as it should be with a style of attack in a place; empty if all is."""
    words = bare(place.says(STYLES[style]))
    signs = signs_of(document) - {SuspicionKind.DISGUISED}
    wanted = {SuspicionKind.ORDERS} if style in PASSAGES else set()
    if not place.reach.in_text:
        if document.text != clean.text:
            return f"reached the text: {document.text}"
        beside = "".join(marked(document, MarkKind.COMMENT, MarkKind.DELETED))
        if (words in beside) is not (place.reach is Reach.MARK):
            return f"beside the text: {beside}"
        wanted = wanted if place.reach is Reach.MARK else set()
    elif words not in bare(document.text):
        return f"is not in the text: {document.text}"
    elif bare(document.text).replace(words, "") != bare(clean.text).replace(bare(NEUTRAL), ""):
        return f"changed what is around it: {document.text}"
    elif place.reach is Reach.HIDDEN and style != UNSEEN:
        wanted |= {SuspicionKind.HIDDEN}
        if words not in "".join(marked(document, MarkKind.HIDDEN)):
            return f"hidden is only {marked(document, MarkKind.HIDDEN)}"
    elif place.reach is Reach.STRUCK and style != UNSEEN:
        if words not in "".join(marked(document, MarkKind.DELETED)):
            return f"struck out is only {marked(document, MarkKind.DELETED)}"
    elif place.reach is Reach.SHOWN and MarkKind.HIDDEN in {m.kind for m in document.marks}:
        return "is marked as hidden"
    return "" if signs == wanted else f"told of {sorted(signs)}"


@pytest.mark.parametrize("place", PLACES, ids=[each.id for each in PLACES])
def test_words_get_as_far_as_is_known_and_are_told_of_where_they_do(
    tmp_path: Path, place: Place
) -> None:
    clean = made(place, NEUTRAL, tmp_path)
    assert signs_of(clean) == set()
    wrong = {
        style: gone_wrong(place, style, made(place, words, tmp_path), clean)
        for style, words in STYLES.items()
        if not (style == UNSEEN and place.suffix == ".pdf")
    }
    assert {style: why for style, why in wrong.items() if why} == {}
