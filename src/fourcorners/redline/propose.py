"""Propose changes to a contract so that it meets a playbook's positions.

A change is proposed only if the program may assert that a clause is in a position that the house
refuses, and that it binds the party for whom the contract is read, and if a change of the playbook
fits its words; a clause is added only if the contract probably has none of its kind. Everything
else is left to a person, with the words, the reason and the wording on offer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from fourcorners.outline.clause import enclosing_clause
from fourcorners.playbooks.playbook import PAYER, Position, Provision
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
from fourcorners.redline.drafting import ContractTerms
from fourcorners.redline.insertion import place_clause
from fourcorners.redline.open_points import (
    Preferences,
    draft_wording,
    find_path,
    open_point,
    position_quotes,
    targets,
    wording_of,
)
from fourcorners.redline.proposal import Basis, Extent, OpenPoint, ProposedChange
from fourcorners.redline.replacement import MATTERS, find_lost, has_lost_exclusion
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

Outcome = ProposedChange | OpenPoint


def propose(
    terms: ContractTerms, provision: Provision, finding: Finding, preferences: Preferences
) -> list[Outcome]:
    """Return the changes and open points of one cell; nothing where it is acceptable."""
    decided = provision.id in preferences.decided
    if finding.state is CellState.NOT_FOUND:
        return _missing(terms, provision, finding, preferences, decided=decided)
    if finding.state is CellState.TO_READ:
        point = open_point(terms, provision, finding, finding.reason, None, preferences)
        return [replace(point, is_recognised=False)]
    if finding.state is not CellState.FOUND:
        return []
    matched = matched_position(provision, finding)
    if (matched is None or not matched.is_refused) and not decided:
        return _concerned(terms, provision, finding, preferences)
    if decided and not preferences.force and _is_met(terms, provision, finding, preferences):
        why = "the playbook accepts its period; --force changes it all the same"
        why = f"it is {matched.kind} as it is: {matched.text}" if matched else why
        return [open_point(terms, provision, finding, why, None, preferences)]
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
            return [open_point(terms, provision, finding, why, matched, preferences)]
    return _change(terms, provision, finding, matched, preferences, decided=decided)


def _concerned(
    terms: ContractTerms, provision: Provision, finding: Finding, preferences: Preferences
) -> list[Outcome]:
    """Return an open point on the words that may be in a refused position; nothing for none."""
    concerns = find_concerns(terms, provision, finding)
    if not concerns:
        refuses = any(each.is_refused for each in provision.positions)
        wanted = targets(provision, preferences)
        is_fine = is_accepted(provision, finding) or not burdens_side(terms, finding)
        if refuses or not wanted or is_fine:
            return []
        why = f"the playbook asks for this: {wanted[0].text}"
        return [open_point(terms, provision, finding, why, None, preferences)]
    is_recognised = concerns[0].is_recognised
    refused = [each for each in concerns if each.periods]
    signed = [each for each in concerns if each.is_shown and not each.periods]
    binds = "it binds your side; " if is_recognised else ""
    leads = (
        ("the playbook refuses", refused),
        ("these words may be what the playbook refuses", signed),
        (f"{binds}to be read for what it refuses", [] if refused or signed else concerns),
    )
    reasons = ((lead, dict.fromkeys(each.reason for each in those)) for lead, those in leads)
    why = "; ".join(f"{lead}: {'; '.join(each)}" for lead, each in reasons if each)
    quotes = tuple(dict.fromkeys(quote for each in concerns for quote in each.quotes))
    point = open_point(terms, provision, finding, why, None, preferences, quotes)
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
    if matched is None or matched.is_refused:
        return False
    return matched.kind == "preferred" or preferences.target in ("smallest", matched.kind)


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
        for target in targets(provision, preferences):
            if concerns_side(terms, target, finding, (quote,)) is False:
                continue
            wording, source = wording_of(terms, provision, target, preferences)
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
            why = "it benefits your side" if favours else "it may benefit your side"
            favoured.append(f"{why}; --force changes it all the same" if least else why)
        elif least is not None:
            changes.append(least)
    scores = {each.quote: each.score for each in finding.evidence}
    likeliest = max(position_quotes(finding), key=lambda each: scores.get(each, 0.0), default=None)
    if is_met or (decided and not any(likeliest in each.quotes for each in changes)):
        # Other words found are no likelier to be the clause.
        changes = [each for each in changes if each.extent is not Extent.CLAUSE]
    changes = _without_repeated(changes)
    if changes:
        made = _best_changes(changes, likeliest) if decided else changes
        return [_sure(terms, provision, finding, each, preferences) for each in made]
    why = next(iter((*favoured, *reasons)), "the playbook has no wording to change it")
    reason = f"{matched.text.rstrip('.')}; {why}" if matched else why
    point = open_point(terms, provision, finding, reason, matched, preferences)
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
    return open_point(terms, provision, finding, why, None, preferences, change.quotes)


def _without_repeated(changes: Sequence[ProposedChange]) -> list[ProposedChange]:
    """Return the changes without a sentence that another adds, unless it speaks of its clause."""
    first: dict[object, ProposedChange] = {}
    for each in changes:
        added = each.edits[0].text.split()
        is_alone = each.extent is Extent.SENTENCE and added[0] not in _OF_ITS_CLAUSE
        first.setdefault(each.edits if is_alone else each.span, each)
    return [*first.values()]


def _best_changes(
    changes: Sequence[ProposedChange], likeliest: Quote | None
) -> list[ProposedChange]:
    """Return the changes that fit the words; else the one clause to replace, the likeliest."""
    fitting = [each for each in changes if each.extent is not Extent.CLAUSE]
    return fitting or [each for each in changes if likeliest in each.quotes]


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
        for each in targets(provision, preferences)
        if each.wording and (each.wording.add_to or decided)
    ]
    if not wanted:
        return []
    target = next((each for each in wanted if each.kind == "preferred"), wanted[0])
    wording, source = wording_of(terms, provision, target, preferences)
    wanted_in = frozenset(map(plain_type, wording.add_to))
    is_usual = not wanted_in.isdisjoint(card_types(terms.contract.card))
    similar = _similar(terms, finding, wording.clause)
    if finding.severity is Severity.NONE and not decided:
        is_ours = concerns_side(terms, target, finding, ())
        is_payers = PAYER in (target.burdens, target.favours)
        if not is_usual or is_ours is False or (is_ours is None and is_payers):
            return []
        why = "no such clause was found; contracts of this type usually have one"
        if similar:
            why = "no such clause was found for certain, but these words may be one"
        return [open_point(terms, provision, finding, why, None, preferences, similar)]
    if similar and not (decided and preferences.force):
        why = "no such clause was found, but the contract has similar words"
        if decided:
            why += "; --force adds the clause, and they stay"
        return [open_point(terms, provision, finding, why, None, preferences, similar)]
    if not decided and not is_usual:
        why = "no such clause was found; the playbook does not say whether this contract needs one"
        point = open_point(terms, provision, finding, why, None, preferences)
        return [replace(point, is_recognised=False)]
    if not (decided and preferences.force) and not terms.fits(wording.clause):
        why = f"no such clause was found; {MORE_PARTIES}"
        why += "; --force adds them all the same" if decided else ""
        return [open_point(terms, provision, finding, why, None, preferences)]
    if not decided and _OFFICE.search(terms.contract.full_text, 0, _RECITALS):
        why = "no such clause was found; the contract seems to engage a person for an office"
        return [open_point(terms, provision, finding, why, None, preferences)]
    draft = draft_wording(terms, wording.clause, source, preferences.own_source)
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
        return [open_point(terms, provision, finding, why, None, preferences)]
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


def _similar(terms: ContractTerms, finding: Finding, clause: str) -> tuple[Quote, ...]:
    """Return words that may be the clause: the likeliest, or of what such a clause settles."""
    best = finding.searched.best if finding.searched else None
    if best is not None and best.score > POSSIBLY_THERE:
        return (best.quote,)
    matters = [each for each in MATTERS.values() if each.search(clause)]
    text = terms.contract.full_text
    found = (each.search(text) for each in matters)
    return tuple(
        terms.contract.quote(terms.contract.sentence(Span(*match.span())))
        for match in found
        if match
    )[:1]
