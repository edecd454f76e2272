"""Ask: a question to a contract or a collection, watched while it is answered, and its report."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import Response

from fourcorners.errors import ConfigError
from fourcorners.operations import answers
from fourcorners.operations.ask import AskRequest, known_sources
from fourcorners.operations.errors import NotFound, Refusal
from fourcorners.research.answer import TURNS, Answer, Citation, Role, Statement
from fourcorners.server.context import Context, RequestContext, send_written
from fourcorners.server.links import quote_href
from fourcorners.server.tasks.handlers import ask as ask_task
from fourcorners.server.tasks.handlers.ask import start_question
from fourcorners.server.tasks.steps import ProgressStep, ProgressSteps

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
    """A report laid out; each sentence occurs in it once."""

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
    asked = AskRequest.model_construct(question=q, collection=c, documents=[d] if d else [])
    return _form(context, asked)


async def _form_fields(request: Request) -> dict[str, Any]:
    form = await request.form(max_files=0)
    texts = ("question", "collection", "context", "instructions")
    return {
        **{name: str(form.get(name, "")) for name in texts},
        **{name: form.getlist(name) for name in ("documents", "sources")},
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
        about = [access.visible(each).entry for each in task.spec.get("documents", ())]
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
    name = f"answer-{stored.summary.id}.{form}"
    return send_written(name, FORMS[form], lambda path: write_answer(found, path))


def _form(
    context: RequestContext, asked: AskRequest, problem: ConfigError | Refusal | None = None
) -> Response:
    from fourcorners.llm import is_configured

    with context.access() as access:
        collections = [each.name for each in access.collections()]
        everything = context.principal.role_everywhere is not None
        entry = access.visible(asked.documents[0]).entry if asked.documents else None
        known = answers.list_answers(
            access, collection=asked.collection or None, document=entry.id if entry else None
        )
    settings = context.state.settings
    going = [each for each in context.tasks() if each.kind == ask_task.KIND]
    return context.page(
        "ask.html.j2",
        200 if problem is None else getattr(problem, "status", 400),
        asked=asked,
        entry=entry,
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


def lay_out_answer(answer: Answer) -> AnswerLayout:
    """Lay a report out: the answer first, then what it depends on, then what else was found."""
    layer, direct = _Layer(), answer.answer
    parts = (direct.sentences, direct.conditions, direct.readings, answer.summary)
    first, conditions, readings, summary = (layer.sentences(each) for each in parts)
    findings = tuple(_group_findings(layer, (*answer.findings, *answer.beside)))
    return AnswerLayout(first, conditions, readings, summary, findings, tuple(layer.evidence))


def _group_findings(layer: _Layer, findings: Iterable[Statement]) -> Iterable[SentenceGroup]:
    titles: dict[str, list[Statement]] = {}
    parts = list(dict.fromkeys(each.part for each in findings))
    for each in findings:
        title = _TITLES.get(each.role, each.part if len(parts) > 1 else "")
        titles.setdefault(title, []).append(each)
    for title, statements in titles.items():
        if shown := layer.sentences(statements):
            yield SentenceGroup(title, shown)


class _Layer:
    """Numbers words in the order in which they are met, each once."""

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
