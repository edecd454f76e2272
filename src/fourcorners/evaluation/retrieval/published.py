"""What the papers report of retrieval, to stand beside our figures."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Literal, TypeAlias

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
    precision: tuple[float, ...]
    recall: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class PublishedPapers:
    """All published figures, with where they stand."""

    sources: dict[str, str]
    figures: tuple[PublishedFigures, ...]
    characters: dict[tuple[str, str], tuple[int, ...]]
    bounds: dict[str, tuple[float, ...]]

    def figures_of(self, name: str, kind: Kind = "official") -> list[PublishedFigures]:
        """Return the figures of every system on a set (or `all`)."""
        return [each for each in self.figures if (each.set, each.kind) == (name, kind)]


@cache
def load_papers() -> PublishedPapers:
    """Return the figures that come with the package."""
    text = files("fourcorners.evaluation").joinpath("retrieval_published.json").read_text("utf-8")
    content = json.loads(text)
    return PublishedPapers(
        sources=content["sources"],
        figures=tuple(
            PublishedFigures(
                each["system"],
                each["paper"],
                each["set"],
                each["scope"],
                each["kind"],
                tuple(each["precision"]),
                tuple(each["recall"]),
            )
            for each in content["figures"]
        ),
        characters={
            (each["system"], each["set"]): tuple(each["characters"])
            for each in content["characters"]
        },
        bounds={each["set"]: tuple(each["recall"]) for each in content["bounds"]},
    )
