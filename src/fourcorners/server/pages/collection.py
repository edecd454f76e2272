"""A collection: its documents, uploads into it, the check of its papers; and search over all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, date, datetime
from typing import Annotated
from urllib.parse import urlencode

from fastapi import APIRouter, Form, Query, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import JSONResponse, Response
from starlette.datastructures import FormData, UploadFile

from fourcorners.errors import LibraryError
from fourcorners.library.tokens import fold_name
from fourcorners.operations.access import Access
from fourcorners.operations.documents import MAX_TAG, document_table, note_visit
from fourcorners.operations.errors import Refusal
from fourcorners.operations.failures import failure_id, help_requests
from fourcorners.operations.knowledge.playbooks import usable_playbooks
from fourcorners.operations.principal import Role
from fourcorners.operations.search import PassagesRequest, search_passages
from fourcorners.search.hit import Hit
from fourcorners.server.context import Context, RequestContext
from fourcorners.server.links import collection_href
from fourcorners.server.nul import read_form
from fourcorners.server.rendering.styled_runs import TextRun
from fourcorners.server.store import health_checks
from fourcorners.server.store.collections import CollectionRequest, create_collection
from fourcorners.server.store.uploads import MAX_FILES
from fourcorners.server.store.watches import stopped_watches
from fourcorners.server.tasks import arrivals
from fourcorners.server.tasks.handlers import add as add_task
from fourcorners.server.tasks.handlers import health as health_task
from fourcorners.server.tasks.handlers.add import receive_files
from fourcorners.server.tasks.queue import Task
from fourcorners.text.span import intersect_spans

router = APIRouter()
_PAGE = 100  # documents of one page
_LIMIT = 25  # hits
_NAMES = 8  # documents by name
_MAX_SEARCHED = 50  # tasks looked through for one that goes on
# What documents are sorted by, and what that is called: `-` stands for the other way round.
_SORTS = {
    "": "File name",
    "document": "Document",
    "type": "Type",
    "party": "Party",
    "dated": "Date, oldest first",
    "-dated": "Date, newest first",
    "-pages": "Pages, most first",
    "-added": "Added, newest first",
}
_EARLIEST, _LATEST = date(1900, 1, 1), date(2200, 1, 1)


@router.get("/c/{name:path}")
def show(
    context: Context,
    name: str,
    find: Annotated[str, Query(max_length=200)] = "",
    tag: Annotated[str, Query(max_length=MAX_TAG)] = "",
    sort: Annotated[str, Query(max_length=20)] = "",
    page: Annotated[int, Query(ge=1, le=100_000)] = 1,
    helped: Annotated[bool, Query()] = False,
) -> Response:
    with context.access() as access:
        table = document_table(access, name, find=find, tag=tag, sort=sort)
        here = table.entries[(page - 1) * _PAGE : page * _PAGE]
        cards, called = access.cards(here), access.titles(each.id for each in here)
        failures = access.failures(name)
        reviewed = _arrivals(access, name)
        with suppress(LibraryError):  # as where the disk is full: what there is can still be read
            note_visit(access, name)
        wanted = help_requests(access, name, [context.principal.name]) if failures else []
        known = {fold_name(each.name): each for each in access.collections()}[fold_name(name)]
        watches = stopped_watches(access.common(), context.state.settings.watch)
    adding = None if table.total else _last_task(context, add_task.KIND, name)
    return context.page(
        "collection.html.j2",
        name=known.name,
        read_for=known.read_for,
        total=table.total,
        fitting=len(table.entries),
        tags=table.tags,
        known_tags=sorted(
            {each for tags in table.tags.values() for each in tags}, key=str.casefold
        ),
        tag=tag,
        sort=sort,
        sorts=_SORTS,
        entries=here,
        cards=cards,
        called=called,
        adding=adding if adding and not adding.state.is_final else None,
        failures=[
            (failure_id(each), context.state.uploads.display_path(each.path), each)
            for each in failures
        ],
        asked_for_help=wanted,
        stopped=[each for each in watches if each.collection == known.name],
        arrivals=reviewed,
        may_review=context.principal.may(Role.REVIEWER, name),
        helped=helped,
        find=find,
        number=page,
        last=max(1, -(-len(table.entries) // _PAGE)),
        may_edit=context.principal.may(Role.EDITOR, name),
        may_audit=context.principal.may(Role.ADMIN, name),
        may_admit=context.state.team and context.principal.may(Role.ADMIN, name),
    )


@router.post("/collections")
def create(
    context: Context,
    name: Annotated[str, Form(max_length=120)],
    client: Annotated[str, Form(max_length=2_000)] = "",
    member: Annotated[Sequence[str], Form(max_length=100)] = (),
    role: Annotated[Sequence[str], Form(max_length=100)] = (),
) -> Response:
    """Make an empty collection; `role` has a role for each `member` that is named."""
    named = [(who.strip(), what) for who, what in zip(member, role, strict=False) if who.strip()]
    if missing := [who for who, what in named if not what]:
        raise Refusal(f"choose a role for {missing[0]}.")
    asked = CollectionRequest.from_fields(
        name=name,
        read_for=[each.strip() for each in client.split(";") if each.strip()],
        members=[{"user": who, "role": what} for who, what in named],
    )
    with context.access() as access:
        return context.redirect(collection_href(create_collection(access, asked)))


def _arrivals(access: Access, collection: str) -> list[tuple[str, str, bool]]:
    """Return by which playbooks a collection is reviewed, and whether what arrives is too."""
    library = access.library_for(collection, Role.READER)
    reviewed = arrivals.reviews_of(library, collection)
    off = arrivals.disabled_reviews(library, collection)
    books = usable_playbooks(access, collection) if reviewed else []
    return [(each.id, each.name, each.id not in off) for each in books if each.id in reviewed]


@router.post("/collections/arrivals")
def review_arrivals(
    context: Context,
    c: Annotated[str, Form(max_length=500)],
    p: Annotated[str, Form(max_length=200)],
    wanted: Annotated[bool, Form()],
) -> Response:
    """Have what arrives in a collection reviewed by a playbook, or no longer."""
    with context.access() as access:
        arrivals.review_arrivals(access, c, p, wanted=wanted)
    return context.redirect(collection_href(c))


@router.post("/remove")
def remove(context: Context, document: Annotated[str, Form()]) -> Response:
    with context.access() as access:
        collection = access.visible(document).entry.collection
        paths = access.remove(document)
    context.delete_files(paths)
    return context.redirect(collection_href(collection))


@router.post("/upload")
async def upload(request: Request, context: Context) -> Response:
    """Keep the files, begin to read them, and show how that goes."""
    form = await read_form(request, max_files=MAX_FILES, max_fields=MAX_FILES)
    try:
        task = await run_in_threadpool(_take, context, form)
    finally:
        await form.close()
    address = f"/tasks/{task.id}"
    if "application/json" in request.headers.get("accept", ""):
        return JSONResponse({"task": task.id, "href": address}, 202)
    return context.redirect(address)


def uploaded_files(
    context: RequestContext, form: FormData, remedy: str
) -> tuple[str, list[tuple[str, UploadFile]]]:
    """Return the collection that a form names, and the files in it by their names.

    Raises:
        Refusal: If it names no collection, or has no file; the latter with this remedy.
        NotAllowed: If they are no editor there.
    """
    collection = " ".join(str(form.get("collection", "")).split())
    if not collection or len(collection) > 120:
        raise Refusal("a collection needs a name of at most 120 characters.")
    with context.access() as access:
        access.require(Role.EDITOR, collection, to_come=True)
    sent = [each for each in form.getlist("files") if isinstance(each, UploadFile)]
    files = [(_sent_name(each.filename), each) for each in sent if each.filename]
    if not files:
        raise Refusal("no file was sent.", remedy=remedy)
    return collection, files


def _sent_name(name: str) -> str:
    """Return a file's name as it was before it was put into a form.

    In a form three characters of a name are escaped, and no other is (WHATWG, HTML, 4.10.21.8).
    """
    for escaped, character in (("%22", '"'), ("%0D", "\r"), ("%0A", "\n")):
        name = name.replace(escaped, character)
    return name


def _take(context: RequestContext, form: FormData) -> Task:
    collection, files = uploaded_files(context, form, "Choose files or a folder first.")
    return receive_files(context, collection, ((name, each.file) for name, each in files))


@router.get("/health")
def show_health(context: Context, c: Annotated[str, Query(max_length=500)]) -> Response:
    """Show what the last check of a collection's papers found, and how far one is that goes on."""
    with context.access() as access:
        checked = health_checks.visible_check(access, c)
        entries = access.documents(c)
        names = Counter(each.name for each in entries)
        ids = {each.name: each.id for each in entries if names[each.name] == 1}
        symptoms = checked.health.symptoms if checked else ()
        quoted = {each.document for each in symptoms if each.document and each.span}
        texts = {document: access.text(document) for document in quoted}
        documents = [each.document for each in symptoms if each.document]
        others = (ids[name] for each in symptoms for name in each.others if name in ids)
        called = access.titles([*documents, *others])
    return context.page(
        "health.html.j2",
        name=c,
        checked=checked,
        classes=list(health_checks.group_by_class(checked.health)) if checked else [],
        texts=texts,
        called=called,
        display_path=context.state.uploads.display_path,
        ids=ids,
        task=_last_task(context, health_task.KIND, c),
        today=datetime.now(UTC).date(),
    )


@router.post("/health")
def check(
    context: Context,
    c: Annotated[str, Form(max_length=500)],
    as_of: Annotated[str, Form(max_length=20)] = "",
) -> Response:
    begin(context, c, parse_date(as_of) if as_of.strip() else None)
    return context.redirect(f"/health?{urlencode({'c': c})}")


def begin(context: RequestContext, collection: str, as_of: date | None = None) -> Task:
    """Check the papers of a collection, unless that is going on already.

    Raises:
        NotFound: If they may not know of the collection.
    """
    with context.access() as access:
        access.require(Role.READER, collection)
    going = _last_task(context, health_task.KIND, collection)
    if going is not None and not going.state.is_final:
        return going
    spec = {"as_of": (as_of or datetime.now(UTC).date()).isoformat()}
    return context.start_task(health_task.KIND, health_task.LANE, collection, spec)


def _last_task(context: RequestContext, kind: str, collection: str) -> Task | None:
    """Return the last task of a kind in a collection, if it is among the last of all."""
    fold = fold_name(collection)
    found = (each for each in context.tasks(limit=_MAX_SEARCHED) if each.kind == kind)
    return next((each for each in found if fold_name(each.collection) == fold), None)


def parse_date(text: str) -> date:
    """Return a day that somebody wrote as 2026-03-01.

    Raises:
        Refusal: If it is none.
    """
    problem = "this is not a date."
    with suppress(ValueError):
        given = date.fromisoformat(text.strip())
        if _EARLIEST <= given <= _LATEST:
            return given
        problem = "the date must be between 1900 and 2200."
    raise Refusal(problem, remedy="Write it as 2026-03-01.")


@router.get("/search")
def search(
    context: Context,
    q: Annotated[str, Query(max_length=2_000)] = "",
    c: Annotated[str, Query(max_length=500)] = "",
) -> Response:
    asked = PassagesRequest.from_fields(query=q, collection=c or None, limit=_LIMIT)
    found, problem = None, None
    if q.strip():
        engines = context.state.engines
        found, problem = context.attempt(lambda access: search_passages(access, asked, engines))
    with context.access() as access:
        collections = [each.name for each in access.collections()]
        inside = access.documents(c or None) if q.strip() else []
        named = [each for each in inside if _fits(f"{each.name} {each.title}", q)][:_NAMES]
        hits = found.hits if found else ()
        called = access.titles([*(each.document for each in hits), *(each.id for each in named)])
        damaged = access.left_out(c or None) if problem is None else []
        damaged = [*filter(None, [found.failure if found else ""]), *damaged]
    return context.page(
        "search.html.j2",
        q=q,
        c=c,
        collections=collections,
        named=named,
        called=called,
        hits=[(hit, _snippet(hit)) for hit in hits],
        problem=problem,
        damaged=damaged,
    )


def _snippet(hit: Hit) -> list[TextRun]:
    """Return the snippet of a hit, cut where its matches start and end."""
    pieces = []
    at = hit.snippet.start
    for span in intersect_spans(hit.matched, [hit.snippet]):
        pieces.append(TextRun(hit.words[at - hit.span.start : span.start - hit.span.start]))
        pieces.append(TextRun(span.shift(-hit.span.start).text_in(hit.words), marked=True))
        at = span.end
    pieces.append(TextRun(hit.words[at - hit.span.start : hit.snippet.end - hit.span.start]))
    return [piece for piece in pieces if piece.text]


def _fits(text: str, find: str) -> bool:
    return all(word in text.casefold() for word in find.casefold().split())
