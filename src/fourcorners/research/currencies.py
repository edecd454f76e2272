"""Currencies as contracts write them: codes, marks and names, before a number or after it.

A currency is the codes of ISO 4217 that it may be, in a string: "GBP", "JPY CNY"; empty for none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from fourcorners.text.yaml_data import load_yaml

_FILE = Path(__file__).with_name("currencies.yaml")
_LONGEST = 24  # characters of a mark before a number


@dataclass(frozen=True)
class _Marks:
    """How currencies are written.

    Attributes:
        codes: The currency of each mark, in small letters, without points and spaces.
    """

    codes: dict[str, str]
    anywhere: re.Pattern[str]
    before: re.Pattern[str]
    after: re.Pattern[str]


def currency_before(text: str, start: int) -> tuple[str, int]:
    """Return the currency that is written before a number at `start`, and where it begins."""
    first = max(0, start - _LONGEST)
    match = _marks().before.search(text[first:start])
    return (_currency(match["mark"]), first + match.start("mark")) if match else ("", start)


def currency_after(text: str, end: int) -> tuple[str, int]:
    """Return the currency that is written after a number that ends at `end`, and where it ends."""
    match = _marks().after.match(text, end)
    return (_currency(match["mark"]), match.end()) if match else ("", end)


def find_currencies(text: str) -> Iterator[tuple[str, str]]:
    """Yield each mark or name of a currency in a text, and the currency."""
    for match in _marks().anywhere.finditer(text):
        yield match.group(), _currency(match.group())


def remove_currencies(text: str) -> str:
    return _marks().anywhere.sub("", text)


def may_be_same(one: str, other: str) -> bool:
    return not set(one.split()).isdisjoint(other.split())


def _currency(mark: str) -> str:
    known, plain = _marks().codes, re.sub(r"[\s.]", "", mark.casefold())
    for each in (plain, plain.removesuffix("s"), plain.removesuffix("$")):
        if each in known:
            return known[each]
    return plain.upper().removesuffix("S")  # one of which nothing is known: "BZ$", "Fijian dollars"


@cache
def _marks() -> _Marks:
    data = load_yaml(_FILE.read_text(encoding="utf-8"))
    codes, capitals = data["codes"].split(), data["words"].split()
    known = {each.casefold(): each for each in codes}
    for name, value in {**data["marks"], **data["names"]}.items():
        known[re.sub(r"[\s.]", "", name.casefold())] = value
    spelt = [f"{each}\\$?" for each in codes if each not in capitals]
    spelt += [_pattern(each) for each in (*data["marks"], *data["names"])]
    letters = "|".join(sorted(spelt, key=len, reverse=True))
    signs = "".join(each for each in data["marks"] if len(each) == 1)
    nouns = "|".join(_pattern(each) for each in data["names"] if " " not in each)
    strange = rf"[A-Z]{{1,3}}\$|[A-Z][a-z]+\s(?i:{nouns})"
    mark = (
        rf"(?:(?<![^\W\d_])(?:(?i:{letters})|{strange}|{'|'.join(capitals)})(?![^\W\d_])"
        rf"|[{re.escape(signs)}])"
    )
    return _Marks(
        known,
        re.compile(mark),
        re.compile(rf"(?P<mark>{mark})\.?\s?$"),
        re.compile(rf"(?:[\s-]|\s?\(\s?)?(?P<mark>{mark})(?!\.?\s?\d)"),
    )


def _pattern(mark: str) -> str:
    """Return what finds a mark or a name: "US $" as well as "US$", names in the plural too."""
    if mark.endswith("$"):
        return r"\.?".join(mark[:-1]) + (r"\.?\s?\$" if mark[:-1] else r"\$")
    plural = "s?" if len(mark) > len("Rs") + 1 else ""
    return r"\s+".join(map(re.escape, mark.split())) + plural
