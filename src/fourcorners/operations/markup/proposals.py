"""Proposing changes of a contract: what to change for one of its parties, and by which playbooks.

A mark-up is its person's alone, and needs the collection of its contract.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from fourcorners.errors import ConfigError
from fourcorners.library.store import Library
from fourcorners.operations.access import Access
from fourcorners.operations.errors import Conflict, NotFound
from fourcorners.operations.knowledge.playbooks import collection_playbook
from fourcorners.operations.local_models import LocalModels
from fourcorners.operations.markup import store
from fourcorners.operations.markup.store import Markup, MarkupRequest
from fourcorners.operations.markup.word_file import has_word_original, write_word_file
from fourcorners.operations.principal import Role
from fourcorners.playbooks.playbook import Playbook
from fourcorners.review.store import load_findings

if TYPE_CHECKING:
    from fourcorners.models import Encoder
    from fourcorners.redline.proposal import ChangeResponse
    from fourcorners.settings import Settings


def find_markup(access: Access, document: str, playbook: str) -> Markup:
    """Return a person's mark-up of a contract.

    Raises:
        NotFound: If they may not know of the contract, or have not marked it up.
    """
    access.visible(document)
    found = store.find_markup(access.common(), document, playbook, access.principal.name)
    if found is None:
        raise NotFound("you have not marked up this contract.", remedy="Propose changes first.")
    return found


def propose_changes(
    access: Access, engines: LocalModels, document: str, asked: MarkupRequest
) -> Markup:
    """Propose changes of a contract, which is reviewed first where it was not, and keep them.

    Raises:
        NotFound: If they may not know of the contract, or there is no such playbook.
        NotAllowed: If they may not review it, or not use a bank.
        ConfigError: If the party is not one of the contract's.
    """
    library, _ = _playbooks(access, document, asked)
    encoder = None if library.encoder is None else engines.encoder
    make_proposal(library, engines.settings, document, asked, access.principal.name, encoder)
    access.record("redline", {"document": document, "playbook": asked.playbook}, always=True)
    return find_markup(access, document, asked.playbook)


def is_reviewed(access: Access, document: str, asked: MarkupRequest) -> bool:
    """Tell whether changes can be proposed at once, without a review of the contract first.

    Raises as `propose_changes` does.
    """
    library, books = _playbooks(access, document, asked)
    return all(
        load_findings(library, book, document).keys() >= {each.id for each in book.provisions}
        for book in books
    )


def add_provision(
    access: Access, engines: LocalModels, document: str, playbook: str, provision: str
) -> Markup:
    """Propose changes again, with a change of what was left to the person."""
    found = find_markup(access, document, playbook)
    if all(each.provision != provision for each in found.redline.open_points):
        raise Conflict("nothing of this provision is open.", remedy="Reload the page.")
    asked = found.proposal.request
    more = {"playbook": found.playbook, "decided": (*asked.decided, provision)}
    return propose_changes(access, engines, document, asked.model_copy(update=more))


def _playbooks(
    access: Access, document: str, asked: MarkupRequest
) -> tuple[Library, list[Playbook]]:
    """Return the library and the playbooks to someone who may mark up a contract so."""
    library = access.library_of(document, Role.REVIEWER)
    if asked.bank:
        access.full_library(Role.READER)
    if not asked.party.strip():
        raise ConfigError("for whom is the contract marked up?", remedy="Choose a party.")
    return library, load_playbooks(library, document, asked)


def load_playbooks(library: Library, document: str, request: MarkupRequest) -> list[Playbook]:
    """Return the playbooks of a request; the contract's collection can be reviewed by them.

    Raises:
        NotFound: If there is no such playbook.
    """
    collection, names = library.entry(document).collection, request.playbook.split(",")
    return [collection_playbook(library, collection, each.strip()) for each in names]


def make_proposal(
    library: Library,
    settings: Settings,
    document: str,
    request: MarkupRequest,
    person: str,
    encoder: Encoder | None,
) -> store.Proposal:
    """Propose changes of a contract for a person who may, and keep them.

    Raises:
        ConfigError: If the party is not one of the contract's, or there is no such bank.
    """
    from fourcorners.redline.run import RedlineOptions, redline_contract

    former = store.find_markup(library, document, request.playbook, person)
    weighed = _weighed_responses(former, request)
    options = RedlineOptions(
        [request.party],
        request.target,
        request.decided,
        bank=request.bank,
        force=True,
        reviewer=request.reviewer if weighed is None else "",
    )
    playbooks = load_playbooks(library, document, request)
    read, found = redline_contract(library, document, playbooks, options, encoder=encoder)
    responses = found.responses if weighed is None else weighed
    found = replace(found, responses=())  # they are the person's to make
    is_word = has_word_original(settings, read)
    if is_word and found.changes:  # what the file does not let be changed is left to the person
        _, found = write_word_file(settings, read, found, author=person)
    made = store.Proposal(request, replace(found, responses=responses), is_word)
    store.save_proposal(library, document, request.playbook, person, made)
    return made


def _weighed_responses(
    former: Markup | None, request: MarkupRequest
) -> tuple[ChangeResponse, ...] | None:
    """Return what to answer to others, where only more clauses are to be changed than before."""
    if former is None or request.decided == former.proposal.request.decided:
        return None
    before = former.proposal.request.model_copy(update={"decided": request.decided})
    return former.redline.responses if before == request else None
