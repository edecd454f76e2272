"""The law that a contract chooses, as its amendments leave it."""

from __future__ import annotations

from dataclasses import dataclass

from fourcorners.library.contract import Contract
from fourcorners.library.store import Library
from fourcorners.search.graph.in_force import read_in_force
from fourcorners.text.span import Span


@dataclass(frozen=True, slots=True)
class ChosenLaw:
    """A choice of law, and the words that make it.

    Attributes:
        document: The document with these words, which may be an amendment.
        is_certain: Whether it is known that they are in force.
    """

    value: str
    document: str
    span: Span
    is_certain: bool = True


def read_law(library: Library, contract: Contract) -> ChosenLaw | None:
    """Return the law of a contract in force today; None if no choice of law was found."""
    own, amended = contract.card.governing_law, read_in_force(library, contract.id)
    if amended is None:
        return own and ChosenLaw(own.value, contract.id, contract.sentence(own.span))
    if amended.restatement is not None:
        return own and ChosenLaw(
            own.value, amended.restatement.document, amended.restatement.span, is_certain=False
        )
    law = amended.contract.card.governing_law
    if law is None:
        return own and ChosenLaw(
            own.value, contract.id, contract.sentence(own.span), is_certain=False
        )
    changes = amended.revisions_at(law.span)
    if changes:
        last, is_certain = changes[-1], all(each.is_certain for each in changes)
        return ChosenLaw(law.value, last.document, last.span, is_certain)
    span = amended.own_span(law.span) or law.span
    return ChosenLaw(law.value, contract.id, contract.sentence(span))
