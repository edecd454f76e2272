"""Mine a keyword query: words and pairs of words that distinguish one kind of clause.

The unit of counting is the sentence. Candidates are the words in sentences of the kind, whole or as
the start of a word (`assign*`), and the unordered pairs of words with a bounded number of words
between them. One after the other, the candidate that explains most of what the previous terms do
not explain joins the query; the boosts of all are fitted together (log-odds, none below 0), so that
redundant terms do not count twice. A term must occur in clauses of several groups (contracts,
companies): names and oddities of one drafter are not informative.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from os.path import commonprefix
from typing import TYPE_CHECKING, TypeAlias

from fourcorners.text.stems import IDLE, stem_tokens
from fourcorners.text.tokenization import tokenize

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats: TypeAlias = NDArray[np.float64]
    Counts: TypeAlias = NDArray[np.int64]
    Flags: TypeAlias = NDArray[np.bool_]

MAX_TERMS = 40  # of a query; a person must be able to read it
MAX_DISTANCE = 6
"""Maximum words between those of a pair."""
_FEWEST_SENTENCES = 8  # of the whole, that hold a word: rarer ones tell nothing
_FEWEST_LETTERS = 4  # of the start of a word
_PURE = 0.9  # share of the words with that start that have the same stem
_IN_PAIRS = frozenset({"not", "no", "may", "all", "any", "other", "such", "from"})
_LIFT = 3.0  # how many times as frequent in the clauses as elsewhere a candidate is
_OTHERS = 15_000  # sentences of the rest that boosts are fitted on; the others count through them
_LEAST_GAIN = 1.5  # about a standard error
_RIDGE = 2.0  # penalty of the log-odds; by hand
_STEP = 0.5  # boosts are rounded to this


@dataclass(frozen=True, slots=True)
class QueryTerm:
    """A term of a mined query.

    Attributes:
        words: As the query language writes it, without its boost.
        boost: By how much it raises the log-odds of a sentence.
        hits: How many sentences of the kind hold it.
        other_hits: How many other sentences do.
    """

    words: str
    boost: float
    hits: int
    other_hits: int

    def __str__(self) -> str:
        return self.words if self.boost == 1.0 else f"{self.words}^{self.boost:g}"


def terms_query(terms: Sequence[QueryTerm]) -> str:
    """Return terms as a query of the playbook's language: a list, the strongest first."""
    return f"[{', '.join(map(str, sorted(terms, key=lambda term: -term.boost)))}]"


class Sentences:
    """Sentences prepared for mining: their contents as numbers, computed once."""

    def __init__(self, texts: Sequence[str], groups: Sequence[str]) -> None:
        """Read the sentences; those of one contract, company or drafter share a group."""
        import numpy as np

        read = [tokenize(text).tokens for text in texts]
        self.count = len(read)
        known = {group: number for number, group in enumerate(dict.fromkeys(groups))}
        self._group = np.array([known[group] for group in groups], np.int64)
        self._units, unit_of = _units(Counter(token for tokens in read for token in tokens))
        unit = np.array([unit_of[token] for tokens in read for token in tokens], np.int64)
        sentence = np.repeat(np.arange(self.count), [len(tokens) for tokens in read])
        held = np.unique(unit * self.count + sentence) // max(1, self.count)
        often = np.bincount(held, minlength=len(self._units))
        idle = np.array([name in IDLE for name in self._units], np.bool_)
        paired = np.array([name in _IN_PAIRS for name in self._units], np.bool_)
        named = np.array([len(name) > 1 and name.rstrip("*").isalpha() for name in self._units])
        telling = (often >= _FEWEST_SENTENCES) & named
        self._pair(unit, sentence, telling & (~idle | paired))
        single = (telling & ~idle)[unit]
        self._keys.append(unit[single] * (len(self._units) + 1))
        self._places.append(sentence[single])
        self._close()

    def _pair(self, unit: Counts, sentence: Counts, allowed: Flags) -> None:
        import numpy as np

        base = len(self._units) + 1
        keys, places = [], []
        for step in range(1, MAX_DISTANCE + 2):
            left, right = unit[:-step], unit[step:]
            near = sentence[:-step] == sentence[step:]
            near &= allowed[left] & allowed[right] & (left != right)
            low, high = np.minimum(left[near], right[near]), np.maximum(left[near], right[near])
            keys.append(low * base + high + 1)
            places.append(sentence[:-step][near])
        self._keys, self._places = keys, places

    def _close(self) -> None:
        """Sort occurrences by candidate; `self._starts` says where each begins."""
        import numpy as np

        keys = np.concatenate(self._keys)
        places = np.concatenate(self._places)
        names, number = np.unique(keys, return_inverse=True)
        frequent = np.bincount(number, minlength=len(names)) >= _FEWEST_SENTENCES // 2
        row_mask = frequent[number]
        combined = np.unique(number[row_mask] * np.int64(max(1, self.count)) + places[row_mask])
        self._names = names
        self._candidate = combined // max(1, self.count)
        self._sentence = combined % max(1, self.count)
        self._keys, self._places = [], []

    def mine(
        self, of_kind: Flags, within: Flags | None = None, *, most: int = MAX_TERMS
    ) -> list[QueryTerm]:
        """Return the terms that tell sentences `of_kind` from those others that are `within`."""
        import numpy as np

        seen = np.ones(self.count, np.bool_) if within is None else within
        positive = np.flatnonzero(of_kind & seen)
        others = np.flatnonzero(seen & ~of_kind)
        if not len(positive) or not len(others):
            return []
        drawn = others
        if len(others) > _OTHERS:
            drawn = np.sort(np.random.default_rng(0).choice(others, _OTHERS, replace=False))
        rows = np.concatenate([positive, drawn])
        in_group = np.bincount(self._group[positive], minlength=int(self._group.max()) + 1)
        weight = np.full(len(rows), len(others) / len(drawn))
        weight[: len(positive)] = 1 / np.sqrt(in_group[self._group[positive]])
        fit = _Fit(*self._candidates(rows, len(positive), weight), weight, len(positive))
        chosen = fit.select(most)
        return [
            self._term(int(name), boost, of_kind, seen)
            for name, boost in chosen
            if round(boost / _STEP) > 0
        ]

    def _candidates(
        self, rows: Counts, positives: int, weight: Floats
    ) -> tuple[Counts, Counts, Counts, Counts]:
        import numpy as np

        row_of = np.full(self.count, -1, np.int64)
        row_of[rows] = np.arange(len(rows))
        row = row_of[self._sentence]
        selected = row >= 0
        row, candidate = row[selected], self._candidate[selected]
        good = row < positives
        number = int(self._group.max()) + 1
        spread = np.unique(candidate[good] * number + self._group[rows[row[good]]]) // number
        groups = np.bincount(spread, minlength=len(self._names))
        found = np.bincount(candidate[good], minlength=len(self._names))
        rest = np.bincount(candidate[~good], weight[row[~good]], minlength=len(self._names))
        all_groups = len(np.unique(self._group[rows[:positives]]))
        fewest = min(5, max(2, all_groups // 4))
        others = weight[positives:].sum()
        telling = (groups >= fewest) & (found / positives > _LIFT * rest / others)
        selected = telling[candidate]
        row, candidate = row[selected], candidate[selected]
        names, starts = np.unique(candidate, return_index=True)
        return names, starts, np.append(starts[1:], len(candidate)), row

    def _term(self, name: int, boost: float, of_kind: Flags, seen: Flags) -> QueryTerm:
        import numpy as np

        low, high = np.searchsorted(self._candidate, [name, name + 1])
        where = self._sentence[low:high]
        where = where[seen[where]]
        found = int(of_kind[where].sum())
        base = len(self._units) + 1
        first, second = divmod(int(self._names[name]), base)
        written = self._units[first]
        if second:
            written = f'"{written} {self._units[second - 1]}"~{MAX_DISTANCE}'
        return QueryTerm(written, round(boost / _STEP) * _STEP, found, len(where) - found)


class _Fit:
    """A logistic model over candidates that grows by one term at a time."""

    def __init__(
        self,
        names: Counts,
        starts: Counts,
        ends: Counts,
        rows: Counts,
        weight: Floats,
        positives: int,
    ) -> None:
        import numpy as np

        self._names, self._starts, self._ends, self._rows = names, starts, ends, rows
        self._weight = weight
        self._kind = np.zeros(len(weight))
        self._kind[:positives] = 1.0
        odds = weight[:positives].sum() / weight[positives:].sum()
        self._odds = np.full(len(weight), float(np.log(odds)))
        self._boosts: dict[int, float] = {}

    def select(self, most: int) -> list[tuple[int, float]]:
        import numpy as np

        if not len(self._names):
            return []
        while len(self._boosts) < most:
            slope, curve = self._derivatives(self._odds, self._kind, self._weight)
            risen = np.add.reduceat(slope[self._rows], self._starts)
            bend = np.add.reduceat(curve[self._rows], self._starts) + _RIDGE
            gain = np.where(risen > 0, risen * risen / bend, 0.0)
            gain[list(self._boosts)] = 0.0
            best = int(gain.argmax())
            if gain[best] < _LEAST_GAIN:
                break
            self._boosts[best] = 0.0
            self._refit(3)
        self._refit(12)
        return [(int(self._names[at]), boost) for at, boost in self._boosts.items()]

    def _derivatives(self, odds: Floats, kind: Floats, weight: Floats) -> tuple[Floats, Floats]:
        import numpy as np

        chance = 1.0 / (1.0 + np.exp(-odds))
        return weight * (kind - chance), weight * chance * (1.0 - chance)

    def _refit(self, rounds: int) -> None:
        """Improve each boost in turn by a Newton step, then the bias."""
        shrink = 0.3 * _RIDGE
        for _ in range(rounds):
            for at, boost in self._boosts.items():
                rows = self._rows[self._starts[at] : self._ends[at]]
                slope, curve = self._derivatives(
                    self._odds[rows], self._kind[rows], self._weight[rows]
                )
                step = (float(slope.sum()) - shrink * boost) / (float(curve.sum()) + shrink)
                step = max(min(1.5, max(-1.5, step)), -boost)
                self._boosts[at] = boost + step
                self._odds[rows] += step
            slope, curve = self._derivatives(self._odds, self._kind, self._weight)
            self._odds += min(1.0, max(-1.0, float(slope.sum() / curve.sum())))


def _units(often: Counter[str]) -> tuple[list[str], dict[str, int]]:
    """Return the words as a query writes them, and which of them each token is.

    Forms of one stem are written as their common start and a star, if nearly every word with that
    start is one of them; every other token is written as it is.
    """
    tokens = sorted(often)
    forms: dict[str, list[str]] = {}
    for token, stem in zip(tokens, stem_tokens(tokens), strict=True):
        forms.setdefault(stem, []).append(token)
    starts: dict[str, int] = {}
    for same in forms.values():
        start = commonprefix(same)  # noqa: RUF071 - of words, not of paths
        if len(same) > 1 and len(start) >= _FEWEST_LETTERS and start.isalpha():
            starts[start] = starts.get(start, 0) + sum(often[token] for token in same)
    total: Counter[str] = Counter()
    for token in tokens:
        for end in range(_FEWEST_LETTERS, len(token) + 1):
            if token[:end] in starts:
                total[token[:end]] += often[token]
    pure = {start for start, count in starts.items() if count >= _PURE * total[start]}
    names: dict[str, int] = {}
    of: dict[str, int] = {}
    for token in tokens:
        ends = (token[:end] for end in range(_FEWEST_LETTERS, len(token) + 1))
        shared = next((end for end in ends if end in pure), None)
        of[token] = names.setdefault(f"{shared}*" if shared else token, len(names))
    return list(names), of
