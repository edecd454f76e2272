"""Reports: their run files, and what their judges see, without a word on who made them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from pydantic import BeforeValidator, PlainSerializer

from fourcorners.errors import ConfigError
from fourcorners.research.answer import Answer, Citation, Statement
from fourcorners_bench.run_files import read_answers


@dataclass(frozen=True, slots=True)
class Report:
    """A report on a question; `by` says which system made it."""

    question: str
    by: str
    answer: Annotated[
        Answer,
        BeforeValidator(
            lambda each: Answer.from_json(json.dumps(each)) if isinstance(each, dict) else each
        ),
        PlainSerializer(lambda each: json.loads(each.to_json())),
    ]


def read_reports(path: Path) -> dict[str, Report]:
    """Read a run of answers, by the ids of their questions.

    Raises:
        ConfigError: If it cannot be read, or a line is not of its form; the message names it.
    """
    found: dict[str, Report] = {}
    remedy = "Give what `fourcorners bench answers --run-out FILE` wrote."
    run = read_answers(path, Report, "a line of a run of answers", remedy)
    for number, report in enumerate(run, start=1):
        if report.question in found:
            raise ConfigError(f"{path}, line {number}: {report.question!r} is answered twice.")
        found[report.question] = report
    return found


def report_text(answer: Answer) -> str:
    """Return the parts of a report that are not empty, each statement with the words it quotes."""
    direct = answer.answer
    parts: dict[str, list[tuple[str, Sequence[Citation | None]]]] = {
        "Summary": _statements(answer.summary),
        "Answer": [(f"{direct.ruling_line.capitalize()}.", ()), *_statements(direct.sentences)],
        "Conditions": _statements(direct.conditions),
        "Other readings": _statements(direct.readings),
        "Reasoning": [(each.text, ()) for one in answer.reasoning for each in one],
        "What the contracts say": _statements(answer.findings),
        "What is missing": [(each.what, (each.nearest,)) for each in answer.gaps],
        "Where to research further": [(each, ()) for each in answer.directions],
        "What to ask next": [(each, ()) for each in answer.next_questions],
    }
    lines = []
    for title, statements in parts.items():
        lines += [f"{title}:"] if statements else []
        for text, quotes in statements:
            lines.append(f"- {text}")
            lines += [f"  “{q.quote.words}” ({q.name}, {q.where})" for q in quotes if q]
    return "\n".join(lines)


def _statements(statements: Iterable[Statement]) -> list[tuple[str, Sequence[Citation | None]]]:
    return [(each.text, each.quotes) for each in statements]
