"""The run of a question without a language model, as events."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import replace

from fourcorners.research.answer import (
    Answer,
    Draft,
    Made,
    Ruling,
    Statement,
    Step,
    counted,
)
from fourcorners.research.desk import Desk
from fourcorners.research.events import (
    Asked,
    Drafted,
    Event,
    EvidenceFound,
    Finished,
    GapLeft,
    Planned,
    Spent,
)
from fourcorners.research.extractive import Answered, answer_part, preliminary
from fourcorners.research.question import take_apart
from fourcorners.research.tool import Material

NO_MODEL = "no language model"
_TITLE = 120
_ABSENT = "Is it called something else in the contract, or does it stand in another document?"


def report(desk: Desk, started: Answer) -> Iterator[Event]:
    """Answer by rules; `started` says what was asked, and how.

    Yields:
        The events, the last of which is `Finished`.
    """
    parts = take_apart(started.question)
    texts = tuple(part.text for part in parts)
    yield Planned(started.question, texts, 0, 0, started.assumptions)
    told: list[Answered] = []
    steps: list[Step] = []
    for number, part in enumerate(parts, start=1):
        yield Asked(number, part.text, ("search", "expand"))
        began = time.monotonic()
        answered = answer_part(desk, part)
        told.append(answered)
        steps.append(
            Step(
                agent="rules",
                turn=number,
                did=f"searched for “{part.text}”",
                seconds=round(time.monotonic() - began, 3),
            )
        )
        yield EvidenceFound(number, _materials(answered.findings))
        for gap in answered.gaps:
            yield GapLeft(number, gap)
        yield Spent(steps[-1])
    done = _whole(desk, started, told)
    done = replace(done, record=tuple(steps))
    draft = Draft(
        turn=len(parts),
        asked=started.question,
        tools=("search", "expand"),
        title=done.title,
        summary=done.summary,
        findings=done.findings,
        answer=done.answer,
        gaps=done.gaps,
        next_questions=done.next_questions,
        counts=done.counts,
    )
    yield Drafted(draft)
    yield Finished(replace(done, drafts=(draft,)))


def _whole(desk: Desk, started: Answer, told: Sequence[Answered]) -> Answer:
    answer = preliminary(told)
    findings = tuple(finding for each in told for finding in each.findings)
    gaps = tuple(dict.fromkeys(gap for each in told for gap in each.gaps))
    done = replace(
        started,
        title=title_of(started.question),
        answer=answer,
        summary=answer.sentences[:1],
        findings=findings,
        gaps=gaps,
        next_questions=tuple(_next(told)),
        sources=desk.sources(),
    )
    return replace(done, counts=counted(done.statements))


def _next(told: Sequence[Answered]) -> Iterator[str]:
    """Yield what to ask next: where parts stay open, and where conditions refer elsewhere."""
    for each in told:
        if each.ruling is Ruling.ABSENT:
            yield f"{_ABSENT} ({each.part.text})"
        elif each.conditions:
            where = ", ".join(
                dict.fromkeys(one.quotes[0].where for one in each.conditions if one.quotes)
            )
            yield f"Are the conditions in {where} met? ({each.part.text})"


def _materials(findings: Sequence[Statement]) -> tuple[Material, ...]:
    return tuple(
        Material(
            words=cited.quote.words,
            source=cited.name,
            where=cited.where,
            because=cited.because,
            score=cited.score,
            document=cited.document,
            span=cited.quote.span,
            tool="search",
        )
        for finding in findings
        for cited in finding.quotes
    )


def title_of(question: str) -> str:
    """Return a question as the title of its report."""
    line = " ".join(question.split())
    return line if len(line) <= _TITLE else f"{line[: _TITLE - 1].rsplit(' ', 1)[0]}…"


def made_by_rules(engine: str, created: str, settings: Sequence[tuple[str, str]]) -> Made:
    """Return how a report without a language model was made."""
    return Made(NO_MODEL, engine, created, (), tuple(settings), 0)
