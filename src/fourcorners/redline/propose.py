"""Propose changes to a contract so that it meets a playbook's positions.

A change is proposed only if the program may assert that a clause is in a position that the house
refuses, and that it binds the party for whom the contract is read, and if a change of the playbook
fits its words; a clause is added only if the contract probably has none of its kind. Everything
else is left to a person, with the words, the reason and the wording on offer.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from fourcorners.outline.clause import enclosing_clause
from fourcorners.playbooks.playbook import PAYER, Position, PositionKind, Provision, Wording
from fourcorners.redline.cautions import POSSIBLY_THERE
from fourcorners.redline.clause_edits import MORE_PARTIES, NoEdit, find_edit
from fourcorners.redline.concerns import (
    burdens_side,
    concerns_side,
    favours_side,
    find_concerns,
    has_accepted_period,
    is_accepted,
    is_by_model,
    matched_position,
)
from fourcorners.redline.drafting import BankPrecedent, ContractTerms
from fourcorners.redline.insertion import place_clause
from fourcorners.redline.proposal import (
    Basis,
    Draft,
    Extent,
    NewClause,
    OpenPoint,
    ProposedChange,
    Source,
    find_blanks,
)
from fourcorners.redline.replacement import find_lost, has_lost_exclusion
from fourcorners.review.applicability import card_types, plain_type
from fourcorners.review.finding import CellState, Finding, Severity
from fourcorners.text.patterns import load_patterns
from fourcorners.text.quote import Quote
from fourcorners.text.span import Span
from fourcorners.text.word_differences import Edit, EditKind

SURELY_MEANT = 0.5
"""The probability of words from which a clause is replaced because a person names its provision."""
_PATTERNS = load_patterns("fourcorners.redline", "propose")
_OFFICE = _PATTERNS["office"]
_RECITALS = 3_000  # characters at the beginning that say what the contract is about
_OF_ITS_CLAUSE = ("This", "These", "Such", "THIS", "THESE", "SUCH")
MOST_QUOTES = 5  # of an open point
_AIMED: tuple[PositionKind, ...] = ("fallback", "preferred")

Target = Literal["smallest", "preferred", "fallback"]
FindPrecedent = Callable[[Provision, Position], BankPrecedent | None]


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
    precedent: FindPrecedent | None = None
    added: Sequence[NewClause] = ()
    force: bool = False


Outcome = ProposedChange | OpenPoint


def propose(
    terms: ContractTerms, provision: Provision, finding: Finding, preferences: Preferences
) -> list[Outcome]:
    """Return the changes and open points of one cell; nothing where it is acceptable."""
    decided = provision.id in preferences.decided
    if finding.state is CellState.NOT_FOUND:
        return _missing(terms, provision, finding, preferences, decided=decided)
    if finding.state is CellState.TO_READ:
        point = _open(terms, provision, finding, finding.reason, None, preferences)
        return [replace(point, is_recognised=False)]
    if finding.state is not CellState.FOUND:
        return []
    matched = matched_position(provision, finding)
    if (matched is None or matched.kind != "unacceptable") and not decided:
        return _concerned(terms, provision, finding, preferences)
    if decided and not preferences.force and _is_met(terms, provision, finding, preferences):
        why = "the playbook accepts its period; --force changes it all the same"
        why = f"it is {matched.kind} as it is: {matched.text}" if matched else why
        return [_open(terms, provision, finding, why, None, preferences)]
    if matched is not None and not decided:
        bound = concerns_side(terms, matched, finding, position_quotes(finding))
        if bound is False:
            return []
        why = ""
        if bound is None:
            why = "it is uncertain whether it binds your side"
        elif is_by_model(matched, finding):
            why = "a language model says so"
        if why:
            why = f"{matched.text.rstrip('.')}; {why}"
            return [_open(terms, provision, finding, why, matched, preferences)]
    return _change(terms, provision, finding, matched, preferences, decided=decided)


def _concerned(
    terms: ContractTerms, provision: Provision, finding: Finding, preferences: Preferences
) -> list[Outcome]:
    """Return an open point on the words that may be in a refused position; nothing for none."""
    concerns = find_concerns(terms, provision, finding)
    if not concerns:
        refuses = any(each.kind == "unacceptable" for each in provision.positions)
        wanted = _targets(provision, preferences)
        is_fine = is_accepted(provision, finding) or not burdens_side(terms, finding)
        if refuses or not wanted or is_fine:
            return []
        why = f"the playbook asks for this: {wanted[0].text}"
        return [_open(terms, provision, finding, why, None, preferences)]
    is_recognised = concerns[0].is_recognised
    shown = [each for each in concerns if each.is_shown]
    why = "; ".join(dict.fromkeys(each.reason for each in shown or concerns))
    binds = "it binds your side; " if is_recognised else ""
    why = f"{'the playbook refuses' if shown else f'{binds}to be read for what it refuses'}: {why}"
    quotes = tuple(dict.fromkeys(quote for each in concerns for quote in each.quotes))
    point = _open(terms, provision, finding, why, None, preferences, quotes)
    return [replace(point, is_recognised=is_recognised)]


def _is_met(
    terms: ContractTerms, provision: Provision, finding: Finding, preferences: Preferences
) -> bool:
    """Tell whether nothing is left to change in a clause that a person asks to change."""
    matched, concerns = (
        matched_position(provision, finding),
        find_concerns(terms, provision, finding),
    )
    if matched is not None:
        return _meets(matched, preferences) and not concerns
    quotes = position_quotes(finding)
    return not any(each.is_shown for each in concerns) and any(
        has_accepted_period(terms, provision, finding, each) for each in quotes
    )


def _meets(matched: Position | None, preferences: Preferences) -> bool:
    """Tell whether a clause is where a person wants it."""
    if matched is None or matched.kind == "unacceptable":
        return False
    return matched.kind == "preferred" or preferences.target in ("smallest", matched.kind)


def _targets(provision: Provision, preferences: Preferences) -> list[Position]:
    """Return the positions to reach, the one to try first in front."""
    kinds = _AIMED if preferences.target == "smallest" else (preferences.target,)
    return [each for kind in kinds for each in provision.positions if each.kind == kind]


def _change(
    terms: ContractTerms,
    provision: Provision,
    finding: Finding,
    matched: Position | None,
    preferences: Preferences,
    *,
    decided: bool,
) -> list[Outcome]:
    """Return a change for each place that puts the clause where it is not to be."""
    text = terms.contract.full_text
    answers = {each.id: each for each in finding.answers if each.value}
    changes: list[ProposedChange] = []
    reasons: list[str] = []
    favoured: list[str] = []
    is_met = False
    for quote in position_quotes(finding):
        if quote.span is None:
            continue
        clause = enclosing_clause(terms.contract.outline, text, quote.span)
        fitting: list[ProposedChange] = []
        for target in _targets(provision, preferences):
            if concerns_side(terms, target, finding, (quote,)) is False:
                continue
            wording, source = _wording(terms, provision, target, preferences)
            found = find_edit(text, quote.span, clause, wording, answers, terms, decided=decided)
            if isinstance(found, NoEdit):
                reasons.append(found.reason)
                if found.is_repeated and preferences.target == "smallest":
                    is_met, fitting = True, []
                    break
                continue
            change = ProposedChange(
                provision=provision.id,
                name=provision.name,
                extent=found.extent,
                span=found.span,
                edits=found.edits,
                found=matched.text if matched else "",
                target_kind=target.kind,
                target=target.text,
                quotes=(quote,),
                path=find_path(terms, quote.span),
                source=source if found.extent is Extent.CLAUSE else preferences.own_source,
                blanks=found.blanks,
                basis=Basis.PERSON if decided else Basis.PROGRAM,
            )
            fitting.append(change)
        least = min(fitting, key=lambda each: each.size, default=None)
        is_asked = decided and not preferences.force
        favours = is_asked and favours_side(terms, provision, finding, quote)
        if favours or (favours is None and least and least.extent is Extent.CLAUSE):
            why = "it is in favour of your side" if favours else "it may be in favour of your side"
            favoured.append(f"{why}; --force changes it all the same" if least else why)
        elif least is not None:
            changes.append(least)
    if is_met:  # other words found are no likelier to be the clause
        changes = [each for each in changes if each.extent is not Extent.CLAUSE]
    changes = _without_repeated(changes)
    if changes:
        made = _best_changes(changes, finding) if decided else changes
        return [_sure(terms, provision, finding, each, preferences) for each in made]
    why = next(iter((*favoured, *reasons)), "the playbook has no wording to change it")
    reason = f"{matched.text.rstrip('.')}; {why}" if matched else why
    point = _open(terms, provision, finding, reason, matched, preferences)
    return [replace(point, offered=None, source=None) if favoured else point]


def _sure(
    terms: ContractTerms,
    provision: Provision,
    finding: Finding,
    change: ProposedChange,
    preferences: Preferences,
) -> Outcome:
    """Return a change; an open point if it replaces a clause that is an uncertain one."""
    score = next((e.score for e in finding.evidence if e.quote in change.quotes), 1.0)
    words = "".join(each.text for each in change.edits if each.kind is EditKind.INSERT)
    is_fit = terms.fits(words)
    is_sure = score >= SURELY_MEANT and is_fit and not has_lost_exclusion(change.edits)
    if change.extent is not Extent.CLAUSE or preferences.force or is_sure:
        return change
    lost = "; ".join(find_lost(change.edits))
    why = "--force replaces these words"
    if not is_fit:
        why = f"{MORE_PARTIES}; {why}"
    if score < SURELY_MEANT:
        why = f"these words are only {score:.0%} likely to be such a clause; --force replaces them"
    if lost:
        why += f", and would lose {lost}"
    return _open(terms, provision, finding, why, None, preferences, change.quotes)


def _without_repeated(changes: Sequence[ProposedChange]) -> list[ProposedChange]:
    """Return the changes without a sentence that another adds, unless it speaks of its clause."""
    first: dict[object, ProposedChange] = {}
    for each in changes:
        added = each.edits[0].text.split()
        stands_alone = each.extent is Extent.SENTENCE and added[0] not in _OF_ITS_CLAUSE
        first.setdefault(each.edits if stands_alone else each.span, each)
    return [*first.values()]


def _best_changes(changes: Sequence[ProposedChange], finding: Finding) -> list[ProposedChange]:
    """Return the changes that fit the words; else the one clause to replace, the likeliest."""
    fitting = [each for each in changes if each.extent is not Extent.CLAUSE]
    if fitting:
        return fitting
    scores = {each.quote: each.score for each in finding.evidence}
    return [max(changes, key=lambda each: scores.get(each.quotes[0], 0.0))]


def _wording(
    terms: ContractTerms, provision: Provision, target: Position, preferences: Preferences
) -> tuple[Wording, Source]:
    """Return the wording of a position: the best precedent's clause, or the playbook's own."""
    wording = target.wording or Wording()
    precedent = preferences.precedent(provision, target) if preferences.precedent else None
    if precedent is None:
        return replace(wording, clause=wording.clause or target.example), preferences.own_source
    clause = terms.adapt_clause(precedent.text).text
    return replace(wording, clause=clause.replace("{", "(").replace("}", ")")), precedent.source


def _missing(
    terms: ContractTerms,
    provision: Provision,
    finding: Finding,
    preferences: Preferences,
    *,
    decided: bool,
) -> list[Outcome]:
    """Return the clause to add where none was found and the playbook wants one."""
    wanted = [
        each
        for each in _targets(provision, preferences)
        if each.wording and (each.wording.add_to or decided)
    ]
    if not wanted:
        return []
    target = next((each for each in wanted if each.kind == "preferred"), wanted[0])
    wording, source = _wording(terms, provision, target, preferences)
    wanted_in = frozenset(map(plain_type, wording.add_to))
    is_usual = not wanted_in.isdisjoint(card_types(terms.contract.card))
    best = finding.searched.best if finding.searched else None
    if finding.severity is Severity.NONE and not decided:
        is_ours = concerns_side(terms, target, finding, ())
        is_payers = PAYER in (target.burdens, target.favours)
        if not is_usual or is_ours is False or (is_ours is None and is_payers):
            return []
        why = "no such clause was found; contracts of this type usually have one"
        quotes: tuple[Quote, ...] = ()
        if best is not None and best.score > POSSIBLY_THERE:
            why = "no such clause was found for certain, but these words may be one"
            quotes = (best.quote,)
        return [_open(terms, provision, finding, why, None, preferences, quotes)]
    if best is not None and best.score > POSSIBLY_THERE and not (decided and preferences.force):
        why = "no such clause was found, but the contract has similar words"
        if decided:
            why += f" (probability {best.score:.0%}); --force adds the clause, and they stay"
        return [_open(terms, provision, finding, why, None, preferences, (best.quote,))]
    if not decided and not is_usual:
        why = "no such clause was found; the playbook does not say whether this contract needs one"
        point = _open(terms, provision, finding, why, None, preferences)
        return [replace(point, is_recognised=False)]
    if not (decided and preferences.force) and not terms.fits(wording.clause):
        why = f"no such clause was found; {MORE_PARTIES}"
        why += "; --force adds them all the same" if decided else ""
        return [_open(terms, provision, finding, why, None, preferences)]
    if not decided and _OFFICE.search(terms.contract.full_text, 0, _RECITALS):
        why = "no such clause was found; the contract seems to engage a person for an office"
        return [_open(terms, provision, finding, why, None, preferences)]
    draft = _draft(terms, wording.clause, source, preferences.own_source)
    place = place_clause(
        terms.contract.document,
        terms.contract.outline,
        wording.beside,
        wording.heading,
        draft.text,
        preferences.added,
    )
    if place is None:
        why = "no such clause was found, and its place in this contract is uncertain"
        return [_open(terms, provision, finding, why, None, preferences)]
    return [
        ProposedChange(
            provision=provision.id,
            name=provision.name,
            extent=Extent.NEW_CLAUSE,
            span=Span(place.after + 1, place.after + 1),
            edits=(Edit(EditKind.INSERT, place.text),),
            found="",
            target_kind=target.kind,
            target=target.text,
            quotes=(),
            path=place.path,
            source=source,
            blanks=draft.blanks,
            new_clause=place,
            basis=Basis.PERSON if decided else Basis.PROGRAM,
        )
    ]


def _draft(terms: ContractTerms, clause: str, source: Source, own_source: Source) -> Draft:
    """Return a clause with its slots filled; those of a precedent are in brackets already."""
    draft = terms.fill(clause)
    if source is own_source:
        return draft
    return replace(draft, blanks=find_blanks(draft.text))


def _open(
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
    quotes = sorted(quotes, key=lambda each: -scores.get(each, 0.0))[:MOST_QUOTES]
    target = next(
        (
            each
            for each in _targets(provision, preferences)
            if (each.wording or each.example)
            and concerns_side(terms, each, finding, quotes) is not False
        ),
        None,
    )
    first = quotes[0].span if quotes else None
    offered, source = None, None
    if target is not None:
        wording, source = _wording(terms, provision, target, preferences)
        offered = (
            _draft(terms, wording.clause, source, preferences.own_source)
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
