"""Build the Word and PDF contracts of the example data room from ``sources/``.

Run it with ``python examples/build_dataroom.py``. It needs three packages that the
program itself does not: ``pip install reportlab pypdfium2 pillow``.

The same sources give the same bytes: zip entries bear a fixed date, reportlab runs in
its invariant mode, and the noise on the scanned pages comes from a seeded generator.
(A scan depends on the version of pdfium that draws it and of Pillow that compresses it.)

In a Word file the numbers are not in the text: they exist only as list definitions in
``word/numbering.xml``, as they do in contracts drafted in Word. What a source looks
like is told in ``building/source.py``.
"""

from __future__ import annotations

import sys
from pathlib import Path

from building.pdf import build_pdf
from building.scan import build_scan
from building.source import Source, read_source
from building.word import build_docx

HERE = Path(__file__).resolve().parent
SOURCES = HERE / "sources"
DATAROOM = HERE / "dataroom"


def build(source: Source) -> tuple[str, bytes]:
    """Build one contract; gives its file name and its bytes."""
    match source.settings["format"]:
        case "docx":
            return f"{source.name}.docx", build_docx(source)
        case "pdf":
            return f"{source.name}.pdf", build_pdf(source)
        case "scan":
            return f"{source.name}.pdf", build_scan(source)
        case other:
            raise ValueError(f"{source.name}: unknown format {other!r}")


def main(wanted: list[str]) -> None:
    """Build the contracts whose names begin with one of the words, or all of them."""
    for path in sorted(SOURCES.glob("*.txt")):
        if not wanted or path.stem.startswith(tuple(wanted)):
            name, data = build(read_source(path))
            (DATAROOM / name).write_bytes(data)
            print(f"{name}: {len(data):,} bytes")


if __name__ == "__main__":
    main(sys.argv[1:])
