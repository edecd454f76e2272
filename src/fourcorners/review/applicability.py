"""Decide what a playbook asks of which types of contract."""

from __future__ import annotations

from collections.abc import Sequence

from fourcorners.outline.card.card import Card
from fourcorners.outline.card.contract_titles import contract_types
from fourcorners.playbooks.playbook import Provision
from fourcorners.review.finding import CellState, Finding

AMENDMENT = "Amendment"
_EMPLOYED = frozenset({"employee", "executive"})


def applies_to_type(to: Sequence[str], card: Card) -> bool:
    """Return whether something meant for some types of contract applies to this one.

    A contract of unknown type is asked everything, and so is an amendment, which may add anything
    to what it amends. A title that names several types has all of them.
    """
    own = card_types(card)
    return not to or not own or not own.isdisjoint(map(plain_type, to))


def is_applicable(provision: Provision, card: Card) -> bool:
    """Return whether a provision is looked for in this contract.

    A contract whose title names several types is skipped only if all of them are excepted.
    """
    own = card_types(card)
    excepted = bool(own) and own <= set(map(plain_type, provision.except_for))
    return applies_to_type(provision.applies_to, card) and not excepted


def card_types(card: Card) -> frozenset[str]:
    """Return the types of a contract; none if the type is unknown or it is an amendment.

    A "Service Agreement" with an employee is one of employment, and no contract for services.
    """
    if card.type is None or card.type.value == AMENDMENT:
        return frozenset()
    named = contract_types(card.title.value) if card.title else frozenset()
    types = frozenset(map(plain_type, {card.type.value, *named}))
    if any(each.value.role.casefold() in _EMPLOYED for each in card.parties):
        return types - {"service"} | {"employment"}
    return types


def not_applicable_finding(document: str, provision: Provision, card: Card) -> Finding:
    kind = card.type.value if card.type else "unknown"
    reason = f"Not asked of contracts of the type {kind}."
    to = provision.applies_to
    if to and plain_type(kind) not in map(plain_type, provision.except_for):
        listed = to[0] if len(to) == 1 else f"{', '.join(to[:-1])} or {to[-1]}"
        reason = f"Asked of contracts of the type {listed}; this one is of the type {kind}."
    return Finding(document, provision.id, CellState.NOT_APPLICABLE, reason=reason)


def plain_type(kind: str) -> str:
    """Return a type normalised for comparison: in lower case, `licence` as `license`."""
    return " ".join(kind.casefold().replace("licence", "license").split())
