"""Word's fields: their results are text, their codes are not."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Generic, TypeVar

from fourcorners.documents.appearance import check_sign
from fourcorners.documents.docx.styles import W, on_off, parse_integer, val_attribute

if TYPE_CHECKING:
    from lxml.etree import _Element

_Run = TypeVar("_Run")
_W14 = "{http://schemas.microsoft.com/office/word/2010/wordml}"
_CODE_PART = re.compile(r'\\\S|"([^"]*)"|[^\s"]+')
# Fields that show nothing where they are, and those of forms, whose state is stored elsewhere.
_SHOWS_NOTHING = frozenset({
    "ADVANCE", "ASK", "DATA", "FORMCHECKBOX", "FORMDROPDOWN", "FORMTEXT", "NEXT", "NEXTIF",
    "PRIVATE", "RD", "SET", "SKIPIF", "TA", "TC", "XE",
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class FieldCode:
    """What a field is to show: its kind in capitals, its arguments, its switches with theirs."""

    kind: str
    arguments: tuple[str, ...]
    switches: dict[str, str]

    @property
    def shows_words(self) -> bool:
        return self.kind not in _SHOWS_NOTHING


def parse_field_code(text: str) -> FieldCode | None:
    """Parse the code of a field; None if it is empty."""
    arguments: list[str] = []
    switches: dict[str, str] = {}
    switch = ""
    for part in _CODE_PART.finditer(text):
        quoted, word = part.group(1), part.group()
        if quoted is None and word.startswith("\\"):
            switch = word.lower()
            switches[switch] = ""
        elif switch:
            switches[switch] = word if quoted is None else quoted
            switch = ""
        else:
            arguments.append(word if quoted is None else quoted)
    if not arguments:
        return None
    return FieldCode(arguments[0].upper(), tuple(arguments[1:]), switches)


def button_text(code: str) -> str:
    """Return the words that a button shows, which are in its code; empty for other fields."""
    kind, *rest = code.split(maxsplit=2)
    is_button = kind.upper() in ("MACROBUTTON", "GOTOBUTTON") and len(rest) == 2
    return rest[1].strip() if is_button else ""


@dataclass(slots=True)
class FieldState(Generic[_Run]):
    """The fields that are open at a place: for each its code, and whether that goes on."""

    _open: list[tuple[list[str], bool]] = field(default_factory=list)
    _codes: int = 0  # how many of the open ones are still being written
    _withheld: list[tuple[str, _Run]] = field(default_factory=list)

    def update(self, node: _Element) -> str:
        """Open or close a field, and return the code of one that ends without a stored result."""
        code = ""
        match node.get(f"{W}fldCharType"):
            case "begin":
                self._open.append(([], True))
                self._codes += 1
            case "separate" if self._open:
                written, in_code = self._open[-1]
                self._codes -= in_code
                self._open[-1] = written, False
            case "end" if self._open:
                written, in_code = self._open.pop()
                self._codes -= in_code
                code = "".join(written) if in_code and not self._codes else ""
        if not self._codes:
            self._withheld.clear()
        return code

    def add_code(self, node: _Element) -> None:
        if self._open and self._open[-1][1]:
            self._open[-1][0].append(node.text or "")

    @property
    def in_code(self) -> bool:
        """Tell whether words here are the result of a field within another field's code."""
        return self._codes > (self._open[-1][1] if self._open else 0)

    def is_hidden_text(self, words: str, run: _Run) -> None:
        """Hold back words of a field's code, as long as the code may still end."""
        self._withheld.append((words, run))

    def flush_paragraph(self) -> list[tuple[str, _Run]]:
        """Drop fields whose code did not end, and return their words, so that they are not lost."""
        withheld, self._withheld = self._withheld, []
        if self._codes:
            self._open.clear()
            self._codes = 0
        return withheld


def form_field_text(node: _Element) -> str:
    data = node.find(f"{W}ffData")
    if data is None:
        return ""
    options = data.find(f"{W}ddList")
    if options is not None:
        entries = [entry.get(f"{W}val") or "" for entry in options.iterfind(f"{W}listEntry")]
        stated = (parse_integer(val_attribute(options, name)) for name in ("result", "default"))
        chosen = next((number for number in stated if number), 0)
        return entries[chosen] if 0 <= chosen < len(entries) else ""
    box = data.find(f"{W}checkBox")
    if box is None:
        return ""
    ticked = on_off(box, "checked")
    if ticked is None:
        ticked = on_off(box, "default")
    return check_sign(ticked=bool(ticked))


def control_sign(control: _Element) -> str:
    """Return the state of a content control that is a check box; empty for others."""
    box = control.find(f"{W}sdtPr/{_W14}checkbox")
    if box is None:
        return ""
    state = box.find(f"{_W14}checked")
    return check_sign(ticked=state is not None and state.get(f"{_W14}val") in ("1", "true"))
