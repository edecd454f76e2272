"""Proposing changes of a contract that is to be reviewed first; kept for who asked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from fourcorners.server.tasks.handlers import TaskContext

if TYPE_CHECKING:
    from fourcorners.library.store import Library
    from fourcorners.models import Encoder
    from fourcorners.playbooks.playbook import Playbook
    from fourcorners.redline.proposal import ChangeResponse
    from fourcorners.server.store.markups import Markup, MarkupRequest, Proposal
    from fourcorners.settings import Settings

KIND = "markup"
LANE = "thinking"


def run(work: TaskContext) -> Mapping[str, str | int]:
    from fourcorners.review.run import ReviewScope
    from fourcorners.server.store.markups import MarkupRequest
    from fourcorners.server.tasks.handlers import review

    spec = work.task.spec
    document, request = spec["document"], MarkupRequest.model_validate(spec["request"])
    for book in load_playbooks(work.library, document, request):
        review.fill(work, book, ReviewScope(documents=[document]))
    person = work.task.asked_by
    made = make_proposal(work.library, work.settings, document, request, person, work.encoder)
    changes, points = len(made.redline.changes), len(made.redline.open_points)
    return {"document": document, "playbook": request.playbook, "changes": changes, "open": points}


def load_playbooks(library: Library, document: str, request: MarkupRequest) -> list[Playbook]:
    """Return the playbooks of a request; the contract's collection can be reviewed by them.

    Raises:
        NotFound: If there is no such playbook.
    """
    from fourcorners.operations.knowledge import playbooks

    collection, names = library.entry(document).collection, request.playbook.split(",")
    return [playbooks.collection_playbook(library, collection, each.strip()) for each in names]


def make_proposal(
    library: Library,
    settings: Settings,
    document: str,
    request: MarkupRequest,
    person: str,
    encoder: Encoder | None,
) -> Proposal:
    """Propose changes of a contract for a person who may, and keep them.

    Raises:
        ConfigError: If the party is not one of the contract's, or there is no such bank.
    """
    from fourcorners.redline.run import RedlineOptions, redline_contract
    from fourcorners.server.rendering.word_file import has_word_original, write_word_file
    from fourcorners.server.store.markups import Proposal, find_markup, save_proposal

    former = find_markup(library, document, request.playbook, person)
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
    is_word = has_word_original(read)
    if is_word and found.changes:  # what the file does not let be changed is left to the person
        _, found = write_word_file(settings, read, found, author=person)
    made = Proposal(request, replace(found, responses=responses), is_word)
    save_proposal(library, document, request.playbook, person, made)
    return made


def _weighed_responses(
    former: Markup | None, request: MarkupRequest
) -> tuple[ChangeResponse, ...] | None:
    """Return what to answer to others, where only more clauses are to be changed than before."""
    if former is None or request.decided == former.proposal.request.decided:
        return None
    before = former.proposal.request.model_copy(update={"decided": request.decided})
    return former.redline.responses if before == request else None
