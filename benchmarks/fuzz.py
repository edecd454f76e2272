"""Fuzz the PDF and Word readers: damage files at random, and check what holds for any document.

    python benchmarks/fuzz.py pdf --minutes 30
    python benchmarks/fuzz.py docx --minutes 30

Seeds are files made by the tests (hostile ones among them) and, with --data, small PDF contracts.
PDF: bytes flipped, cut, repeated, numbers and names exchanged, streams unpacked first so that
their content can be damaged too. DOCX: the parts' XML is damaged as a tree (elements moved,
repeated, nested, removed; attributes changed) or as bytes. Every file is read in a worker with
60 seconds and 1.5 GB. A crash, a hang, an error that is no `InputError`, or a broken invariant
is a finding: the file is kept in --keep, and the exit code is 1.
"""

from __future__ import annotations

import argparse
import copy
import io
import random
import re
import sys
import tempfile
import time
import zipfile
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

from lxml import etree

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.numbering import cases, write
from fourcorners.documents.workers import Workers
from tests.documents.hostile import docx_files, pdf_files
from tests.documents.hostile.invariants import inspect

LARGEST = 300_000  # bytes of a seed
FINDINGS = ("could not be processed", "process that read it died", "stopped after")
NUMBERS = (b"0", b"-1", b"1", b"99999999", b"-2147483648", b"4294967296", b"1e39", b"0.00001")
STREAM = re.compile(rb"/Length \d+ /Filter /FlateDecode >>\nstream\n(.*?)\nendstream", re.DOTALL)
VALUES = ("", "0", "-1", "9999999999", "true", "none", "decimal", "\u202e", "a" * 300)


def pdf_seeds(data: Path | None) -> list[bytes]:
    """Return small PDF files."""
    # A form drawn within itself fills any memory: its children would all end at the limit.
    seeds = [make() for name, make in pdf_files.FAST.items() if name != "form-in-itself.pdf"]
    if data is not None:
        seeds += [path.read_bytes() for path in sorted((data / "cuad" / "pdf").iterdir())]
    return [seed for seed in seeds if len(seed) <= LARGEST]


def docx_seeds(_: Path | None) -> list[bytes]:
    """Return small Word documents."""
    seeds = [make() for make in docx_files.FAST.values()]
    with tempfile.TemporaryDirectory() as folder:
        for case in cases().values():
            path = Path(folder) / "case.docx"
            write(case, path)
            seeds.append(path.read_bytes())
    return [seed for seed in seeds if len(seed) <= LARGEST]


def unpacked(data: bytes) -> bytes:
    """Return a PDF with the streams that the tests packed as they are."""

    def plain(found: re.Match[bytes]) -> bytes:
        try:
            words = zlib.decompress(found.group(1))
        except zlib.error:
            return found.group()
        return b"/Length %d >>\nstream\n%s\nendstream" % (len(words), words[:LARGEST])

    return STREAM.sub(plain, data)


def damaged(data: bytes, chance: random.Random) -> bytes:
    """Return bytes with a few places changed."""
    out = bytearray(data)
    for _ in range(chance.choice((1, 1, 2, 4, 16, 64))):
        if not out:
            break
        at = chance.randrange(len(out))
        size = min(chance.choice((1, 4, 32, 512)), len(out) - at)
        match chance.randrange(6):
            case 0:
                out[at] ^= 1 << chance.randrange(8)
            case 1:
                del out[at : at + size]
            case 2:
                out[at:at] = out[at : at + size] * chance.choice((1, 2, 50))
            case 3:
                out[at : at + size] = chance.randbytes(size)
            case 4:
                other = chance.randrange(len(out))
                out[at : at + size] = out[other : other + size]
            case _:
                found = re.compile(rb"-?\d+(?:\.\d+)?").search(out, at)
                if found:
                    out[found.start() : found.end()] = chance.choice(NUMBERS)
    return bytes(out)


def damaged_pdf(data: bytes, chance: random.Random) -> bytes:
    """Return a damaged PDF."""
    return damaged(unpacked(data) if chance.random() < 0.6 else data, chance)


def damaged_docx(data: bytes, chance: random.Random) -> bytes:
    """Return a damaged Word document: most often still a package of well-formed XML."""
    if chance.random() < 0.1:
        return damaged(data, chance)
    out = io.BytesIO()
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(out, "w") as new:
            for name in old.namelist()[:100]:
                part = old.read(name)
                if chance.random() < 0.6:
                    part = _part(part, chance)
                if chance.random() > 0.01:
                    new.writestr(name, part)
    except (zipfile.BadZipFile, RuntimeError, zlib.error, EOFError, ValueError):
        return damaged(data, chance)
    return out.getvalue()


def _part(part: bytes, chance: random.Random) -> bytes:
    if chance.random() < 0.05:
        return damaged(part, chance)
    try:
        root = etree.fromstring(part, etree.XMLParser(resolve_entities=False, no_network=True))
    except (etree.XMLSyntaxError, ValueError):
        return part
    for _ in range(chance.choice((1, 2, 4, 16))):
        nodes = list(root.iter("{*}*"))
        one, other = chance.choice(nodes), chance.choice(nodes)
        _twist(one, other, chance)
    return etree.tostring(root)


def _twist(one: etree._Element, other: etree._Element, chance: random.Random) -> None:
    match chance.randrange(6):
        case 0 if one.getparent() is not None:
            parent = one.getparent()
            if parent is not None:
                parent.remove(one)
        case 1:
            other.append(copy.deepcopy(one))
        case 2:
            one.tag = other.tag
        case 3 if one.attrib:
            one.set(chance.choice(list(one.attrib)), chance.choice(VALUES))
        case 4 if one.attrib:
            del one.attrib[chance.choice(list(one.attrib))]
        case _:
            one[:] = sorted(one, key=lambda _: chance.random())


def files(
    seeds: list[bytes],
    damage: Callable[[bytes, random.Random], bytes],
    folder: Path,
    suffix: str,
    minutes: float,
    seed: int,
) -> Iterator[Path]:
    """Write damaged files until the time is over."""
    chance = random.Random(seed)  # noqa: S311 - repeatable on purpose
    end = time.monotonic() + 60 * minutes
    number = 0
    while time.monotonic() < end:
        data = chance.choice(seeds)
        for _ in range(chance.choice((1, 1, 2))):
            data = damage(data, chance)
        path = folder / f"{number:07}{suffix}"
        path.write_bytes(data[: 8 * LARGEST])
        number += 1
        yield path


def main() -> None:
    """Run, and print what came of the files."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kind", choices=("pdf", "docx"))
    parser.add_argument("--minutes", type=float, default=3)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--data", type=Path, help="the folder that holds cuad/pdf")
    parser.add_argument("--keep", type=Path, default=Path("fuzz-findings"))
    options = parser.parse_args()
    seeds, damage = {
        "pdf": (pdf_seeds, damaged_pdf),
        "docx": (docx_seeds, damaged_docx),
    }[options.kind]
    counts: Counter[str] = Counter()
    found: list[str] = []
    slowest = 0.0
    with tempfile.TemporaryDirectory() as name:
        source = files(
            seeds(options.data),
            damage,
            Path(name),
            f".{options.kind}",
            options.minutes,
            options.seed,
        )
        with Workers(inspect, jobs=options.jobs, memory=1_500 << 20, seconds=60) as pool:
            before = time.monotonic()
            for path, outcome in pool.run(source):
                slowest, before = max(slowest, time.monotonic() - before), time.monotonic()
                if not isinstance(outcome, Exception):
                    counts["read"] += 1
                elif "(SIGABRT)" in outcome.message or "it needs more than" in outcome.message:
                    counts["ended at the memory limit"] += 1  # pdfium aborts there
                elif not any(words in outcome.message for words in FINDINGS):
                    counts["refused by name"] += 1
                else:
                    counts["findings"] += 1
                    found.append(f"{path.name}: {outcome}")
                    options.keep.mkdir(parents=True, exist_ok=True)
                    (options.keep / path.name).write_bytes(path.read_bytes())
                path.unlink()
    total = sum(counts.values())
    print(f"{total} files in {options.minutes:g} minutes; slowest {slowest:.1f} s; {dict(counts)}")
    for line in found[:40]:
        print(line)
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
