"""Run files of answers: whole reports, one JSON object a line."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fourcorners.errors import ConfigError
from fourcorners.evaluation.run_files import read_lines
from fourcorners.research.answer import Answer


@dataclass(frozen=True, slots=True)
class Report:
    """A report on a question; `by` says which system made it."""

    question: str
    by: str
    answer: Answer

    def to_json(self) -> str:
        """Return the line of the run file."""
        told = {
            "question": self.question,
            "by": self.by,
            "answer": json.loads(self.answer.to_json()),
        }
        return json.dumps(told, ensure_ascii=False)


def read_reports(path: Path) -> dict[str, Report]:
    """Read a run of answers, by the ids of their questions.

    Raises:
        ConfigError: If it cannot be read, or a line is not of its form; the message names it.
    """
    found: dict[str, Report] = {}
    remedy = "Give what `fourcorners bench answers --run-out FILE` wrote."
    for number, report in enumerate(
        read_lines(path, _report, "a line of a run of answers", remedy), start=1
    ):
        if report.question in found:
            raise ConfigError(f"{path}, line {number}: {report.question!r} is answered twice.")
        found[report.question] = report
    return found


def _report(record: Mapping[str, Any]) -> Report:
    return Report(
        str(record["question"]),
        str(record["by"]),
        Answer.from_json(json.dumps(record["answer"])),
    )
