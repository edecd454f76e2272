"""Evaluate a query in memory, with the exact places that matched.

The boolean scope is the whole text of the index given. `near` defines what a proximity is; the
compiler for the full-text index is tested against this module, and both against a naive evaluator.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeAlias

from fourcorners.search.query.tree import (
    And,
    Field,
    Leaf,
    Node,
    Not,
    Or,
    Part,
    Phrase,
    Prefix,
    Proximity,
    Query,
    Word,
    leaf_label,
)
from fourcorners.text.span import Span, merge_spans
from fourcorners.text.tokenization import WordIndex

Place: TypeAlias = tuple[int, int]
"""A half-open range of word positions."""

SATURATION = 1.2
"""BM25's k1, as SQLite sets it: how soon further occurrences stop counting."""


@dataclass(frozen=True, slots=True, order=True)
class QueryMatch:
    """One place where a leaf of the query matched.

    Attributes:
        span: From the first character of the match to its last.
        boost: The boost of the leaf, multiplied by those of its groups.
        places: The parts that matched: one for a word or phrase, one per part of a proximity.
    """

    span: Span
    boost: float
    label: str
    places: tuple[Span, ...]


def find_matches(query: Query | Node, index: WordIndex) -> list[QueryMatch]:
    """Return every match of the leaves that make the query true, in order of position.

    It is empty if the text as a whole does not satisfy the query; nothing under a NOT is listed.
    """
    found = _leaves(query, index)
    listed = {
        QueryMatch(
            index.span_between(min(first for first, _ in parts), max(end for _, end in parts) - 1),
            boost,
            name,
            tuple(index.span_between(first, end - 1) for first, end in sorted(parts)),
        )
        for boost, leaf, instances in found or ()
        for name in (leaf_label(leaf),)
        for parts in instances
    }
    return sorted(listed)


def matched_spans(query: Query | Node, index: WordIndex) -> list[Span]:
    """Return the places to highlight: those of all `matches`, merged if they touch, in order.

    It is faster than `matches`, which reports each leaf separately.
    """
    found = _leaves(query, index)
    spots = {place for _, _, instances in found or () for parts in instances for place in parts}
    return merge_spans(index.span_between(first, beyond - 1) for first, beyond in spots)


def is_match(query: Query | Node, index: WordIndex) -> bool:
    return _leaves(query, index) is not None


def score_text(query: Query | Node, index: WordIndex) -> float:
    """Return the sum over the matching leaves of boost × BM25's saturated frequency."""
    total = 0.0
    for boost, _, instances in _leaves(query, index) or ():
        count = len(instances)
        total += boost * count * (SATURATION + 1) / (count + SATURATION)
    return total


_Found: TypeAlias = list[tuple[float, Leaf, list[tuple[Place, ...]]]]


def _leaves(query: Query | Node, index: WordIndex) -> _Found | None:
    return _satisfied(query.tree if isinstance(query, Query) else query, index, 1.0)


def _satisfied(node: Node, index: WordIndex, boost: float) -> _Found | None:
    """Return the leaves that match with their instances, or None if the node is not satisfied."""
    match node:
        case And():
            entries: _Found = []
            for part in node.parts:
                found = _satisfied(part, index, boost * node.boost)
                if found is None:
                    return None
                entries += found
            return entries
        case Or():
            held = [_satisfied(part, index, boost * node.boost) for part in node.parts]
            if all(found is None for found in held):
                return None
            return [entry for found in held if found is not None for entry in found]
        case Not():
            return [] if _satisfied(node.part, index, boost) is None else None
        case Field():
            raise TypeError(f"{leaf_label(node)} is not in the words of a text")
        case _:
            instances = leaf_instances(node, index)
            return [(boost * node.boost, node, instances)] if instances else None


def leaf_instances(leaf: Leaf, index: WordIndex) -> list[tuple[Place, ...]]:
    if isinstance(leaf, Proximity):
        parts: list[list[Place]] = []
        for part in leaf.parts:
            found = _term_places(part, index)
            if not found:
                return []
            parts.append(found)
        if leaf.sloppy:
            return _sloppy_places(parts, leaf.distance)
        return _proximity_instances(parts, leaf.distance, ordered=leaf.ordered)
    return [(place,) for place in _term_places(leaf, index)]


def _term_places(part: Part, index: WordIndex) -> list[Place]:
    """Return the places of a word, prefix, phrase or group of these, in order."""
    match part:
        case Word():
            return [(at, at + 1) for at in index.positions(part.token)]
        case Prefix():
            return [(at, at + 1) for at in index.prefix_positions(part.token)]
        case Phrase():
            return _phrase_places(part, index)
        case Or():
            inner = (
                one for one in part.parts if not isinstance(one, And | Not | Proximity | Field)
            )
            return sorted({place for one in inner for place in _term_places(one, index)})


def _phrase_places(phrase: Phrase, index: WordIndex) -> list[Place]:
    whole = phrase.tokens[:-1] if phrase.prefix else phrase.tokens
    lists = [index.positions(token) for token in whole]
    if phrase.prefix:
        lists.append(index.prefix_positions(phrase.tokens[-1]))
    rarest = min(range(len(lists)), key=lambda at: len(lists[at]))
    others = [(offset - rarest, set(at)) for offset, at in enumerate(lists) if offset != rarest]
    length = len(lists)
    return [
        (at - rarest, at - rarest + length)
        for at in lists[rarest]
        if all(at + offset in positions for offset, positions in others)
    ]


def _proximity_instances(
    parts: Sequence[Sequence[Place]], distance: int, *, ordered: bool
) -> list[tuple[Place, ...]]:
    """Return the instances of a proximity: one place for each part, in the order of the parts.

    In any order there is one instance for each place that can be last in it, with the nearest
    places before it; in the given order, one for each place of the last part.
    """
    if not all(parts):
        return []
    if ordered:
        return _in_order(parts, distance)
    by_end = [sorted(part, key=lambda place: place[1]) for part in parts]
    ends = [[end for _, end in part] for part in by_end]
    found: list[tuple[Place, ...]] = []
    for last, anchors in enumerate(parts):
        others = [other for other in range(len(parts)) if other != last]
        for anchor in anchors:
            start = anchor[0]
            candidates: list[Sequence[Place]] = []
            for other in others:
                beyond = bisect_right(ends[other], start)
                if not beyond or ends[other][beyond - 1] < start - distance:
                    break
                lowest = bisect_left(ends[other], start - distance, 0, beyond)
                candidates.append(by_end[other][lowest:beyond])
            else:
                chosen = _disjoint(candidates)
                if chosen is not None:
                    found.append((*chosen[:last], anchor, *chosen[last:]))
    return found


def _sloppy_places(parts: Sequence[Sequence[Place]], distance: int) -> list[tuple[Place, ...]]:
    """Return the instances of Lucene's proximity, each part one word.

    A word's move is its distance from its position in the phrase; the moves may differ by at most
    `distance`. There is one instance for each word that can be the one that moves least.
    """
    moved = [[place[0] - at for place in part] for at, part in enumerate(parts)]
    found: list[tuple[Place, ...]] = []
    for anchor, moves in enumerate(moved):
        others = [other for other in range(len(parts)) if other != anchor]
        for at, least in enumerate(moves):
            candidates: list[Sequence[Place]] = []
            for other in others:
                low = bisect_left(moved[other], least)
                beyond = bisect_right(moved[other], least + distance)
                # `_disjoint` prefers the last: the nearest must be last.
                near_by = reversed(parts[other][low:beyond])
                candidates.append([place for place in near_by if place != parts[anchor][at]])
            chosen = _disjoint(candidates) if all(candidates) else None
            if chosen is not None:
                found.append((*chosen[:anchor], parts[anchor][at], *chosen[anchor:]))
    return found


def _disjoint(candidates: Sequence[Sequence[Place]]) -> list[Place] | None:
    """Choose one place of each, none sharing a word with another, the nearest (last) first."""
    nearest = [each[-1] for each in candidates]
    if len(nearest) < 2 or not _clash(nearest):
        return nearest
    if any(sum(other == each for other in candidates) > len(each) for each in candidates):
        return None  # fewer places than parts: do not try all combinations
    order = sorted(range(len(candidates)), key=lambda at: len(candidates[at]))
    chosen: dict[int, Place] = {}

    def choose(depth: int) -> bool:
        if depth == len(order):
            return True
        at = order[depth]
        # Two parts with the same candidates are equivalent: the second takes an earlier place.
        alike = depth > 0 and candidates[order[depth - 1]] == candidates[at]
        limit = chosen[order[depth - 1]] if alike else None
        for place in reversed(candidates[at]):
            if limit is not None and place[1] >= limit[1]:
                continue
            if any(place[0] < end and start < place[1] for start, end in chosen.values()):
                continue
            chosen[at] = place
            if choose(depth + 1):
                return True
            del chosen[at]
        return False

    return [chosen[at] for at in range(len(candidates))] if choose(0) else None


def _clash(chosen: Iterable[Place]) -> bool:
    ordered = sorted(chosen)
    return any(later[0] < earlier[1] for earlier, later in pairwise(ordered))


def _in_order(parts: Sequence[Sequence[Place]], distance: int) -> list[tuple[Place, ...]]:
    reached: list[tuple[Place, ...]] = [(place,) for place in parts[0]]
    for part in parts[1:]:
        reached.sort(key=lambda chain: chain[-1][1])
        ends = [chain[-1][1] for chain in reached]
        longer = []
        for place in part:
            beyond = bisect_right(ends, place[0])
            if beyond and ends[beyond - 1] >= place[0] - distance:
                longer.append((*reached[beyond - 1], place))
        reached = longer
    return reached
