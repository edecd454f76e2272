"""Find the figures of a clause: periods, amounts, shares and dates, each with its place.

They are normalised: "thirty (30) days" is `30 days`, "five million pounds" is `£5,000,000`, "twelve
(12) months' fees" is `12 months' fees`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal

from fourcorners.outline.card.dates import find_dates as find_written_dates
from fourcorners.text.span import Span

_ONES = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"),
    *("eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen"),
    "nineteen",
)
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_SMALL = {word: at for at, word in enumerate(_ONES)} | {
    word: 20 + 10 * at for at, word in enumerate(_TENS)
}
_LARGE = {"hundred": 100, "thousand": 1_000, "million": 1_000_000, "billion": 1_000_000_000}
_WORD = "|".join(sorted((*_SMALL, *_LARGE), key=len, reverse=True))
_IN_WORDS = rf"(?:{_WORD})(?:(?:\s+and\s+|[\s-]+)(?:{_WORD})){{0,9}}"
_FIGURE = r"\d{1,3}(?:[,.'’\s]\d{3})+(?:\.\d{1,2})?(?!\d)|\d+(?:\.\d{1,2})?"
_NUMBER = rf"(?:{_FIGURE}|(?<![\w-])(?:{_IN_WORDS}))(?![\w])"
_AGAIN = r"(?:\s*\(\s*\d[\d,.]*\s*%?\s*\))?"

_PERIOD = re.compile(
    rf"(?<![\w.$£€])(?P<number>{_NUMBER}){_AGAIN}[\s-]+"
    r"(?:(?P<kind>business|working|banking|calendar|consecutive|full|whole|clear|further|successive|additional)"
    r"[\s-]+)?(?P<unit>day|week|month|quarter|year)s?(?![\w])(?P<of>['’]?s?['’]?\s+"
    r"(?P<what>fees|charges|payments|royalties|rent|revenues?|purchases)\b)?",
    re.IGNORECASE,
)
_SIGNS = {
    **dict.fromkeys(("$", "us$", "usd", "dollar", "dollars"), "$"),
    **dict.fromkeys(("£", "gbp", "pound", "pounds"), "£"),
    **dict.fromkeys(("€", "eur", "euro", "euros"), "€"),
    **{code: f"{code.upper()} " for code in ("chf", "jpy", "cny", "rmb", "cad", "aud", "inr")},
}
_CODE = r"US\$|\$|£|€|(?:USD|GBP|EUR|CHF|JPY|CNY|RMB|CAD|AUD|INR)\s?"
_UNIT = r"dollars?|pounds?|euros?|USD|GBP|EUR|CHF|JPY|CNY|RMB|CAD|AUD|INR"
# A number and its unit may be on two lines; a letter there belongs to the next line.
_SCALE = r"(?:(?:\s?|\s{{2,9}}(?=[tmb]\w{{6}}))(?P<{0}>thousand|million|billion|bn|mn|m|k)\b)?"
_AMOUNT = re.compile(
    rf"(?P<sign>{_CODE})\s?(?P<figure>{_FIGURE})(?![\d%])" + _SCALE.format("scale") + r"|"
    rf"(?<![\w.$£€])(?P<number>{_NUMBER})"
    r"(?:\s*\(\s*(?:US\$|[$£€])?\s*\d[\d,.]*\s*\))?"
    + _SCALE.format("times")
    + rf"\s+(?:U\.?S\.?\s+|United\s+States\s+)?(?P<unit>{_UNIT})(?![\w])"
    r"(?!\s+(?:per\s+(?:square|cubic)|of\s+(?:force|pressure|weight)|weight|avoirdupois))",
    re.IGNORECASE,
)
_SHARE = re.compile(
    rf"(?<![\w.])(?P<number>{_NUMBER}|\d+(?:\.\d+)?){_AGAIN}\s?(?:%|percent\b|per\s?cent\b|per\s+centum\b)"
    r"(?:\s*\(\s*\d[\d.]*\s*%\s*\))?"
    r"(?P<of>\s+of\s+(?:(?:the|all|its|their|such|that)\s+){0,2}[A-Za-z][\w’'-]*(?-i:(?:\s+[A-Z][\w’'-]*){0,4}))?",
    re.IGNORECASE,
)
_PAID_IN = re.compile(
    r"\b(?P<what>fees|charges|amounts?|sums|price|royalties|purchases)\b[^.;]{0,60}?"
    r"\b(?P<paid>paid|payable|due|invoiced|received)\b[^.;]{0,80}?\b(?:in|during|for|over)\b[^.;]{0,40}?"
    rf"(?P<number>{_NUMBER}){_AGAIN}[\s-]+(?:(?:calendar|consecutive|full)\s+)?(?P<unit>month|year)s?\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Value:
    """A value in a form to compare and print, and where it is written."""

    text: str
    span: Span


def parse_number(words: str) -> Decimal | None:
    """Return the number in figures or English words; None if there is none."""
    plain = words.strip().casefold()
    if plain[:1].isdigit():
        return _figure(plain)
    total, part, seen = Decimal(0), Decimal(0), False
    for word in re.split(r"[\s-]+", plain):
        if word in _SMALL:
            part, seen = part + _SMALL[word], True
        elif word == "hundred":
            part, seen = max(part, Decimal(1)) * 100, True
        elif word in _LARGE:
            total, part, seen = total + max(part, Decimal(1)) * _LARGE[word], Decimal(0), True
        elif word != "and":
            return None
    return total + part if seen else None


def _figure(plain: str) -> Decimal | None:
    """Read figures; three digits after a separator are thousands, fewer are decimals."""
    whole = re.sub(r"[,.'’\s](?=\d{3}(?:\D|$))", "", plain).replace(",", "")
    return Decimal(whole) if re.fullmatch(r"\d+(?:\.\d+)?", whole) else None


def find_durations(text: str, within: Span) -> list[Value]:
    """Return the periods in a part of the text, as `30 days`, `90 business days`, `2 years`."""
    return _drop_repeated(_durations(text, within))


def _durations(text: str, within: Span) -> Iterator[Value]:
    for match, count in _numbers(_PERIOD, text, within):
        if not match["of"]:
            kind = (match["kind"] or "").casefold()
            kind = f"{kind} " if kind in ("business", "working", "banking") else ""
            yield Value(
                _count_noun(count, f"{kind}{match['unit'].casefold()}"), Span(*match.span())
            )


def _numbers(
    pattern: re.Pattern[str], text: str, within: Span
) -> Iterator[tuple[re.Match[str], Decimal]]:
    """Yield each match with a readable number, and that number."""
    for match in pattern.finditer(text, within.start, within.end):
        figure = match.groupdict().get("figure")
        count = parse_number(figure or match["number"])
        if count is not None:
            yield match, count


def find_amounts(text: str, within: Span) -> list[Value]:
    """Return the sums in a part of the text: of money, of shares, and of the fees of a period.

    They have forms such as `$1,000,000`, `125% of the Charges`, `12 months' fees` and `fees paid in
    12 months`; in order of place, without duplicates.
    """
    found = sorted(
        (*_paid(text, within), *_money(text, within), *_shares(text, within)),
        key=lambda each: (each.span.start, -each.span.end),
    )
    apart: list[Value] = []
    for each in found:
        if not apart or each.span.start >= apart[-1].span.end:
            apart.append(each)
    return _drop_repeated(apart)


def _paid(text: str, within: Span) -> Iterator[Value]:
    for match, count in _numbers(_PERIOD, text, within):
        if match["of"]:
            period = _count_noun(count, match["unit"].casefold())
            mark = "’" if period.endswith("s") else "’s"
            yield Value(f"{period}{mark} {match['what'].casefold()}", Span(*match.span()))
    for match, count in _numbers(_PAID_IN, text, within):
        period = _count_noun(count, match["unit"].casefold())
        formula = f"{match['what'].casefold()} {match['paid'].casefold()} in {period}"
        yield Value(formula, Span(*match.span()))


def _money(text: str, within: Span) -> Iterator[Value]:
    for match, figure in _numbers(_AMOUNT, text, within):
        scale = (match["scale"] or match["times"] or "").casefold()
        short = {"bn": "billion", "mn": "million", "m": "million", "k": "thousand"}
        count = figure * _LARGE.get(short.get(scale, scale), 1)
        sign = _SIGNS[(match["sign"] or match["unit"]).strip().casefold()]
        yield Value(f"{sign}{_format_number(count)}", Span(*match.span()))


def _shares(text: str, within: Span) -> Iterator[Value]:
    for match, count in _numbers(_SHARE, text, within):
        of = " ".join((match["of"] or "").split())
        yield Value(f"{_format_number(count)}% {of}".strip(), Span(*match.span()))


def find_dates(text: str, within: Span) -> list[Value]:
    """Return the dates in a part of the text, as `2024-02-01`."""
    return _drop_repeated(
        Value(each.value.isoformat(), each.span) for each in find_written_dates(text, within)
    )


def _drop_repeated(values: Iterator[Value] | list[Value]) -> list[Value]:
    return list({each.text: each for each in reversed(list(values))}.values())[::-1]


def _count_noun(count: Decimal, noun: str) -> str:
    return f"{_format_number(count)} {noun}{'' if count == 1 else 's'}"


def _format_number(count: Decimal) -> str:
    whole = count == count.to_integral_value()
    return f"{int(count):,}" if whole else f"{count.normalize():,f}"
