"""`ask`: a question to contracts, answered with a report; what happens is told as it happens."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from fourcorners.errors import ConfigError
from fourcorners.llm import Port
from fourcorners.llm.port import NOT_CONFIGURED
from fourcorners.research.answer import Answer, Preliminary, Ruling
from fourcorners.research.archivist import Reply
from fourcorners.research.desk import Desk, lay_out
from fourcorners.research.events import Event, Finished
from fourcorners.research.inquiry import Inquiring, inquire, require_models
from fourcorners.research.limits import LONGEST
from fourcorners.research.offline import made_by_rules, report, title_of
from fourcorners.research.tool import Tool
from fourcorners.search.concepts import Concept
from fourcorners.version import __version__

if TYPE_CHECKING:
    from fourcorners.library.store import Library
    from fourcorners.models.encoder import Encoder


def ask(
    library: Library,
    question: str,
    *,
    contracts: Sequence[str] = (),
    collection: str | None = None,
    context: str = "",
    instructions: str = "",
    encoder: Encoder | None = None,
    concepts: Sequence[Concept] = (),
    port: Port | None = None,
    how: Inquiring = Inquiring(),  # noqa: B008 - it cannot change
    tools: Sequence[Tool] = (),
    reply: Reply | None = None,
) -> Iterator[Event]:
    """Answer a question from contracts, and yield what happens; `Finished` with the report is last.

    Args:
        library: Where the contracts are.
        question: As a person asks it.
        contracts: Those it is about, each by id, a unique part of its name, or path; none for all.
        collection: Only contracts in it.
        context: What else is known: which party one is, what happened.
        instructions: How the report is to be.
        encoder: The encoder that made the library's vectors.
        concepts: What is known of kinds of clauses.
        port: The language models of the three agents; without one the report is by rules.
        how: How many turns an inquiry has, and what it may spend.
        tools: Outside sources that a person named; without a port none is used.
        reply: Answers what the archivist asks back; without it assumptions are made and told.

    Raises:
        ConfigError: If nothing is asked, a contract's name fits none or several, an agent has no
            model, or outside sources are named and there is no port.
    """
    desk, started = prepared(
        library,
        question,
        contracts=contracts,
        collection=collection,
        context=context,
        instructions=instructions,
        encoder=encoder,
        concepts=concepts,
    )
    if port is None and tools:
        raise ConfigError(
            "outside sources are asked by a language model, and none is configured.",
            remedy=NOT_CONFIGURED,
        )
    if port is None:
        return report(desk, started)
    require_models(port)
    return inquire(desk, port, started, how, tools=tools, reply=reply)


def prepared(
    library: Library,
    question: str,
    *,
    contracts: Sequence[str] = (),
    collection: str | None = None,
    context: str = "",
    instructions: str = "",
    encoder: Encoder | None = None,
    concepts: Sequence[Concept] = (),
) -> tuple[Desk, Answer]:
    """Return the contracts laid out and the head of the report, as of `ask`; nothing is searched.

    Raises:
        ConfigError: As `ask` does.
    """
    for said in (question, context, instructions):
        if len(said) > LONGEST:
            raise ConfigError(
                f"a question, its context and its instructions have at most {LONGEST:,} characters."
            )
    if not question.strip():
        raise ConfigError("nothing was asked.", remedy="Say what you want to know.")
    desk = lay_out(library, contracts, collection=collection, encoder=encoder, concepts=concepts)
    return desk, _started(desk, question.strip(), context, instructions)


def finished(events: Iterator[Event]) -> Answer:
    """Return the report that a run ends with."""
    for event in events:
        if isinstance(event, Finished):
            return event.answer
    raise RuntimeError("a run ended without its report")


def _started(desk: Desk, question: str, context: str, instructions: str) -> Answer:
    encoder = desk.encoder.name if desk.encoder is not None else "none: by words alone"
    engine = f"Fourcorners {__version__}, encoder {encoder}"
    if desk.reader is not None:
        engine += f", reader {desk.reader.name}"
    settings = (("contracts", ", ".join(entry.name for entry in desk.entries) or "all"),)
    return Answer(
        asked=question,
        question=question,
        made=made_by_rules(engine, datetime.now(UTC).isoformat(timespec="seconds"), settings),
        title=title_of(question),
        answer=Preliminary(Ruling.UNSURE),
        context=context.strip(),
        instructions=instructions.strip(),
    )
