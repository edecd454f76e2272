"""A question that someone asks of what they may read: queued, and answered.

The answer is the same as that of `fourcorners ask`; it is watched while it goes on.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import nullcontext
from typing import TYPE_CHECKING

from fourcorners.operations.ask import AskRequest, answer_question, check_question
from fourcorners.server.errors import TooManyRequests
from fourcorners.server.tasks.handlers import TaskContext
from fourcorners.server.tasks.queue import Task

if TYPE_CHECKING:
    from fourcorners.research.answer import Answer
    from fourcorners.server.context import RequestContext

KIND = "ask"
LANE = "asking"
_WAITING = 10  # questions of one person that are not answered yet
_MAX_SEARCHED = 200  # tasks looked through for them


def start_question(context: RequestContext, asked: AskRequest) -> Task:
    """Queue a question.

    Raises:
        Refusal: If it cannot be asked so.
        NotFound: If they may not know of the collection, or of the contract in it.
        TooManyRequests: If many questions of theirs wait.
    """
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
    with context.access() as access:
        checked = check_question(access, asked, context.state.settings)
    return context.start_task(KIND, LANE, checked.collection, checked.model_dump(mode="json"))


def run(work: TaskContext) -> Mapping[str, str | int]:
    from fourcorners.operations import answers

    made = answers.answer_of_task(work.library, work.task.id)
    if not made:
        follows = AskRequest.model_validate(work.task.spec).follows
        home = answers.AnswerOrigin(work.task.collection, work.task.asked_by, follows)
        made = answers.save_answer(work.library, _answer(work), work.task.id, home)
    return {"answer": made}


def _answer(work: TaskContext) -> Answer:
    from fourcorners.llm import is_configured
    from fourcorners.research.events import AnswerEvent, PlanEvent, QuestionEvent
    from fourcorners.server.tasks.steps import ProgressSteps, event_steps

    asked, settings = AskRequest.model_validate(work.task.spec), work.settings
    steps = ProgressSteps(work.library, work.task.id)
    steps.clear()  # of a server that was killed
    done = total = 0
    by_rules = asked.rules or not is_configured(settings.llm)
    try:
        with nullcontext() if by_rules else work.open_port("ask") as port:
            job, engines = f"ask {work.task.id}", work.engines
            for event in answer_question(
                work.library, asked, settings, job=job, engines=engines, port=port
            ):
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
