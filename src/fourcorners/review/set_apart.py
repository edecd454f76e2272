"""Excluded clauses that give instructions to a reader: what they may concern is to be read.

No finding is based on such a clause, and no model reads it. But it may contain a term, and nobody
should be able to hide one behind an instruction: a provision that its words would match is neither
"not found" nor harmless.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from fourcorners.documents.document import Document
from fourcorners.outline.exclusions import Exclusion, ExclusionKind
from fourcorners.outline.tree import Outline
from fourcorners.playbooks.playbook import Provision
from fourcorners.review.finding import CellState, Finding, SetApartClause, Severity
from fourcorners.review.prepared_document import PreparedDocument
from fourcorners.review.severity import leave_to_read
from fourcorners.search.query.match import find_matches
from fourcorners.text.tokenization import WordIndex


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


def _label(outline: Outline, text: str, start: int) -> str:
    """Return the number of the clause that contains words, which may be all that is left of it."""
    line = text.rfind("\n", 0, start) + 1
    before = text[line:start].rstrip()
    node = outline.node_at(line + len(before) - 1 if before else start)
    while node is not None and not node.label:
        node = outline.nodes[node.parent] if node.parent is not None else None
    return node.label if node is not None else ""


class SetApartWords:
    """The excluded clauses of one document, prepared for searching."""

    def __init__(self, reading: PreparedDocument) -> None:
        self._clauses = [
            (each, WordIndex(each.words))
            for each in find_set_apart(reading.source, reading.outline, reading.exclusions)
        ]

    def leave_to_read(self, finding: Finding, provision: Provision) -> Finding:
        """Mark a finding as to be read, if an excluded clause may concern it.

        It may if the provision's query matches its words. A finding of medium or high severity is
        unchanged.
        """
        if finding.state not in (CellState.FOUND, CellState.NOT_FOUND):
            return finding
        places = [
            each.place for each, words in self._clauses if find_matches(provision.query, words)
        ]
        if not places:
            return finding
        levels = [each.severity for each in provision.severity]
        levels += [each.severity for each in provision.rules]
        possible = max(map(Severity, levels), key=lambda each: each.rank, default=Severity.NONE)
        named = " and ".join(places)
        they, were = ("It gives", "was") if len(places) == 1 else ("They give", "were")
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
