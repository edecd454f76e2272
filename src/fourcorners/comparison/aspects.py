"""What each change of words is about: values are compared whatever their form."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from fourcorners.comparison.clauses import NOTE, is_word
from fourcorners.comparison.comparison import Aspect, WordChange
from fourcorners.text.patterns import load_patterns
from fourcorners.text.span import Span
from fourcorners.text.values.amounts import Amount, Written, find_amounts
from fourcorners.text.values.dates import WrittenDate, find_dates
from fourcorners.text.values.numbers import format_number, parse_number
from fourcorners.text.values.periods import WrittenPeriod, find_durations
from fourcorners.text.values.quantities import PART, find_quantities
from fourcorners.text.word_differences import Replacement, Words

_PATTERNS = load_patterns("fourcorners.comparison", "aspects")
_NEGATION = _PATTERNS["negation"]
_MODAL = _PATTERNS["modal"]
_MONTH = _PATTERNS["month"]
_CITED = _PATTERNS["cited"]
_LABEL = _PATTERNS["label"]
_IN_CITATION = _PATTERNS["in_citation"]
_AROUND = 8  # words on either side in which a value may reach beyond the words that changed
_FEW = 12  # words of a change that has one meaning; a longer one is a change of wording


def _find_numbers(text: str, within: Span) -> Iterator[Amount]:
    """Yield the numbers that count anything else: "ten (10) units"."""
    for each in find_quantities(text, within):
        words = each.span.text_in(text)
        if not each.mark and each.unit in ("", PART) and words.casefold() != "one":
            is_plain = "." not in words and not each.unit  # "2.10" may be a clause
            yield Amount(format_number(each.number) if is_plain else words, each.span)


_Finder: TypeAlias = Callable[[str, Span], Iterable[Written]]
_FINDERS: tuple[tuple[Aspect, _Finder], ...] = (
    (Aspect.AMOUNT, find_amounts),
    (Aspect.PERIOD, find_durations),
    (Aspect.DATE, find_dates),
    (Aspect.NUMBER, _find_numbers),
)
_TICKS: Final = frozenset("\u2610\u2611\u2612\u2713\u2714\u2717\u2718")  # boxes, ticks and crosses
_MEASURED = (Aspect.AMOUNT, Aspect.PERIOD, Aspect.DATE)


@dataclass(frozen=True, slots=True)
class Names:
    """What names things in both versions: parties, and the new number of each clause's old one."""

    parties: frozenset[str]
    labels: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class _Value:
    """A value by its words; `text` is how it is shown.

    Attributes:
        value: What it is compared by.
        form: What it is compared by where only its form may differ: values that contradict
            themselves, as "thirty (20) days", or that may be read in two ways, are only equal to
            the same.
    """

    aspect: Aspect
    first: int
    beyond: int
    text: str
    value: Hashable
    form: Hashable

    def touches(self, first: int, beyond: int) -> bool:
        """Tell whether some words are part of it; if there are none, whether they would be."""
        if first == beyond:
            return self.first < first < self.beyond
        return self.first < beyond and first < self.beyond


@dataclass(frozen=True, slots=True)
class _Side:
    """The changed words of one version, and the values in and around them."""

    words: Words
    first: int
    beyond: int
    values: Sequence[_Value] = ()

    @property
    def texts(self) -> Sequence[str]:
        return self.words.texts[self.first : self.beyond]

    @property
    def other_words(self) -> list[str]:
        """Return the changed words that are part of no value."""
        inside = {at for each in self.values for at in range(each.first, each.beyond)}
        places = (at for at in range(self.first, self.beyond) if at not in inside)
        return [word for at in places if is_word(word := self.words.texts[at])]

    def values_of(self, aspect: Aspect) -> dict[Hashable, str]:
        """Return the values of a kind, each with how it is shown."""
        return {each.value: each.text for each in self.values if each.aspect is aspect}

    def forms_of(self, aspect: Aspect) -> Counter[Hashable]:
        return Counter(each.form for each in self.values if each.aspect is aspect)

    @property
    def span(self) -> Span:
        """Return where the words are; empty, where they would be."""
        if self.first < self.beyond:
            return Span(self.words.starts[self.first], self.words.ends[self.beyond - 1])
        if self.first < len(self.words):
            return Span(self.words.starts[self.first], self.words.starts[self.first])
        end = self.words.ends[-1] if len(self.words) else 0
        return Span(end, end)

    @property
    def around(self) -> Span:
        low = max(0, self.first - _AROUND)
        high = min(len(self.words), self.beyond + _AROUND)
        if low == high:
            return self.span
        return Span(self.words.starts[low], max(self.words.ends[high - 1], self.span.end))

    def cited(self) -> list[str]:
        """Return the numbers of clauses that the changed words cite, in order."""
        found = []
        for match in _CITED.finditer(self.words.text, self.around.start, self.around.end):
            found += [
                label["label"]
                for label in _LABEL.finditer(self.words.text, *match.span("labels"))
                if Span(*label.span()).overlaps(self.span)
            ]
        return found


def describe_changes(
    gaps: Iterable[Replacement], old: Words, new: Words, names: Names
) -> Iterator[WordChange]:
    """Yield what differs between two clauses with what it is about.

    What differs in one value is one change.
    """
    changes: list[_Change] = []
    for gap in gaps:
        change = _read_change(gap, old, new)
        while changes and changes[-1].shares_value(change):
            change = _read_change(_join(changes.pop().gap, change.gap), old, new)
        changes.append(change)
    for each in changes:
        yield _describe(each, names)


@dataclass(frozen=True, slots=True)
class _Change:
    """Words that differ; `reach` has the words around them that are part of the same values."""

    gap: Replacement
    reach: Replacement
    before: _Side
    after: _Side

    def shares_value(self, other: _Change) -> bool:
        return self.reach.old_end > other.gap.old or self.gap.old_end > other.reach.old


def _read_change(gap: Replacement, old: Words, new: Words) -> _Change:
    around = _read_values(old, gap.old, gap.old_end), _read_values(new, gap.new, gap.new_end)
    low = high = 0
    while True:
        reach = Replacement(gap.old + low, gap.old_end + high, gap.new + low, gap.new_end + high)
        touched = (
            [each for each in around[0] if each.touches(reach.old, reach.old_end)],
            [each for each in around[1] if each.touches(reach.new, reach.new_end)],
        )
        ends = [(each.first - gap.old, each.beyond - gap.old_end) for each in touched[0]]
        ends += [(each.first - gap.new, each.beyond - gap.new_end) for each in touched[1]]
        wider = min([low, *(start for start, _ in ends)]), max([high, *(end for _, end in ends)])
        if wider == (low, high):
            before = _Side(old, gap.old, gap.old_end, touched[0])
            after = _Side(new, gap.new, gap.new_end, touched[1])
            return _Change(gap, reach, before, after)
        low, high = wider


def _join(one: Replacement, other: Replacement) -> Replacement:
    return Replacement(one.old, other.old_end, one.new, other.new_end)


def _read_values(words: Words, first: int, beyond: int) -> list[_Value]:
    """Return the values in and around some words; of two at one place, that found first."""
    low, high = max(0, first - _AROUND), min(len(words), beyond + _AROUND)
    if low == high:
        return []
    around = Span(words.starts[low], max(words.ends[low:high]))
    found: list[_Value] = []
    taken: list[Span] = []
    for aspect, find in _FINDERS:
        own = [e for e in find(words.text, around) if not any(map(e.span.overlaps, taken))]
        for each in own:
            start = bisect_right(words.ends, each.span.start, low, high)
            end = bisect_left(words.starts, each.span.end, low, high)
            if start < end and words.texts[start] != NOTE:
                found.append(_Value(aspect, start, end, each.text, *_keys(words.text, each)))
        taken += [each.span for each in own]
    return found


def _keys(text: str, written: Written) -> tuple[Hashable, Hashable]:
    """Return what a value is compared by, and what its form is compared by."""
    words = written.span.text_in(text)
    if isinstance(written, WrittenDate):
        day = written.value
        figures = [int(each) for each in "".join(c if c.isdigit() else " " for c in words).split()]
        known = {day.day, day.month, day.year, day.year % 100}
        is_plain = not any(map(str.isalpha, words))  # "3/4/2020" may be in March or in April
        is_two = is_plain and max(figures[:2]) <= 12 and day.day != day.month
        return day, (day, words if is_two or not known.issuperset(figures) else "")
    quantities = list(find_quantities(text, written.span))
    value: Hashable = written.text
    if isinstance(written, WrittenPeriod):
        value = written.value, written.unit if written.is_business else ""
    elif len(quantities) == 1 and quantities[0].mark:
        value = quantities[0].currency, quantities[0].number
    strange: list[Hashable] = [
        each.again for each in quantities if each.again not in (None, each.number)
    ]
    strange += [each.mark for each in quantities if each.mark == "$"]
    return value, (value, *strange)


def _describe(change: _Change, names: Names) -> WordChange:
    before, after = change.before, change.after
    aspect, shown = _find_aspect(before, after, names)
    if (aspect.is_value and shown == ("", "") and aspect in _MEASURED) or aspect is Aspect.FORM:
        # Values that are equal, or may be, are shown whole.
        reach = change.reach
        before = replace(before, first=reach.old, beyond=reach.old_end)
        after = replace(after, first=reach.new, beyond=reach.new_end)
    return WordChange(aspect, before.span, after.span, *shown)


def _find_aspect(before: _Side, after: _Side, names: Names) -> tuple[Aspect, tuple[str, str]]:
    nothing = ("", "")
    gone, come = list(before.texts), list(after.texts)
    if [each.casefold() for each in gone] == [each.casefold() for each in come]:
        return Aspect.CAPITALS, nothing
    cited = before.cited(), after.cited()
    if cited[0] != cited[1] and _is_reference(gone, come):
        follows = [names.labels.get(label, label) for label in cited[0]] == cited[1]
        aspect = Aspect.NUMBERING if follows else Aspect.REFERENCE
        return aspect, (", ".join(cited[0]), ", ".join(cited[1]))
    for aspect in _MEASURED:
        old, new = before.values_of(aspect), after.values_of(aspect)
        if old.keys() != new.keys():
            return aspect, (_list(old, new), _list(new, old))
    if [*filter(_says_something, gone)] == [*filter(_says_something, come)]:
        return Aspect.PUNCTUATION, nothing
    return _find_plain_aspect(before, after, names), nothing


def _says_something(text: str) -> bool:
    return is_word(text) or not _TICKS.isdisjoint(text)


def _find_plain_aspect(before: _Side, after: _Side, names: Names) -> Aspect:
    """Return what a change is about that leaves amounts, periods and dates as they are."""
    for aspect in _MEASURED:
        if before.forms_of(aspect) != after.forms_of(aspect):
            return aspect
    gone, come = before.other_words, after.other_words
    are_numbers_equal = before.forms_of(Aspect.NUMBER) == after.forms_of(Aspect.NUMBER)
    if before.values and are_numbers_equal and gone == come:
        return Aspect.FORM
    if max(len(before.texts), len(after.texts)) > _FEW:
        return Aspect.WORDING
    if not are_numbers_equal:
        return Aspect.NUMBER
    tests = _tests(names)
    return next(
        (a for a, tells in tests if _count(gone, tells) != _count(come, tells)), Aspect.WORDING
    )


def _tests(names: Names) -> Iterator[tuple[Aspect, Callable[[str], bool]]]:
    yield Aspect.DATE, lambda word: bool(_MONTH.fullmatch(word))
    yield Aspect.NUMBER, _is_number
    yield Aspect.NEGATION, lambda word: bool(_NEGATION.fullmatch(word))
    yield Aspect.MODAL, lambda word: bool(_MODAL.fullmatch(word))
    yield Aspect.PARTY, lambda word: word in names.parties


def _count(words: Sequence[str], tells: Callable[[str], bool]) -> Counter[str]:
    return Counter(word.casefold() for word in words if tells(word))


def _is_number(word: str) -> bool:
    return word[0].isdigit() or (word.casefold() != "one" and parse_number(word) is not None)


def _is_reference(gone: Sequence[str], come: Sequence[str]) -> bool:
    """Tell whether changed words are no more than numbers of clauses."""
    return all(not is_word(word) or _IN_CITATION.fullmatch(word) for word in (*gone, *come))


def _list(values: Mapping[Hashable, str], others: Mapping[Hashable, str]) -> str:
    return ", ".join(text for value, text in values.items() if value not in others)
