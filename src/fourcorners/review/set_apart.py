"""Excluded clauses that give instructions to a reader: what they may concern is to be read.

No finding is based on such a clause, and no model reads it. But it may contain a term, and nobody
should be able to hide one behind an instruction: a provision that its words would match is neither
"not found" nor harmless.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from fourcorners.documents.document import Document
from fourcorners.library.contract import Contract
from fourcorners.library.store import Library
from fourcorners.models.order_reader import OrderReader, default_order_reader
from fourcorners.outline.exclusions import (
    Exclusion,
    ExclusionKind,
    SetApartClause,
)
from fourcorners.outline.tree import Outline
from fourcorners.playbooks.playbook import Provision
from fourcorners.review.finding import CellState, Finding, Severity
from fourcorners.review.severity import leave_to_read
from fourcorners.search.query.match import find_matches
from fourcorners.text.injections import find_injections
from fourcorners.text.sentences import split_sentences
from fourcorners.text.span import Span
from fourcorners.text.tokenization import WordIndex

_NAMED = 5  # clauses that a sentence names
# What binds, permits or limits: a sentence without it, such as "You are an assistant", is no term.
_TERM = re.compile(
    r"\b(?:shall|must|will|may|cannot|agrees?|undertakes?|warrants?|(?:is|are)\s+(?:not\s+)?"
    r"(?:entitled|liable|limited|governed|payable|obliged|required|permitted|excluded))\b",
    re.IGNORECASE,
)


def find_set_apart(
    document: Document, outline: Outline, exclusions: Sequence[Exclusion]
) -> tuple[SetApartClause, ...]:
    """Return the clauses of a document that give instructions, in order of position."""
    return tuple(
        SetApartClause(
            each.span,
            each.span.text_in(document.text),
            _label(outline, document.text, each.span.start),
            document.page_of(each.span.start),
        )
        for each in exclusions
        if each.kind is ExclusionKind.ORDERS
    )


def unread_by_models(contract: Contract) -> tuple[Exclusion, ...]:
    """Return what no language model reads of a contract, in order: exclusions, and likely orders.

    What the order reader takes for orders stays evidence without a model: nobody obeys it there,
    and in some drafting one sentence in 250 only looks like one.
    """
    likely = contract.compute(OrderReader, lambda: default_order_reader().find(contract.text))
    known = [each.span for each in contract.exclusions]
    found = [
        Exclusion(each, ExclusionKind.ORDERS)
        for each in likely
        if not any(each.overlaps(span) for span in known)
    ]
    return tuple(sorted([*contract.exclusions, *found]))


def describe_set_apart(library: Library, documents: Iterable[str]) -> list[str]:
    """Say of each document with clauses that give orders which these are, in one sentence."""
    return [
        f"{library.entry(each).name}: {_name_places(clauses)} "
        f"{'was' if len(clauses) == 1 else 'were'} set apart and not searched, because of orders "
        "to whoever reads the contract: a person should read the words."
        for each in documents
        if (clauses := _clauses_of(library, each))
    ]


def has_unread_terms(library: Library, documents: Iterable[str]) -> bool:
    """Tell whether a clause of a document that gives orders says more than these."""
    clauses = (clause for each in documents for clause in _clauses_of(library, each))
    return any(_says_more(each.words) for each in clauses)


def _clauses_of(library: Library, document: str) -> tuple[SetApartClause, ...]:
    exclusions = library.exclusions(document)
    if not any(each.kind is ExclusionKind.ORDERS for each in exclusions):
        return ()
    return find_set_apart(library.document(document), library.outline(document), exclusions)


def _label(outline: Outline, text: str, start: int) -> str:
    """Return the number of the clause that contains words, which may be all that is left of it."""
    line = text.rfind("\n", 0, start) + 1
    before = text[line:start].rstrip()
    node = outline.node_at(line + len(before) - 1 if before else start)
    while node is not None and not node.label:
        node = outline.nodes[node.parent] if node.parent is not None else None
    return node.label if node is not None else ""


def _name_places(clauses: Sequence[SetApartClause]) -> str:
    """Return the places of clauses in words, a few of them and how many more there are."""
    places = [each.place for each in clauses]
    more = len(places) - _NAMED
    if more > 1:
        places[_NAMED:] = [f"{more} more clauses"]
    first, last = ", ".join(places[:-1]), places[-1]
    return f"{first} and {last}" if first else last


class SetApartWords:
    """The clauses of one document that are set apart, prepared for searching.

    By default they are the excluded ones.
    """

    def __init__(self, reading: Contract, exclusions: Sequence[Exclusion] | None = None) -> None:
        apart = reading.exclusions if exclusions is None else exclusions
        self._clauses = [
            (each, WordIndex(each.words))
            for each in find_set_apart(reading.document, reading.outline, apart)
        ]

    def leave_to_read(self, finding: Finding, provision: Provision) -> Finding:
        """Mark a finding as to be read, if an excluded clause may concern it.

        It may if the provision's query matches its words. If nothing was found, it also may if it
        says more than its orders: that was not searched. A finding of high severity is unchanged.
        """
        if finding.state not in (CellState.FOUND, CellState.NOT_FOUND):
            return finding
        clauses = [each for each, words in self._clauses if find_matches(provision.query, words)]
        if not clauses and finding.state is CellState.NOT_FOUND:
            clauses = [each for each, _ in self._clauses if _says_more(each.words)]
        if not clauses:
            return finding
        levels = [each.severity for each in provision.severity]
        levels += [each.severity for each in provision.rules]
        possible = max(map(Severity, levels), key=lambda each: each.rank, default=Severity.NONE)
        named = _name_places(clauses)
        they, were = ("It gives", "was") if len(clauses) == 1 else ("They give", "were")
        reason = (
            f"{named[:1].upper()}{named[1:]} may concern this. {they} instructions to readers of "
            f"the contract and {were} set apart: a person should read the words."
        )
        if finding.state is CellState.FOUND:
            return leave_to_read(finding, possible, reason)
        return replace(
            finding,
            state=CellState.TO_READ,
            severity=Severity.TO_READ,
            possible_severity=possible,
            reason=reason,
            recommendation="",
        )


def _says_more(words: str) -> bool:
    """Tell whether words hold a term of a contract in a sentence without an order."""
    orders = find_injections(words)
    sentences = split_sentences(words, Span(0, len(words)))
    free = [each for each in sentences if not any(each.overlaps(order) for order in orders)]
    return any(_TERM.search(each.text_in(words)) for each in free)
