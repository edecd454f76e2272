"""Find the words that may be in a position which the playbook refuses, where no answer says so.

Whom words bind is read from their subject and verb, and what they set from their phrases and
periods. What they set is never asserted. Whom they bind, where no answer names the party, decides
whether a refused position is changed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from fourcorners.library.contract import Contract
from fourcorners.models.verdict_reader.features import EACH_PARTY
from fourcorners.outline.card.card import Party
from fourcorners.outline.card.laws import named_places
from fourcorners.outline.clause import enclosing_clause, find_lead_ins
from fourcorners.playbooks.playbook import PAYER, SEAT, SUBJECT, Position, Provision
from fourcorners.precedents.terms import PAID, PAYING
from fourcorners.redline.clause_edits import find_phrase
from fourcorners.redline.drafting import ContractTerms
from fourcorners.redline.periods import listed_periods, refused_periods
from fourcorners.redline.replacement import SHORTEST
from fourcorners.review.finding import Author, Finding
from fourcorners.review.mentions import fold_party
from fourcorners.review.obligations.acting import Action, ActionKind, first_action, right_of
from fourcorners.review.parties import Side
from fourcorners.text.patterns import load_patterns
from fourcorners.text.quote import Quote
from fourcorners.text.sentences import BLANK_LINE, split_sentences
from fourcorners.text.span import Span

_PATTERNS = load_patterns("fourcorners.redline", "concerns")
_FORUM = _PATTERNS["forum"]
_INTRODUCED = 300  # characters after the name of a party that say where it is at home
_PAYS = ("pay", "pays", "remit", "remits")
_LONGEST = 1_500  # characters of a clause; what is longer is an article without numbers
_Whose = Literal["ours", "theirs", "each", ""]


@dataclass(frozen=True, slots=True)
class Concern:
    """Words that may be in a refused position, the likeliest first.

    Attributes:
        periods: Those of the words that the position refuses, as they are written.
        is_recognised: Whether the words have what the position is about, and it is our side's.
    """

    position: Position
    quotes: tuple[Quote, ...]
    periods: tuple[str, ...] = ()
    is_recognised: bool = False

    @property
    def is_shown(self) -> bool:
        """Whether the words show the position, and not only that they bind our side."""
        position = self.position
        return self.is_recognised and bool(self.periods or position.about or position.favours)

    @property
    def reason(self) -> str:
        text = self.position.text.rstrip(".")
        text = text if text[1:2].isupper() else f"{text[:1].lower()}{text[1:]}"
        periods = ", ".join(f"“{each}”" for each in self.periods)
        return f"{periods}: {text}" if periods else text


def find_concerns(terms: ContractTerms, provision: Provision, finding: Finding) -> list[Concern]:
    """Return the refused positions that the answers do not rule out, each with its words."""
    given = {each.id: each.value for each in finding.answers if each.value}
    likeliest = sorted(finding.evidence, key=lambda each: -each.score)
    match = finding.position
    is_met = match is not None and match.kind != "unacceptable"
    found = []
    for position in provision.positions:
        is_denied = any(
            asked in given and given[asked] not in wanted
            for asked, wanted in position.answers.items()
        )
        if not position.is_refused or is_denied or (position.answers and is_met):
            continue
        quotes: list[Quote] = []
        refused: dict[str, None] = {}
        for each in likeliest:
            periods = _concerned(terms, provision, position, finding, each.quote)
            if periods is not None:
                quotes.append(each.quote)
                refused |= dict.fromkeys(periods)
        binding = [
            each
            for each in quotes
            if each.span is None or not _is_freedom(terms, position, [each.span])
        ]
        quotes = binding or quotes
        if quotes and not (position.alone and _is_mutual(terms, position, finding)):
            known = bool(refused) or (
                bool(binding) and _is_ours(terms, provision, position, finding, quotes[0])
            )
            found.append(Concern(position, tuple(quotes), tuple(refused), known))
    return [each for each in found if each.is_recognised] or found


def _is_ours(
    terms: ContractTerms, provision: Provision, position: Position, finding: Finding, quote: Quote
) -> bool:
    """Tell whether words are known to be of a position, by their phrases and their parties."""
    parts = [quote.span] if quote.span is not None else []
    burdened = _burdened(terms, parts)
    if position.burdens and (position.burdens != PAYER or position.about or burdened == "ours"):
        return bool(concerns_side(terms, position, finding, (quote,)))
    if position.burdens:
        return False
    if position.favours:
        return _whose(terms, position.favours, finding, parts) in ("theirs", "each")
    has_words = burdened == "ours" or (bool(position.about) and burdened != "theirs")
    return has_words and not has_accepted_period(terms, provision, finding, quote)


def _is_freedom(terms: ContractTerms, position: Position, parts: Sequence[Span]) -> bool:
    """Tell whether words that would bind somebody only give the other side a right."""
    if position.burdens in ("", PAYER, SUBJECT):
        return False
    contract, parties = terms.contract, terms.contract.card.parties
    theirs = {e.value.name for e in parties if terms.side.whose(e.value) == "theirs"}
    sentences = (each for part in parts for each in split_sentences(contract.full_text, part))
    holders = [right_of(contract, each) for each in sentences]
    return bool(holders) and all(each and each <= theirs for each in holders)


def has_accepted_period(
    terms: ContractTerms, provision: Provision, finding: Finding, quote: Quote
) -> bool:
    """Tell whether words have a period that would put them in an accepted position of our side."""
    text, parts = terms.contract.full_text, [quote.span] if quote.span is not None else []
    return any(
        concerns_side(terms, each, finding, (quote,)) is not False
        and bool(listed_periods(text, parts, provision, each, finding))
        for each in provision.positions
        if not each.is_refused
    )


def concerns_side(
    terms: ContractTerms, position: Position, finding: Finding, quotes: Sequence[Quote]
) -> bool | None:
    """Tell whether a position is one of our side's, as it bears on words; None if unknown."""
    parts = [_sentence_of(terms, each.span) for each in quotes if each.span is not None]
    burdened = _burdened(terms, parts) if position.is_refused else ""
    bound: _Whose = "each"
    if position.burdens:
        bound = _whose(terms, position.burdens, finding, parts)
        is_unknown = position.burdens == PAYER or _is_freedom(terms, position, parts)
        bound = bound or ("" if is_unknown else burdened)
    is_by_words = SUBJECT in (position.burdens, position.favours) or position.favours == PAYER
    if is_by_words and not (position.under or position.over) and burdened == "theirs":
        return False
    if bound == "theirs":
        return False
    # Of a burden with a known bearer it need not be known whom it favours.
    if position.favours and not (position.burdens and burdened == "ours"):
        favoured = _whose(terms, position.favours, finding, parts)
        if (favoured or (position.favours != PAYER and _other(burdened))) == "ours":
            return False
    return True if bound else None


def _sentence_of(terms: ContractTerms, part: Span) -> Span:
    """Return a sentence in place of a few of its words, such as a period: they have no subject."""
    text = terms.contract.full_text
    if len(part.text_in(text).split()) >= SHORTEST:
        return part
    clause = enclosing_clause(terms.contract.outline, text, part)
    return next((each for each in split_sentences(text, clause) if each.contains(part)), part)


def favours_side(
    terms: ContractTerms, provision: Provision, finding: Finding, quote: Quote
) -> bool | None:
    """Tell whether the other side alone has the burden of words; None if that is unknown."""
    of_parties = [
        each
        for each in provision.positions
        if each.is_refused
        and ({each.burdens, each.favours} - {"", PAYER} or each.under or each.over)
    ]
    whose = [
        (
            concerns_side(terms, each, finding, (quote,)),
            _concerned(terms, provision, each, finding, quote),
        )
        for each in of_parties
    ]
    if any(is_ours and periods is not None for is_ours, periods in whose):
        return False
    burdened = "" if quote.span is None else _burdened(terms, [quote.span])
    by_answer = (
        is_ours is False and SUBJECT not in (each.burdens, each.favours)
        for each, (is_ours, _) in zip(of_parties, whose, strict=True)
    )
    if burdened == "theirs" or (not burdened and any(by_answer)):
        return True
    is_known = burdened or not any(each.burdens or each.favours for each in of_parties)
    return False if is_known else None


def burdens_side(terms: ContractTerms, finding: Finding) -> bool:
    """Tell whether the words found burden our side, whatever their positions."""
    spans = [each.quote.span for each in finding.evidence if each.quote.span is not None]
    return any(_burdened(terms, [each]) == "ours" for each in spans)


def is_accepted(provision: Provision, finding: Finding) -> bool:
    """Tell whether a clause is known to be in a position that is preferred or accepted."""
    matched = matched_position(provision, finding)
    return matched is not None and not matched.is_refused


def matched_position(provision: Provision, finding: Finding) -> Position | None:
    """Return the position of a playbook that a clause is known to be in."""
    match = finding.position
    if match is None:
        return None
    return next(
        (
            each
            for each in provision.positions
            if (each.kind, each.text) == (match.kind, match.text)
        ),
        None,
    )


def is_by_model(position: Position, finding: Finding) -> bool:
    """Tell whether a language model's answers put a clause in a position: nobody measured these."""
    return any(
        each.id in position.answers and each.author is Author.MODEL for each in finding.answers
    )


def _other(whose: _Whose) -> _Whose:
    return "theirs" if whose == "ours" else "ours" if whose == "theirs" else whose


def _burdened(terms: ContractTerms, parts: Sequence[Span]) -> _Whose:
    """Return which side words burden, by their subjects' duties and the other side's rights."""
    parties = [fact.value for fact in terms.contract.card.parties]
    if len(parties) != 2:
        return ""
    found: set[_Whose] = set()
    for each in (each for part in parts for each in _actions(terms.contract, part, pays=False)):
        sides = {terms.side.whose(party) for party in parties if party.name in each.parties} - {""}
        side: _Whose = "each" if len(sides) > 1 else next(iter(sides), "")
        if not side or (side != "each" and each.kind is ActionKind.UNCERTAIN):
            return ""
        found.add(side if each.kind is ActionKind.BURDEN else _other(side))
    return "each" if len(found) > 1 else next(iter(found), "")


def _is_mutual(terms: ContractTerms, position: Position, finding: Finding) -> bool:
    """Tell whether the words found bind, or favour, both sides."""
    asked = position.burdens or position.favours
    spans = [each.quote.span for each in finding.evidence if each.quote.span is not None]
    sides = {_whose(terms, asked, finding, [span]) for span in spans} - {""}
    return "each" in sides or len(sides) > 1


def _concerned(
    terms: ContractTerms,
    provision: Provision,
    position: Position,
    finding: Finding,
    quote: Quote,
) -> list[str] | None:
    """Return the periods of a quote that a position refuses; None if it is in no such position."""
    text = terms.contract.full_text
    if quote.span is None:
        return None if position.about or position.under or position.over else []
    about, not_about, unless = (
        [terms.fill(e).text for e in each]
        for each in (position.about, position.not_about, position.unless)
    )
    # A phrase such as "recipient" is no sign of both sides where one party is called so.
    names = {
        fold_party(e) for f in terms.contract.card.parties for e in (f.value.short, f.value.role)
    }
    unless = [each for each in unless if fold_party(each) not in names]
    parts = [
        each
        for each in split_sentences(text, quote.span)
        if (not about or find_phrase(text, each, about)) and not find_phrase(text, each, not_about)
    ]
    clause = enclosing_clause(terms.contract.outline, text, quote.span)
    if clause.end - clause.start > _LONGEST:
        clause = quote.span
    periods = refused_periods(text, parts, position)
    listed = listed_periods(text, parts, provision, position, finding)
    if (
        not parts
        or find_phrase(text, clause, unless)
        or ((position.under or position.over) and not periods)
        or listed == []
        or concerns_side(terms, position, finding, [terms.contract.quote(each) for each in parts])
        is False
    ):
        return None
    return periods or listed or []


def _actions(contract: Contract, part: Span, *, pays: bool) -> list[Action]:
    """Return who acts in the sentences of some words, or else in what leads to them; or pays."""
    text = contract.full_text
    for spans in ([part], find_lead_ins(contract.outline, text, part.start)):
        sentences = [each for span in spans for each in split_sentences(text, span)]
        if pays:
            sentences = [each for each in sentences if find_phrase(text, each, _PAYS)]
        actions = (first_action(contract, each) for each in sentences)
        if found := [each for each in actions if each.parties]:
            return found
    return []


def _whose_payment(side: Side, parties: Sequence[Party]) -> _Whose:
    """Return to which side the party belongs that pays, by its role or the other side's."""
    found: set[_Whose] = {
        "ours" if role in PAYING else "theirs"
        for role in map(fold_party, side.roles)
        if role in PAYING | PAID
    }
    for each in parties:
        names = {fold_party(each.short), fold_party(each.role)}
        whose = side.whose(each)
        if names & PAYING:
            found.add(whose)
        elif whose and names & PAID:
            found.add("theirs" if whose == "ours" else "ours")
    return found.pop() if len(found) == 1 else ""


def _whose(terms: ContractTerms, asked: str, finding: Finding, parts: Sequence[Span]) -> _Whose:
    """Return to which side those belong whom an answer names, or the subjects of words."""
    parties = [fact.value for fact in terms.contract.card.parties]
    if asked == SEAT:
        return _whose_seat(terms, parts)
    by_role = _whose_payment(terms.side, parties) if asked == PAYER else ""
    if by_role:
        return by_role
    if asked in (PAYER, SUBJECT):
        actions = (_actions(terms.contract, each, pays=asked == PAYER) for each in parts)
        names = frozenset[str]().union(*(each.parties for found in actions for each in found))
        sides = {terms.side.whose(each) for each in parties if each.name in names} - {""}
        if len(parties) == 1 and sides == {"ours"}:
            return ""  # the other side's words would be read as ours
        return "each" if len(sides) > 1 else next(iter(sides), "")
    value = next((each.value for each in finding.answers if each.id == asked), "")
    if value == EACH_PARTY:
        return "each"
    meant = [
        party
        for party in parties
        if value
        and fold_party(value)
        in {fold_party(each) for each in (party.name, party.short, party.role)}
    ]
    return terms.side.whose(meant[0]) if len(meant) == 1 else ""


def _whose_seat(terms: ContractTerms, parts: Sequence[Span]) -> _Whose:
    """Return which side is at home where the law and all courts are that words name."""
    text, facts = terms.contract.full_text, terms.contract.card.parties
    homes: dict[str, frozenset[str]] = {}
    for each in facts:
        starts = [other.span.start for other in facts if other.span.start > each.span.end]
        blank = BLANK_LINE.search(text, each.span.end)
        starts += [blank.start()] if blank else [len(text)]
        introduced = Span(each.span.end, min(*starts, each.span.end + _INTRODUCED))
        whose = terms.side.whose(each.value)
        homes[whose] = homes.get(whose, frozenset()) | named_places(text, introduced)
    forums = (match for each in parts for match in _FORUM.finditer(text, each.start, each.end))
    places = [named_places(text, Span(*match.span("where"))) for match in forums]
    places += [named for each in parts if (named := named_places(text, each))]
    if not places or not all(places):
        return ""
    named = frozenset[str]().union(*places)
    return next(
        (whose for whose in ("ours", "theirs") if named <= homes.get(whose, frozenset())), ""
    )
