"""The nine criteria of a good report, as `criteria.yaml` has them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.resources import files


@dataclass(frozen=True, slots=True)
class Criterion:
    """What reports are judged by.

    Attributes:
        steps: How a model is told to go about it.
        published: The scores of the paper's two systems, from 0 to 1.
    """

    id: str
    name: str
    description: str
    steps: tuple[str, ...]
    published: tuple[float, float]


@dataclass(frozen=True, slots=True)
class Criteria:
    """All of them, with where the published scores stand."""

    source: str
    systems: tuple[str, str]
    items: tuple[Criterion, ...]


@cache
def load_criteria() -> Criteria:
    """Return the criteria that come with the package."""
    import yaml

    content = yaml.safe_load(
        files("fourcorners.evaluation").joinpath("criteria.yaml").read_text("utf-8")
    )
    first, second = content["systems"]
    return Criteria(
        content["source"],
        (first, second),
        tuple(
            Criterion(
                one["id"],
                one["name"],
                one["says"],
                tuple(one["steps"]),
                (one["published"][0], one["published"][1]),
            )
            for one in content["criteria"]
        ),
    )
