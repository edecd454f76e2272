"""Filling the cells of one document: the sentences that answer, verified, and what was searched."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import replace

from fourcorners.library.contract import Contract
from fourcorners.outline.clause import enclosing_clause
from fourcorners.outline.exclusions import shown_parts
from fourcorners.playbooks.playbook import Extent, card_facts
from fourcorners.review.applicability import is_applicable, not_applicable_finding
from fourcorners.review.evidence import cut_by_clause, evidence_at, evidence_within, is_heading
from fourcorners.review.extract.reader import ProvisionReader, date_quote, narrow_candidates
from fourcorners.review.extract.scoring import (
    Calibration,
    PreparedProvision,
    has_meaning,
    top_positions,
)
from fourcorners.review.extract.second_look import CandidateReader
from fourcorners.review.finding import CellState, Evidence, Finding, SearchRecord
from fourcorners.review.parties import UNKNOWN_SIDE, Side
from fourcorners.review.risk.assessment import RiskAssessor
from fourcorners.review.risk.rules import THRESHOLDS, RuleJudge
from fourcorners.review.set_apart import SetApartWords
from fourcorners.text.quote import Quote
from fourcorners.text.span import Span

MAX_CANDIDATES = 30  # of a cell that are kept for a person
# Of the best quote’s probability, what a further one must have: on 80 contracts of CUAD .08 lifts
# character precision from .42 to .51 (nine provisions) and from .34 to .48 (all), and F1 changes by
# +.003 and -.001; .1 would cost .003 of all.
SHARE = 0.08
MAX_CHARACTERS = 3_000  # of a cell: a person reads it at a glance, and a clause rarely needs more
MAX_READER_CHARACTERS = (
    10_000  # of a cell that the reader fills: some contracts say a thing twenty times
)


def extract_findings(
    reading: Contract,
    provisions: Iterable[PreparedProvision],
    calibration: Calibration,
    judge: ProvisionReader | None = None,
    side: Side = UNKNOWN_SIDE,
) -> list[Finding]:
    """Fill one cell for each provision; first come those that are not asked of such a contract.

    Those that `judge` knows it judges, the others their curves. Every quote is verified against
    the text before it is returned.
    """
    asked: list[PreparedProvision] = []
    other: list[PreparedProvision] = []
    for each in provisions:
        asked_of_it = is_applicable(each.provision, reading.card)
        (asked if asked_of_it else other).append(each)
    known = [judge is not None and judge.is_known(each.provision) for each in asked]
    scores = judge.read(reading) if judge is not None and any(known) else None
    risks = RiskAssessor(reading, side)
    rules = RuleJudge(reading, [each.provision for each in asked])
    second_look = CandidateReader(reading)
    set_apart = SetApartWords(reading)
    cells = [not_applicable_finding(reading.id, each.provision, reading.card) for each in other]
    for prepared, is_known in zip(asked, known, strict=True):
        curve = calibration.curve(prepared.provision.id, meaning=has_meaning(reading, prepared))
        if judge is not None and scores is not None and is_known:
            candidates, shown = judge.candidates(reading, prepared, scores, curve, MAX_CANDIDATES)
            found, also = judge.reader.limits(prepared.provision.id)
            most = MAX_READER_CHARACTERS
        else:
            chances = curve.probability(calibration.features(reading, prepared))
            candidates = shown = [
                (reading.sentences[at].span, round(float(chances[at]), 5))
                for at in top_positions(chances, MAX_CANDIDATES)
            ]
            found, also = curve.threshold, curve.also
            most = MAX_CHARACTERS
        ruled = rules.candidates(prepared.provision)
        if ruled:
            candidates = shown = ruled[:MAX_CANDIDATES]
            (found, also), most = THRESHOLDS, MAX_CHARACTERS
        places = _card_places(reading, prepared)
        facts = places if prepared.provision.extent is Extent.FACT else []
        is_judged = is_known and prepared.provision.threshold is None and not (facts or ruled)
        doubted = second_look if is_judged else None
        chosen, cell = _cell(reading, prepared, candidates, (found, also), most, facts, doubted)
        if cell.state is CellState.NOT_FOUND and prepared.provision.threshold is None:
            again = places  # a cell does not deny what the card knows
            if is_known and not again:
                words = [e for e in candidates if not is_heading(reading, e[0])]
                again = second_look.find(prepared.provision.id, words)
            if again:
                chosen, cell = _cell(reading, prepared, again, (0.0, 0.0), most, facts)
        cell = replace(cell, candidates=(*facts, *shown)[:MAX_CANDIDATES])
        assessed = rules.assess(risks.assess(cell, prepared.provision), prepared.provision)
        cited = _cite(reading, prepared, chosen, assessed)
        cells.append(set_apart.leave_to_read(cited, prepared.provision))
    return cells


def _cell(
    reading: Contract,
    prepared: PreparedProvision,
    candidates: list[tuple[Span, float]],
    limits: tuple[float, float],
    most: int,
    known: list[tuple[Span, float]],
    second_look: CandidateReader | None = None,
) -> tuple[list[tuple[Span, float]], Finding]:
    """Return the words chosen, and the cell with them: those that adjoin are read in one."""
    provision = prepared.provision
    threshold, also = limits
    if provision.threshold is not None:
        threshold = also = provision.threshold
    text = reading.text
    likely = known or narrow_candidates(text, candidates, provision.id)
    if not known and threshold > 0.0:  # else the card or the second look is sure of the words
        likely = [each for each in likely if not is_heading(reading, each[0])]
    chosen = choose_candidates(likely, threshold, min(also, threshold), most)
    if second_look is not None:
        chosen = _keep_such(reading, provision.id, chosen, second_look)
    if not known and provision.extent is not Extent.CLAUSE:
        chosen = add_introductions(chosen, [each.span for each in reading.sentences], text)
    chosen = [(date_quote(text, span, provision.id), probability) for span, probability in chosen]
    best = next(iter([*known, *candidates]), None)
    if provision.extent is Extent.CLAUSE:
        outline = reading.outline
        chosen = [(enclosing_clause(outline, text, span), sure) for span, sure in chosen]
    quotes = tuple(
        evidence_at(reading, part, sure)
        for span, sure in join_quotes(chosen, text)
        for part in shown_parts(span, reading.exclusions, reading.full_text)
    )
    state = CellState.FOUND if quotes else CellState.NOT_FOUND
    return chosen, Finding(
        document=reading.id,
        provision=provision.id,
        state=state,
        evidence=quotes,
        searched=SearchRecord(
            query=str(provision.query),
            passages=len(reading.passages),
            threshold=threshold,
            best=evidence_at(reading, *best) if best else None,
        ),
    )


def _keep_such(
    reading: Contract,
    provision: str,
    chosen: Sequence[tuple[Span, float]],
    second_look: CandidateReader,
) -> list[tuple[Span, float]]:
    """Return the words chosen without those of clauses that surely are no such provision."""
    clauses = [
        (part, sure)
        for whole, sure in join_quotes(chosen, reading.text)
        for part in cut_by_clause(reading, whole)
    ]
    such = [part for part, _ in second_look.keep_such(provision, clauses)]
    return [each for each in chosen if any(part.overlaps(each[0]) for part in such)]


def _cite(
    reading: Contract, prepared: PreparedProvision, chosen: list[tuple[Span, float]], cell: Finding
) -> Finding:
    """Return a cell with its words as they are shown: each clause's by themselves."""
    clauses = prepared.provision.extent is Extent.CLAUSE
    shown = tuple(
        each
        for whole, _ in join_quotes(chosen, reading.text)
        for part in ([whole] if clauses else cut_by_clause(reading, whole))
        for each in evidence_within(
            reading, part, max((sure for span, sure in chosen if span.overlaps(part)), default=0.0)
        )
    )
    answers = (replace(each, quotes=_parts(each.quotes, shown)) for each in cell.answers)
    return replace(cell, evidence=shown, answers=tuple(answers))


def _parts(quotes: Iterable[Quote], shown: Sequence[Evidence]) -> tuple[Quote, ...]:
    """Return quotes, in the place of each that several of those shown make up these."""
    parts: list[Quote] = []
    for quote in quotes:
        within = [
            each.quote
            for each in shown
            if quote.span and each.quote.span and quote.span.contains(each.quote.span)
        ]
        parts += within or [quote]
    return tuple(dict.fromkeys(parts))


def _card_places(reading: Contract, prepared: PreparedProvision) -> list[tuple[Span, float]]:
    """Return the words of what the card knows, or the sentences with them; the surest first."""
    facts = sorted(card_facts(reading.card, prepared.provision.card), key=lambda each: -each[1])
    if prepared.provision.extent is Extent.FACT:
        return facts
    places = [(reading.sentence_at(span.start), sure) for span, sure in facts]
    return [(reading.sentences[at].span, sure) for at, sure in places if at is not None]


def choose_candidates(
    candidates: Sequence[tuple[Span, float]],
    threshold: float,
    also: float,
    most: int = MAX_CHARACTERS,
) -> list[tuple[Span, float]]:
    """Take the candidates to quote, best first; none if the best is below the threshold.

    With it go those of at least `also`, and `SHARE` of the best one's probability, as long as all
    have at most so many characters.
    """
    chosen: list[tuple[Span, float]] = []
    size = 0
    for span, probability in candidates:
        least = max(also, SHARE * chosen[0][1]) if chosen else threshold
        if probability < least or (chosen and size + len(span) > most):
            break
        chosen.append((span, probability))
        size += len(span)
    return chosen


def join_quotes(chosen: Iterable[tuple[Span, float]], text: str) -> list[tuple[Span, float]]:
    """Join quotes with nothing but white space between them; in order of position."""
    joined: list[tuple[Span, float]] = []
    for span, probability in sorted(chosen):
        if joined and not text[joined[-1][0].end : span.start].strip():
            before, other = joined[-1]
            joined[-1] = (Span(before.start, max(before.end, span.end)), max(other, probability))
        else:
            joined.append((span, probability))
    return joined


MAX_ITEMS = 12  # sentences between an item and the words that introduce its list
MAX_LENGTH = 200  # characters of an introduction that is quoted for an item's sake
_ITEM = re.compile(
    r"\s*(?:\(?[a-zA-Z]\)|\(?[ivxIVX]{1,5}\)|\(?\d{1,2}\)|[a-zA-Z]\.|\d{1,2}\.|\d+(?:\.\d+)+\.?|"
    r"[•●\-–])\s"
)


def add_introductions(
    chosen: Sequence[tuple[Span, float]], sentences: Sequence[Span], text: str
) -> list[tuple[Span, float]]:
    """Return quotes of one document, and of each list item among them the words before the list.

    `sentences` are those of the document, in order; an introduction has its item's probability.
    """
    starts = [sentence.start for sentence in sentences]
    quoted = {span.start for span, _ in chosen}
    found = list(chosen)
    for span, probability in chosen:
        before = _introduction(sentences, bisect_right(starts, span.start) - 1, text)
        if before is not None and before.start not in quoted:
            quoted.add(before.start)
            found.append((before, probability))
    return found


def _introduction(sentences: Sequence[Span], at: int, text: str) -> Span | None:
    """Return the sentence that ends in a colon and has only items between it and an item.

    A clause with a number such as 10.2 is a point of 10, and not of a list that ends before it.
    """
    item = _item(sentences[at], text) if at >= 0 else ""
    for sentence in reversed(sentences[max(0, at - MAX_ITEMS) : at] if item else ()):
        other = _item(sentence, text)
        if sentence.text_in(text).endswith(":"):
            is_other = _is_clause(item) and _is_clause(other) and not item.startswith(f"{other}.")
            return sentence if len(sentence) <= MAX_LENGTH and not is_other else None
        if not other or _is_clause(other) != _is_clause(item):
            return None
    return None


def _item(sentence: Span, text: str) -> str:
    """Return the number or mark with which a sentence begins; empty for none."""
    found = _ITEM.match(text, sentence.start, sentence.end)
    return found.group().strip().rstrip(".") if found else ""


def _is_clause(number: str) -> bool:
    return "." in number
