"""Questions to contracts, answered with reports."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

from pydantic import AliasChoices, BeforeValidator, Field

from fourcorners.errors import name_remedy
from fourcorners.library.tokens import fold_name
from fourcorners.operations.access import Access
from fourcorners.operations.errors import Refusal
from fourcorners.operations.principal import Role
from fourcorners.operations.reviewing.reviews import PartyNames
from fourcorners.research.answer import MAX_QUESTION, MAX_TURNS, TURNS
from fourcorners.value import Flag, NoWord, Value

if TYPE_CHECKING:
    from fourcorners.library.store import Library
    from fourcorners.llm import Port
    from fourcorners.models import Reranker
    from fourcorners.operations.local_models import LocalModels
    from fourcorners.research.agents.archivist import Reply
    from fourcorners.research.answer import Answer
    from fourcorners.research.events import Event
    from fourcorners.research.run import ResearchQuestion
    from fourcorners.settings import Settings

MAX_DOCUMENTS = 500
"""Contracts that one question may name."""
_MAX_PATH = 4_096  # characters; at the terminal a contract may be named by its path


class AskRequest(Value):
    """A question to contracts, to a collection, or to all there is."""

    question: str = Field(
        min_length=1, max_length=MAX_QUESTION, examples=["Can they end it early?"]
    )
    collection: Annotated[str, BeforeValidator(lambda given: given or "")] = Field(
        default="", max_length=500, description="Empty for all that you may read."
    )
    documents: Annotated[
        list[Annotated[str, Field(min_length=1, max_length=_MAX_PATH)]],
        Field(max_length=MAX_DOCUMENTS, description="Only of these contracts, by id."),
        BeforeValidator(lambda given: [given] if given and isinstance(given, str) else given or []),
    ] = Field(default_factory=list, validation_alias=AliasChoices("documents", "document"))
    context: str = Field(
        default="", max_length=MAX_QUESTION, description="What else is known: what happened."
    )
    instructions: str = Field(
        default="", max_length=MAX_QUESTION, description="How the report is to be."
    )
    turns: Annotated[int, Field(ge=1, le=MAX_TURNS), NoWord] = TURNS
    rules: Flag = Field(default=False, description="Do without a model that is configured.")
    sources: list[str] = Field(
        default_factory=list, max_length=20, description="Outside sources that a model may use."
    )
    follows: str = Field(
        default="",
        max_length=40,
        description="The answer that this question follows, by id: what the question leaves unsaid "
        "is taken from that one, and so are its contracts where none are named.",
    )
    read_for: PartyNames = Field(
        default_factory=list,
        description="Who asks, by name, role or group: “we” is that party. Empty for the party "
        "that the collection is read for.",
        examples=[["Larch"]],
    )


def known_sources(settings: Settings) -> tuple[str, ...]:
    """Return the outside sources that a question may name; none without a language model."""
    from fourcorners.llm import is_configured
    from fourcorners.research import sources

    if not is_configured(settings.llm):
        return ()
    return tuple(sources.known_sources(settings.research.external))


def check_question(access: Access, asked: AskRequest, settings: Settings) -> AskRequest:
    """Return a question that may be asked, with the collection that it is confined to.

    One that follows an answer is asked in the same collection, of the contracts that answered.

    Raises:
        Refusal: If nothing is asked, an outside source is not known, a contract is not in the
            collection, or it is not clear which collection is meant.
        NotFound: If they may not know of the collection, of a contract or of the earlier answer.
    """
    from fourcorners.research.question import NO_QUESTION, is_question

    if not is_question(asked.question):
        raise Refusal("nothing was asked.", remedy=NO_QUESTION)
    known = known_sources(settings)
    for name in asked.sources:
        if name not in known:
            problem = f"there is no outside source {name[:60]!r}."
            raise Refusal(problem, remedy=name_remedy(name, known))
    if asked.follows:
        asked = _take_over(access, asked)
    collection, readable = asked.collection, access.readable()
    homes = {access.visible(each).entry.collection for each in asked.documents}
    if not collection and len(homes) == 1:
        (collection,) = homes
    elif not collection and readable is not None:
        if len(readable) != 1:
            raise Refusal(
                "say which collection the question is about.",
                remedy="You may read several, or none.",
            )
        (collection,) = readable
    if collection:
        access.require(Role.READER, collection)
        if any(fold_name(each) != fold_name(collection) for each in homes):
            raise Refusal("this contract is not in this collection.")
    return asked.model_copy(update={"collection": collection})


def _take_over(access: Access, asked: AskRequest) -> AskRequest:
    """Return a question with what it takes from the answer that it follows."""
    from fourcorners.operations.answers import find_answer

    earlier, stored = find_answer(access, asked.follows)
    home = stored.home.collection
    if asked.collection and fold_name(asked.collection) != fold_name(home):
        raise Refusal("a follow-up question is asked in the collection of the first.")
    asked = asked.model_copy(update={"follows": stored.summary.id, "collection": home})
    return fill_follow_up(asked, earlier)


def fill_follow_up(asked: AskRequest, earlier: Answer) -> AskRequest:
    """Return a question with what it does not say and the report that it follows does."""
    from fourcorners.research.follow_up import earlier_contracts

    return asked.model_copy(
        update={
            "documents": asked.documents or list(earlier_contracts(earlier)[:MAX_DOCUMENTS]),
            "context": asked.context or earlier.context,
            "instructions": asked.instructions or earlier.instructions,
        }
    )


def research_question(
    asked: AskRequest,
    settings: Settings,
    job: str,
    reranker: Reranker | None = None,
    earlier: Answer | None = None,
) -> ResearchQuestion:
    """Return a question as the research has it; calls of models are charged to `job`."""
    from fourcorners.research.agents.inquiry import InquirySettings
    from fourcorners.research.run import ResearchQuestion

    return ResearchQuestion(
        asked.question.strip(),
        contracts=asked.documents,
        collection=asked.collection or None,
        context=asked.context.strip(),
        instructions=asked.instructions.strip(),
        read_for=asked.read_for,
        earlier=earlier,
        how=InquirySettings(
            asked.turns, responds=settings.research.response, job=job, reranker=reranker
        ),
    )


def answer_question(
    library: Library,
    asked: AskRequest,
    settings: Settings,
    *,
    job: str,
    engines: LocalModels | None,
    port: Port | None,
    reply: Reply | None = None,
) -> Iterator[Event]:
    """Answer a question that was checked, by the models of a port or by rules, as `ask` does.

    Without `engines` only words count.
    """
    from fourcorners.playbooks.concepts import default_concepts
    from fourcorners.research.run import ask
    from fourcorners.research.sources import external_tools
    from fourcorners.research.store import load_answer

    earlier = load_answer(library, asked.follows) if asked.follows else None
    reranker = engines.reranker if engines else None
    return ask(
        library,
        research_question(asked, settings, job, reranker, earlier),
        encoder=engines.encoder if engines and library.encoder is not None else None,
        concepts=default_concepts(),
        port=port,
        tools=external_tools(asked.sources, settings.research.external),
        reply=reply,
    )
