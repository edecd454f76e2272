"""Rich text (.rtf): the words that show, with list numbers, tables, footnotes and hidden text.

RTF is a run of groups, control words and characters. The numbers of lists stand in the file as
text (`listtext`), as the program that wrote it last showed them. Insertions are in the text,
marked; a deletion is a mark without length at its place, whose detail holds its words.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from fourcorners.documents.document import MarkKind
from fourcorners.documents.fragment import Fragment, joined
from fourcorners.documents.reader import Content, RawFile, Reader
from fourcorners.documents.sniff import MediaType
from fourcorners.documents.table_text import Table
from fourcorners.errors import InputError

_MOST_COLOURS = 10_000
_WHITE = 240  # of 255, from which a colour cannot be told from paper
_ALIKE = 8  # of 255, by which colours differ that no eye tells apart
_SMALLEST = 2  # half points; smaller letters are not read
MAX_DEPTH = 5_000  # of groups; a deeper one changes nothing

_TOKEN = re.compile(
    rb"(?P<control>\\(?:(?P<word>[a-zA-Z]{1,40})(?P<number>-?\d{1,10})? ?|'(?P<hex>[0-9a-fA-F]{2})"
    rb"|(?P<sign>[^a-zA-Z'])|'))|(?P<open>\{)|(?P<close>\})|(?P<text>[^\\{}\r\n]+)|[\r\n]+|\\\Z",
    re.DOTALL,
)
# Groups that hold no words of the document.
_PASSED_OVER = frozenset(
    "fonttbl colortbl stylesheet info pict object objdata themedata colorschememapping datastore "  # noqa: SIM905
    "latentstyles rsidtbl generator xmlnstbl filetbl listtable listoverridetable revtbl pgptbl "
    "template docvar userprops mmathPr wgrffmtfilter blipuid bkmkstart bkmkend fldinst fchars "
    "lchars ftnsep ftnsepc ftncn aftnsep aftnsepc aftncn header headerl headerr headerf footer "
    "footerl footerr footerf annotation atnid atnauthor atndate atnref atrfstart atrfend shppict "
    "nonshppict picprop sp sn sv falt panose fontemb formfield datafield pnseclvl background "
    "nextfile private passwordhash protusertbl".split()
)
_SIGNS = {
    "tab": "\t", "line": "\n", "lquote": "\u2018", "rquote": "\u2019", "ldblquote": "\u201c",
    "rdblquote": "\u201d", "endash": "\u2013", "emdash": "\u2014", "bullet": "\u2022",
    "emspace": " ", "enspace": " ", "qmspace": " ", "softline": "\n", "zwj": "", "zwnj": "",
}  # fmt: skip
_ESCAPES = {b"\\": "\\", b"{": "{", b"}": "}", b"~": "\u00a0", b"_": "\u2011", b"-": ""}
_CHARSETS = {
    0: "cp1252", 77: "mac_roman", 128: "cp932", 129: "cp949", 134: "gbk", 136: "big5",
    161: "cp1253", 162: "cp1254", 163: "cp1258", 177: "cp1255", 178: "cp1256", 186: "cp1257",
    204: "cp1251", 222: "cp874", 238: "cp1250",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Group:
    """What holds within a group."""

    skip: bool = False
    hidden: bool = False
    deleted: bool = False
    inserted: bool = False
    place: str = ""  # "label", "note", "comment", "fonts" or "colours": where the words go
    colour: int = 0  # of the letters, in the file's table; 0 is seen
    ground: int = 0  # of what they stand on
    paragraph: int = 0  # of what the paragraph stands on
    size: int = 24  # of the letters, in half points
    encoding: str = "cp1252"
    after_unicode: int = 1  # characters to pass over after one written as \u


@dataclass(slots=True)
class _Walk:
    """The walk through the file."""

    encoding: str = "cp1252"
    group: _Group = field(default_factory=_Group)
    above: list[_Group] = field(default_factory=list)
    too_deep: int = 0
    blocks: list[Fragment] = field(default_factory=list)
    line: Fragment = field(default_factory=Fragment)
    notes: list[Fragment] = field(default_factory=list)
    waiting: list[Fragment] = field(default_factory=list)  # lines whose note is being read
    table: Table | None = None
    cell: list[Fragment] = field(default_factory=list)
    in_table: bool = False
    level: int | None = None  # of the outline, of the paragraph being read
    label: str = ""
    comment: str = ""
    gone: str = ""  # words marked as deleted, until others follow
    raw: bytearray = field(default_factory=bytearray)  # in the group's encoding, not decoded yet
    fonts: dict[int, str] = field(default_factory=dict)
    colours: list[tuple[int, int, int]] = field(default_factory=list)
    mixed: list[int] = field(default_factory=lambda: [0, 0, 0])  # the colour that is being said
    shaded: bool = False  # some cell of the row stands on a ground
    font: int = 0
    pass_over: int = 0
    surrogate: int = 0
    hides: bool = False
    changes: bool = False
    lies: bool = False  # about how long something is
    ignorable: bool = False

    def take(self, token: re.Match[bytes]) -> None:
        """Take the next token."""
        if token["open"]:
            self._open()
        elif token["close"]:
            self._close()
        elif token["word"]:
            number = token["number"]
            self._control(token["word"].decode("ascii"), int(number) if number else None)
        elif token["hex"]:
            if self.pass_over:
                self.pass_over -= 1
            else:
                self.raw.append(int(token["hex"], 16))
        elif token["sign"]:
            self._escape(token["sign"])
        elif token["text"]:
            data = token["text"]
            passed = min(self.pass_over, len(data))
            self.pass_over -= passed
            self.raw += data[passed:]

    def _open(self) -> None:
        self._flush()
        if len(self.above) >= MAX_DEPTH:
            self.too_deep += 1
            return
        self.above.append(self.group)
        self.ignorable = False

    def _close(self) -> None:
        self._flush()
        if self.too_deep:
            self.too_deep -= 1
            return
        if not self.above:
            return
        ended, self.group = self.group, self.above.pop()
        if ended.place == "comment" != self.group.place:
            self.line.point(MarkKind.COMMENT, " ".join(self.comment.split()))
            self.comment = ""
        if ended.place == "note" != self.group.place and self.waiting:
            self.notes.append(self.line)
            self.line = self.waiting.pop()

    def _escape(self, sign: bytes) -> None:
        self._flush()
        if sign == b"*":
            self.ignorable = True
        elif sign in (b"\n", b"\r"):
            self._paragraph()
        elif self.pass_over:
            self.pass_over -= 1
        else:
            self._say(_ESCAPES.get(sign, ""))

    def _control(self, word: str, number: int | None) -> None:
        self._flush()
        on = number != 0
        if word in _PASSED_OVER and word not in _HANDLERS:
            self.group = replace(self.group, skip=True)
        elif word in _SIGNS:
            if self.pass_over:
                self.pass_over -= 1
            else:
                self._say(_SIGNS[word])
        elif word in _HANDLERS:
            _HANDLERS[word](self, number, on)
        elif self.ignorable and word not in ("shpinst", "shptxt"):
            self.group = replace(self.group, skip=True)
        self.ignorable = False

    def unicode(self, number: int | None, _on: bool) -> None:
        code = (number or 0) % 0x10000
        self.pass_over = self.group.after_unicode
        if 0xD800 <= code < 0xDC00:
            self.surrogate = code
            return
        if 0xDC00 <= code < 0xE000:
            high, self.surrogate = self.surrogate, 0
            code = 0x10000 + ((high - 0xD800) << 10) + code - 0xDC00 if high else 0xFFFD
        self._say(chr(code) if code else "\ufffd")

    def set_font(self, number: int | None, _on: bool) -> None:
        self.font = number or 0
        if self.group.place != "fonts":
            encoding = self.fonts.get(self.font, self.encoding)
            self.group = replace(self.group, encoding=encoding)

    def set_charset(self, number: int | None, _on: bool) -> None:
        if self.group.place == "fonts" and number in _CHARSETS and number:
            self.fonts[self.font] = _CHARSETS[number]

    def set_codepage(self, number: int | None, _on: bool) -> None:
        try:
            self.encoding = codecs.lookup(f"cp{number}").name
        except LookupError:
            self.encoding = "cp1252"
        self.group = replace(self.group, encoding=self.encoding)

    def start_fonts(self, _number: int | None, _on: bool) -> None:
        self.group = replace(self.group, skip=True, place="fonts")

    def start_colours(self, _number: int | None, _on: bool) -> None:
        self.group = replace(self.group, skip=True, place="colours")

    def mix_red(self, number: int | None, _on: bool) -> None:
        self.mixed[0] = number or 0

    def mix_green(self, number: int | None, _on: bool) -> None:
        self.mixed[1] = number or 0

    def mix_blue(self, number: int | None, _on: bool) -> None:
        self.mixed[2] = number or 0

    def set_colour(self, number: int | None, _on: bool) -> None:
        self.group = replace(self.group, colour=number or 0)

    def set_ground(self, number: int | None, _on: bool) -> None:
        self.group = replace(self.group, ground=number or 0)

    def set_paragraphs_ground(self, number: int | None, _on: bool) -> None:
        self.group = replace(self.group, paragraph=number or 0)

    def set_size(self, number: int | None, _on: bool) -> None:
        self.group = replace(self.group, size=24 if number is None else number)

    def start_row(self, _number: int | None, _on: bool) -> None:
        self.shaded = False

    def shade_cell(self, number: int | None, _on: bool) -> None:
        self.shaded = self.shaded or not self._is_white(number or 0)

    def _is_white(self, number: int) -> bool:
        """Tell whether a colour of the table cannot be told from paper; 0 is the paper's own."""
        if not 0 < number < len(self.colours):
            return number == 0
        return min(self.colours[number]) >= _WHITE

    def _unseen(self) -> bool:
        """Tell whether no reader sees words that are said now."""
        group = self.group
        if group.hidden or group.size <= _SMALLEST:
            return True
        grounds = (group.ground, group.paragraph)
        on_paper = all(self._is_white(each) for each in grounds)
        on_paper = on_paper and not (self.in_table and self.shaded)
        if group.ground and self._are_alike(group.colour, group.ground):
            return True
        return group.colour != 0 and self._is_white(group.colour) and on_paper

    def _are_alike(self, one: int, other: int) -> bool:
        """Tell whether two colours of the table are one to the eye."""
        if not (0 < one < len(self.colours) and 0 < other < len(self.colours)):
            return False
        pairs = zip(self.colours[one], self.colours[other], strict=True)
        return all(abs(a - b) <= _ALIKE for a, b in pairs)

    def start_label(self, _number: int | None, _on: bool) -> None:
        self.group = replace(self.group, place="label")

    def start_comment(self, _number: int | None, _on: bool) -> None:
        self.group = replace(self.group, place="comment")

    def start_note(self, _number: int | None, _on: bool) -> None:
        if self.group.skip or self.group.place == "note" or len(self.waiting) > 20:
            return
        mark = f"[{len(self.notes) + len(self.waiting) + 1}]"
        self.line.add(mark, MarkKind.NUMBER, "footnotes")
        self.waiting.append(self.line)
        self.line = Fragment()
        self.group = replace(self.group, place="note")

    def reset(self, _number: int | None, _on: bool) -> None:
        self.group = replace(
            self.group, hidden=False, deleted=False, inserted=False, colour=0, ground=0, size=24
        )

    def hide(self, _number: int | None, on: bool) -> None:
        self.group = replace(self.group, hidden=on)

    def delete(self, _number: int | None, on: bool) -> None:
        self.changes = self.changes or on
        self.group = replace(self.group, deleted=on)

    def insert(self, _number: int | None, on: bool) -> None:
        self.changes = self.changes or on
        self.group = replace(self.group, inserted=on)

    def skip_after_unicode(self, number: int | None, _on: bool) -> None:
        self.group = replace(self.group, after_unicode=max(0, min(number or 0, 100)))

    def start_paragraph(self, _number: int | None, _on: bool) -> None:
        if self.group.place == "comment":
            return
        self.in_table, self.level = False, None
        self.group = replace(self.group, paragraph=0)

    def set_level(self, number: int | None, _on: bool) -> None:
        self.level = number

    def enter_table(self, _number: int | None, _on: bool) -> None:
        self.in_table = self.in_table or self.group.place != "comment"

    def end_paragraph(self, _number: int | None, _on: bool) -> None:
        self._paragraph()

    def end_cell(self, _number: int | None, _on: bool) -> None:
        self._end_line(self.cell)
        if self.table is None:
            self.table = Table([[]])
        self.table.add_cell(joined(self.cell, "\n"))
        self.cell = []

    def end_row(self, _number: int | None, _on: bool) -> None:
        if self.table is not None:
            self.table.start_row()

    def doubt(self, _number: int | None, _on: bool) -> None:
        self.lies = True

    def _paragraph(self) -> None:
        if self.group.place == "comment":
            self.comment += " "
            return
        if self.group.place == "note":
            self.line.add("\n")
            return
        if self.in_table:
            self._end_line(self.cell)
            return
        self._end_table()
        self._end_line(self.blocks)

    def _end_line(self, into: list[Fragment]) -> None:
        self._note_gone()
        line, label, self.line, self.label = self.line, self.label.strip(), Fragment(), ""
        if not line.text.strip() or self.group.skip:
            self.line.marks = [m for m in line.marks if m.kind is MarkKind.DELETED and not m.span]
            return
        whole = Fragment()
        if label:
            whole.add(label, MarkKind.NUMBER)
            whole.add(" ")
        whole.extend(line)
        if self.level is not None and 0 <= self.level < 9:
            whole.mark(MarkKind.HEADING, 0, str(self.level + 1))
        into.append(whole)

    def _end_table(self) -> None:
        if self.table is not None:
            made = self.table.text()
            if len(made):
                self.blocks.append(made)
            self.table = None

    def _flush(self) -> None:
        """Decode the bytes that were gathered."""
        if self.raw:
            data = bytes(self.raw)
            self.raw.clear()
            if self.group.place == "colours":
                for _ in range(min(data.count(b";"), _MOST_COLOURS - len(self.colours))):
                    self.colours.append((self.mixed[0], self.mixed[1], self.mixed[2]))
                    self.mixed = [0, 0, 0]
                return
            try:
                self._say(data.decode(self.group.encoding))
            except UnicodeDecodeError:
                self._say(data.decode(self.group.encoding, "replace"))

    def _say(self, words: str) -> None:
        group = self.group
        if not words or group.skip:
            return
        if group.deleted:
            self.gone += "" if group.place in ("label", "comment") else words
            return
        words = words.replace("\0", "\ufffd")
        if group.place == "label":
            self.label += words.replace("\t", " ")
            return
        if group.place == "comment":
            self.comment += words
            return
        self._note_gone()
        start = len(self.line)
        self.line.add(words)
        if group.inserted:
            self.line.mark(MarkKind.INSERTED, start)
        if self._unseen():
            self.hides = True
            self.line.mark(MarkKind.HIDDEN, start)

    def _note_gone(self) -> None:
        """Mark the place where words were left out, with what they are."""
        if self.gone.strip():
            self.line.point(MarkKind.DELETED, " ".join(self.gone.split()))
        self.gone = ""

    def whole(self) -> Fragment:
        """Return the document; call it once, at the end."""
        self._flush()
        self.group = _Group()
        while self.waiting:
            self.notes.append(self.line)
            self.line = self.waiting.pop()
        self._end_line(self.cell if self.in_table else self.blocks)
        if self.cell:
            self.end_cell(None, True)
        self._end_table()
        for number, note in enumerate(self.notes, 1):
            if note.text.strip():
                told = Fragment()
                told.add(f"[{number}] ")
                told.extend(note)
                told.mark(MarkKind.FOOTNOTE, 0, "footnotes")
                self.blocks.append(told)
        return joined(self.blocks, "\n\n")


_HANDLERS = {
    "u": _Walk.unicode,
    "uc": _Walk.skip_after_unicode,
    "f": _Walk.set_font,
    "fcharset": _Walk.set_charset,
    "ansicpg": _Walk.set_codepage,
    "fonttbl": _Walk.start_fonts,
    "colortbl": _Walk.start_colours,
    "red": _Walk.mix_red,
    "green": _Walk.mix_green,
    "blue": _Walk.mix_blue,
    "cf": _Walk.set_colour,
    "cb": _Walk.set_ground,
    "chcbpat": _Walk.set_ground,
    "highlight": _Walk.set_ground,
    "cbpat": _Walk.set_paragraphs_ground,
    "clcbpat": _Walk.shade_cell,
    "trowd": _Walk.start_row,
    "fs": _Walk.set_size,
    "listtext": _Walk.start_label,
    "pntext": _Walk.start_label,
    "footnote": _Walk.start_note,
    "annotation": _Walk.start_comment,
    "plain": _Walk.reset,
    "v": _Walk.hide,
    "deleted": _Walk.delete,
    "revised": _Walk.insert,
    "pard": _Walk.start_paragraph,
    "outlinelevel": _Walk.set_level,
    "intbl": _Walk.enter_table,
    "par": _Walk.end_paragraph,
    "sect": _Walk.end_paragraph,
    "page": _Walk.end_paragraph,
    "cell": _Walk.end_cell,
    "nestcell": _Walk.end_cell,
    "row": _Walk.end_row,
    "nestrow": _Walk.end_row,
    "bin": _Walk.doubt,
}


def _tokens(data: bytes, start: int) -> Iterator[re.Match[bytes]]:
    """Yield the tokens, without the bytes of what is put in as it is (`bin`).

    A `bin` of more bytes than are left is a lie: it hides nothing, and comes out as a token.
    """
    done = False
    while not done:
        done = True
        for token in _TOKEN.finditer(data, start):
            if token["word"] == b"bin":
                start = token.end() + max(0, int(token["number"] or 0))
                if start <= len(data):
                    done = False
                    break
            yield token


def read_rtf(file: RawFile) -> Content:
    """Return the accepted text with numbers, headings, tables, notes and hidden text marked."""
    walk = _Walk()
    start = file.data.find(b"{\\rtf")
    for token in _tokens(file.data, max(0, start)):
        walk.take(token)
    open_groups = len(walk.above)
    whole = walk.whole()
    if not whole.text.strip():
        raise InputError(
            f"{file.path}: the document holds no text.",
            remedy="If it shows pictures of pages, print it to PDF and add that.",
        )
    whole.add("\n")
    marks = sorted(whole.marks, key=lambda mark: (mark.span.start, -mark.span.end, mark.kind))
    warnings = []
    if walk.changes:
        warnings.append("It has tracked changes, read as if all were accepted.")
    if walk.hides:
        warnings.append("It holds hidden text, which is read and marked.")
    if walk.lies:
        warnings.append("The file is damaged: a picture in it is said to be longer than the file.")
    if open_groups:
        warnings.append("The file may be truncated: its end is missing.")
    return Content(whole.text, marks=tuple(marks), warnings=tuple(warnings))


READER = Reader(name="rtf", version=4, media_types=frozenset({MediaType.RTF}), read=read_rtf)
