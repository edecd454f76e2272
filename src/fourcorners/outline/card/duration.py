"""How long a contract runs, by its own words and by arithmetic, where they leave no choice.

It reads the sentences whose subject is the contract or its term. The nearest word before a day or a
period says what it is ("commences", "from", "until", "for"). Another clause may give the first day:
the definition of its name, the date of the contract, or the last signature. Where two sentences
give different values, none is returned.
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from itertools import islice

from fourcorners.outline.card.card import YEARLY, Fact, Value
from fourcorners.text.patterns import load_patterns
from fourcorners.text.span import Span
from fourcorners.text.values.dates import dates_of, find_days, most_values
from fourcorners.text.values.periods import WrittenPeriod, describe_period, find_periods

_SURE = 0.97  # the share of values that are right by the lawyers' answers of CUAD
_PATTERNS = load_patterns("fourcorners.outline.card", "duration")
_STARTS = (
    "effective",
    "commencement",
    "start",
)  # what the day on which a contract starts is called
_DEFINED = 0.95  # the confidence of a date that a definition gives
_LONGEST = 700  # characters of a sentence on each side of its subject
_LAST = frozenset(("by", "before", "until", "than"))  # before the last day for something
# Before a day that is not the last: "not before", "no earlier than", "a fortnight before".
_NOT_LAST = frozenset(("not", "earlier", "sooner", "a", "an"))
_LEAP = 2024  # a year that has every day
_CLOSE = 45  # characters between a word and the day to which it belongs
_LEAD = 60  # characters between a subject and its verb
_NEAR = 90  # characters between a word and the day or period to which it belongs
_BEFORE = 200  # characters before the name of a day in which it may be given


@dataclass(frozen=True, slots=True)
class _Day:
    """A day, with the words that give it; None where they do not say which it is.

    Attributes:
        is_first: Whether it is the first day of a period, not the one before.
        is_own: Whether it is the date of the contract, by words that refer to it.
    """

    span: Span
    value: date | None
    parts: tuple[Span, ...] = ()
    other: date | None = None
    is_first: bool = False
    is_own: bool = False


class DurationReader:
    """Reads one contract; `agreed` is its date, `signed` the day of the last signature."""

    def __init__(
        self, text: str, title: str, agreed: Fact[date] | None, signed: Fact[date] | None
    ) -> None:
        self._text = text
        self._title = frozenset(re.findall(r"\w+", title.casefold()))
        self._agreed, self._signed = agreed, signed
        self._days = [
            _Day(each.span, each.value, (each.span,), each.other) for each in dates_of(text)
        ]
        periods = islice(find_periods(text, Span(0, len(text))), most_values(text))
        self._periods = [each for each in periods if not each.span.text_in(text).endswith("ly")]
        self._start: _Day | None = None

    def read(self) -> dict[str, Value]:
        """Return the values that are certain, by the kinds of `values.judge`."""
        found: dict[str, list[Value]] = {}
        sentences = [*self._sentences()]
        for _ in range(2):  # the first day may be given below the period
            found.clear()
            for sentence, at in sentences:
                values = [*self._read(sentence, at)]
                renews = any(each.kind == "renewal" for each in values)
                goes_on = _PATTERNS["goes_on"].search(self._text, at, sentence.end)
                for value in values:
                    if value.kind != "end" or renews or not goes_on:
                        found.setdefault(value.kind, []).append(value)
        return {kind: same for kind, several in found.items() if (same := _agreed(several))}

    def named_start(self) -> Fact[date] | None:
        """Return the day that the contract names its effective or commencement date."""
        names = (each["name"] for each in _PATTERNS["day"].finditer(self._text))
        for name in dict.fromkeys(" ".join(each.split()) for each in names if each):
            if name.casefold().startswith(_STARTS):
                day = self._defined_day(Span(0, 0), name)
                if day.value is not None:
                    return Fact(day.value, day.parts[-1], _DEFINED)
        return None

    def _sentences(self) -> Iterator[tuple[Span, int]]:
        """Yield the sentences about the contract or its term, and where their subject ends."""
        text, done = self._text, 0
        for match in _PATTERNS["subject"].finditer(text):
            end = min(len(text), match.end() + _LONGEST)
            if match.start() < done or not _PATTERNS["verb"].match(text, match.end(), end):
                continue
            low = max(done, match.start() - _LONGEST)
            breaks = [each.end() for each in _PATTERNS["break"].finditer(text, low, match.end())]
            start = max((each for each in breaks if each <= match.start()), default=low)
            if not _PATTERNS["opening"].fullmatch(text, start, match.start()):
                continue
            follows = done and not text[done:start].strip()
            named = frozenset((match["of"] or "").casefold().split())
            if not named <= self._title or (match["it"] and not follows):
                continue
            stop = _PATTERNS["break"].search(text, match.end(), end)
            done = stop.start() if stop else end
            yield Span(start, done), match.end()

    def _read(self, sentence: Span, at: int) -> Iterator[Value]:
        text, first = self._text, at
        if _PATTERNS["open"].search(text, at, sentence.end):
            return
        first_day, starts, renews = self._start, False, False
        items = self._items(Span(at, sentence.end))
        for place, each in enumerate(items):
            if each.span.start < at:
                continue
            cues = self._cues(at, each.span.start)
            role = self._role(each, cues, at)
            start, at = at, each.span.end
            again = ("again",) if starts else ("again", "later")
            renews = renews or any(cue.lastgroup in again for cue in cues)
            if isinstance(each, _Day):
                value = None if renews else self._day(each, cues, role, (first, start))
                if role in ("begin", "from") and not renews:
                    first_day, starts = each, True
                if value is not None:
                    self._start = self._start or (each if value.kind == "effective" else None)
                    yield value
            elif self._is_notice(at, sentence.end):
                continue
            elif renews or _PATTERNS["each"].match(text, at, sentence.end):
                renews = True
                if role in ("again", "later", "last"):
                    yield from self._renewal(each, start, sentence)
            elif role in ("begin", "last", "end", "later") or (
                role and _is_anniversary(text, each)
            ):
                base, at = self._base(each, items[place + 1 :], first_day, sentence.end)
                starts = False
                if base is not None and base.value is not None:
                    self._start = self._start or base
                    yield from self._end(each, base, base.value, at)

    def _is_notice(self, start: int, end: int) -> bool:
        """Return whether a period is of notice, by the words after it."""
        words = (_PATTERNS["of_notice"], _PATTERNS["before_end"])
        return any(each.match(self._text, start, end) for each in words)

    def _role(
        self, each: _Day | WrittenPeriod, cues: Sequence[re.Match[str]], start: int
    ) -> str | None:
        """Return what the nearest word says that a day or period is; None if it is far."""
        if not self._text[start : each.span.start].strip():  # right after a heading
            return "last"
        reach = _CLOSE if isinstance(each, _Day) else _NEAR
        return cues[-1].lastgroup if cues and each.span.start - cues[-1].end() <= reach else None

    def _day(
        self,
        day: _Day,
        cues: Sequence[re.Match[str]],
        role: str | None,
        starts: tuple[int, int],
    ) -> Value | None:
        """Return what a day is, by the words before it; `starts` are the sentence's and theirs."""
        if day.value is None or role is None or not cues:
            return None
        first, start = starts
        kind = "end"
        if any(cue.lastgroup == "made" for cue in cues):
            if start > first or not _PATTERNS["made"].match(self._text, start, day.span.start):
                return None
            kind = "agreement"
        elif role in ("begin", "from"):
            is_start = any(cue.lastgroup in ("begin", "last") for cue in cues)
            is_start = is_start or not self._text[start : cues[0].start()].strip()
            if cues[0].start() - start > _LEAD or not is_start:
                return None
            kind = "effective"
        elif role != "end" and (role != "until" or (start == first and cues[-1].group() == "to")):
            return None
        value = _value(kind, f"{day.value}", day.span, day)
        return replace(value, asserted=value.asserted and not day.is_own)

    def _renewal(self, period: WrittenPeriod, start: int, sentence: Span) -> Iterator[Value]:
        """Yield the length of a renewal, and how long before it must be stopped."""
        text = self._text
        stop = _PATTERNS["exception"].search(text, period.span.end, sentence.end)
        value = _value("renewal", period.value.iso, period.span, parts=(sentence,))
        if _PATTERNS["chosen"].search(text, start, stop.start() if stop else sentence.end):
            yield replace(value, asserted=False)
            return
        yield value
        for each in self._periods:
            if sentence.contains(each.span) and _PATTERNS["before_end"].match(
                text, each.span.end, sentence.end
            ):
                yield _value("notice", each.value.iso, each.span)
        yield from self._yearly_notice(Span(stop.start(), sentence.end)) if stop else ()

    def _yearly_notice(self, within: Span) -> Iterator[Value]:
        """Yield the last day for notice that is the same each year: "unless … by 30 September"."""
        for month, day, span in find_days(self._text, within):
            led = self._text[within.start : span.start].casefold().split()[-3:]
            dated = any(each.span.overlaps(span) for each in self._days)
            before = Span(within.start, span.start)  # a period there may count back from the day
            counted = any(before.contains(each.span) for each in self._periods)
            if dated or counted or not _LAST.intersection(led):
                continue
            if led[-1] != "by" and "later" not in led and _NOT_LAST.intersection(led):
                continue
            if not 1 <= day <= monthrange(_LEAP, month)[1]:
                continue
            last = date(_LEAP, month, day) - timedelta(led[-1] == "before" and "or" not in led)
            yield _value("notice", f"{YEARLY}{last:%m-%d}", span)

    def _cues(self, start: int, end: int) -> list[re.Match[str]]:
        """Return the words before a day or period that may say what it is, without asides."""
        text = self._text
        aside = [each.span() for each in _PATTERNS["aside"].finditer(text, start, end)]
        return [
            each
            for each in _PATTERNS["cue"].finditer(text, start, end)
            if not any(low <= each.start() < high for low, high in aside)
        ]

    def _items(self, sentence: Span) -> list[_Day | WrittenPeriod]:
        """Return the days and the periods of a sentence, in order."""
        found: list[_Day | WrittenPeriod] = [*self._days, *self._periods]
        found = [each for each in found if sentence.contains(each.span)]
        found += self._named_days(sentence, found)
        return sorted(found, key=lambda each: each.span.start)

    def _named_days(self, sentence: Span, known: Sequence[_Day | WrittenPeriod]) -> Iterator[_Day]:
        text = self._text
        for match in _PATTERNS["day"].finditer(text, sentence.start, sentence.end):
            span = Span(*match.span())
            if match["own"]:
                yield replace(self._fixed(span, self._agreed), is_own=True)
            elif match["signed"]:
                yield self._fixed(span, self._signed)
            elif match["name"]:
                yield self._defined_day(span, match["name"])
            else:
                before = [
                    each
                    for each in (*known, *self._named_days(Span(sentence.start, span.start), ()))
                    if isinstance(each, _Day) and each.span.end <= span.start
                ]
                yield replace(before[-1], span=span) if before else _Day(span, None)

    def _fixed(self, span: Span, fact: Fact[date] | None) -> _Day:
        if fact is None:
            return _Day(span, None)
        other = next((each.other for each in self._days if each.span == fact.span), None)
        return _Day(span, fact.value, (span, fact.span), other)

    def _defined_day(self, span: Span, name: str) -> _Day:
        """Return the day that has a name, by the first sentence that gives it."""
        text = self._text
        words = r"\s+".join(map(re.escape, name.split()))
        for match in re.finditer(_PATTERNS["named"].pattern.replace("NAME", words), text):
            low = max(0, match.start() - _BEFORE)
            breaks = [each.end() for each in _PATTERNS["break"].finditer(text, low, match.start())]
            start = low if match["that"] or not breaks else breaks[-1]
            stop = _PATTERNS["break"].search(text, match.end(), match.end() + _BEFORE)
            end = stop.start() if stop else match.end() + _BEFORE
            days = [each for each in self._days if start <= each.span.start < end]
            before = [each for each in days if each.span.start < match.start()][-1:]
            if signed := _PATTERNS["signed"].search(text, start, end):
                return replace(self._fixed(Span(*signed.span()), self._signed), span=span)
            for day in days[-1:] if match["means"] else before:
                low, high = min(day.span.start, match.start()), max(day.span.end, match.end())
                return replace(day, span=span, parts=(span, Span(low, high)))
            for own in _PATTERNS["day"].finditer(text, start, end):
                if own["own"]:
                    day = self._fixed(Span(*own.span()), self._agreed)
                    return replace(day, span=span, is_own=True)
        return _Day(span, None)

    def _base(
        self,
        period: WrittenPeriod,
        later: Sequence[_Day | WrittenPeriod],
        first_day: _Day | None,
        end: int,
    ) -> tuple[_Day | None, int]:
        """Return the day from which a period counts, and where the words about it end."""
        text, at = self._text, period.span.end
        counted = _PATTERNS["counted"].match(text, at, end)
        if counted is None:
            return first_day, at
        day = next(iter(later), None)
        if not isinstance(day, _Day) or day.span.start - counted.end() > _NEAR // 2:
            return None, at
        is_first = "inclu" in text[at : day.span.end + len(" inclusive")].casefold()
        return replace(day, is_first=is_first), day.span.end

    def _end(self, period: WrittenPeriod, base: _Day, start: date, after: int) -> Iterator[Value]:
        """Yield the end of a period, and its first day where the words up to `after` call it so."""
        text, length = self._text, period.value
        near = max(0, period.span.start - _NEAR)
        less = _PATTERNS["eve"].search(text, near, period.span.start) is not None
        less = less or (base.is_first and not _is_anniversary(text, period))
        days = [length.shift(each) - timedelta(less) for each in (start, base.other) if each]
        if (start.month, start.day) == (2, 29) and days[0].day == 28 and not less:
            days.append(days[0] + timedelta(1))
        words = f"{start} + {describe_period(length)}{' - 1 day' if less else ''}"
        other = f"{days[1]}" if len(days) > 1 else ""
        parts = (period.span, *base.parts)
        yield Value("end", f"{days[0]}", period.span, _SURE, not other, other, words, parts)
        if any(cue.lastgroup == "begin" for cue in self._cues(period.span.end, after)):
            yield _value("effective", f"{start}", base.span, base)


def _is_anniversary(text: str, period: WrittenPeriod) -> bool:
    return "anniversary" in period.span.text_in(text).casefold()


def _agreed(values: Sequence[Value]) -> Value | None:
    """Return the value that all give; of a written end and a sum a day apart, the former."""
    written = [each for each in values if not each.arithmetic] or values
    texts = {(each.text, each.other) for each in written}
    if len(texts) > 1:
        return None
    first = written[0]
    others = [each.text for each in values if each.text != first.text]
    if not others:
        return values[0]
    days = [date.fromisoformat(each) for each in (first.text, *others) if first.kind == "end"]
    return first if days and max(days) - min(days) == timedelta(1) else None


def _value(
    kind: str, text: str, span: Span, day: _Day | None = None, parts: tuple[Span, ...] = ()
) -> Value:
    other = f"{day.other}" if day and day.other else ""
    return Value(kind, text, span, _SURE, not other, other, "", day.parts if day else parts)
