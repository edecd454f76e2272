"""Reports: their run files, and what their judges see, without a word on who made them."""

from __future__ import annotations

import json
from collections.abc import Iterable
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


@dataclass(frozen=True, slots=True)
class ReportSentence:
    """A sentence of a report, with the contracts' words below it and their places."""

    text: str
    quotes: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class ReportPart:
    title: str
    sentences: tuple[ReportSentence, ...]


def report_parts(answer: Answer) -> list[ReportPart]:
    """Return the parts of a report that are not empty."""
    direct = answer.answer
    ruling = ReportSentence(f"{direct.ruling.value.capitalize()}.")
    gaps = tuple(ReportSentence(each.what, _shown_quotes(each.nearest)) for each in answer.gaps)
    found = [
        ReportPart("Summary", _report_sentences(answer.summary)),
        ReportPart("Answer", (ruling, *_report_sentences(direct.sentences))),
        ReportPart("Conditions", _report_sentences(direct.conditions)),
        ReportPart("Other readings", _report_sentences(direct.readings)),
        ReportPart("What the contracts say", _report_sentences(answer.findings)),
        ReportPart("What is missing", gaps),
        ReportPart("What to ask next", tuple(map(ReportSentence, answer.next_questions))),
    ]
    return [part for part in found if part.sentences]


def report_text(answer: Answer) -> str:
    lines = []
    for part in report_parts(answer):
        lines.append(f"{part.title}:")
        for statement in part.sentences:
            lines.append(f"- {statement.text}")
            lines += [f"  “{words}” ({where})" for words, where in statement.quotes]
    return "\n".join(lines)


def _report_sentences(statements: Iterable[Statement]) -> tuple[ReportSentence, ...]:
    return tuple(ReportSentence(each.text, _shown_quotes(*each.quotes)) for each in statements)


def _shown_quotes(*quotes: Citation | None) -> tuple[tuple[str, str], ...]:
    return tuple((each.quote.words, f"{each.name}, {each.where}") for each in quotes if each)
