"""Check boxes by another library: what pdfminer finds under a span's boxes must be the span.

    python -m benchmarks.boxes --data ../shared/data

Takes spans of random place and length from PDF contracts, asks for their boxes, and compares the
letters and digits whose centres pdfminer places in those boxes, line by line, with those of the
span. Prints the share that is equal, and each that is not.
"""

from __future__ import annotations

import argparse
import random
import unicodedata
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from pdfminer.converter import PDFLayoutAnalyzer
from pdfminer.layout import LTChar, LTContainer, LTItem, LTPage
from pdfminer.pdfinterp import PDFPageInterpreter, PDFResourceManager
from pdfminer.pdfpage import PDFPage

from fourcorners.documents.boxes import span_boxes
from fourcorners.documents.document import Box
from fourcorners.documents.read import read_document
from fourcorners.text.span import Span

LONGEST = 800  # characters of a span


class Characters(PDFLayoutAnalyzer):
    """A device that keeps each page's characters with their places as shown."""

    def __init__(self) -> None:
        super().__init__(PDFResourceManager(), laparams=None)
        self.words: list[str] = []
        self.places: list[tuple[float, float]] = []

    def receive_layout(self, ltpage: LTPage) -> None:
        """Take a page's characters, its forms' among them."""
        pending: list[LTItem] = [ltpage]
        while pending:
            item = pending.pop(0)
            if isinstance(item, LTChar):
                self.words.append(item.get_text())
                self.places.append(((item.x0 + item.x1) / 2, (item.y0 + item.y1) / 2))
            elif isinstance(item, LTContainer):
                pending[:0] = list(item)


def letters(words: str) -> str:
    """Return the letters and digits, ligatures taken apart."""
    return "".join(sign for sign in unicodedata.normalize("NFKC", words) if sign.isalnum())


def pages(path: Path) -> Iterator[tuple[list[str], np.ndarray]]:
    """Yield each page's characters, and their centres from the top left of the page as shown."""
    with path.open("rb") as file:
        for page in PDFPage.get_pages(file):
            device = Characters()
            PDFPageInterpreter(device.rsrcmgr, device).process_page(page)
            x0, y0, x1, y1 = page.mediabox
            crop = page.cropbox or page.mediabox
            left, bottom, right, top = (
                max(crop[0], x0) - x0,
                max(crop[1], y0) - y0,
                x1 - min(crop[2], x1),
                y1 - min(crop[3], y1),
            )
            turns = page.rotate // 90 % 4
            sides = (left, top, right, bottom)  # cut away, clockwise from the left
            cut_left, cut_top = sides[-turns % 4], sides[(1 - turns) % 4]
            height = x1 - x0 if turns % 2 else y1 - y0
            places = np.array(device.places, dtype=float).reshape(-1, 2)
            yield (
                device.words,
                np.stack((places[:, 0] - cut_left, height - places[:, 1] - cut_top), axis=1),
            )


def under(found: list[tuple[list[str], np.ndarray]], box: Box) -> str:
    """Return the words in a box, from left to right."""
    words, places = found[box.page - 1]
    x, y = places[:, 0], places[:, 1]
    inside = np.flatnonzero((box.x0 <= x) & (x <= box.x1) & (box.y0 <= y) & (y <= box.y1))
    return "".join(words[index] for index in sorted(inside, key=lambda index: x[index]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="the folder that holds cuad/pdf")
    parser.add_argument("--files", type=int, default=40)
    parser.add_argument("--spans", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=20)
    options = parser.parse_args()
    chance = random.Random(options.seed)  # noqa: S311 - a sample, no secret
    paths = chance.sample(sorted((options.data / "cuad" / "pdf").iterdir()), options.files)
    right = wrong = lines = 0
    for number, path in enumerate(paths):
        document = read_document(path)
        found = list(pages(path))
        for _ in range(options.spans * (number + 1) // len(paths) - right - wrong):
            start = chance.randrange(len(document.text))
            end = min(len(document.text), start + chance.randint(1, LONGEST))
            span = Span(start, end)
            places = span_boxes(path, document, span)
            lines += len(places)
            seen = letters("".join(under(found, box) for box in places))
            if seen == letters(span.text_in(document.text)):
                right += 1
            else:
                wrong += 1
                print(f"{path.name} {start}-{end}: {span.text_in(document.text)!r}\n  {seen!r}")
    share = right / (right + wrong)
    print(f"{right} of {right + wrong} spans ({lines} boxes, {len(paths)} files): {share:.2%}")


if __name__ == "__main__":
    main()
