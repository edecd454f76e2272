"""What a model learns from must not be in what it is judged on: shared runs of eight words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

RUN = 8
MOST = 0.2  # of the runs of a text: what shares more with the judged texts is not learned from
_WORD = re.compile(r"\w+")


def runs(text: str, length: int = RUN) -> Iterator[int]:
    """Yield a number for each run of words of a text; equal runs have equal numbers."""
    words = _WORD.findall(text.casefold())
    for at in range(len(words) - length + 1):
        yield hash(tuple(words[at : at + length]))


@dataclass
class Judged:
    """The runs of all texts that a model is judged on, and what was dropped because of them.

    Attributes:
        seen: How many texts of each source were looked at.
        dropped: How many of them share too much.
    """

    held: set[int] = field(default_factory=set)
    seen: dict[str, int] = field(default_factory=dict)
    dropped: dict[str, int] = field(default_factory=dict)

    def add(self, texts: Iterable[str]) -> None:
        """Hold the runs of texts that are judged on."""
        for text in texts:
            self.held.update(runs(text))

    def share(self, text: str) -> float:
        """Return the share of a text's runs that are held; 0 for one shorter than a run."""
        own = list(runs(text))
        return sum(each in self.held for each in own) / len(own) if own else 0.0

    def lets(self, text: str, source: str) -> bool:
        """Tell whether a text may be learned from, and count it."""
        self.seen[source] = self.seen.get(source, 0) + 1
        fine = self.share(text) <= MOST
        if not fine:
            self.dropped[source] = self.dropped.get(source, 0) + 1
        return fine
