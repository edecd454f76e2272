"""A redline of one contract of a library, for one of its parties."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fourcorners.documents.document import Document
from fourcorners.errors import ConfigError
from fourcorners.library.contract import Contract
from fourcorners.library.store import Library
from fourcorners.playbooks.playbook import Playbook
from fourcorners.redline.drafting import ContractTerms, PrecedentBank
from fourcorners.redline.proposal import OpenPoint, ProposedChange, Redline, Source
from fourcorners.redline.propose import Preferences, Target, is_accepted, propose
from fourcorners.review.finding import CellState
from fourcorners.review.parties import display_name, side_for
from fourcorners.review.run import ReviewScope, review_library
from fourcorners.review.store import load_findings

if TYPE_CHECKING:
    from fourcorners.models.encoder.protocol import Encoder


@dataclass(frozen=True, slots=True)
class RedlineOptions:
    """What is asked of a redline.

    Attributes:
        read_for: The name of the party for whom, or several of a group.
        target: The position to reach: the one that takes the smallest change, or one of a kind.
        decided: Provisions whose clauses a person has decided to change, by id, name or alias.
        values: Values for slots of the wording, by their names.
        bank: A clause bank whose best clauses come before the playbook's own; empty for none.
    """

    read_for: Collection[str]
    target: Target = "smallest"
    decided: Collection[str] = ()
    values: Mapping[str, str] | None = None
    bank: str = ""


def redline_contract(
    library: Library,
    document: str,
    playbook: Playbook,
    options: RedlineOptions,
    *,
    encoder: Encoder | None,
) -> tuple[Document, Redline]:
    """Return what to change in a contract, which is reviewed first where it was not.

    What people said of its findings counts; what a language model said of them is left to a person.

    Raises:
        ConfigError: If the contract has no such party, or there is no such provision or bank.
    """
    contract = Contract(library, document)
    side = side_for(contract.card, options.read_for)
    parties = [fact.value for fact in contract.card.parties]
    if not side.names:
        known = "; ".join(display_name(each) for each in parties)
        raise ConfigError(
            f"the contract has no party called {' or '.join(map(repr, options.read_for))}.",
            remedy=f"It has: {known}." if known else "No party was recognised in it.",
        )
    if options.bank and encoder is None:
        raise ConfigError(
            "precedents are ranked with the local encoder.", remedy="Leave out --words-only."
        )
    decided = {playbook.provision(each).id for each in options.decided}
    bank = PrecedentBank(library, options.bank, encoder) if options.bank and encoder else None
    findings = load_findings(library, playbook, document)
    if any(each.id not in findings for each in playbook.provisions):
        review_library(library, playbook, ReviewScope(documents=[document]), encoder=encoder)
        findings = load_findings(library, playbook, document)
    read = contract.document
    terms = ContractTerms(contract, side, options.values)
    own_source = Source(f"the playbook {playbook.name}, version {playbook.version}")
    preferences = Preferences(own_source, options.target, decided, bank.best if bank else None)
    changes: list[ProposedChange] = []
    open_points: list[OpenPoint] = []
    accepted: list[str] = []
    failed: list[tuple[str, str]] = []
    for provision in playbook.provisions:
        finding = findings[provision.id]
        if finding.state is CellState.FAILED:
            failed.append((provision.name, finding.error))
        for outcome in propose(terms, provision, finding, preferences):
            if isinstance(outcome, ProposedChange):
                changes.append(outcome)
            else:
                open_points.append(outcome)
        if finding.state is CellState.FOUND and is_accepted(provision, finding):
            accepted.append(provision.name)
    return read, Redline(
        document=document,
        name=read.name,
        party=" and ".join(display_name(each) for each in parties if side.whose(each) == "ours"),
        playbook=playbook.name,
        playbook_version=playbook.version,
        changes=tuple(sorted(changes, key=lambda each: each.span)),
        open_points=tuple(open_points),
        accepted=tuple(accepted),
        failed=tuple(failed),
    )
