"""Which blocks, rows, cells or notes of two versions belong together, in the order of both."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Final, TypeAlias

from fourcorners.documents.docx.styles import W
from fourcorners.documents.docx.versions.atoms import WORD
from fourcorners.text.word_differences import align_words, longest_rising

if TYPE_CHECKING:
    from lxml.etree import _Element

_LEAST_SHARED: Final = 0.4  # share of the words of two blocks that both have


_TEXT: Final = frozenset({f"{W}t", f"{W}delText"})
_SPACES: Final = frozenset({f"{W}p", f"{W}tab", f"{W}br"})


@dataclass(frozen=True, slots=True)
class Item:
    """What is aligned, with others of its kind; an anchor with any of them in its place."""

    kind: str
    words: tuple[str, ...]
    is_anchor: bool = False


_Finder: TypeAlias = Callable[[Sequence[Item], Sequence[Item], bool], list[tuple[int, int]]]


def words_of(node: _Element) -> tuple[str, ...]:
    """Return the words by which a block, row, cell or note is found again."""
    shown = "".join(
        (each.text or "") if each.tag in _TEXT else " " * (each.tag in _SPACES)
        for each in node.iter()
    )
    return tuple(match[0] for match in WORD.finditer(shown) if not match[0].isspace())


def align_items(before: Sequence[Item], after: Sequence[Item]) -> list[tuple[int, int]]:
    """Return pairs of positions in order of both: equal items, then those that share words.

    What is an anchor between two pairs is paired in order, and so are the last items of both.
    """
    pairs = align_words(_keys(before), _keys(after))
    pairs = _fill(pairs, before, after, _by_words)
    return _fill(pairs, before, after, _by_place)


def in_order(
    pairs: Sequence[tuple[int, int]], before: int, after: int
) -> Iterator[tuple[int | None, int | None]]:
    """Yield all positions of both sides in order; between two pairs, what goes comes first."""
    i = j = 0
    for left, right in [*pairs, (before, after)]:
        yield from ((at, None) for at in range(i, left))
        yield from ((None, at) for at in range(j, right))
        if left < before:
            yield left, right
        i, j = left + 1, right + 1


def _keys(items: Sequence[Item]) -> list[str]:
    """Return what items are equal by; empty ones are equal only after equal items."""
    keys: list[str] = []
    last = ""
    for each in items:
        own = "\0".join((each.kind, *each.words))
        keys.append(own if each.words else f"{own}\0\0{last}")
        last = own if each.words else last
    return keys


def _fill(
    pairs: Sequence[tuple[int, int]],
    before: Sequence[Item],
    after: Sequence[Item],
    find: _Finder,
) -> list[tuple[int, int]]:
    """Add to pairs those that `find` sees between two of them."""
    found: list[tuple[int, int]] = []
    edges = [(-1, -1), *pairs, (len(before), len(after))]
    for (i, j), (i_end, j_end) in pairwise(edges):
        if i >= 0:
            found.append((i, j))
        if i_end - i > 1 and j_end - j > 1:
            between = find(
                before[i + 1 : i_end],
                after[j + 1 : j_end],
                i_end == len(before) and j_end == len(after),
            )
            found += ((i + 1 + left, j + 1 + right) for left, right in between)
    return found


def _by_words(
    before: Sequence[Item], after: Sequence[Item], _is_last: bool
) -> list[tuple[int, int]]:
    owners, words = [], []
    for items in (before, after):
        owners.append([at for at, each in enumerate(items) for _ in each.words])
        words.append([word for each in items for word in each.words])
    shared = Counter((owners[0][i], owners[1][j]) for i, j in align_words(words[0], words[1]))
    best: dict[int, tuple[int, int]] = {}
    for (i, j), count in shared.items():
        one, other = before[i], after[j]
        enough = 2 * count >= _LEAST_SHARED * (len(one.words) + len(other.words))
        if enough and one.kind == other.kind and (count, -j) > best.get(i, (0, 0)):
            best[i] = count, -j
    return longest_rising([(i, -best[i][1]) for i in sorted(best)])


def _by_place(
    before: Sequence[Item], after: Sequence[Item], is_last: bool
) -> list[tuple[int, int]]:
    pairs: list[tuple[int, int]] = []
    for kind in dict.fromkeys(each.kind for each in before if each.is_anchor):
        places = ([at for at, e in enumerate(items) if e.kind == kind] for items in (before, after))
        pairs += zip(*places, strict=False)
    i, j = len(before) - 1, len(after) - 1
    if is_last and before[i].kind == after[j].kind:
        pairs.append((i, j))
    return longest_rising(sorted(set(pairs)))


def put_after(
    parent: _Element, last: _Element | None, node: _Element, old: Sequence[_Element]
) -> None:
    """Put a node after the last one of the merged version, or before all of the old one."""
    if last is not None:
        last.addnext(node)
    elif old:
        old[0].addprevious(node)
    elif (end := parent.find(f"{W}sectPr")) is not None:
        end.addprevious(node)
    else:
        parent.append(node)
