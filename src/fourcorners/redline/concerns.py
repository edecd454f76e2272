"""Find the words that may be in a position which the playbook refuses, where no answer says so.

Whom words bind is read from their subject, and what they set from their phrases and periods. This
only leaves words out: nothing is changed, and nothing asserted, because of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from fourcorners.library.contract import Contract
from fourcorners.models.verdict_reader.features import EACH_PARTY
from fourcorners.outline.card.card import Party
from fourcorners.outline.clause import enclosing_clause, find_lead_ins
from fourcorners.playbooks.playbook import PAYER, SUBJECT, Position, Provision
from fourcorners.precedents.terms import PAID, PAYING
from fourcorners.redline.clause_edits import find_phrase, period_days
from fourcorners.redline.drafting import ContractTerms
from fourcorners.review.finding import Finding
from fourcorners.review.mentions import fold_party
from fourcorners.review.obligations.acting import first_actor
from fourcorners.review.parties import Side
from fourcorners.text.quote import Quote
from fourcorners.text.sentences import split_sentences
from fourcorners.text.span import Span
from fourcorners.text.values.periods import find_durations

_PAYS = ("pay", "pays", "remit", "remits")
_LONGEST = 1_500  # characters of a clause; what is longer is an article without numbers
_Whose = Literal["ours", "theirs", "each", ""]


@dataclass(frozen=True, slots=True)
class Concern:
    """Words that may be in a refused position, the likeliest first.

    Attributes:
        periods: Those of the words that the position refuses, as they are written.
    """

    position: Position
    quotes: tuple[Quote, ...]
    periods: tuple[str, ...] = ()

    @property
    def reason(self) -> str:
        text = self.position.text.rstrip(".")
        periods = ", ".join(f"“{each}”" for each in self.periods)
        return f"{periods}: {text[:1].lower()}{text[1:]}" if periods else text


def find_concerns(terms: ContractTerms, provision: Provision, finding: Finding) -> list[Concern]:
    """Return the refused positions that the answers do not rule out, each with its words."""
    given = {each.id: each.value for each in finding.answers if each.value}
    likeliest = sorted(finding.evidence, key=lambda each: -each.score)
    match = finding.position
    is_accepted = match is not None and match.kind != "unacceptable"
    found = []
    for position in provision.positions:
        is_denied = any(
            asked in given and given[asked] not in wanted
            for asked, wanted in position.answers.items()
        )
        if position.kind != "unacceptable" or is_denied or (position.answers and is_accepted):
            continue
        quotes: list[Quote] = []
        refused: dict[str, None] = {}
        for each in likeliest:
            periods = _concerned(terms, position, finding, each.quote)
            if periods is not None:
                quotes.append(each.quote)
                refused |= dict.fromkeys(periods)
        if quotes and not (position.alone and _is_mutual(terms, position, finding)):
            found.append(Concern(position, tuple(quotes), tuple(refused)))
    return found


def concerns_side(
    terms: ContractTerms, position: Position, finding: Finding, quotes: Sequence[Quote]
) -> bool | None:
    """Tell whether a position is one of our side's, as it bears on words; None if unknown."""
    parts = [each.span for each in quotes if each.span is not None]
    bound = _whose(terms, position.burdens, finding, parts) if position.burdens else "each"
    if bound == "theirs":
        return False
    if position.favours and _whose(terms, position.favours, finding, parts) == "ours":
        return False
    return True if bound else None


def _is_mutual(terms: ContractTerms, position: Position, finding: Finding) -> bool:
    """Tell whether the words found bind, or favour, both sides."""
    asked = position.burdens or position.favours
    spans = [each.quote.span for each in finding.evidence if each.quote.span is not None]
    sides = {_whose(terms, asked, finding, [span]) for span in spans} - {""}
    return "each" in sides or len(sides) > 1


def _concerned(
    terms: ContractTerms, position: Position, finding: Finding, quote: Quote
) -> list[str] | None:
    """Return the periods of a quote that a position refuses; None if it is in no such position."""
    text = terms.contract.full_text
    if quote.span is None:
        return None if position.about or position.under or position.over else []
    about, unless = (
        [terms.fill(e).text for e in each] for each in (position.about, position.unless)
    )
    parts = [
        each
        for each in split_sentences(text, quote.span)
        if not about or find_phrase(text, each, about)
    ]
    clause = enclosing_clause(terms.contract.outline, text, quote.span)
    if clause.end - clause.start > _LONGEST:
        clause = quote.span
    periods = _refused_periods(text, parts, position)
    if (
        not parts
        or find_phrase(text, clause, unless)
        or ((position.under or position.over) and not periods)
        or concerns_side(terms, position, finding, [terms.contract.quote(each) for each in parts])
        is False
    ):
        return None
    return periods


def _actors(contract: Contract, part: Span, *, pays: bool) -> frozenset[str]:
    """Return who acts in the sentences of some words, or else in what leads to them; or pays."""
    text = contract.full_text
    for spans in ([part], find_lead_ins(contract.outline, text, part.start)):
        sentences = [each for span in spans for each in split_sentences(text, span)]
        if pays:
            sentences = [each for each in sentences if find_phrase(text, each, _PAYS)]
        found = frozenset[str]().union(*(first_actor(contract, each) for each in sentences))
        if found:
            return found
    return frozenset()


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


def _refused_periods(text: str, parts: Sequence[Span], position: Position) -> list[str]:
    """Return the periods of some sentences that a position refuses, as they are written."""
    least, most = _days(position.under), _days(position.over)
    if not least and not most:
        return []
    found = [each for part in parts for each in find_durations(text, part)]
    days = [period_days(each.value) for each in found]
    short = [each < least for each in days]
    refused = [
        " ".join(each.span.text_in(text).split())
        for each, length, is_short in zip(found, days, short, strict=True)
        if (is_short and all(short)) or (most and length > most)
    ]
    return list(dict.fromkeys(refused))


def _days(period: str) -> float:
    return sum(period_days(each.value) for each in find_durations(period, Span(0, len(period))))


def _whose(terms: ContractTerms, asked: str, finding: Finding, parts: Sequence[Span]) -> _Whose:
    """Return to which side those belong whom an answer names, or the subjects of words."""
    parties = [fact.value for fact in terms.contract.card.parties]
    by_role = _whose_payment(terms.side, parties) if asked == PAYER else ""
    if by_role:
        return by_role
    if asked in (PAYER, SUBJECT):
        names = frozenset[str]().union(
            *(_actors(terms.contract, each, pays=asked == PAYER) for each in parts)
        )
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
