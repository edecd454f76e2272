"""Answer a question, or put it to each contract of a collection, without a language model."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from fourcorners.research.answer import (
    Answer,
    Gap,
    PreliminaryAnswer,
    Statement,
    Step,
    Verdict,
    count_statements,
    draft_of,
)
from fourcorners.research.context import ResearchContext
from fourcorners.research.events import (
    AnswerEvent,
    DraftEvent,
    Event,
    EvidenceEvent,
    GapEvent,
    PlanEvent,
    QuestionEvent,
    StepEvent,
)
from fourcorners.research.offline.extract import PartAnswer, answer_part, combine_answers
from fourcorners.research.question import Part, QuestionAspect, split_question
from fourcorners.research.tool import Material
from fourcorners.text.patterns import load_patterns

MAX_CONTRACTS = 500
"""Maximum contracts to which one question is put."""
_PATTERNS = load_patterns("fourcorners.research.offline", "run")
_WHICH = _PATTERNS["which"]
_AUXILIARY = _PATTERNS["auxiliary"]
_SINGULAR = {"are": "is", "were": "was"}


@dataclass(frozen=True, slots=True)
class ContractAnswer:
    title: str
    answer: PartAnswer


def contract_question(question: str) -> str:
    """Return what "Which contracts …?" asks of one contract; empty for other questions.

    "Which agreements are exclusive?" asks "Is this contract exclusive?", "Under which may we
    audit?" asks "May we audit?".
    """
    found = _WHICH.match(" ".join(question.split()))
    if found is None:
        return ""
    rest = found["rest"]
    auxiliary = _AUXILIARY.match(rest)
    if found["under"]:
        return f"{rest[:1].upper()}{rest[1:]}?"
    if auxiliary is None:
        return f"Does this contract {rest}?"
    verb = auxiliary["verb"].casefold()
    verb = _SINGULAR.get(verb, verb)
    return f"{verb.capitalize()} this contract {auxiliary['rest']}?"


def answer_contracts(context: ResearchContext, question: str) -> Iterator[ContractAnswer]:
    """Yield the answer of each contract; those beyond `MAX_CONTRACTS` are not asked."""
    part = Part(question, (QuestionAspect.WHETHER,))
    asked = context.contracts[:MAX_CONTRACTS]
    context.read_titles(asked)
    for entry in asked:
        answer = answer_part(replace(context, entries=(entry,)), part)
        yield ContractAnswer(str(context.title(entry.id)), answer)


def combine_contracts(
    answers: Iterable[ContractAnswer], asked: int
) -> tuple[PreliminaryAnswer, tuple[Gap, ...]]:
    """Return the contracts' words, the likeliest first, and what is missing.

    `asked` is how many contracts there are.
    """
    every = list(answers)
    speaking = [each for each in every if each.answer.verdict is not Verdict.ABSENT]
    silent = [each for each in every if each.answer.verdict is Verdict.ABSENT]
    speaking.sort(key=lambda each: -each.answer.confidence)
    headline = (
        f"{len(speaking)} of {len(every)} contracts have words on it; a person must read them."
    )
    if silent:
        headline += f" In {len(silent)} no answer was found."
    gaps = [Gap(f"No answer was found in {each.title}.") for each in silent]
    if len(every) < asked:
        gaps.insert(0, Gap(f"{asked - len(every)} of {asked} contracts were not read."))
    answer = PreliminaryAnswer(
        Verdict.UNSURE if speaking else Verdict.ABSENT,
        tuple(_contract_statement(each) for each in speaking),
        confidence=round(max((each.answer.confidence for each in speaking), default=0.0), 3),
        because="how likely the words of the likeliest answer",
        headline=headline if speaking else "No answer found.",
    )
    return answer, tuple(gaps)


def _contract_statement(each: ContractAnswer) -> Statement:
    return replace(each.answer.findings[0], part="")


NO_MODEL = "no language model"
_TITLE = 120  # characters of a title
_ABSENT = "Is it called something else in the contract, or is it in another document?"


def answer_offline(context: ResearchContext, started: Answer) -> Iterator[Event]:
    """Answer by rules; `started` says what was asked, and how.

    Yields:
        The events, the last of which is `AnswerEvent`.
    """
    of_each = contract_question(started.question)
    if of_each and len(context.contracts) > 1:
        yield from _answer_collection(context, started, of_each)
        return
    parts = split_question(started.question)
    texts = tuple(part.text for part in parts)
    yield PlanEvent(started.question, texts, 0, 0, started.assumptions)
    answers: list[PartAnswer] = []
    steps: list[Step] = []
    for number, part in enumerate(parts, start=1):
        yield QuestionEvent(number, part.text, ("search", "expand"))
        began = time.monotonic()
        answered = answer_part(context, part)
        answers.append(answered)
        steps.append(
            Step(
                agent="rules",
                turn=number,
                did=f"searched for “{part.text}”",
                seconds=round(time.monotonic() - began, 3),
            )
        )
        yield EvidenceEvent(number, _materials(answered.findings))
        for gap in answered.gaps:
            yield GapEvent(number, gap)
        yield StepEvent(steps[-1])
    done = _build_report(context, started, answers)
    done = replace(done, record=tuple(steps))
    draft = draft_of(done, len(parts), started.question, ("search", "expand"))
    yield DraftEvent(draft)
    yield AnswerEvent(replace(done, drafts=(draft,)))


def _answer_collection(context: ResearchContext, started: Answer, question: str) -> Iterator[Event]:
    """Put a question to each contract, and list the answers."""
    asked = len(context.contracts)
    yield PlanEvent(started.question, (question,), 0, 0, started.assumptions)
    answers: list[ContractAnswer] = []
    began = time.monotonic()
    for number, each in enumerate(answer_contracts(context, question), start=1):
        yield QuestionEvent(number, f"{each.title}: {question}", ("search",))
        yield EvidenceEvent(number, _materials(each.answer.findings[:1]))
        answers.append(each)
    seconds = round(time.monotonic() - began, 3)
    step = Step("rules", 1, f"asked {len(answers)} contracts “{question}”", seconds=seconds)
    yield StepEvent(step)
    answer, gaps = combine_contracts(answers, asked)
    done = replace(
        started,
        title=title_of(started.question),
        answer=answer,
        summary=answer.sentences[:1],
        findings=answer.sentences,
        gaps=gaps,
        sources=context.sources(),
        record=(step,),
    )
    done = replace(done, counts=count_statements(done.statements))
    draft = draft_of(done, 1, started.question, ("search",))
    yield DraftEvent(draft)
    yield AnswerEvent(replace(done, drafts=(draft,)))


def _build_report(
    context: ResearchContext, started: Answer, answers: Sequence[PartAnswer]
) -> Answer:
    answer = combine_answers(answers)
    findings = tuple(finding for each in answers for finding in each.findings)
    beside = tuple(statement for each in answers for statement in each.linked)
    gaps = tuple(dict.fromkeys(gap for each in answers for gap in each.gaps))
    done = replace(
        started,
        title=title_of(started.question),
        answer=answer,
        summary=answer.sentences[:1],
        findings=findings,
        beside=beside,
        gaps=gaps,
        next_questions=tuple(_next_questions(answers)),
        sources=context.sources(),
    )
    return replace(done, counts=count_statements((*done.statements, *done.beside)))


def _next_questions(answers: Sequence[PartAnswer]) -> Iterator[str]:
    """Yield what to ask next: about open parts, and about conditions that refer elsewhere."""
    for each in answers:
        if each.verdict is Verdict.ABSENT:
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
    line = " ".join(question.split())
    return line if len(line) <= _TITLE else f"{line[: _TITLE - 1].rsplit(' ', 1)[0]}…"
