"""What a change of words is about: an amount, a period, a negation, a party; or words alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from fourcorners.comparison.clauses import Version, is_word
from fourcorners.comparison.comparison import Aspect, WordChange
from fourcorners.outline.card.read import read_parties
from fourcorners.text.patterns import load_patterns
from fourcorners.text.span import Span
from fourcorners.text.values.amounts import Written, distinct, find_amounts
from fourcorners.text.values.dates import find_dates
from fourcorners.text.values.numbers import parse_number
from fourcorners.text.values.periods import find_durations
from fourcorners.text.word_differences import Replacement, Words

_PATTERNS = load_patterns("fourcorners.comparison", "aspects")
_NEGATION = _PATTERNS["negation"]
_MODAL = _PATTERNS["modal"]
_CITED = _PATTERNS["cited"]
_LABEL = _PATTERNS["label"]
_IN_CITATION = _PATTERNS["in_citation"]
_AROUND = 8  # words on either side in which a value may reach beyond the words that changed
_FEW = 12  # words of a change that has one meaning; a longer one is a change of wording
_FINDERS: tuple[tuple[Aspect, Callable[[str, Span], Iterable[Written]]], ...] = (
    (Aspect.AMOUNT, find_amounts),
    (Aspect.PERIOD, find_durations),
    (Aspect.DATE, find_dates),
)


@dataclass(frozen=True, slots=True)
class Names:
    """What names things in both versions: parties, and the new number of each clause's old one."""

    parties: frozenset[str]
    labels: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class _Side:
    """The changed words of one version, and the words around them."""

    words: Words
    first: int
    beyond: int

    @property
    def texts(self) -> Sequence[str]:
        return self.words.texts[self.first : self.beyond]

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

    def values(self, find: Callable[[str, Span], Iterable[Written]]) -> Counter[str]:
        """Return the values that the changed words are part of."""
        span = self.span
        return Counter(
            each.text
            for each in distinct(find(self.words.text, self.around))
            if each.span.overlaps(span) or each.span.start < span.start < each.span.end
        )

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


def describe_change(replacement: Replacement, old: Words, new: Words, names: Names) -> WordChange:
    """Return a change of words with what it is about."""
    before = _Side(old, replacement.old, replacement.old_end)
    after = _Side(new, replacement.new, replacement.new_end)
    aspect, values = _find_aspect(before, after, names)
    return WordChange(aspect, before.span, after.span, *values)


def _find_aspect(before: _Side, after: _Side, names: Names) -> tuple[Aspect, tuple[str, str]]:
    nothing = ("", "")
    gone, come = list(before.texts), list(after.texts)
    if [each.casefold() for each in gone] == [each.casefold() for each in come]:
        return Aspect.CAPITALS, nothing
    if list(filter(is_word, gone)) == list(filter(is_word, come)):
        return Aspect.PUNCTUATION, nothing
    cited = before.cited(), after.cited()
    if cited[0] != cited[1] and _is_reference(gone, come):
        follows = [names.labels.get(label, label) for label in cited[0]] == cited[1]
        aspect = Aspect.NUMBERING if follows else Aspect.REFERENCE
        return aspect, (", ".join(cited[0]), ", ".join(cited[1]))
    for aspect, find in _FINDERS:
        old, new = before.values(find), after.values(find)
        if old != new:
            return aspect, (_list(old - new), _list(new - old))
    if max(len(gone), len(come)) <= _FEW:
        for aspect, tells in _tests(names):
            if _count(gone, tells) != _count(come, tells):
                return aspect, nothing
    return Aspect.WORDING, nothing


def _tests(names: Names) -> Iterator[tuple[Aspect, Callable[[str], bool]]]:
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


def _list(values: Counter[str]) -> str:
    return ", ".join(values.elements())


def party_names(*versions: Version) -> frozenset[str]:
    """Return the words by which the contracts call their parties."""
    names: set[str] = set()
    for version in versions:
        for fact in read_parties(version.document, version.outline):
            names.update(name for name in (fact.value.short, fact.value.role) if name)
            names.add(fact.value.name.split()[0])
    return frozenset(names)
