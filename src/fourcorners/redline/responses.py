"""Weigh the tracked changes of others by a playbook: accept, reject, counter, or leave them open.

The review of the contract as it would be is held against that of the contract without an author's
changes. Only positions that may be asserted decide, and periods that the playbook compares.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from fourcorners.documents.change_marks import TrackedChange
from fourcorners.playbooks.playbook import Position, Provision
from fourcorners.redline.clause_edits import find_phrase
from fourcorners.redline.concerns import (
    Concern,
    concerns_side,
    find_concerns,
    is_by_model,
    matched_position,
)
from fourcorners.redline.drafting import ContractTerms
from fourcorners.redline.open_points import find_path, position_quotes
from fourcorners.redline.proposal import (
    ChangeResponse,
    OpenPoint,
    ProposedChange,
    ResponseKind,
)
from fourcorners.redline.propose import SURELY_MEANT
from fourcorners.redline.replacement import without_number
from fourcorners.review.finding import CellState, Finding
from fourcorners.text.quote import Quote
from fourcorners.text.sentences import split_sentences
from fourcorners.text.span import Span

_RANKS = (ResponseKind.REJECT, ResponseKind.COUNTER, ResponseKind.OPEN, ResponseKind.ACCEPT)
_NOTHING = "The playbook says nothing about it."
_UNDECIDED = "The playbook does not weigh what is changed in this clause."
Cells = Mapping[str, tuple[Provision, Finding]]


@dataclass(frozen=True, slots=True)
class ReviewedVersion:
    """A version of a contract with its findings, by the ids of their provisions."""

    terms: ContractTerms
    cells: Cells


@dataclass(frozen=True, slots=True)
class _Weight:
    """What a provision says of a change; `places` are the words that decide it, if not all do."""

    kind: ResponseKind
    provision: Provision
    reason: str
    quotes: tuple[Quote, ...] = ()
    counter: ProposedChange | None = None
    places: tuple[Span, ...] = field(default=())


def assess_changes(
    changes: Sequence[TrackedChange],
    after: ReviewedVersion,
    before: ReviewedVersion | None,
    outcomes: Sequence[ProposedChange | OpenPoint],
) -> Iterator[ChangeResponse]:
    """Yield what to answer to each change of one author.

    Args:
        changes: The author's, in order.
        after: The contract as it would be with them.
        before: The contract without them; None if there is no such version.
        outcomes: What the redline proposes, or leaves open, in `after`.
    """
    contract = after.terms.contract
    text = contract.full_text
    for change in changes:
        place = _removed_sentences(change, before)
        sentence = contract.sentence(change.span)
        weights = [
            weight
            for provision, finding in after.cells.values()
            if before is not None
            for weight in (
                _weigh_removal(provision, finding, before, place)
                if place
                else _weigh(provision, finding, after, before, change, outcomes)
            )
        ]
        weight = min(weights, key=lambda each: _RANKS.index(each.kind), default=None)
        about = weight.provision if weight else _find_provision(after, before, place, sentence)
        kind, reason = ResponseKind.OPEN, _UNDECIDED if about else _NOTHING
        if weight:
            kind, reason = weight.kind, weight.reason
        if before is None:
            reason = "The file cannot be read without the change, to compare it."
        rivals = [each for each in changes if each.concerns(sentence)]
        if weight and not place and not _decides(change, weight, rivals):
            kind, reason = ResponseKind.OPEN, "Another change in this sentence is answered."
        yield ChangeResponse(
            change=change,
            after=change.span.text_in(text),
            path=find_path(before.terms, place)
            if before and place
            else find_path(after.terms, change.span),
            kind=kind,
            provision=about.id if about else "",
            name=about.name if about else "",
            reason=f"{reason.rstrip('.')}.",
            quotes=weight.quotes if weight else (),
            counter=weight.counter if weight and kind is ResponseKind.COUNTER else None,
        )


def _removed_sentences(change: TrackedChange, before: ReviewedVersion | None) -> Span | None:
    """Return the place, in the version before, of a change that removes whole sentences."""
    if before is None or not change.is_removal:
        return None
    text = before.terms.contract.full_text
    place = find_phrase(text, Span(0, len(text)), (change.before,)) if change.before else None
    if place is None:
        return None
    inner = place.strip(text)
    around = split_sentences(text, before.terms.contract.sentence(inner))
    bare = (without_number(text, each.strip(text)) for each in around)
    return inner if any(each and inner.contains(each) for each in bare) else None


def _find_provision(
    after: ReviewedVersion, before: ReviewedVersion | None, place: Span | None, sentence: Span
) -> Provision | None:
    """Return the likeliest provision of the words of a change, or of those it removes."""
    cells, words = (before.cells, place) if before and place else (after.cells, sentence)
    found = [
        (each.score, provision)
        for provision, finding in cells.values()
        for each in (finding.evidence if provision.positions else ())
        if each.quote.span is not None
        and each.quote.span.overlaps(words)
        and each.score >= SURELY_MEANT
    ]
    return max(found, key=lambda each: each[0])[1] if found else None


def _decides(change: TrackedChange, weight: _Weight, rivals: Sequence[TrackedChange]) -> bool:
    decisive = [each for each in rivals if any(each.concerns(place) for place in weight.places)]
    return not decisive or change in decisive


def _touches(finding: Finding, place: Span) -> bool:
    quotes = (*position_quotes(finding), *(each.quote for each in finding.evidence))
    return any(each.span is not None and each.span.overlaps(place) for each in quotes)


def _weigh_removal(
    provision: Provision, finding: Finding, before: ReviewedVersion, place: Span
) -> Iterator[_Weight]:
    """Yield what a provision says of sentences that are removed."""
    _, former = before.cells[provision.id]
    if former.state is not CellState.FOUND or not _touches(former, place):
        return
    was, now = matched_position(provision, former), matched_position(provision, finding)
    words = " ".join(place.text_in(before.terms.contract.full_text).split())
    removal = f"It removes “{words}”"
    if was is None or was == now or is_by_model(was, former):
        yield _Weight(ResponseKind.OPEN, provision, f"{removal}, which is about {provision.name}")
    elif not was.is_refused:
        yield _Weight(ResponseKind.REJECT, provision, f"{removal}: {was.text}")
    elif now is not None and now.is_refused:
        yield _Weight(ResponseKind.OPEN, provision, f"{removal}; the rest: {now.text}")
    else:
        bound = concerns_side(before.terms, was, former, position_quotes(former))
        kind = ResponseKind.ACCEPT if bound else ResponseKind.OPEN
        yield _Weight(kind, provision, f"{removal}: {was.text}")


def _weigh(
    provision: Provision,
    finding: Finding,
    after: ReviewedVersion,
    before: ReviewedVersion,
    change: TrackedChange,
    outcomes: Sequence[ProposedChange | OpenPoint],
) -> Iterator[_Weight]:
    """Yield what a provision says of the sentence in which something is changed."""
    sentence = after.terms.contract.sentence(change.span)
    if finding.state is not CellState.FOUND or not _touches(finding, sentence):
        return
    _, former = before.cells[provision.id]
    was, now = matched_position(provision, former), matched_position(provision, finding)
    quotes = tuple(
        each for each in position_quotes(finding) if each.span and each.span.overlaps(sentence)
    )
    own = [each for each in outcomes if each.provision == provision.id]
    counter = next(
        (
            each
            for each in own
            if isinstance(each, ProposedChange) and any(quote in quotes for quote in each.quotes)
        ),
        None,
    )
    places = (counter.span,) if counter else ()
    if now is None:
        yield from _weigh_concerns(provision, finding, after, before, sentence, own)
    elif is_by_model(now, finding):
        yield _Weight(ResponseKind.OPEN, provision, f"A language model says: {now.text}", quotes)
    elif not now.is_refused:
        if was != now:
            reason = f"It reaches what the playbook accepts: {now.text}"
            kind = ResponseKind.ACCEPT
            if _is_of_others(now, finding, after) or _is_of_others(was, former, before):
                reason = f"{reason.rstrip('.')}; but not for the good of your side"
                kind = ResponseKind.OPEN
            yield _Weight(kind, provision, reason, quotes)
    else:
        side = concerns_side(after.terms, now, finding, quotes)
        reason = f"It reaches what the playbook refuses: {now.text}"
        if side is False and was != now:
            reason = f"It binds the other side alone: {now.text}"
            yield _Weight(ResponseKind.ACCEPT, provision, reason, quotes)
        elif side is None:
            reason = f"{reason.rstrip('.')}; it is uncertain whether it binds your side"
            yield _Weight(ResponseKind.OPEN, provision, reason, quotes)
        elif side and was is not None and not was.is_refused:
            yield _Weight(ResponseKind.REJECT, provision, reason, quotes, places=places)
        elif side and counter is not None and (was != now or change.concerns(counter.span)):
            yield _Weight(ResponseKind.COUNTER, provision, reason, quotes, counter, places)
        elif side and was != now:
            yield _Weight(ResponseKind.REJECT, provision, reason, quotes)


def _is_of_others(position: Position | None, finding: Finding, version: ReviewedVersion) -> bool:
    """Tell whether a position weighs on the other side alone: to better it is no gain of ours."""
    if position is None:
        return False
    quotes = position_quotes(finding)
    return concerns_side(version.terms, position, finding, quotes) is False


def _weigh_concerns(
    provision: Provision,
    finding: Finding,
    after: ReviewedVersion,
    before: ReviewedVersion,
    sentence: Span,
    own: Sequence[ProposedChange | OpenPoint],
) -> Iterator[_Weight]:
    """Yield what is uncertain of a sentence, or refused because of a period that is new in it."""
    text = after.terms.contract.full_text
    _, former = before.cells[provision.id]
    known = {each.position.text for each in find_concerns(before.terms, provision, former)}
    for concern in find_concerns(after.terms, provision, finding):
        quotes = tuple(
            each for each in concern.quotes if each.span and each.span.overlaps(sentence)
        )
        places = _period_places(text, sentence, concern)
        if quotes and places and concern.position.text not in known:
            reason = concern.reason
            yield _Weight(ResponseKind.REJECT, provision, reason, quotes, places=places)
    for point in own:
        if isinstance(point, OpenPoint) and any(
            each.span is not None and each.span.overlaps(sentence) for each in point.quotes
        ):
            yield _Weight(ResponseKind.OPEN, provision, point.reason, point.quotes)


def _period_places(text: str, sentence: Span, concern: Concern) -> tuple[Span, ...]:
    found = (find_phrase(text, sentence, (each,)) for each in concern.periods)
    return tuple(each for each in found if each is not None)
