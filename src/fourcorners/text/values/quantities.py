"""Numbers with what they count: a currency, a share, or a unit of time.

A currency is the codes of ISO 4217 that it may be, in a string: "GBP", "JPY CNY"; empty for none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from functools import cache

from fourcorners.text.span import Span
from fourcorners.text.values.numbers import DATA, FIGURES, IN_WORDS, SCALES, any_of, parse_number

PERCENT = "%"
_LONGEST_MARK = 24  # characters of a currency before a number
# A number and its scale may be on two lines; a letter there belongs to the next line.
_SCALE = (
    rf"(?:(?:-|\s{{{{0,9}}}})(?P<scale{{0}}>{any_of(DATA['scales'])})\b"
    rf"|[^\S\n]?(?P<short{{0}}>{any_of(DATA['short_scales'])})\b)?"
)
# An amount is repeated after words alone: "five million (£5,000,000)", but "Q1 ($2,500)".
_AGAIN = (
    rf"(?:\s*\(\s*(?(spelt)(?:[a-z]{{0,3}}\.?[^\w\s()]?\s?)?|)"
    rf"(?P<again>{FIGURES})\s*(?P<hundredths>%)?\s*\)"
    rf"|\s*\((?={IN_WORDS})[a-z\s,-]{{3,70}}\))?"
)
_KINDS = (
    r"(?:(?:(?P<kind>business|working|banking|trading)|calendar|consecutive|full|whole|clear"
    r"|further|successive|additional|contract|annual)[\s-]+){0,2}"
)
_QUANTITY = re.compile(
    rf"(?P<number>(?P<bare>(?=[\d.])(?<!\d)(?<!\d[.,])(?:{FIGURES}|(?<![\w.])\.\d+)"
    rf"|(?<![\w-])(?P<spelt>{IN_WORDS})){_SCALE.format(1)}{_AGAIN}{_SCALE.format(2)})"
    rf"(?:[\s-]*{_KINDS}(?P<unit>hour|day|week|month|quarter|year)s?(?!\w\w|[\s-]end\b)"
    rf"|\s{{0,4}}(?P<percent>%|per\s?cent(?:um)?\b)(?:\s*\(\s*(?P<share>\d[\d.]*)\s*%\s*\))?)?",
    re.IGNORECASE,
)
# Units are found first, which is fast, and then the number before each of them.
_UNIT = re.compile(r"[hHdDwWmMqQyY](?i:our|ay|eek|onth|uarter|ear)")
_LONGEST_COUNT = 120  # characters of a number before its unit
_AFTER_UNIT = 8  # characters after a unit that say that it is none
_FRACTION = re.compile(r"\b(?:half|quarters?|tenths?|hundredths?)\s+of\s+\Z", re.IGNORECASE)
_ENGLISH = ("USD", "GBP")  # currencies of countries where a point never groups thousands
# "Eighteen pounds per square inch" is no amount.
_NO_CURRENCY = (
    r"(?!(?i:\s+(?:per\s+(?:square|cubic)|of\s+(?:force|pressure|weight)|weight|avoirdupois)\b))"
)


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number with what it counts.

    Attributes:
        again: The number as it is repeated in figures: 30 of "thirty (30) days".
        unit: `hour`, `day`, `week`, `month`, `quarter`, `year`, `%`, or empty.
        kind: `business`, `working`, `banking` or `trading`, of days.
        mark: The currency in the words of the text.
    """

    number: Decimal
    again: Decimal | None
    unit: str
    kind: str
    mark: str
    span: Span

    @property
    def currency(self) -> str:
        return _currency(self.mark) if self.mark else ""


def find_quantities(text: str, within: Span) -> Iterator[Quantity]:
    """Yield the numbers of a part of the text, in order."""
    for match in _QUANTITY.finditer(text, within.start, within.end):
        yield _read(text, match, within)


def find_times(text: str, within: Span) -> Iterator[Quantity]:
    """Yield the numbers with a unit of time, in order: as `find_quantities` does, but faster."""
    done = within.start
    for unit in _UNIT.finditer(text, within.start, within.end):
        if unit.start() < done:
            continue
        start = max(done, unit.start() - _LONGEST_COUNT)
        end = min(within.end, unit.end() + _AFTER_UNIT)
        for match in _QUANTITY.finditer(text, start, end):
            if match["unit"] and match.end() > unit.start():
                done = match.end()
                quantity = _read(text, match, within)
                if quantity.unit:
                    yield quantity


def _read(text: str, match: re.Match[str], within: Span) -> Quantity:
    bare, (start, end) = match["bare"], match.span()
    is_share = match["percent"] or match["hundredths"]
    unit = PERCENT if is_share else (match["unit"] or "").casefold()
    mark, start = _mark_before(text, start, bare)
    if mark and unit:  # "a loan of $30 days after"
        unit, end = "", match.end("number")
    if not unit:  # "$5 CAD": what follows says which dollar it is
        after, end = _mark_after(text, end, within.end, bare)
        mark = after or mark
    again = match["share"] or match["again"]
    if again and not (mark or unit):
        mark, _ = _mark_before(text, match.start("again"), again)
    scale = match["scale1"] or match["scale2"] or match["short1"] or match["short2"] or ""
    if scale.casefold() in DATA["short_scales"] and not mark and not _is_attached(match):
        scale, unit, end = "", "", match.end("bare")  # "10 m of cable"
    power = SCALES[scale.casefold()] if scale else 0
    # "€1.250" has thousands; "$1.250", "1.250 km" and "1.250 million" have decimals.
    is_decimal = bool(power) or not mark or _currency(mark) in _ENGLISH
    number = parse_number(bare, is_decimal=is_decimal) or Decimal(0)
    repeated = parse_number(again, is_decimal=is_decimal) if again else None
    if is_share and _FRACTION.search(text[max(0, start - _LONGEST_MARK) : start]):
        if repeated is None:  # "a tenth of one percent"
            unit, end = "", match.end("number")
        number = repeated or number
    if repeated is not None and match.end("again") < max(match.end("scale2"), match.end("short2")):
        repeated = repeated.scaleb(power)
    return Quantity(
        number.scaleb(power) if power else number,
        repeated,
        unit,
        (match["kind"] or "").casefold() if unit else "",
        mark,
        Span(start, end),
    )


def _is_attached(match: re.Match[str]) -> bool:
    """Return whether a short scale follows its figures without a space: "10K", not "10 K"."""
    return match.end("bare") == match.start("short1")


def find_currencies(text: str) -> Iterator[tuple[str, str]]:
    """Yield each mark or name of a currency in a text, and the currency."""
    for match in _marks()[0].finditer(text):
        yield match.group(), _currency(match.group())


def remove_currencies(text: str) -> str:
    return _marks()[0].sub("", text)


def may_be_same(one: str, other: str) -> bool:
    return not set(one.split()).isdisjoint(other.split())


def _mark_before(text: str, start: int, number: str) -> tuple[str, int]:
    """Return the currency that is written before a number at `start`, and where it begins."""
    first = max(0, start - _LONGEST_MARK)
    lead = text[first:start]
    if not lead.rstrip().rstrip(".").casefold().endswith(_ENDS):
        return "", start
    match = _marks()[1].search(lead)
    is_name_of_words = match is not None and match["name"] and number[0].isalpha()
    if match is None or is_name_of_words or not _is_currency(match["mark"], number):
        return "", start  # "three dollars eleven": the name belongs to the number before it
    return match["mark"], first + match.start("mark")


def _mark_after(text: str, end: int, limit: int, number: str) -> tuple[str, int]:
    """Return the currency that is written after a number that ends at `end`, and where it ends."""
    following = text[end : end + _LONGEST_MARK].lstrip("- (\n\u00a0")
    if not (following[:1].isupper() or following.casefold().startswith(_STARTS)):
        return "", end
    match = _marks()[2].match(text, end, limit)
    if match is None or not _is_currency(match["mark"], number):
        return "", end
    return match["mark"], match.end()


def _is_currency(mark: str, number: str) -> bool:
    """Return whether a mark is no word: "ALL 5,000" is lek, "ALL 3 PARTIES" is not."""
    return mark not in _CAPITALS or not number.isdigit()


def _currency(mark: str) -> str:
    plain = _plain(mark)
    for each in (plain, plain.removesuffix("s"), plain.removesuffix("$")):
        if each in _CODES:
            return _CODES[each]
    return plain.upper().removesuffix("S")  # one of which nothing is known: "BZ$", "Fijian dollars"


def _plain(mark: str) -> str:
    return re.sub(r"[\s.]", "", mark.casefold())


def _pattern(mark: str) -> str:
    """Return what finds a mark or a name: "US $" as well as "US$", names in the plural too."""
    if mark.endswith("$"):
        return r"\.?".join(mark[:-1]) + (r"\.?\s?\$" if mark[:-1] else r"\$")
    plural = "s?" if len(mark) > len("Rs") + 1 else ""
    return r"\s+".join(map(re.escape, mark.split())) + plural


# How currencies are written: codes that are English words, too; the currency of each mark, in small
# letters, without points and spaces; and how marks begin and end.
_CAPITALS = DATA["words"].split()
_WRITTEN = {**DATA["marks"], **DATA["names"]}
_CODES: dict[str, str] = {each.casefold(): each for each in DATA["codes"].split()}
_STARTS = tuple({each.split()[0].casefold()[:3] for each in (*_CODES, *_WRITTEN)})
_ENDS = tuple({*_CODES, "s", *(each.casefold()[-3:] for each in _WRITTEN)})
_CODES |= {_plain(name): value for name, value in _WRITTEN.items()}


@cache
def _marks() -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    """Return what finds a currency anywhere, before a number, and after one."""
    spelt = [f"{each}\\$?" for each in DATA["codes"].split() if each not in _CAPITALS]
    spelt += [_pattern(each) for each in DATA["marks"]]
    signs = "".join(each for each in DATA["marks"] if len(each) == 1)
    nouns = "|".join(_pattern(each) for each in DATA["names"] if " " not in each)
    strange = rf"(?!(?i:{IN_WORDS}))[A-Z][a-z]+\s(?i:{nouns})"  # "Fijian dollars"
    named = rf"(?i:{any_of(map(_pattern, DATA['names']))})|{strange}"
    edge = r"[^\W\d_]"
    short = (
        rf"(?<!{edge})(?:(?i:{any_of(spelt)})|[A-Z]{{1,3}}\$|{'|'.join(_CAPITALS)})(?!{edge})"
        rf"|[{re.escape(signs)}]"
    )
    named = rf"(?<!{edge})(?:{named})(?!{edge}){_NO_CURRENCY}"
    return (
        re.compile(rf"{named}|{short}"),
        re.compile(
            rf"(?P<mark>(?P<name>{named})(?=[^\S\n]?\Z)|(?:{short})(?=(?<={edge})\.[^\S\n]?\Z|\s{{0,3}}\Z))"
        ),
        re.compile(
            rf"(?:\s{{1,3}}(?![$£])|-|(?P<open>\s?\(\s?))?(?P<mark>{named}|{short})"
            r"(?(open)\s?\)|(?!\.?\s?\d))"
        ),
    )
