"""Word's fields: their results are text, their codes are not."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Generic, TypeVar

from fourcorners.documents.docx.styles import W, on_off, parse_integer, val_attribute

if TYPE_CHECKING:
    from lxml.etree import _Element

_Run = TypeVar("_Run")
_TICKED, _UNTICKED = "\u2612", "\u2610"


@dataclass(slots=True)
class FieldState(Generic[_Run]):
    """The fields that are open at a place: for each, whether its code is still being written."""

    _open: list[bool] = field(default_factory=list)
    _codes: int = 0  # how many of the open ones are still being written
    _withheld: list[tuple[str, _Run]] = field(default_factory=list)

    def update(self, node: _Element) -> None:
        match node.get(f"{W}fldCharType"):
            case "begin":
                self._open.append(True)
                self._codes += 1
            case "separate" if self._open:
                self._codes -= self._open[-1]
                self._open[-1] = False
            case "end" if self._open:
                self._codes -= self._open.pop()
        if not self._codes:
            self._withheld.clear()

    @property
    def in_code(self) -> bool:
        """Tell whether words here are the result of a field within another field's code."""
        return self._codes > (self._open[-1] if self._open else 0)

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
    return _TICKED if ticked else _UNTICKED
