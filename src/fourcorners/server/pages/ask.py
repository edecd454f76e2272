"""Ask: a question to a contract or a collection, watched while it is answered, and its report."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Form, Query
from fastapi.responses import Response
from pydantic import BaseModel, Field

from fourcorners.operations.errors import NotFound, Refusal
from fourcorners.research.answer import TURNS, Answer, Citation, Role, Statement
from fourcorners.server.context import Context, RequestContext
from fourcorners.server.links import quote_href
from fourcorners.server.store import answers
from fourcorners.server.tasks.handlers import ask as ask_task
from fourcorners.server.tasks.handlers.ask import Question, sources_of, start_question
from fourcorners.server.tasks.steps import ProgressStep, ProgressSteps
from fourcorners.work_folder import make_temporary_folder

router = APIRouter()
_SHOWN = 50  # earlier answers
FORMS = {
    "md": "text/markdown; charset=utf-8",
    "html": "text/html; charset=utf-8",
    "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "json": "application/json",
}
_TITLES = {
    Role.EXCEPTION: "Exceptions",
    Role.AMENDMENT: "Amendments",
    Role.DEFINITION: "Definitions of terms that are used",
    Role.REFERENCE: "Clauses that are referred to",
    Role.COMPUTED: "Dates and sums",
    Role.OTHER_READING: "How else it may be read",
}


@dataclass(frozen=True, slots=True)
class NumberedQuote:
    """Words of a contract, with the number that sentences name them by, and their address."""

    number: int
    cited: Citation
    href: str


@dataclass(frozen=True, slots=True)
class CitedSentence:
    """A statement with its evidence."""

    statement: Statement
    evidence: tuple[NumberedQuote, ...]


@dataclass(frozen=True, slots=True)
class SentenceGroup:
    """Sentences under a title; it is empty for those that come first."""

    title: str
    sentences: tuple[CitedSentence, ...]


@dataclass(frozen=True, slots=True)
class AnswerLayout:
    """A report laid out; a sentence stands in it once."""

    answer: tuple[CitedSentence, ...]
    conditions: tuple[CitedSentence, ...]
    readings: tuple[CitedSentence, ...]
    summary: tuple[CitedSentence, ...]
    findings: tuple[SentenceGroup, ...]
    evidence: tuple[NumberedQuote, ...]


@router.get("/ask")
def ask(
    context: Context,
    q: Annotated[str, Query(max_length=4_000)] = "",
    c: Annotated[str, Query(max_length=500)] = "",
    d: Annotated[str, Query(max_length=40)] = "",
) -> Response:
    """Show the form, the questions in hand, and the answers that there are."""
    return _form(context, Question(q, c, d))


class _QuestionForm(BaseModel):
    """A question as the form has it."""

    question: Annotated[str, Field(max_length=20_000)] = ""
    collection: Annotated[str, Field(max_length=500)] = ""
    document: Annotated[str, Field(max_length=40)] = ""
    context: Annotated[str, Field(max_length=20_000)] = ""
    instructions: Annotated[str, Field(max_length=20_000)] = ""
    turns: int = TURNS
    rules: Annotated[str, Field(max_length=10)] = ""
    source: tuple[str, ...] = ()


@router.post("/ask")
def begin_asking(context: Context, form: Annotated[_QuestionForm, Form()]) -> Response:
    """Begin to answer a question, and show how that goes."""
    given = form.model_dump(exclude={"rules", "source"})
    asked = Question(**given, rules=bool(form.rules), sources=form.source)
    try:
        task = start_question(context, asked)
    except NotFound:
        raise
    except Refusal as refused:
        return _form(context, asked, refused)
    return context.redirect(f"/ask/at/{task.id}")


@router.get("/ask/at/{identifier}")
def watch(context: Context, identifier: str) -> Response:
    """Show how far a question is; the page renews its part, and leads to the answer."""
    task = context.task(identifier)
    if task.kind != ask_task.KIND:
        raise NotFound(f"there is no question {identifier[:40]!r}.")
    if made := task.result.get("answer"):
        if context.is_partial:  # a part of a page leads to another page, too
            return Response(status_code=204, headers={"HX-Redirect": f"/ask/{made}"})
        return context.redirect(f"/ask/{made}")
    with context.access() as access:
        steps = ProgressSteps(access.common(), task.id).all()
        document = task.spec["document"]
        about = access.visible(document).entry.title if document else ""
    template = "_asking.html.j2" if context.is_partial else "asking.html.j2"
    return context.page(
        template,
        task=task,
        by_turn=_by_turn(steps),
        about=about,
        assumed=[each for step in steps if step.kind == "planned" for each in step.says],
        tokens=sum(step.tokens for step in steps),
    )


@router.get("/ask/{identity}")
def answer(context: Context, identity: str) -> Response:
    from fourcorners.reports.answer import NOTICE, status_of

    with context.access() as access:
        found, stored = answers.find_answer(access, identity)
    return context.page(
        "answer.html.j2",
        answer=found,
        laid=lay_out_answer(found),
        stored=stored,
        checked=status_of(found),
        notice=NOTICE,
        forms=("docx", "html", "md", "json"),
    )


@router.get("/ask/{identity}/report.{form}")
def report(context: Context, identity: str, form: str) -> Response:
    from fourcorners.reports.answer import write_answer

    if form not in FORMS:
        raise NotFound(f"no report is called {form[:20]!r}.", remedy=f"There are: {[*FORMS]}.")
    with context.access() as access:
        found, stored = answers.find_answer(access, identity)
        access.record("export", {"answer": identity, "as": form}, always=True)
    with make_temporary_folder() as folder:
        path = folder / f"answer.{form}"
        write_answer(found, path)
        data = path.read_bytes()
    sent = f'attachment; filename="answer-{stored.summary.id}.{form}"'
    return Response(data, media_type=FORMS[form], headers={"Content-Disposition": sent})


def _form(context: RequestContext, asked: Question, problem: Refusal | None = None) -> Response:
    from fourcorners.llm import is_configured

    with context.access() as access:
        collections = [each.name for each in access.collections()]
        everything = context.principal.role_everywhere is not None
        entry = access.visible(asked.document).entry if asked.document else None
        collection, document = asked.collection or None, asked.document or None
        known = answers.list_answers(access, collection=collection, document=document)
    settings = context.state.settings
    going = [each for each in context.tasks() if each.kind == ask_task.KIND]
    return context.page(
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


def lay_out_answer(answer: Answer) -> AnswerLayout:
    """Lay a report out: the answer first, then what it depends on, then what else was found."""
    layer, direct = _Layer(), answer.answer
    parts = (direct.sentences, direct.conditions, direct.readings, answer.summary)
    first, conditions, readings, summary = (layer.sentences(each) for each in parts)
    findings = tuple(_grouped(layer, (*answer.findings, *answer.beside)))
    return AnswerLayout(first, conditions, readings, summary, findings, tuple(layer.evidence))


def _grouped(layer: _Layer, findings: Iterable[Statement]) -> Iterable[SentenceGroup]:
    titles: dict[str, list[Statement]] = {}
    parts = list(dict.fromkeys(each.part for each in findings))
    for each in findings:
        title = _TITLES.get(each.role, each.part if len(parts) > 1 else "")
        titles.setdefault(title, []).append(each)
    for title, statements in titles.items():
        if shown := layer.sentences(statements):
            yield SentenceGroup(title, shown)


class _Layer:
    """Numbers words in the order in which they are met, and passes over what stands already."""

    def __init__(self) -> None:
        self.evidence: list[NumberedQuote] = []
        self._known: dict[tuple[str, int, int], NumberedQuote] = {}
        # Whatever part of the question it is of: the same words twice tell nobody more.
        self._shown_before: set[tuple[str, str, tuple[str, ...], tuple[NumberedQuote, ...]]] = set()

    def sentences(self, statements: Iterable[Statement]) -> tuple[CitedSentence, ...]:
        new = []
        for each in statements:
            evidence = tuple(dict.fromkeys(e for q in each.quotes if (e := self._evidence(q))))
            content = (each.text, each.problem, each.claims, evidence)
            if content not in self._shown_before:
                new.append(CitedSentence(each, evidence))
            self._shown_before.add(content)
        return tuple(new)

    def _evidence(self, cited: Citation) -> NumberedQuote | None:
        span = cited.quote.span
        if span is None:
            return None
        key = (cited.document, span.start, span.end)
        if key not in self._known:
            href = quote_href(cited.document, span, cited.quote.words)
            self._known[key] = NumberedQuote(len(self.evidence) + 1, cited, href)
            self.evidence.append(self._known[key])
        return self._known[key]
