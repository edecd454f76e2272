"""Recognised against digital: the same pages read from their text layer and from a picture.

    python -m benchmarks.scans PDF_FOLDER [--files 20] [--pages 6] [--dpi 200] [--skip 0]
                               [--show NAME] [--cache DIR]

Each file's first pages are drawn in grey, turned by up to 0.8 degrees, blurred and roughened, and
put into a PDF without text, which is then read as any scan is. Files whose own pages are scans are
left out: their text layer is no reference. Printed are, for each file and on the mean, the F1 of
words (letters and digits, case folded, hyphenation undone), the F1 of the outline's nodes, each
known by its kind, label and parent's label (or, without a label, by its heading), the F1 of their
own labels alone, such as "(a)" (one lost parent changes the whole labels of all below it), and the
share of equal top-level sequences; with the processor seconds a page that recognition took (next
to none for pages whose recognition `--cache` kept: it is for work on what comes after).
"""

from __future__ import annotations

import argparse
import hashlib
import os
import pickle
import random
import re
import sys
import tempfile
import zlib
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import numpy as np
import pypdfium2
from numpy.typing import NDArray

from fourcorners.documents.document import Document
from fourcorners.documents.ocr import recognition as ocr
from fourcorners.documents.ocr.engines import GreyImage, OcrEngine, RecognisedPage, find_ocr_engine
from fourcorners.documents.ocr.recognition import OcrOptions
from fourcorners.documents.read import read_document
from fourcorners.outline.build import build_outline
from fourcorners.outline.tree import Outline
from fourcorners.text.normalisation import normalise_text

SEED = 20
SKEW = 0.8  # degrees
GRAIN = 14.0  # standard deviation of the grey added, of 255
Pixels = NDArray[np.uint8]
Seen = TypeVar("Seen")


@dataclass(frozen=True)
class Row:
    """What was measured of one file."""

    name: str
    pages: int
    words: float
    nodes: float
    labels: float
    top: bool
    confidence: float
    seconds: float


def main() -> None:
    options = argparse.ArgumentParser(description="Measure text recognition.")
    options.add_argument("folder", type=Path)
    options.add_argument("--files", type=int, default=20)
    options.add_argument("--pages", type=int, default=6)
    options.add_argument("--dpi", type=int, default=200)
    options.add_argument("--skip", type=int, default=0, help="of the files drawn, as many first")
    options.add_argument("--show", default="", help="print both outlines of the file named so")
    options.add_argument("--cache", type=Path, help="keep what the engine saw in this folder")
    given = options.parse_args()
    if given.cache is not None:
        given.cache.mkdir(parents=True, exist_ok=True)
        engine = find_ocr_engine()
        if engine is None:
            sys.exit("no OCR engine is installed")
        cached_engine = _CachedEngine(engine, given.cache)
        ocr.find_ocr_engine = lambda: cached_engine  # type: ignore[attr-defined,assignment]
    files = sorted(path for path in given.folder.iterdir() if path.suffix.lower() == ".pdf")
    random.Random(SEED).shuffle(files)  # noqa: S311 - a sample, not a secret
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as folder:
        for path in files[given.skip :]:
            if len(rows) == given.files:
                break
            if given.show and given.show not in path.name:
                continue
            digital = _first_pages(path, given.pages, Path(folder) / "digital.pdf")
            if digital is None:
                continue
            rows.append(_measure(path.name, digital, given.dpi, show=bool(given.show)))
            row = rows[-1]
            print(
                f"{row.words:.4f}  {row.nodes:.3f}  {row.labels:.3f}  "
                f"{'same' if row.top else 'diff'}  "
                f"{row.confidence:.2f}  {row.seconds:5.2f}  {row.pages}  {row.name[:60]}",
                flush=True,
            )
    if not rows:
        sys.exit(f"no digital PDF in {given.folder}")
    print(f"{'words':6}  {'nodes':5}  {'own':5}  {'top':4}  conf  s/page  pages")
    print(
        f"{_mean([row.words for row in rows]):.4f}  {_mean([row.nodes for row in rows]):.3f}  "
        f"{_mean([row.labels for row in rows]):.3f}  "
        f"{_mean([float(row.top) for row in rows]):.2f}  "
        f"{_mean([row.confidence for row in rows]):.2f}  "
        f"{_mean([row.seconds for row in rows]):5.2f}  {sum(row.pages for row in rows)} pages, "
        f"{len(rows)} files; the least word F1 is {min(row.words for row in rows):.4f}"
    )


class _CachedEngine:
    """An engine that looks at no picture twice, in this run or another."""

    def __init__(self, engine: OcrEngine, folder: Path) -> None:
        self._engine = engine
        self._folder = folder
        self.name = engine.name

    def read(self, picture: GreyImage) -> RecognisedPage:
        return self._cached_result("read", picture, lambda: self._engine.read(picture))

    def read_file(self, data: bytes) -> list[RecognisedPage]:
        return self._engine.read_file(data)

    def detect_rotation(self, picture: GreyImage) -> int:
        return self._cached_result("turn", picture, lambda: self._engine.detect_rotation(picture))

    def _cached_result(self, what: str, picture: GreyImage, look: Callable[[], Seen]) -> Seen:
        head = f"{self.name} {what} {picture.width} {picture.height} ".encode()
        path = self._folder / hashlib.sha256(head + picture.pixels).hexdigest()
        if path.exists():
            seen: Seen = pickle.loads(path.read_bytes())  # noqa: S301 - written below
            return seen
        seen = look()
        path.write_bytes(pickle.dumps(seen))
        return seen


def _mean(values: list[float]) -> float:
    return sum(values) / len(values)


def _first_pages(path: Path, count: int, target: Path) -> Path | None:
    """Write the first pages to a file of their own; None if a picture fills one of them."""
    whole = pypdfium2.PdfDocument(path)
    part = pypdfium2.PdfDocument.new()
    part.import_pages(whole, list(range(min(count, len(whole)))))
    part.save(target)
    for page in part:
        width, height = page.get_size()
        for item in page.get_objects(max_depth=3):
            if item.type != pypdfium2.raw.FPDF_PAGEOBJ_IMAGE:
                continue
            left, bottom, right, top = item.get_bounds()
            if (right - left) * (top - bottom) > 0.5 * width * height:
                return None
    return target


def _measure(name: str, digital: Path, dpi: int, *, show: bool) -> Row:
    scan = digital.with_name("scan.pdf")
    scan.write_bytes(_scanned(digital, dpi))
    began = sum(os.times()[:4])
    recognised = read_document(scan, OcrOptions(seconds=3600))
    seconds = sum(os.times()[:4]) - began
    reference = read_document(digital)
    left, right = build_outline(reference), build_outline(recognised)
    if show:
        _show(reference, left)
        _show(recognised, right)
        print(recognised.text)
    sure = [page.confidence or 0.0 for page in recognised.pages]
    return Row(
        name,
        len(recognised.pages),
        _f1(_words(reference.text), _words(recognised.text)),
        1.0
        if left.windows and right.windows
        else _f1(_nodes(left, reference), _nodes(right, recognised)),
        1.0 if left.windows and right.windows else _f1(_own_labels(left), _own_labels(right)),
        _top(left) == _top(right),
        _mean(sure),
        seconds / len(recognised.pages),
    )


def _words(text: str) -> Counter[str]:
    return Counter(re.findall(r"[^\W_]+", normalise_text(text).text.casefold()))


def _nodes(outline: Outline, document: Document) -> Counter[str]:
    found: Counter[str] = Counter()
    for node in outline.nodes:
        above = outline.nodes[node.parent].label if node.parent is not None else ""
        name = node.label
        if not name and node.heading:
            name = re.sub(r"[^a-z]", "", node.heading.text_in(document.text).casefold())[:40]
        found[f"{node.kind}|{above}|{name}"] += 1
    return found


def _own_labels(outline: Outline) -> Counter[str]:
    """Count the nodes' labels without those of their parents."""
    above = {node.id: node.label for node in outline.nodes}
    return Counter(
        node.label.removeprefix(above[node.parent] if node.parent is not None else "")
        for node in outline.nodes
        if node.label
    )


def _top(outline: Outline) -> list[str]:
    return [f"{node.kind} {node.label}" for node in outline.nodes if node.parent is None]


def _f1(wanted: Counter[str], found: Counter[str]) -> float:
    shared = sum((wanted & found).values())
    total = sum(wanted.values()) + sum(found.values())
    return 2 * shared / total if total else 1.0


def _show(document: Document, outline: Outline) -> None:
    print(f"--- {document.reader}, confidence {outline.confidence:.2f}")
    for node in outline.nodes:
        words = document.text[node.span.start : node.span.start + 50].replace("\n", " ")
        print(f"{node.kind:10} {node.label:12} {words}")


def _scanned(path: Path, dpi: int) -> bytes:
    """Return a PDF with nothing but a bad picture of each page."""
    noise = np.random.default_rng(SEED)
    turns = random.Random(SEED)  # noqa: S311
    pages = []
    for page in pypdfium2.PdfDocument(path):
        width, height = page.get_size()
        grey = page.render(scale=dpi / 72, grayscale=True).to_numpy()
        grey = grey.reshape(grey.shape[0], grey.shape[1])
        pages.append((width, height, _photocopy(grey, turns.uniform(-SKEW, SKEW), noise)))
    return _pdf(pages)


def _photocopy(grey: Pixels, degrees: float, noise: np.random.Generator) -> Pixels:
    """Turn, blur and roughen a page as an office scanner would."""
    height, width = grey.shape
    angle = np.radians(degrees)
    y, x = np.mgrid[0:height, 0:width].astype(np.float32)
    y -= height / 2
    x -= width / 2
    sx = np.cos(angle) * x + np.sin(angle) * y + width / 2
    sy = -np.sin(angle) * x + np.cos(angle) * y + height / 2
    x0 = np.clip(sx.astype(np.int32), 0, width - 2)
    y0 = np.clip(sy.astype(np.int32), 0, height - 2)
    dx, dy = np.clip(sx - x0, 0, 1), np.clip(sy - y0, 0, 1)
    source = grey.astype(np.float32)
    top = source[y0, x0] * (1 - dx) + source[y0, x0 + 1] * dx
    end = source[y0 + 1, x0] * (1 - dx) + source[y0 + 1, x0 + 1] * dx
    turned = top * (1 - dy) + end * dy
    around = np.pad(turned, 1, mode="edge")
    blurred = sum(
        around[1 + a : 1 + a + height, 1 + b : 1 + b + width] * (4 if a == b == 0 else 1)
        for a in (-1, 0, 1)
        for b in (-1, 0, 1)
    ) / 12.0  # fmt: skip
    rough = 12 + 0.9 * blurred + noise.normal(0, GRAIN, grey.shape)
    return np.clip(rough, 0, 255).astype(np.uint8)


def _pdf(pages: list[tuple[float, float, Pixels]]) -> bytes:
    kids = " ".join(f"{3 + 3 * at} 0 R" for at in range(len(pages)))
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Count {len(pages)} /Kids [{kids}] >>".encode(),
    ]
    for at, (width, height, pixels) in enumerate(pages):
        draw = f"q {width} 0 0 {height} 0 0 cm /Im Do Q".encode()
        data = zlib.compress(pixels.tobytes(), 1)
        objects += [
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {width} {height}] /Contents {4 + 3 * at}"
            f" 0 R /Resources << /XObject << /Im {5 + 3 * at} 0 R >> >> >>".encode(),
            b"<< /Length %d >>\nstream\n%s\nendstream" % (len(draw), draw),
            b"<< /Type /XObject /Subtype /Image /Width %d /Height %d /ColorSpace /DeviceGray"
            b" /BitsPerComponent 8 /Filter /FlateDecode /Length %d >>\nstream\n%s\nendstream"
            % (pixels.shape[1], pixels.shape[0], len(data), data),
        ]
    out = bytearray(b"%PDF-1.4\n")
    places = []
    for number, content in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    start = len(out)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    out += b"xref\n0 %d\n0000000000 65535 f \n%s" % (len(objects) + 1, table)
    out += b"trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (
        len(objects) + 1,
        start,
    )
    return bytes(out)


if __name__ == "__main__":
    main()
