"""What the pane shows and does: the open contract, its findings and changes, precedents, answers.

Each part is the server's own page in a narrow layout. What a person may see and do is decided by
the operations that the other pages call.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Annotated

from fastapi import APIRouter, Form, Query, UploadFile
from fastapi.responses import JSONResponse, Response
from starlette.datastructures import FormData

from fourcorners.documents.docx.body_paragraphs import BodyParagraph
from fourcorners.operations import answers
from fourcorners.operations.access import Access
from fourcorners.operations.ask import AskRequest
from fourcorners.operations.contracts import precedents
from fourcorners.operations.contracts.precedents import PrecedentsRequest
from fourcorners.operations.errors import NotFound
from fourcorners.operations.knowledge.playbooks import load_playbook
from fourcorners.operations.markup.decisions import decide_change
from fourcorners.operations.markup.exports import load_markup, write_markup
from fourcorners.operations.markup.proposals import add_provision, find_markup
from fourcorners.operations.markup.store import DecisionRequest, Markup, MarkupRequest
from fourcorners.operations.principal import Role
from fourcorners.operations.reviewing.findings import FindingsRequest, list_findings
from fourcorners.playbooks.playbook import Provision
from fourcorners.redline.open_points import Target
from fourcorners.redline.proposal import ChangeResponse, OpenPoint
from fourcorners.redline.word import change_comment, response_comment
from fourcorners.review.finding import CellState, Finding, Severity
from fourcorners.server.context import Context
from fourcorners.server.pages.collection import uploaded_files
from fourcorners.server.pages.markup import ChangeView, bank_names, change_views, markup_choices
from fourcorners.server.tasks.handlers.add import receive_files
from fourcorners.server.tasks.handlers.ask import start_question
from fourcorners.server.tasks.handlers.markup import start_proposal
from fourcorners.server.word.known import find_same_words
from fourcorners.server.word.placement import (
    PaneChange,
    WordPlace,
    document_paragraphs,
    first_place,
    place_change,
    place_replacement,
    place_words,
)

router = APIRouter(prefix="/word")
_Name = Annotated[str, Form(max_length=500)]
_Word = Annotated[str, Query(max_length=500)]
_Words = Annotated[str, Form(max_length=20_000)]
_SHOWN = frozenset({CellState.FOUND, CellState.TO_READ, CellState.FAILED})


@router.get("/start")
def start(context: Context) -> Response:
    """Show where the open contract may be put; the first part that a pane draws."""
    with context.access() as access:
        names = [
            each.name
            for each in access.collections()
            if context.principal.may(Role.EDITOR, each.name)
        ]
    return context.page("word_start.html.j2", collections=names)


@router.post("/documents")
def add_document(
    context: Context, collection: Annotated[str, Form(max_length=120)], files: list[UploadFile]
) -> Response:
    """Add the open contract to a collection; the same words are there once."""
    form = FormData([("collection", collection), *(("files", each) for each in files)])
    name, sent = uploaded_files(context, form, "Open a contract in Word.")
    file = sent[0][1].file
    digest = sha256(file.read()).hexdigest()
    file.seek(0)
    with context.access() as access:
        library = access.common()
        known = library.document_with(digest, name) or find_same_words(
            library, context.state.settings, name, file
        )
        if known is not None:
            return JSONResponse({"document": access.visible(known).entry.id})
    task = receive_files(context, name, [(sent[0][0], file)])
    return JSONResponse({"task": task.id, "sha256": digest}, 202)


@router.get("/documents")
def find_document(context: Context, task: _Word, digest: _Word) -> Response:
    """Return the contract that a task has added, by the hash of its bytes."""
    found = context.task(task)
    with context.access() as access:
        document = access.common().document_with(digest, found.collection)
        if document is None:
            raise NotFound(
                "this contract could not be read.", remedy="Save it as .docx, and try again."
            )
        return JSONResponse({"document": access.visible(document).entry.id})


@router.get("/d/{document}")
def choose_party(context: Context, document: str) -> Response:
    """Show for whom, and by what, the open contract may be reviewed."""
    with context.access() as access:
        called = access.titles([document])[access.visible(document).entry.id]
        choices = markup_choices(access, document)
    return context.page("word_review.html.j2", document=document, called=called, **choices)


@router.post("/d/{document}")
def review(
    context: Context,
    document: str,
    p: Annotated[list[_Name], Form()],
    party: _Name = "",
    aim: Annotated[Target, Form()] = "smallest",
    reviewer: _Name = "",
) -> Response:
    """Review the open contract for a party, propose changes, and weigh those of others."""
    asked = MarkupRequest.from_fields(
        playbook=",".join(p), party=party, target=aim, reviewer=reviewer.strip()
    )
    task = start_proposal(context, document, asked)
    return JSONResponse({"task": task.id, "playbook": asked.playbook} if task else
                        {"playbook": asked.playbook})  # fmt: skip


@dataclass(frozen=True, slots=True)
class FindingCard:
    """A finding as the pane shows it: what it is about, and where its likeliest words are."""

    book: str
    provision: Provision
    finding: Finding
    words: tuple[str, ...]
    place: WordPlace | None


@dataclass(frozen=True, slots=True)
class ChangeCard:
    """A proposed change, and how it is put into the open document."""

    view: ChangeView
    placed: PaneChange
    place: WordPlace | None


@dataclass(frozen=True, slots=True)
class PointCard:
    """What is left to a person, and where its words are."""

    point: OpenPoint
    place: WordPlace | None


@dataclass(frozen=True, slots=True)
class ResponseCard:
    """A change of the other side, what to answer to it, and where it is.

    Attributes:
        counter: The id of the change that is made instead; empty if there is none.
        reject: What restores the words before, as a change of one's own.
    """

    response: ChangeResponse
    place: WordPlace | None
    comment: str
    counter: str
    reject: PaneChange | None


@router.get("/d/{document}/cards")
def show_cards(context: Context, document: str, p: _Word = "") -> Response:
    """Show what was found in the open contract, and what may be changed in it."""
    with context.access() as access:
        found, read = find_markup(access, document, p), access.document(document)
        collection = access.visible(document).entry.collection
        cells = [*_findings(access, found, collection)]
        names = [each.name for each in access.collections()]
        banks = bank_names(access)
    paragraphs = document_paragraphs(context.state.settings, read)
    views, redline = change_views(found, read.text), found.redline
    return context.page(
        "word_cards.html.j2",
        document=document,
        collection=collection,
        collections=names,
        banks=banks,
        markup=found,
        may_mark=context.principal.may(Role.REVIEWER, collection),
        findings=[_finding_card(paragraphs, *each) for each in cells],
        changes=[_change_card(paragraphs, each) for each in views],
        points=[
            PointCard(each, first_place(paragraphs, each.quotes)) for each in redline.open_points
        ],
        responses=[_response_card(paragraphs, each, views) for each in redline.responses],
    )


def _findings(
    access: Access, found: Markup, collection: str
) -> Iterator[tuple[str, Provision, Finding]]:
    """Yield what matters of the findings of a mark-up, with the playbook's id, the gravest first.

    Of a provision that several playbooks have, the first one's counts, as in the mark-up.
    """
    cells: dict[str, tuple[str, Provision, Finding]] = {}
    for name in found.playbook.split(","):
        book = load_playbook(access, name.strip(), collection)
        asked = FindingsRequest(
            collection=collection, playbook=book.id, documents=[found.redline.document]
        )
        provisions = {each.id: each for each in book.provisions}
        for finding in list_findings(access, asked):
            if provision := provisions.get(finding.provision):
                cells.setdefault(provision.id, (book.id, provision, finding))
    for cell in sorted(cells.values(), key=lambda each: -each[2].severity.rank):
        if cell[2].state in _SHOWN or cell[2].severity is not Severity.NONE:
            yield cell


def _finding_card(
    paragraphs: Sequence[BodyParagraph], book: str, provision: Provision, finding: Finding
) -> FindingCard:
    own = finding.position.quotes if finding.position else ()
    quotes = (*own, *(each.quote for each in finding.evidence))
    words = tuple(each.words for each in quotes[:1])
    return FindingCard(book, provision, finding, words, first_place(paragraphs, quotes[:1]))


def _change_card(paragraphs: Sequence[BodyParagraph], view: ChangeView) -> ChangeCard:
    change = view.change
    placed = place_change(paragraphs, change, view.id, change_comment(change))
    place = placed.after or (placed.edits[0].place if placed.edits else None)
    return ChangeCard(view, placed, place or first_place(paragraphs, change.quotes))


def _response_card(
    paragraphs: Sequence[BodyParagraph], response: ChangeResponse, views: Sequence[ChangeView]
) -> ResponseCard:
    counter, change = response.counter, response.change
    own = (
        each.id
        for each in views
        if counter is not None
        and (each.change.provision, each.change.span) == (counter.provision, counter.span)
    )
    comment = response_comment(response)
    reject = place_replacement(paragraphs, change.span, change.before, comment)
    place = reject.edits[0].place if reject.edits else first_place(paragraphs, response.quotes)
    return ResponseCard(response, place, comment, next(own, ""), reject)


@router.post("/d/{document}/decide")
def decide(
    context: Context, document: str, p: _Name, change: _Name, says: _Name, words: _Words = ""
) -> Response:
    """Keep that a change was put in, edited, rejected or taken back."""
    asked = DecisionRequest.from_fields(playbook=p, state=says, words=words)
    with context.access() as access:
        decide_change(access, context.state.settings, document, change, asked)
    return show_cards(context, document, p)


@router.post("/d/{document}/include")
def add_change(context: Context, document: str, p: _Name, provision: _Name) -> Response:
    """Propose a change of what was left to the person."""
    with context.access() as access:
        add_provision(access, context.state.engines, document, p, provision)
    return show_cards(context, document, p)


@router.get("/d/{document}/marked")
def download_copy(context: Context, document: str, p: _Word = "") -> Response:
    """Return the server's own file with the changes that were decided, to open next to this one."""
    with context.access() as access:
        made = load_markup(access, document, p, "docx")
    return Response(write_markup(made, context.state.settings), media_type=made.media_type)


@router.post("/precedents")
def find_precedents(context: Context, q: _Words, from_: Annotated[str, Form(alias="from")] = ""
) -> Response:  # fmt: skip
    """Show the best clauses of what a person may read."""
    kind, _, name = from_.partition(":")
    with context.access() as access:
        asked = PrecedentsRequest.from_fields(
            query=q,
            bank=name if kind == "b" else "",
            collection=(name or None) if kind != "b" else None,
        )
        found = precedents.find_precedents(access, asked, context.state.engines)
    return context.page("word_precedents.html.j2", found=found.found, message=found.note)


@router.post("/ask")
def ask(context: Context, document: _Name, question: _Words) -> Response:
    """Begin to answer a question about the open contract."""
    task = start_question(context, AskRequest.from_fields(question=question, documents=[document]))
    return JSONResponse({"task": task.id}, 202)


@router.get("/answers/{identity}")
def show_answer(context: Context, identity: str, document: _Word = "") -> Response:
    """Show an answer; its words in the open contract can be gone to."""
    from fourcorners.reports.answer_layout import lay_out_answer

    with context.access() as access:
        found, _ = answers.find_answer(access, identity)
        read = access.document(document)
    laid, paragraphs = lay_out_answer(found), document_paragraphs(context.state.settings, read)
    places = {
        each.number: place_words(paragraphs, each.cited.quote.span)
        for each in laid.evidence
        if each.cited.document == document
    }
    return context.page(
        "word_answer.html.j2", answer=found, laid=laid, places=places, identity=identity
    )
