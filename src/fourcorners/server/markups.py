"""What pages and the API do with mark-ups: propose changes, decide of them, write them.

A mark-up is its person's alone, and needs the collection of its contract.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime

from fourcorners.documents.document import Document
from fourcorners.errors import ConfigError
from fourcorners.library.store import Library
from fourcorners.operations.access import Access
from fourcorners.operations.errors import Conflict, NotFound
from fourcorners.operations.principal import Role
from fourcorners.playbooks.bank.store import bank_clauses
from fourcorners.playbooks.playbook import Playbook
from fourcorners.redline.decisions import (
    Decision,
    DecisionState,
    change_id,
    clause_words,
    decided_redline,
    edit_change,
    find_change,
)
from fourcorners.redline.proposal import ProposedChange, Redline, Source
from fourcorners.redline.word import redline_table
from fourcorners.reports.file_types import FILE_TYPES
from fourcorners.reports.lists.redline import redline_report
from fourcorners.reports.writers.pdf import export_pdf
from fourcorners.review.store import load_findings
from fourcorners.server.context import RequestContext
from fourcorners.server.rendering.word_file import write_word_file
from fourcorners.server.store import markups
from fourcorners.server.store.markups import DecisionRequest, Markup, MarkupRequest
from fourcorners.server.tasks.handlers import markup as markup_task
from fourcorners.server.tasks.queue import Task
from fourcorners.work_folder import make_temporary_folder

OPEN = "open"
"""What is said of a change to take a decision back."""

FORMS = ("docx", "pdf", "md")
"""What a mark-up is written as: the contract in Word, or a table of its changes."""


@dataclass(frozen=True, slots=True)
class WrittenMarkup:
    data: bytes
    form: str
    title: str

    @property
    def media_type(self) -> str:
        return FILE_TYPES[self.form]


def find_markup(access: Access, document: str, playbook: str) -> Markup:
    """Return a person's mark-up of a contract.

    Raises:
        NotFound: If they may not know of the contract, or have not marked it up.
    """
    access.visible(document)
    found = markups.find_markup(access.common(), document, playbook, access.principal.name)
    if found is None:
        raise NotFound("you have not marked up this contract.", remedy="Propose changes first.")
    return found


def propose_changes(context: RequestContext, document: str, asked: MarkupRequest) -> Markup:
    """Propose changes of a contract, which is reviewed first where it was not, and keep them.

    Raises:
        NotFound: If they may not know of the contract, or there is no such playbook.
        NotAllowed: If they may not review it, or not use a bank.
        ConfigError: If the party is not one of the contract's.
    """
    with context.access() as access:
        library, _ = _playbooks(access, document, asked)
        encoder = None if library.encoder is None else context.state.engines.encoder
        settings, person = context.state.settings, access.principal.name
        markup_task.make_proposal(library, settings, document, asked, person, encoder)
        access.record("redline", {"document": document, "playbook": asked.playbook}, always=True)
        return find_markup(access, document, asked.playbook)


def start_proposal(context: RequestContext, document: str, asked: MarkupRequest) -> Task | None:
    """Propose changes at once; where the contract is to be reviewed first, start a task for it.

    Raises as `propose_changes` does.
    """
    with context.access() as access:
        library, books = _playbooks(access, document, asked)
        is_read = all(
            load_findings(library, book, document).keys() >= {each.id for each in book.provisions}
            for book in books
        )
        collection = access.visible(document).entry.collection
    if is_read:
        propose_changes(context, document, asked)
        return None
    request = asked.model_dump(mode="json")
    spec = {"document": document, "playbook": asked.playbook, "request": request}
    return context.start_task(markup_task.KIND, markup_task.LANE, collection, spec)


def _playbooks(
    access: Access, document: str, asked: MarkupRequest
) -> tuple[Library, list[Playbook]]:
    """Return the library and the playbooks to someone who may mark up a contract so."""
    library = access.library_of(document, Role.REVIEWER)
    if asked.bank:
        access.full_library(Role.READER)
    if not asked.party.strip():
        raise ConfigError("for whom is the contract marked up?", remedy="Choose a party.")
    return library, markup_task.load_playbooks(library, document, asked)


def add_provision(context: RequestContext, document: str, playbook: str, provision: str) -> Markup:
    """Propose changes again, with a change of what was left to the person."""
    with context.access() as access:
        found = find_markup(access, document, playbook)
    if all(each.provision != provision for each in found.redline.open_points):
        raise Conflict("nothing of this provision is open.", remedy="Reload the page.")
    asked = found.proposal.request
    more = {"playbook": found.playbook, "decided": (*asked.decided, provision)}
    return propose_changes(context, document, asked.model_copy(update=more))


def decide_change(
    context: RequestContext, document: str, change: str, asked: DecisionRequest
) -> None:
    """Keep what a person says of a change.

    Raises:
        NotFound: If they may not know of the contract, or have no such mark-up or change.
        NotAllowed: If they may not review the contract, or not use a bank.
        ConfigError: If the words change nothing, or the file does not let them be written.
    """
    with context.access() as access:
        access.library_of(document, Role.REVIEWER)
        found, read = find_markup(access, document, asked.playbook), access.document(document)
        proposed = find_change(found.redline, change)
        if proposed is None:
            raise NotFound("there is no such change any more.", remedy="Reload the page.")
        decision = None if asked.state == OPEN else _decision(access, found, proposed, asked)
    if decision is not None and decision.state is DecisionState.EDITED:
        _check_edit(context, found, proposed, decision, read)
    with context.access() as access:
        library = access.library_of(document, Role.REVIEWER)
        person = context.principal.name
        markups.save_decision(library, document, found.playbook, person, change, decision)
        access.record(
            "redline decided",
            {"document": document, "change": change, "says": asked.state},
            always=True,
        )


def write_markup(
    context: RequestContext, document: str, playbook: str, form: str = ""
) -> WrittenMarkup:
    """Return a contract with the changes that were accepted or edited, and with no other.

    `form` is `docx` or `md`; empty for Word where the original is a Word file that is kept.

    Raises:
        NotFound: If they may not know of the contract, or there is no such mark-up or form.
        Conflict: If no change was accepted.
        InputError: If the original is wanted and not there any more.
    """
    with context.access() as access:
        found, read = find_markup(access, document, playbook), access.document(document)
        title = str(access.titles([document])[document])
        form = form or ("docx" if found.proposal.is_word else "md")
        if form not in FORMS:
            raise NotFound("unsupported format.", remedy=f"Choose one of {', '.join(FORMS)}.")
        redline = decided_redline(found.redline, found.decisions, read.text)
        if not redline.changes:
            raise Conflict(
                "no change is accepted yet.", remedy="Accept or edit at least one change."
            )
        detail: dict[str, str | int] = {"document": document, "as": form}
        access.record("export", {**detail, "changes": len(redline.changes)}, always=True)
    if form == "md":
        data = ("\n".join(redline_table(redline)) + "\n").encode("utf-8", "replace")
    elif form == "pdf":
        with make_temporary_folder() as folder:
            path = folder / "changes.pdf"
            export_pdf(redline_report(redline, context.principal.name), path)
            data = path.read_bytes()
    else:
        data, written = write_word_file(
            context.state.settings, read, redline, author=context.principal.name
        )
        _require_all(written)
    return WrittenMarkup(data, form, title)


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
    context: RequestContext,
    found: Markup,
    proposed: ProposedChange,
    decision: Decision,
    read: Document,
) -> None:
    edited = edit_change(found.redline, proposed, decision, read.text)
    if found.proposal.is_word:
        alone = replace(found.redline, changes=(edited,), open_points=())
        person = context.principal.name
        _require_all(write_word_file(context.state.settings, read, alone, author=person)[1])


def _require_all(written: Redline) -> None:
    for point in written.open_points:
        raise ConfigError(
            f"{point.name}: {point.reason}", remedy="Make this change in Word by hand."
        )
