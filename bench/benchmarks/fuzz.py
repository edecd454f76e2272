"""Fuzz the readers: damage files at random, and check what holds for any document.

    python -m benchmarks.fuzz pdf --minutes 30
    python -m benchmarks.fuzz docx --minutes 30
    python -m benchmarks.fuzz html --minutes 5      (and rtf, odt, eml, zip, txt, md, png, doc)

Seeds are files made by the tests (hostile ones among them) and, with --data, small PDF contracts.
PDF: bytes flipped, cut, repeated, numbers and names exchanged, streams unpacked first so that
their content can be damaged too. DOCX and ODT: the parts' XML is damaged as a tree (elements
moved, repeated, nested, removed; attributes changed) or as bytes. Text formats: bytes, and words
of the format put in, doubled and moved. ZIP: bytes, and members damaged. `png` stands for all
pictures, with text recognition; `doc` goes through LibreOffice. Every file is read in a worker with
60 seconds and 1.5 GB, outlined and cut. A crash, a hang, an error that is no `InputError`, or a
broken invariant is a finding: the file is kept in --keep, and the exit code is 1.
"""

from __future__ import annotations

import argparse
import copy
import io
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
import warnings
import zipfile
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from lxml import etree

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from benchmarks.numbering import cases, write
from fourcorners.documents.workers.process_pool import ProcessPool
from tests.documents.hostile import docx_files, held_files, page_files, pdf_files
from tests.documents.hostile.invariants import inspect, recognise

LARGEST = 300_000  # bytes of a seed
SHORT = 20_000  # bytes of a seed that is text, so that many can be tried
FINDINGS = ("could not be processed", "process that read it died", "stopped after")
NUMBERS = (b"0", b"-1", b"1", b"99999999", b"-2147483648", b"4294967296", b"1e39", b"0.00001")
STREAM = re.compile(rb"/Length \d+ /Filter /FlateDecode >>\nstream\n(.*?)\nendstream", re.DOTALL)
WORDS = {
    "html": rb"""<p> </p> <div> </div> <table> <tr> <td> </td> </table> <ol> <li> </li> </ol> <ul>
        <b> </b> <h2> </h2> <pre> </pre> <br> <!-- --> <![CDATA[ <script> </script> <style> </style>
        <title> <ins> <del> <input/value=5> <p/hidden> <p/class=a> <p/style=display:none> .a{ } /*
        */ display:none; font-size:0 color:#fff &amp; &#xD800; &nbsp; &lt; <?xml <!DOCTYPE " ' =
        <li/value=9999> <ol/type=i> <td/rowspan=9> <meta/charset=utf-16> \xff\xfe <option> <dd>""",
    "rtf": rb"""{ } \\ \par \pard \cell \row \intbl \trowd {\footnote {\listtext \v \v0 \deleted
        \deleted0 \revised \plain \u-10179? \u-8704? \u8364? \uc0 \uc5 \'80 \'e9 \bin5 \bin-1 \tab
        {\* {\pict {\fonttbl{\f1\fcharset204}} \f1 \f0 \ansicpg932 \ansicpg65001 \outlinelevel1 \~
        \_ \- \line \nestcell \nestrow {\shp{\*\shpinst \sect \page {\info \u""",
    "eml": rb"""From: To: Subject: Date: MIME-Version: Content-Type: text/html text/plain
        multipart/mixed; multipart/alternative; message/rfc822 boundary="x" boundary=x --x --x--
        charset=utf-16 charset=idna charset= =?utf-8?q?=F0?= =?utf-8?b?4oCu?= filename*0*=a%20
        filename="a" Content-Transfer-Encoding: base64 quoted-printable 8bit x-uuencode =3D =\n
        Content-Disposition: attachment Content-ID: <a> cid:a begin PK <p> \n\n""",
    "txt": rb"""1. 1.1 (a) (i) (A) ARTICLE Section 2.1 SCHEDULE EXHIBIT WHEREAS "Fee" means
        (the "Fee")
        \x0c \r
        \r\n \n\n \xe2\x80\xae \xe2\x80\x8b \xef\xbb\xbf \xff \xc3 \0 \xcc\x81 \xe2\x80\xa9""",
}
WORDS["md"] = WORDS["txt"] + b" # ## ### > - * ** ` ``` [a](b) | |-| <p> --- === \\\\ 1)"
NAMES = ("../a.txt", "a.zip", "a.txt", "A.TXT", "b.eml", "a.txt/b", "\u202ea", "/a", "c:\\d")
Seeds = Callable[[Path | None], list[bytes]]
Damage = Callable[[bytes, random.Random], bytes]
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


def seeds_of(made: dict[str, Callable[[], bytes]], _: Path | None) -> list[bytes]:
    """Return the hostile files of a kind that are small."""
    return [seed for make in made.values() if len(seed := make()) <= LARGEST]


def text_seeds(made: dict[str, Callable[[], bytes]], _: Path | None) -> list[bytes]:
    """Return the beginnings of the hostile files of a kind."""
    return [make()[:SHORT] for make in made.values()]


def plain_seeds(suffix: str, _: Path | None) -> list[bytes]:
    """Return small texts."""
    return [make()[:SHORT] for name, make in page_files.PLAIN.items() if name.endswith(suffix)]


def doc_seeds(_: Path | None) -> list[bytes]:
    """Return small old Word documents, made by LibreOffice."""
    seeds = [make() for make in held_files.CONVERTED.values()]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for number, case in enumerate(list(cases().values())[:6]):
            write(case, folder / f"{number}.docx")
        office = shutil.which("soffice")
        if office is None:
            sys.exit("LibreOffice is not installed")
        subprocess.run(
            [
                *(office, f"-env:UserInstallation={(folder / 'profile').as_uri()}", "--headless"),
                *("--convert-to", "doc", "--outdir", name),
                *(str(path) for path in sorted(folder.glob("*.docx"))),
            ],
            check=True,
            capture_output=True,
            timeout=180,
        )
        return seeds + [path.read_bytes() for path in sorted(folder.glob("*.doc"))]


def damaged_words(words: list[bytes], data: bytes, chance: random.Random) -> bytes:
    """Return a text of some format with its words put in, doubled, moved, or with odd bytes."""
    if chance.random() < 0.3:
        return damaged(data, chance)
    out = bytearray(data)
    for _ in range(chance.choice((1, 2, 8, 64))):
        at = chance.randrange(len(out) + 1)
        size = chance.choice((0, 0, 0, 10, 500))
        word = chance.choice(words) + chance.choice((b"", b" "))
        out[at : at + size] = word * chance.choice((1, 1, 1, 2, 300))
    return bytes(out)


def damaged_archive(data: bytes, chance: random.Random) -> bytes:
    """Return a damaged archive, most often one that opens."""
    if chance.random() < 0.5:
        return damaged(data, chance)
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as old:
            members = [
                (entry.filename, old.read(entry))
                for entry in old.infolist()[:20]
                if entry.file_size < LARGEST
            ]
    except (zipfile.BadZipFile, RuntimeError, zlib.error, EOFError, ValueError, OSError):
        return damaged(data, chance)
    members += chance.choices(members, k=2) if members else []
    made = [
        (name[:1_000] if chance.random() < 0.8 else chance.choice(NAMES), damaged(part, chance))
        for name, part in members
    ]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # names that are there twice are wanted
        return held_files.archive(*made)


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
    except (zipfile.BadZipFile, RuntimeError, zlib.error, EOFError, ValueError, OSError):
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


def kinds() -> dict[str, tuple[Seeds, Damage]]:
    """Return, for each kind of file, where its seeds come from and how they are damaged."""
    return {
        "pdf": (pdf_seeds, damaged_pdf),
        "docx": (docx_seeds, damaged_docx),
        "odt": (partial(seeds_of, held_files.ODT), damaged_docx),
        "zip": (partial(seeds_of, held_files.ZIP), damaged_archive),
        "png": (partial(seeds_of, held_files.PICTURE), damaged),
        "doc": (doc_seeds, damaged),
        "html": (partial(text_seeds, page_files.HTML), partial(damaged_words, words_of("html"))),
        "rtf": (partial(text_seeds, page_files.RICH), partial(damaged_words, words_of("rtf"))),
        "eml": (partial(text_seeds, held_files.MAIL), partial(damaged_words, words_of("eml"))),
        "txt": (partial(plain_seeds, "txt"), partial(damaged_words, words_of("txt"))),
        "md": (partial(plain_seeds, ""), partial(damaged_words, words_of("md"))),
    }


def words_of(kind: str) -> list[bytes]:
    """Return the words of a format, their escapes resolved."""
    escapes = {rb"\x": 4, rb"\n": 2, rb"\r": 2, rb"\0": 2} if kind != "rtf" else {}
    out = []
    for word in WORDS[kind].split():
        escaped = any(word.startswith(sign) for sign in escapes)
        out.append(word.decode("unicode_escape").encode("latin-1") if escaped else word)
    return out


def arguments() -> argparse.Namespace:
    """Return what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kind", choices=sorted(kinds()))
    parser.add_argument("--minutes", type=float, default=3)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--data", type=Path, help="the folder that holds cuad/pdf")
    parser.add_argument("--keep", type=Path, default=Path("fuzz-findings"))
    return parser.parse_args()


def main() -> None:
    options = arguments()
    seeds, damage = kinds()[options.kind]
    task = recognise if options.kind == "png" else inspect
    counts: Counter[str] = Counter()
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
        with ProcessPool(task, jobs=options.jobs, memory=1_500 << 20, seconds=60) as pool:
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
                    print(f"{path.name}: {outcome}", flush=True)
                    options.keep.mkdir(parents=True, exist_ok=True)
                    (options.keep / path.name).write_bytes(path.read_bytes())
                path.unlink()
    total = sum(counts.values())
    print(f"{total} files in {options.minutes:g} minutes; slowest {slowest:.1f} s; {dict(counts)}")
    sys.exit(1 if counts["findings"] else 0)


if __name__ == "__main__":
    main()
