"""Run files of answers: whole reports, one JSON object a line."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from fourcorners.errors import ConfigError, FourcornersError
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


def write_reports(path: Path, reports: Iterable[Report]) -> None:
    """Write a run of answers."""
    with path.open("w", encoding="utf-8") as file:
        for report in reports:
            file.write(report.to_json() + "\n")


def read_reports(path: Path) -> dict[str, Report]:
    """Read a run of answers, by the ids of their questions.

    Raises:
        ConfigError: If it cannot be read, or a line is not of its form; the message names it.
    """
    found: dict[str, Report] = {}
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path} cannot be read ({error}).") from None
    for number, line in enumerate(lines, start=1):
        try:
            record = json.loads(line)
            report = Report(
                str(record["question"]),
                str(record["by"]),
                Answer.from_json(json.dumps(record["answer"])),
            )
        except (ValueError, KeyError, TypeError, FourcornersError) as error:
            raise ConfigError(
                f"{path}, line {number}: not a line of a run of answers ({error}).",
                remedy="Give what `fourcorners bench answers --run-out FILE` wrote.",
            ) from None
        if report.question in found:
            raise ConfigError(f"{path}, line {number}: {report.question!r} is answered twice.")
        found[report.question] = report
    return found
