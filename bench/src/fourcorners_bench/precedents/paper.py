"""What ACORD's paper reports, of its test split."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from fourcorners_bench.record import published_data


@dataclass(frozen=True, slots=True)
class PublishedFigures:
    """A system's figures in percent, in the order of the measures; `table` is the paper's."""

    system: str
    table: str
    figures: Sequence[float | None]


@dataclass(frozen=True, slots=True)
class PaperFigures:
    """What the paper reports, of its test split."""

    source: str
    systems: tuple[PublishedFigures, ...]
    categories: Mapping[str, Sequence[PublishedFigures]]
    formats: Mapping[tuple[str, str], Sequence[PublishedFigures]]


@cache
def paper_figures() -> PaperFigures:
    content = published_data("precedents")
    categories: dict[str, list[PublishedFigures]] = {}
    for each in content["categories"]:
        for name, row in each["categories"].items():
            categories.setdefault(name.casefold(), []).append(_published_figures(each, row))
    formats: dict[tuple[str, str], list[PublishedFigures]] = {}
    for each in content["formats"]:
        for form in ("short", "medium", "long"):
            formats.setdefault((each["query"], form), []).append(
                _published_figures(each, each[form])
            )
    systems = content["systems"]
    for each in systems:
        each["system"] = " + ".join(filter(None, (each["retriever"], each["reranker"])))
    return PaperFigures(
        content["source"],
        tuple(_published_figures(each, each["figures"]) for each in systems),
        categories,
        formats,
    )


def _published_figures(record: Mapping[str, str], row: Sequence[float | None]) -> PublishedFigures:
    return PublishedFigures(record["system"], record["table"], tuple(row))
