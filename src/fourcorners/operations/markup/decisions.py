"""What a person decides of the changes that were proposed to them."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from fourcorners.documents.document import Document
from fourcorners.library.store import Library
from fourcorners.operations.access import Access
from fourcorners.operations.errors import Conflict, NotFound
from fourcorners.operations.markup import store
from fourcorners.operations.markup.proposals import find_markup
from fourcorners.operations.markup.store import DecisionRequest, Markup
from fourcorners.operations.markup.word_file import require_all, write_word_file
from fourcorners.operations.principal import Role
from fourcorners.playbooks.bank.store import bank_clauses
from fourcorners.redline.decisions import (
    Decision,
    DecisionState,
    change_id,
    clause_words,
    edit_change,
    find_change,
)
from fourcorners.redline.proposal import ProposedChange, Source
from fourcorners.settings import Settings

OPEN = "open"
"""Value that reopens a decided change."""


def decide_change(
    access: Access, settings: Settings, document: str, change: str, asked: DecisionRequest
) -> None:
    """Keep what a person says of a change.

    Raises:
        NotFound: If they may not know of the contract, or have no such mark-up or change.
        NotAllowed: If they may not review the contract, or not use a bank.
        ConfigError: If the words change nothing, or the file does not let them be written.
    """
    library = access.library_of(document, Role.REVIEWER)
    found, read = find_markup(access, document, asked.playbook), access.document(document)
    proposed = find_change(found.redline, change)
    if proposed is None:
        raise NotFound("there is no such change any more.", remedy="Reload the page.")
    decision = None if asked.state == OPEN else _decision(access, found, proposed, asked)
    if decision is not None and decision.state is DecisionState.EDITED:
        _check_edit(settings, found, proposed, decision, read)
    person = access.principal.name
    store.save_decision(library, document, found.playbook, person, change, decision)
    access.record(
        "redline decided",
        {"document": document, "change": change, "says": asked.state},
        always=True,
    )


def _decision(
    access: Access, found: Markup, proposed: ProposedChange, asked: DecisionRequest
) -> Decision:
    state, person = DecisionState(asked.state), access.principal.name
    if state is not DecisionState.EDITED:
        return Decision(state, person)
    if not asked.bank:
        before = found.decisions.get(change_id(proposed))
        source = before.source if before else None
        return Decision(state, person, asked.words, source, is_edited=True)
    library = access.full_library(Role.READER)
    clause = next((c for c in bank_clauses(library, asked.bank) if c.id == asked.clause), None)
    if clause is None:
        raise NotFound("the bank has no such clause any more.", remedy="Choose another.")
    if clause.facts.is_expired(datetime.now(UTC).date()) and not asked.expired:
        raise Conflict(
            f"this clause expired on {clause.facts.expires}.",
            remedy="Choose another, or confirm that you want to use it.",
        )
    words = _adapt_clause(library, found, clause.text)
    source = Source(clause.source or f"the clause bank {asked.bank}", stars=clause.stars)
    return Decision(state, person, clause_words(proposed, words), source)


def _adapt_clause(library: Library, found: Markup, clause: str) -> str:
    """Return a precedent with what the contract does not know in brackets."""
    from fourcorners.library.contract import Contract
    from fourcorners.redline.drafting import ContractTerms
    from fourcorners.review.parties import side_in

    contract = Contract(library, found.redline.document)
    side = side_in(library, contract.id, [found.proposal.request.party])
    terms = ContractTerms(contract, side)
    return terms.adapt_clause(" ".join(clause.split())).text


def _check_edit(
    settings: Settings,
    found: Markup,
    proposed: ProposedChange,
    decision: Decision,
    read: Document,
) -> None:
    edited = edit_change(found.redline, proposed, decision, read.text)
    if found.proposal.is_word:
        alone = replace(found.redline, changes=(edited,), open_points=())
        require_all(write_word_file(settings, read, alone, author=decision.by)[1])
