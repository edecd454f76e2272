"""Elements that show more than the words between their tags: numbers of lists, fields of forms."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from fourcorners.documents.appearance import check_sign
from fourcorners.documents.number_formats import format_number
from fourcorners.text.patterns import load_yaml

ELEMENTS = load_yaml(Path(__file__).with_name("elements.yaml").read_text("utf-8"))
_LIST_STYLES: dict[str, str] = ELEMENTS["list_styles"]
_LIST_STYLE = re.compile(r"list-style(?:-type)?\s*:[^;]*?([a-z]+(?:-[a-z]+)*)", re.IGNORECASE)
_SHOWN_INPUTS = frozenset(ELEMENTS["shown_inputs"].split())


@dataclass(slots=True)
class HtmlList:
    style: str
    count: int
    step: int = 1

    @classmethod
    def from_tag(cls, tag: str, attributes: Mapping[str, str]) -> HtmlList:
        list_style = _LIST_STYLE.search(attributes.get("style", ""))
        style = _LIST_STYLES.get(list_style.group(1).lower()) if list_style else None
        if style == "none":
            return cls("none", 0)
        if tag != "ol":
            return cls(style or "bullet", 0)
        start = parse_integer(attributes.get("start"))
        step = -1 if "reversed" in attributes else 1
        style = style or _LIST_STYLES.get(attributes.get("type", ""), "decimal")
        return cls(style, (1 if start is None else start) - step, step)

    def item_label(self, attributes: Mapping[str, str], level: int) -> tuple[str, str] | None:
        if self.style == "bullet":
            return "\u2022", str(level)
        own = parse_integer(attributes.get("value"))
        self.count = self.count + self.step if own is None else own
        number = format_number(self.count, _LIST_STYLES.get(attributes.get("type", ""), self.style))
        return (f"{number}.", str(level)) if number else None


@dataclass(slots=True)
class SelectField:
    """The options of a `select`: a list shows all, a menu the chosen or the first one."""

    is_list: bool
    options: list[tuple[list[str], bool]] = field(default_factory=list)

    @classmethod
    def from_attributes(cls, attributes: Mapping[str, str]) -> SelectField:
        return cls("multiple" in attributes or (parse_integer(attributes.get("size")) or 1) > 1)

    def open_option(self, tag: str, attributes: Mapping[str, str]) -> None:
        if tag == "option":
            self.options.append(([], "selected" in attributes))
        elif self.is_list:
            self.options.append(([attributes.get("label", "")], False))

    def add_words(self, words: str) -> None:
        if self.options:
            self.options[-1][0].append(words)

    def text(self) -> str:
        chosen = [words for words, selected in self.options if selected or self.is_list]
        words = chosen if self.is_list else chosen[-1:] or [each for each, _ in self.options[:1]]
        return " ".join(" ".join("".join(each).split()) for each in words)


def input_words(attributes: Mapping[str, str]) -> str:
    """Return what an `input` shows: its state or value, or the hint where it is empty."""
    kind = attributes.get("type", "text").lower()
    if kind in ("checkbox", "radio"):
        return check_sign(ticked="checked" in attributes)
    if kind not in _SHOWN_INPUTS:
        return ""
    value = " ".join(attributes.get("value", "").split())
    return value or " ".join(attributes.get("placeholder", "").split())


def parse_integer(value: str | None) -> int | None:
    match = re.fullmatch(r"\s*([+-]?\d{1,6})\s*", value or "")
    return int(match.group(1)) if match else None
