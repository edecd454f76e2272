"""`ask`: answer a question about contracts with a report, and emit events meanwhile."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from fourcorners.errors import ConfigError
from fourcorners.library.damage import events_without_damaged, without_damaged
from fourcorners.llm import Port
from fourcorners.llm.port.port import NOT_CONFIGURED
from fourcorners.research.agents.archivist import Reply
from fourcorners.research.agents.inquiry import InquirySettings, require_models, run_inquiry
from fourcorners.research.answer import (
    MAX_QUESTION,
    Answer,
    Draft,
    Gap,
    PreliminaryAnswer,
    Provenance,
    Verdict,
)
from fourcorners.research.context import ResearchContext, build_context
from fourcorners.research.events import AnswerEvent, DraftEvent, Event, EvidenceEvent
from fourcorners.research.follow_up import answering_clauses, cited_words, resolve_follow_up
from fourcorners.research.offline.collection import MAX_CONTRACTS
from fourcorners.research.offline.run import NO_MODEL, answer_offline, title_of
from fourcorners.research.question import NO_QUESTION, is_question
from fourcorners.research.tool import Material, Tool, is_computed
from fourcorners.review.parties import distinct_names
from fourcorners.review.set_apart import describe_set_apart, has_unread_terms
from fourcorners.search.concepts import Concept
from fourcorners.version import __version__

if TYPE_CHECKING:
    from fourcorners.library.store import Library
    from fourcorners.models.encoder.protocol import Encoder

_Report = TypeVar("_Report", Answer, Draft)
_UNREAD = "Cannot tell: what was read has no answer, and clauses that give orders were not read."


USUAL_INQUIRY = InquirySettings()


@dataclass(frozen=True, slots=True)
class ResearchQuestion:
    """A question, and of what it is asked.

    Attributes:
        question: As a person asks it.
        contracts: Those it is about, each by id, a unique part of its name, or path; none for all.
        collection: Only contracts in it.
        context: What else is known: which party one is, what happened.
        instructions: How the report is to be.
        read_for: Who asks, by name; nobody for the side that the collection is read for.
        earlier: The report to the question that this one follows.
        how: How many turns an inquiry has, what it may spend, and what reads hits again.
    """

    question: str
    contracts: Sequence[str] = ()
    collection: str | None = None
    context: str = ""
    instructions: str = ""
    read_for: Sequence[str] = ()
    earlier: Answer | None = None
    how: InquirySettings = USUAL_INQUIRY


def ask(
    library: Library,
    asked: ResearchQuestion,
    *,
    encoder: Encoder | None = None,
    concepts: Sequence[Concept] = (),
    port: Port | None = None,
    tools: Sequence[Tool] = (),
    reply: Reply | None = None,
) -> Iterator[Event]:
    """Answer a question from contracts, and yield events; the last is an `AnswerEvent`.

    Args:
        library: Where the contracts are.
        asked: What is asked, of what.
        encoder: The encoder that made the library's vectors.
        concepts: What is known of kinds of clauses.
        port: The language models of the three agents; without one the report is by rules.
        tools: Outside sources that a person named; without a port none is used.
        reply: Answers what the archivist asks back; without it assumptions are made and reported.

    Raises:
        ConfigError: If the question is empty, a contract's name matches none or several, an agent
            has no model, or outside sources are named and there is no port.
    """
    prepare = partial(prepare_answer, library, asked, encoder=encoder, concepts=concepts)
    prepare()  # raise errors now, not when the first event is requested
    if port is None and tools:
        raise ConfigError(
            "outside sources need a language model, and none is configured.",
            remedy=NOT_CONFIGURED,
        )
    if port is not None:
        require_models(port, asked.how)

    def answer() -> Iterator[Event]:
        research_context, started = prepare()
        if port is None:
            events = answer_offline(research_context, started)
        else:
            inquiry = run_inquiry(
                research_context, port, started, asked.how, tools=tools, reply=reply,
                cited=cited_words(research_context, asked.earlier),
            )  # fmt: skip
            events = _add_lookups(inquiry)
        return _naming_unread(research_context, events)

    return _add_damaged(library, asked.collection, events_without_damaged(library, answer))


def _add_damaged(
    library: Library, collection: str | None, events: Iterator[Event]
) -> Iterator[Event]:
    """Add to the report which contracts were left out because they are damaged."""
    for event in events:
        if isinstance(event, AnswerEvent):
            damaged = library.left_out(collection)
            gaps = (*event.answer.gaps, *(Gap(f"{e.message} {e.remedy}") for e in damaged))
            yield AnswerEvent(replace(event.answer, gaps=gaps))
        else:
            yield event


def _naming_unread(context: ResearchContext, events: Iterator[Event]) -> Iterator[Event]:
    """Put into drafts and report which clauses give orders, and what a reranker did not read.

    Clauses that give orders are not read: what only the others lack may be in these, so nothing is
    said to be lacking.
    """
    for event in events:
        if isinstance(event, DraftEvent):
            yield DraftEvent(_name_unread(context, event.draft))
        elif isinstance(event, AnswerEvent):
            drafts = tuple(_name_unread(context, each) for each in event.answer.drafts)
            yield AnswerEvent(replace(_name_unread(context, event.answer), drafts=drafts))
        else:
            yield event


def _name_unread(context: ResearchContext, report: _Report) -> _Report:
    is_absent = report.answer.ruling is Verdict.ABSENT
    searched = [each.id for each in context.contracts[:MAX_CONTRACTS]]
    read = searched if is_absent else [each.document for each in context.sources()]
    notes: list[str] = describe_set_apart(context.library, read)
    notes += context.rerank_record.describe(context.library)
    if not notes:
        return report
    answer = report.answer
    if is_absent and has_unread_terms(context.library, read):
        answer = replace(
            answer, ruling=Verdict.UNSURE, confidence=0.0, because="", headline=_UNREAD
        )
    return replace(report, answer=answer, gaps=(*report.gaps, *map(Gap, notes)))


@without_damaged
def prepare_answer(
    library: Library,
    asked: ResearchQuestion,
    *,
    encoder: Encoder | None = None,
    concepts: Sequence[Concept] = (),
) -> tuple[ResearchContext, Answer]:
    """Return the prepared contracts and the head of the report, as `ask` does; search nothing.

    Raises:
        ConfigError: As `ask` does.
    """
    for text in (asked.question, asked.context, asked.instructions):
        if len(text) > MAX_QUESTION:
            raise ConfigError(
                f"a question, its context and its instructions have at most "
                f"{MAX_QUESTION:,} characters."
            )
    if not asked.question.strip():
        raise ConfigError("the question is empty.", remedy=NO_QUESTION)
    if not is_question(asked.question):
        raise ConfigError("this asks nothing.", remedy=NO_QUESTION)
    read_for = distinct_names(asked.read_for)
    research_context = build_context(
        library,
        asked.contracts,
        collection=asked.collection,
        encoder=encoder,
        concepts=concepts,
        read_for=read_for,
        reranker=asked.how.reranker,
    )
    if read_for:
        side = f"It is asked for {' and '.join(read_for)}."
        if not asked.context.startswith(side):  # as that of the question before does
            asked = replace(asked, context=f"{side} {asked.context}")
    if asked.earlier is not None:
        within = answering_clauses(research_context, asked.question, asked.earlier)
        research_context = replace(research_context, within=within)
    return research_context, _start_answer(research_context, asked)


def _add_lookups(events: Iterator[Event]) -> Iterator[Event]:
    """Add to the report what the program computed on the way, and what it did not find."""
    notes: dict[Material, None] = {}
    for event in events:
        if isinstance(event, EvidenceEvent):
            notes.update((each, None) for each in event.materials if each.by_program)
        if isinstance(event, AnswerEvent):
            computed = [each.words for each in notes if is_computed(each)]
            results = tuple(dict.fromkeys((*computed, *event.answer.reckonings)))
            lacking = tuple(
                f"{each.source}: {each.words}" for each in notes if not is_computed(each)
            )
            yield AnswerEvent(replace(event.answer, reckonings=results, not_found=lacking))
            return
        yield event


def final_answer(events: Iterator[Event]) -> Answer:
    for event in events:
        if isinstance(event, AnswerEvent):
            return event.answer
    raise RuntimeError("a run ended without its report")


def _start_answer(research_context: ResearchContext, asked: ResearchQuestion) -> Answer:
    question = asked.question.strip()
    earlier = asked.earlier
    encoder = (
        research_context.encoder.name
        if research_context.encoder is not None
        else "none: by words alone"
    )
    engine = f"Fourcorners {__version__}, encoder {encoder}"
    if research_context.reader is not None:
        engine += f", reader {research_context.reader.name}"
    if research_context.reranker is not None:
        engine += f", reranker {research_context.reranker.name}"
    settings = (
        ("contracts", ", ".join(entry.name for entry in research_context.entries) or "all"),
        *((("for", ", ".join(research_context.read_for)),) if research_context.read_for else ()),
    )
    now = datetime.now(UTC).isoformat(timespec="seconds")
    return Answer(
        asked=question,
        question=resolve_follow_up(question, earlier) if earlier else question,
        made=Provenance(NO_MODEL, engine, now, settings=settings),
        title=title_of(question),
        answer=PreliminaryAnswer(Verdict.UNSURE),
        context=asked.context.strip(),
        instructions=asked.instructions.strip(),
        earlier=earlier.question if earlier else "",
    )
