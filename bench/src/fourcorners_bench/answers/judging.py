"""G-Eval: a named model scores reports by nine criteria (Liu et al., 2023; PAKTON, appendix C).

Each report is scored by each criterion in a separate question, from 0 to 10, given as a share. A
score may be the mean of several samples, which stands for the probabilities that G-Eval weighs
scores with: few servers tell them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from statistics import mean
from typing import TYPE_CHECKING

from pydantic import BaseModel, Field, TypeAdapter

from fourcorners.errors import BudgetExceeded
from fourcorners.llm import Port, PromptRequest, QuotedText, Role
from fourcorners_bench.answers.run_files import Report, report_text
from fourcorners_bench.measures.tables import figure_table
from fourcorners_bench.prompts.load import load_prompt
from fourcorners_bench.record import Json, OnProgress, json_figures, package_text

if TYPE_CHECKING:
    from rich.table import Table

MAX_SCORE = 10  # of a criterion


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
    """All of them; `agreement` has the rows in which the paper compares its judge with people."""

    source: str
    systems: tuple[str, str]
    items: tuple[Criterion, ...]
    agreement: tuple[tuple[str, str, str, str], ...]


@cache
def load_criteria() -> Criteria:
    from fourcorners.text.patterns import load_yaml

    return TypeAdapter(Criteria).validate_python(load_yaml(package_text("criteria.yaml")))


class Score(BaseModel):
    """What a judge says."""

    reason: str = ""
    score: int = Field(ge=0, le=MAX_SCORE)


@dataclass(frozen=True, slots=True)
class JudgedSystem:
    """The scores of a system's reports.

    `scores` are by criterion and question, from 0 to 1; what a judge never answered is missing, and
    counts as `failed`.
    """

    by: str
    judge: str
    scores: Mapping[str, Mapping[str, float]] = field(repr=False)
    failed: int = 0

    def mean(self, criterion: str) -> float | None:
        """Return the mean score by a criterion; None where no report has one."""
        values = self.scores.get(criterion, {}).values()
        return mean(values) if values else None

    def to_json(self) -> dict[str, Json]:
        return {
            "by": self.by,
            "judge": self.judge,
            "failed": self.failed,
            "means": {each.id: json_figures(self.mean(each.id)) for each in load_criteria().items},
            "scores": {name: dict(scores) for name, scores in self.scores.items()},
        }


def judge_reports(
    reports: Iterable[Report],
    port: Port,
    *,
    samples: int = 1,
    on_progress: OnProgress | None = None,
) -> JudgedSystem:
    """Have the port's judge score reports of one system by all criteria.

    Raises:
        BudgetExceeded: When the budget has ended; answers so far are kept where the port keeps any.
        LlmNotConfigured: If no model is to judge.
    """
    name = port.role_model(Role.JUDGE).name
    names = list(reports)
    asked = [
        (report, criterion, sample)
        for report in names
        for criterion in load_criteria().items
        for sample in range(samples)
    ]
    found: dict[str, dict[str, list[int]]] = {}
    failed = 0
    asks = (_ask(*each) for each in asked)
    for done, outcome in enumerate(port.ask_many(asks), start=1):
        if isinstance(outcome.error, BudgetExceeded):
            raise outcome.error
        report, criterion, _ = asked[outcome.index]
        if outcome.reply is None:
            failed += 1
        else:
            scores = found.setdefault(criterion.id, {}).setdefault(report.question, [])
            scores.append(outcome.reply.value.score)
        if on_progress:
            on_progress("Judging", done, len(asked))
    return JudgedSystem(
        ", ".join(dict.fromkeys(each.by for each in names)),
        name,
        {
            criterion: {question: mean(values) / MAX_SCORE for question, values in scores.items()}
            for criterion, scores in found.items()
        },
        failed,
    )


def _ask(report: Report, criterion: Criterion, sample: int) -> PromptRequest[Score]:
    return PromptRequest(
        load_prompt("geval"),
        {
            "question": report.answer.question,
            "criterion": criterion.name,
            "says": criterion.description,
            "steps": list(criterion.steps),
            "report": [QuotedText(report_text(report.answer), "report")],
        },
        Score,
        sample=sample,
        tag=f"{report.question} {criterion.id}",
    )


def judge_table(judged: Iterable[JudgedSystem]) -> Table:
    """Return the mean scores with those that the paper reports for its systems."""
    names = list(judged)
    shown = figure_table(
        f"G-Eval by {', '.join(dict.fromkeys(each.judge for each in names))}",
        "Criterion",
        *(each.by for each in names),
        *load_criteria().systems,
        wrap_figures=True,
        caption=load_criteria().source,
    )
    for criterion in load_criteria().items:
        means = [each.mean(criterion.id) for each in names]
        shown.add_row(
            criterion.name,
            *("" if value is None else f"{value:.3f}" for value in means),
            *(f"{value:.3f}" for value in criterion.published),
        )
    return shown
