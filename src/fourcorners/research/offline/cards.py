"""When a contract ends and which law it chooses, by its card, as far as that is certain."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date

from fourcorners.library.contract import Contract
from fourcorners.library.store import Library
from fourcorners.models.entailment.features import DENIALS
from fourcorners.outline.card.card import Card
from fourcorners.outline.card.laws import named_laws
from fourcorners.outline.card.term import Standing, find_final_end, find_status, read_term
from fourcorners.research.answer import RowState
from fourcorners.research.context import ResearchContext
from fourcorners.research.offline.cells import RowPart
from fourcorners.search.graph.in_force import read_in_force
from fourcorners.text.patterns import load_patterns
from fourcorners.text.span import Span
from fourcorners.text.tokenization import tokenize

_PATTERNS = load_patterns("fourcorners.research.offline", "cards")
_GOVERNED = _PATTERNS["governed"]
_STOP = re.compile("[.:)]")
# All words of a question that asks for nothing but a law, which is named with them.
_OF_LAWS = frozenset(
    tokenize(
        "is does do are will shall it this the that our by of under to subject governed govern "
        "governs governing law laws state apply applies chosen choose contract agreement lease "
        "licence license deal nda document"
    ).tokens
)
# What may precede "this" contract where all of it has a law.
_OF_WHOLE = frozenset(
    tokenize(
        "the and or of all under governing law choice applicable miscellaneous jurisdiction venue "
        "disputes validity interpretation construction performance enforcement enforceability "
        "meaning effect execution terms conditions provisions rights obligations parties"
    ).tokens
)
_THIS = frozenset({"this", "these"})
_UNIONS = frozenset({"Australia", "Canada", "United Kingdom", "United States"})  # have several laws
_DECIDED = (RowState.YES, RowState.NO)


@dataclass(frozen=True, slots=True)
class ContractEnd:
    """What a contract's dates say to a question about its end.

    Attributes:
        end: The day that decides it; None where a person must read when it ends.
    """

    state: RowState
    value: str
    end: date | None = None


def read_end(card: Card, first: date | None, last: date | None, *, is_over: bool) -> ContractEnd:
    """Return whether a contract ends from a first to a last day, or at all where none is given.

    `is_over` says that the question is whether it has ended: one that renews by itself has not by
    its words, though somebody may have stopped it.
    """
    term = read_term(card)
    end, final = term.end_day, find_final_end(card)
    if end is None or not term.is_asserted:
        return ContractEnd(RowState.TO_READ, "")
    value = f"first term until {end.isoformat()}"
    if final is None and (first or last) and not (last and last < end):
        runs = is_over and find_status(term, last or end).standing is Standing.RENEWING
        value += ", renews by itself" if term.is_automatic else ", may be renewed"
        return ContractEnd(RowState.NO if runs else RowState.TO_READ, value)
    if final is not None and final != end:
        end, value = final, f"{value}, renewals until {final.isoformat()}"
    is_within = (first or end) <= end <= (last or end)
    return ContractEnd(RowState.YES if is_within else RowState.NO, value, end)


@dataclass(frozen=True, slots=True)
class GoverningLaw:
    """A choice of law, and the words that make it.

    Attributes:
        document: The document with these words, which may be an amendment.
        is_certain: Whether it is known that they are in force.
    """

    value: str
    document: str
    span: Span
    is_certain: bool = True


def read_law(library: Library, contract: Contract) -> GoverningLaw | None:
    """Return the law of a contract in force today; None if no choice of law was found."""
    own, amended = contract.card.governing_law, read_in_force(library, contract.id)
    law = own if amended is None else amended.contract.card.governing_law
    whole = amended.restatement if amended else None
    if law is None or amended is None or whole is not None:
        if own is None:
            return None
        document, span = contract.id, contract.sentence(own.span)
        if whole is not None:
            document, span = whole.document, whole.span
        return GoverningLaw(own.value, document, span, is_certain=amended is None)
    changes = amended.revisions_at(law.span)
    if changes:
        last, is_certain = changes[-1], all(each.is_certain for each in changes)
        return GoverningLaw(law.value, last.document, last.span, is_certain)
    span = amended.own_span(law.span) or law.span
    return GoverningLaw(law.value, contract.id, contract.sentence(span))


def rule_on_law(context: ResearchContext, question: str) -> RowPart | None:
    """Return whether the only contract in question chooses a law, yes or no.

    None where the question is about more than one law, or anything else, or it is to be read: words
    that choose a law for something else, or deny one, and other sentences with another law.
    """
    laws = named_laws(question)
    if len(context.contracts) != 1 or len(laws) != 1:
        return None
    for word in question.split():
        is_other = not _OF_LAWS.issuperset(tokenize(word).tokens)
        if is_other and named_laws(question.replace(word, " ")) == laws:
            return None
    contract = context.read_contract(context.contracts[0].id)
    found = check_law(context, contract, laws)
    if found.state not in _DECIDED or found.quote is None:
        return None
    words, own = found.quote.quote.words, {found.value.partition(" and ")[0]} | _UNIONS
    governed = _GOVERNED.finditer(contract.text)
    others = [contract.sentence(Span(*each.span())).text_in(contract.text) for each in governed]
    chosen = {each.partition(" and ")[0] for text in (words, *others) for each in named_laws(text)}
    return found if _is_of_contract(words) and chosen <= own else None


def _is_of_contract(words: str) -> bool:
    """Tell whether a sentence chooses the law of "this" contract, and of nothing in it."""
    governed = _GOVERNED.search(words)
    if governed is None:
        return False
    before = tokenize(_STOP.split(words[: governed.start()])[-1]).tokens
    after = tokenize(words[governed.end() :]).tokens[:1]
    own = [each for each in before if not each.isdigit()]
    at = next((at for at, each in enumerate(own) if each in _THIS), None)
    is_whole = not _THIS.isdisjoint(after) if at is None else _OF_WHOLE.issuperset(own[:at])
    return is_whole and DENIALS.isdisjoint(own)


def check_law(context: ResearchContext, contract: Contract, laws: frozenset[str]) -> RowPart:
    """Return whether a contract chooses one of the laws."""
    law = read_law(context.library, contract)
    if law is None:
        return RowPart(RowState.SILENT, "no choice of law was found")
    quote = context.cite(law.document, law.span)
    if not law.is_certain:
        return RowPart(RowState.TO_READ, "an amendment may change it", quote)
    own = law.value.partition(" and ")[0]
    asked = {each.partition(" and ")[0] for each in laws}
    if own in asked:
        return RowPart(RowState.YES, law.value, quote)
    words = quote.quote.words.casefold() if law.document == contract.id else ""
    if any(each.casefold() in words for each in asked) or not _UNIONS.isdisjoint({own, *asked}):
        return RowPart(RowState.TO_READ, law.value, quote)  # one may be part of the other
    return RowPart(RowState.NO, law.value, quote)
