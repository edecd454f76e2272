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
    found = search_answer(context, part.text, limit=MAX_QUOTES)
    absent = find_absent_terms(context, part.text)
    gaps = [
        Gap(f"No contract in question has the term “{term}”.", part.text, found.description)
        for term in absent
    ]
    is_false = bool(absent) and not found.concepts
    if is_false or not (found.answers or found.may_answer):
        denied = () if is_false or part.is_whether else find_contradicting_sentences(context, found)
        if denied:
            return _denying(context, part, found, denied, gaps)
        gaps += _nothing(context, part, found)
        sure = 1.0 - found.best.chance
        because = "how unlikely the best candidate is to answer"
        return PartAnswer(part, found, Verdict.ABSENT, sure, because, (), (), tuple(gaps))
    unknown = find_absent_words(context, part.text, found.concepts)
    if unknown:
        listed = ", ".join(f"“{word}”" for word in unknown)
        gaps.append(Gap(f"No contract in question has the word {listed}.", part.text))
    shown = _fitting(found.snippets[:MAX_QUOTES])
    findings = [_evidence(context, part, each, found) for each in shown]
    findings += _figures(context, part, shown)
    findings += _expiry(context, part, found)
    qualified = [(each, one) for each in shown for one in _qualifiers(context, each)]
    conditions = [_condition(context, part, each, one) for each, one in qualified]
    findings += _neighbouring(context, part, shown, found.question)
    decision = decide_verdict(context, part, found, qualified)
    ruling, because = decision.verdict, decision.because
    if decision.entailment is not None:
        findings += _shown_by(context, part, decision.entailment, shown)
    if not found.answers and not decision.by_rules:
        ruling, because = Verdict.UNSURE, "the best words found may answer, and may not"
        gaps.append(Gap(_PERHAPS, part.text, found.description))
    elif ruling is Verdict.UNSURE:
        gaps.append(Gap(_OPEN, part.text))
    return PartAnswer(
        part,
        found,
        ruling,
        decision.confidence,
        because,
        tuple(findings),
        tuple(conditions),
        tuple(gaps),
    )


def combine_answers(answered: Iterable[PartAnswer]) -> PreliminaryAnswer:
    statements = tuple(answered)
    first = next((each for each in statements if each.part.is_whether), statements[0])
    open_parts = [each for each in statements if each.verdict is Verdict.ABSENT]
    there = [each for each in statements if each.verdict is not Verdict.ABSENT]
    if not there:
        first, ruling = statements[0], Verdict.ABSENT
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


def _nothing(context: ResearchContext, part: Part, found: AnswerSearch) -> list[Gap]:
    near = [
        _build_citation(
            context,
            each,
            "near, and does not answer" if at else "the nearest, which does not answer",
        )
        for at, each in enumerate(found.snippets[:MAX_NEAREST])
    ]
    first = Gap(
        what="Nothing in the contracts answers this.",
        part=part.text,
        searched=found.description,
        nearest=near[0] if near else None,
    )
    others = [Gap("This is near, and was not taken for an answer.", part.text, "", each)
              for each in near[1:]]  # fmt: skip
    return [first, *others]


def _build_citation(context: ResearchContext, snippet: Snippet, because: str) -> Citation:
    return context.cite(snippet.document, snippet.span, because=because, score=snippet.score)


def _evidence(
    context: ResearchContext, part: Part, snippet: Snippet, found: AnswerSearch
) -> Statement:
    names = {concept.id: concept.name for concept in found.concepts}
    known = [names[each] for each in snippet.because if each in names]
    because = f"a clause of the kind “{known[0]}”" if known else "by the question's words"
    cited = _build_citation(context, snippet, because)
    return _stated(f"{cited.name}, {cited.where}, says:", Role.EVIDENCE, part, cited)


def _stated(text: str, role: Role, part: Part, *cited: Citation) -> Statement:
    return Statement(text, role, Verification.VERIFIED, part.text, cited)


def _figures(context: ResearchContext, part: Part, shown: Iterable[Snippet]) -> Iterator[Statement]:
    wanted = dict.fromkeys(kind for each in part.aspects for kind in _FIGURES.get(each, ()))
    for snippet in shown if wanted else ():
        text = context.read_contract(snippet.document).text
        figures = [each for each in find_amounts(text, snippet.span) if each.kind in wanted]
        if figures:
            values = "; ".join(dict.fromkeys(each.words for each in figures))
            spans = [each.span for each in figures]
            cited = [context.cite(snippet.document, span) for span in dict.fromkeys(spans)]
            yield _stated(f"It names: {values}.", Role.COMPUTED, part, *cited)


def _expiry(context: ResearchContext, part: Part, found: AnswerSearch) -> Iterator[Statement]:
    """Yield the day on which a contract ends, where that is asked for and its words tell it."""
    if not _EXPIRY & {concept.id for concept in found.concepts}:
        return
    for document in dict.fromkeys(each.document for each in found.snippets[:MAX_QUOTES]):
        card = context.read_contract(document).card
        fact = card.expiry_date
        if fact is not None and fact.span:
            cited = context.cite(
                document, fact.span, because="from these words", score=fact.confidence
            )
            what = f"the first term of {cited.name}" if card.renewal else cited.name
            text = f"By its own words {what} ends on {fact.value.isoformat()}."
            yield _stated(text, Role.COMPUTED, part, cited)


def _qualifiers(context: ResearchContext, snippet: Snippet) -> list[Qualifier]:
    return find_qualifiers(context.read_contract(snippet.document).text, snippet.span)


def _condition(context: ResearchContext, part: Part, snippet: Snippet, one: Qualifier) -> Statement:
    cited = context.cite(snippet.document, one.span, because=f"“{one.cue}”")
    role = Role.EXCEPTION if one.kind == "exception" else Role.CONDITION
    return _stated(f"{one.kind.capitalize()} in {cited.where}:", role, part, cited)


def _fitting(snippets: Sequence[Snippet]) -> tuple[Snippet, ...]:
    selected: list[Snippet] = []
    for each in snippets:
        if (
            not selected
            or sum(len(one.span) for one in selected) + len(each.span) <= MAX_CHARACTERS
        ):
            selected.append(each)
    return tuple(selected)


def _neighbouring(
    context: ResearchContext, part: Part, shown: Sequence[Snippet | ScoredSpan], asked: str = ""
) -> Iterator[Statement]:
    for one in find_companions(context, shown, context.rewrite_with_roles(asked)):
        cited = context.cite(one.document, one.span, because=one.because, score=one.score)
        lead = f"{one.because[:1].upper()}{one.because[1:]} ({cited.name}, {cited.where}):"
        yield _stated(lead, one.role, part, cited)


def _denying(
    context: ResearchContext,
    part: Part,
    found: AnswerSearch,
    denied: Sequence[ScoredSpan],
    gaps: Sequence[Gap],
) -> PartAnswer:
    """Return the answer to a question that takes for granted what the contract denies."""
    findings = []
    for each in denied:
        cited = context.cite(each.document, each.span, because="it denies", score=each.score)
        lead = f"{cited.name}, {cited.where}, denies what the question takes for granted:"
        findings.append(_stated(lead, Role.EVIDENCE, part, cited))
    findings += _neighbouring(context, part, denied)
    conditions = [
        *gaps,
        Gap(_DENIED, part.text, found.description),
        *_nothing(context, part, found)[1:],
    ]
    because = "the nearest words deny what the question takes for granted"
    sure = denied[0].score
    return PartAnswer(
        part, found, Verdict.SAYS, sure, because, tuple(findings), (), tuple(conditions)
    )


def _shown_by(
    context: ResearchContext, part: Part, judged: EntailmentJudgement, shown: Iterable[Snippet]
) -> Iterator[Statement]:
    """Yield the sentences that the entailment model goes by and that are not quoted yet."""
    if judged.label is None or judged.label is Label.NOT_MENTIONED:
        return
    taken: list[Span] = [each.span for each in shown if each.document == judged.document]
    says = "bears the statement out" if judged.label is Label.ENTAILMENT else "speaks against it"
    for span in judged.evidence:
        if not any(span.overlaps(other) for other in taken):
            cited = context.cite(judged.document, span, because="by the entailment model")
            text = f"{cited.name}, {cited.where}, {says}:"
            yield _stated(text, Role.EVIDENCE, part, cited)
