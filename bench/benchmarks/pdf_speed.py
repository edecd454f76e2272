"""Time the PDF reader against pdfium's bare extraction, in one process, by CPU time.

    python -m benchmarks.pdf_speed --data ../shared/data

Prints how many times longer reading (pages, running lines, tables, bold lines) and reading with
the box of every line take than `get_text_range` of every page alone; the best of several rounds.
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Callable
from pathlib import Path

import pypdfium2

from fourcorners.documents.boxes import span_boxes
from fourcorners.documents.read import read_document
from fourcorners.text.span import Span


def bare(path: Path) -> int:
    """Extract every page's text with pdfium and nothing else; return the number of pages."""
    with pypdfium2.PdfDocument(path.read_bytes()) as pdf:
        for page in pdf:
            textpage = page.get_textpage()
            textpage.get_text_range()
            textpage.close()
            page.close()
        return len(pdf)


def text(path: Path) -> int:
    """Read the file as the program does."""
    return len(read_document(path).pages)


def boxed(path: Path) -> int:
    """Read the file, and the box of every line."""
    document = read_document(path)
    return len({box.page for box in span_boxes(path, document, Span(0, len(document.text)))})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="the folder that holds cuad/pdf")
    parser.add_argument("--files", type=int, default=40)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    paths = sorted((options.data / "cuad" / "pdf").iterdir())
    random.Random(1).shuffle(paths)  # noqa: S311 - a sample, no secret
    paths = paths[: options.files]

    def timed(work: Callable[[Path], int]) -> tuple[float, int]:
        started, pages = time.process_time(), sum(work(path) for path in paths)
        return time.process_time() - started, pages

    best = {
        work.__name__: min(timed(work) for _ in range(options.rounds))
        for work in (bare, text, boxed)
    }
    base = best["bare"][0]
    for name, (seconds, pages) in best.items():
        print(f"{name:6} {seconds:6.2f} s CPU  {pages} pages  {seconds / base:4.2f} times bare")


if __name__ == "__main__":
    main()
