"""Votes of a judge and of people on two systems, and how far they agree (PAKTON, appendix C.1).

A judge's two scores of a question by a criterion become a vote for the better system, or for
neither if they differ by less than 1%. People's votes are lines of JSON. Both become shares of the
two systems and of neither, which are compared criterion by criterion.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import hypot, sqrt
from pathlib import Path
from statistics import mean
from typing import TYPE_CHECKING

from fourcorners.errors import ConfigError
from fourcorners_bench.answers.judging import JudgedSystem, load_criteria
from fourcorners_bench.measures.tables import figure_table
from fourcorners_bench.record import Json
from fourcorners_bench.run_files import read_answers

if TYPE_CHECKING:
    from rich.table import Table

TIE = 0.01  # scores from 0 to 1 that differ by less are a vote for neither (C.1)
NEITHER, UNSURE = "neither", "unsure"
OUTLIER = "understanding"  # the criterion without which the paper reports its figures again
Shares = tuple[float, float, float]
"""The shares of the first system, the second and neither."""


@dataclass(frozen=True, slots=True)
class Vote:
    """A person's vote on the two reports on a question, by a criterion.

    Attributes:
        vote: The system as the run of reports names it, `neither`, or `unsure`, which is left out.
        labelled: Whether the person saw which system wrote which report.
    """

    question: str
    criterion: str
    vote: str
    labelled: bool


def read_votes(path: Path, systems: Sequence[str]) -> list[Vote]:
    """Read people's votes.

    Raises:
        ConfigError: If a line is not of that form, or names another criterion or system.
    """
    remedy = f"A vote is {', '.join(map(repr, systems))}, {NEITHER!r} or {UNSURE!r}."
    votes = read_answers(path, Vote, "a vote", remedy)
    criteria = {each.id for each in load_criteria().items}
    for number, each in enumerate(votes, start=1):
        if each.criterion not in criteria or each.vote not in (*systems, NEITHER, UNSURE):
            raise ConfigError(
                f"{path}, line {number}: {each.criterion!r}, {each.vote!r} is no vote.",
                remedy=remedy,
            )
    return votes


def judged_votes(first: JudgedSystem, second: JudgedSystem) -> dict[str, Shares]:
    """Return the shares of a judge's votes by criterion, over what both systems answered."""
    shares = {}
    for criterion in load_criteria().items:
        one, other = (each.scores.get(criterion.id, {}) for each in (first, second))
        differences = [one[question] - other[question] for question in one if question in other]
        if differences:
            ahead = sum(each >= TIE for each in differences)
            behind = sum(each <= -TIE for each in differences)
            shares[criterion.id] = _shares(ahead, behind, len(differences))
    return shares


def people_votes(votes: Iterable[Vote], systems: Sequence[str]) -> dict[str, Shares]:
    """Return the shares of people's votes by criterion, without those who were not sure."""
    counts: dict[str, Counter[str]] = {}
    for each in votes:
        if each.vote != UNSURE:
            counts.setdefault(each.criterion, Counter())[each.vote] += 1
    first, second = systems
    return {
        criterion: _shares(found[first], found[second], found.total())
        for criterion, found in counts.items()
    }


def _shares(first: int, second: int, votes: int) -> Shares:
    return first / votes, second / votes, (votes - first - second) / votes


@dataclass(frozen=True, slots=True)
class Agreement:
    """How alike two distributions of votes are: the mean over criteria, all but one if so said."""

    cosine: float
    mae: float
    rmse: float

    def to_json(self) -> dict[str, Json]:
        return {"cosine": self.cosine, "mae": self.mae, "rmse": self.rmse}


def agreement(
    judge: Mapping[str, Shares], people: Mapping[str, Shares], *, without: str = ""
) -> Agreement | None:
    """Return how far a judge agrees with people; None if they share no criterion."""
    shared = [each for each in judge if each in people and each != without]
    if not shared:
        return None
    pairs = [(judge[each], people[each]) for each in shared]
    gaps = [[a - b for a, b in zip(one, other, strict=True)] for one, other in pairs]
    return Agreement(
        mean(_cosine(*pair) for pair in pairs),
        mean(mean(map(abs, each)) for each in gaps),
        mean(sqrt(mean(gap * gap for gap in each)) for each in gaps),
    )


def _cosine(one: Shares, other: Shares) -> float:
    product = sum(a * b for a, b in zip(one, other, strict=True))
    return product / (hypot(*one) * hypot(*other))


def agreements(
    judge: Mapping[str, Shares], votes: Sequence[Vote], systems: Sequence[str]
) -> dict[str, Agreement]:
    """Return the agreement with all votes, by whether labels were seen, and without the outlier."""
    groups: dict[str, Sequence[Vote]] = {"people": votes}
    for name, labelled in (("people who saw the names", True), ("people who did not", False)):
        group = [each for each in votes if each.labelled is labelled]
        if group and len(group) < len(votes):
            groups[name] = group
    found = {}
    for name, voted in groups.items():
        people = people_votes(voted, systems)
        for suffix, without in (("", ""), (f", without {OUTLIER}", OUTLIER)):
            if (one := agreement(judge, people, without=without)) is not None:
                found[name + suffix] = one
    return found


def votes_table(
    judge: Mapping[str, Shares], people: Mapping[str, Shares], systems: Sequence[str]
) -> Table:
    """Return the shares of votes by criterion, those of people below the judge's."""
    table = figure_table("Votes by criterion; percent", "criterion", *systems, NEITHER)
    for criterion in load_criteria().items:
        if criterion.id in judge:
            figures = (f"{100 * share:.1f}" for share in judge[criterion.id])
            table.add_row(criterion.name, *figures)
        if criterion.id in people:
            figures = (f"{100 * share:.1f}" for share in people[criterion.id])
            table.add_row("  people", *figures, style="dim")
    return table


def agreement_table(found: Mapping[str, Agreement]) -> Table:
    """Return how far the judge agrees with people, with the paper's figures."""
    table = figure_table("The judge and people", "", "cosine", "MAE, %", "RMSE, %")
    for name, each in found.items():
        table.add_row(name, f"{each.cosine:.3f}", f"{100 * each.mae:.1f}", f"{100 * each.rmse:.1f}")
    for row in load_criteria().agreement:
        table.add_row(*row, style="dim")
    return table
