"""The figures that a statement names, and whether they are known from elsewhere.

"ninety (90) days", "ninety days" and "90 days" are one figure, "24 months" and "2 years" are, and
"USD640,000" and "640,000 US dollars"; "10 days" and "10 business days" are not, nor are
"€40 a month" and "€40 a year". Sums and shares may be rounded; periods and dates not.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from decimal import ROUND_HALF_UP, Decimal
from itertools import pairwise

from fourcorners.text.patterns import load_patterns
from fourcorners.text.span import Span
from fourcorners.text.stems import FRAME, IDLE, stem_tokens
from fourcorners.text.tokenization import tokenize
from fourcorners.text.values.dates import find_dates
from fourcorners.text.values.quantities import (
    PART,
    PERCENT,
    Quantity,
    find_rates,
    may_be_same,
)

_PATTERNS = load_patterns("fourcorners.research.agents", "figures")
_CITES = _PATTERNS["cites"]
_LABEL = re.compile(r"\b(?:\d|[IVX]+\b|[A-Z]\b)[\w.()/-]*")
_ALWAYS = _PATTERNS["always"]  # and what it means
_HOURS = "24 hours a day, 7 days a week"
# Where the words of one figure end and those of the next begin.
_BOUNDARY = re.compile(r"[,;:.]\s|\s(?:and|or|but)\b")
# What is between a figure, or before it, and the one that an amendment puts in its place.
_REPLACED = re.compile(
    r"\b(?:replac|substitut|delet|amend|increas|reduc|decreas|chang|extend)\w*\b[^.;]*"
    r"\b(?:by|with|to)\W*$",
    re.IGNORECASE,
)
_BEFORE_REPLACED = 40  # characters before a figure that may say that it is replaced
_WHOLE = 100  # per cent
_NEAR = 8  # words before and after a figure that say what it measures
_ALIKE = 0.5  # share of the words of two figures above which they measure the same
_BY_RATE = 0.6  # the same of a computed figure and one that is for each of the same time
_MONTHS = {"month": 1, "quarter": 3, "year": 12}
_DAYS = {"day": 1, "week": 7, "fortnight": 14}
# Words that say on which side of a figure something lies: the other side after a denial.
_LEAST = frozenset(
    ("least", "minimum", "more", "exceed", "exceeds", "exceeding", "greater", "later")
)
_MOST = frozenset(("most", "maximum", "less", "fewer", "up", "within", "limited", "capped", "cap"))
_EXTREMES = frozenset(("minimum", "maximum"))
_NOT = frozenset(("not", "no", "never", "nothing", "cannot"))
_BEFORE = 5  # words before a figure that may bound it
_BOUND_WITHIN = 80  # characters that hold them
# Stems of words that many figures share, those of rates and bounds too: they tell none apart.
_IDLE = "pay payable paid due owe total amount sum annum annual day daily week weekly month monthly"
_SHARED = {*stem_tokens([*_IDLE.split(), *_MONTHS, *_DAYS, *_LEAST, *_MOST])}
_TIMES = frozenset(("month", "day", "hour", "business day"))
_LABELLED = "label"
_ROUNDED = 2  # digits that a rounded figure has at least
_BOTH = {"least", "most"}
_COUNTED = 10  # below it a number without a unit ("two parties") is no figure


@dataclass(frozen=True, slots=True)
class Figure:
    """A number with what it counts; `unit` is empty where that is not said.

    Attributes:
        unit: For a sum, the currencies that it may be in.
        words: As the text has it.
        number: The number as it is written: 2 for "2 years", which are 24 months. The other
            reading of a date, where nothing says whether its day or its month is first.
        rate: The time that it is for each of, or for: `year`, "18 months".
        bound: `least` or `most`, where the words around it say so.
    """

    value: Decimal
    unit: str
    words: str
    number: Decimal
    span: Span
    rate: str = ""
    bound: str = ""

    @property
    def name(self) -> str:
        """Its words, with the time that it is for each of."""
        if not self.rate:
            return self.words
        return f"{self.words} {'for' if self.rate.endswith('s') else 'per'} {self.rate}"

    @property
    def dimension(self) -> str:
        """What it is compared with: sums of all currencies, periods, shares, dates, or numbers."""
        if self.unit in _TIMES:
            return "time"
        return "sum" if self.unit.isupper() else self.unit

    def is_known(self, known: Iterable[Figure], *, exactly: bool = False) -> bool:
        """Return whether others include it; a bare number does not match one with a unit."""
        alike = [each for each in known if self._has_value(each, exactly=exactly)]
        if any(self._has_unit(each) for each in alike):
            return True
        if not self.unit:
            return bool(alike) or any(self._begins(each) for each in known)
        return bool(alike) and not any(each.unit for each in alike)

    def is_share(self, shares: Iterable[Figure]) -> bool:
        """Return whether it is one of some shares, or the whole with one added or taken away."""
        if self.unit not in ("", PERCENT):
            return False
        value = self.value if self.unit else self.value * _WHOLE
        return any(each.value in (value, abs(value - _WHOLE)) for each in shares)

    def _begins(self, other: Figure) -> bool:
        """Return whether it is short for another: "ten" for "ten million pounds"."""
        return other.words.casefold().startswith(f"{self.words.casefold()} ")

    def _has_unit(self, other: Figure) -> bool:
        if self.unit.isupper() and other.unit.isupper():
            return may_be_same(self.unit, other.unit)
        return self.unit == other.unit

    def _has_value(self, other: Figure, *, exactly: bool) -> bool:
        if self.rate and other.rate not in ("", self.rate):
            return False
        if exactly and ((self.rate and not other.rate) or {self.bound, other.bound} == _BOTH):
            return False
        same = self.value == other.value
        if not (self.unit and other.unit):
            same = same or self.number == other.number
        elif self.unit == other.unit == "date" and not exactly:
            same = not {self.value, self.number}.isdisjoint((other.value, other.number))
        return same or (not exactly and self._rounds(other.value))

    def _rounds(self, exact: Decimal) -> bool:
        """Return whether it is a rounding of a known, more exact number."""
        if self.unit in _TIMES or self.unit == "date":
            return False
        digits = self.value.normalize().as_tuple()
        if len(digits.digits) < _ROUNDED or not isinstance(digits.exponent, int):
            return False
        step = Decimal(1).scaleb(digits.exponent)
        return (exact / step).quantize(Decimal(1), ROUND_HALF_UP) * step == self.value


def find_figures(
    text: str, *, with_labels: bool = False, with_counts: bool = False
) -> list[Figure]:
    """Return the dates, periods, sums, shares and other numbers of a text.

    Labels of clauses are a separate kind; counts are small numbers without a unit. "24/7" has no
    figure unless labels are asked for: a statement need not name its hours and days.
    """
    cited = [Span(*match.span()) for match in _CITES.finditer(text)]
    found = [
        replace(each, unit=_LABELLED)
        for span in (cited if with_labels else ())
        for each in _numbers(text, span)
    ]
    always = [Span(*match.span()) for match in _ALWAYS.finditer(text)]
    meant = [*_numbers(_HOURS, Span(0, len(_HOURS)))] if with_labels else []
    found += [replace(each, span=span) for span in always for each in meant]
    bare = blank_spans(text, [*cited, *always])
    dates = list(find_dates(bare, Span(0, len(bare))))
    for each in dates:
        day, other = (Decimal(day.toordinal()) for day in (each.value, each.other or each.value))
        found.append(Figure(day, "date", each.span.text_in(bare), other, each.span))
    bare = blank_spans(bare, [each.span for each in dates])
    numbers = _numbers(bare, Span(0, len(bare)))
    found += [each for each in numbers if with_counts or each.unit or each.value >= _COUNTED]
    found = [replace(each, bound=_bound(each.span, text)) for each in found]
    return sorted(found, key=lambda each: each.span)


def blank_spans(text: str, spans: Iterable[Span]) -> str:
    """Return a text with some words replaced by spaces."""
    for span in spans:
        text = f"{text[: span.start]}{' ' * len(span)}{text[span.end :]}"
    return text


def _numbers(text: str, within: Span) -> Iterator[Figure]:
    rated = [*find_rates(text, within)]
    for at, (quantity, rate, end) in enumerate(rated):
        words = " ".join(quantity.span.text_in(text).split())
        if not rate and quantity.mark and at + 1 < len(rated):
            following = rated[at + 1][0]
            if text[end : following.span.start].strip() in ("for", "over"):
                rate = _length(following)
        for number in dict.fromkeys((quantity.number, quantity.again)):
            if number is not None:
                yield replace(_with_unit(number, quantity, words), rate=rate)


def _length(time: Quantity) -> str:
    """Return for what time a sum is; a unit of time if it is one."""
    if time.unit not in _MONTHS:
        return ""
    months = time.number * _MONTHS[time.unit]
    return next((each for each, size in _MONTHS.items() if size == months), f"{months:f} months")


def _bound(span: Span, text: str) -> str:
    """Return on which side of a figure something lies: "not less than", "30 days or more"."""
    before = [*tokenize(text[max(0, span.start - _BOUND_WITHIN) : span.start]).tokens[-_BEFORE:]]
    after = [*tokenize(text[span.end : span.end + _BOUND_WITHIN]).tokens[:2]]
    words = [*before, *(after[1:] if after[:1] == ["or"] else _EXTREMES.intersection(after[:1]))]
    for at in range(len(words) - 1, -1, -1):
        if words[at] in _LEAST | _MOST:
            is_denied = not _NOT.isdisjoint(words[max(0, at - 3) : at])
            return "least" if (words[at] in _LEAST) is not is_denied else "most"
    return ""


def _with_unit(number: Decimal, quantity: Quantity, words: str) -> Figure:
    unit = quantity.unit
    if unit in _MONTHS:
        return Figure(number * _MONTHS[unit], "month", words, number, quantity.span)
    if unit in _DAYS:
        name = "business day" if quantity.kind and unit == "day" else "day"
        return Figure(number * _DAYS[unit], name, words, number, quantity.span)
    if unit == PART:
        return Figure(round(number * 100, 2), PERCENT, words, number, quantity.span)
    return Figure(number, unit or quantity.currency, words, number, quantity.span)


def unknown_figures(
    statement: str, known: Collection[Figure], *, exactly: bool = False
) -> list[str]:
    """Return the figures of a statement that are not among the known ones, in its words."""
    found = find_figures(statement)
    unknown = (each for each in found if not each.is_known(known, exactly=exactly))
    return list(dict.fromkeys(each.name for each in unknown))


def has_unknown_labels(statement: str, quotes: Iterable[str]) -> bool:
    """Return whether a statement names a clause by a number that no quote has."""
    words = " ".join(quotes)
    labels = [
        label.rstrip(".-")
        for cite in _CITES.finditer(statement)
        for label in _LABEL.findall(cite.group())
    ]
    return not all(re.search(rf"(?<![\w.]){re.escape(each)}(?!\w)", words) for each in labels)


def contradicting_figures(
    statement: str, quotes: Iterable[str], known: Collection[Figure] = ()
) -> list[str]:
    """Return the figures of a statement for which the quotes have a different one, in its words.

    Figures that measure the same, by the words around them, are compared: "The Fee is £9" and "The
    Fee is £5". A figure of the quotes that has the same value, or from which the statement's own is
    computed (it is `known`), may be meant as well; but for the same time, or of a period, only if
    the quotes' shares or several figures are part of it. One that an amendment replaced by the
    statement's is not compared.
    """
    written = [each for text in quotes for each in _with_roles(text)]
    replaced = [each for text in quotes for each in _replacements(text)]
    shares = [each for each, _ in written if each.unit == PERCENT]
    is_raised = any(each.is_share(shares) for each in known)
    stated = _with_roles(statement)
    found = []
    for figure, role in stated:
        alike = [
            (each, other)
            for each, other in written
            if figure.dimension == each.dimension
            and not any(each.is_known([a]) and figure.is_known([b]) for a, b in replaced)
        ]
        is_written = any(figure.is_known([each]) for each, _ in alike)
        sources = [] if is_written else [each for each, _ in alike if each.is_known(known)]
        is_new = is_raised or len({each.value for each in sources}) > 1
        own, others = 0.0, _ALIKE
        for each, other in alike:
            share = _common_share(role, other)
            has_rate = bool(figure.rate) and figure.rate == each.rate
            is_same = has_rate or figure.dimension == "time"
            if figure.is_known([each]) or (each in sources and (is_new or not is_same)):
                own = max(own, share)
            elif figure.rate and each.rate and not has_rate:
                continue
            elif is_written or not each.is_known(one for one, _ in stated):
                others = max(others, share, _BY_RATE if sources and has_rate else 0.0)
        if others > max(own, _ALIKE):
            found.append(figure.name)
    return list(dict.fromkeys(found))


def _replacements(text: str) -> Iterator[tuple[Figure, Figure]]:
    """Yield figures with the ones that replace them: "“£5” is replaced by “£9”"."""
    for old, new in pairwise(find_figures(text)):
        lead = text[max(0, old.span.start - _BEFORE_REPLACED) : new.span.start]
        if old.dimension == new.dimension and _REPLACED.search(lead):
            yield old, new


def _common_share(role: Collection[str], other: Collection[str]) -> float:
    return 2 * len({*role} & {*other}) / (len(role) + len(other) or 1)


def _with_roles(text: str) -> list[tuple[Figure, frozenset[str]]]:
    """Return the figures of a text with the stems of the words that say what each measures.

    A figure that has no words before it shares those of the one before: "£5 for loss and £9 for
    death".
    """
    figures = find_figures(text)
    spans = sorted({each.span for each in figures})
    bare = blank_spans(text, spans)
    starts = [0, *(_boundary(bare, *pair) for pair in pairwise(spans)), len(text)]
    roles: dict[Span, frozenset[str]] = {}
    before: list[str] = []
    for at, span in enumerate(spans):
        lead = bare[starts[at] : span.start]
        is_new = at == 0 or lead[:1] in (".", ";")
        own = _content(lead.rpartition(". ")[2])[-_NEAR:]
        before = own or ([] if is_new else before)
        end = _BOUNDARY.search(bare, span.end, starts[at + 1])
        rest = bare[span.end : end.start() if end else starts[at + 1]]
        roles[span] = frozenset((*before, *_content(rest)[:_NEAR]))
    return [(each, roles[each.span]) for each in figures]


def _boundary(text: str, one: Span, other: Span) -> int:
    """Return where the words of the second of two figures begin."""
    found = _BOUNDARY.search(text, one.end, other.start)
    return found.start() if found else one.end


def _content(text: str) -> list[str]:
    tokens = [each for each in tokenize(text).tokens if each not in IDLE and each not in FRAME]
    return [each for each in stem_tokens(tokens) if each not in _SHARED and not each.isdigit()]
