"""The deal room once people and other documents have spoken: what long reports are tested on."""

from __future__ import annotations

from dataclasses import replace

from fourcorners.review.finding import (
    Amendment,
    Annotation,
    Author,
    CellState,
    Evidence,
    Finding,
    Outlier,
    Review,
    ReviewState,
    RiskAnswer,
    Severity,
)
from fourcorners.text.quote import Match, Quote
from fourcorners.text.span import Span

EXACT = Match.EXACT
AGAINST = "A court may read the words more narrowly"
COMMENT = "Ask the seller whether a waiver was given."
VALUE = "Consent is needed, but may not be withheld without reason."


def spoken(review: Review) -> Review:
    """Return the review with answers, amendments, an outlier, and remarks of every kind."""
    found = [f for f in review.findings if f.evidence]
    grave = [f for f in found if f.severity is Severity.HIGH]
    later = review.documents[1]
    other = next(f for f in found if f.document == later.id)
    first = grave[0]
    changed: dict[tuple[str, str], Finding] = {}

    def put(finding: Finding) -> None:
        changed[finding.document, finding.provision] = finding

    put(
        replace(
            first,
            answers=(
                RiskAnswer(
                    "May the other side end it?", "Yes", "it says so", "end", Author.MODEL,
                    "the Buyer", (first.evidence[0].quote,), AGAINST, (first.evidence[0].quote,),
                ),
                RiskAnswer("Was notice given?", ""),
            ),
            recommendation="Seek the consent of the other side before completion.",
            evidence=(first.evidence[0], *_others(review, first)),
            claims=("The Seller may do as it likes",),
            amendments=(Amendment(later.id, later.name, other.evidence[0].quote, True),),
            review=ReviewState.SECOND_LOOK,
            remarks=(
                Annotation("Ada Byron", "2025-02-18T09:00:00+00:00", None, "", COMMENT),
                Annotation("Ada Byron", "2025-02-18T09:05:00+00:00", ReviewState.SECOND_LOOK),
            ),
        )
    )  # fmt: skip
    second = next(f for f in found if f.provision == "assignment")
    twin = next(f for f in reversed(found) if f.provision == "assignment" and f is not second)
    put(
        replace(
            second,
            outlier=Outlier(0.8, twin.document, twin.evidence[0].clause),
            review=ReviewState.CORRECTED,
            value=VALUE,
            remarks=(
                Annotation("Ben Ash", "2025-02-19T10:00:00+00:00", ReviewState.CORRECTED, VALUE),
            ),
        )
    )
    third = next(f for f in found if f.provision == "insurance")
    put(
        replace(
            third,
            state=CellState.NOT_FOUND,
            evidence=(),
            severity=Severity.NONE,
            reason="",
            proposed=third.proposal,
            review=ReviewState.REJECTED,
            remarks=(
                Annotation(
                    "Ben Ash", "2025-02-19T11:00:00+00:00", ReviewState.REJECTED, "", "Wrong."
                ),
            ),
        )
    )
    findings = tuple(changed.get((f.document, f.provision), f) for f in review.findings)
    return replace(review, findings=findings)


def _others(review: Review, finding: Finding) -> list[Evidence]:
    """Return two more quotes of the same document: long ones, so that a chapter must choose."""
    text = next(each.text for each in review.documents if each.id == finding.document)
    one = finding.evidence[0]
    spans = (Span(0, 1_400), Span(len(text) - 700, len(text)))
    return [
        replace(one, quote=Quote(span.text_in(text), span, EXACT), clause=span, score=0.1)
        for span in spans
    ]


def grave(review: Review) -> Review:
    """Return the review with a severity for all that was found, whose quotes are whole clauses."""
    levels = (Severity.HIGH, Severity.MEDIUM)
    texts = {document.id: document.text for document in review.documents}
    findings = tuple(
        replace(
            finding,
            severity=levels[at % 2],
            reason="It may stop the deal.",
            evidence=tuple(
                replace(
                    each,
                    quote=Quote(each.clause.text_in(texts[finding.document]), each.clause, EXACT),
                )
                for each in finding.evidence
            ),
        )
        if finding.evidence
        else finding
        for at, finding in enumerate(review.findings)
    )
    return replace(review, findings=findings)
