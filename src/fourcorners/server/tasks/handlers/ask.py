"""Answering a question from contracts: the same as `fourcorners ask`, watched while it goes on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING

from fourcorners.server.tasks.handlers.work import TaskContext

if TYPE_CHECKING:
    from fourcorners.llm import Port
    from fourcorners.research.answer import Answer
    from fourcorners.research.events import Event

KIND = "ask"
LANE = "asking"


def run(work: TaskContext) -> Mapping[str, str | int]:
    """Answer a question, unless an earlier start of the server has done so, and keep the answer."""
    from fourcorners.server.store import answers
    from fourcorners.server.store.answers import AnswerOrigin

    made = answers.answer_of_task(work.library, work.task.id)
    if not made:
        home = AnswerOrigin(work.task.collection, work.task.asked_by)
        made = answers.save_answer(work.library, _answered(work), work.task.id, home)
    return {"answer": made}


def _answered(work: TaskContext) -> Answer:
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
    from fourcorners.playbooks.concepts import default_concepts
    from fourcorners.research.agents.inquiry import InquirySettings
    from fourcorners.research.limits import TURNS
    from fourcorners.research.run import ask
    from fourcorners.research.sources import external_tools

    spec = work.task.spec
    with _port(work) as port:
        encoder = work.engines.encoder if work.library.encoder is not None else None
        sources = tuple(filter(None, spec["sources"].split("\n")))
        yield ask(
            work.library,
            spec["question"],
            contracts=(spec["document"],) if spec["document"] else (),
            collection=work.task.collection or None,
            context=spec["context"],
            instructions=spec["instructions"],
            encoder=encoder,
            concepts=default_concepts(),
            port=port,
            how=InquirySettings(turns=int(spec["turns"] or TURNS), job=f"ask {work.task.id}"),
            tools=external_tools(sources, work.settings.research.external),
        )


@contextmanager
def _port(work: TaskContext) -> Iterator[Port | None]:
    """Open the way to the language models; None where the report is by rules."""
    from fourcorners.library.llm_store import LibraryCache, LibraryLedger
    from fourcorners.llm import is_configured, open_port

    settings = work.settings.llm
    if work.task.spec["rules"] or not is_configured(settings):
        yield None
        return
    cache = LibraryCache(work.library)
    ledger = work.telemetry.ledger(LibraryLedger(work.library))
    with open_port(settings, cache=cache, ledger=ledger, job="ask") as port:
        yield port
