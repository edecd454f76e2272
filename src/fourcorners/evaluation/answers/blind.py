"""A report as those see it who judge it: without a word on who or what made it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from fourcorners.research.answer import Answer, Gap, Statement


@dataclass(frozen=True, slots=True)
class ReportSentence:
    """A sentence of a report, with the contracts' words below it and where each stands."""

    text: str
    quotes: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class ReportPart:
    """A titled part of a report."""

    title: str
    sentences: tuple[ReportSentence, ...]


def report_parts(answer: Answer) -> list[ReportPart]:
    """Return the parts of a report that are not empty."""
    told = answer.answer
    found = [
        ReportPart("Summary", _said(answer.summary)),
        ReportPart(
            "Answer", (ReportSentence(f"{told.ruling.value.capitalize()}."), *_said(told.sentences))
        ),
        ReportPart("Conditions", _said(told.conditions)),
        ReportPart("Other readings", _said(told.readings)),
        ReportPart("What the contracts say", _said(answer.findings)),
        ReportPart("What is missing", tuple(_gaps(answer.gaps))),
        ReportPart(
            "What to ask next", tuple(ReportSentence(each) for each in answer.next_questions)
        ),
    ]
    return [part for part in found if part.sentences]


def report_text(answer: Answer) -> str:
    """Return a report as plain text."""
    lines = []
    for part in report_parts(answer):
        lines.append(f"{part.title}:")
        for said in part.sentences:
            lines.append(f"- {said.text}")
            lines += [f"  “{words}” ({where})" for words, where in said.quotes]
    return "\n".join(lines)


def _said(statements: Iterable[Statement]) -> tuple[ReportSentence, ...]:
    return tuple(
        ReportSentence(
            each.text,
            tuple((one.quote.words, f"{one.name}, {one.where}") for one in each.quotes),
        )
        for each in statements
    )


def _gaps(gaps: Iterable[Gap]) -> Iterator[ReportSentence]:
    for gap in gaps:
        near = gap.nearest
        quotes = ((near.quote.words, f"{near.name}, {near.where}"),) if near is not None else ()
        yield ReportSentence(gap.what, quotes)
