"""Print the contracts of the audited outlines: drawn from the corpus folder by a fixed seed.

python tests/bench/outline/audit/choose.py DIR/cuad
"""

from __future__ import annotations

import json
import random
import sys
from pathlib import Path

from fourcorners.documents.read import read_document

SEED = 20261120
TEXTS, FLAT, PDFS = 25, 6, 15
FLAT_CHARS = 400  # characters a line (blank lines aside), on average, above which a text is flat
TEXT_LAYER = 0.9  # share of a PDF's pages that must have text: no OCR in this set


def characters_a_line(text: str) -> float:
    """Return the mean length of the lines of `text` that are not blank."""
    lines = [line for line in text.splitlines() if line.strip()]
    return sum(map(len, lines)) / max(1, len(lines))


def choose(data: Path) -> list[dict[str, object]]:
    """Draw PDFs with a text layer, flat texts, then other texts; no contract stands twice."""
    draw = random.Random(SEED)
    pdfs = sorted(path for path in (data / "pdf").iterdir() if path.suffix.lower() == ".pdf")
    draw.shuffle(pdfs)
    chosen: list[dict[str, object]] = []
    for path in pdfs:
        document = read_document(path)
        layer = 1 - len(document.pages_needing_ocr) / max(1, len(document.pages))
        if layer >= TEXT_LAYER and len(chosen) < PDFS:
            flat = characters_a_line(document.text) > FLAT_CHARS
            chosen.append({"name": path.name, "source": "pdf", "flat": flat})
    taken = {Path(str(one["name"])).stem for one in chosen}
    texts = sorted(path for path in (data / "contracts").glob("*.txt") if path.stem not in taken)
    draw.shuffle(texts)
    means = {path: characters_a_line(path.read_bytes().decode("utf-8")) for path in texts}
    flat_texts = [path for path in texts if means[path] > FLAT_CHARS][:FLAT]
    others = [path for path in texts if means[path] <= FLAT_CHARS][: TEXTS - len(flat_texts)]
    return chosen + [
        {"name": path.name, "source": "text", "flat": path in flat_texts}
        for path in sorted([*flat_texts, *others])
    ]


if __name__ == "__main__":
    for line in choose(Path(sys.argv[1])):
        sys.stdout.write(json.dumps(line) + "\n")
