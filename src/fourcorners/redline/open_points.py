"""Say what a person is to decide of a clause, and what the playbook or a precedent offers."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from fourcorners.playbooks.playbook import Position, PositionKind, Provision, Wording
from fourcorners.redline.concerns import concerns_side
from fourcorners.redline.drafting import BankPrecedent, ContractTerms
from fourcorners.redline.proposal import Draft, NewClause, OpenPoint, Source, find_blanks
from fourcorners.review.finding import Finding
from fourcorners.text.quote import Quote
from fourcorners.text.span import Span

_MOST_QUOTES = 5  # of an open point
_AIMED: tuple[PositionKind, ...] = ("fallback", "preferred")

Target = Literal["smallest", "preferred", "fallback"]
_FindPrecedent = Callable[[Provision, Position], BankPrecedent | None]


@dataclass(frozen=True, slots=True)
class Preferences:
    """What a person wants of a redline.

    Attributes:
        own_source: The name of the playbook's own wording.
        target: The position to reach: the one that takes the smallest change, or one of a kind.
        decided: Ids of provisions whose clauses a person has decided to change.
        precedent: Finds the precedent to draft a position from; None without a bank.
        added: The clauses that are added already.
        force: Whether a decided clause is changed, too, if it is uncertain that it is the one.
    """

    own_source: Source
    target: Target = "smallest"
    decided: Collection[str] = field(default=())
    precedent: _FindPrecedent | None = None
    added: Sequence[NewClause] = ()
    force: bool = False


def targets(provision: Provision, preferences: Preferences) -> list[Position]:
    """Return the positions to reach, the one to try first in front."""
    kinds = _AIMED if preferences.target == "smallest" else (preferences.target,)
    return [each for kind in kinds for each in provision.positions if each.kind == kind]


def wording_of(
    terms: ContractTerms, provision: Provision, target: Position, preferences: Preferences
) -> tuple[Wording, Source]:
    """Return the wording of a position: the best precedent's clause, or the playbook's own."""
    wording = target.wording or Wording()
    precedent = preferences.precedent(provision, target) if preferences.precedent else None
    if precedent is None:
        return replace(wording, clause=wording.clause or target.example), preferences.own_source
    clause = terms.adapt_clause(precedent.text).text
    return replace(wording, clause=clause.replace("{", "(").replace("}", ")")), precedent.source


def draft_wording(terms: ContractTerms, clause: str, source: Source, own_source: Source) -> Draft:
    """Return a clause with its slots filled; those of a precedent are in brackets already."""
    draft = terms.fill(clause)
    if source is own_source:
        return draft
    return replace(draft, blanks=find_blanks(draft.text))


def open_point(
    terms: ContractTerms,
    provision: Provision,
    finding: Finding,
    why: str,
    position: Position | None,
    preferences: Preferences,
    quotes: Sequence[Quote] = (),
) -> OpenPoint:
    """Return an open point on some words; by default on those of the position, or all found."""
    quotes = quotes or position_quotes(finding)
    scores = {each.quote: each.score for each in finding.evidence}
    quotes = sorted(quotes, key=lambda each: -scores.get(each, 0.0))[:_MOST_QUOTES]
    target = next(
        (
            each
            for each in targets(provision, preferences)
            if (each.wording or each.example)
            and concerns_side(terms, each, finding, quotes) is not False
        ),
        None,
    )
    first = quotes[0].span if quotes else None
    offered, source = None, None
    if target is not None:
        wording, source = wording_of(terms, provision, target, preferences)
        offered = (
            draft_wording(terms, wording.clause, source, preferences.own_source)
            if wording.clause
            else None
        )
    return OpenPoint(
        provision=provision.id,
        name=provision.name,
        reason=f"{why[:1].upper()}{why[1:].rstrip('.')}.",
        quotes=tuple(quotes),
        path=find_path(terms, first) if first else (),
        recommend=position.recommend if position else "",
        target_kind=target.kind if target else None,
        target=target.text if target else "",
        offered=offered,
        source=source,
        score=max((scores.get(each, 0.0) for each in quotes), default=0.0),
    )


def position_quotes(finding: Finding) -> tuple[Quote, ...]:
    """Return the words that put a clause in its position; else all that were found."""
    if finding.position is not None and finding.position.quotes:
        return finding.position.quotes
    return tuple(each.quote for each in finding.evidence)


def find_path(terms: ContractTerms, span: Span) -> tuple[str, ...]:
    """Return label and heading of the clauses around words, the outermost first."""
    node = terms.contract.outline.node_at(span.start)
    return terms.contract.outline.path(node, terms.contract.full_text) if node else ()
