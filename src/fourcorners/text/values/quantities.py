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
from fourcorners.text.values.numbers import (
    DATA,
    FIGURES,
    IN_WORDS,
    SCALES,
    any_of,
    parse_number,
    part_in_figures,
    part_in_words,
)

PERCENT = "%"
PART = "part"
_LONGEST_MARK = 24  # characters of a currency before a number
# A number and its scale may be on two lines; a letter there belongs to the next line.
_LARGE = any_of(each for each in SCALES if each not in DATA["short_scales"])
_SHORT = any_of(each for each in DATA["short_scales"] if each.isascii())
_CODE = any_of({*DATA["codes"].split()} - {*DATA["words"].split()})
_SCALE = (
    rf"(?:(?:-|\s{{{{0,9}}}})(?P<scale{{0}}>{_LARGE})\b"
    rf"|[^\S\n]?(?P<short{{0}}>(?:{_SHORT})\b|[万萬億亿])(?:\.(?=\s?(?:{_CODE}|€|£|\$)))?)?"
)
# Hundredths, thousandths and hundredths of hundredths.
_SHARE = (
    r"%|‰|per\s?cent(?:um|age\s+points?)?\b(?:\.(?=\s+(?-i:[a-z])))?"
    r"|per\s?mille?\b|basis\s+points?\b|bps\b"
)
_UNITS = "hour|day|week|fortnight|month|quarter|year"
_DIVIDED = rf"(?:{_LARGE})\b|{_SHARE}|(?:{_UNITS})s?(?!\w\w)"
# An amount is repeated after words alone: "five million (£5,000,000)", but "Q1 ($2,500)".
_AGAIN = (
    rf"(?:\s*\(\s*(?(spelt)(?:[a-z]{{0,3}}\.?[^\w\s()]?\s?)?|)"
    rf"(?P<again>{FIGURES})\s*(?P<hundredths>%)?\s*\)"
    rf"|\s*\(\s*\d+/\d+(?:rds?|ths?)?\s*\)|\s*\((?={IN_WORDS})[a-z\s,-]{{3,70}}\))?"
)
_KINDS = (
    r"(?:(?:(?P<kind>business|working|banking|trading)|calendar|consecutive|full|whole|clear"
    r"|further|successive|additional|contract|annual)[\s-]+){0,2}"
)
_QUANTITY = re.compile(
    rf"(?P<number>(?P<bare>(?P<part>{part_in_figures(_DIVIDED)})|(?=[\d.])(?<!\d)(?<!\d[.,])"
    rf"(?:{FIGURES}|(?<![\w.])\.\d+)"
    rf"|(?<![\w-])(?P<spelt>(?P<words>{part_in_words(_DIVIDED)})|{IN_WORDS}))"
    rf"(?:(?(part)|(?(words)|(?!)))\s+(?:of\s+)?(?:an?|one|1)(?=[\s-]*(?:{_DIVIDED})))?"
    rf"{_SCALE.format(1)}{_AGAIN}{_SCALE.format(2)})"
    rf"(?:[\s-]*{_KINDS}(?P<unit>{_UNITS})s?(?!\w\w|[\s-]end\b)"
    rf"|\s{{0,4}}(?:of\s+)?(?P<percent>{_SHARE})(?:\s*\(\s*(?P<share>\d[\d.]*)\s*%\s*\))?"
    r"|(?P<times>\s+times(?=\s+(?:the|that|its|their|such|this|any)\b)))?",
    re.IGNORECASE,
)
# Units are found first, which is fast, and then the number before each of them.
_UNIT = re.compile(r"[fFhHdDwWmMqQyY](?i:ortnight|our|ay|eek|onth|uarter|ear)")
_LONGEST_COUNT = 120  # characters of a number before its unit
_AFTER_UNIT = 24  # characters after a unit that say that it is none
_DECIMALS, _OF_TIME = 15, 4  # of a part: a third of 300,000 is 100,000; of a month
_RATE = re.compile(
    rf"(?:/\s?|\b(?:an?\s+(?:calendar\s+)?|(?P<each>(?:per|each|every|(?:in|during)\s+any)\s+(?:\w+\s+)?)))"
    rf"(?P<unit>{_UNITS}|annum)\b(?!['’]|\s+(?:after|before|from|later|earlier|thereafter|of\s+(?:the|its)"
    r"\s+(?:term|date))\b)"
    r"|\b(?P<adverb>annual|(?<!-)(?:year|dai|hour|week|fortnight|month|quarter)(?=ly))(?:ly)?\b"
    r"|\bp\.?\s?(?:c\.?\s?)?(?P<short>[am])\b\.?",
    re.IGNORECASE,
)
# What is done each month to a sum for a year, or to its interest, before and after the month.
_DONE = (
    r"\b(?:(?:compound|capitali[sz]|calculate|compute|credit|invoic|bill)\w*|paid|payable|due)"
    r"(?:\s+(?:and|or)\s+\w+)?"
)
_FREQUENCY = re.compile(rf"{_DONE}\s+$", re.IGNORECASE)
_APART = re.compile(rf"\W*{_DONE}", re.IGNORECASE)
# What is done each month to a share of a year.
_CREDITED = re.compile(
    r"\s+(?:is|are|(?:shall|will)\s+be)\s+(?:compound|capitali[sz]|calculate|compute|credit|add)",
    re.IGNORECASE,
)
_ACCRUES = re.compile(r"\baccru\w*\s+$", re.IGNORECASE)
_IN_PARTS = re.compile(r"\s+(?:compounding|rests?|basis|instal\w+)\b(?!\s+of\b)", re.IGNORECASE)
_RATE_WORDS = 6  # words between a quantity and the time that it is for each of, at most
_NO_CENTS = (
    "%",
    "per cent",
    "percent",
    "day",
    "week",
    "month",
    "year",
)  # what follows digits that are no cents
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
        unit: `hour`, `day`, `week`, `fortnight`, `month`, `quarter`, `year`, `%`, empty, or `part`
            of what follows: "one third of the Fees", "twice the Fees".
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
    share = (match["percent"] or match["hundredths"] or "").casefold()
    unit = PERCENT if share else (match["unit"] or "").casefold()
    mark, start = _mark_before(text, start, bare)
    if mark and unit:  # "a loan of $30 days after"
        unit, end = "", match.end("number")
    if not unit:  # "$5 CAD": what follows says which dollar it is
        after, end = _mark_after(text, end, within.end, bare)
        mark = after or mark
    cents = text[end : min(end + 3, within.end)] if end == match.end("bare") else ""
    is_decimal_comma = bool(mark) and bare.isdecimal() and _currency(mark) not in _ENGLISH
    if is_decimal_comma and _are_cents(cents, text[end + 3 :]):  # "EUR 12,50"
        bare, end = bare + cents, end + len(cents)
    again = match["share"] or match["again"]
    if again and not (mark or unit):
        mark, _ = _mark_before(text, match.start("again"), again)
    scale = match["scale1"] or match["scale2"] or match["short1"] or match["short2"] or ""
    is_short = scale.casefold() in DATA["short_scales"]
    begins = match.start("short1") if match["short1"] else match.start("short2")
    is_item = scale.casefold() == "b" and begins > match.end("bare")
    if is_short and (is_item if mark else not _is_attached(match)):
        scale, unit, end = "", "", match.end("bare")  # "10 m of cable", "(a) $100 b) $200"
    size = SCALES[scale.casefold()] if scale else Decimal(1)
    # "€1.250" has thousands; "$1.250", "1.250 km" and "1.250 million" have decimals.
    is_decimal = bool(scale) or not mark or _currency(mark) in _ENGLISH
    number = parse_number(bare, is_decimal=is_decimal) or Decimal(0)
    repeated = parse_number(again, is_decimal=is_decimal) if again else None
    if repeated is not None and match.end("again") < max(match.end("scale2"), match.end("short2")):
        repeated *= size
    number *= size
    if share.startswith(("b", "‰", "per m", "perm")):
        divisor = 100 if share.startswith("b") else 10
        number /= divisor
        repeated = repeated / divisor if repeated and not match["share"] else repeated
    if match["part"] or match["words"]:
        number = round(number, _DECIMALS if unit in ("", PERCENT) else _OF_TIME)
    if not (unit or mark or scale) and (match["part"] or match["words"] or match["times"]):
        unit = PART
    if unit == "year" and number < 1 and (number * 12) % 1 == 0:  # "half a year"
        number, unit = number * 12, "month"
    return Quantity(
        number,
        repeated,
        unit,
        (match["kind"] or "").casefold() if unit else "",
        mark,
        Span(start, end),
    )


def _are_cents(cents: str, rest: str) -> bool:
    is_pair = len(cents) == 3 and cents[0] == "," and cents[1:].isascii() and cents[1:].isdigit()
    return is_pair and not rest[:1].isdigit() and not rest.lstrip().casefold().startswith(_NO_CENTS)


def find_rates(text: str, within: Span) -> Iterator[tuple[Quantity, str, int]]:
    """Yield the numbers, the unit of time that each is for each of, and where its words end.

    They follow a number ("€40 a month", "5% of the price for each year") or precede a sum or a
    share: "the annual fee is €40".
    """
    quantities = [*find_quantities(text, within)]
    ends = [*(each.span.start for each in quantities[1:]), within.end]
    start = within.start
    for quantity, limit in zip(quantities, ends, strict=False):
        unit, end = _rate_after(text, quantity, limit)
        if not unit and (quantity.mark or quantity.unit == PERCENT):
            is_share = quantity.unit == PERCENT
            if not (is_share and _CREDITED.match(text, end)):
                unit = _rate_before(text[start : quantity.span.start], is_share=is_share)
        yield quantity, unit, end
        start = end


def _rate_after(text: str, quantity: Quantity, limit: int) -> tuple[str, int]:
    start = end = quantity.span.end
    is_measured = bool(quantity.mark or quantity.unit)
    for rate in _RATE.finditer(text, end, limit):
        between = text[start : rate.start()]
        if _FREQUENCY.search(between):  # "8%, compounded monthly, a year"
            start = rate.end()
            continue
        between = between if start == end else between.lstrip(",) ")
        is_next = is_measured and not between.strip("( ")  # and not "12 monthly visits"
        if is_next or (rate["each"] and _is_one_clause(between)):
            is_aside = between.strip() == "(" and text[rate.end() : limit].startswith(")")
            return _rate_unit(rate), rate.end() + is_aside
        break
    return "", end


def _rate_before(text: str, *, is_share: bool) -> str:
    first, *asides = text.rpartition(". ")[2].split(",")
    lead = " ".join((first, *asides[-1:]))  # "the annual fee, payable in advance, is €40"
    apart = len(first) if asides else 0
    found = [
        each
        for each in _RATE.finditer(lead)
        if (each["adverb"] or each["each"])
        and not _FREQUENCY.search(lead, 0, each.start())
        and not (is_share and _ACCRUES.search(lead, 0, each.start()))
        and not _IN_PARTS.match(lead, each.end())
        and not (each.start() < apart and _APART.match(lead))
    ]
    is_near = bool(found) and _is_one_clause(lead[found[-1].end() :])
    return _rate_unit(found[-1]) if is_near else ""


def _is_one_clause(words: str) -> bool:
    return len(words.split()) <= _RATE_WORDS and set(words).isdisjoint(",.;:()")


def _rate_unit(rate: re.Match[str]) -> str:
    word = (rate["unit"] or rate["adverb"] or rate["short"]).casefold()
    return {"annum": "year", "annual": "year", "dai": "day", "a": "year", "m": "month"}.get(
        word, word
    )


def _is_attached(match: re.Match[str]) -> bool:
    """Return whether a short scale follows its figures without a space: "10K", not "10 K".

    "Clause 5b" is a place.
    """
    return match.end("bare") == match.start("short1") and match["short1"] not in ("b", "B")


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
