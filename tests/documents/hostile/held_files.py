"""OpenDocument files, archives, mails, pictures and old Word files that mean harm.

`python held_files.py FOLDER` writes them.
"""

from __future__ import annotations

import base64
import io
import random
import struct
import sys
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path

from tests.documents.hostile.page_files import CLAUSE, STRANGE, flipped, page
from tests.documents.odf.test_reader import parts

Make = Callable[[], bytes]
WORDS = CLAUSE.decode()
P = f"<text:p>{WORDS}</text:p>"
HEAD = (
    b"From: a@example.com\nTo: b@example.com\nSubject: offer\n"
    b"Message-ID: <1@example.com>\nMIME-Version: 1.0\n"
)
BOMB = 64 << 20  # bytes of a member that is packed to next to nothing
BOMB = 64 << 20  # bytes of a member that is packed to next to nothing
OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"


def archive(*members: tuple[str, bytes | str]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as made:
        for name, data in members:
            made.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED)
    return out.getvalue()


def inflating(size: int, name: str = "bomb.txt") -> bytes:
    """A member of zeros, packed to a thousandth."""
    out = io.BytesIO()
    entry = zipfile.ZipInfo(name)
    entry.compress_type = zipfile.ZIP_DEFLATED
    with zipfile.ZipFile(out, "w") as made, made.open(entry, "w") as member:
        for _ in range(size >> 20):
            member.write(b"\0" * (1 << 20))
    return out.getvalue()


def lying_size() -> bytes:
    """A member that is said to be small, in the directory and before it."""
    data = inflating(BOMB)
    return data.replace(struct.pack("<I", BOMB), struct.pack("<I", 1000))


def opendocument(body: str, styles: str = "", **changes: bytes | str) -> bytes:
    members: dict[str, bytes | str] = {**parts(body, styles)}
    members |= {name.replace("__", "/").replace("_", "."): data for name, data in changes.items()}
    return archive(*members.items())


def declared(entities: str, said: str) -> bytes:
    content = parts(f"<text:p>{said}</text:p>")["content.xml"]
    return opendocument("", content_xml=f"<!DOCTYPE a [{entities}]>{content}")


def laughs() -> bytes:
    entities = '<!ENTITY a0 "ha">' + "".join(
        f'<!ENTITY a{i} "{f"&a{i - 1};" * 10}">' for i in range(1, 12)
    )
    return declared(entities, "&a11;")


def repeated() -> bytes:
    cell = f'<table:table-cell table:number-columns-repeated="99999999">{P}</table:table-cell>'
    row = f'<table:table-row table:number-rows-repeated="99999999">{cell * 20}</table:table-row>'
    return opendocument(f"<table:table>{row * 50}</table:table>{P}")


def styles_in_a_ring() -> bytes:
    styles = "".join(
        f'<style:style style:name="s{i}" style:parent-style-name="s{(i + 1) % 3}"/>'
        for i in range(3)
    )
    return opendocument(P.replace("<text:p", '<text:p text:style-name="s0"', 1), styles)


def locked_archive() -> bytes:
    """Every member has the flag of encryption."""
    data = bytearray(archive(("a.txt", CLAUSE), ("b.txt", CLAUSE)))
    for sign, at in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        place = data.find(sign)
        while place >= 0:
            data[place + at] |= 1
            place = data.find(sign, place + 4)
    return bytes(data)


def half_locked() -> bytes:
    data = bytearray(archive(("a.txt", CLAUSE), ("b.txt", CLAUSE)))
    data[6] |= 1
    data[data.find(b"PK\x01\x02") + 8] |= 1
    return bytes(data)


def nested(depth: int, name: str = "a.zip") -> bytes:
    data = archive(("end.txt", CLAUSE))
    for _ in range(depth):
        data = archive((name, data), ("beside.txt", CLAUSE))
    return data


def spreading(depth: int = 3, width: int = 16) -> bytes:
    """Archives that hold archives, many of each: ever more files with every level."""
    data = archive(("end.txt", CLAUSE))
    for level in range(depth):
        data = archive(*((f"{level}-{i}.zip", data + bytes([i])) for i in range(width)))
    return data


def slipping() -> bytes:
    names = (
        "../../../../tmp/slipped.txt", "/etc/slipped.txt", "..\\..\\slipped.txt", "C:\\slipped.txt",
        "a/../../b.txt", "....//slipped.txt", "con.txt", "a\x00b.txt", "\u202etxt.exe", "~/x.txt",
        "a" * 60_000 + ".txt", "/".join("d" * 30_000) + ".txt", "A.TXT", "a.txt", "a.txt/b.txt",
    )  # fmt: skip
    return archive(*((name, CLAUSE + b" %d" % number) for number, name in enumerate(names)))


def overlapping(count: int = 2_000) -> bytes:
    """Many entries of the directory that all mean the same packed bytes."""
    engine = zlib.compressobj(9, zlib.DEFLATED, -15)
    plain = b"\0" * (40 << 20)
    packed = engine.compress(plain) + engine.flush()
    crc = zlib.crc32(plain)
    sizes = struct.pack("<III", crc, len(packed), len(plain))
    first = b"PK\x03\x04" + struct.pack("<HHHHH", 20, 0, 8, 0, 0) + sizes
    data = first + struct.pack("<HH", 5, 0) + b"a.txt" + packed
    entry = b"PK\x01\x02" + struct.pack("<HHHHHH", 20, 20, 0, 8, 0, 0) + sizes
    directory = b"".join(
        entry + struct.pack("<HHHHHII", 5, 0, 0, 0, 0, 0, 0) + b"a.txt" for _ in range(count)
    )
    end = struct.pack("<HHHHIIH", 0, 0, count, count, len(directory), len(data), 0)
    return data + directory + b"PK\x05\x06" + end


def odd_method() -> bytes:
    data = bytearray(archive(("a.txt", CLAUSE)))
    data[8], data[data.find(b"PK\x01\x02") + 10] = 99, 99
    return bytes(data)


def mail(body: bytes, head: bytes = b"") -> bytes:
    return HEAD + head + b"\n" + body


def attached(name: bytes, data: bytes, kind: bytes = b"application/octet-stream") -> bytes:
    return (
        b"--x\nContent-Type: %s\nContent-Transfer-Encoding: base64\n"
        b'Content-Disposition: attachment; filename="%s"\n\n%s\n'
        % (kind, name, base64.encodebytes(data))
    )


def with_attachments(*attachments: bytes, body: bytes = CLAUSE) -> bytes:
    text = b"--x\nContent-Type: text/plain\n\n%s\n" % body
    head = b'Content-Type: multipart/mixed; boundary="x"\n'
    return mail(text + b"".join(attachments) + b"--x--\n", head)


def mail_in_mail(depth: int) -> bytes:
    head = HEAD + b"Content-Type: message/rfc822\n\n"
    return head * depth + mail(CLAUSE)


def wrapped(depth: int) -> bytes:
    """A mail with a mail attached, with a mail attached, each packed anew."""
    data = mail(CLAUSE)
    for _ in range(depth):
        data = with_attachments(attached(b"inner.eml", data))
    return data


def parts_in_parts(depth: int) -> bytes:
    opened = b"".join(
        b'Content-Type: multipart/mixed; boundary="%d"\n\n--%d\n' % (i, i) for i in range(depth)
    )
    return HEAD + opened + b"Content-Type: text/plain\n\n" + CLAUSE


def pictures_in_a_page() -> bytes:
    """Thousands of pictures, each looked for in a page of some length."""
    shown = b"--x\nContent-Type: text/html\n\n<p>%s</p>%s\n" % (CLAUSE, b"<p>words</p>\n" * 20_000)
    each = b"--x\nContent-Type: image/png\nContent-ID: <%d>\nContent-Disposition: attachment\n\nx\n"
    head = b'Content-Type: multipart/mixed; boundary="x"\n'
    return mail(shown + b"".join(each % i for i in range(4_000)) + b"--x--\n", head)


def circling() -> bytes:
    """An archive of a mail of an archive of a mail: deeper than is followed."""
    data = archive(("end.txt", CLAUSE))
    for _ in range(4):
        data = archive(("m.eml", with_attachments(attached(b"a.zip", data))))
    return data


def png(width: int, height: int, rows: int | None = None) -> bytes:
    """A picture of one bit a pixel, of which so many rows are there."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return (
            struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        )

    engine = zlib.compressobj(9)
    line = b"\0" * (1 + (width + 7) // 8)
    packed = b"".join(engine.compress(line) for _ in range(height if rows is None else rows))
    head = struct.pack(">IIBBBBB", width, height, 1, 0, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", head)
        + chunk(b"IDAT", packed + engine.flush())
        + chunk(b"IEND", b"")
    )


def tiff(width: int, height: int) -> bytes:
    entries = [(256, width), (257, height), (258, 1), (259, 1), (262, 0), (273, 8), (278, height)]
    entries.append((279, 10))
    directory = b"".join(struct.pack("<HHII", tag, 4, 1, value) for tag, value in entries)
    return b"II*\0" + struct.pack("<IH", 8, len(entries)) + directory + struct.pack("<I", 8)


def jpeg(width: int, height: int) -> bytes:
    frame = struct.pack(">BHHB", 8, height, width, 1) + b"\1\x11\0"
    return b"\xff\xd8\xff\xe0\0\x10JFIF\0\1\1\0\0\1\0\1\0\0\xff\xc0" + (
        struct.pack(">H", len(frame) + 2)
        + frame
        + b"\xff\xda\0\x08\1\1\0\0\x3f\0"
        + b"\x55" * 2_000
    )


def ole(stream: str, seed: int = 8) -> bytes:
    """The beginning of an old Office file, and then anything."""
    return OLE + stream.encode("utf-16-le") + random.Random(seed).randbytes(20_000)


ODT: dict[str, Make] = {
    "laughs.odt": laughs,
    "entity-of-a-file.odt": lambda: declared('<!ENTITY x SYSTEM "file:///etc/passwd">', "&x;"),
    "entity-of-the-net.odt": lambda: declared(
        '<!ENTITY % x SYSTEM "http://127.0.0.1:9/x">%x;', "words"
    ),
    "deep-spans.odt": lambda: opendocument(
        "<text:p>" + "<text:span>" * 100_000 + WORDS + "</text:span>" * 100_000 + "</text:p>"
    ),
    "lists-to-the-limit.odt": lambda: opendocument(
        "<text:list><text:list-item>" * 120 + P + "</text:list-item></text:list>" * 120
    ),
    "tables-to-the-limit.odt": lambda: opendocument(
        "<table:table><table:table-row><table:table-cell>" * 80
        + P
        + "</table:table-cell></table:table-row></table:table>" * 80
    ),
    "repeated.odt": repeated,
    "blanks.odt": lambda: opendocument('<text:p><text:s text:c="99999999"/></text:p>' * 20_000 + P),
    "styles-in-a-ring.odt": styles_in_a_ring,
    "huge-numbers.odt": lambda: opendocument(
        f'<text:list><text:list-item text:start-value="{"9" * 6_000}">{P}</text:list-item>'
        "</text:list>" * 1
    ),
    "many-notes.odt": lambda: opendocument(
        "<text:p>"
        + f"<text:note><text:note-body>{P}</text:note-body></text:note>" * 5_000
        + "</text:p>"
    ),
    "many-boxes.odt": lambda: opendocument(
        "<text:p>" + f"<draw:text-box>{P}</draw:text-box>" * 10_000 + "</text:p>"
    ),
    "changes-left-open.odt": lambda: opendocument(
        "<text:tracked-changes>"
        + "".join(
            f'<text:changed-region text:id="{i}"><text:insertion/></text:changed-region>'
            for i in range(2_000)
        )
        + "</text:tracked-changes>"
        + "".join(f'<text:change-start text:change-id="{i}"/>' for i in range(2_000))
        + P * 500
    ),
    "no-text-part.odt": lambda: opendocument(P, content_xml="<a/>"),
    "null-bytes.odt": lambda: opendocument(P.replace("goods", "go\0ods")),
    "strange-letters.odt": lambda: opendocument(f"<text:p>{STRANGE}</text:p>{P}"),
    "utf-16.odt": lambda: opendocument("", content_xml=parts(P)["content.xml"].encode("utf-16")),
    "inflating.odt": lambda: opendocument(P, content_xml=b" " * (127 << 20)),
    "truncated.odt": lambda: (data := opendocument(P * 500))[: len(data) // 2],
    "flipped-bytes.odt": lambda: flipped(opendocument(P * 50, Pictures__a=bytes(20_000)), 7),
    "locked.odt": lambda: opendocument(
        P, **{"META-INF__manifest_xml": "<a xmlns='m'><encryption-data/></a>"}
    ),
}
ZIP: dict[str, Make] = {
    "inflating.zip": lambda: inflating(BOMB),
    "lying-size.zip": lying_size,
    "overlapping.zip": overlapping,
    "nested.zip": lambda: nested(10),
    "spreading.zip": spreading,
    "circling.zip": circling,
    "slipping.zip": slipping,
    "many-members.zip": lambda: archive(*((f"{i}.txt", b"") for i in range(10_001))),
    "locked.zip": locked_archive,
    "half-locked.zip": half_locked,
    "odd-method.zip": odd_method,
    "nothing.zip": lambda: archive(),
    "nothing-but-the-start.zip": lambda: b"PK\x03\x04",
    "truncated.zip": lambda: (data := archive(("a.txt", CLAUSE * 9)))[: len(data) // 2],
    "flipped-bytes.zip": lambda: flipped(
        archive(*((f"{i}.txt", CLAUSE * 9) for i in range(30))), 9
    ),
    "long-comment.zip": lambda: archive(("a.txt", CLAUSE))[:-2] + b"\xff\xff" + b"c" * 65_535,
    "really-page.zip": lambda: page(b"<p>%s</p>" % CLAUSE),
    "a-bomb-within.zip": lambda: archive(("inner.zip", inflating(BOMB)), ("ok.txt", CLAUSE)),
}
MAIL: dict[str, Make] = {
    "mail-in-mail.eml": lambda: mail_in_mail(5_000),
    "wrapped.eml": lambda: wrapped(6),
    "parts-in-parts.eml": lambda: parts_in_parts(3_000),
    "some-parts-in-parts.eml": lambda: parts_in_parts(60),
    "long-header.eml": lambda: mail(CLAUSE, b"X-Long: " + b"a " * 5_000_000 + b"\n"),
    "long-subject.eml": lambda: mail(CLAUSE).replace(b"offer", b"offer " * 500_000),
    "folded-subject.eml": lambda: mail(CLAUSE).replace(b"offer", b"offer\n " * 100_000),
    "encoded-subject.eml": lambda: mail(CLAUSE).replace(b"offer", b"=?utf-8?q?=F0?= " * 50_000),
    "odd-subject.eml": lambda: mail(CLAUSE).replace(
        b"offer", b"=?punycode?b?" + b"YWFh" * 9_000 + b"?="
    ),
    "many-headers.eml": lambda: mail(CLAUSE, b"".join(b"X-%d: a\n" % i for i in range(50_000))),
    "many-parameters.eml": lambda: with_attachments(
        b"--x\nContent-Type: text/plain;%s\n\nx\n"
        % b"".join(b"\n name*%d*=a%%20" % i for i in range(5_000))
    ),
    "many-attachments.eml": lambda: with_attachments(
        *(attached(b"a.txt", CLAUSE + b"%d" % i) for i in range(10_001))
    ),
    "pictures-in-a-page.eml": pictures_in_a_page,
    "names.eml": lambda: with_attachments(
        attached(b"../../../tmp/slipped.txt", CLAUSE + b"1"),
        attached(b"", CLAUSE + b"2"),
        attached(b"=?utf-8?q?=E2=80=AEtxt.exe?=", CLAUSE + b"3"),
        attached(b"a" * 50_000 + b".txt", CLAUSE + b"4"),
        attached(b"a.txt", CLAUSE + b"5"),
        attached(b"A.TXT", CLAUSE + b"6"),
    ),
    "a-bomb-attached.eml": lambda: with_attachments(attached(b"b.zip", inflating(BOMB))),
    "odd-base64.eml": lambda: with_attachments(attached(b"a.txt", b"")[:-1] + b"=A==%%" * 50_000),
    "odd-charset.eml": lambda: mail(
        CLAUSE * 9_000, b"Content-Type: text/plain; charset=punycode\n"
    ),
    "half-letters.eml": lambda: mail(
        CLAUSE + rb" \ud800 ", b"Content-Type: text/plain; charset=unicode_escape\n"
    ),
    "no-boundary.eml": lambda: mail(CLAUSE, b"Content-Type: multipart/mixed\n"),
    "empty-boundary.eml": lambda: mail(
        b"--\n" * 50_000 + CLAUSE, b'Content-Type: multipart/mixed; boundary=""\n'
    ),
    "uuencoded.eml": lambda: mail(
        b"begin 644 x\n" + b"M" * 90_000, b"Content-Transfer-Encoding: x-uuencode\n"
    ),
    "null-bytes.eml": lambda: mail(CLAUSE + b"\0" * 20 + CLAUSE).replace(b"offer", b"of\0fer"),
    "encrypted.eml": lambda: mail(b"x", b"Content-Type: application/pkcs7-mime\n"),
    "flipped-bytes.eml": lambda: flipped(with_attachments(attached(b"a.txt", CLAUSE * 99)), 10),
}
PICTURE: dict[str, Make] = {
    "square.png": lambda: png(65_000, 65_000, rows=2_000),
    "wide.png": lambda: png(2_000_000_000, 1, rows=0),
    "no-rows.png": lambda: png(2_000, 2_000, rows=0),
    "no-size.png": lambda: png(0, 0),
    "square.jpg": lambda: jpeg(65_500, 65_500),
    "square.gif": lambda: b"GIF89a\xff\xff\xff\xff\xf0\0\0" + b"\0\0\0\xff\xff\xff,"
    + b"\0\0\0\0\xff\xff\xff\xff\0\2\2D\1\0;",
    "square.tif": lambda: tiff(65_000, 65_000),
    "circling.tif": lambda: tiff(10, 10),
    "square.bmp": lambda: b"BM" + struct.pack("<IHHI", 1_000, 0, 0, 54)
    + struct.pack("<IiiHHIIiiII", 40, 65_000, 65_000, 1, 24, 0, 0, 0, 0, 0, 0) + bytes(900),
    "truncated.png": lambda: png(1_000, 1_000)[:60],
    "garbage.jpg": lambda: b"\xff\xd8\xff\xe0" + random.Random(11).randbytes(30_000),
}  # fmt: skip
DOC: dict[str, Make] = {
    "locked.doc": lambda: ole("EncryptedPackage"),
    "outlook.doc": lambda: ole("__substg1.0_"),
    "no-stream.doc": lambda: ole("Nothing"),
    "really-rich.doc": lambda: rb"{\rtf1 " + CLAUSE + b"}",
    "really-page.doc": lambda: page(b"<p>%s</p>" % CLAUSE),
}
CONVERTED: dict[str, Make] = {  # by LibreOffice, where it is installed
    "garbage.doc": lambda: ole("WordDocument"),
    "nothing-more.doc": lambda: OLE + "WordDocument".encode("utf-16-le"),
}
FAST: dict[str, Make] = {**ODT, **ZIP, **MAIL, **PICTURE, **DOC}
SLOW: dict[str, Make] = {
    "whole-square.png": lambda: png(65_000, 65_000),
    **CONVERTED,
    "long.odt": lambda: opendocument(P * 300_000),
    "long.eml": lambda: mail((CLAUSE + b"\n") * 1_000_000),
}


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name, make in {**FAST, **SLOW}.items():
        (folder / name).write_bytes(make())
