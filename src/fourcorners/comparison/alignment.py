"""Which clauses of two versions belong together, and which have moved.

The words of both versions are aligned first, as a whole and in order; clauses that share most of
their words are the same clause, whatever their numbers say. What is left is then looked for
elsewhere by its runs of words, in the same place and under the same heading, and by meaning.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from fourcorners.comparison.clauses import Version, is_word
from fourcorners.text.near_duplicates import group_pairs
from fourcorners.text.word_differences import align_words, longest_rising

if TYPE_CHECKING:
    from fourcorners.models.encoder.protocol import Encoder

_SHARED = 0.5  # of the words of the shorter of two clauses that must be in the longer
_ALIKE = 0.6  # of the runs of words of two clauses that must be in both, wherever they are
_ALIKE_HERE = 0.2  # of the runs of clauses that are in the same place
_RUN = 3  # words in a run
_NEARLY = 0.8  # of the runs of two clauses, by which one is all of the other
_TOO_LONG = 1.5  # times the words of a clause that those merged into it may have
_OVERLAP = 12  # words in a row that are one text, however long the clauses are that they are in
_FEWEST = 2  # words in a row that are no chance
_COMMON = 20  # clauses with a run of words, above which it finds nothing
_FEW_HERE = 3  # clauses between the same neighbours among which a number tells which is which
_TELLING = 8  # words of a clause that a vector tells something of
_MEANING = 0.65  # cosine of two clauses that are about the same, by `bench comparison`
_MEANT = 400  # clauses of either version that are compared by meaning, for time
_BEGINNING = 400  # characters of a clause by which its meaning is compared, for time


@dataclass(frozen=True, slots=True)
class Group:
    """Clauses that belong together, by their positions in either version, in order.

    `is_replaced` says that they are in one place or under one heading and share few words.
    """

    before: tuple[int, ...]
    after: tuple[int, ...]
    is_replaced: bool = False
    is_moved: bool = False


def align_clauses(old: Version, new: Version, encoder: Encoder | None = None) -> list[Group]:
    """Return every clause of both versions in one group, in the order of the second version.

    A removed clause follows the clause that it followed before. With an encoder, clauses that
    nothing else pairs are paired by meaning.
    """
    groups = _in_order(old, new)
    places = _Places([group.before[0] for group in groups], [group.after[0] for group in groups])
    for find in (_find_alike, _find_by_meaning, _find_numbered):
        left_old = _others(len(old.clauses), (at for group in groups for at in group.before))
        left_new = _others(len(new.clauses), (at for group in groups for at in group.after))
        if left_old and left_new:
            groups += find(_Left(old, left_old), _Left(new, left_new), places, encoder)
    return _arrange(groups, len(old.clauses), len(new.clauses))


@dataclass(frozen=True, slots=True)
class _Left:
    """The clauses of a version that are in no group yet."""

    version: Version
    clauses: Sequence[int]


@dataclass(frozen=True, slots=True)
class _Places:
    """The first clauses of the groups that the one alignment of both texts gave, in both."""

    old: Sequence[int]
    new: Sequence[int]

    def gaps(self, old: _Left, new: _Left) -> tuple[dict[int, int], dict[int, int]]:
        """Return between which of these clauses each other clause is."""
        ordered = sorted(self.old), sorted(self.new)
        before, after = (
            {at: bisect_left(taken, at) for at in left.clauses}
            for taken, left in zip(ordered, (old, new), strict=True)
        )
        return before, after


def _in_order(old: Version, new: Version) -> list[Group]:
    """Group clauses by the words that they share in the one alignment of both texts."""
    shared = _shared_words(old, new)
    joined = group_pairs(
        ((0, i), (1, j))
        for (i, j), count in shared.items()
        if count >= _SHARED * min(old.lengths[i], new.lengths[j])
    )
    found = [
        (tuple(at for side, at in each if not side), tuple(at for side, at in each if side))
        for each in joined
    ]
    return [
        Group(_keep_likest(old, before, new, after), _keep_likest(new, after, old, before))
        for before, after in found
    ]


def _keep_likest(
    one: Version, several: tuple[int, ...], other: Version, single: tuple[int, ...]
) -> tuple[int, ...]:
    """Return several clauses, or the one of them that is all of a single clause of the other.

    Of clauses in a row that say nearly the same, one may be gone, and its words lend themselves.
    """
    if len(single) > 1 or len(several) < 2:
        return several
    (whole,) = single
    if sum(one.lengths[at] for at in several) < _TOO_LONG * other.lengths[whole]:
        return several
    scores = _scores(_runs(_Left(one, several)), _runs(_Left(other, single)))
    best = max(several, key=lambda at: scores.get((at, whole), 0.0))
    return (best,) if scores.get((best, whole), 0.0) >= _NEARLY else several


def _shared_words(old: Version, new: Version) -> Counter[tuple[int, int]]:
    """Return how many words each two clauses share, those by chance left out.

    Where a clause is cut otherwise in the other version, many words in a row count as all of it.
    """
    shared: Counter[tuple[int, int]] = Counter()
    for run in _runs_in_common(old, new):
        i, j = old.owners[run[0][0]], new.owners[run[0][1]]
        words = sum(is_word(old.words.texts[at]) for at, _ in run)
        if not words and len(run) == len(old.ranges[i]) == len(new.ranges[j]):
            words = len(run)  # both have signs alone, such as "[***]"
        if words >= _OVERLAP:
            words = max(words, old.lengths[i])
        if words >= min(_FEWEST, old.lengths[i], new.lengths[j]):
            shared[i, j] += words
    return shared


def _runs_in_common(old: Version, new: Version) -> Iterator[list[tuple[int, int]]]:
    """Yield positions of words that follow each other in both, within one clause of each."""
    run: list[tuple[int, int]] = []
    for i, j in align_words(old.words.keys, new.words.keys):
        if run and not (
            (i, j) == (run[-1][0] + 1, run[-1][1] + 1)
            and old.owners[i] == old.owners[run[0][0]]
            and new.owners[j] == new.owners[run[0][1]]
        ):
            yield run
            run = []
        run.append((i, j))
    if run:
        yield run


def _others(count: int, taken: Iterable[int]) -> list[int]:
    known = set(taken)
    return [at for at in range(count) if at not in known]


def _find_alike(old: _Left, new: _Left, places: _Places, _: Encoder | None) -> list[Group]:
    """Pair clauses that share most runs of words, wherever they are: those that moved.

    Between the same neighbours fewer will do; anywhere the same heading, if only one has it.
    """
    scores = _scores(_runs(old), _runs(new))
    gap_old, gap_new = places.gaps(old, new)
    found = [
        (score, i, j)
        for (i, j), score in scores.items()
        if score >= (_ALIKE_HERE if gap_old[i] == gap_new[j] else _ALIKE)
    ]
    headings = [
        _by_name({at: left.version.clauses[at].heading.casefold() for at in left.clauses})
        for left in (old, new)
    ]
    found += [(0.0, i, headings[1][name]) for name, i in headings[0].items() if name in headings[1]]
    return [
        Group((i,), (j,), is_replaced=scores.get((i, j), 0.0) < _ALIKE_HERE)
        for i, j in _best_pairs(found)
    ]


def _find_numbered(old: _Left, new: _Left, places: _Places, _: Encoder | None) -> list[Group]:
    """Pair clauses with the same number where few others are between the same neighbours."""
    gap_old, gap_new = places.gaps(old, new)
    counts = Counter(gap_old.values()) | Counter(gap_new.values())
    names = []
    for left, gap in ((old, gap_old), (new, gap_new)):
        few = [at for at in left.clauses if counts[gap[at]] <= _FEW_HERE]
        written = {at: left.version.clauses[at].written for at in few}
        names.append(_by_name({at: name and f"{gap[at]} {name}" for at, name in written.items()}))
    return [
        Group((i,), (names[1][name],), is_replaced=True)
        for name, i in names[0].items()
        if name in names[1]
    ]


def _by_name(names: Mapping[int, str]) -> dict[str, int]:
    """Return the one clause of each name; none of a name that several have, or of no name."""
    counts = Counter(names.values())
    return {name: at for at, name in names.items() if name and counts[name] == 1}


def _runs(left: _Left) -> dict[int, frozenset[tuple[str, ...]]]:
    """Return the runs of words of each clause; of a shorter one all its words."""
    keys = left.version.words.keys
    found = {}
    for clause in left.clauses:
        all_words = [keys[at] for at in left.version.ranges[clause]]
        words = [word for word in all_words if is_word(word)] or all_words
        count = max(1, len(words) - _RUN + 1)
        runs = {tuple(words[at : at + _RUN]) for at in range(count)} if words else set()
        found[clause] = frozenset(runs)
    return found


def _scores(
    old: Mapping[int, frozenset[tuple[str, ...]]], new: Mapping[int, frozenset[tuple[str, ...]]]
) -> dict[tuple[int, int], float]:
    """Return the share of runs that two clauses have in common (Dice), where they have any."""
    places: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for clause, runs in new.items():
        for run in runs:
            places[run].append(clause)
    common: Counter[tuple[int, int]] = Counter()
    for clause, runs in old.items():
        for run in runs:
            if len(places.get(run, ())) <= _COMMON:
                common.update((clause, other) for other in places.get(run, ()))
    return {(i, j): 2 * count / (len(old[i]) + len(new[j])) for (i, j), count in common.items()}


def _best_pairs(found: Iterable[tuple[float, int, int]]) -> Iterator[tuple[int, int]]:
    """Yield pairs, the most alike first, each clause once; of equals those in the same order."""
    taken_old, taken_new = set(), set()
    for _, i, j in sorted(found, key=lambda each: (-each[0], each[1], each[2])):
        if i not in taken_old and j not in taken_new:
            taken_old.add(i)
            taken_new.add(j)
            yield i, j


def _find_by_meaning(old: _Left, new: _Left, _: _Places, encoder: Encoder | None) -> list[Group]:
    """Pair clauses of several words whose vectors are near, each with the one nearest to it."""
    sides = [
        [at for at in left.clauses if left.version.lengths[at] >= _TELLING][:_MEANT]
        for left in (old, new)
    ]
    if encoder is None or not all(sides):
        return []
    vectors = [
        encoder.encode([left.version.text_of(left.version.clauses[at])[:_BEGINNING] for at in side])
        for left, side in zip((old, new), sides, strict=True)
    ]
    cosines = vectors[0] @ vectors[1].T
    found = [
        (float(cosines[i, j]), sides[0][i], sides[1][j])
        for i, j in zip(*(cosines >= _MEANING).nonzero(), strict=True)
    ]
    return [Group((i,), (j,), is_replaced=True) for i, j in _best_pairs(found)]


def _arrange(groups: list[Group], count_old: int, count_new: int) -> list[Group]:
    paired = _mark_moved(sorted(groups, key=lambda group: group.after))
    ends = {group.after: group for group in paired}
    added = _others(count_new, (at for group in paired for at in group.after))
    ends |= {(at,): Group((), (at,)) for at in added}
    result = [ends[key] for key in sorted(ends)]
    known = {at: group for group in paired if not group.is_moved for at in group.before}
    following: dict[int, list[Group]] = defaultdict(list)
    last = -1
    places = {id(group): place for place, group in enumerate(result)}
    removed = set(_others(count_old, (at for group in paired for at in group.before)))
    for at in range(count_old):
        if at in known:
            last = places[id(known[at])]
        elif at in removed:
            following[last].append(Group((at,), ()))
    return [
        *following[-1],
        *(each for place, group in enumerate(result) for each in (group, *following[place])),
    ]


def _mark_moved(groups: list[Group]) -> list[Group]:
    """Mark the fewest groups whose removal leaves the others in one order; all come so ordered."""
    places = [(at, group.before[0]) for at, group in enumerate(groups)]
    ordered = {at for at, _ in longest_rising(places)}
    return [
        group if at in ordered else replace(group, is_moved=True) for at, group in enumerate(groups)
    ]
