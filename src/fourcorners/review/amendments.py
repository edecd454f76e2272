"""Read contracts together with their amendments: cells say what the words in force say.

A contract may also set aside one of its clauses elsewhere: "Clause 6 shall not apply".
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from hashlib import sha256
from typing import TYPE_CHECKING

from fourcorners.library.contract import Contract, read_contract
from fourcorners.library.store import Library
from fourcorners.outline.tree import Node
from fourcorners.review.evidence import evidence_at
from fourcorners.review.finding import (
    Amendment,
    CellState,
    Evidence,
    Finding,
    RiskAnswer,
    Severity,
)
from fourcorners.search.graph.changes import CONDITION, PARTLY
from fourcorners.search.graph.in_force import InForce, Revision, read_in_force
from fourcorners.search.graph.links import amendments_of, links_of
from fourcorners.search.graph.statements import AmendmentRelation
from fourcorners.text.patterns import load_patterns
from fourcorners.text.quote import Quote
from fourcorners.text.span import Span
from fourcorners.text.values.dates import dates_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from fourcorners.models.encoder.protocol import Encoder

_PATTERNS = load_patterns("fourcorners.review", "amendments")
_DISAPPLIED = _PATTERNS["disapplied"]
_DENIED = _PATTERNS["denied"]
# Words far less likely to answer the provision than the best evidence are quoted with it as
# context; a change to them alone does not change the finding.
_TELLING = 0.2


def amendment_key(library: Library, document: str, as_of: date | None = None) -> str:
    """Return a name for the amendments with which a document is read; empty if there are none.

    The name changes when a date in an amendment passes.
    """
    day = as_of or datetime.now(UTC).date()
    amending = [each for _, each in amendments_of(library, document)]
    to_come = [sum(found.value > day for found in dates_of(each.text)) for each in amending]
    read_with = [f"{each.id}{ahead or ''}" for each, ahead in zip(amending, to_come, strict=True)]
    read_with += ["amends"] if _is_amendment(library, document) else []
    return f"+{sha256(' '.join(read_with).encode()).hexdigest()[:8]}" if read_with else ""


def _is_amendment(library: Library, document: str) -> bool:
    """Return whether a document changes a contract of the library, and is none by itself."""
    return any(
        each.relation is AmendmentRelation.AMENDS for each in links_of(library).amendments(document)
    )


def encode_amended(
    library: Library, document: str, encoder: Encoder | None, as_of: date | None = None
) -> NDArray[np.float32] | None:
    """Return the vectors of a contract's words in force; None if it is not amended."""
    amended = read_in_force(library, document, as_of=as_of) if encoder is not None else None
    if amended is None or encoder is None:
        return None
    text, passages = amended.contract.text, amended.contract.passages
    return encoder.encode([f"{p.context}\n{p.span.text_in(text)}".lstrip("\n") for p in passages])


def read_amended(
    library: Library,
    document: str,
    vectors: NDArray[np.float32] | None,
    read: Callable[[Contract], list[Finding]],
    as_of: date | None = None,
) -> list[Finding]:
    """Return the cells that `read` fills, as the amendments of a document leave them."""
    cells = read(Contract(library, document))
    if amended := read_in_force(library, document, as_of=as_of):
        new = amended.contract
        text = Contract.build(new.document, new.outline, new.card, new.passages, vectors)
        found = {each.provision: each for each in read(text)}
        cells = [amended_finding(library, own, found[own.provision], amended) for own in cells]
    elif _is_amendment(library, document):
        cells = [finding_of_amendment(library, each) for each in cells]
    return apply_amendments(library, cells, as_of)


def amended_finding(library: Library, own: Finding, new: Finding, amended: InForce) -> Finding:
    """Return the finding of a contract as its amendments leave it.

    `own` was found in the contract's own words, `new` in the words in force. A cell whose words no
    amendment changes stays as it was; one that a change concerns without certainty is to be read.
    """
    contract = read_contract(library, own.document)
    if amended.restatement is not None:
        changes = [_amendment(library, contract, amended.restatement, _best_span(own))]
        reason = f"{amended.restatement.name} takes the place of this contract."
        return Finding(
            own.document,
            own.provision,
            CellState.NOT_APPLICABLE,
            reason=reason,
            amendments=tuple(changes) if own.state is CellState.FOUND else (),
        )
    evidence = tuple(_own_evidence(contract, new, amended))
    read, whole = _supporting_spans(new), Span(0, len(contract.text))
    concerned = _concerned(own, replace(new, evidence=evidence), read, amended, whole)
    if not concerned:
        return own
    changes = [_amendment(library, contract, each, each.old) for each in concerned]
    named = _names(own.document, changes)
    cell = replace(
        new,
        evidence=evidence,
        answers=tuple(_own_answer(contract, each, amended) for each in new.answers),
        position=new.position
        and replace(new.position, quotes=_own_quotes(contract, new.position.quotes, amended)),
        searched=own.searched,
        candidates=own.candidates,
        amendments=tuple(changes),
        reason=" ".join(filter(None, (new.reason, f"{named}."))),
    )
    if all(each.is_certain for each in concerned):
        return cell
    return replace(
        cell,
        evidence=own.evidence,
        state=own.state,
        severity=Severity.TO_READ,
        possible_severity=Severity.HIGH,
        open_questions=(),
        reason=f"These words may be changed. {named}: read both together.",
        answers=tuple(RiskAnswer(each.question, "", id=each.id) for each in new.answers),
        position=None,
        recommendation="",
    )


def _concerned(
    own: Finding, new: Finding, read: Iterable[Span], amended: InForce, whole: Span
) -> list[Revision]:
    """Return the changes to words of a cell, or to any, and new clauses that refer to these."""
    found = [*_supporting_spans(own), *_supporting_spans(new)]
    by = {each for span in read for each in amended.revisions_at(span)}
    referring = {
        each
        for span in read
        for reference, _ in amended.contract.references_to(span)
        for each in amended.revisions_at(reference.span)
        if not each.removes
    }
    return [
        each
        for each in amended.revisions
        if each in by
        or each in referring
        or each.old == whole
        or any(each.old.overlaps(span) for span in found)
    ]


def amended_by(finding: Finding) -> str:
    """Return which amendments change the words found, in a sentence; empty if none does."""
    others = [each for each in finding.amendments if each.document != finding.document]
    return f"{_names(finding.document, others)}." if others else ""


def _names(document: str, changes: Iterable[Amendment]) -> str:
    return "; ".join(dict.fromkeys(each.describe(document) for each in changes))


def finding_of_amendment(library: Library, finding: Finding) -> Finding:
    """Return a cell of an amendment, which raises no flags itself.

    What it does not say is in the contract that it amends, and what it changes there is flagged
    there, as amended.
    """
    read_there = [
        (link.target, revision.span)
        for link in links_of(library).amendments(finding.document)
        if link.target and (amended := read_in_force(library, link.target))
        for revision in amended.revisions
        if revision.document == finding.document and revision.is_certain
    ]
    quotes = _supporting_spans(finding)
    elsewhere = [
        target for target, span in read_there if any(span.overlaps(quote) for quote in quotes)
    ]
    if finding.state is not CellState.NOT_FOUND and not elsewhere:
        return finding
    names = (library.entry(target).name for target in dict.fromkeys(elsewhere))
    return replace(
        finding,
        severity=Severity.NONE,
        possible_severity=Severity.NONE,
        open_questions=(),
        reason=f"Read with what it amends: {', '.join(names)}." if elsewhere else "",
        recommendation="",
    )


def _own_evidence(contract: Contract, new: Finding, amended: InForce) -> Iterator[Evidence]:
    for each in new.evidence:
        own = each.quote.span and amended.own_span(each.quote.span)
        if own:
            yield evidence_at(contract, own.strip(contract.text), each.score)


def _own_answer(contract: Contract, answer: RiskAnswer, amended: InForce) -> RiskAnswer:
    return replace(
        answer,
        quotes=_own_quotes(contract, answer.quotes, amended),
        against_quotes=_own_quotes(contract, answer.against_quotes, amended),
    )


def _own_quotes(contract: Contract, quotes: Iterable[Quote], amended: InForce) -> tuple[Quote, ...]:
    spans = [amended.own_span(each.span) for each in quotes if each.span]
    return tuple(contract.quote(span.strip(contract.text)) for span in spans if span)


def _amendment(
    library: Library, contract: Contract, revision: Revision, old: Span | None
) -> Amendment:
    quote = read_contract(library, revision.document).quote(revision.span)
    if old == Span(0, len(contract.text)):  # a change that may be to any words quotes none
        old = None
    return Amendment(
        revision.document,
        revision.name,
        quote,
        revision.removes,
        revision.place,
        contract.quote(old) if old else None,
    )


def _best_span(cell: Finding) -> Span | None:
    return cell.best.quote.span if cell.best else None


def apply_amendments(
    library: Library, findings: Iterable[Finding], as_of: date | None = None
) -> list[Finding]:
    """Return findings with the changes that they were not read with.

    These are what their contracts say elsewhere about the clauses found, and what amendments say
    that were added since; then a cell is to be read.
    """
    cells = list(findings)
    documents = {cell.document for cell in cells}
    within = {each: _find_own_changes(read_contract(library, each)) for each in documents}
    amended = {each: read_in_force(library, each, as_of=as_of) for each in documents}
    return [
        _with_new_amendments(
            library,
            replace(
                cell,
                amendments=(*_own_changes(library, cell, within[cell.document]), *cell.amendments),
            ),
            amended[cell.document],
        )
        if cell.state in (CellState.FOUND, CellState.NOT_FOUND, CellState.TO_READ)
        else cell
        for cell in cells
    ]


def _with_new_amendments(library: Library, cell: Finding, amended: InForce | None) -> Finding:
    if amended is None:
        return cell
    known = {(each.document, each.quote.span, each.place) for each in cell.amendments}
    found = _supporting_spans(cell)
    contract = read_contract(library, cell.document)
    changes = [
        _amendment(library, contract, each, each.old)
        for each in (*amended.revisions, *filter(None, [amended.restatement]))
        if any(each.old.overlaps(span) for span in found)
    ]
    new = [each for each in changes if (each.document, each.quote.span, each.place) not in known]
    if not new:
        return cell
    named = _names(cell.document, new)
    marked = replace(cell, amendments=(*cell.amendments, *new))
    if cell.severity_by:
        return marked
    return replace(
        marked,
        severity=Severity.TO_READ,
        possible_severity=Severity.HIGH,
        open_questions=(),
        reason=f"{named}, with which this cell was not read yet.",
    )


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


def _find_own_changes(reading: Contract) -> tuple[OwnChange, ...]:
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
        is_whole = not PARTLY.match(match["rest"]) and not CONDITION.search(before)
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
            quote = reading.quote(change.span)
            if all(each.quote != quote for each in cell.amendments):
                yield Amendment(reading.id, reading.name, quote, change.is_whole)


def _supporting_spans(cell: Finding) -> list[Span]:
    """Return the spans that support a finding, without those quoted only as context."""
    least = _TELLING * cell.best.score if cell.best else 0.0
    quotes = (each.quote for each in cell.evidence if each.score >= least)
    return [quote.span for quote in quotes if quote.span is not None]
