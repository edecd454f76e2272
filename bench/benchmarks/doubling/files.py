"""Kinds of files that may cost more than their length: each a function of its characters."""

from __future__ import annotations

import base64
import struct
import sys
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from benchmarks.doubling.odd_files import ODD
from benchmarks.doubling.shown_files import SHOWN
from tests.documents.conftest import assemble, lay_out, show, stream
from tests.documents.hostile.docx_files import word
from tests.documents.hostile.held_files import attached, mail, opendocument, with_attachments
from tests.documents.hostile.page_files import page, rich

Make = Callable[[int], bytes]
WORDS = "The Supplier shall deliver the goods within ten days of each order."
B = WORDS.encode()
UNIT = len(WORDS)


def times(size: int, unit: int = UNIT) -> range:
    return range(max(1, size // unit))


def _w(words: str = WORDS, properties: str = "", run: str = "") -> str:
    return f"<w:p>{properties}<w:r>{run}<w:t>{words}</w:t></w:r></w:p>"


def _note_ring(size: int) -> bytes:
    notes = "".join(
        f'<w:footnote w:id="{n}"><w:p><w:r>'
        f'<w:footnoteReference w:id="{n % 50 + 1}"/><w:t>x</w:t></w:r>'
        f'<w:r><w:footnoteReference w:id="{(n + 7) % 50 + 1}"/></w:r></w:p></w:footnote>'
        for n in range(1, 51)
    )
    body = '<w:p><w:r><w:footnoteReference w:id="1"/></w:r></w:p>' + _w() * len(times(size))
    return word(body, footnotes=notes)


def _many_notes(size: int) -> bytes:
    count = times(size, 20)
    notes = "".join(f'<w:footnote w:id="{n}">{_w("a note")}</w:footnote>' for n in count)
    cited = "".join(
        f'<w:p><w:r><w:t>x</w:t><w:footnoteReference w:id="{n}"/></w:r></w:p>' for n in count
    )
    return word(cited, footnotes=notes)


def _docx_table(cell: str, columns: int) -> Make:
    def make(size: int) -> bytes:
        row = f"<w:tr>{f'<w:tc>{cell}</w:tc>' * columns}</w:tr>"
        return word(f"<w:tbl>{row * len(times(size, 10 * columns))}</w:tbl>{_w()}")

    return make


def _docx_lists(size: int) -> bytes:
    lists = (
        '<w:abstractNum w:abstractNumId="1">'
        + "".join(
            f'<w:lvl w:ilvl="{at}"><w:lvlText w:val="%{at + 1}."/></w:lvl>' for at in range(9)
        )
        + "</w:abstractNum>"
        + "".join(
            f'<w:num w:numId="{n}"><w:abstractNumId w:val="1"/></w:num>' for n in range(1, 400)
        )
    )
    body = "".join(
        _w(
            properties=f'<w:pPr><w:numPr><w:ilvl w:val="{n % 9}"/>'
            f'<w:numId w:val="{n % 399 + 1}"/></w:numPr></w:pPr>'
        )
        for n in times(size)
    )
    return word(body, numbering=lists)


def _linked_lists(size: int) -> bytes:
    """Lists that lead to each other by their styles, as many as the text is long."""
    count = len(times(size, 200))
    lists = "".join(
        f'<w:abstractNum w:abstractNumId="{n}">'
        f'<w:numStyleLink w:val="L{(n + 1) % count}"/></w:abstractNum>'
        for n in range(count)
    ) + "".join(
        f'<w:num w:numId="{n}"><w:abstractNumId w:val="{n}"/></w:num>' for n in range(count)
    )
    styles = "".join(
        f'<w:style w:type="numbering" w:styleId="L{n}"><w:pPr><w:numPr>'
        f'<w:numId w:val="{n}"/></w:numPr></w:pPr></w:style>'
        for n in range(count)
    )
    return word(_w(), styles=styles, numbering=lists)


def _comments(size: int) -> bytes:
    count = times(size, 40)
    remarks = "".join(f'<w:comment w:id="{n}" w:author="A">{_w("why")}</w:comment>' for n in count)
    body = "".join(
        f'<w:p><w:commentRangeStart w:id="{n}"/><w:r><w:t>goods</w:t></w:r>'
        f'<w:commentRangeEnd w:id="{n}"/></w:p>'
        for n in count
    )
    return word(body, comments=remarks)


def _comments_open(size: int) -> bytes:
    count = times(size, 40)
    remarks = "".join(f'<w:comment w:id="{n}" w:author="A"><w:p/></w:comment>' for n in count)
    starts = "".join(f'<w:commentRangeStart w:id="{n}"/>' for n in count)
    return word(f"<w:p>{starts}</w:p>" + _w() * len(count), comments=remarks)


def _changes(size: int) -> bytes:
    return word(
        "".join(
            f'<w:p><w:ins w:id="{n}" w:author="A{n}"><w:r><w:t>goods</w:t></w:r></w:ins>'
            f'<w:del w:id="{n}" w:author="B"><w:r><w:delText>price</w:delText></w:r></w:del></w:p>'
            for n in times(size, 20)
        )
    )


def _rows_of_deletions(size: int) -> bytes:
    gone = '<w:del w:id="1" w:author="A"><w:r><w:delText>gone</w:delText></w:r></w:del>'
    row = f"<w:tr><w:tc><w:p>{gone}</w:p></w:tc></w:tr>"
    return word(f"<w:tbl>{row * len(times(size, 20))}</w:tbl>{_w()}")


def _runs(run: str) -> Make:
    return lambda size: word(
        "<w:p>"
        + f"<w:r>{run}<w:t>goods </w:t></w:r><w:r><w:t>price </w:t></w:r>" * len(times(size, 12))
        + "</w:p>"
    )


def _docx_nested(opening: str, closing: str, depth: int) -> Make:
    return lambda size: word(
        (opening * depth + _w() + closing * depth) * max(1, size // (UNIT + 4 * depth))
    )


def _headers(size: int) -> bytes:
    return word("".join(_w(properties="<w:pPr><w:sectPr/></w:pPr>") for _ in times(size)))


def _fields(size: int) -> bytes:
    starts = '<w:r><w:fldChar w:fldCharType="begin"/></w:r>'
    words = "<w:r><w:t>words </w:t></w:r>" * len(times(size, 12))
    return word(f"<w:p>{starts * len(times(size, 20))}{words}</w:p>{_w()}")


def _hidden_ends(size: int) -> bytes:
    end = "<w:pPr><w:rPr><w:vanish/></w:rPr></w:pPr>"
    return word(_w("goods", properties=end) * len(times(size, 10)))


def _removed_ends(size: int) -> bytes:
    end = '<w:pPr><w:rPr><w:del w:id="1" w:author="A"/></w:rPr></w:pPr>'
    return word(_w("goods", properties=end) * len(times(size, 10)))


def _odt(part: str, unit: int, before: str = "", after: str = "") -> Make:
    return lambda size: opendocument(before + part * len(times(size, unit)) + after)


def _html(
    part: bytes, unit: int, before: bytes = b"", after: bytes = b"", head: bytes = b""
) -> Make:
    return lambda size: page(before + part * len(times(size, unit)) + after + b"<p>" + B, head)


def _many_rules(size: int) -> bytes:
    css = b"".join(b".c%d .c%d { display: none }" % (n % 7, n) for n in times(size, 40))
    body = b"".join(
        b'<div class="c%d"><p class="c%d">%s</p></div>' % (n % 7, n, B) for n in times(size)
    )
    return page(body, b"<style>%s</style>" % css)


def _one_class(size: int) -> bytes:
    css = b".a { color: red } " * len(times(size, 40))
    return page(b'<p class="a">%s</p>' % B * len(times(size)), b"<style>%s</style>" % css)


def _rtf(part: bytes, unit: int, before: bytes = b"", after: bytes = b"") -> Make:
    return lambda size: rich(before + part * len(times(size, unit)) + after + b" " + B)


def _parts(size: int) -> bytes:
    each = b"--x\nContent-Type: text/plain\n\n%s\n" % B
    head = b'Content-Type: multipart/mixed; boundary="x"\n'
    return mail(each * len(times(size)) + b"--x--\n", head)


def _attachments(size: int) -> bytes:
    return with_attachments(*(attached(b"a.txt", B) for _ in times(size, 2 * UNIT)))


def _inner_mails(size: int) -> bytes:
    inner = b"--x\nContent-Type: message/rfc822\n\n" + mail(B) + b"\n"
    head = b'Content-Type: multipart/mixed; boundary="x"\n'
    return mail(inner * len(times(size, 3 * UNIT)) + b"--x--\n", head)


def _pdf_pages(lines: list[tuple[float, float, str]]) -> Make:
    unit = sum(len(each) for _, _, each in lines)
    return lambda size: assemble([show(lines)] * len(times(size, unit)))


def _pdf_page(size: int) -> bytes:
    """One page with all lines."""
    count = times(size)
    return assemble([show([(72, 760 - 700 * n / len(count), WORDS) for n in count])])


def _pdf_letters(size: int) -> bytes:
    """A page of letters, each placed by itself."""
    return assemble(
        [
            show(
                [
                    (20 + n % 90 * 6, 780 - n // 90 % 70 * 11, "goods"[n % 5])
                    for n in range(size // 4)
                ]
            )
        ]
    )


def _pdf_objects(size: int) -> bytes:
    objects = {n: b"<< /A %d >>" % n for n in range(10, 10 + size // 20)}
    objects |= {
        1: b"<< /Type /Catalog /Pages 2 0 R >>",
        2: b"<< /Type /Pages /Count 1 /Kids [5 0 R] >>",
        3: b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
        5: b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 6 0 R"
        b" /Resources << /Font << /F1 3 0 R >> >> >>",
        6: stream(show([(72, 700, WORDS)])),
    }
    return lay_out(objects)


def _pdf_rules(size: int) -> bytes:
    drawn = b"".join(b"%d 100 m %d 700 l S\n" % (n % 600, n % 600) for n in range(size // 20))
    return assemble([drawn + show([(72, 700, WORDS)])])


def _pdf_notes(size: int) -> bytes:
    note = "<< /Type /Annot /Subtype /Text /Rect [9 9 20 20] /Contents (a comment) >>"
    return assemble(
        [show([(72, 700, WORDS)])],
        page=f"/MediaBox [0 0 612 792] /Annots [{note * len(times(size, 40))}]",
    )


def frames(count: int) -> bytes:
    """A TIFF of so many frames of one pixel, all with the same pixel."""
    size = 2 + 12 * 9 + 4
    out = bytearray(b"II*\0" + struct.pack("<I", 8))
    first = 8
    pixel = first + size * count
    for n in range(count):
        entries = (
            (256, 8),
            (257, 1),
            (258, 1),
            (259, 1),
            (262, 0),
            (273, pixel),
            (277, 1),
            (278, 1),
            (279, 1),
        )
        out += struct.pack("<H", len(entries))
        for tag, value in entries:
            out += struct.pack("<HHII", tag, 4, 1, value)
        out += struct.pack("<I", 0 if n == count - 1 else first + size * (n + 1))
    return bytes(out) + b"\0"


def _headings(size: int) -> bytes:
    return b"".join(b"# Heading %d\n%s\n" % (n, B) for n in times(size))


HUGE = "\u00e9".encode()
FILES: dict[str, Make] = {
    # Word
    "paragraphs.docx": lambda size: word(_w() * len(times(size))),
    "a ring of footnotes.docx": _note_ring,
    "footnotes.docx": _many_notes,
    "a table of one column.docx": _docx_table(_w("goods"), 1),
    "a table of 20 columns.docx": _docx_table(_w("goods"), 20),
    "a table of 200 columns.docx": _docx_table(_w("goods"), 200),
    "tables in tables.docx": _docx_nested("<w:tbl><w:tr><w:tc>", "</w:tc></w:tr></w:tbl>", 60),
    "rows of deletions.docx": _rows_of_deletions,
    "lists.docx": _docx_lists,
    "lists linked in a ring.docx": _linked_lists,
    "comments.docx": _comments,
    "comments never closed.docx": _comments_open,
    "changes of many authors.docx": _changes,
    "runs in bold.docx": _runs("<w:rPr><w:b/></w:rPr>"),
    "runs hidden.docx": _runs("<w:rPr><w:vanish/></w:rPr>"),
    "controls nested.docx": _docx_nested("<w:sdt>", "</w:sdt>", 200),
    "sections.docx": _headers,
    "fields never closed.docx": _fields,
    "ends that do not show.docx": _hidden_ends,
    "ends removed.docx": _removed_ends,
    # OpenDocument
    "paragraphs.odt": _odt(f"<text:p>{WORDS}</text:p>", UNIT),
    "a table.odt": _odt(
        "<table:table-row><table:table-cell><text:p>goods</text:p></table:table-cell><table:table-cell><text:p>price</text:p></table:table-cell></table:table-row>",
        20,
        "<table:table>",
        "</table:table>",
    ),
    "lists.odt": _odt(
        f"<text:list-item><text:p>{WORDS}</text:p></text:list-item>",
        UNIT,
        "<text:list>",
        "</text:list>",
    ),
    "lists in lists.odt": lambda size: opendocument(
        (
            "<text:list><text:list-item>" * 80
            + f"<text:p>{WORDS}</text:p>"
            + "</text:list-item></text:list>" * 80
        )
        * max(1, size // 400)
    ),
    "notes.odt": _odt(
        '<text:p>x<text:note text:note-class="footnote"><text:note-citation>1'
        "</text:note-citation><text:note-body><text:p>a note</text:p></text:note-body>"
        "</text:note></text:p>",
        20,
    ),
    "spans.odt": _odt("<text:span>goods </text:span>", 8, "<text:p>", "</text:p>"),
    "cells repeated.odt": _odt(
        '<table:table-row table:number-rows-repeated="999"><table:table-cell '
        'table:number-columns-repeated="999"><text:p>goods</text:p></table:table-cell>'
        "</table:table-row>",
        100,
        "<table:table>",
        "</table:table>",
    ),
    # Web pages
    "paragraphs.html": _html(b"<p>%s</p>" % B, UNIT),
    "a table.html": _html(b"<tr><td>goods<td>price<td>12", 20, b"<table>", b"</table>"),
    "tables in tables.html": lambda size: page(
        (b"<table><tr><td>" * 60 + B + b"</table>" * 60) * max(1, size // 300)
    ),
    "tables never closed.html": _html(b"<table><tr><td>goods", 20),
    "items.html": _html(b"<li>%s" % B, UNIT, b"<ol>", b"</ol>"),
    "lists in lists.html": _html(b"<ol><li>goods", 20),
    "tags never closed.html": _html(b"<b><i>goods ", 12),
    "blocks never closed.html": _html(b"<div>goods ", 12),
    "ends without a start.html": _html(b"</div></b></p>goods ", 12),
    "rules of style.html": _many_rules,
    "rules of one class.html": _one_class,
    "styles of elements.html": lambda size: page(
        b"".join(b'<span style="color:#%06x">goods </span>' % n for n in times(size, 12)) + B
    ),
    "deleted words.html": _html(b"goods <br><b>x</b>", 8, b"<del>", b"</del>"),
    "comments never closed.html": _html(b"<!-- goods ", 12),
    "entities.html": _html(b"&amp;&lt;&eacute;&#x20;", 4),
    "ampersands.html": _html(b"&", 1),
    "angle brackets.html": _html(b"<", 1),
    "attributes.html": _html(b' a="b"', 6, b"<p", b">"),
    "many attributes.html": _html(b'<p a=1 b=2 c=3 d="4" class="e f g" id=h>goods', 12),
    "headings.html": _html(b"<h2>Heading</h2><p>goods", 20),
    "line breaks.html": _html(b"goods<br>", 6),
    "form values.html": _html(b'<input value="goods">', 6),
    # Rich text
    "paragraphs.rtf": _rtf(B + rb"\par ", UNIT),
    "groups.rtf": _rtf(rb"{goods }", 6),
    "groups in groups.rtf": lambda size: rich(b"{" * (size // 2) + B + b"}" * (size // 2)),
    "groups never closed.rtf": _rtf(b"{a", 2),
    "a table.rtf": _rtf(rb"\trowd\intbl goods\cell price\cell\row ", 20),
    "one row.rtf": _rtf(rb"goods\cell ", 6, rb"\trowd\intbl ", rb"\row"),
    "letters by number.rtf": _rtf(rb"\u8364?", 1),
    "letters by code.rtf": _rtf(rb"\'e9", 1),
    "footnotes.rtf": _rtf(rb"x{\footnote a note}", 12),
    "fields.rtf": _rtf(rb"{\field{\*\fldinst X}{\fldrslt goods }}", 6),
    "fonts.rtf": lambda size: rich(
        b"{\\fonttbl" + b"".join(b"{\\f%d A;}" % n for n in times(size, 12)) + b"}" + B
    ),
    "changing fonts.rtf": _rtf(rb"\f1 a\f0 b", 2),
    "hidden words.rtf": _rtf(rb"{\v goods }price ", 12),
    "backslashes.rtf": _rtf(rb"\\", 1),
    # Mails
    "parts.eml": _parts,
    "attachments.eml": _attachments,
    "mails attached.eml": _inner_mails,
    "one line.eml": lambda size: mail(b"goods " * (size // 6)),
    "one line, quoted.eml": lambda size: mail(
        b"goods=20" * (size // 6), b"Content-Transfer-Encoding: quoted-printable\n"
    ),
    "one line, base64.eml": lambda size: mail(
        base64.b64encode(B * len(times(size))), b"Content-Transfer-Encoding: base64\n"
    ),
    "a header of many words.eml": lambda size: mail(
        B, b"Cc: " + b"=?utf-8?q?goods?= " * (size // 20) + b"\n"
    ),
    "a long header.eml": lambda size: mail(B, b"Cc: " + b"a@b.example, " * (size // 13) + b"\n"),
    "headers.eml": lambda size: mail(B, b"".join(b"X-A%d: goods\n" % n for n in times(size, 12))),
    "folded header.eml": lambda size: mail(B, b"Subject: goods\n" + b" goods\n" * (size // 7)),
    "ends of parts.eml": lambda size: mail(
        b"--x\n" * (size // 4), b'Content-Type: multipart/mixed; boundary="x"\n'
    ),
    "letters beyond ASCII.eml": lambda size: mail(
        HUGE * (size // 2), b"Content-Type: text/plain; charset=utf-8\n"
    ),
    "a page.eml": lambda size: mail(
        page(b"<p>%s</p>" % B * len(times(size))), b"Content-Type: text/html\n"
    ),
    # PDF
    "frames.tif": lambda size: frames(max(1, size // 100)),
    "pages of a line.pdf": _pdf_pages([(72, 700, WORDS)]),
    "tiny pages.pdf": _pdf_pages([(72, 700, "goods are here")]),
    "pages of 40 lines.pdf": _pdf_pages([(72, 750 - 16 * n, f"{n}. {WORDS}") for n in range(40)]),
    "pages of two columns.pdf": _pdf_pages(
        [(x, 750 - 16 * n, "goods are delivered here") for n in range(40) for x in (72, 320)]
    ),
    "one page.pdf": _pdf_page,
    "letters apart.pdf": _pdf_letters,
    "objects.pdf": _pdf_objects,
    "rules drawn.pdf": _pdf_rules,
    "comments.pdf": _pdf_notes,
    # Plain text and Markdown
    "headings.md": _headings,
    "underlines.md": lambda size: b"a\n" + b"-" * size,
    "fences.md": lambda size: b"```\n" * (size // 4),
    "hashes.md": lambda size: b"#" * size,
    "spaces of a heading.md": lambda size: b"# a" + b" " * size + b"b",
    "rules.md": lambda size: b"---\n" * (size // 4),
    **SHOWN,
    **ODD,
    "bytes of no encoding.txt": lambda size: b"\xe9t\xe9 " * (size // 5),
    "pages.txt": lambda size: (B + b"\f") * len(times(size)),
}
