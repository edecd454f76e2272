"""References that stay as they were, although the clause that is meant has another number now."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import Final

from fourcorners.comparison.alignment import Group
from fourcorners.comparison.clauses import Version
from fourcorners.comparison.comparison import Aspect, Clause, WordChange
from fourcorners.text.invisible_characters import shorten
from fourcorners.text.span import Span
from fourcorners.text.word_differences import Replacement, Words, common_pairs

_PART: Final = re.compile(r"\w+")
_FIRST_WORDS: Final = 30  # characters of a clause without a heading, to name it by


class StaleReferences:
    """The references of the first version whose clauses have other numbers in the second."""

    def __init__(self, old: Version, new: Version, groups: Sequence[Group]) -> None:
        self._new = new
        self._labels = {each.label: each for each in reversed(new.clauses)}
        paired = {
            group.before[0]: group.after[0] for group in groups if group.before and group.after
        }
        starts = [clause.span.start for clause in old.clauses]
        self._stale: list[tuple[Span, str, str]] = []
        for reference in old.outline.references:
            if reference.target is None:
                continue
            start = old.outline.nodes[reference.target].span.strip(old.document.text).start
            at = bisect_right(starts, start) - 1
            if at not in paired:
                continue
            was, now = old.clauses[at], new.clauses[paired[at]]
            if _is_other_number(was.label, now.label) and reference.raw.endswith(f" {was.label}"):
                meant = self._labels.get(was.label)
                shown = _show(new, meant) if meant else f"no {was.label}"
                self._stale.append((reference.span, _show(old, was), shown))

    def find(self, gaps: list[Replacement], old: Words, new: Words) -> Iterator[WordChange]:
        """Yield those in a clause of both versions whose words are the same."""
        pairs = [each for each in common_pairs(gaps, len(old), len(new)) if each[0] < len(old)]
        starts = {old.starts[i]: new.starts[j] for i, j in pairs}
        ends = {old.ends[i]: new.ends[j] for i, j in pairs}
        for span, was, now in self._stale:
            if span.start in starts and span.end in ends:
                stays = Span(starts[span.start], ends[span.end])
                yield WordChange(Aspect.REFERENCE, span, stays, was, now)


def _is_other_number(one: str, other: str) -> bool:
    """Tell whether two numbers differ; how deep a clause is may only be read otherwise."""
    return one != other and _PART.sub("0", one) == _PART.sub("0", other)


def _show(version: Version, clause: Clause) -> str:
    words = version.text_of(clause)[max(0, clause.number.end - clause.span.start) :]
    return clause.name if clause.heading else f"{clause.label} “{shorten(words, _FIRST_WORDS)}”"
