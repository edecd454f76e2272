"""Read rich text (.rtf): visible words, list numbers, tables, footnotes and hidden text.

RTF is a sequence of groups, control words and characters. The numbers of lists are in the file as
text (`listtext`), as last displayed by the program that wrote it. Insertions are in the text,
marked; a deletion is an empty mark at its place, whose detail holds its words.
"""

from __future__ import annotations

import codecs
import re
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from fourcorners.documents.document import STRUCK_THROUGH, MarkKind
from fourcorners.documents.fragment import Fragment, Table, footnote, join_fragments
from fourcorners.documents.media_types import MediaType
from fourcorners.documents.reader import Content, RawFile, Reader
from fourcorners.documents.rtf.groups import MIN_HEIGHT, ColourTable, GroupState, rtf_tokens
from fourcorners.errors import InputError
from fourcorners.text.patterns import load_yaml

_SYMBOL_CHARSET = 2  # of symbol fonts (RTF 1.9.1, fcharset)
_MAX_PICTURES = 60  # that are looked at
_MIN_DIGITS = 800  # of a picture; smaller ones are dots and lines
MAX_DEPTH = 5_000  # of groups; a deeper one changes nothing

# Groups that other programs may ignore, and that show words.
_SHOWN = frozenset({"shpinst", "shptxt", "do", "dptxbxtext", "moMath"})
_ASIDES = {"note": MarkKind.FOOTNOTE, "header": MarkKind.HEADER, "footer": MarkKind.FOOTER}
_ESCAPES = {b"\\": "\\", b"{": "{", b"}": "}", b"~": "\u00a0", b"_": "\u2011", b"-": ""}
_WORDS = load_yaml(Path(__file__).with_name("control_words.yaml").read_text("utf-8"))
_IGNORED_GROUPS = frozenset(_WORDS["ignored_groups"].split())
_CHARACTERS: dict[str, str] = _WORDS["characters"]
_CHARSETS: dict[int, str] = _WORDS["charsets"]
_VALUES: dict[str, tuple[str, int]] = _WORDS["values"]
_SWITCHES: dict[str, str] = _WORDS["switches"]
_DESTINATIONS: dict[str, str] = _WORDS["destinations"]
_ASIDE_WORDS: dict[str, str] = _WORDS["asides"]


@dataclass(slots=True)
class _Parser:
    encoding: str = "cp1252"
    group: GroupState = field(default_factory=GroupState)
    outer_groups: list[GroupState] = field(default_factory=list)
    too_deep: int = 0
    blocks: list[Fragment] = field(default_factory=list)
    line: Fragment = field(default_factory=Fragment)
    notes: list[Fragment] = field(default_factory=list)
    margins: list[Fragment] = field(default_factory=list)  # headers and footers
    pending_blocks: list[Fragment] = field(default_factory=list)  # lines whose note is being read
    has_form_lists: bool = False
    comments: int = 0
    table: Table | None = None
    cell: list[Fragment] = field(default_factory=list)
    in_table: bool = False
    level: int | None = None  # of the outline, of the paragraph being read
    label: str = ""
    comment: str = ""
    deleted_text: str = ""  # words marked as deleted, until others follow
    raw: bytearray = field(default_factory=bytearray)  # in the group's encoding, not decoded yet
    fonts: dict[int, str] = field(default_factory=dict)
    colours: ColourTable = field(default_factory=ColourTable)
    shaded: bool = False  # some cell of the row has a background
    font: int = 0
    skip_count: int = 0
    surrogate: int = 0
    has_hidden_text: bool = False
    has_changes: bool = False
    has_struck_text: bool = False
    low_row: bool = False  # the row is of a height that shows no letters
    symbol_fonts: set[int] = field(default_factory=set)
    picture: list[bytes] = field(default_factory=list)  # digits of the one that is being read
    pictures: dict[bytes, None] = field(default_factory=dict)
    has_false_length: bool = False
    ignorable: bool = False

    def consume(self, token: re.Match[bytes]) -> None:
        if token["open"]:
            self._open()
        elif token["close"]:
            self._close()
        elif token["word"]:
            number = token["number"]
            self._control(token["word"].decode("ascii"), int(number) if number else None)
        elif token["hex"]:
            if not self._skips():
                self.raw.append(int(token["hex"], 16))
        elif token["sign"]:
            self._escape(token["sign"])
        elif data := token["text"]:
            passed = min(self.skip_count, len(data))
            self.skip_count -= passed
            self.raw += data[passed:]

    def _open(self) -> None:
        self._flush()
        if len(self.outer_groups) >= MAX_DEPTH:
            self.too_deep += 1
            return
        self.outer_groups.append(self.group)
        self.ignorable = False

    def _close(self) -> None:
        self._flush()
        if self.picture and self.group.skip:
            self._end_picture()
        if self.too_deep:
            self.too_deep -= 1
            return
        if not self.outer_groups:
            return
        ended, self.group = self.group, self.outer_groups.pop()
        if ended.destination == "comment" != self.group.destination:
            self.comments += 1
            self.line.mark_point(MarkKind.COMMENT, " ".join(self.comment.split()))
            self.comment = ""
        ends = ended.destination != self.group.destination
        if ended.destination in _ASIDES and ends and self.pending_blocks:
            self._end_aside(ended.destination)

    def _end_aside(self, kind: str) -> None:
        words, self.line = self.line, self.pending_blocks.pop()
        if kind == "note":
            self.notes.append(words)
        elif words.text.strip() not in ("", *(each.text.strip() for each in self.margins)):
            words.mark(_ASIDES[kind], 0)
            self.margins.append(words)

    def _end_picture(self) -> None:
        digits = max(self.picture, key=len)  # what precedes are the words about it
        if len(digits) < _MIN_DIGITS:  # a group within it ends
            return
        self.picture = []
        if len(self.pictures) < _MAX_PICTURES:
            with suppress(ValueError):  # an invalid number shows nothing
                self.pictures[bytes.fromhex(digits.decode("ascii", "replace"))] = None

    def _escape(self, sign: bytes) -> None:
        self._flush()
        if sign == b"*":
            self.ignorable = True
        elif sign in (b"\n", b"\r"):
            self._end_paragraph()
        elif not self._skips():
            self._add_text(_ESCAPES.get(sign, ""))

    def _skips(self) -> bool:
        """Return whether a character is skipped, because it is a fallback for a numeric one."""
        skips = self.skip_count > 0
        self.skip_count -= skips
        return skips

    def _control(self, word: str, number: int | None) -> None:
        self._flush()
        group, on = self.group, number != 0
        if word in _VALUES:
            name, unset = _VALUES[word]
            value = unset if number is None else number
            self.group = replace(group, **{name: value})  # type: ignore[arg-type]
        elif word in _SWITCHES:
            self.has_changes = self.has_changes or (on and word in ("deleted", "revised"))
            self.group = replace(group, **{_SWITCHES[word]: on})  # type: ignore[arg-type]
        elif word in _DESTINATIONS:
            place = _DESTINATIONS[word]
            self.has_form_lists |= place == "choices"
            skip = group.skip or place in ("fonts", "colours", "choices")
            self.group = replace(group, destination=place, skip=skip)
        elif word in _ASIDE_WORDS:
            self._start_aside(_ASIDE_WORDS[word])
        elif word in self.colours.channels:
            self.colours.channels[word] = number or 0
        elif word in _CHARACTERS:
            if not self._skips():
                self._add_text(_CHARACTERS[word])
        elif not (self._set_characters(word, number) or self._set_structure(word, number)) and (
            word in _IGNORED_GROUPS or (self.ignorable and word not in _SHOWN)
        ):
            self.group = replace(group, skip=True)
        self.ignorable = False

    def _set_characters(self, word: str, number: int | None) -> bool:
        """Apply a control word about characters and their bytes; return whether it was one."""
        group = self.group
        match word:
            case "u":
                self._add_unicode((number or 0) % 0x10000)
            case "uc":
                self.group = replace(group, after_unicode=max(0, min(number or 0, 100)))
            case "f":
                self.font = number or 0
                if group.destination != "fonts":
                    encoding = self.fonts.get(self.font, self.encoding)
                    symbols = self.font in self.symbol_fonts
                    self.group = replace(group, encoding=encoding, in_symbols=symbols)
            case "fcharset" if group.destination == "fonts":
                if number == _SYMBOL_CHARSET:
                    self.symbol_fonts.add(self.font)
                elif number in _CHARSETS:
                    self.fonts[self.font] = _CHARSETS[number]
            case "ansicpg":
                try:
                    self.encoding = codecs.lookup(f"cp{number}").name
                except LookupError:
                    self.encoding = "cp1252"
                self.group = replace(group, encoding=self.encoding)
            case "plain":
                self.group = group.with_plain_letters()
            case "bin":  # one that is left is of more bytes than there are
                self.has_false_length = True
            case _:
                return False
        return True

    def _set_structure(self, word: str, number: int | None) -> bool:
        """Apply a control word about paragraphs, tables and pictures; return whether it was one."""
        group = self.group
        match word:
            case "trowd" | "trrh" | "clcbpat":
                self._set_row(word, number or 0)
            case "pngblip" | "jpegblip":
                self.picture = [b""]
            case "pard":
                if group.destination != "comment":
                    self.in_table, self.level = False, None
                    self.group = group.with_plain_paragraph()
            case "outlinelevel":
                self.level = number
            case "intbl":
                self.in_table = self.in_table or group.destination != "comment"
            case "par" | "sect" | "page":
                self._end_paragraph()
            case "cell" | "nestcell":
                self._end_cell()
            case "row" | "nestrow":
                if self.table is not None:
                    self.table.start_row()
            case _:
                return False
        return True

    def _set_row(self, word: str, number: int) -> None:
        match word:
            case "trowd":
                self.shaded = self.low_row = False
            case "trrh":
                self.low_row = -MIN_HEIGHT <= number < 0
            case _:
                self.shaded = self.shaded or not self.colours.is_white(number)

    def _add_unicode(self, code: int) -> None:
        self.skip_count = self.group.after_unicode
        if 0xD800 <= code < 0xDC00:
            self.surrogate = code
            return
        if 0xDC00 <= code < 0xE000:
            high, self.surrogate = self.surrogate, 0
            code = 0x10000 + ((high - 0xD800) << 10) + code - 0xDC00 if high else 0xFFFD
        self._add_text(chr(code) if code else "\ufffd")

    def _start_aside(self, kind: str) -> None:
        group = self.group
        if group.skip or group.destination in _ASIDES or len(self.pending_blocks) > 20:
            return
        if kind == "note":
            number = len(self.notes) + len(self.pending_blocks) + 1
            self.line.add(f"[{number}]", MarkKind.NUMBER, "footnotes")
        self.pending_blocks.append(self.line)
        self.line = Fragment()
        self.group = replace(group, destination=kind)

    def _end_cell(self) -> None:
        self._end_line(self.cell)
        if self.table is None:
            self.table = Table([[]])
        self.table.add_cell(join_fragments(self.cell, "\n"))
        self.cell = []

    def _end_paragraph(self) -> None:
        if self.group.destination == "comment":
            self.comment += " "
        elif self.group.destination in _ASIDES:
            self.line.add("\n")
        elif self.in_table:
            self._end_line(self.cell)
        else:
            self._end_table()
            self._end_line(self.blocks)

    def _end_line(self, into: list[Fragment]) -> None:
        self._mark_deletion()
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
        if self.raw:
            data = bytes(self.raw)
            self.raw.clear()
            if self.picture and self.group.skip:
                self.picture.append(data)
            if self.group.destination == "colours":
                self.colours.end_colours(data.count(b";"))
                return
            self._add_text(data.decode(self.group.encoding, "replace"))

    def _add_text(self, words: str) -> None:
        group = self.group
        if not words or group.skip:
            return
        if group.deleted:
            self.deleted_text += "" if group.destination in ("label", "comment") else words
            return
        words = words.replace("\0", "\ufffd")
        if group.destination == "label":
            self.label += words.replace("\t", " ")
            return
        if group.destination == "comment":
            self.comment += words
            return
        self._mark_deletion()
        start = len(self.line)
        self.line.add(words)
        if group.inserted:
            self.line.mark(MarkKind.INSERTED, start)
        if group.struck:
            self.has_struck_text = True
            self.line.mark(MarkKind.DELETED, start, STRUCK_THROUGH)
        low = self.in_table and self.low_row
        if low or group.is_invisible(self.colours, in_shade=self.in_table and self.shaded):
            self.has_hidden_text = True
            self.line.mark(MarkKind.HIDDEN, start)

    def _mark_deletion(self) -> None:
        if self.deleted_text.strip():
            self.line.mark_point(MarkKind.DELETED, " ".join(self.deleted_text.split()))
        self.deleted_text = ""

    def finish(self) -> Fragment:
        self._flush()
        self.group = GroupState()
        while self.pending_blocks:
            self._end_aside("note")
        self._end_line(self.cell if self.in_table else self.blocks)
        if self.cell:
            self._end_cell()
        self._end_table()
        for number, note in enumerate(self.notes, 1):
            if note.text.strip():
                self.blocks.append(footnote(number, note))
        self.blocks += self.margins
        return join_fragments(self.blocks, "\n\n")


def read_rtf(file: RawFile) -> Content:
    parser = _Parser()
    for token in rtf_tokens(file.data, max(0, file.data.find(b"{\\rtf"))):
        parser.consume(token)
    whole = parser.finish()
    if not whole.text.strip() and not parser.pictures:
        raise InputError(
            f"{file.path}: the document holds no text.",
            remedy="If it shows pictures of pages, print it to PDF and add that.",
        )
    whole.add("\n")
    false_length = parser.has_false_length
    comments = {
        "It has tracked changes, read as if all were accepted.": parser.has_changes,
        "It holds hidden text, which is read and marked.": parser.has_hidden_text,
        "It has words that are struck through, which are read and marked.": parser.has_struck_text,
        f"It has {parser.comments} comment{'s' if parser.comments > 1 else ''}, kept separate from "
        "the text.": parser.comments > 0,
        "It has lists to choose from, whose words are not read.": parser.has_form_lists,
        "The file is damaged: a picture in it is said to be longer than the file.": false_length,
        "The file may be truncated: its end is missing.": bool(parser.outer_groups),
    }
    warnings = (warning for warning, holds in comments.items() if holds)
    return Content.from_fragment(whole, warnings, filter(None, parser.pictures))


READER = Reader(name="rtf", version=6, media_types=frozenset({MediaType.RTF}), read=read_rtf)
