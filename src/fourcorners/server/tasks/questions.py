"""A question that someone asks of what they may read: checked, and queued as a task."""

from __future__ import annotations

from dataclasses import dataclass

from fourcorners.research.limits import MAX_QUESTION, MAX_TURNS, TURNS
from fourcorners.research.sources import known_sources
from fourcorners.server.auth.principal import Role
from fourcorners.server.context import RequestContext
from fourcorners.server.errors import HttpError, TooManyRequests
from fourcorners.server.tasks.handlers import ask as asking
from fourcorners.server.tasks.queue import Task
from fourcorners.settings import Settings

_WAITING = 10  # questions of one person that are not answered yet
_LOOKED = 200  # tasks looked through for them


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked, of what.

    Attributes:
        collection: What it is asked of; empty for all there is.
        document: The one contract that it is about; empty for all of the collection.
        rules: Whether to do without a language model that is configured.
        sources: Outside sources to ask, too.
    """

    question: str
    collection: str = ""
    document: str = ""
    context: str = ""
    instructions: str = ""
    turns: int = TURNS
    rules: bool = False
    sources: tuple[str, ...] = ()


def sources_of(settings: Settings) -> tuple[str, ...]:
    """Return the names of the outside sources that may be asked."""
    from fourcorners.llm import is_configured

    if not is_configured(settings.llm):
        return ()
    return tuple(known_sources(settings.research.external))


def start_question(context: RequestContext, asked: Question) -> Task:
    """Queue a question.

    Raises:
        Refusal: If nothing is asked, too much, or an outside source is not known.
        NotFound: If they may not know of the collection, or of the contract in it.
        TooMany: If many questions of theirs wait.
    """
    _require_sound(asked, sources_of(context.state.settings))
    _require_patience(context)
    collection = asked.collection
    with context.access() as access:
        if asked.document:
            inside = access.visible(asked.document).entry.collections
            collection = collection or inside[0]
        if collection:
            access.require(Role.READER, collection)
            entries = {each.id for each in access.documents(collection)}
            if asked.document and asked.document not in entries:
                raise HttpError("this contract is not in this collection.")
        else:
            access.full_library(Role.READER)
    spec = {
        "question": asked.question.strip(),
        "document": asked.document,
        "context": asked.context.strip(),
        "instructions": asked.instructions.strip(),
        "turns": str(asked.turns),
        "rules": "yes" if asked.rules else "",
        "sources": "\n".join(asked.sources),
    }
    return context.start_task(asking.KIND, asking.LANE, collection, spec)


def _require_sound(asked: Question, sources: tuple[str, ...]) -> None:
    if not asked.question.strip():
        raise HttpError("nothing was asked.", remedy="Say what you want to know.")
    if max(map(len, (asked.question, asked.context, asked.instructions))) > MAX_QUESTION:
        raise HttpError(
            f"a question, its context and its instructions have at most "
            f"{MAX_QUESTION:,} characters."
        )
    if not 1 <= asked.turns <= MAX_TURNS:
        raise HttpError(f"an inquiry has 1 to {MAX_TURNS} turns.")
    for name in asked.sources:
        if name not in sources:
            raise HttpError(
                f"there is no outside source {name[:60]!r}.",
                remedy=f"There are: {', '.join(sources) or 'none'}.",
            )


def _require_patience(context: RequestContext) -> None:
    mine = [
        each
        for each in context.tasks(limit=_LOOKED)
        if each.kind == asking.KIND
        and each.asked_by == context.principal.name
        and not each.state.is_final
    ]
    if len(mine) >= _WAITING:
        raise TooManyRequests(
            f"{len(mine)} of your questions are not answered yet.",
            remedy="Wait for them, or end some of them.",
            after=30,
        )
