"""Web pages, rich text and plain text that mean harm; `python page_files.py FOLDER` writes them."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from pathlib import Path

Make = Callable[[], bytes]
CLAUSE = b"The Supplier shall deliver the goods within ten days of each order."
STRANGE = (
    "\u202eright to left\u202c zero\u200bwidth \u0430\u0440\u0440le \u2066\u00ad\ufeff "
    "\u0627\u0644\u0639\u0642\u062f"
)
RTF = rb"{\rtf1\ansi\ansicpg1252\deff0{\fonttbl{\f0 Times;}}"


def page(body: bytes, head: bytes = b"") -> bytes:
    return b"<!DOCTYPE html><html><head>%s</head><body>%s</body></html>" % (head, body)


def rich(body: bytes) -> bytes:
    return RTF + body + b"}"


def laughs() -> bytes:
    entities = b'<!ENTITY a0 "ha">' + b"".join(
        b'<!ENTITY a%d "%s">' % (i, b"&a%d;" % (i - 1) * 10) for i in range(1, 12)
    )
    return (
        b'<?xml version="1.0"?><!DOCTYPE html [%s]><html xmlns="http://www.w3.org/1999/xhtml">'
        b"<body><p>&a11;</p><p>%s</p></body></html>" % (entities, CLAUSE)
    )


def entity_of_a_file() -> bytes:
    return (
        b'<?xml version="1.0"?><!DOCTYPE html [<!ENTITY x SYSTEM "file:///etc/passwd">]>'
        b"<html><body><p>%s &x;</p></body></html>" % CLAUSE
    )


def spans() -> bytes:
    cell = b'<td rowspan="65534" colspan="99999999">%s</td>' % CLAUSE
    return page(b"<table>%s</table>" % (b"<tr>%s</tr>" % (cell * 20) * 200))


def rules() -> bytes:
    """Thousands of style rules, of classes that thousands of elements have."""
    css = b"".join(
        b".c%d, div.c%d > p.x:not(.y)::before { display: none; color: #fff }\n" % (i, i)
        for i in range(20_000)
    )
    classes = b" ".join(b"d%d" % i for i in range(200))
    body = b'<p class="%s">%s</p>' % (classes, CLAUSE)
    return page(body * 2_000, b"<style>%s</style>" % css)


def counted() -> bytes:
    items = b'<li value="999999" type="i">x</li><li value="-999999" type="I">y</li>' * 20_000
    return page(b"<ol>%s</ol>" % items)


def flipped(data: bytes, seed: int) -> bytes:
    chance = random.Random(seed)
    out = bytearray(data)
    for _ in range(len(out) // 200):
        out[chance.randrange(len(out))] ^= 1 << chance.randrange(8)
    return bytes(out)


HTML: dict[str, Make] = {
    "deep-tags.html": lambda: page(b"<div>" * 100_000 + CLAUSE + b"</div>" * 100_000),
    "deep-inline.html": lambda: page(b"<b><i>" * 50_000 + CLAUSE),
    "deep-tables.html": lambda: page(b"<table><tr><td>" * 50_000 + CLAUSE),
    "deep-lists.html": lambda: page(b"<ol><li>" * 50_000 + CLAUSE),
    "spans.html": spans,
    "many-cells.html": lambda: page(b"<table>%s</table>" % (b"<tr><td>a<td>b<td>c" * 20_000)),
    "open-comments.html": lambda: page(CLAUSE + b"<!-- " * 300_000),
    "open-tags.html": lambda: page(CLAUSE + b"<a " * 300_000),
    "open-quotes.html": lambda: page(CLAUSE + b'<p title="' * 100_000),
    "open-signs.html": lambda: page(CLAUSE + b"<" * 400_000),
    "open-script.html": lambda: page(CLAUSE + b"<script>" * 200_000),
    "open-declaration.html": lambda: page(CLAUSE + b"<![CDATA[" * 200_000),
    "many-attributes.html": lambda: page(
        b"<p %s>%s</p>" % (b" ".join(b"a%d=%d" % (i, i) for i in range(200_000)), CLAUSE)
    ),
    "ampersands.html": lambda: page(CLAUSE + b"&" * 1_000_000 + b"&amp" * 100_000),
    "no-characters.html": lambda: page(
        CLAUSE + b"&#0; &#xD800; &#x110000; &#99999999999999999999; &#" + b"9" * 5_000 + b";"
    ),
    "unclosed.html": lambda: page(b"<p>%s<li>x<dd>y<option>z" % CLAUSE * 30_000),
    "closed-only.html": lambda: page(CLAUSE + b"</div></p></table></td></b>" * 60_000),
    "counted.html": counted,
    "rules.html": rules,
    "open-rules.html": lambda: page(CLAUSE, b"<style>" + b"a{" * 300_000 + b"</style>"),
    "open-rule-comments.html": lambda: page(CLAUSE, b"<style>" + b"/*" * 300_000 + b"</style>"),
    "laughs.html": laughs,
    "entity-of-a-file.html": entity_of_a_file,
    "null-bytes.html": lambda: page(b"<p>go\0ods</p><p>%s</p>" % CLAUSE),
    "strange-letters.html": lambda: page(STRANGE.encode() + CLAUSE, b'<meta charset="utf-8">'),
    "utf-16-unmarked.html": lambda: page(CLAUSE).decode().encode("utf-16-le"),
    "punycode.html": lambda: page(CLAUSE * 20_000, b"<meta charset=punycode>"),
    "idna.html": lambda: page(CLAUSE * 20_000, b"<meta charset=idna>"),
    "half-letters.html": lambda: page(
        CLAUSE + rb" \ud800 \udfff ", b"<meta charset=unicode_escape>"
    ),
    "utf-7.html": lambda: page(CLAUSE + b" +2AA- +ADw-script+AD4- ", b"<meta charset=utf-7>"),
    "zlib.html": lambda: page(CLAUSE, b"<meta charset=zlib_codec>"),
    "truncated.html": lambda: (data := page(b"<p>%s</p>" % CLAUSE * 50))[: len(data) // 2],
    "flipped-bytes.html": lambda: flipped(page(b"<p>%s</p>" % CLAUSE * 500), 3),
}
RICH: dict[str, Make] = {
    "deep-groups.rtf": lambda: rich(b"{" * 1_000_000 + CLAUSE + b"}" * 1_000_000),
    "closed-groups.rtf": lambda: rich(CLAUSE + b"}" * 1_000_000 + CLAUSE),
    "lying-bin.rtf": lambda: rich(rb"\bin2147483647 " + CLAUSE + rb"\par " + CLAUSE),
    "negative-bin.rtf": lambda: rich(rb"\bin-5 " + CLAUSE),
    "braces-in-bin.rtf": lambda: rich(rb"{\pict\bin9 }}}\par}{}" + CLAUSE),
    "many-bins.rtf": lambda: rich(CLAUSE + rb"\bin9 " * 100_000),
    "long-words.rtf": lambda: rich(CLAUSE + b"\\" + b"a" * 1_000_000 + b"\\b" + b"9" * 100_000),
    "odd-unicode.rtf": lambda: rich(
        rb"\uc100 \u99999 ?\u-99999 ?\u55296 \u55296 \u0 \uc-5 \u57343 " * 2_000
        + rb"\uc0 \u55296\u0 {\u55296}\u56832 "
        + CLAUSE
    ),
    "odd-code-pages.rtf": lambda: rich(
        b"".join(rb"\ansicpg%d \'e9\'80\par " % i for i in range(0, 66_000, 7)) + CLAUSE
    ),
    "deep-notes.rtf": lambda: rich(CLAUSE + rb"{\footnote x" * 50_000),
    "many-notes.rtf": lambda: rich(CLAUSE + rb"{\footnote x}" * 15_000),
    "many-cells.rtf": lambda: rich(rb"\trowd\intbl " + rb"a\cell b\cell\row " * 20_000 + CLAUSE),
    "cells-without-a-row.rtf": lambda: rich(rb"a\cell " * 40_000 + CLAUSE),
    "long-labels.rtf": lambda: rich(rb"{\listtext %s}" % (b"1.\\tab " * 40_000) + CLAUSE),
    "changing-letters.rtf": lambda: rich(
        (rb"\v x\v0\deleted y\deleted0\revised z\plain ") * 15_000
    ),
    "embedded.rtf": lambda: rich(rb"{\object{\*\objdata %s}}" % (b"d0cf11e0" * 2_000_000) + CLAUSE),
    "null-bytes.rtf": lambda: rich(CLAUSE + b"\0" * 1_000 + rb"\'00\u0?" + CLAUSE),
    "nothing-said.rtf": lambda: rich(rb"{\info{\title no}}"),
    "truncated.rtf": lambda: rich((CLAUSE + rb"\par ") * 50)[:1_000],
    "flipped-bytes.rtf": lambda: flipped(rich((CLAUSE + rb"\par ") * 500), 4),
    "really-page.rtf": lambda: page(b"<p>%s</p>" % CLAUSE),
}
PLAIN: dict[str, Make] = {
    "utf-16-unmarked.txt": lambda: CLAUSE.decode().encode("utf-16-be"),
    "utf-16-half.txt": lambda: b"\xff\xfe" + CLAUSE.decode().encode("utf-16-le") + b"x",
    "half-letters.txt": lambda: CLAUSE + b" \xed\xa0\x80\xed\xbf\xbf " + CLAUSE,
    "half-utf-16.txt": lambda: (
        b"\xff\xfe" + CLAUSE.decode().encode("utf-16-le") + b"\x00\xd8\x20\0"
    ),
    "null-bytes.txt": lambda: CLAUSE * 40 + b"\0" * 20 + CLAUSE * 40,
    "only-null-bytes.txt": lambda: b"\0" * 100_000,
    "only-marks.txt": lambda: b"\xef\xbb\xbf\xef\xbb\xbf \n",
    "strange-letters.txt": lambda: (STRANGE * 500).encode() + CLAUSE,
    "stacked-accents.txt": lambda: ("e" + "\u0301" * 200_000).encode() + b" " + CLAUSE,
    "long-line.txt": lambda: (CLAUSE + b" ") * 100_000,
    "no-spaces.txt": lambda: b"1.1(a)" * 200_000 + b" " + CLAUSE,
    "many-numbers.txt": lambda: (
        b"".join(b"%d.%d x\n" % (i // 9, i % 9) for i in range(60_000)) + CLAUSE
    ),
    "deep-numbers.txt": lambda: b"".join(
        b"1" + b".1" * i + b" " + CLAUSE + b"\n" for i in range(700)
    ),
    "open-brackets.txt": lambda: b"(" * 300_000 + b'"' * 300_000 + CLAUSE,
    "garbage.txt": lambda: random.Random(6).randbytes(300_000),
    "line-ends.txt": lambda: b"\r\n\r\x0b\x0c\xc2\x85\xe2\x80\xa8" * 100_000 + CLAUSE,
    "deep-quotes.md": lambda: b"> " * 100_000 + CLAUSE + b"\n" + b"- " * 50_000 + CLAUSE,
    "open-signs.md": lambda: b"[" * 50_000 + b"*" * 50_000 + b"`" * 50_001 + b"\n" + CLAUSE,
    "many-headings.md": lambda: b"# x\n" * 20_000 + CLAUSE,
    "wide-table.md": lambda: (b"|a" * 5_000 + b"|\n") * 20 + CLAUSE,
    "really-rich.txt": lambda: rich(CLAUSE),
}
FAST: dict[str, Make] = {**HTML, **RICH, **PLAIN}
SLOW: dict[str, Make] = {
    "long.html": lambda: page(b"<p>%s</p>" % CLAUSE * 500_000),
    "long.rtf": lambda: rich((CLAUSE + rb"\par ") * 500_000),
    "long.txt": lambda: (b"1.1 " + CLAUSE + b"\n") * 1_000_000,
}


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name, make in {**FAST, **SLOW}.items():
        (folder / name).write_bytes(make())
