"""Defined terms and parties that have another name throughout the second version.

A term is renamed if it is used nowhere in the second version, its new name nowhere in the first,
and only the one is in the place of the other. Anything else, such as a term that is renamed in some
places or two terms that are swapped, is a change in each place.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias

from fourcorners.comparison.clauses import Version
from fourcorners.comparison.comparison import Aspect, WordChange
from fourcorners.outline.card.read import read_parties
from fourcorners.outline.terms import find_uses
from fourcorners.outline.tree import DefinedTerm, TermUse
from fourcorners.text.span import Span
from fourcorners.text.word_differences import Replacement, Words, find_replacements

_LEAST = 2  # places in which a renamed term has its new name

Renamed: TypeAlias = Mapping[int, tuple[str, str]]
"""Where the first version uses a term that is renamed, the term, and its new name."""


class Terms:
    """The terms of two versions that only one of them has, and uses, each as one word.

    Attributes:
        all: The terms of both versions, and the words by which they call their parties.
        parties: Those words alone.
    """

    def __init__(self, old: Version, new: Version) -> None:
        parties = _party_names(old), _party_names(new)
        own = [
            names | {each.term for each in version.outline.terms}
            for names, version in zip(parties, (old, new), strict=True)
        ]
        self.parties = parties[0] | parties[1]
        self.all = frozenset(own[0] | own[1])
        self._versions = self.old, self.new = old, new
        self._uses: tuple[dict[int, str], dict[int, str]] = ({}, {})
        gone, come = _unused(own[0] - own[1], new), _unused(own[1] - own[0], old)
        if gone and come:
            self._join(gone, come)

    def _join(self, gone: Sequence[str], come: Sequence[str]) -> None:
        old, new = self._versions
        (self.old, before), (self.new, after) = _join(old, gone), _join(new, come)
        self._uses = before, after

    def find_renames(self, pairs: Iterable[tuple[Sequence[int], Sequence[int]]]) -> Renamed:
        """Find the terms with another name in clauses that belong together."""
        before, after = self._uses
        found: Counter[tuple[str, str]] = Counter()
        for one, other in pairs if before and after else ():
            old, new = self.old.words_of(one), self.new.words_of(other)
            if not any(start in before for start in old.starts):
                continue
            for gap in find_replacements(old, new):
                if gap.old_end - gap.old == gap.new_end - gap.new == 1:
                    terms = before.get(old.starts[gap.old]), after.get(new.starts[gap.new])
                    if terms[0] and terms[1]:
                        found[terms[0], terms[1]] += 1
        names = {
            one: other
            for (one, other), count in found.items()
            if count >= _LEAST and not any((one == a) != (other == b) for a, b in found)
        }
        self._join(list(names), list(names.values()))  # the words of other terms are any words
        renamed = {at: (term, names[term]) for at, term in self._uses[0].items()}
        self.old = _rename(self.old, renamed)
        return renamed


def rename_changes(
    renamed: Renamed, gaps: Iterable[Replacement], old: Words, new: Words
) -> Iterator[WordChange]:
    """Yield each use of a renamed term among words that stay."""
    i = j = 0
    for gap in [*gaps, Replacement(len(old), len(old), len(new), len(new))] if renamed else ():
        for at, by in zip(range(i, gap.old), range(j, gap.new), strict=True):
            if names := renamed.get(old.starts[at]):
                before, after = (Span(w.starts[n], w.ends[n]) for w, n in ((old, at), (new, by)))
                yield WordChange(Aspect.TERM, before, after, *names)
        i, j = gap.old_end, gap.new_end


def _find_uses(version: Version, terms: Sequence[str]) -> tuple[TermUse, ...]:
    """Return where a version uses terms, in their definitions, too."""
    text = version.document.text
    nowhere = Span(len(text), len(text))
    return find_uses(text, [DefinedTerm(each, nowhere, nowhere) for each in terms])


def _unused(terms: Iterable[str], version: Version) -> list[str]:
    """Return the terms that a version uses nowhere."""
    listed = sorted(terms)
    used = {use.term for use in _find_uses(version, listed)} if listed else set()
    return [each for at, each in enumerate(listed) if at not in used]


def _join(version: Version, terms: Sequence[str]) -> tuple[Version, dict[int, str]]:
    """Return a version in which each use of a term is one word, and where these are."""
    if not terms:
        return version, {}
    uses = _find_uses(version, terms)
    ends = {use.span.start: use for use in uses}
    words = version.words
    texts, starts, beyonds, owners = [], [], [], []
    found: dict[int, str] = {}
    at = 0
    while at < len(words):
        use = ends.get(words.starts[at])
        beyond = at + 1
        while use is not None and beyond < len(words) and words.ends[beyond] <= use.span.end:
            beyond += 1
        texts.append(" ".join(words.texts[at:beyond]))
        starts.append(words.starts[at])
        beyonds.append(words.ends[beyond - 1])
        owners.append(version.owners[at])
        if use is not None:
            found[words.starts[at]] = terms[use.term]
        at = beyond
    joined = Words(words.text, texts, starts, beyonds)
    return replace(version, words=joined, owners=owners), found


def _rename(version: Version, renamed: Renamed) -> Version:
    """Return a version with the new names of terms as its words."""
    words = version.words
    texts = list(words.texts)
    for at, start in enumerate(words.starts):
        if names := renamed.get(start):
            own, name = (" ".join(Words.read(each).texts) for each in names)
            name = name.upper() if texts[at].isupper() else name
            texts[at] = f"{name}{texts[at][len(own) :]}"
    return replace(version, words=replace(words, texts=texts))


def _party_names(version: Version) -> frozenset[str]:
    """Return the words by which a contract calls its parties."""
    names: set[str] = set()
    for fact in read_parties(version.document, version.outline):
        names.update(name for name in (fact.value.short, fact.value.role) if name)
        names.add(fact.value.name.split()[0])
    return frozenset(names)
