"""Filling the cells of one document: the sentences that answer, verified, and what was searched."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from fourcorners.outline.clause import clause_of
from fourcorners.playbooks.playbook import Extent, facts
from fourcorners.review.applicability import is_asked, not_applicable
from fourcorners.review.calibration import Calibration, Curve
from fourcorners.review.finding import CellState, Evidence, Finding, Searched
from fourcorners.review.introduced import with_introductions
from fourcorners.review.reader import Judge, led, quotable
from fourcorners.review.reading import Reading
from fourcorners.review.risk import Risks
from fourcorners.review.rules import LIMITS, Rules
from fourcorners.review.scoring import Prepared, best_first, has_meaning, score
from fourcorners.review.wording import Wording
from fourcorners.text import evidence
from fourcorners.text.span import Span

MOST_CANDIDATES = 30
MOST_CHARACTERS = 3_000  # of a cell: a person reads it at a glance, and a clause rarely needs more
MOST_BY_READER = 10_000  # of a cell that the reader fills: some contracts say a thing twenty times


def findings(
    reading: Reading,
    provisions: Iterable[Prepared],
    calibration: Calibration,
    judge: Judge | None = None,
) -> list[Finding]:
    """Fill one cell for each provision; first come those that are not asked of such a contract.

    Those that `judge` knows it judges, the others their curves. Every quote is verified against
    the text before it is returned.
    """
    asked: list[Prepared] = []
    other: list[Prepared] = []
    for each in provisions:
        asked_of_it = is_asked(each.provision, reading.card)
        (asked if asked_of_it else other).append(each)
    known = [judge is not None and judge.knows(each.provision) for each in asked]
    heard = judge.listen(reading) if judge is not None and any(known) else None
    risks = Risks(reading)
    rules = Rules(reading, [each.provision for each in asked])
    cells = [not_applicable(reading.document.id, each.provision, reading.card) for each in other]
    for prepared, is_known in zip(asked, known, strict=True):
        curve = calibration.curve(prepared.provision.id, meaning=has_meaning(reading, prepared))
        if judge is not None and heard is not None and is_known:
            candidates, shown = judge.candidates(reading, prepared, heard, curve, MOST_CANDIDATES)
            found, also = judge.reader.limits(prepared.provision.id)
            most = MOST_BY_READER
        else:
            candidates = shown = _by_curve(reading, prepared, curve)
            found, also = curve.threshold, curve.also
            most = MOST_CHARACTERS
        ruled = rules.candidates(prepared.provision)
        if ruled:
            candidates = shown = ruled[:MOST_CANDIDATES]
            (found, also), most = LIMITS, MOST_CHARACTERS
        cell = _cell(reading, prepared, candidates, (found, also), most)
        cell = replace(cell, candidates=(*_known(reading, prepared), *shown)[:MOST_CANDIDATES])
        cells.append(rules.judged(risks.assessed(cell, prepared.provision), prepared.provision))
    return cells


def _cell(
    reading: Reading,
    prepared: Prepared,
    candidates: list[tuple[Span, float]],
    limits: tuple[float, float],
    most: int,
) -> Finding:
    provision = prepared.provision
    threshold, also = limits
    if provision.threshold is not None:
        threshold = provision.threshold
    known = _known(reading, prepared)
    text = reading.document.text
    wording = Wording.of(reading, provision)
    likely = known or quotable(text, wording.possible(candidates), provision.id)
    chosen = choose(likely, threshold, min(also, threshold), most)
    if not known:
        chosen = wording.joined(chosen, threshold)
    if not known and provision.extent is not Extent.CLAUSE:
        chosen = with_introductions(chosen, [each.span for each in reading.segments], text)
    chosen = [(led(text, span, provision.id), probability) for span, probability in chosen]
    best = next(iter([*known, *candidates]), None)
    if provision.extent is Extent.CLAUSE:
        chosen = [(_clause(reading, span), probability) for span, probability in chosen]
    quotes = tuple(
        _evidence(reading, span, probability) for span, probability in join(chosen, text)
    )
    state = CellState.FOUND if quotes else CellState.NOT_FOUND
    return Finding(
        document=reading.document.id,
        provision=provision.id,
        state=state,
        evidence=quotes,
        searched=Searched(
            query=str(provision.query),
            passages=len(reading.passages),
            threshold=threshold,
            best=_evidence(reading, *best) if best else None,
        ),
    )


def _known(reading: Reading, prepared: Prepared) -> list[tuple[Span, float]]:
    """Return the facts of the contract card that answer a provision, the surest first."""
    if prepared.provision.extent is not Extent.FACT:
        return []
    return sorted(facts(reading.card, prepared.provision.card), key=lambda each: -each[1])


def _by_curve(reading: Reading, prepared: Prepared, curve: Curve) -> list[tuple[Span, float]]:
    """Return what was considered with its probability by the curve, best first."""
    probability = curve.probability(score(reading, prepared))
    spans = [segment.span for segment in reading.segments]
    best = best_first(probability, MOST_CANDIDATES)
    return [(spans[at], round(float(probability[at]), 5)) for at in best]


def choose(
    candidates: Sequence[tuple[Span, float]],
    threshold: float,
    also: float,
    most: int = MOST_CHARACTERS,
) -> list[tuple[Span, float]]:
    """Take the candidates to quote, best first; none if the best is below the threshold.

    With it go those of at least `also`, as long as all have at most so many characters.
    """
    chosen: list[tuple[Span, float]] = []
    size = 0
    for span, probability in candidates:
        least = also if chosen else threshold
        if probability < least or (chosen and size + len(span) > most):
            break
        chosen.append((span, probability))
        size += len(span)
    return chosen


def join(chosen: Iterable[tuple[Span, float]], text: str) -> list[tuple[Span, float]]:
    """Join quotes with nothing but white space between them; in order of position."""
    joined: list[tuple[Span, float]] = []
    for span, probability in sorted(chosen):
        if joined and not text[joined[-1][0].end : span.start].strip():
            before, other = joined[-1]
            joined[-1] = (Span(before.start, max(before.end, span.end)), max(other, probability))
        else:
            joined.append((span, probability))
    return joined


def _clause(reading: Reading, span: Span) -> Span:
    return clause_of(reading.outline, reading.document.text, span)


def _evidence(reading: Reading, span: Span, probability: float) -> Evidence:
    text = reading.document.text
    quote = evidence.quote_span(text, span)
    evidence.verify_quote(quote, text)
    node = reading.outline.at(span.start)
    first = reading.document.page_of(span.start)
    last = reading.document.page_of(max(span.start, span.end - 1))
    sure = reading.document.confidence(span)
    return Evidence(
        quote=quote,
        clause=_clause(reading, span),
        path=reading.outline.path(node, text) if node else (),
        pages=None if first is None or last is None else (first, last),
        score=round(probability, 4),
        ocr=None if sure is None else round(sure, 4),
    )
