"""PDF files that mean harm or are damaged, each made from nothing; `python pdf_files.py FOLDER`."""

from __future__ import annotations

import random
import sys
import zlib
from collections.abc import Callable
from pathlib import Path

from tests.documents.conftest import FONT, assemble, lay_out, show, stream

Make = Callable[[], bytes]
CLAUSE = "The Supplier shall deliver the goods within ten days of each order."
PAGE = [(72.0, 700.0 - 14 * line, f"{line}. {CLAUSE}") for line in range(40)]
TREE = {1: b"<< /Type /Catalog /Pages 2 0 R >>", 3: FONT, 4: b"null"}


def inflating() -> bytes:
    """A few megabytes that unpack to a gigabyte of drawing."""
    engine, block = zlib.compressobj(1), b"q Q\n" * (1 << 18)
    packed = b"".join(engine.compress(block) for _ in range(1024)) + engine.flush()
    return assemble([packed], packed=True)


def packed_many_times() -> bytes:
    data = b"q Q\n" * (1 << 24)
    for _ in range(8):
        data = zlib.compress(data)
    names = b" ".join([b"/FlateDecode"] * 8)
    return one_page(stream(data, b"/Filter [%s]" % names))


def one_page(content: bytes, page: bytes = b"/MediaBox [0 0 612 792]") -> bytes:
    objects = {
        **TREE,
        2: b"<< /Type /Pages /Count 1 /Kids [5 0 R] >>",
        5: b"<< /Type /Page /Parent 2 0 R %s /Contents 6 0 R"
        b" /Resources << /Font << /F1 3 0 R >> /XObject << /X 6 0 R >> >> >>" % page,
        6: content,
    }
    return lay_out(objects)


def looping_tree() -> bytes:
    kids = b"<< /Type /Pages /Parent 2 0 R /Count 9999999 /Kids [2 0 R 4 0 R] >>"
    return lay_out({**TREE, 2: b"<< /Type /Pages /Count 9999999 /Kids [4 0 R] >>", 4: kids})


def deep_tree(depth: int = 20_000) -> bytes:
    objects = {**TREE, 2: b"<< /Type /Pages /Count 1 /Kids [4 0 R] >>"}
    for number in range(4, 4 + depth):
        objects[number] = b"<< /Type /Pages /Parent %d 0 R /Count 1 /Kids [%d 0 R] >>" % (
            2 if number == 4 else number - 1,
            number + 1,
        )
    objects[4 + depth] = b"<< /Type /Page /Parent %d 0 R /MediaBox [0 0 9 9] >>" % (3 + depth)
    return lay_out(objects)


def looping_xref() -> bytes:
    data = assemble([show(PAGE)])
    start = int(data.rsplit(b"startxref\n", 1)[1].split()[0])
    return data.replace(b"/Root 1 0 R", b"/Root 1 0 R /Prev %d" % start)


def form_in_itself() -> bytes:
    content = b"q /X Do Q /X Do " * 50
    entries = (
        b"/Type /XObject /Subtype /Form /BBox [0 0 612 792]"
        b" /Resources << /XObject << /X 6 0 R >> >>"
    )
    return one_page(stream(content, entries))


def doubling_forms(depth: int = 40) -> bytes:
    """Forty forms of which each draws the next one twice."""
    objects = {
        **TREE,
        2: b"<< /Type /Pages /Count 1 /Kids [5 0 R] >>",
        5: b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 6 0 R"
        b" /Resources << /XObject << /X 7 0 R >> >> >>",
        6: stream(b"/X Do"),
    }
    for number in range(7, 7 + depth):
        entries = b"/Type /XObject /Subtype /Form /BBox [0 0 612 792] /Filter /FlateDecode"
        names = b"/Resources << /XObject << /X %d 0 R >> >>" % (number + 1)
        content = zlib.compress(b"q /X Do Q /X Do")
        objects[number] = stream(content, entries + b" " + names)
    objects[7 + depth] = stream(b"0 0 m 9 9 l S", b"/Type /XObject /Subtype /Form /BBox [0 0 9 9]")
    return lay_out(objects)


def flipped(seed: int = 5) -> bytes:
    chance = random.Random(seed)
    data = bytearray(assemble([show(PAGE)] * 12))
    for _ in range(400):
        data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
    return bytes(data)


def strange_letters() -> bytes:
    """Letters that map to right-to-left, zero-width, confusable and impossible characters."""
    codes = ("05D0", "202E", "200B", "0430", "0000", "FFFE", "D800", "D83DDE00", "FB01", "FEFF")
    mapped = "\n".join(f"<{65 + i:02X}> <{code}>" for i, code in enumerate(codes))
    cmap = (
        "/CIDInit /ProcSet findresource begin 12 dict begin begincmap\n"
        "1 begincodespacerange <00> <FF> endcodespacerange\n"
        f"{len(codes)} beginbfchar\n{mapped}\nendbfchar endcmap end end"
    ).encode()
    objects = {
        1: b"<< /Type /Catalog /Pages 2 0 R >>",
        2: b"<< /Type /Pages /Count 1 /Kids [5 0 R] >>",
        3: FONT.replace(b" >>", b" /ToUnicode 7 0 R >>"),
        4: b"null",
        5: b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 6 0 R"
        b" /Resources << /Font << /F1 3 0 R >> >> >>",
        6: stream(show([(72, 700, "ABCDEFGHIJ plain words ABCDEFGHIJ")])),
        7: stream(cmap),
    }
    return lay_out(objects)


def odd_numbers() -> bytes:
    words = b"(" + CLAUSE.encode() + b") Tj"
    lines = [
        b"BT /F1 0 Tf 1 0 0 1 72 700 Tm %s ET",
        b"BT /F1 99999999 Tf 1 0 0 1 72 690 Tm %s ET",
        b"BT /F1 11 Tf 0 0 0 0 72 680 Tm %s ET",
        b"BT /F1 -11 Tf 1e38 0 0 1e38 1e38 -1e38 Tm %s ET",
        b"BT /F1 11 Tf 1 0 0 1 99999999999999999999999999 nan Tm %s ET",
        b"BT /F1 11 Tf 1 0 0 1 -5000 -5000 Tm %s ET",
        b"BT /F1 11 Tf 1 0 0 1 72 600 Tm %s ET",
    ]
    return assemble([b"\n".join(line % words for line in lines)])


def boxed(boxes: str, *, text: bool = True) -> Make:
    content = show(PAGE) if text else b"0 0 m 99999 99999 l S 10 10 90 90 re f"
    return lambda: assemble([content], page=boxes)


def null_bytes() -> bytes:
    return assemble([show(PAGE).replace(b"goods", b"go\\000ods\\000")]) + bytes(100_000)


def lying_length() -> bytes:
    return assemble([show(PAGE)]).replace(b"/Length ", b"/Length 99999999")


def many_annotations() -> bytes:
    each = "<< /Type /Annot /Subtype /Link /Rect [0 0 9 9] >> " * 50_000
    return assemble([show(PAGE)], page=f"/MediaBox [0 0 612 792] /Annots [{each}]")


def drawing() -> bytes:
    chance = random.Random(3)
    lines = b"\n".join(
        b"%d %d m %d %d l S" % tuple(chance.randrange(600) for _ in range(4))
        for _ in range(100_000)
    )
    return assemble([lines + b"\n" + show(PAGE)])


def scattered_letters() -> bytes:
    """Every letter drawn by itself, at random places: no line holds two of them."""
    chance = random.Random(4)
    return assemble(
        [show([(chance.uniform(0, 600), chance.uniform(0, 780), "x") for _ in range(30_000)])]
    )


def broken_picture() -> bytes:
    picture = stream(
        b"\xff\xd8\xff\xe0" + bytes(range(256)) * 20,
        b"/Type /XObject /Subtype /Image /Width 30000 /Height 30000 /ColorSpace /DeviceRGB"
        b" /BitsPerComponent 8 /Filter /DCTDecode",
    )
    objects = {
        **TREE,
        2: b"<< /Type /Pages /Count 1 /Kids [5 0 R] >>",
        5: b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 6 0 R"
        b" /Resources << /XObject << /Im1 7 0 R >> >> >>",
        6: stream(b"q 612 0 0 792 0 0 cm /Im1 Do Q"),
        7: picture,
    }
    return lay_out(objects)


FAST: dict[str, Make] = {
    "empty-page.pdf": lambda: assemble([b""]),
    "no-pages.pdf": lambda: lay_out({**TREE, 2: b"<< /Type /Pages /Count 0 /Kids [] >>"}),
    "looping-page-tree.pdf": looping_tree,
    "deep-page-tree.pdf": deep_tree,
    "looping-xref.pdf": looping_xref,
    "form-in-itself.pdf": form_in_itself,
    "doubling-forms.pdf": doubling_forms,
    "form-in-itself-once.pdf": lambda: one_page(
        stream(
            show(PAGE) + b" q /X Do Q",
            b"/Type /XObject /Subtype /Form /BBox [0 0 612 792]"
            b" /Resources << /Font << /F1 3 0 R >> /XObject << /X 6 0 R >> >>",
        )
    ),
    "password.pdf": lambda: assemble([show(PAGE)], password=b"sesame"),
    "truncated.pdf": lambda: (data := assemble([show(PAGE)] * 4))[: len(data) // 2],
    "flipped-bytes.pdf": flipped,
    "deep-arrays.pdf": lambda: one_page(stream(b"[" * 500_000 + b"]" * 500_000)),
    "deep-dictionaries.pdf": lambda: one_page(b"<< /A " * 20_000 + b">> " * 20_000),
    "huge-media-box.pdf": boxed("/MediaBox [0 0 1000000000 1000000000]"),
    "empty-media-box.pdf": boxed("/MediaBox [0 0 0 0]"),
    "inverted-media-box.pdf": boxed("/MediaBox [612 792 0 0]"),
    "crop-elsewhere.pdf": boxed("/MediaBox [0 0 612 792] /CropBox [5000 5000 6000 6000]"),
    "negative-rotation.pdf": boxed("/MediaBox [0 0 612 792] /Rotate -90"),
    "odd-rotation.pdf": boxed("/MediaBox [0 0 612 792] /Rotate 45"),
    "odd-numbers.pdf": odd_numbers,
    "null-bytes.pdf": null_bytes,
    "strange-letters.pdf": strange_letters,
    "lying-length.pdf": lying_length,
    "many-annotations.pdf": many_annotations,
    "drawing.pdf": drawing,
    "scattered-letters.pdf": scattered_letters,
    "broken-picture.pdf": broken_picture,
    "web-page.pdf": lambda: b"<!DOCTYPE html><html><body><p>An agreement</p></body></html>",
    "garbage-first.pdf": lambda: random.Random(1).randbytes(900) + assemble([show(PAGE)]),
    "garbage.pdf": lambda: b"%PDF-1.7\n" + random.Random(2).randbytes(100_000),
    "packed-many-times.pdf": packed_many_times,
}
SLOW: dict[str, Make] = {
    "huge-drawing.pdf": boxed("/MediaBox [0 0 14400000 14400000]", text=False),
    "inflating.pdf": inflating,
    "five-thousand-pages.pdf": lambda: assemble([show(PAGE)] * 5000),
    "long-page.pdf": lambda: assemble([show([(72, 790 - i / 30, CLAUSE) for i in range(20_000)])]),
}


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name, make in {**FAST, **SLOW}.items():
        (folder / name).write_bytes(make())
