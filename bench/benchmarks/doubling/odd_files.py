"""Kinds of files that hold what no program writes: rings, depths, lengths that lie, odd names.

Most are a form, put in as often as fills the file: `{n}` counts, and `{d}` is the number after it,
in a ring.
"""

from __future__ import annotations

import struct
import warnings
import zlib
from collections.abc import Callable

from benchmarks.doubling.shown_files import with_resources
from tests.documents.conftest import FONT, assemble, lay_out, show, stream
from tests.documents.hostile.docx_files import RELATIONS, changed, word
from tests.documents.hostile.held_files import OLE, archive, jpeg, mail, opendocument, png
from tests.documents.hostile.page_files import page, rich

Make = Callable[[int], bytes]
WORDS = "The Supplier shall deliver the goods within ten days of each order."
B = WORDS.encode()
_P = f"<w:p><w:r><w:t>{WORDS}</w:t></w:r></w:p>"
_LINE = show([(72, 700, WORDS)]) + b"\n"


def filled(form: str, size: int) -> str:
    """Return a form as often as makes so many characters."""
    count = max(1, size // len(form))
    if "{" not in form:
        return form * count
    return "".join(form.format(n=n, d=(n + 1) % count) for n in range(count))


def within(opening: str, closing: str, size: int, deepest: int = 10**9, words: str = WORDS) -> str:
    """Return words within as many openings as there is room for; again, where not so deep."""
    depth = min(deepest, max(1, size // len(opening + closing)))
    one = opening * depth + words + closing * depth
    return one * max(1, size // len(one))


def _docx(form: str, **parts: str) -> Make:
    """Fill the body with a form, and each further part with its own."""
    return lambda size: word(
        filled(form, size) + _P, **{name: filled(part, size) for name, part in parts.items()}
    )


def _docx_deep(opening: str, closing: str, deepest: int) -> Make:
    return lambda size: word(within(opening, closing, size, deepest, _P))


def _odt(form: str, styles: str = "") -> Make:
    return lambda size: opendocument(
        filled(form, size) + f"<text:p>{WORDS}</text:p>", filled(styles, size) if styles else ""
    )


def _odt_deep(opening: str, closing: str, deepest: int) -> Make:
    words = f"<text:p>{WORDS}</text:p>"
    return lambda size: opendocument(within(opening, closing, size, deepest, words))


def _html(form: str, head: str = "", end: str = "") -> Make:
    return lambda size: page(
        f"{filled(form, size) if form else ''}{end}<p>{WORDS}".encode(),
        f"<style>{filled(head, size)}</style>".encode() if head else b"",
    )


def _rtf(form: str, before: str = "", after: str = "") -> Make:
    return lambda size: rich(f"{before}{filled(form, size)}{after} {WORDS}".encode())


def _eml(form: str, boundary: str = "x") -> Make:
    head = f'Content-Type: multipart/mixed; boundary="{boundary}"\n'.encode()
    return lambda size: mail(filled(form, size).encode("latin-1") + b"\n--x--\n", head)


def _headed(form: str, before: str = "") -> Make:
    return lambda size: mail(B, f"{before}{filled(form, size)}\n".encode())


def _text(form: str) -> Make:
    return lambda size: f"{filled(form, size)}\n{WORDS}\n".encode("utf-8", "surrogatepass")


def _zip(form: str, data: bytes = B) -> Make:
    """Make an archive of a file under many names, with a good one after them."""

    def make(size: int) -> bytes:
        count = min(9_000, max(1, size // 200))
        names = [form.format(n=n, deep="d/" * (n % 90), long="n" * n) for n in range(count)]
        files = ((each, data + b" %d" % n if data else b"") for n, each in enumerate(names))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # some names are there twice
            return archive(*files, ("good.txt", B))

    return make


def _pdf(form: str, resources: str = "", *objects: bytes) -> Make:
    """Fill a page below a sentence."""
    fonts = "" if "/Font" in resources else "/Font << /F1 3 0 R >> "
    return lambda size: with_resources(
        _LINE + filled(form, size).encode(), fonts + resources, objects
    )


def _object(form: str, entries: str, drawn: bytes, resources: str) -> Make:
    """Fill a stream that a page draws with, object 6."""
    return lambda size: with_resources(
        _LINE + drawn,
        "/Font << /F1 3 0 R /F2 7 0 R >> " + resources,
        [stream(filled(form, size).encode(), entries.encode()), _TYPE_3],
    )


def _on_page(form: str) -> Make:
    return lambda size: assemble([_LINE], page=f"/MediaBox [0 0 612 792] {filled(form, size)}")


def _annotated(form: str) -> Make:
    return lambda size: assemble(
        [_LINE], page=f"/MediaBox [0 0 612 792] /Annots [{filled(form, size)}]"
    )


def _objects(form: str, catalogue: str = "", pages: str = "/Count 1 /Kids [4 0 R]") -> Make:
    """Fill a file with objects, from 6, each of which may name the next, `{d}`."""

    def make(size: int) -> bytes:
        count = max(1, size // (len(form) + 20))
        made = {n: form.format(n=n, d=6 + (n - 5) % count).encode() for n in range(6, 6 + count)}
        return lay_out(
            {
                1: f"<< /Type /Catalog /Pages 2 0 R {catalogue} >>".encode(),
                2: f"<< /Type /Pages {pages} >>".encode(),
                3: FONT,
                4: b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 5 0 R"
                b" /Resources << /Font << /F1 3 0 R >> >> >>",
                5: stream(_LINE),
                **made,
            }
        )

    return make


def _updates(size: int) -> bytes:
    """A file with many updates, the first of which names the last as the one before it."""
    data = bytearray(assemble([_LINE]))
    place = int(data.rsplit(b"startxref\n", 1)[1].split()[0])
    last = len(data) + 86 * (max(1, size // 86) - 1)
    data = data.replace(b"/Root 1 0 R", b"/Root 1 0 R /Prev %010d" % last)
    for _ in range(max(1, size // 86)):
        start = len(data)
        data += b"xref\n0 0\ntrailer\n<< /Size 9 /Root 1 0 R /Prev %010d >>\nstartxref\n" % place
        data += b"%010d\n%%%%EOF\n" % start
        place = start
    return bytes(data)


def _object_streams(size: int) -> bytes:
    """Streams of objects, each of which says that it extends the next, in a ring."""
    body = "0 0 " * 5 + "null"
    return _objects(
        f"<< /Type /ObjStm /N 5 /First 20 /Extends {{d}} 0 R /Length {len(body)} >>\n"
        f"stream\n{body}\nendstream"
    )(size)


def _chunks(size: int) -> bytes:
    head, rest = (whole := png(64, 64))[:33], whole[33:]
    data = b"tEXtComment\0x"
    chunk = struct.pack(">I", len(data) - 4) + data + struct.pack(">I", zlib.crc32(data))
    return head + chunk * max(1, size // len(chunk)) + rest


def _scans(size: int) -> bytes:
    whole = jpeg(2_000, 2_000)
    scan = b"\xff\xda\0\x08\1\1\0\0\x3f\0\x55\x55\x55\x55"
    return whole + scan * (size // len(scan)) + b"\xff\xd9"


def _gif(size: int) -> bytes:
    frame = b",\0\0\0\0\1\0\1\0\0\2\2D\1\0"
    return b"GIF89a\1\0\1\0\xf0\0\0\0\0\0\xff\xff\xff" + frame * (size // len(frame)) + b";"


def _wide_tiff(size: int) -> bytes:
    """A picture of 65,000 by 65,000, said to have as many strips as the file has numbers."""
    count = size // 8
    entries = ((256, 1, 65_000), (257, 1, 65_000), (273, count, 98), (278, 1, 1), (279, count, 98))
    directory = b"".join(struct.pack("<HHII", tag, 4, n, value) for tag, n, value in entries)
    head = b"II*\0" + struct.pack("<IH", 8, len(entries)) + directory + bytes(28)
    return head + b"\x62\0\0\0" * (2 * count)


def _ole(name: str) -> Make:
    return lambda size: OLE + name.encode("utf-16-le") * (size // (2 * len(name)))


def _package(folder: str, form: str) -> Make:
    return lambda size: archive(
        ("[Content_Types].xml", "<Types/>"), (f"{folder}/a.xml", f"<a>{filled(form, size)}</a>")
    )


def _relations(size: int) -> bytes:
    form = (
        '<Relationship Id="r{n}" Type="http://schemas.openxmlformats.org/officeDocument/2006/'
        'relationships/header" Target="document.xml"/>'
    )
    space = "http://schemas.openxmlformats.org/package/2006/relationships"
    return changed(
        {RELATIONS: f'<Relationships xmlns="{space}">{filled(form, size)}</Relationships>'}, _P
    )


_FIELD = '<w:r><w:fldChar w:fldCharType="{}"/></w:r>'
_X = "<w:r><w:t>x</w:t></w:r>"
_SIMPLE = '<w:fldSimple w:instr="REF a">'
_ITEM = (
    '<w:p><w:pPr><w:numPr><w:ilvl w:val="{}"/><w:numId w:val="{{n}}"/></w:numPr></w:pPr>'
    "<w:r><w:t>goods</w:t></w:r></w:p>"
)
_OPEN = _FIELD.format("begin") + "<w:r><w:instrText>REF a</w:instrText></w:r>"
_OPEN += _FIELD.format("separate")
_STYLE = "color:red;display:none!important;"
_TYPE_3 = (
    b"<< /Type /Font /Subtype /Type3 /FontBBox [0 0 9 9] /FontMatrix [.1 0 0 .1 0 0] /FirstChar 97"
    b" /LastChar 97 /Widths [9] /Encoding << /Differences [97 /a] >> /CharProcs << /a 6 0 R >>"
    b" /Resources << /Font << /F2 7 0 R >> >> >>"
)
_LETTERS_3 = b"BT /F2 9 Tf 1 0 0 1 72 600 Tm (" + b"a" * 200 + b") Tj ET"
ODD: dict[str, Make] = {
    # Word
    "fields in fields.docx": (
        lambda size: word(f"<w:p>{within(_OPEN, _FIELD.format('end'), size, 5_000, _X)}</w:p>{_P}")
    ),
    "simple fields in each other.docx": (
        lambda size: word(f"<w:p>{within(_SIMPLE, '</w:fldSimple>', size, 200, _X)}</w:p>{_P}")
    ),
    "styles on styles.docx": _docx(
        '<w:p><w:pPr><w:pStyle w:val="S{n}"/></w:pPr><w:r><w:t>goods</w:t></w:r></w:p>',
        styles='<w:style w:type="paragraph" w:styleId="S{n}"><w:basedOn w:val="S{d}"/></w:style>',
    ),
    "levels by the million.docx": _docx(
        _ITEM.format("{n}000000"),
        numbering='<w:num w:numId="{n}"><w:abstractNumId w:val="{n}"/></w:num>'
        '<w:abstractNum w:abstractNumId="{n}"><w:lvl w:ilvl="1000000"/></w:abstractNum>',
    ),
    "restarted lists.docx": _docx(
        _ITEM.format("8"),
        numbering='<w:num w:numId="{n}"><w:abstractNumId w:val="0"/><w:lvlOverride w:ilvl="8">'
        '<w:startOverride w:val="999999999"/></w:lvlOverride></w:num>',
    ),
    "chunks of other files.docx": _docx('<w:altChunk r:id="r{n}"/>'),
    "relations.docx": _relations,
    "choices in choices.docx": _docx_deep(
        '<mc:AlternateContent><mc:Choice Requires="wps"/><mc:Fallback>',
        "</mc:Fallback></mc:AlternateContent>",
        80,
    ),
    "boxes in boxes.docx": _docx_deep(
        "<w:p><w:r><w:pict><v:textbox><w:txbxContent>",
        "</w:txbxContent></v:textbox></w:pict></w:r></w:p>",
        30,
    ),
    "controls with lists.docx": _docx(
        '<w:sdt><w:sdtPr><w:alias w:val="{n}"/><w:dropDownList><w:listItem w:value="{n}"/>'
        f"</w:dropDownList></w:sdtPr><w:sdtContent>{_P}</w:sdtContent></w:sdt>"
    ),
    "bookmarks.docx": _docx(
        '<w:p><w:bookmarkStart w:id="{n}" w:name="b{n}"/><w:r><w:instrText>REF b{d}'
        '</w:instrText><w:t>goods</w:t></w:r><w:bookmarkEnd w:id="{d}"/></w:p>'
    ),
    "cells that span millions.docx": _docx(
        '<w:tbl><w:tr><w:tc><w:tcPr><w:gridSpan w:val="1000000"/><w:vMerge/></w:tcPr><w:p><w:r>'
        "<w:t>goods</w:t></w:r></w:p></w:tc></w:tr></w:tbl>"
    ),
    "tabs and breaks.docx": (
        lambda size: word(f"<w:p><w:r>{filled('<w:tab/><w:br/><w:cr/>', size)}</w:r></w:p>{_P}")
    ),
    "moves.docx": _docx(
        '<w:p><w:moveFrom w:id="{n}" w:author="A"><w:r><w:t>goods</w:t></w:r></w:moveFrom>'
        '<w:moveTo w:id="{d}" w:author="B"><w:r><w:t>goods</w:t></w:r></w:moveTo></w:p>'
    ),
    "attributes.docx": (lambda size: word("<w:p " + filled("a{n}='x' ", size) + _P[4:])),
    "namespaces.docx": (lambda size: word("<w:p " + filled("xmlns:a{n}='u{n}' ", size) + _P[4:])),
    "letters in runs.docx": (
        lambda size: word(f"<w:p>{filled('<w:r><w:t>a</w:t></w:r>', size)}</w:p>{_P}")
    ),
    "changes within changes.docx": _docx_deep(
        '<w:ins w:id="1" w:author="A"><w:del w:id="2" w:author="B">', "</w:del></w:ins>", 100
    ),
    # OpenDocument
    "rows by the million.odt": _odt(
        '<table:table><table:table-row table:number-rows-repeated="1000000"><table:table-cell '
        'table:number-columns-repeated="1000000"/></table:table-row></table:table>'
    ),
    "frames in frames.odt": (
        lambda size: opendocument(
            "<text:p>"
            + within(
                "<draw:frame><draw:text-box><text:p>",
                "</text:p></draw:text-box></draw:frame>",
                size,
                60,
            )
            + "</text:p>"
        )
    ),
    "sections in sections.odt": _odt_deep("<text:section>", "</text:section>", 200),
    "styles on styles.odt": _odt(
        '<text:p text:style-name="s{n}">goods</text:p>',
        '<style:style style:name="s{n}" style:family="paragraph" style:parent-style-name="s{d}"/>',
    ),
    "blanks by the million.odt": _odt('<text:p>a<text:s text:c="1000000"/>b</text:p>'),
    "lists that go on.odt": _odt(
        '<text:list xml:id="l{n}" text:continue-list="l{d}" text:continue-numbering="true">'
        "<text:list-item><text:p>goods</text:p></text:list-item></text:list>"
    ),
    "deletions.odt": (
        lambda size: opendocument(
            "<text:tracked-changes>"
            + filled(
                '<text:changed-region text:id="c{n}"><text:deletion><text:p>goods</text:p>'
                "</text:deletion></text:changed-region>",
                size,
            )
            + "</text:tracked-changes>"
            + filled('<text:p>a<text:change text:change-id="c{n}"/></text:p>', size)
        )
    ),
    "comments.odt": _odt(
        "<text:p>a<office:annotation><text:p>why</text:p></office:annotation></text:p>"
    ),
    "headings.odt": _odt(
        '<text:h text:outline-level="1000000" text:start-value="999999999">goods</text:h>'
    ),
    # Web pages
    "tags within tags.html": (lambda size: page(within("<div>", "</div>", size).encode())),
    "hidden within hidden.html": (
        lambda size: page(
            within('<div style="display:none">', "</div>", size).encode() + b"<p>" + B
        )
    ),
    "attributes by the million.html": (
        lambda size: page(f"<p {filled('a{n}={n} ', size)}>{WORDS}".encode())
    ),
    "nots in nots.html": (
        lambda size: page(
            b"<p>" + B,
            f"<style>{within(':not(', ')', size, words='p')}{{color:red}}</style>".encode(),
        )
    ),
    "commas of a selector.html": _html("<p class=c7>goods", "p.c{n} > b, "),
    "selectors of many steps.html": _html(
        "<p class=a><b class=b><i class=c>goods</i></b>", ".a .b .c.d{n} {{ display: none }} "
    ),
    "a selector of many steps.html": (
        lambda size: page(
            b"<div>" * 500 + b"<p>" + B,
            f"<style>{'div ' * (size // 4)}{{display:none}}</style>".encode(),
        )
    ),
    "variables.html": _html("<p class=a>goods", ":root {{ --a{n}: var(--a{d}) }} "),
    "a style of many parts.html": (
        lambda size: page(
            f'<p style="{filled("color:red;display:none!important;", size)}">{WORDS}'.encode()
        )
    ),
    "letters by long numbers.html": (
        lambda size: page(b"<p>" + B + b"&#x" + b"0" * size + b"41;" + b"&#" + b"9" * size)
    ),
    "conditions.html": _html("<!--[if mso {n}]><p>goods<![endif]-->"),
    "templates in templates.html": _html("<template><noscript><details><p>goods"),
    "options.html": _html("<option value={n}>goods", end="</select>"),
    "pictures of a dot.html": (_html('<img src="data:image/gif;base64,R0lGODlhAQABAAAAACw=">')),
    "cells that span millions.html": _html(
        "<table><tr><td rowspan=1000000 colspan=1000000>goods</table>"
    ),
    "letters of two encodings.html": (
        lambda size: page(
            "é".encode() * (size // 4) + b"\xe9 " * (size // 4) + b"<p>" + B,
            b"<meta charset=utf-16>",
        )
    ),
    # Rich text
    "lengths of data.rtf": _rtf(r"\bin3 }}}} {{\bin000000002 a}}"),
    "data longer than the file.rtf": _rtf(r"{{\pict\bin99999{n} }}goods "),
    "fields in fields.rtf": (
        lambda size: rich(within(r"{\field{\*\fldinst X}{\fldrslt ", "}}", size).encode())
    ),
    "styles on styles.rtf": (_rtf(r"{{\s{n}\sbasedon{d}\strike\v A;}}", r"{\stylesheet", "}")),
    "lists.rtf": _rtf(
        r"{{\list{{\listlevel\levelnfc0{{\leveltext\'01\'00;}}}}\listid{n}}}", r"{\*\listtable", "}"
    ),
    "skips by the million.rtf": _rtf(r"\uc1000000\u8364 goods"),
    "destinations nobody knows.rtf": (
        lambda size: rich(within(r"{\*\x{n} ", "}", size).encode() + B)
    ),
    "edges of cells.rtf": _rtf(r"\cellx{n}", r"\trowd\intbl ", r" a\cell\row "),
    "tables in tables.rtf": _rtf(
        r"\intbl\itap{n} goods\nestcell{{\*\nesttableprops\trowd\nestrow}}"
    ),
    "alphabets.rtf": _rtf(r"\ansicpg{n}\'e9\f{n} a\par "),
    # Mails
    "mails within mails.eml": (
        lambda size: (
            b"From: a@b.example\nSubject: x\nContent-Type: message/rfc822\n\n"
            * min(500, max(1, size // 60))
            + mail(B * (size // len(B)))
        )
    ),
    "boundaries that begin alike.eml": (_eml("--x{n}\nContent-Type: text/plain\n\ngoods\n--x\n\n")),
    "boundaries within boundaries.eml": _eml(
        '--x\nContent-Type: multipart/mixed; boundary="x"\n\n'
    ),
    "ends with blanks.eml": _eml("--x   \t   \n\ngoods\n--x--   \n"),
    "brackets of an address.eml": _headed("(", "To: a@b.example "),
    "pieces of a name.eml": (
        lambda size: mail(
            b"--x\nContent-Type: text/plain;"
            + filled("\n name*{n}*=a%20;", size).encode()
            + b"\n\nx\n--x--\n",
            b'Content-Type: multipart/mixed; boundary="x"\n',
        )
    ),
    "alphabets.eml": (_eml("--x\nContent-Type: text/plain; charset=cp{n}\n\ngoods \xe9\n")),
    "pictures in a page.eml": _eml(
        "--x\nContent-Type: text/html\n\n<p>goods<img src=cid:{n}>\n"
        "--x\nContent-Type: image/gif\nContent-ID: <{n}>\n\nGIF89a\n"
    ),
    "soft line ends.eml": (
        lambda size: mail(
            b"=\n" * (size // 2) + B, b"Content-Transfer-Encoding: quoted-printable\n"
        )
    ),
    "codes that are none.eml": _eml(
        "--x\nContent-Transfer-Encoding: base64\nContent-Type: text/plain\n\n=A==\n%%%\n"
    ),
    "references.eml": _headed(" <{n}@b.example>\n", "References:"),
    "letters encoded twice.eml": (_headed("=?utf-8?b?PT91dGYtOD9xP2E/PQ==?=\n ", "Subject: ")),
    # Outlook, Excel, PowerPoint, old Word
    "streams.msg": _ole("__substg1.0_"),
    "streams.doc": _ole("EncryptedPackage"),
    "cells.xlsx": _package("xl", "<c r='A{n}'><v>{n}</v></c>"),
    "slides.pptx": _package("ppt", "<t>goods</t>"),
    # Archives
    "names that lead out.zip": _zip("../{deep}../{n}\\..\\..\\C:\\a.txt"),
    "names of one file.zip": _zip("a.txt"),
    "names of devices.zip": _zip("{n}/CON.txt:aux.{n}"),
    "names turned round.zip": _zip("\u202etxt.{n}\u0007\u200b.exe.txt"),
    "long names.zip": _zip("{long}.txt"),
    "folders in folders.zip": _zip("{deep}{n}.txt"),
    "empty files.zip": _zip("{n}.txt", b""),
    "mails.zip": _zip("{n}.eml", mail(B)),
    "archives.zip": _zip("{n}.zip", archive(("a.txt", B))),
    # PDF
    "updates in a ring.pdf": _updates,
    "streams of objects in a ring.pdf": _object_streams,
    "pages in a ring.pdf": _objects(
        "<< /Type /Pages /Parent 2 0 R /Count 1 /Kids [{d} 0 R 4 0 R] >>",
        pages="/Count 1 /Kids [6 0 R]",
    ),
    "bookmarks in a ring.pdf": _objects(
        "<< /Title (a) /Next {d} 0 R /First {d} 0 R >>", "/Outlines 6 0 R"
    ),
    "names in a ring.pdf": (_objects("<< /Kids [{d} 0 R {d} 0 R] >>", "/Names << /Dests 6 0 R >>")),
    "links.pdf": _annotated("<< /Type /Annot /Subtype /Link /Rect [{n} 0 9 9] >> "),
    "fields of a form.pdf": _annotated(
        "<< /Type /Annot /Subtype /Widget /FT /Tx /V (goods) /Rect [9 9 {n} 20] >> "
    ),
    "keys of a page.pdf": _on_page("/K{n} [[[<< /A {n} >>]]] "),
    "letters of forms.pdf": (_object("{n} 0 d0 0 0 9 9 re f ", "", _LETTERS_3, "")),
    "letters that draw themselves.pdf": _object(
        "9 0 d0 BT /F2 9 Tf (aa) Tj ET ", "", _LETTERS_3, ""
    ),
    "pictures in line.pdf": (_pdf("q 9 0 0 9 {n} 9 cm BI /W 1 /H 1 /BPC 8 /CS /G ID a EI Q\n")),
    "patterns.pdf": _object(
        "0 0 1 1 re f ",
        "/Type /Pattern /PatternType 1 /PaintType 1 /TilingType 1 /BBox [0 0 1 1] /XStep .01"
        " /YStep .01 /Resources << >>",
        b"/Pattern cs /P scn 0 0 612 792 re f",
        "/Pattern << /P 6 0 R >>",
    ),
    "masks of masks.pdf": _object(
        "/G gs 0 0 9 9 re f ",
        "/Type /XObject /Subtype /Form /BBox [0 0 612 792] /Group << /S /Transparency >>"
        " /Resources << /ExtGState << /G << /SMask << /S /Alpha /G 6 0 R >> >> >> >>",
        b"/G gs " + _LINE,
        "/ExtGState << /G << /SMask << /S /Alpha /G 6 0 R >> >> >>",
    ),
    "filters of filters.pdf": (
        lambda size: assemble([_LINE]).replace(
            b"/Filter /FlateDecode", b"/Filter [%s /FlateDecode]" % (b"/AHx " * (size // 5))
        )
    ),
    "states in states.pdf": _pdf("q "),
    "ends of states.pdf": _pdf("Q "),
    "marks in marks.pdf": (_pdf("/Span << /ActualText (a{n}) >> BDC BT /F1 9 Tf (a) Tj ET ")),
    "layers.pdf": _pdf(
        "/OC /L BDC BT /F1 9 Tf 1 0 0 1 72 {n} Tm (goods) Tj ET EMC ",
        "/Properties << /L << /Type /OCG /Name (a) >> >>",
    ),
    "clips.pdf": (_pdf("q {n} 9 90 90 re W n BT /F1 9 Tf 1 0 0 1 {n} 12 Tm (goods) Tj ET Q ")),
    "one long word.pdf": lambda size: assemble([show([(72, 700, "a" * size)])]),
    "words turned about.pdf": _pdf("BT /F1 9 Tf .6 .8 -.8 .6 300 {n} Tm (goods) Tj ET "),
    "words one on another.pdf": (_pdf("BT /F1 9 Tf 1 1 1 rg 1 0 0 1 72 600 Tm (goods) Tj ET ")),
    "arrays in arrays.pdf": _pdf("["),
    "numbers.pdf": _pdf("BT /F1 {n}e38 Tf 1e38 0 0 -1e38 {n} nan Tm (goods) Tj ET "),
    "a huge page.pdf": (
        lambda size: assemble(
            [show([(72, 9 * n, WORDS) for n in range(max(1, size // len(WORDS)))])],
            page="/MediaBox [-1e9 -1e9 1e9 1e9] /UserUnit 1e6",
        )
    ),
    # Pictures
    "strips.tif": _wide_tiff,
    "comments.png": _chunks,
    "rows.png": lambda size: png(8_000, max(1, size // 10)),
    "scans.jpg": _scans,
    "frames.gif": _gif,
    "numbers.pbm": lambda size: b"P1\n9999 9999\n" + b"1 " * (size // 2),
    # Text and Markdown
    "links never closed.md": _text("[a](b"),
    "stars and lines.md": _text("*a_**b__"),
    "quotes in quotes.md": _text("> "),
    "rows of a table.md": _text("|a|-|:-:|\n"),
    "targets.md": _text("[a{n}]: b{n} 'c'\n"),
    "three encodings.txt": (
        lambda size: b"".join(
            "Gebühr für Waren ".encode(name)
            for name in ("utf-8", "cp1252", "utf-8") * max(1, size // 54)
        )
    ),
    "halves of letters.txt": _text("goods \ud83d "),
    "letters struck over.txt": _text("g\bg_\b"),
    "orders to a terminal.txt": _text("\x1b[31mgoods\x1b[0m "),
    "isolates never closed.txt": _text("\u2066goods "),
    "letters nobody sees.txt": _text("\U000e0041\U000e0042 "),
    "marks of order.txt": _text("\ufeff"),
    "ends of lines.txt": _text("a\u2028b\u2029c\x85d\x0b"),
}
