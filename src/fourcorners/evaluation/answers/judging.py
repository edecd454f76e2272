"""G-Eval: a named model scores reports by nine criteria (Liu et al., 2023; PAKTON, appendix C).

Each report is scored by each criterion in a question of its own, from 0 to 10, told as a share. A
score may be the mean of several samples, which stands for the probabilities that G-Eval weighs
scores with: few servers tell them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from statistics import mean
from typing import TYPE_CHECKING

from pydantic import BaseModel, Field

from fourcorners.errors import BudgetExceeded
from fourcorners.evaluation.answers.blind import report_text
from fourcorners.evaluation.answers.criteria import Criterion, load_criteria
from fourcorners.evaluation.answers.run_files import Report
from fourcorners.evaluation.record import Json
from fourcorners.llm import Port, PromptRequest, QuotedText, Role

if TYPE_CHECKING:
    from rich.table import Table

MAX_SCORE = 10  # of a criterion


class Score(BaseModel):
    """What a judge says."""

    reason: str = ""
    score: int = Field(ge=0, le=MAX_SCORE)


@dataclass(frozen=True, slots=True)
class JudgedSystem:
    """The scores of a system's reports.

    Attributes:
        by: The system that was judged.
        judge: The model that judged.
        scores: By criterion and question, from 0 to 1; what a judge never answered is missing.
        failed: Questions to the judge that no answer came to.
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
        """Return the scores for the record."""
        return {
            "by": self.by,
            "judge": self.judge,
            "failed": self.failed,
            "means": {each.id: _rounded(self.mean(each.id)) for each in load_criteria().items},
            "scores": {name: dict(scores) for name, scores in self.scores.items()},
        }


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4)


def judge_reports(
    reports: Iterable[Report],
    port: Port,
    *,
    samples: int = 1,
    on_progress: Callable[[str, int, int], None] = lambda _what, _done, _total: None,
) -> JudgedSystem:
    """Have the port's judge score reports of one system by all criteria.

    Raises:
        BudgetExceeded: When the budget has ended; answers so far are kept where the port keeps any.
        LlmNotConfigured: If no model is to judge.
    """
    name = port.role_model(Role.JUDGE).name
    told = list(reports)
    asked = [
        (report, criterion, sample)
        for report in told
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
        on_progress("Judging", done, len(asked))
    return JudgedSystem(
        ", ".join(dict.fromkeys(each.by for each in told)),
        name,
        {
            criterion: {question: mean(values) / MAX_SCORE for question, values in scores.items()}
            for criterion, scores in found.items()
        },
        failed,
    )


def _ask(report: Report, criterion: Criterion, sample: int) -> PromptRequest[Score]:
    return PromptRequest(
        "geval",
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
    """Return the mean scores, beside those that the paper reports of its systems."""
    from rich.table import Table

    told = list(judged)
    shown = Table(
        title=f"G-Eval by {', '.join(dict.fromkeys(each.judge for each in told))}",
        title_justify="left",
        header_style="bold",
        caption=load_criteria().source,
        caption_justify="left",
        box=None,
        pad_edge=False,
    )
    shown.add_column("Criterion", no_wrap=True)
    for each in (*(one.by for one in told), *load_criteria().systems):
        shown.add_column(each, justify="right")
    for criterion in load_criteria().items:
        means = [each.mean(criterion.id) for each in told]
        shown.add_row(
            criterion.name,
            *("" if value is None else f"{value:.3f}" for value in means),
            *(f"{value:.3f}" for value in criterion.published),
        )
    return shown
