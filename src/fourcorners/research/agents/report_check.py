"""Check a model's report: compare each statement with the sentences that it cites.

A statement is verified if its sentences have its figures and say it, as far as a program can decide
(`statement_check`); its calculations are repeated from known figures (`calculations`); a claim that
the contract lacks something is checked by a search. What fails is marked with the reason, and never
left out: the model gets one chance to correct it, and a person sees the rest. A ruling is as sure
as the words of a verified sentence are likely to answer; without one it is the model's own.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from fourcorners.research.agents.calculations import Calculation, calculate
from fourcorners.research.agents.definition_lookup import find_definitions
from fourcorners.research.agents.figures import Figure, find_figures, unknown_figures
from fourcorners.research.agents.ruling_check import check_lead, denies_ruling, has_ruling, is_topic
from fourcorners.research.agents.schemas import Claims, ExternalClaim, FindingClaim, SentenceClaim
from fourcorners.research.agents.sentence_list import SentenceList
from fourcorners.research.agents.statement_check import (
    NOT_CHECKED,
    NOT_MENTIONED,
    check_quotes,
    check_statement,
    is_repeated,
    is_repeated_in,
    quoted_words,
    statement_chance,
)
from fourcorners.research.answer import (
    OWN_ACCOUNT,
    Answer,
    Citation,
    ExternalStatement,
    Gap,
    PreliminaryAnswer,
    Role,
    Statement,
    Verdict,
    Verification,
    count_statements,
)
from fourcorners.research.answerability.search import (
    LIKELY_TO_ANSWER,
    UNLIKELY_TO_ANSWER,
    AnswerSearch,
    search_answer,
)
from fourcorners.research.context import ResearchContext
from fourcorners.research.tool import is_computed
from fourcorners.review.evidence import quoted_parts
from fourcorners.text.invisible_characters import shorten
from fourcorners.text.patterns import load_patterns
from fourcorners.text.span import Span
from fourcorners.text.stems import stems

_PATTERNS = load_patterns("fourcorners.research.agents", "report_check")
_LACKS = _PATTERNS["lacks"]
_UNDEFINED = _PATTERNS["undefined"]
_MOST_CONTRACTS = 40  # in which a definition is looked for
_MOST_FINDINGS = 40  # of a report
_MOST = 3  # quotes under a sentence that rests on several findings
_LONGEST = 1_000  # characters of a sentence
_NO_SENTENCE = "no sentence of the contract was named for it"
_RESTS_ON_NOTHING = "it rests on no valid finding"
_OWN_GAP = "By the model's account, unchecked:"
_NO_RULING = "no verified sentence of the answer carries a ruling"
_LIKELIEST = 3  # sentences of a search that may carry a ruling


@dataclass(frozen=True, slots=True)
class ReportProblem:
    """A statement that failed a check; `name` is what the model calls it: F2, or a sentence."""

    name: str
    text: str
    reason: str


@dataclass(frozen=True, slots=True)
class CheckedReport:
    answer: Answer
    findings: Mapping[int, Statement]
    problems: tuple[ReportProblem, ...]


class ReportCheck:
    """Checks the reports of one inquiry; no statement is checked twice."""

    def __init__(self, context: ResearchContext, sentences: SentenceList) -> None:
        self._context = context
        self._sentences = sentences
        self._checked: dict[object, tuple[Verification, str]] = {}

    def check(self, started: Answer, own_words: Sequence[str], claims: Claims) -> CheckedReport:
        """Return a model's report with each statement checked; `started` is what was asked.

        Figures given by a person or assumed are known, but verify nothing.
        """
        claims, left_out = _shorten(claims)
        title = shorten(claims.title, _LONGEST)
        given = (*own_words, *started.assumptions)
        calculated = {
            number: self._calculate(claim, given) for number, claim in claims.findings.items()
        }
        cited = [each for claim in claims.findings.values() for each in self._cite(claim.sentences)]
        known = _figures(given)
        findings = {
            number: self._finding(claim, known, cited, calculated[number])
            for number, claim in claims.findings.items()
        }
        findings = {n: check_lead(each, started.question) for n, each in findings.items()}
        rest = _Rest(self, started.question, findings, known, calculated)
        claimed = claims.answer
        sentences = rest.check(claimed.sentences, Role.EVIDENCE)
        conditions = rest.check(claimed.conditions, Role.CONDITION)
        readings = rest.check(claimed.readings, Role.OTHER_READING)
        summary = rest.check(claimed.summary, Role.EVIDENCE)
        paragraphs = [rest.check(each.sentences, Role.EVIDENCE) for each in claimed.reasoning]
        verdict, gaps = self._ruling(started.question, Verdict(claimed.ruling), sentences)
        external, lost = self._outside(claims.external)
        shown = {each.text for each in sentences}
        answer = replace(verdict, sentences=sentences, conditions=conditions, readings=readings)
        report = replace(
            started,
            title=title if is_topic(title, started.question) else started.title,
            summary=tuple(each for each in summary if each.text not in shown),
            reasoning=tuple(filter(None, paragraphs)),
            findings=tuple(findings.values()),
            gaps=(
                *gaps,
                *left_out,
                *(Gap(f"{_OWN_GAP} {each}") for each in _limit_lines(claims.gaps)),
            ),
            directions=_limit_lines(claims.directions),
            next_questions=_limit_lines(claims.next_questions),
            answer=answer,
            external=external,
            reckonings=tuple(
                dict.fromkeys(
                    each.words for own in calculated.values() for each in own if not each.problem
                )
            ),
        )
        report = replace(report, counts=count_statements(report.statements, lost))
        named = [(f"F{number}", each) for number, each in findings.items()]
        named += [("a sentence of the answer", each) for each in report.statements]
        problems: dict[str, ReportProblem] = {}
        for name, each in named:
            if each.standing is Verification.UNVERIFIED:
                problems.setdefault(each.text, ReportProblem(name, each.text, each.problem))
        return CheckedReport(report, findings, tuple(problems.values()))

    def check_quotes(
        self,
        statement: str,
        quotes: Sequence[str],
        known: Sequence[Figure],
        *,
        concludes: bool = False,
    ) -> tuple[Verification, str]:
        """Return how far quotes support a statement; no statement is checked twice."""
        key = (statement, tuple(quotes), tuple(known), concludes)
        if key not in self._checked:
            self._checked[key] = check_quotes(statement, quotes, known, concludes=concludes)
        return self._checked[key]

    def _calculate(self, claim: FindingClaim, given: Sequence[str]) -> list[Calculation]:
        """Repeat a finding's calculations, including those for which it cites a tool's result."""
        named = [each.source for each in map(self._sentences.get, claim.sentences) if each]
        expressions = [each.words.rpartition(" = ")[0] for each in named if is_computed(each)]
        expressions += [claim.computed] if claim.computed.strip() else []
        texts = [*map(quoted_words, self._cite(claim.sentences)), *given]
        known = [each for text in texts for each in find_figures(text, with_counts=True)]
        return [calculate(each, known, [claim.statement, *texts]) for each in expressions]

    def _finding(
        self,
        claim: FindingClaim,
        known: Sequence[Figure],
        cited: Sequence[Citation],
        calculated: Sequence[Calculation],
    ) -> Statement:
        text = shorten(claim.statement, _LONGEST)
        quotes = self._cite(claim.sentences)
        lacking = claim.absent.strip() or (text if _LACKS.search(text) else "")
        if lacking and not quotes:
            return self._check_absence(text, lacking, cited)
        role = Role.COMPUTED if calculated else Role.EVIDENCE
        failed = next((each.problem for each in calculated if each.problem), "")
        known = [*known, *(figure for each in calculated for figure in each.figures)]
        if failed:
            standing, problem = Verification.UNVERIFIED, failed
        elif quotes:
            words = [quoted_words(each) for each in quotes]
            standing, problem = self.check_quotes(text, words, known, concludes=bool(calculated))
            is_open = problem in ("", NOT_CHECKED) or (
                problem == NOT_MENTIONED and _LACKS.search(text)
            )
            if lacking and is_open and not is_repeated_in(text, words):
                searched = self._check_absence(text, lacking, cited)
                if problem or searched.standing is not Verification.UNVERIFIED:
                    return replace(searched, quotes=(*quotes, *searched.quotes))
                standing, problem = Verification.UNCHECKED, NOT_CHECKED
        elif calculated and not unknown_figures(text, known):
            standing, problem = Verification.UNCHECKED, "computed by code, and quotes nothing"
        else:
            standing, problem = Verification.UNVERIFIED, _NO_SENTENCE
        return Statement(text, role, standing, "", quotes, (), problem)

    def _cite(self, numbers: Iterable[int]) -> tuple[Citation, ...]:
        sources = [each.source for each in map(self._sentences.get, numbers) if each is not None]
        found = [
            self._context.cite(each.document, part, because=each.because)
            for each in sources
            if each.document and each.span is not None
            for part in quoted_parts(self._context.read_contract(each.document), each.span)
            or [each.span]  # none is left of page furniture alone
        ]
        return tuple(dict.fromkeys(found))

    def _check_absence(self, text: str, words: str, cited: Sequence[Citation]) -> Statement:
        """Check by a search that the contract lacks what a statement says it lacks.

        Words that the report quotes elsewhere do not count: a model has considered them.
        """
        if undefined := _UNDEFINED.search(words) or _UNDEFINED.search(text):
            return self._undefined(text, (undefined["term"] or undefined["subject"]).strip())
        if set(stems(words)).isdisjoint(stems(text)):  # the model chose what is searched for
            return Statement(text, Role.EVIDENCE, Verification.UNCHECKED, problem=NOT_CHECKED)
        searched = search_answer(self._context, words, limit=1)
        if not searched.answers:
            problem = searched.description
            return Statement(text, Role.EVIDENCE, Verification.SEARCHED, problem=problem)
        best = searched.snippets[0]
        if any(_overlaps(each, best.document, best.core) for each in cited):
            problem = f"the report quotes the words that a search for “{words}” finds first"
            return Statement(text, Role.EVIDENCE, Verification.UNCHECKED, problem=problem)
        nearest = self._context.cite(best.document, best.span, score=best.score)
        problem = f"a search for “{words}” finds words that may say otherwise"
        return Statement(
            text, Role.EVIDENCE, Verification.UNVERIFIED, quotes=(nearest,), problem=problem
        )

    def _undefined(self, text: str, term: str) -> Statement:
        """Check by the contracts' definitions that a term has none."""
        readings = [self._context.read_contract(entry.id) for entry in self._context.contracts]
        for reading in readings[:_MOST_CONTRACTS]:
            for _, part in find_definitions(reading, term):
                nearest = self._context.cite(reading.id, part.span)
                problem = f"a definition of “{term}” was found"
                return Statement(
                    text, Role.EVIDENCE, Verification.UNVERIFIED, quotes=(nearest,), problem=problem
                )
        count = min(len(readings), _MOST_CONTRACTS)
        where = "the contract" if count == 1 else f"{count} contracts"
        problem = f"no definition of “{term}” was found in {where}"
        return Statement(text, Role.EVIDENCE, Verification.SEARCHED, problem=problem)

    def _ruling(
        self, question: str, ruling: Verdict, sentences: Sequence[Statement]
    ) -> tuple[PreliminaryAnswer, list[Gap]]:
        """Return the ruling, how sure it is, and why; none if no sentence supports it."""
        if ruling is Verdict.UNSURE:
            return PreliminaryAnswer(ruling, because=OWN_ACCOUNT), []
        found = search_answer(self._context, question, limit=_LIKELIEST)
        absent = round(1 - found.best.chance, 3)
        if ruling is Verdict.ABSENT:
            if not found.answers:
                gap = Gap("No passage that was found speaks of it.", "", found.description)
                return PreliminaryAnswer(ruling, (), absent, UNLIKELY_TO_ANSWER), [gap]
            best = found.snippets[0]
            what = f"The model answered “{ruling.value}”, and a search finds words that may answer."
            nearest = self._context.cite(best.document, best.span, score=best.score)
            return PreliminaryAnswer(Verdict.UNSURE), [Gap(what, "", found.description, nearest)]
        carried = [each for each in sentences if has_ruling(each, ruling, question)]
        chance = max((_answer_chance(each, found) for each in carried), default=0.0)
        if chance > 0:
            return PreliminaryAnswer(ruling, (), round(chance, 3), LIKELY_TO_ANSWER), []
        if any(each.standing is Verification.SEARCHED for each in carried):
            return PreliminaryAnswer(ruling, (), absent, UNLIKELY_TO_ANSWER), []
        own = ruling if _is_open(sentences, ruling, question) else None
        return PreliminaryAnswer(Verdict.UNSURE, because=_NO_RULING, unchecked=own), []

    def _outside(
        self, claims: Sequence[ExternalClaim]
    ) -> tuple[tuple[ExternalStatement, ...], int]:
        """Return what outside sources say, and how many statements name no such source."""
        accepted = []
        for claim in claims:
            for number in claim.sentences:
                named = self._sentences.get(number)
                if named is None or not named.source.is_outside:
                    continue
                source = named.source
                accepted.append(
                    ExternalStatement(
                        text=shorten(claim.statement, _LONGEST),
                        words=source.words,
                        source=source.source,
                        where=source.where,
                        fetched=source.fetched,
                        licence=source.licence,
                        tool=source.tool,
                    )
                )
                break
        return tuple(accepted), len(claims) - len(accepted)


class _Rest:
    """Sentences that rest on findings."""

    def __init__(
        self,
        checker: ReportCheck,
        question: str,
        findings: Mapping[int, Statement],
        known: Sequence[Figure],
        calculated: Mapping[int, Sequence[Calculation]],
    ) -> None:
        self._checker, self._question, self._findings = checker, question, findings
        self._known, self._calculated = known, calculated

    def check(self, claims: Iterable[SentenceClaim], role: Role) -> tuple[Statement, ...]:
        found = (self._statement(each, role) for each in claims if each.text.strip())
        return tuple(check_lead(each, self._question) for each in found)

    def _statement(self, claim: SentenceClaim, role: Role) -> Statement:
        text = shorten(claim.text, _LONGEST)
        named = {n: self._findings[n] for n in claim.findings if n in self._findings}
        numbers = [n for n, each in named.items() if each.standing is not Verification.UNVERIFIED]
        standing = [named[n] for n in numbers]
        if not standing:
            return Statement(text, role, Verification.UNVERIFIED, problem=_RESTS_ON_NOTHING)
        quotes = tuple(dict.fromkeys(cited for each in standing for cited in each.quotes))
        searched = [each for each in standing if each.standing is Verification.SEARCHED]
        if not quotes:
            only = (searched or standing)[0]
            if is_repeated(text, only.text):
                return Statement(text, role, only.standing, problem=only.problem)
            return Statement(text, role, Verification.UNCHECKED, problem=NOT_CHECKED)
        words = [quoted_words(each) for each in quotes]
        known = [*self._known, *_figures(each.text for each in standing)]
        known += [one for n in numbers for each in self._calculated[n] for one in each.figures]
        verification, problem = self._checker.check_quotes(text, words, known, concludes=True)
        lacks = bool(_LACKS.search(text)) and not is_repeated_in(text, words)
        if (searched or lacks) and verification is Verification.VERIFIED:
            verification, problem = Verification.UNCHECKED, NOT_CHECKED
        return Statement(text, role, verification, "", quotes[:_MOST], problem=problem)


def _is_open(sentences: Sequence[Statement], ruling: Verdict, question: str) -> bool:
    """Tell whether there are sentences, none of which failed a check or denies a ruling."""
    return bool(sentences) and not any(
        each.standing is Verification.UNVERIFIED or denies_ruling(each, ruling, question)
        for each in sentences
    )


def _answer_chance(sentence: Statement, found: AnswerSearch) -> float:
    """Return how likely the words of the contracts asked answer and say it; 0 if others do."""
    chances = [
        found.judgements[each.document].chance
        for cited in sentence.quotes
        for each in found.snippets
        if _overlaps(cited, each.document, each.span)
    ]
    if not chances or sentence.standing is not Verification.VERIFIED:
        return 0.0
    own = [quoted_words(each) for each in sentence.quotes if each.document in found.judgements]
    if check_statement(sentence.text, own)[0] is not Verification.VERIFIED:
        return 0.0
    return min(max(chances), statement_chance(sentence.text, own))


def _overlaps(cited: Citation, document: str, span: Span) -> bool:
    own = cited.quote.span
    return cited.document == document and own is not None and own.overlaps(span)


def _shorten(claims: Claims) -> tuple[Claims, list[Gap]]:
    """Cut lists of claims to a readable length, and say so."""
    if len(claims.findings) <= _MOST_FINDINGS:
        return claims, []
    more = len(claims.findings) - _MOST_FINDINGS
    first = dict(list(claims.findings.items())[:_MOST_FINDINGS])
    gap = Gap(f"The model gave {more} further findings, which were not checked and are left out.")
    return replace(claims, findings=first), [gap]


def _limit_lines(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(shorten(each, _LONGEST) for each in texts if each.strip())


def _figures(texts: Iterable[str]) -> list[Figure]:
    return [figure for each in texts for figure in find_figures(each, with_labels=True)]
