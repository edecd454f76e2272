"""What the papers report of retrieval from LegalBench-RAG."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal, TypeAlias

from fourcorners_bench.record import published_data

Kind: TypeAlias = Literal["official", "span"]


@dataclass(frozen=True, slots=True)
class PublishedFigures:
    """A system's figures on a set, in percent at 1, 2, 4 … as far as the paper gives them.

    Attributes:
        scope: Whether the system searched the whole corpus, or the contract that it was given.
        kind: Whether characters (by the benchmark's program) or spans were counted.
    """

    system: str
    paper: str
    set: str
    scope: str
    kind: str
    precision: Sequence[float]
    recall: Sequence[float]


@dataclass(frozen=True, slots=True)
class PublishedPapers:
    """All published figures, with their sources."""

    sources: dict[str, str]
    figures: tuple[PublishedFigures, ...]
    characters: dict[tuple[str, str], Sequence[int]]
    bounds: dict[str, Sequence[float]]

    def figures_of(self, name: str, kind: Kind = "official") -> list[PublishedFigures]:
        return [each for each in self.figures if (each.set, each.kind) == (name, kind)]


@cache
def paper_figures() -> PublishedPapers:
    content = published_data("retrieval")
    characters = content["characters"]
    return PublishedPapers(
        content["sources"],
        tuple(PublishedFigures(**each) for each in content["figures"]),
        {(each["system"], each["set"]): each["characters"] for each in characters},
        {each["set"]: each["recall"] for each in content["bounds"]},
    )
