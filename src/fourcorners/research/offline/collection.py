"""Answer "which contracts …?": put one question to each contract, and list the answers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from fourcorners.library.entries import Entry
from fourcorners.research.answer import Gap, PreliminaryAnswer, Statement, Verdict
from fourcorners.research.context import ResearchContext
from fourcorners.research.offline.extract import PartAnswer, answer_part
from fourcorners.research.question import Part, QuestionAspect
from fourcorners.text.patterns import load_patterns

MAX_CONTRACTS = 500
"""Maximum contracts to which one question is put."""
_PATTERNS = load_patterns("fourcorners.research.offline", "collection")
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


def asked_contracts(context: ResearchContext) -> tuple[Entry, ...]:
    return context.entries or tuple(context.library.documents(context.collection))


def answer_contracts(context: ResearchContext, question: str) -> Iterator[ContractAnswer]:
    """Yield the answer of each contract; those beyond `MAX_CONTRACTS` are not asked."""
    part = Part(question, (QuestionAspect.WHETHER,))
    asked = asked_contracts(context)[:MAX_CONTRACTS]
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
