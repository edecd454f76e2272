"""Ask: a question to a contract or a collection, watched while it is answered, and its report."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Annotated

from fastapi import APIRouter, Form, Query
from fastapi.responses import Response

from fourcorners.research.limits import TURNS
from fourcorners.server import answers
from fourcorners.server.asking import Question, begin, sources_of
from fourcorners.server.cited import lay
from fourcorners.server.desk import Desk, DeskOf
from fourcorners.server.doing import asking
from fourcorners.server.refusals import NotFound, Refusal
from fourcorners.server.steps import Step, Steps
from fourcorners.server.tasks import Task

router = APIRouter()
_SHOWN = 50  # earlier answers
_FORMS = {
    "md": "text/markdown; charset=utf-8",
    "html": "text/html; charset=utf-8",
    "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "json": "application/json",
}


@router.get("/ask")
def ask(
    desk: Desk,
    q: Annotated[str, Query(max_length=4_000)] = "",
    c: Annotated[str, Query(max_length=500)] = "",
    d: Annotated[str, Query(max_length=40)] = "",
) -> Response:
    """Show the form, the questions in hand, and the answers that there are."""
    return _form(desk, Question(q, c, d))


@router.post("/ask")
def begin_asking(
    desk: Desk,
    question: Annotated[str, Form(max_length=20_000)] = "",
    collection: Annotated[str, Form(max_length=500)] = "",
    document: Annotated[str, Form(max_length=40)] = "",
    context: Annotated[str, Form(max_length=20_000)] = "",
    instructions: Annotated[str, Form(max_length=20_000)] = "",
    turns: Annotated[int, Form()] = TURNS,
    rules: Annotated[str, Form(max_length=10)] = "",
    source: Annotated[list[str] | None, Form()] = None,
) -> Response:
    """Begin to answer a question, and show how that goes."""
    asked = Question(
        *(question, collection, document, context, instructions, turns, bool(rules)),
        sources=tuple(source or ()),
    )
    try:
        task = begin(desk, asked)
    except Refusal as refused:
        if isinstance(refused, NotFound):
            raise
        return _form(desk, asked, refused)
    return desk.see(_watch_href(task))


@router.get("/ask/at/{identifier}")
def watch(desk: Desk, identifier: str) -> Response:
    """Show how far a question is; the page renews its part, and leads to the answer."""
    task = desk.task(identifier)
    if task.kind != asking.KIND:
        raise NotFound(f"there is no question {identifier[:40]!r}.")
    if made := task.result.get("answer"):
        return _lead(desk, f"/ask/{made}")
    with desk.access() as access:
        steps = Steps(access.common(), task.id).all()
        document = task.spec["document"]
        about = access.visible(document).entry.title if document else ""
    template = "_asking.html.j2" if desk.is_partial else "asking.html.j2"
    return desk.page(template, task=task, steps=steps, by_turn=_by_turn(steps), about=about)


@router.get("/ask/{identity}")
def answer(desk: Desk, identity: str) -> Response:
    """Show an answer, with the words behind each of its sentences."""
    from fourcorners.reports.answer import NOTICE, status_of

    with desk.access() as access:
        found, kept = answers.find(access, identity)
    return desk.page(
        "answer.html.j2",
        answer=found,
        laid=lay(found),
        kept=kept,
        checked=status_of(found),
        notice=NOTICE,
        forms=("docx", "html", "md", "json"),
    )


@router.get("/ask/{identity}/report.{form}")
def report(desk: Desk, identity: str, form: str) -> Response:
    """Send an answer as a file."""
    from fourcorners.reports.answer import write_answer

    if form not in _FORMS:
        raise NotFound(f"no report is called {form[:20]!r}.", remedy=f"There are: {[*_FORMS]}.")
    with desk.access() as access:
        found, kept = answers.find(access, identity)
        access.record("export", {"answer": identity, "as": form}, always=True)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"answer.{form}"
        write_answer(found, path)
        data = path.read_bytes()
    sent = f'attachment; filename="answer-{kept.listed.id}.{form}"'
    return Response(data, media_type=_FORMS[form], headers={"Content-Disposition": sent})


def _form(desk: DeskOf, asked: Question, problem: Refusal | None = None) -> Response:
    from fourcorners.llm import is_configured

    with desk.access() as access:
        collections = [each.name for each in access.collections()]
        everything = desk.principal.overall is not None
        entry = access.visible(asked.document).entry if asked.document else None
        known = answers.earlier(
            access, collection=asked.collection or None, document=asked.document or None
        )
    settings = desk.office.settings
    return desk.page(
        "ask.html.j2",
        200 if problem is None else problem.status,
        asked=asked,
        entry=entry,
        collections=collections,
        everything=everything,
        has_model=is_configured(settings.llm),
        model=settings.llm.model,
        sources=sources_of(settings),
        earlier=known[:_SHOWN],
        more=len(known) - len(known[:_SHOWN]),
        in_hand=[
            each for each in desk.tasks() if each.kind == asking.KIND and not each.state.ended
        ],
        problem=problem,
    )


def _watch_href(task: Task) -> str:
    return f"/ask/at/{task.id}"


def _lead(desk: DeskOf, address: str) -> Response:
    """Lead to another page, also from a part of one."""
    if desk.is_partial:
        return Response(status_code=204, headers={"HX-Redirect": address})
    return desk.see(address)


def _by_turn(steps: list[Step]) -> list[tuple[Step, list[Step]]]:
    """Return each question with what came of it."""
    turns: list[tuple[Step, list[Step]]] = []
    for step in steps:
        if step.kind == "asked":
            turns.append((step, []))
        elif turns and step.kind != "planned":
            turns[-1][1].append(step)
    return turns
