"""What the verdict reader looks at: the words of a clause and of each mention, as numbers.

The marked words speak by one, two and three words in a row and by pairs at a distance; the clause
around them by single words and pairs. A party is one word there, so that nothing is learned of who
it is. A mention speaks by the words before and after it. A feature is the hash of its name.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING
from zlib import crc32

from fourcorners.models.verdict_reader.clause import MarkedClause, MentionKind
from fourcorners.text.patterns import load_patterns
from fourcorners.text.span import Span

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

NO_MENTION, EACH_PARTY = "", "each party"
WORDS_BEFORE = 60  # words of the clause before the marked ones that are looked at, as trained
WORDS_AFTER = 80  # and after them
_APART = range(2, 6)  # words between the two of a pair at a distance
_NEAR = 8  # words before a mention that are looked at
_BEYOND = 10  # words after it
_RANKS = 3  # first, second and third mention differ; later ones do not
_COUNTS = 4  # mentions up to which their number tells
_DIGITS = 4  # numbers of more digits are one word
_PATTERNS = load_patterns("fourcorners.models.verdict_reader", "features")
_WORD = _PATTERNS["word"]
_NEGATING = "non"
_SPREAD = 2_654_435_761  # Knuth's multiplier: it scatters the copies of a feature over 32 bits


class ClauseFeatures:
    """The features of one marked clause; found once for all questions."""

    def __init__(self, clause: MarkedClause) -> None:
        self._clause = clause
        self._words = _fold_words(clause)
        self._starts = [start for _, start in self._words]
        low, high = (
            bisect_left(self._starts, at) for at in (clause.marked.start, clause.marked.end)
        )
        own = [word for word, _ in self._words[low:high]]
        before = [word for word, _ in self._words[max(0, low - WORDS_BEFORE) : low]]
        after = [word for word, _ in self._words[high : high + WORDS_AFTER]]
        self._choices: dict[MentionKind, dict[str, NDArray[np.int64]]] = {}
        self._near = {*_runs(own, 2, "m:"), *_runs(before, 2, "c:"), *_runs(after, 2, "c:")}
        apart = {
            f"m:{word}~{own[at + step]}"
            for at, word in enumerate(own)
            for step in _APART
            if at + step < len(own)
        }
        self.row = hash_names({*self._near, *_runs(own, 3, "m:"), *apart})

    def choices(self, kind: MentionKind) -> dict[str, NDArray[np.int64]]:
        """Return what a question may be answered with, by its features: mentions, then none."""
        if kind not in self._choices:
            self._choices[kind] = self._find_choices(kind)
        return self._choices[kind]

    def _find_choices(self, kind: MentionKind) -> dict[str, NDArray[np.int64]]:
        mentioned = self._clause.mentioned(kind)
        marked = [key for key, spans in mentioned.items() if self._marked_spans(spans)]
        acts = {each.key: each for each in self._clause.mentions if each.kind is kind}
        found = {
            key: hash_names(
                {
                    "known" if acts[key].known else "unknown",
                    f"acts{acts[key].acts}",
                    *self._describe(key, spans, marked),
                }
            )
            for key, spans in mentioned.items()
        }
        found[NO_MENTION] = hash_names({"NONE", *(f"N:{each}" for each in self._near)})
        if kind is MentionKind.PARTY:
            marked_words = (f"T:{each}" for each in self._near if each.startswith("m:"))
            found[EACH_PARTY] = hash_names(
                {"BOTH", f"b_n{min(len(marked), _RANKS)}", *marked_words}
            )
        return found

    def _marked_spans(self, spans: Sequence[Span]) -> list[Span]:
        return [span for span in spans if self._clause.marked.overlaps(span)]

    def _describe(self, key: str, spans: Sequence[Span], marked: Sequence[str]) -> set[str]:
        inside = self._marked_spans(spans)
        found = {
            "in" if inside else "out",
            f"n{min(len(inside), _COUNTS)}",
            f"of{min(len(marked), _COUNTS)}",
            "only" if len(marked) == 1 and inside else "several",
            f"w={key}",
        }
        if key in marked:
            found.add(f"rank{min(marked.index(key), _RANKS)}")
        for span in inside or spans:
            at, beyond = (bisect_left(self._starts, place) for place in (span.start, span.end))
            before = [word for word, _ in self._words[max(0, at - _NEAR) : at]]
            after = [word for word, _ in self._words[beyond : beyond + _BEYOND]]
            found.update(_around(before, after, "" if inside else "o:"))
        return found


def _around(before: Sequence[str], after: Sequence[str], where: str) -> Iterable[str]:
    for side, words in (("b", before[::-1]), ("a", after)):
        for far, word in enumerate(words):
            yield f"{where}{side}{min(far, _RANKS)}={word}"
            yield f"{where}{side.upper()}={word}"
    for side, words in (("B", before), ("A", after)):
        for one, other in pairwise(words):
            yield f"{where}{side}2={one}_{other}"
    yield f"{where}x={before[-1] if before else '^'}_{after[0] if after else '$'}"
    yield f"{where}a123={'_'.join(after[:3])}"
    yield f"{where}b12={'_'.join(before[-2:])}"


def _runs(words: Sequence[str], most: int, where: str) -> Iterable[str]:
    for many in range(1, most + 1):
        for at in range(len(words) - many + 1):
            yield where + "_".join(words[at : at + many])


def _fold_words(clause: MarkedClause) -> list[tuple[str, int]]:
    """Return the words of a clause with their places; a party is one word, like any other."""
    parties = [
        each for each in clause.mentions if each.kind in (MentionKind.PARTY, MentionKind.GROUP)
    ]
    found: list[tuple[str, int]] = []
    party = 0
    for match in _WORD.finditer(clause.text, clause.clause.start, clause.clause.end):
        while party < len(parties) and parties[party].span.end <= match.start():
            party += 1
        if party < len(parties) and parties[party].span.start <= match.start():
            named = parties[party]
            if not found or found[-1][1] != named.span.start:
                is_group = named.kind is MentionKind.GROUP
                word = f"GROUP_{named.key.split()[0]}" if is_group else "PARTY"
                found.append((word, named.span.start))
            continue
        word = match.group().lower()
        if word[0].isdigit():
            word = "0" * min(_DIGITS, sum(each.isdigit() for each in word))
        if found and found[-1][0] == _NEGATING:
            found[-1] = (_NEGATING + word, found[-1][1])
        else:
            found.append((word, match.start()))
    return found


def hash_names(names: Iterable[str]) -> NDArray[np.int64]:
    """Return the features by these names, in order, each once."""
    import numpy as np

    return np.unique(np.fromiter((crc32(each.encode()) for each in names), np.int64))


def copy_features(features: NDArray[np.int64], *names: str) -> NDArray[np.int64]:
    """Return features with a copy for each name: what is learned of some questions, and of one."""
    import numpy as np

    copies = [(features * _SPREAD + crc32(name.encode())) & 0xFFFFFFFF for name in names]
    return np.unique(np.concatenate([features, *copies]))
