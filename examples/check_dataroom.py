"""Check that ``expected.yaml`` speaks of the contracts as they are.

Run it with ``python examples/check_dataroom.py`` after a change to a contract or to the
expectations (``pip install pypdfium2 pyyaml``). Every quote and every decoy must stand in
its contract, within one page or paragraph; every contract must have all its cells, and
they must agree with the findings. The scanned contract is read from its source.
"""

from __future__ import annotations

import re
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pypdfium2
import yaml
from building.source import read_source

HERE = Path(__file__).resolve().parent
W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
PROVISIONS = 17


def parts(path: Path, scanned: bool) -> Iterator[str]:
    """Give the pages of a PDF, and the paragraphs of anything else."""
    if scanned:
        yield from (
            block.text for block in read_source(HERE / "sources" / f"{path.stem}.txt").blocks
        )
    elif path.suffix == ".docx":
        document = ElementTree.fromstring(zipfile.ZipFile(path).read("word/document.xml"))  # noqa: S314 - our own file
        for paragraph in document.iter(f"{W}p"):
            yield "".join(text.text or "" for text in paragraph.iter(f"{W}t"))
    elif path.suffix == ".pdf":
        for page in pypdfium2.PdfDocument(path):
            yield page.get_textpage().get_text_range()
    else:
        yield from re.split(r"\n\s*\n", path.read_text(encoding="utf-8"))


def squeeze(text: str) -> str:
    """Reduce each run of white space to one space."""
    return re.sub(r"\s+", " ", text).strip()


def missing(expected: dict[str, Any], texts: dict[str, list[str]]) -> Iterator[str]:
    """Name each quote or decoy that does not stand in its contract."""
    for entry in (*expected["findings"], *expected["decoys"]):
        for quote in entry.get("must_quote", [entry.get("text")]):
            if not any(squeeze(quote) in part for part in texts[entry["document"]]):
                yield f"{entry['id']}: not in {entry['document']}: {quote!r}"


def contradictions(expected: dict[str, Any]) -> Iterator[str]:
    """Name each cell that is absent or at odds with a finding."""
    cells = expected["cells"] | expected["cells_with_ocr"]
    for document in expected["documents"]:
        row = cells.get(document["file"], {})
        if len(row) != PROVISIONS:
            yield f"{document['file']}: {len(row)} cells of {PROVISIONS}"
    stated = {(f["document"], f["provision"]): f["state"] for f in expected["findings"]}
    for name, row in cells.items():
        for provision, state in row.items():
            if stated.get((name, provision), "not_found") != state:
                yield f"{name}: {provision} is {state} in cells, not so in findings"


def main() -> int:
    """Print what is wrong; the exit status says whether anything was."""
    expected = yaml.safe_load((HERE / "expected.yaml").read_text(encoding="utf-8"))
    texts = {
        document["file"]: [
            squeeze(part)
            for part in parts(HERE / "dataroom" / document["file"], document["needs_ocr"])
        ]
        for document in expected["documents"]
    }
    faults = [*missing(expected, texts), *contradictions(expected)]
    for fault in faults:
        print(fault)
    found = sum(finding["state"] == "found" for finding in expected["findings"])
    print(
        f"{len(texts)} contracts, {found} facts, {len(expected['findings']) - found} absences,"
        f" {len(expected['decoys'])} decoys, {len(faults)} faults"
    )
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
