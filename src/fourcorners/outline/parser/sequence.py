"""Decide which markers form the contract's numbering, by a search over readings.

Every marker is taken, in one of its readings and on one level, or left out. Each choice has a
cost: nothing for the number that comes next, more for a gap, a restart or a doubtful marker. A
beam search keeps the cheapest few states, so whether `(i)` is a letter or a roman numeral, or
whether `3.2` at a line's start is a heading, is decided by all the numbers around it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import floor

from fourcorners.outline.parser.markers import Marker
from fourcorners.outline.parser.numbering import NumberReading, steps_between

BEAM = 8  # states kept; by hand
_OPEN = 0.3  # start a list at its first number
_NEST = 1.6  # start a list of a scheme that is already open further out
_NEST_DEEP = 0.6  # … within a lettered list of a clause numbered by decimals, or further in
_LATE = 0.9  # start a list in its middle
_HEAD = 0.7  # start the clauses' own list after another list, such as unmarked recitals
_DEEP = 0.4  # number clauses by decimals within a list
_STEP = 0.35  # … and for each missing number
_GAP_LIMIT = 4.0  # cost of a gap, however wide; by hand
_AGAIN = 1.3  # the same number twice
_RESTART = 2.2  # back to the first number without a reason
_RESTART_LED = 0.4  # … to which a sentence leads
_QUOTED = 0.3  # … that may be quoted in the clause before
_MISREAD = 0.5  # "I." or "l." for "1."
# Start a list right within one of the same scheme: costlier than a restart, unless it continues.
_WITHIN_ITSELF = 2.25
_ORPHAN = 0.6  # a decimal whose parent is missing
_CLOSE = 0.02  # close a level: between equals, prefer the deeper one

# Schemes at the head of their container, whatever is open below it.
_CONTAINERS = {
    **dict.fromkeys(("attachment", "recitals", "signature"), 0),
    **dict.fromkeys(("part", "chapter", "heading"), 1),
    "article": 2,
    "caps": 3,
}
_TOP = {**_CONTAINERS, "section": 4}
Level = tuple[str, tuple[float, ...]]
# The paths of recitals and signatures: nothing says where they end; an event does, and signatures
# may close an attachment; a list of recitals does, where another starts.
OPEN: tuple[float, ...] = (0,)
INNER: tuple[float, ...] = (1,)
LISTED: tuple[float, ...] = (2,)
_OPEN_ENDED: frozenset[Level] = frozenset({("recitals", OPEN), ("signature", OPEN)})
# Recitals are not numbered so.
_ENDING = frozenset({"1.", "section", "article", "part", "chapter", "first"})
_HARD = frozenset({"signature", "body", "recitals"})

_LETTERED = frozenset({"A.", "a.", "(a)", "(A)", "A)", "a)"})
_ITEMS = frozenset({"a)", "A)", "i)", "I)"})

Stack = tuple[Level, ...]
Memory = tuple[float, float, float]  # the last article, section and plain number, across containers
_REMEMBERED = {"article": 0, "section": 1, "1.": 2}


@dataclass(frozen=True, slots=True)
class PlacedMarker:
    """A marker of the numbering, with its reading, level and doubt."""

    marker: Marker
    reading: NumberReading
    depth: int
    gap: float


@dataclass(frozen=True, slots=True)
class _Link:
    """A linked list of what was taken, shared between states."""

    head: PlacedMarker
    before: _Link | None


@dataclass(frozen=True, slots=True)
class _State:
    cost: float
    stack: Stack
    memory: Memory
    trail: _Link | None


def place_markers(markers: list[Marker]) -> list[PlacedMarker]:
    beam = [_State(0.0, (), (0, 0, 0), None)]
    for marker in markers:
        best: dict[tuple[Stack, Memory], _State] = {}
        for state in beam:
            for follower in _followers(state, marker):
                key = (follower.stack, follower.memory)
                known = best.get(key)
                if known is None or follower.cost < known.cost:
                    best[key] = follower
        beam = sorted(best.values(), key=lambda state: state.cost)[:BEAM]
    return _trail(beam[0])


def _trail(state: _State) -> list[PlacedMarker]:
    taken: list[PlacedMarker] = []
    link = state.trail
    while link is not None:
        taken.append(link.head)
        link = link.before
    return taken[::-1]


def _followers(state: _State, marker: Marker) -> Iterator[_State]:
    first = marker.readings[0]
    if first.family not in _HARD:
        # An attachment's heading recurs at the top of each of its pages.
        again = bool(state.stack) and (first.family, first.path) == state.stack[0]
        leave = 0.0 if again and state.stack[0][0] == "attachment" else marker.leave
        yield _State(state.cost + leave, state.stack, state.memory, state.trail)
    for reading in marker.readings:
        if _is_guess(marker, reading) and all(level[0] != "section" for level in state.stack):
            continue
        misread = _MISREAD if reading.family == "1." and marker.written in ("I", "l") else 0.0
        for stack, cost in _moves(state, reading):
            cost += misread
            if (
                marker.has_lead
                and _RESTART <= cost < _WITHIN_ITSELF
                and len(stack) <= len(state.stack)
            ):
                cost += _RESTART_LED - _RESTART
            if marker.deep and cost > _NEST_DEEP and _is_nested(state.stack, stack):
                cost = _NEST_DEEP
            memory = _remember(state.memory, reading)
            taken = PlacedMarker(marker, reading, len(stack) - 1, cost)
            yield _State(state.cost + cost + marker.take, stack, memory, _Link(taken, state.trail))


def _is_guess(marker: Marker, reading: NumberReading) -> bool:
    """Return whether a number such as `6.0` is read as a section, which only continues sections."""
    return reading.family == "section" and marker.readings[0].family == "1."


def _remember(memory: Memory, reading: NumberReading) -> Memory:
    if reading.family == "attachment":
        return (0, 0, 0)
    slot = _REMEMBERED.get(reading.family)
    if slot is None:
        return memory
    changed = list(memory)
    changed[slot] = reading.path[0]
    return (changed[0], changed[1], changed[2])


def _moves(state: _State, reading: NumberReading) -> Iterator[tuple[Stack, float]]:
    """Yield every stack that can result from taking the reading, with its cost."""
    family, path = reading.family, reading.path
    stack = state.stack
    if family == "body":
        yield (), 0.0
    elif family in _HARD or family == "attachment":
        if family == "attachment" and stack and stack[0] == (family, path):
            return
        inside = family == "signature" and path == INNER and stack and stack[0][0] == "attachment"
        yield ((*stack[:1], (family, path)) if inside else ((family, path),)), 0.0
    elif family in ("heading", "caps"):
        yield _headed(stack, reading), 0.0
    elif len(path) > 1:
        yield from _decimal_moves(stack, family, path)
    else:
        yield from _plain_moves(state, family, path[0])


def _base(stack: Stack, family: str) -> int:
    """Return how many levels stay open when a list of this scheme starts at its container."""
    rank = _TOP.get(family)
    if rank is None:
        return len(stack)
    for index, (open_family, _) in enumerate(stack):
        if _TOP.get(open_family, 9) >= rank:
            return index
    return len(stack)


def _start_of(stack: Stack, family: str) -> int:
    """Return the level on which a new list starts, which may close open-ended parts."""
    if stack and stack[0] in _OPEN_ENDED and family in _ENDING:
        return 0
    if stack and stack[-1] == ("signature", INNER):
        return len(stack) - 1
    return _base(stack, family)


def _head(stack: Stack) -> int:
    """Return how many containers are open: where a list of the contract's clauses starts."""
    for index, (family, _) in enumerate(stack):
        if family not in _TOP:
            return index
    return len(stack)


def _headed(stack: Stack, reading: NumberReading) -> Stack:
    keep = 0
    for family, path in stack:
        if (
            family in ("attachment", "part")
            or (reading.family == "caps" and family in ("article", "heading"))
            or (family == reading.family and path[0] < reading.path[0])
        ):
            keep += 1
        else:
            break
    return (*stack[:keep], (reading.family, reading.path))


def _lateness_cost(value: float) -> float:
    return min(_GAP_LIMIT, _LATE + _STEP * (value - 1)) if value > 1 else 0.0


def _gap(step: float) -> float:
    return 0.0 if step == 1 else min(_GAP_LIMIT, _LATE + _STEP * (step - 1))


def _plain_moves(state: _State, family: str, value: float) -> Iterator[tuple[Stack, float]]:
    stack = state.stack
    entry: Level = (family, (value,))
    depth = len(stack)
    present = False
    for index in range(depth - 1, -1, -1):
        if stack[index][0] != family:
            continue
        closing = _CLOSE * (depth - 1 - index)
        last = stack[index][1][0]
        if value > last:
            yield (*stack[:index], entry), _gap(steps_between(last, value)) + closing
        elif value == last:
            yield (*stack[:index], entry), _AGAIN + closing
        elif value <= 1:
            if stack[0] == ("recitals", LISTED) and index == 1:
                yield (entry,), _OPEN
            yield (*stack[:index], entry), _RESTART + closing
        present = True
    if family == "section" and value <= 1 and depth == 1 and stack[0][0] == "I.":
        yield (*stack, entry), _OPEN - _CLOSE  # parts that contain sections, which restart in each
    base = _start_of(stack, family)
    slot = _REMEMBERED.get(family)
    follows = slot is not None and steps_between(state.memory[slot], value) == 1
    late = 0.0 if follows else _lateness_cost(value)
    if not present:
        beside = _sibling_place(stack, value, follows=follows) if family == "1." else None
        if beside is not None:
            yield (*stack[:beside], entry), _CLOSE
        yield (*stack[:base], entry), _OPEN + late
        head = _head(stack) if family == "1." else base
        if head < base:
            items = stack[0][0][:1] == "(" or stack[0][0] in _ITEMS  # such as the parties
            yield (*stack[:head], entry), _OPEN + late + (-_CLOSE if items else _HEAD)
    elif base == depth and value <= 1 and family not in _TOP:
        yield from _nested(stack, entry)


def _nested(stack: Stack, entry: Level) -> Iterator[tuple[Stack, float]]:
    """Yield the start of a list within another of the same scheme; a third is never tried."""
    if sum(family == entry[0] for family, _ in stack) >= 2:
        return
    if stack[-1][0] == entry[0]:
        yield (*stack, entry), _WITHIN_ITSELF
        return
    lists = stack[-1][0] in _LETTERED and any(len(path) > 1 for _, path in stack)
    yield (*stack, entry), _NEST_DEEP if lists else _NEST


def _is_nested(before: Stack, after: Stack) -> bool:
    """Tell whether a list was opened within one of the same scheme, with another between."""
    family = after[-1][0]
    return len(after) > len(before) and any(each == family for each, _ in before[:-1])


def _sibling_place(stack: Stack, value: float, *, follows: bool) -> int | None:
    """Return the level of a decimal without its parent, if the number continues from it."""
    for index, level in enumerate(stack):
        if level[0] == "recitals" or _numeric(level) is not None:
            path = level[1]
            orphan = len(path) > 1 and (
                steps_between(path[0], value) == 1 or (follows and value > path[0])
            )
            return index if orphan else None
    return None


def _numeric(level: Level) -> tuple[float, ...] | None:
    """Return the decimal path of a level; None for lists of another kind."""
    family, path = level
    if family in ("1.", "1)", "article", "chapter", "section", "I.") or len(path) > 1:
        return path
    return None


def _decimal_moves(
    stack: Stack, family: str, path: tuple[float, ...]
) -> Iterator[tuple[Stack, float]]:
    entry: Level = (family, path)
    parent = sibling = None
    for index in range(len(stack) - 1, -1, -1):
        if sibling is None and stack[index][0] == family:
            sibling = index
        if parent is None and _numeric(stack[index]) == path[:-1]:
            parent = index
    last = stack[sibling][1] if sibling is not None else None
    if sibling is not None and last is not None and last[:-1] == path[:-1]:
        if path > last:
            yield (*stack[:sibling], entry), _gap(steps_between(last[-1], path[-1]))
        elif path == last:
            yield (*stack[:sibling], entry), _AGAIN
        return
    if parent is not None:
        deep = _DEEP if len(path) == 2 and parent > _head(stack) else 0.0
        yield (*stack[: parent + 1], entry), 0.05 + deep + _lateness_cost(path[-1])
        return
    yield from _orphan_moves(stack, entry, last)


def _orphan_moves(
    stack: Stack, entry: Level, last: tuple[float, ...] | None
) -> Iterator[tuple[Stack, float]]:
    path = entry[1]
    base = _decimal_base(stack, path)
    if _is_cited(stack, base, path):
        base += 1
    elif _is_cited(stack, base, (0, *path[1:])) and path[0] == stack[base][1][0] + 1:
        yield (*stack[: base + 1], entry), _ORPHAN + _QUOTED + _lateness_cost(path[-1])
    if last is None:
        yield (*stack[:base], entry), _ORPHAN + _lateness_cost(path[-1])
    elif path > last:
        jump = _jump(last, path)
        yield (*stack[:base], entry), _ORPHAN + jump + _lateness_cost(path[-1])
    elif all(part <= 1 for part in path):
        yield (*stack[:base], entry), _RESTART


def _is_cited(stack: Stack, base: int, path: tuple[float, ...]) -> bool:
    """Return whether a decimal is quoted from another contract, or misnumbered.

    The clause is numbered by whole numbers, and is neither the decimal's nor the previous one.
    """
    if base >= len(stack) or stack[base][0] not in ("1.", "section") or len(path) < 2:
        return False
    whole = stack[base][1]
    return len(whole) == 1 and floor(path[0]) - floor(whole[0]) not in (0, 1)


def _jump(last: tuple[float, ...], path: tuple[float, ...]) -> float:
    steps = (after - before for before, after in zip(last, path, strict=False) if after != before)
    return min(_GAP_LIMIT, _STEP * max(0, next(steps, 0) - 1))


def _decimal_base(stack: Stack, path: tuple[float, ...]) -> int:
    for index, level in enumerate(stack):
        if level[0] in _CONTAINERS:
            continue
        numeric = _numeric(level)
        if numeric is None or numeric != path[: len(numeric)] or len(numeric) >= len(path):
            return index
    return len(stack)
