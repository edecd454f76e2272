"""A question that someone asks of what they may read: checked and queued, and answered.

The answer is the same as that of `fourcorners ask`; it is watched while it goes on.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fourcorners.library.tokens import fold_name
from fourcorners.operations.errors import Refusal
from fourcorners.operations.principal import Role
from fourcorners.research.answer import MAX_QUESTION, MAX_TURNS, TURNS
from fourcorners.review.parties import distinct_names
from fourcorners.server.errors import TooManyRequests
from fourcorners.server.tasks.handlers import TaskContext
from fourcorners.server.tasks.queue import Task
from fourcorners.settings import Settings

if TYPE_CHECKING:
    from fourcorners.research.answer import Answer
    from fourcorners.research.events import Event
    from fourcorners.server.context import RequestContext

KIND = "ask"
LANE = "asking"
_WAITING = 10  # questions of one person that are not answered yet
_MAX_SEARCHED = 200  # tasks looked through for them


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked, of what.

    Attributes:
        collection: What it is asked of; empty for all there is.
        document: The one contract that it is about; empty for all of the collection.
        read_for: Who asks, by name; nobody for the side that the collection is read for.
    """

    question: str
    collection: str = ""
    document: str = ""
    context: str = ""
    instructions: str = ""
    turns: int = TURNS
    rules: bool = False
    sources: tuple[str, ...] = ()
    read_for: tuple[str, ...] = ()


def sources_of(settings: Settings) -> tuple[str, ...]:
    from fourcorners.llm import is_configured
    from fourcorners.research.sources import known_sources

    if not is_configured(settings.llm):
        return ()
    return tuple(known_sources(settings.research.external))


def start_question(context: RequestContext, asked: Question) -> Task:
    """Queue a question.

    Raises:
        Refusal: If nothing is asked, too much, or an outside source is not known.
        NotFound: If they may not know of the collection, or of the contract in it.
        TooManyRequests: If many questions of theirs wait.
    """
    _require_sound(asked, sources_of(context.state.settings))
    mine = [
        each
        for each in context.tasks(limit=_MAX_SEARCHED)
        if each.kind == KIND and each.asked_by == context.principal.name and not each.state.is_final
    ]
    if len(mine) >= _WAITING:
        raise TooManyRequests(
            f"{len(mine)} of your questions are not answered yet.",
            remedy="Wait for them, or end some of them.",
            after=30,
        )
    collection = asked.collection
    with context.access() as access:
        if asked.document:
            inside = access.visible(asked.document).entry.collection
            collection = collection or inside
        if collection:
            access.require(Role.READER, collection)
            if asked.document and fold_name(inside) != fold_name(collection):
                raise Refusal("this contract is not in this collection.")
        else:
            access.full_library(Role.READER)
    spec = {
        **{name: getattr(asked, name).strip() for name in ("question", "context", "instructions")},
        "document": asked.document,
        "turns": str(asked.turns),
        "rules": "yes" if asked.rules else "",
        "sources": "\n".join(asked.sources),
        "read_for": "\n".join(distinct_names(asked.read_for)),
    }
    return context.start_task(KIND, LANE, collection, spec)


def _require_sound(asked: Question, sources: tuple[str, ...]) -> None:
    if not asked.question.strip():
        raise Refusal("nothing was asked.", remedy="Say what you want to know.")
    if max(map(len, (asked.question, asked.context, asked.instructions))) > MAX_QUESTION:
        raise Refusal(
            f"a question, its context and its instructions have at most "
            f"{MAX_QUESTION:,} characters."
        )
    if not 1 <= asked.turns <= MAX_TURNS:
        raise Refusal(f"an inquiry has 1 to {MAX_TURNS} turns.")
    for name in asked.sources:
        if name not in sources:
            raise Refusal(
                f"there is no outside source {name[:60]!r}.",
                remedy=f"There are: {', '.join(sources) or 'none'}.",
            )


def run(work: TaskContext) -> Mapping[str, str | int]:
    from fourcorners.server.store import answers

    made = answers.answer_of_task(work.library, work.task.id)
    if not made:
        home = answers.AnswerOrigin(work.task.collection, work.task.asked_by)
        made = answers.save_answer(work.library, _answer_question(work), work.task.id, home)
    return {"answer": made}


def _answer_question(work: TaskContext) -> Answer:
    from fourcorners.research.events import AnswerEvent, PlanEvent, QuestionEvent
    from fourcorners.server.tasks.steps import ProgressSteps, event_steps

    steps = ProgressSteps(work.library, work.task.id)
    steps.clear()  # of a server that was killed
    done = total = 0
    try:
        with _events(work) as events:
            for event in events:
                if isinstance(event, AnswerEvent):
                    return event.answer
                if isinstance(event, PlanEvent):
                    total = event.turns or len(event.parts)
                if isinstance(event, QuestionEvent):
                    done = event.turn - 1
                for step in event_steps(event):
                    steps.add(step)
                work.report_progress(min(done, total), total, 0, "")
    finally:
        steps.clear()
    raise RuntimeError("a run ended without its report")


@contextmanager
def _events(work: TaskContext) -> Iterator[Iterator[Event]]:
    from fourcorners.llm import is_configured
    from fourcorners.playbooks.concepts import default_concepts
    from fourcorners.research.agents.inquiry import InquirySettings
    from fourcorners.research.run import ResearchQuestion, ask
    from fourcorners.research.sources import external_tools

    spec = work.task.spec
    by_rules = spec["rules"] or not is_configured(work.settings.llm)
    with nullcontext() if by_rules else work.open_port("ask") as port:
        sources = tuple(filter(None, spec["sources"].split("\n")))
        yield ask(
            work.library,
            ResearchQuestion(
                spec["question"],
                contracts=(spec["document"],) if spec["document"] else (),
                collection=work.task.collection or None,
                context=spec["context"],
                instructions=spec["instructions"],
                read_for=tuple(filter(None, spec.get("read_for", "").split("\n"))),
                how=InquirySettings(turns=int(spec["turns"] or TURNS), job=f"ask {work.task.id}"),
            ),
            encoder=work.encoder,
            concepts=default_concepts(),
            port=port,
            tools=external_tools(sources, work.settings.research.external),
        )
