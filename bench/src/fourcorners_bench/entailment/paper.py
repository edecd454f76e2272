"""What PAKTON's paper reports of ContractNLI."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from fourcorners_bench.record import published_data


@dataclass(frozen=True, slots=True)
class PublishedFigures:
    """A system's figures in the order of the measures of labels."""

    system: str
    figures: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class PaperFigures:
    """What a paper reports of the test split; `appendix` has what its first table leaves out."""

    source: str
    table: str
    systems: tuple[PublishedFigures, ...]
    appendix: tuple[PublishedFigures, ...] = ()


@cache
def paper_figures() -> PaperFigures:
    content = published_data("entailment")
    return PaperFigures(
        content["source"],
        content["table"],
        *(
            tuple(
                PublishedFigures(f"{each['system']}, {each['method']}", tuple(each["figures"]))
                for each in content[part]
            )
            for part in ("systems", "appendix")
        ),
    )
