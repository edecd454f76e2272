"""A redline of one contract of a library, for one of its parties."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from fourcorners.documents.document import Document
from fourcorners.documents.docx.resolved_changes import resolve_changes
from fourcorners.documents.media_types import MediaType
from fourcorners.errors import ConfigError
from fourcorners.library.contract import Contract
from fourcorners.library.ingest import add_files
from fourcorners.library.store import Library
from fourcorners.playbooks.playbook import Playbook, Provision
from fourcorners.redline.cautions import find_cautions
from fourcorners.redline.concerns import is_accepted, matched_position
from fourcorners.redline.drafting import ContractTerms, PrecedentBank
from fourcorners.redline.open_points import Preferences, Target
from fourcorners.redline.proposal import (
    ChangeResponse,
    OpenPoint,
    ProposedChange,
    Redline,
    Source,
)
from fourcorners.redline.propose import propose
from fourcorners.redline.responses import ReviewedVersion, assess_changes
from fourcorners.review.finding import CellState, Finding
from fourcorners.review.parties import UNKNOWN_SIDE, display_name, require_parties, side_in
from fourcorners.review.risk.assessment import RiskConclusion
from fourcorners.review.run import ONE_WORKER, ReviewScope, Workers, review_library
from fourcorners.review.store import load_findings
from fourcorners.work_folder import make_temporary_folder

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
        force: Whether clauses that were decided are changed, too, where the reader is unsure.
        reviewer: Who marks it up: the tracked changes of others are weighed; empty for none.
        workers: What reviews the contract, if it was not reviewed.
    """

    read_for: Collection[str]
    target: Target = "smallest"
    decided: Collection[str] = ()
    values: Mapping[str, str] | None = None
    bank: str = ""
    force: bool = False
    reviewer: str = ""
    workers: Workers = ONE_WORKER


def redline_contract(
    library: Library,
    document: str,
    playbooks: Sequence[Playbook],
    options: RedlineOptions,
    *,
    encoder: Encoder | None,
    banks: Library | None = None,
) -> tuple[Document, Redline]:
    """Return what to change in a contract, which is reviewed first where it was not.

    Of a provision that several playbooks have, the first one's counts.

    What people said of its findings counts; what a language model said of them is left to a person.
    The bank is one of `banks`, by default of the contract's own library.

    Raises:
        ConfigError: If the contract has no such party, or there is no such provision or bank.
    """
    contract = Contract(library, document)
    side = side_in(library, document, options.read_for)
    parties = [fact.value for fact in contract.card.parties]
    if not side.names:
        require_parties(library, options.read_for, [document], "contract")
    if options.bank and encoder is None:
        raise ConfigError(
            "precedents are ranked with the local encoder.", remedy="Leave out --words-only."
        )
    decided = {_find_provision(playbooks, each).id for each in options.decided}
    bank = (
        PrecedentBank(banks or library, options.bank, encoder) if options.bank and encoder else None
    )
    read = contract.document
    terms = ContractTerms(contract, side, options.values)
    changes: list[ProposedChange] = []
    open_points: list[OpenPoint] = []
    accepted: list[str] = []
    missing: list[str] = []
    unjudged: list[str] = []
    failed: list[tuple[str, str]] = []
    cells = _classed_cells(library, terms, playbooks, options.workers, encoder)
    for provision, finding, own_source in cells:
        added = [each.new_clause for each in changes if each.new_clause is not None]
        preferences = Preferences(
            own_source,
            options.target,
            decided,
            bank.best if bank else None,
            added,
            force=options.force,
        )
        if finding.state is CellState.FAILED:
            failed.append((provision.name, finding.error))
        outcomes = propose(terms, provision, finding, preferences)
        for outcome in outcomes:
            if isinstance(outcome, ProposedChange):
                changes.append(outcome)
            else:
                open_points.append(outcome)
        if not outcomes and finding.state is CellState.NOT_FOUND:
            missing.append(provision.name)
        elif not outcomes and finding.state is CellState.FOUND:
            if is_accepted(provision, finding):
                accepted.append(provision.name)
            elif matched_position(provision, finding) is None:
                unjudged.append(provision.name)
    reviewed = ReviewedVersion(terms, {each.id: (each, finding) for each, finding, _ in cells})
    spans = [each.span for each in changes if each.span]
    changes = [
        replace(
            each, cautions=find_cautions(contract, each, reviewed.cells[each.provision][1], spans)
        )
        for each in changes
    ]
    return read, Redline(
        document=document,
        name=read.name,
        party=" and ".join(
            [display_name(each) for each in parties if side.whose(each) == "ours"] or side.names
        ),
        playbook=" and ".join(each.name for each in playbooks),
        playbook_version=" and ".join(each.version for each in playbooks),
        changes=tuple(sorted(changes, key=lambda each: (each.span, -len(each.path)))),
        open_points=tuple(
            sorted(
                open_points,
                key=lambda e: (not e.is_recognised, e.provision not in decided, -e.score),
            )
        ),
        accepted=tuple(accepted),
        missing=tuple(missing),
        unjudged=tuple(unjudged),
        failed=tuple(failed),
        responses=tuple(
            _weigh_others(reviewed, playbooks, options, (*changes, *open_points), encoder)
        )
        if options.reviewer
        else (),
    )


def _weigh_others(
    after: ReviewedVersion,
    playbooks: Sequence[Playbook],
    options: RedlineOptions,
    outcomes: Sequence[ProposedChange | OpenPoint],
    encoder: Encoder | None,
) -> Iterator[ChangeResponse]:
    """Yield what to answer to the tracked changes of everyone but the reviewer, by author."""
    contract = after.terms.contract
    others = [each for each in contract.tracked_changes if each.author != options.reviewer]
    for author in dict.fromkeys(each.author for each in others):
        with _open_without(contract.document, author, encoder) as store:
            before = None
            if store is not None and (entries := store.documents()):
                side = side_in(store, entries[0].id, options.read_for)
                side = side if side.names else after.terms.side
                terms = ContractTerms(Contract(store, entries[0].id), side, options.values)
                cells = _classed_cells(store, terms, playbooks, options.workers, encoder)
                before = ReviewedVersion(terms, {each.id: (each, cell) for each, cell, _ in cells})
            theirs = [each for each in others if each.author == author]
            yield from assess_changes(theirs, after, before, outcomes)


@contextmanager
def _open_without(read: Document, author: str, encoder: Encoder | None) -> Iterator[Library | None]:
    """Open a library with a Word file without an author's changes; None if it is not there."""
    try:
        data = Path(read.path).read_bytes()
    except OSError:
        data = b""
    if read.media_type != MediaType.DOCX or sha256(data).hexdigest() != read.sha256:
        yield None
        return
    with make_temporary_folder() as folder, Library.open(folder / "before.db") as store:
        path = folder / "before.docx"
        path.write_bytes(resolve_changes(data, path, accept=False, author=author))
        add_files(store, [path], collection="before", encoder=encoder)
        yield store


def _classed_cells(
    library: Library,
    terms: ContractTerms,
    playbooks: Sequence[Playbook],
    workers: Workers,
    encoder: Encoder | None,
) -> list[tuple[Provision, Finding, Source]]:
    contract = terms.contract
    conclusion = RiskConclusion(contract.card, UNKNOWN_SIDE)
    found = _cells(library, contract.id, playbooks, workers, encoder)
    return [(each, _classed(finding, each, conclusion), own) for each, finding, own in found]


def _find_provision(playbooks: Sequence[Playbook], name: str) -> Provision:
    """Return the provision of this name in the first playbook that has it.

    Raises:
        ConfigError: If none has it.
    """
    for each in playbooks:
        with suppress(ConfigError):
            return each.provision(name)
    *others, last = playbooks
    if not others:
        return last.provision(name)
    every = tuple({one.id: one for each in playbooks for one in each.provisions}.values())
    named = replace(last, id=" and ".join(each.id for each in playbooks), provisions=every)
    return named.provision(name)


def _cells(
    library: Library,
    document: str,
    playbooks: Sequence[Playbook],
    workers: Workers,
    encoder: Encoder | None,
) -> Iterator[tuple[Provision, Finding, Source]]:
    """Yield each provision once, with its finding and the source of its wording."""
    seen: set[str] = set()
    for playbook in playbooks:
        findings = load_findings(library, playbook, document)
        if any(each.id not in findings for each in playbook.provisions):
            scope = ReviewScope(documents=[document])
            review_library(library, playbook, scope, encoder=encoder, workers=workers)
            findings = load_findings(library, playbook, document)
        source = Source(f"the playbook {playbook.name}, version {playbook.version}")
        for each in playbook.provisions:
            if each.id not in seen:
                yield each, findings[each.id], source
        seen |= {each.id for each in playbook.provisions}


def _classed(finding: Finding, provision: Provision, conclusion: RiskConclusion) -> Finding:
    """Return a finding in the position of its clause, for whomever the review was made."""
    by_text = {each.text for each in provision.positions if not each.answers}
    if finding.position is not None and finding.position.text in by_text:
        return finding  # as a language model or a person classed it
    return replace(finding, position=conclusion.conclude(finding, provision).position)
