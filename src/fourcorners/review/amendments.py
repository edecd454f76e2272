"""Read amendments together with what they amend, to see which words found are still in force.

A contract may also set aside one of its clauses elsewhere: "Clause 6 shall not apply".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date

from fourcorners.library.contract import Contract, read_contract
from fourcorners.library.store import Library
from fourcorners.outline.exclusions import longest_shown
from fourcorners.outline.tree import Node
from fourcorners.review.finding import Amendment, CellState, Finding
from fourcorners.search.graph.changes import CitedChange, clause_changes
from fourcorners.search.graph.expand import MIN_SCORE
from fourcorners.search.graph.links import AmendmentLink as Link
from fourcorners.search.graph.links import Links, links_of
from fourcorners.search.graph.statements import AmendmentRelation
from fourcorners.text import evidence
from fourcorners.text.normalisation import normalise_text
from fourcorners.text.patterns import load_patterns
from fourcorners.text.span import Span

_PATTERNS = load_patterns("fourcorners.review", "amendments")
_OLD = _PATTERNS["old"]
_GOES = _PATTERNS["goes"]
_ALREADY = _PATTERNS["already"]
_TAKEN = _PATTERNS["taken"]
_DISAPPLIED = _PATTERNS["disapplied"]
_PARTLY = _PATTERNS["partly"]
_CONDITION = _PATTERNS["condition"]
_DENIED = _PATTERNS["denied"]
# Words far less likely to answer the provision than the best evidence are quoted with it as
# context; a change to them alone does not change the finding.
_TELLING = 0.2
_MOST = 0.5  # share of the shorter of the replaced clause and the words found that must overlap


def apply_amendments(library: Library, findings: Iterable[Finding]) -> list[Finding]:
    """Return findings with the changes that other documents make to them, the oldest first.

    A change affects a finding if the clause that it cites contains words that support the finding,
    or if the same provision was found in the changing words themselves: an amendment may add a
    provision that the contract did not have.
    """
    cells = list(findings)
    links = links_of(library)
    documents = {cell.document for cell in cells}
    own = {(cell.document, cell.provision): cell for cell in cells}
    amending = {
        each: sorted(find_amendments(library, links, each, documents), key=_by_date)
        for each in sorted(documents)
    }
    within = {each: find_own_changes(read_contract(library, each)) for each in sorted(documents)}
    return [
        replace(
            cell,
            amendments=(
                *_own_changes(library, cell, within[cell.document]),
                *_changes(library, cell, amending[cell.document], own),
            ),
        )
        if (amending[cell.document] or within[cell.document])
        and cell.state in (CellState.FOUND, CellState.NOT_FOUND, CellState.TO_READ)
        else cell
        for cell in cells
    ]


@dataclass(frozen=True, slots=True)
class OwnChange:
    """Words of a contract that delete or disapply one of its clauses.

    Attributes:
        node: The clause that is meant.
        is_whole: Whether nothing of it remains, in any case.
    """

    node: Node
    span: Span
    is_whole: bool


def find_own_changes(reading: Contract) -> tuple[OwnChange, ...]:
    """Return what a contract says about its own clauses no longer being in force."""
    found = []
    for reference in reading.outline.references:
        if reference.target is None:
            continue
        node = reading.outline.nodes[reference.target]
        match = _DISAPPLIED.match(reading.text, reference.span.end)
        if match is None or node.span.overlaps(reference.span):
            continue
        span = reading.sentence(reference.span)
        before = reading.text[span.start : reference.span.start]
        if _DENIED.search(before):
            continue
        is_whole = not _PARTLY.match(match["rest"]) and not _CONDITION.search(before)
        found.append(OwnChange(node, span, is_whole))
    return tuple(found)


def _own_changes(
    library: Library, cell: Finding, changes: Sequence[OwnChange]
) -> Iterator[Amendment]:
    listed: set[Span] = set()
    for change in changes:
        quoted = _supporting_spans(cell)
        inside = any(span.overlaps(change.node.span) for span in quoted)
        beside = all(not span.overlaps(change.span) for span in quoted)
        if inside and beside and change.span not in listed:
            listed.add(change.span)
            reading = read_contract(library, cell.document)
            yield _build_amendment(reading, change.span, replaces=change.is_whole)


def find_amendments(
    library: Library, links: Links, document: str, among: set[str]
) -> Iterator[tuple[Link, Contract]]:
    """Yield what almost certainly amends a document, and is one of some others."""
    for link in links.amended_by(document):
        if link.confidence >= MIN_SCORE and link.document in among - {document}:
            yield link, read_contract(library, link.document)


def _by_date(amending: tuple[Link, Contract]) -> tuple[date, str, Span]:
    link, contract = amending
    fact = contract.card.agreement_date or contract.card.effective_date
    return fact.value if fact else date.max, contract.name, link.span


def _changes(
    library: Library,
    cell: Finding,
    amending: Sequence[tuple[Link, Contract]],
    own: dict[tuple[str, str], Finding],
) -> Iterator[Amendment]:
    changed = read_contract(library, cell.document)
    for link, reading in amending:
        if link.relation is not AmendmentRelation.AMENDS:
            if cell.state is CellState.FOUND:
                yield _build_amendment(reading, reading.sentence(link.span), replaces=True)
            continue
        amended = own.get((link.document, cell.provision))
        amended_words = (
            _supporting_spans(amended)
            if amended is not None and amended.state is CellState.FOUND
            else []
        )
        # The first of several changes that one sentence makes.
        distinct = {change.span: change for change in reversed(clause_changes(reading))}
        for change in reversed(distinct.values()):
            brings = any(span.overlaps(change.span) for span in amended_words)
            found = _supporting_spans(cell, 0.0 if brings else _TELLING)
            touches, replaces = _affects(change, reading, changed, found)
            if touches or brings:
                yield _build_amendment(reading, change.span, replaces=replaces)


def _build_amendment(reading: Contract, span: Span, *, replaces: bool) -> Amendment:
    span = longest_shown(span, reading.exclusions, reading.text)
    quote = evidence.quote_span(reading.text, span)
    evidence.verify_quote(quote, reading.text)
    return Amendment(reading.id, reading.name, quote, replaces)


def _supporting_spans(cell: Finding, share: float = _TELLING) -> list[Span]:
    """Return the spans that support a finding, without those quoted only as context."""
    least = share * cell.best.score if cell.best else 0.0
    quotes = (each.quote for each in cell.evidence if each.score >= least)
    return [quote.span for quote in quotes if quote.span is not None]


def _affects(
    change: CitedChange, amending: Contract, changed: Contract, found: Sequence[Span]
) -> tuple[bool, bool]:
    """Return whether a change affects a clause with words found, and whether it replaces them."""
    at = change.find(changed.labels)
    if at is None:
        return False, False
    node = changed.outline.nodes[at]
    inside = [span for span in found if span.overlaps(node.span)]
    is_host = change.verb == "adds" and _letters(node.label) != _letters(change.mark)
    if not inside or is_host:
        return False, False
    if change.verb not in ("replaces", "deletes"):
        return True, False
    change_words = change.span.text_in(amending.text)
    old = [  # the words that the change deletes, if it quotes them
        match["old"]
        for match in _OLD.finditer(change_words)
        if (_GOES.search(match["after"]) and not _ALREADY.search(change_words[: match.start()]))
        or _TAKEN.search(change_words[: match.start()])
    ]
    return True, any(_is_removed(old, changed.text, span, node.span) for span in inside)


def _is_removed(old: Sequence[str], text: str, span: Span, clause: Span) -> bool:
    """Return whether words found are removed: most of them with their clause, or quoted ones."""
    if old:
        words = normalise_text(span.text_in(text)).text.casefold()
        return any(normalise_text(each).text.casefold() in words for each in old)
    common = span.intersection(clause)
    return common is not None and len(common) >= _MOST * min(len(span), len(clause))


def _letters(mark: str) -> str:
    return re.sub(r"[^\w]", "", mark).casefold()
