"""The report without a language model: the contracts' own words, put together by rules.

A question is taken apart; for each part the sentences that answer are quoted, with the definitions,
exceptions, cross-referenced clauses and amendments that belong to them. Yes and no come from the
entailment model, dates and sums from code; where nothing answers, the report says so.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from fourcorners.models.entailment.verdict import Label
from fourcorners.research.amounts import AmountKind, find_amounts
from fourcorners.research.answer import (
    Citation,
    Gap,
    PreliminaryAnswer,
    Role,
    Statement,
    Verdict,
    Verification,
)
from fourcorners.research.answerability.search import AnswerSearch, search_answer
from fourcorners.research.companions.find import find_companions
from fourcorners.research.companions.qualifiers import Qualifier, find_qualifiers
from fourcorners.research.context import ResearchContext
from fourcorners.research.offline.premises import (
    ScoredSpan,
    find_absent_terms,
    find_absent_words,
    find_contradicting_sentences,
)
from fourcorners.research.question import Aspect, Part
from fourcorners.research.verdict.decide import EntailmentJudgement, decide_verdict
from fourcorners.search.sentences.retrieve import Snippet
from fourcorners.text.span import Span

MAX_QUOTES = 12
"""Snippets that are quoted for a part, at most."""
MAX_NEAREST = 3
"""Candidates that are shown where nothing answers."""
MAX_CHARACTERS = 2_600
"""Characters of them, at most; the best is quoted whatever its length."""
_FIGURES = {
    Aspect.WHEN: (AmountKind.DATE, AmountKind.PERIOD),
    Aspect.HOW_LONG: (AmountKind.PERIOD, AmountKind.DATE),
    Aspect.HOW_MUCH: (AmountKind.SUM, AmountKind.SHARE),
}
_PERHAPS = "The words quoted are near; whether they answer a person must tell."
_DENIED = "The question takes for granted what the contract seems to deny."
_OPEN = "The words quoted bear on it; whether they come to yes or no a person must tell."
_EXPIRY = frozenset({"expiration-date", "term", "renewal-term"})


@dataclass(frozen=True, slots=True)
class PartAnswer:
    part: Part
    search: AnswerSearch
    verdict: Verdict
    confidence: float
    because: str
    findings: tuple[Statement, ...]
    conditions: tuple[Statement, ...]
    gaps: tuple[Gap, ...]


def answer_part(context: ResearchContext, part: Part) -> PartAnswer:
    looked = search_answer(context, part.text, limit=MAX_QUOTES)
    absent = find_absent_terms(context, part.text)
    gaps = [
        Gap(f"No contract in question has the term “{term}”.", part.text, looked.description)
        for term in absent
    ]
    is_false = bool(absent) and not looked.concepts
    if is_false or not (looked.answers or looked.may_answer):
        denied = (
            () if is_false or part.is_whether else find_contradicting_sentences(context, looked)
        )
        if denied:
            return _denying(context, part, looked, denied, gaps)
        gaps += _nothing(context, part, looked)
        sure = 1.0 - looked.best.chance
        because = "how unlikely the best candidate is to answer"
        return PartAnswer(part, looked, Verdict.ABSENT, sure, because, (), (), tuple(gaps))
    unknown = find_absent_words(context, part.text, looked.concepts)
    if unknown:
        listed = ", ".join(f"“{word}”" for word in unknown)
        gaps.append(Gap(f"No contract in question has the word {listed}.", part.text))
    shown = _fitting(looked.snippets[:MAX_QUOTES])
    findings = [_evidence(context, part, each, looked) for each in shown]
    findings += _figures(context, part, shown)
    findings += _expiry(context, part, looked)
    qualified = [(each, one) for each in shown for one in _qualifiers(context, each)]
    conditions = [_condition(context, part, each, one) for each, one in qualified]
    findings += _beside(context, part, shown, looked.question)
    told = decide_verdict(context, part, looked, qualified)
    ruling, because = told.verdict, told.because
    if told.entailment is not None:
        findings += _shown_by(context, part, told.entailment, shown)
    if not looked.answers and not told.by_rules:
        ruling, because = Verdict.UNSURE, "the best words found may answer, and may not"
        gaps.append(Gap(_PERHAPS, part.text, looked.description))
    elif ruling is Verdict.UNSURE:
        gaps.append(Gap(_OPEN, part.text))
    return PartAnswer(
        part,
        looked,
        ruling,
        told.confidence,
        because,
        tuple(findings),
        tuple(conditions),
        tuple(gaps),
    )


def combine_answers(answered: Iterable[PartAnswer]) -> PreliminaryAnswer:
    told = tuple(answered)
    first = next((each for each in told if each.part.is_whether), told[0])
    open_parts = [each for each in told if each.verdict is Verdict.ABSENT]
    there = [each for each in told if each.verdict is not Verdict.ABSENT]
    if not there:
        first, ruling = told[0], Verdict.ABSENT
    elif first.verdict is Verdict.ABSENT:
        first, ruling = there[0], Verdict.SAYS
    else:
        ruling = first.verdict
    sure = min(each.confidence for each in (open_parts if ruling is Verdict.ABSENT else there))
    return PreliminaryAnswer(
        ruling=ruling,
        sentences=tuple(finding for each in there for finding in each.findings[:1]),
        confidence=round(sure, 3),
        because=first.because,
        conditions=tuple(condition for each in there for condition in each.conditions),
    )


def _nothing(context: ResearchContext, part: Part, looked: AnswerSearch) -> list[Gap]:
    near = [
        _cited(
            context,
            each,
            "near, and does not answer" if at else "the nearest, which does not answer",
        )
        for at, each in enumerate(looked.snippets[:MAX_NEAREST])
    ]
    first = Gap(
        what="Nothing in the contracts answers this.",
        part=part.text,
        searched=looked.description,
        nearest=near[0] if near else None,
    )
    others = [Gap("This is near, and was not taken for an answer.", part.text, "", each)
              for each in near[1:]]  # fmt: skip
    return [first, *others]


def _cited(context: ResearchContext, snippet: Snippet, because: str) -> Citation:
    return context.cite(snippet.document, snippet.span, because=because, score=snippet.score)


def _evidence(
    context: ResearchContext, part: Part, snippet: Snippet, looked: AnswerSearch
) -> Statement:
    names = {concept.id: concept.name for concept in looked.concepts}
    known = [names[each] for each in snippet.because if each in names]
    because = f"a clause of the kind “{known[0]}”" if known else "by the question's words"
    cited = _cited(context, snippet, because)
    return _stated(f"{cited.name}, {cited.where}, says:", Role.EVIDENCE, part, cited)


def _stated(text: str, role: Role, part: Part, *cited: Citation) -> Statement:
    return Statement(text, role, Verification.VERIFIED, part.text, cited)


def _figures(context: ResearchContext, part: Part, shown: Iterable[Snippet]) -> Iterator[Statement]:
    wanted = dict.fromkeys(kind for each in part.aspects for kind in _FIGURES.get(each, ()))
    for snippet in shown if wanted else ():
        text = context.read_contract(snippet.document).text
        figures = [each for each in find_amounts(text, snippet.span) if each.kind in wanted]
        if figures:
            told = "; ".join(dict.fromkeys(each.words for each in figures))
            spans = [each.span for each in figures]
            cited = [context.cite(snippet.document, span) for span in dict.fromkeys(spans)]
            yield _stated(f"It names: {told}.", Role.COMPUTED, part, *cited)


def _expiry(context: ResearchContext, part: Part, looked: AnswerSearch) -> Iterator[Statement]:
    """Yield the day on which a contract ends, where that is asked for and its words tell it."""
    if not _EXPIRY & {concept.id for concept in looked.concepts}:
        return
    for document in dict.fromkeys(each.document for each in looked.snippets[:MAX_QUOTES]):
        fact = context.read_contract(document).card.expiry_date
        if fact is not None and fact.span:
            cited = context.cite(
                document, fact.span, because="from these words", score=fact.confidence
            )
            text = f"By its own words {cited.name} ends on {fact.value.isoformat()}."
            yield _stated(text, Role.COMPUTED, part, cited)


def _qualifiers(context: ResearchContext, snippet: Snippet) -> list[Qualifier]:
    return find_qualifiers(context.read_contract(snippet.document).text, snippet.span)


def _condition(context: ResearchContext, part: Part, snippet: Snippet, one: Qualifier) -> Statement:
    cited = context.cite(snippet.document, one.span, because=f"“{one.cue}”")
    role = Role.EXCEPTION if one.kind == "exception" else Role.CONDITION
    return _stated(f"{one.kind.capitalize()} in {cited.where}:", role, part, cited)


def _fitting(snippets: Sequence[Snippet]) -> tuple[Snippet, ...]:
    kept: list[Snippet] = []
    for each in snippets:
        if not kept or sum(len(one.span) for one in kept) + len(each.span) <= MAX_CHARACTERS:
            kept.append(each)
    return tuple(kept)


def _beside(
    context: ResearchContext, part: Part, shown: Sequence[Snippet | ScoredSpan], asked: str = ""
) -> Iterator[Statement]:
    for one in find_companions(context, shown, context.rewrite_with_roles(asked)):
        cited = context.cite(one.document, one.span, because=one.because, score=one.score)
        lead = f"{one.because[:1].upper()}{one.because[1:]} ({cited.name}, {cited.where}):"
        yield _stated(lead, one.role, part, cited)


def _denying(
    context: ResearchContext,
    part: Part,
    looked: AnswerSearch,
    denied: Sequence[ScoredSpan],
    gaps: Sequence[Gap],
) -> PartAnswer:
    """Return the answer to a question that takes for granted what the contract denies."""
    findings = []
    for each in denied:
        cited = context.cite(each.document, each.span, because="it denies", score=each.score)
        lead = f"{cited.name}, {cited.where}, denies what the question takes for granted:"
        findings.append(_stated(lead, Role.EVIDENCE, part, cited))
    findings += _beside(context, part, denied)
    told = [
        *gaps,
        Gap(_DENIED, part.text, looked.description),
        *_nothing(context, part, looked)[1:],
    ]
    because = "the nearest words deny what the question takes for granted"
    sure = denied[0].score
    return PartAnswer(part, looked, Verdict.SAYS, sure, because, tuple(findings), (), tuple(told))


def _shown_by(
    context: ResearchContext, part: Part, borne: EntailmentJudgement, shown: Iterable[Snippet]
) -> Iterator[Statement]:
    """Yield the sentences that the entailment model goes by and that are not quoted yet."""
    if borne.label is None or borne.label is Label.NOT_MENTIONED:
        return
    taken: list[Span] = [each.span for each in shown if each.document == borne.document]
    says = "bears the statement out" if borne.label is Label.ENTAILMENT else "speaks against it"
    for span in borne.evidence:
        if not any(span.overlaps(other) for other in taken):
            cited = context.cite(borne.document, span, because="by the entailment model")
            text = f"{cited.name}, {cited.where}, {says}:"
            yield _stated(text, Role.EVIDENCE, part, cited)
