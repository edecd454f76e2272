"""Answer a question, or put it to each contract of a collection, without a language model."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from fourcorners.research.answer import (
    Answer,
    Citation,
    ContractRow,
    Gap,
    PreliminaryAnswer,
    Role,
    RowState,
    Statement,
    Step,
    Verdict,
    Verification,
    count_statements,
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
    draft_of,
)
from fourcorners.research.offline.cards import rule_on_law
from fourcorners.research.offline.collection import (
    MAX_CONTRACTS,
    ORDER,
    ask_contracts,
    contract_question,
)
from fourcorners.research.offline.extract import PartAnswer, answer_part
from fourcorners.research.offline.quoting import describe_quote
from fourcorners.research.offline.reviewed import list_found, review_says
from fourcorners.research.offline.sizes import compare_rows
from fourcorners.research.question import split_question
from fourcorners.research.tool import Material
from fourcorners.search.mentions import find_mentions
from fourcorners.text.patterns import load_patterns

_NAMED = 4  # contracts that a headline names
_MENTIONS = 8  # sentences, with names of the question, that a report has besides


def combine_rows(question: str, rows: Sequence[ContractRow]) -> PreliminaryAnswer:
    """Return the answer to a question from the rows of its table."""
    by_state = {state: [each for each in rows if each.state is state] for state in RowState}
    known, to_read = by_state[RowState.YES], by_state[RowState.TO_READ]
    titles = _name_some([f"“{each.title}”" for each in known])
    counted = f"{len(known)} of {len(rows)} contracts{': ' if titles else ''}{titles}."
    if not known and not _is_decidable(question):
        count = f"{len(to_read)} of {len(rows)} contracts have words on it, to be read."
        sentences = [count] if to_read else []
    else:
        sentences = [compare_rows(question, rows) or counted]
        sentences += [f"{len(to_read)} to be read."] if to_read else []
    silent = len(by_state[RowState.SILENT])
    sentences += [f"Not said in {silent}."] if silent else []
    return PreliminaryAnswer(
        Verdict.SAYS if known else Verdict.UNSURE if to_read else Verdict.ABSENT,
        tuple(
            Statement(
                f"{_place_of_row(each, each.quote)}, says:",
                Role.EVIDENCE,
                Verification.VERIFIED,
                quotes=(*each.leads, each.quote),
            )
            for each in (*known, *to_read)
            if each.quote is not None
        ),
        headline=" ".join(sentences),
    )


def _place_of_row(row: ContractRow, quote: Citation) -> str:
    is_own = quote.document == row.document  # else its place names the other document
    return f"{quote.name}, {quote.where}" if is_own else quote.where


def _is_decidable(question: str) -> bool:
    """Return whether a contract answers yes or no."""
    of_each = contract_question(question) or question
    return any(each.is_whether for each in split_question(of_each))


_PATTERNS = load_patterns("fourcorners.research.offline", "run")
_OF_NAMES = _PATTERNS["names"]
NO_MODEL = "no language model"
_TITLE = 120  # characters of a title
_LAW_RIGHT = 0.99  # of 520 answers none is wrong (`benchmarks.law_questions`)
_OF_LAW = "how often the choice of law is read right"
_ABSENT = "Is it called something else in the contract, or is it in another document?"


def answer_offline(context: ResearchContext, started: Answer) -> Iterator[Event]:
    """Answer by rules; `started` says what was asked, and how.

    Yields:
        The events, the last of which is `AnswerEvent`.
    """
    of_each = contract_question(started.question)
    is_one = of_each == started.question and context.scope(of_each).is_certain
    if of_each and not is_one and len(context.contracts) > 1:
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
        answered = _add_ruling(context, answer_part(context, part))
        leads = [answered.lead] if answered.lead else []
        reviewed = (*answered.headline, *review_says(context, answered.search, leads))
        answers.append(_add_reviewed(context, replace(answered, headline=reviewed)))
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


def _add_ruling(context: ResearchContext, answered: PartAnswer) -> PartAnswer:
    """Answer yes or no where the contract's card decides, with the words for it before others."""
    part = answered.part
    ruled = rule_on_law(context, part.text) if part.is_whether else None
    if ruled is None or ruled.quote is None:
        return answered
    verdict = Verdict.YES if ruled.state is RowState.YES else Verdict.NO
    lead = replace(ruled.quote, because="chooses the law")
    words = Statement(
        f"{lead.name}, {lead.where}, says:",
        Role.EVIDENCE,
        Verification.VERIFIED,
        part.text,
        (lead,),
    )
    before = answered.lead
    is_same = before is not None and _overlaps(before, lead)
    others = [e for e in answered.findings if not any(_overlaps(q, lead) for q in e.quotes)]
    return replace(
        answered,
        verdict=verdict,
        confidence=_LAW_RIGHT,
        because=_OF_LAW,
        headline=(f"{verdict.capitalize()}.", _quote_law(context, lead)),
        findings=(words, *others),
        conditions=answered.conditions if is_same else (),
        leading=1,
        lead=lead,
        gaps=(),
    )


def _add_reviewed(context: ResearchContext, answered: PartAnswer) -> PartAnswer:
    """Add where a review found what is asked of several contracts, and this answer did not."""
    scope = context.scope(answered.part.text)
    if len(context.contracts) < 2 or context.within or scope.is_certain or scope.candidates:
        return answered
    statements = (*answered.findings, *answered.conditions)
    shown = [quote for each in statements for quote in each.quotes]
    found = list(list_found(context, answered.search.concepts, shown))
    if not found:
        return answered
    kinds = " and ".join(f"“{kind}”" for kind in dict.fromkeys(kind for kind, _ in found))
    further = tuple(each for _, each in found)
    names = dict.fromkeys(each.quotes[0].name for each in further)
    where = _name_some([f"“{each}”" for each in names])
    if answered.verdict is Verdict.ABSENT:
        says = f"The search found no answer; the review found {kinds} in {where}."
        return replace(
            answered, verdict=Verdict.UNSURE, confidence=0.0, because="", headline=(says,),
            findings=further, gaps=(),
        )  # fmt: skip
    says = f"The review also found {kinds} in {where}."
    return replace(
        answered,
        headline=(*answered.headline, says),
        findings=(*answered.findings, *further),
    )


def _name_some(names: Sequence[str]) -> str:
    more = [f"{len(names) - _NAMED} more"] if len(names) > _NAMED else []
    return "; ".join([*names[:_NAMED], *more])


def _quote_law(context: ResearchContext, lead: Citation) -> str:
    """Quote the sentence that chooses a law, or of a long one the words that do."""
    quoted, span = describe_quote(context, lead), lead.quote.span
    law = context.read_contract(lead.document).card.governing_law
    if (
        quoted.startswith("See ")
        and law is not None
        and span is not None
        and span.contains(law.span)
    ):
        return describe_quote(context, context.cite(lead.document, law.span))
    return quoted


def _overlaps(one: Citation, other: Citation) -> bool:
    first, second = one.quote.span, other.quote.span
    return (
        one.document == other.document
        and first is not None
        and second is not None
        and first.overlaps(second)
    )


def _answer_collection(context: ResearchContext, started: Answer, question: str) -> Iterator[Event]:
    """Put a question to each contract, and list the answers in a table."""
    yield PlanEvent(started.question, (question,), 0, 0, started.assumptions)
    rows: list[ContractRow] = []
    began = time.monotonic()
    for number, each in enumerate(ask_contracts(context, started.question), start=1):
        yield QuestionEvent(number, f"{each.title}: {question}", ("search",))
        if each.quote is not None:
            yield EvidenceEvent(number, tuple(_material(one) for one in (*each.leads, each.quote)))
        rows.append(each)
    seconds = round(time.monotonic() - began, 3)
    step = Step("rules", 1, f"asked {len(rows)} contracts “{question}”", seconds=seconds)
    yield StepEvent(step)
    rows.sort(key=lambda each: (ORDER.index(each.state), each.title))
    answer = combine_rows(started.question, rows)
    left = len(context.contracts) - MAX_CONTRACTS
    gaps = (
        (Gap(f"{left} of {len(context.contracts)} contracts were not read."),) if left > 0 else ()
    )
    done = replace(
        started,
        title=title_of(started.question),
        answer=answer,
        findings=answer.sentences,
        gaps=gaps,
        rows=tuple(rows),
        beside=naming_statements(context, started.question, answer.sentences),
        sources=context.sources(),
        record=(step,),
    )
    done = replace(done, counts=count_statements((*done.statements, *done.beside)))
    draft = draft_of(done, 1, started.question, ("search",))
    yield DraftEvent(draft)
    yield AnswerEvent(replace(done, drafts=(draft,)))


def _build_report(
    context: ResearchContext, started: Answer, answers: Sequence[PartAnswer]
) -> Answer:
    answer = _combine_answers(answers)
    findings = _distinct(finding for each in answers for finding in each.findings)
    beside = tuple(statement for each in answers for statement in each.linked)
    if len(context.contracts) > 1:
        beside += naming_statements(context, started.question, (*findings, *beside))
    gaps = tuple(dict.fromkeys(gap for each in answers for gap in each.gaps))
    done = replace(
        started,
        title=title_of(started.question),
        answer=answer,
        findings=findings,
        beside=beside,
        gaps=gaps,
        next_questions=tuple(_next_questions(answers)),
        sources=context.sources(),
    )
    return replace(done, counts=count_statements((*done.statements, *done.beside)))


def _combine_answers(answered: Iterable[PartAnswer]) -> PreliminaryAnswer:
    parts = tuple(answered)
    there = [each for each in parts if each.verdict is not Verdict.ABSENT]
    if not there:
        verdict, leading = Verdict.ABSENT, parts[0]
    else:
        leading = next((each for each in there if each.part.is_whether), there[0])
        verdict = leading.verdict
        if len({each.verdict for each in parts if each.part.is_whether}) > 1:
            verdict = Verdict.UNSURE
    return PreliminaryAnswer(
        ruling=verdict,
        headline=" ".join(dict.fromkeys(one for each in parts for one in each.headline)),
        sentences=_distinct(one for each in there for one in each.findings[: each.leading]),
        confidence=round(min(each.confidence for each in there or parts), 3),
        because=leading.because,
        conditions=tuple(condition for each in there for condition in each.conditions),
    )


def _distinct(statements: Iterable[Statement]) -> tuple[Statement, ...]:
    """Return statements without those that an earlier one says for another part of a question."""
    once: dict[tuple[str, tuple[Citation, ...]], Statement] = {}
    for each in statements:
        once.setdefault((each.text, each.quotes), each)
    return tuple(once.values())


def naming_statements(
    context: ResearchContext, question: str, shown: Sequence[Statement]
) -> tuple[Statement, ...]:
    """Quote the sentences that name what a question names, without those that are shown.

    Where it does not ask for names or papers, a sentence must have something else of it, too.
    """
    quoted = [each for statement in shown for each in statement.quotes]
    found: list[Statement] = []
    for each in find_mentions(context.library, question, context.filters):
        if len(found) == _MENTIONS:
            break
        if not (each.says_more or _OF_NAMES.search(question)):
            continue
        if any(
            each.document == one.document and one.quote.span and one.quote.span.overlaps(each.span)
            for one in quoted
        ):
            continue
        cited = context.cite(
            each.document, each.span, because=f"names {', '.join(each.names)}", score=each.score
        )
        lead = f"Names {', '.join(each.names)} ({cited.name}, {cited.where}):"
        found.append(
            Statement(lead, Role.REFERENCE, Verification.VERIFIED, question, quotes=(cited,))
        )
    return tuple(found)


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
    return tuple(_material(cited) for finding in findings for cited in finding.quotes)


def _material(cited: Citation) -> Material:
    return Material(
        words=cited.quote.words,
        source=cited.name,
        where=cited.where,
        because=cited.because,
        score=cited.score,
        document=cited.document,
        span=cited.quote.span,
        tool="search",
    )


def title_of(question: str) -> str:
    line = " ".join(question.split())
    return line if len(line) <= _TITLE else f"{line[: _TITLE - 1].rsplit(' ', 1)[0]}…"
