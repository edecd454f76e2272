"""Compute the difference of two texts, word by word, covering every character of both.

Long texts are first divided at runs of words that occur once in each and in the same order (Cohen's
patience difference); between them the longest common subsequence of words is exact. So the cost
grows with the texts' length, not with its square.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise

from fourcorners.text.patterns import load_patterns

_PATTERNS = load_patterns("fourcorners.text", "word_differences")
_TOKEN = _PATTERNS["token"]
_SAME_CHARACTERS = str.maketrans("’‘“”–—‐‑", "''\"\"----")
_EXACT = 4_000_000  # pairs of words that are aligned exactly at once; 2,000 words by 2,000
_LARGEST = 400_000_000  # pairs of words, above which texts without one rare run are cut in parts
_RUNS = (6, 3, 1)  # words in a run that may divide, the surest first


class EditKind(StrEnum):
    """What becomes of the words on the way from the first text to the second."""

    EQUAL = "equal"
    DELETE = "delete"
    INSERT = "insert"


@dataclass(frozen=True, slots=True)
class Edit:
    """Words in a row, as they are written, that stay, go or come."""

    kind: EditKind
    text: str


def diff_words(before: str, after: str) -> list[Edit]:
    """Return the edits that lead from `before` to `after`.

    The equal and deleted texts together are `before`, the equal and inserted ones `after`, to the
    character. Where words are replaced, what goes comes first.
    """
    old, new = Words.read(before), Words.read(after)
    return _write(find_replacements(old, new), old, new)


def texts_of(edits: Sequence[Edit]) -> tuple[str, str]:
    """Return the text that edits start from, and the one that they lead to."""
    before = "".join(each.text for each in edits if each.kind is not EditKind.INSERT)
    after = "".join(each.text for each in edits if each.kind is not EditKind.DELETE)
    return before, after


@dataclass(frozen=True, slots=True)
class Words:
    """Words and signs of a text in order, as they are written, and where each starts and ends."""

    text: str
    texts: Sequence[str]
    starts: Sequence[int]
    ends: Sequence[int]

    @classmethod
    def read(cls, text: str) -> Words:
        found = list(_TOKEN.finditer(text))
        return cls(
            text,
            [match[0] for match in found],
            [match.start() for match in found],
            [match.end() for match in found],
        )

    def select(self, positions: Sequence[int]) -> Words:
        """Return some of the words, one after the other."""
        return Words(
            self.text,
            [self.texts[at] for at in positions],
            [self.starts[at] for at in positions],
            [self.ends[at] for at in positions],
        )

    def __len__(self) -> int:
        return len(self.texts)

    @property
    def keys(self) -> list[str]:
        """Return what each word is aligned by: capitals and typographic signs are as any other."""
        distinct = {each: each.translate(_SAME_CHARACTERS).casefold() for each in set(self.texts)}
        return [distinct[each] for each in self.texts]

    def begins_line(self, at: int) -> bool:
        return at == 0 or "\n" in self.text[self.ends[at - 1] : self.starts[at]]

    def letters(self, first: int, beyond: int) -> int:
        return sum(
            len(word) for word in self.texts[first:beyond] if word[0].isalnum() or word[0] == "_"
        )


@dataclass(frozen=True, slots=True)
class Replacement:
    """Words of the first text, half open, in whose place are words of the second; or none."""

    old: int
    old_end: int
    new: int
    new_end: int


def find_replacements(old: Words, new: Words) -> list[Replacement]:
    """Return what differs between two texts, in order.

    Equal words too few to read between two changes are part of one change; a change is placed
    where a sentence or a phrase begins.
    """
    if old.texts == new.texts:
        return []
    pairs = align_words(old.keys, new.keys)
    equal = [(i, j) for i, j in pairs if old.texts[i] == new.texts[j]]
    gaps = _join_near(list(_find_gaps(equal, len(old), len(new))), old, new)
    for at in range(len(gaps)):
        gaps[at] = _slide(gaps, at, old, new)
    return gaps


def align_words(before: Sequence[str], after: Sequence[str]) -> list[tuple[int, int]]:
    """Return pairs of positions of words that are the same, in order of both."""
    numbers: dict[str, int] = {}
    old = [numbers.setdefault(key, len(numbers)) for key in before]
    new = [numbers.setdefault(key, len(numbers)) for key in after]
    return list(_align(old, new))


def longest_rising(pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the longest part of pairs, in order of their first, whose second rises too."""
    ends: list[int] = []
    last: list[int] = []
    before: list[int] = []
    for number, (_, second) in enumerate(pairs):
        at = bisect_left(ends, second)
        before.append(last[at - 1] if at else -1)
        if at == len(ends):
            ends.append(second)
            last.append(number)
        else:
            ends[at], last[at] = second, number
    chain = []
    number = last[-1] if last else -1
    while number >= 0:
        chain.append(pairs[number])
        number = before[number]
    return chain[::-1]


def _align(old: Sequence[int], new: Sequence[int]) -> Iterator[tuple[int, int]]:
    stack = [(0, len(old), 0, len(new), 0)]
    while stack:
        i, i_end, j, j_end, level = stack.pop()
        while i < i_end and j < j_end and old[i] == new[j]:
            yield i, j
            i, j = i + 1, j + 1
        tail = 0
        while (
            i < i_end - tail and j < j_end - tail and old[i_end - tail - 1] == new[j_end - tail - 1]
        ):
            tail += 1
        if tail:
            stack.append((i_end - tail, i_end, j_end - tail, j_end, level))
        i_end, j_end = i_end - tail, j_end - tail
        if i == i_end or j == j_end:
            continue
        if (i_end - i) * (j_end - j) <= _EXACT:
            yield from _exact(old, new, i, i_end, j, j_end)
            continue
        cuts: list[tuple[int, int]] = []
        while not cuts and level < len(_RUNS):
            cuts = _common_runs(old, new, (i, i_end, j, j_end), _RUNS[level])
            level += 1
        if cuts:
            # The levels above are done with: what lies between runs may still be long.
            edges = [(i, j), *cuts, (i_end, j_end)]
            parts = [(one[0], other[0], one[1], other[1], level) for one, other in pairwise(edges)]
            stack.extend(reversed(parts))
        elif (i_end - i) * (j_end - j) <= _LARGEST:
            yield from _exact(old, new, i, i_end, j, j_end)
        else:
            middle = ((i + i_end) // 2, (j + j_end) // 2)
            stack.append((middle[0], i_end, middle[1], j_end, level))
            stack.append((i, middle[0], j, middle[1], level))


def _exact(
    old: Sequence[int], new: Sequence[int], i: int, i_end: int, j: int, j_end: int
) -> Iterator[tuple[int, int]]:
    from rapidfuzz.distance import LCSseq

    for block in LCSseq.opcodes(old[i:i_end], new[j:j_end]):
        if block.tag == "equal":
            first, second = i + block.src_start, j + block.dest_start
            for at in range(block.src_end - block.src_start):
                yield first + at, second + at


def _common_runs(
    old: Sequence[int], new: Sequence[int], within: tuple[int, int, int, int], length: int
) -> list[tuple[int, int]]:
    """Return where runs of words begin that occur once on each side, in the order of both."""
    i, i_end, j, j_end = within
    left = _unique_runs(old, i, i_end, length)
    right = _unique_runs(new, j, j_end, length)
    return longest_rising([(at, right[run]) for run, at in left.items() if run in right])


def _unique_runs(
    words: Sequence[int], start: int, end: int, length: int
) -> dict[tuple[int, ...], int]:
    runs = [tuple(words[at : at + length]) for at in range(start, end - length + 1)]
    counts = Counter(runs)
    return {run: start + at for at, run in enumerate(runs) if counts[run] == 1}


def _find_gaps(equal: list[tuple[int, int]], old_end: int, new_end: int) -> Iterator[Replacement]:
    i = j = 0
    for left, right in [*equal, (old_end, new_end)]:
        if left > i or right > j:
            yield Replacement(i, left, j, right)
        i, j = left + 1, right + 1


def _join_near(gaps: list[Replacement], old: Words, new: Words) -> list[Replacement]:
    """Join changes whose equal words between them are fewer letters than either change is.

    A few words that two sentences share by chance are no common text.
    """
    joined: list[Replacement] = []
    for gap in gaps:
        while joined:
            last = joined[-1]
            between = old.letters(last.old_end, gap.old)
            sizes = [
                max(old.letters(each.old, each.old_end), new.letters(each.new, each.new_end))
                for each in (last, gap)
            ]
            if between >= min(sizes):
                break
            gap = Replacement(joined.pop().old, gap.old_end, last.new, gap.new_end)
        joined.append(gap)
    return joined


def _slide(gaps: list[Replacement], at: int, old: Words, new: Words) -> Replacement:
    """Move words that only go or only come to where they read best between the same words.

    "A. [B. ]C" and "A[. B]. C" are one change; the first is how a person sees it.
    """
    gap = gaps[at]
    if gap.old < gap.old_end and gap.new < gap.new_end:
        return gap
    is_new = gap.old == gap.old_end
    words, first, beyond = (new, gap.new, gap.new_end) if is_new else (old, gap.old, gap.old_end)
    # One equal word at least remains between a change and the next.
    room = gap.old - (gaps[at - 1].old_end + 1 if at else 0)
    low = 0
    while low < room and words.texts[first - low - 1] == words.texts[beyond - low - 1]:
        low += 1
    room = (gaps[at + 1].old - 1 if at + 1 < len(gaps) else len(old)) - gap.old_end
    high = 0
    while high < room and words.texts[first + high] == words.texts[beyond + high]:
        high += 1
    by = max(range(-low, high + 1), key=lambda by: (_edge(words, first + by), -abs(by)))
    return Replacement(gap.old + by, gap.old_end + by, gap.new + by, gap.new_end + by)


def _edge(words: Words, at: int) -> int:
    """Return how well a change may begin at a word: after a line, a sentence, a phrase."""
    if words.begins_line(at):
        return 3
    last = words.texts[at - 1]
    return 2 if last in ".;:!?" else 1 if last in ",)" else 0


def _write(gaps: list[Replacement], old: Words, new: Words) -> list[Edit]:
    runs: list[tuple[EditKind, list[str]]] = []

    def write(kind: EditKind, text: str) -> None:
        if text and runs and runs[-1][0] is kind:
            runs[-1][1].append(text)
        elif text:
            runs.append((kind, [text]))

    i = j = 0  # where what is not yet written begins
    for first, second in common_pairs(gaps, len(old), len(new)):
        is_end = first == len(old)
        gone = old.text[i : None if is_end else old.starts[first]]
        come = new.text[j : None if is_end else new.starts[second]]
        head, tail = _common_space(gone, come)
        write(EditKind.EQUAL, gone[:head])
        write(EditKind.DELETE, gone[head : len(gone) - tail])
        write(EditKind.INSERT, come[head : len(come) - tail])
        write(EditKind.EQUAL, gone[len(gone) - tail :])
        if not is_end:
            write(EditKind.EQUAL, old.texts[first])
            i, j = old.ends[first], new.ends[second]
    return [Edit(kind, "".join(texts)) for kind, texts in runs]


def common_pairs(gaps: list[Replacement], old_end: int, new_end: int) -> Iterator[tuple[int, int]]:
    """Yield the positions of words that stay, and at last the ends of both texts."""
    i = j = 0
    for gap in gaps:
        yield from zip(range(i, gap.old), range(j, gap.new), strict=True)
        i, j = gap.old_end, gap.new_end
    yield from zip(range(i, old_end), range(j, new_end), strict=True)
    yield old_end, new_end


def _common_space(gone: str, come: str) -> tuple[int, int]:
    """Return how many characters of space both texts begin with, and how many both end with."""
    shorter = min(len(gone), len(come))
    head = 0
    while head < shorter and gone[head] == come[head] and gone[head].isspace():
        head += 1
    tail = 0
    while (
        tail < shorter - head and gone[-tail - 1] == come[-tail - 1] and gone[-tail - 1].isspace()
    ):
        tail += 1
    return head, tail
