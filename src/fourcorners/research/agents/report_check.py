"""Checking a model's report: each statement stands on words of a contract, or it does not stand.

A finding counts if a quotation of it stands in the contract and holds the numbers that the finding
names. What has a quotation that does not stand there is kept and marked, so that a person sees what
was claimed; what has none, and every sentence that rests on no finding that counts, is left out and
counted.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from fourcorners.research.agents.schemas import DraftReport, FindingClaim, QuoteClaim, SentenceClaim
from fourcorners.research.amounts import written_numbers
from fourcorners.research.answer import (
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
from fourcorners.research.context import ResearchContext
from fourcorners.research.tool import Material
from fourcorners.review.prompting.dialogue import align_claim
from fourcorners.text import evidence

COMPUTED_SOURCE = "reckon"
"""The tool that brings results of code: they support numbers, and no statement by themselves."""
_LEAST_WORDS = 3  # of a quotation: fewer stand everywhere
_CITES = re.compile(
    r"\b(?:clauses?|sections?|articles?|paragraphs?|schedules?|exhibits?|pages?|items?|parts?|"
    r"passages?)\s+[\w.()]+(?:\s*(?:,|and|or|to)\s+[\d(][\w.()]*)*",
    re.IGNORECASE,
)
_MOST = 3  # quotes under a sentence that rests on several findings
_LONGEST = 1_000  # characters of a sentence
_NOT_THERE = "the words given for it do not stand in the contract"


def check_report(
    context: ResearchContext, started: Answer, draft: DraftReport, materials: Sequence[Material]
) -> Answer:
    """Return what is left of a model's report, checked against its passages, numbered from 1.

    `started` says what was asked; its counts are of the statements that were left out, too.
    """
    findings: list[Statement] = []
    by_number: dict[int, Statement] = {}
    dropped = 0
    for one in draft.findings:
        finding = _finding(context, one, materials)
        if finding is None:
            dropped += 1
            continue
        findings.append(finding)
        by_number.setdefault(one.number, finding)
    rest = _Rest(by_number)
    answer = draft.answer
    summary = rest.standing(draft.summary, Role.EVIDENCE)
    sentences = rest.standing(answer.sentences, Role.EVIDENCE)
    conditions = rest.standing(answer.conditions, Role.CONDITION)
    readings = rest.standing(answer.readings, Role.OTHER_READING)
    external, lost = _outside(draft, materials)
    ruling, gaps = (
        Verdict(answer.ruling),
        [Gap(_plain(each)) for each in draft.gaps if each.strip()],
    )
    if ruling not in (Verdict.ABSENT, Verdict.UNSURE) and not sentences:
        ruling = Verdict.UNSURE
        gaps.insert(
            0, Gap(f"The model answered “{answer.ruling}”, and no verified words support it.")
        )
    preliminary = PreliminaryAnswer(
        ruling=ruling,
        sentences=sentences,
        confidence=round(answer.confidence, 3) if ruling.value == answer.ruling else 0.0,
        because="by the model's own account",
        conditions=conditions,
        readings=readings,
    )
    report = replace(
        started,
        title=_plain(draft.title),
        summary=summary,
        findings=tuple(findings),
        answer=preliminary,
        gaps=tuple(gaps),
        next_questions=tuple(_plain(each) for each in draft.next_questions if each.strip()),
        external=external,
    )
    dropped += rest.dropped + lost
    return replace(report, counts=count_statements(report.statements, dropped))


def _finding(
    context: ResearchContext, claim: FindingClaim, materials: Sequence[Material]
) -> Statement | None:
    cited: list[Citation] = []
    claims: list[str] = []
    reckoned: list[str] = []
    for quote in claim.quotes:
        material = _numbered(materials, quote.passage)
        if material is not None and material.tool == COMPUTED_SOURCE:
            reckoned.append(material.words)
            continue
        found = _place_quote(context, quote, material, materials)
        cited += found
        if not found and quote.words.strip():
            claims.append(_plain(quote.words))
    if not cited and not claims:
        return None
    problem = "" if cited else _NOT_THERE
    unknown = _unknown_figures(claim.statement, [each.quote.words for each in cited] + reckoned)
    if cited and unknown:
        problem = f"{', '.join(unknown)} is not in the words quoted"
    standing = Verification.UNVERIFIED if problem else Verification.VERIFIED
    role = Role.COMPUTED if reckoned else Role.EVIDENCE
    quotes = tuple(dict.fromkeys(cited))
    return Statement(_plain(claim.statement), role, standing, "", quotes, tuple(claims), problem)


def _numbered(materials: Sequence[Material], number: int) -> Material | None:
    return materials[number - 1] if 0 < number <= len(materials) else None


def _place_quote(
    context: ResearchContext,
    quote: QuoteClaim,
    named: Material | None,
    materials: Sequence[Material],
) -> list[Citation]:
    """Return where a quotation stands: in the passage that was named, or else in another's text."""
    if len(quote.words.split()) < _LEAST_WORDS:
        return []
    first = [named] if named is not None and named.document else []
    for material in dict.fromkeys([*first, *(each for each in materials if each.document)]):
        text = context.read_contract(material.document).text
        given = [material.span] if material.span is not None else []
        placed = align_claim(quote.words, text, given)
        if placed is not None and placed.quotes:
            return [
                context.cite(material.document, each.span, because=material.because)
                for each in placed.quotes
                if each.span is not None
            ]
    return []


def _unknown_figures(statement: str, words: Iterable[str]) -> list[str]:
    """Return the numbers that a statement names and its words do not have; labels apart."""
    known = {figure for each in words for figure in written_numbers(each)}
    named = dict.fromkeys(written_numbers(_CITES.sub(" ", statement)))
    return [figure for figure in named if figure not in known and len(figure) > 1]


class _Rest:
    """Sentences that rest on findings; those that rest on none that counts are left out."""

    def __init__(self, findings: Mapping[int, Statement]) -> None:
        self._findings = findings
        self.dropped = 0

    def standing(self, sentences: Iterable[SentenceClaim], role: Role) -> tuple[Statement, ...]:
        statements = []
        for each in sentences:
            found = [self._findings[n] for n in each.findings if n in self._findings]
            quotes = dict.fromkeys(
                cited
                for one in found
                if one.standing is Verification.VERIFIED
                for cited in one.quotes
            )
            supports = [cited.quote.words for cited in quotes] + [one.text for one in found]
            unknown = _unknown_figures(each.text, supports)
            if not quotes or unknown or not each.text.strip():
                self.dropped += bool(each.text.strip())
                continue
            cited = tuple(quotes)[:_MOST]
            statements.append(Statement(_plain(each.text), role, Verification.VERIFIED, "", cited))
        return tuple(statements)


def _outside(
    draft: DraftReport, materials: Sequence[Material]
) -> tuple[tuple[ExternalStatement, ...], int]:
    """Return what sources outside say, in words that they have, and how many had none."""
    accepted = []
    for each in draft.external:
        source = _numbered(materials, each.passage)
        if source is None or not source.is_outside:
            continue
        quote = evidence.align_quote(each.words, source.words)
        if quote.verified:
            accepted.append(
                ExternalStatement(
                    text=_plain(each.statement),
                    words=quote.words,
                    source=source.source,
                    where=source.where,
                    fetched=source.fetched,
                    licence=source.licence,
                    tool=source.tool,
                )
            )
    return tuple(accepted), len(draft.external) - len(accepted)


def _plain(text: str) -> str:
    """Return a model's words on one line of a bounded length."""
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1]}…"
