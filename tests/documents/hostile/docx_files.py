"""Word files that mean harm or are damaged, made from nothing; `python docx_files.py FOLDER`."""

from __future__ import annotations

import io
import random
import struct
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

from tests.documents.conftest import OFFICE, PACKAGE, assemble, show, word_parts

Make = Callable[[], bytes]
CLAUSE = "<w:p><w:r><w:t>The Supplier shall deliver the goods within ten days.</w:t></w:r></w:p>"
RELATIONS = "word/_rels/document.xml.rels"


def packed(parts: dict[str, str | bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return out.getvalue()


def word(body: str = CLAUSE, **parts: str) -> bytes:
    return packed({**word_parts(body, **parts)})


def changed(changes: dict[str, str | bytes | None], body: str = CLAUSE, **parts: str) -> bytes:
    """Return a document with some parts replaced, or left out."""
    whole = {**word_parts(body, **parts), **changes}
    return packed({name: content for name, content in whole.items() if content is not None})


def with_declaration(declaration: str, words: str) -> bytes:
    document = word_parts(f"<w:p><w:r><w:t>{words}</w:t></w:r></w:p>")["word/document.xml"]
    return changed({"word/document.xml": f"<!DOCTYPE d [{declaration}]>{document}"})


def laughs() -> bytes:
    lines = ['<!ENTITY a0 "ha">']
    lines += [f'<!ENTITY a{i} "{f"&a{i - 1};" * 10}">' for i in range(1, 12)]
    return with_declaration("".join(lines), "&a11;")


def inflating() -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for name, content in word_parts(CLAUSE).items():
            if name != "word/document.xml":
                archive.writestr(name, content)
        with archive.open("word/document.xml", "w", force_zip64=True) as member:
            for _ in range(1024):
                member.write(b" " * (1 << 20))
    return out.getvalue()


def lying_size() -> bytes:
    """Thirty megabytes that the directory gives out as a thousand bytes."""
    body = "<w:p><w:r><w:t>" + "x" * (30 << 20) + "</w:t></w:r></w:p>"
    data = bytearray(word(body))
    at = data.rfind(b"word/document.xml") - 46  # of the central directory (APPNOTE 4.3.12)
    data[at + 24 : at + 28] = struct.pack("<I", 1000)
    return bytes(data)


def nested(opening: str, inside: str, closing: str, depth: int) -> bytes:
    return word(opening * depth + inside + closing * depth)


def locked() -> bytes:
    data = bytearray(word())
    at = data.find(b"PK\x01\x02")
    while at >= 0:
        data[at + 8] |= 1
        at = data.find(b"PK\x01\x02", at + 4)
    return bytes(data)


def flipped(seed: int = 6) -> bytes:
    chance = random.Random(seed)
    data = bytearray(word(CLAUSE * 500))
    for _ in range(40):
        data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
    return bytes(data)


def relations_in_a_ring() -> bytes:
    kinds = ("styles", "numbering", "footnotes", "comments", "header", "footer")
    links = "".join(
        f'<Relationship Id="r{i}" Type="{OFFICE}/{kind}" Target="document.xml"/>'
        for i, kind in enumerate(kinds)
    )
    ring = f'<Relationships xmlns="{PACKAGE}/relationships">{links}</Relationships>'
    return changed({RELATIONS: ring})


def styles_in_a_ring() -> bytes:
    styles = "".join(
        f'<w:style w:type="paragraph" w:styleId="S{i}"><w:basedOn w:val="S{(i + 1) % 5000}"/>'
        "</w:style>"
        for i in range(5000)
    )
    body = '<w:p><w:pPr><w:pStyle w:val="S7"/></w:pPr><w:r><w:t>x</w:t></w:r></w:p>' * 5000
    return word(body, styles=styles)


def lists_in_a_ring() -> bytes:
    lists = "".join(
        f'<w:abstractNum w:abstractNumId="{i}"><w:numStyleLink w:val="L{(i + 1) % 300}"/>'
        "</w:abstractNum>"
        for i in range(300)
    ) + "".join(f'<w:num w:numId="{i}"><w:abstractNumId w:val="{i}"/></w:num>' for i in range(300))
    styles = "".join(
        f'<w:style w:type="numbering" w:styleId="L{i}"><w:pPr><w:numPr><w:numId w:val="{i}"/>'
        "</w:numPr></w:pPr></w:style>"
        for i in range(300)
    )
    item = '<w:p><w:pPr><w:numPr><w:ilvl w:val="0"/><w:numId w:val="7"/></w:numPr></w:pPr></w:p>'
    return word(item * 200 + CLAUSE, styles=styles, numbering=lists)


def huge_numbers() -> bytes:
    levels = "".join(
        f'<w:lvl w:ilvl="{at}"><w:start w:val="{start}"/><w:numFmt w:val="{style}"/>'
        f'<w:lvlText w:val="{"%1.%2.%3 " * 9999}"/></w:lvl>'
        for at, (start, style) in enumerate(
            (("9" * 40, "lowerRoman"), ("-5", "upperLetter"), ("9" * 6000, "cardinalText"))
        )
    )
    lists = (
        f'<w:abstractNum w:abstractNumId="1">{levels}</w:abstractNum>'
        '<w:num w:numId="1"><w:abstractNumId w:val="1"/></w:num>'
    )
    body = "".join(
        f'<w:p><w:pPr><w:numPr><w:ilvl w:val="{at}"/><w:numId w:val="1"/></w:numPr></w:pPr>'
        "<w:r><w:t>x</w:t></w:r></w:p>"
        for at in (0, 1, 2, 99999999999, -1, "x") * 300
    )
    return word(body, numbering=lists)


def open_comments() -> bytes:
    said = "".join(f'<w:comment w:id="{i}" w:author="A"><w:p/></w:comment>' for i in range(2000))
    begun = "".join(f'<w:commentRangeStart w:id="{i}"/>' for i in range(2000))
    return word(f"<w:p>{begun}</w:p>" + CLAUSE * 3000, comments=said)


def ends_that_never_show() -> bytes:
    hidden = "<w:pPr><w:rPr><w:vanish/></w:rPr></w:pPr>"
    gone = '<w:pPr><w:rPr><w:del w:id="1" w:author="A"/></w:rPr></w:pPr>'
    return word("".join(CLAUSE.replace("<w:p>", f"<w:p>{end}") * 8000 for end in (hidden, gone)))


def open_fields() -> bytes:
    begun = '<w:r><w:fldChar w:fldCharType="begin"/></w:r>' * 2000
    return word(CLAUSE + f"<w:p>{begun}<w:r><w:t>after</w:t></w:r></w:p>" + CLAUSE)


def strange_letters() -> bytes:
    words = "\u202eright to left\u202c zero\u200bwidth \u0430\u0440\u0440le \u2066\u00ad\ufeff"
    return word(f"<w:p><w:r><w:t>{words}</w:t></w:r></w:p>")


BOXES = (
    '<w:p><w:r><w:pict><v:textbox xmlns:v="urn:schemas-microsoft-com:vml"><w:txbxContent>',
    "</w:txbxContent></v:textbox></w:pict></w:r></w:p>",
)

FAST: dict[str, Make] = {
    "lying-size.docx": lying_size,
    "billion-laughs.docx": laughs,
    "entity-of-a-file.docx": lambda: with_declaration(
        '<!ENTITY x SYSTEM "file:///etc/passwd">', "&x;"
    ),
    "entity-of-the-net.docx": lambda: with_declaration(
        '<!ENTITY % x SYSTEM "http://127.0.0.1:9/x">%x;', "words"
    ),
    "deep-tables.docx": lambda: nested(
        "<w:tbl><w:tr><w:tc>", CLAUSE, "</w:tc></w:tr></w:tbl>", 3000
    ),
    "tables-to-the-limit.docx": lambda: nested(
        "<w:tbl><w:tr><w:tc>", CLAUSE, "</w:tc></w:tr></w:tbl>", 80
    ),
    "boxes-to-the-limit.docx": lambda: nested(BOXES[0], CLAUSE, BOXES[1], 40),
    "controls-to-the-limit.docx": lambda: nested("<w:sdt>", CLAUSE, "</w:sdt>", 245),
    "insertions-to-the-limit.docx": lambda: nested(
        '<w:ins w:id="1" w:author="A">', CLAUSE, "</w:ins>", 245
    ),
    "no-styles.docx": lambda: changed({"word/styles.xml": None}, styles=""),
    "no-text-part.docx": lambda: changed({"word/document.xml": None}),
    "no-relations.docx": lambda: changed({"_rels/.rels": None, RELATIONS: None}),
    "relations-in-a-ring.docx": relations_in_a_ring,
    "styles-in-a-ring.docx": styles_in_a_ring,
    "lists-in-a-ring.docx": lists_in_a_ring,
    "huge-numbers.docx": huge_numbers,
    "open-comments.docx": open_comments,
    "open-fields.docx": open_fields,
    "ends-that-never-show.docx": ends_that_never_show,
    "strange-letters.docx": strange_letters,
    "null-bytes.docx": lambda: word(CLAUSE.replace("goods", "go\0ods")),
    "utf-16.docx": lambda: changed(
        {"word/document.xml": word_parts(CLAUSE)["word/document.xml"].encode("utf-16")}
    ),
    "locked.docx": locked,
    "truncated.docx": lambda: (data := word(CLAUSE * 500))[: len(data) // 2],
    "beginning-cut.docx": lambda: (data := word(CLAUSE * 500))[:30] + data[306:],
    "flipped-bytes.docx": flipped,
    "many-parts.docx": lambda: changed({f"word/media/{i}": b"" for i in range(10_001)}),
    "part-elsewhere.docx": lambda: changed({"../../../../tmp/outside.xml": b"<a/>"}),
    "really-pdf.docx": lambda: assemble([show([(72, 700, "A deed of gift")])]),
    "really-text.docx": lambda: b"This Deed is made today between the parties.",
    "nothing-said.docx": lambda: word("<w:p/>"),
}
SLOW: dict[str, Make] = {
    "inflating.docx": inflating,
    "hundred-thousand-paragraphs.docx": lambda: word(
        "".join(CLAUSE.replace("ten", str(i)) for i in range(100_000))
    ),
}


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name, make in {**FAST, **SLOW}.items():
        (folder / name).write_bytes(make())
