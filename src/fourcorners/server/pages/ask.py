"""Ask: a question to a contract or a collection, watched while it is answered, and its report."""

from __future__ import annotations

import json
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import Response, StreamingResponse

from fourcorners.errors import ConfigError
from fourcorners.operations import answers
from fourcorners.operations.ask import MAX_DOCUMENTS, AskRequest, known_sources
from fourcorners.operations.errors import NotFound, Refusal
from fourcorners.reports.file_types import FILE_TYPES
from fourcorners.research.answer import TURNS
from fourcorners.server.context import Context, RequestContext, send_written
from fourcorners.server.event_stream import stream_task
from fourcorners.server.nul import read_form
from fourcorners.server.tasks.handlers import ask as ask_task
from fourcorners.server.tasks.handlers.ask import start_question
from fourcorners.server.tasks.queue import Task
from fourcorners.server.tasks.steps import ProgressStep, ProgressSteps

router = APIRouter()
_SHOWN = 50  # earlier answers
FORMS = ("docx", "pdf", "xlsx", "html", "md", "json")
"""What a report is written as."""


@router.get("/ask")
def ask(
    context: Context,
    q: Annotated[str, Query(max_length=4_000)] = "",
    c: Annotated[str, Query(max_length=500)] = "",
    d: Annotated[str, Query(max_length=40)] = "",
    documents: Annotated[str, Query(max_length=MAX_DOCUMENTS * 40)] = "",
    follows: Annotated[str, Query(max_length=40)] = "",
) -> Response:
    """Show the form, the questions in hand, and the answers that there are.

    `documents` are those that somebody selected, by ids with commas between them.
    """
    chosen = _ids(documents) or _ids(d)
    asked = AskRequest.model_construct(
        question=q,
        collection=c,
        documents=chosen if len(chosen) <= MAX_DOCUMENTS else [],
        follows=follows,
    )
    if len(chosen) > MAX_DOCUMENTS:
        problem = Refusal(
            f"a question is about {MAX_DOCUMENTS} contracts at most, not {len(chosen)}.",
            remedy="Select fewer, or ask the whole collection.",
        )
        return _form(context, asked, problem)
    return _form(context, asked)


def _ids(joined: str) -> list[str]:
    return list(dict.fromkeys(each for each in joined.split(",") if each))


async def _form_fields(request: Request) -> dict[str, Any]:
    form = await read_form(request, max_files=0)
    texts = ("question", "collection", "context", "instructions", "follows")
    return {
        **{name: str(form.get(name, "")) for name in texts},
        "documents": _ids(str(form.get("documents", ""))),
        "sources": form.getlist("sources"),
        "turns": int(turns) if (turns := str(form.get("turns", ""))).isdecimal() else TURNS,
        "rules": "rules" in form,
    }


@router.post("/ask")
def begin_asking(
    context: Context, fields: Annotated[dict[str, Any], Depends(_form_fields)]
) -> Response:
    """Begin to answer a question, and show how that goes."""
    try:
        task = start_question(context, AskRequest.from_fields(**fields))
    except NotFound:
        raise
    except (ConfigError, Refusal) as problem:
        return _form(context, AskRequest.model_construct(**fields), problem)
    return context.redirect(f"/ask/at/{task.id}")


@router.get("/ask/at/{identifier}")
def watch(context: Context, identifier: str) -> Response:
    """Show how far a question is; a script adds what happens, and leads to the answer."""
    task, steps = _happened(context, identifier)
    if made := task.result.get("answer"):
        return context.redirect(f"/ask/{made}")
    with context.access() as access:
        about = [access.visible(each).entry for each in task.spec.get("documents", ())]
    return context.page(
        "asking.html.j2", by_turn=_by_turn(steps), about=about, **_head(task, steps)
    )


@router.get("/ask/at/{identifier}/steps", response_class=StreamingResponse)
async def watch_steps(context: Context, identifier: str) -> StreamingResponse:
    """Send the parts of the page that change while a question is answered."""
    await run_in_threadpool(_happened, context, identifier)  # refuses before the stream begins
    return stream_task(context, identifier, "part", _changed_parts, lambda _: "")


def _changed_parts(
    context: RequestContext, identifier: str, sent: list[str]
) -> tuple[Task, list[str]]:
    task, steps = _happened(context, identifier)
    head = context.render("_asking_head.html.j2", **_head(task, steps))
    parts: list[tuple[str | int, str]] = [("head", head)]
    known = {str(json.loads(each)["at"]) for each in sent} - {"head"}
    for at, (question, came) in enumerate(_by_turn(steps)):
        if at >= len(known) - 1:  # only the last turn goes on
            turn = context.render("_asking_turn.html.j2", question=question, came=came)
            parts.append((at, turn))
    drawn = [json.dumps({"at": at, "html": html}) for at, html in parts]
    return task, [each for each in drawn if each not in sent]


def _happened(context: RequestContext, identifier: str) -> tuple[Task, list[ProgressStep]]:
    task = context.task(identifier)
    if task.kind != ask_task.KIND:
        raise NotFound(f"there is no question {identifier[:40]!r}.")
    with context.access() as access:
        return task, ProgressSteps(access.common(), task.id).all()


def _head(task: Task, steps: list[ProgressStep]) -> dict[str, Any]:
    return {
        "task": task,
        "planned": [step for step in steps if step.kind == "planned"],
        "tokens": sum(step.tokens for step in steps),
    }


@router.get("/ask/{identity}")
def answer(context: Context, identity: str) -> Response:
    from fourcorners.llm import is_configured
    from fourcorners.reports.answer import NOTICE, status_of
    from fourcorners.reports.answer_layout import lay_out_answer
    from fourcorners.research.follow_up import earlier_contracts
    from fourcorners.research.offline.collection import ORDER

    with context.access() as access:
        found, stored = answers.find_answer(access, identity)
        thread = answers.find_thread(access, stored)
    laid = lay_out_answer(found)
    listed = [each for row in found.rows for each in (*row.leads, row.quote) if each]
    places = {(each.document, each.quote.span) for each in listed}
    return context.page(
        "answer.html.j2",
        answer=found,
        thread=thread,
        about=earlier_contracts(found),
        orders={state: at for at, state in enumerate(ORDER)},
        by_model=is_configured(context.state.settings.llm),
        laid=laid,
        # Sentences show their words next to them; of a table, these are the words beyond its rows.
        beyond=[
            each
            for each in laid.evidence
            if places and (each.cited.document, each.cited.quote.span) not in places
        ],
        stored=stored,
        checked=status_of(found),
        notice=NOTICE,
        forms=[each for each in FORMS if each != "xlsx" or found.rows],
    )


@router.get("/ask/{identity}/report.{form}")
def report(context: Context, identity: str, form: str) -> Response:
    from fourcorners.reports.answer import write_answer

    if form not in FORMS:
        raise NotFound("Unsupported format.", remedy=f"Choose one of {', '.join(FORMS)}.")
    with context.access() as access:
        found, stored = answers.find_answer(access, identity)
        access.record("export", {"answer": identity, "as": form}, always=True)
    name = f"answer-{stored.summary.id}.{form}"
    return send_written(name, FILE_TYPES[form], lambda path: write_answer(found, path))


def _form(
    context: RequestContext, asked: AskRequest, problem: ConfigError | Refusal | None = None
) -> Response:
    from fourcorners.llm import is_configured

    with context.access() as access:
        collections = [each.name for each in access.collections()]
        everything = context.principal.role_everywhere is not None
        entries = [access.visible(each).entry for each in asked.documents]
        document = entries[0].id if len(entries) == 1 else None
        known = answers.list_answers(access, collection=asked.collection or None, document=document)
    settings = context.state.settings
    going = [each for each in context.tasks() if each.kind == ask_task.KIND]
    return context.page(
        "ask.html.j2",
        asked=asked,
        entries=entries,
        collections=collections,
        everything=everything,
        has_model=is_configured(settings.llm),
        model=settings.llm.model,
        sources=known_sources(settings),
        earlier=known[:_SHOWN],
        more=len(known) - len(known[:_SHOWN]),
        in_hand=[each for each in going if not each.state.is_final],
        problem=problem,
    )


def _by_turn(steps: list[ProgressStep]) -> list[tuple[ProgressStep, list[ProgressStep]]]:
    turns: list[tuple[ProgressStep, list[ProgressStep]]] = []
    for step in steps:
        if step.kind == "asked":
            turns.append((step, []))
        elif turns and step.kind != "planned":
            turns[-1][1].append(step)
    return turns
