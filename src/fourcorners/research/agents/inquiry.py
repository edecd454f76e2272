"""An inquiry with language models: archivist, then interrogator and researcher; and its cost.

The number of calls is known before it begins (PAKTON, appendix E.2): the archivist makes one, and
another if it asks the person back, but none for a plain question about one contract; each turn
makes one (the draft, which names the next question and what to look up), and a second if the
researcher puts what it found into words; what fails a check is returned once, which makes at most
one more. No model parses a contract. Repairing the form of an answer takes an additional call.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, replace

from fourcorners.errors import BudgetExceeded, ConfigError, LlmError
from fourcorners.llm import Budget, Port, Role
from fourcorners.llm.limits import BYTES_PER_TOKEN
from fourcorners.llm.prompt import Value
from fourcorners.models.reranker.protocol import Reranker
from fourcorners.research.agents.archivist import (
    Reply,
    archivist_form,
    prompt_values,
    understand_question,
)
from fourcorners.research.agents.contract_tools import contract_tools
from fourcorners.research.agents.interrogator import Interrogator, draft_form, draft_values
from fourcorners.research.agents.meter import Meter
from fourcorners.research.agents.researcher import MAX_RESULTS, Researcher
from fourcorners.research.agents.schemas import PassageResponse, ToolCall
from fourcorners.research.agents.sentence_list import SHORT, SentenceList
from fourcorners.research.answer import MAX_TURNS, TURNS, Answer, Gap, Provenance
from fourcorners.research.answerability.search import search_answer
from fourcorners.research.context import ResearchContext
from fourcorners.research.events import AnswerEvent, Event, PlanEvent
from fourcorners.research.offline.run import answer_offline
from fourcorners.research.question import split_question
from fourcorners.research.rewriting import replace_persons
from fourcorners.research.tool import Material, Tool
from fourcorners.text.patterns import load_patterns
from fourcorners.text.stems import stems

PROMPTS = ("archivist", "draft", "amend", "mend", "repair", "fence")

_CITES = load_patterns("fourcorners.research.agents", "figures")["cites"]
_SOMEBODY = "somebody"  # in the place of a person, to see whether there is one
_PLAIN_PARTS = 2  # of a question that nobody need interpret
_TERMS = 2  # defined terms of a plain question that are looked up, the longest first
_MENDS = 1  # times that failed statements are returned to the model


@dataclass(frozen=True, slots=True)
class InquirySettings:
    """How to run an inquiry.

    Attributes:
        turns: How often the researcher is asked at most.
        responds: Whether the researcher also puts what it found into words (PAKTON, equation 3).
        budget: What it may spend; the port's budget by default.
        job: What calls are charged to.
        reranker: Reads the best of what each search finds again, with and without a language model.
    """

    turns: int = TURNS
    responds: bool = False
    budget: Budget | None = None
    job: str = "ask"
    reranker: Reranker | None = None

    def __post_init__(self) -> None:
        if not 1 <= self.turns <= MAX_TURNS:
            raise ConfigError(f"an inquiry has 1 to {MAX_TURNS} turns, not {self.turns}.")

    @property
    def agents(self) -> tuple[Role, ...]:
        """The agents that call a model; a researcher that does not respond only looks things up."""
        researcher = (Role.RESEARCHER,) if self.responds else ()
        return (Role.ARCHIVIST, Role.INTERROGATOR, *researcher)

    def calls(self, replies: int = 0, turns: int | None = None) -> int:
        """Return the maximum number of calls for some turns, by default all of them.

        `replies` counts those to the archivist.
        """
        depth = self.turns if turns is None else turns
        return replies + 1 + depth * (1 + self.responds) + _MENDS


@dataclass(frozen=True, slots=True)
class InquiryCost:
    """The most that an inquiry can use, before anything is sent.

    Attributes:
        calls: Exchanges, by the formula.
        cost: In the currency of the prices; None if one is unknown.
    """

    calls: int
    tokens_in: int
    tokens_out: int
    cost: float | None
    models: tuple[str, ...]


def require_models(port: Port, how: InquirySettings) -> dict[str, str]:
    """Return the model of each agent that calls one; refuse to begin if one is missing.

    Raises:
        LlmNotConfigured: If an agent that is called has none.
    """
    return {role.value: port.role_model(role).name for role in how.agents}


def run_inquiry(
    context: ResearchContext,
    port: Port,
    started: Answer,
    how: InquirySettings,
    *,
    tools: Sequence[Tool] = (),
    reply: Reply | None = None,
    cited: Sequence[Material] = (),
) -> Iterator[Event]:
    """Run an inquiry; if anything fails, it still ends with a report that says what was not done.

    `tools` are those outside the contracts, `reply` answers what the archivist asks back, and
    `cited` are the words that the answer before rests on.

    Yields:
        The events, the last of which is `AnswerEvent`.

    Raises:
        LlmNotConfigured: Before anything is sent, if an agent has no model.
    """
    require_models(port, how)
    own = port.for_job(how.job, how.budget)
    meter = Meter(replace(started, made=_build_provenance(own, started.made, how, tools)), cited)
    all_tools = [*contract_tools(context), *tools]
    looks = None if tools else find_plain_lookups(context, meter.started)
    unread = ""
    try:
        if looks is None:
            looks = yield from understand_question(context, own, meter, all_tools, reply)
    except (LlmError, BudgetExceeded) as error:
        unread = error.message
    opening = meter.started
    parts = tuple(part.text for part in split_question(opening.question))
    yield PlanEvent(opening.question, parts, how.turns, how.calls(), opening.assumptions)
    researcher = Researcher(context, own, all_tools, responds=how.responds)
    interrogator = Interrogator(context, own, researcher, turns=how.turns)
    answer = yield from interrogator.inquire(meter, looks or [])
    if not answer.drafts:
        answer = yield from _answer_by_rules(context, replace(answer, question=started.question))
    elif unread:
        gap = Gap(f"The question was taken as it was asked, for the archivist failed: {unread}")
        answer = replace(answer, gaps=(*answer.gaps, gap))
    yield AnswerEvent(
        replace(answer, record=(*meter.steps, *answer.record), sources=context.sources())
    )


def find_plain_lookups(context: ResearchContext, started: Answer) -> list[ToolCall] | None:
    """Return what to look up first for a plain question; None if a model should say what is meant.

    Plain is a question of at most two parts about one contract with nothing said besides, in which
    nobody is "we" or "they" whom the contract does not name. What it names is looked up, by number
    or as a term, the second part, and what limits the words that answer.
    """
    scope = context.scope(started.question)
    asked = scope.question
    parts = split_question(asked)
    is_alone = (
        not (started.context or started.instructions or started.earlier)
        and len(parts) <= _PLAIN_PARTS
    )
    names_all = replace_persons(asked, _SOMEBODY, _SOMEBODY) == asked
    if not (is_alone and names_all and scope.is_certain and scope.documents):
        return None
    contract, words = context.read_contract(scope.documents[0][0]), set(stems(asked))
    terms = [each.term for each in contract.definitions.values() if set(stems(each.term)) <= words]
    terms.sort(key=len, reverse=True)
    return [
        *(ToolCall(tool="clause", words=found[0]) for found in _CITES.finditer(asked)),
        *(ToolCall(tool="definition", words=each) for each in terms[:_TERMS]),
        *(ToolCall(tool="search", words=each.text) for each in parts[1:]),
        ToolCall(tool="belongs", words=asked),
    ]


def _answer_by_rules(context: ResearchContext, answer: Answer) -> Generator[Event, None, Answer]:
    """Build the report without the model that failed, and say so.

    It uses the person's own question, since a failing model's version cannot be relied on.
    """
    events = answer_offline(context, answer)
    for event in events:
        if isinstance(event, AnswerEvent):
            done = event.answer
            gap = Gap("The language model did not get as far as a draft; this report is by rules.")
            by = f"no language model, for it failed ({answer.made.by})"
            return replace(
                done,
                gaps=(gap, *done.gaps),
                stopped=answer.stopped,
                made=replace(done.made, by=by),
            )
        yield event
    raise RuntimeError("a report ended without its answer")


def _build_provenance(
    port: Port, made: Provenance, how: InquirySettings, tools: Sequence[Tool]
) -> Provenance:
    names = PROMPTS + (("respond",) if how.responds else ())
    by = "; ".join(f"{agent}: {model}" for agent, model in require_models(port, how).items())
    settings = (
        *made.settings,
        ("turns", str(how.turns)),
        ("response", "yes" if how.responds else "no"),
        ("outside sources", ", ".join(tool.name for tool in tools)),
    )
    prompts = tuple((str(port.load_prompt(name).id), port.load_prompt(name).id.hash)
                    for name in names)  # fmt: skip
    return replace(made, by=by, prompts=prompts, settings=settings, calls=how.calls())


def estimate_cost(
    context: ResearchContext, port: Port, started: Answer, how: InquirySettings
) -> InquiryCost:
    """Return the most that an inquiry can use; nothing is sent.

    Tokens are counted on prompts filled with what a search for the question finds.

    Raises:
        LlmNotConfigured: If an agent has no model.
    """
    require_models(port, how)
    context = replace(context, reranker=None)  # it may be another server's
    found = search_answer(context, started.question, limit=MAX_RESULTS)
    researcher = Researcher(context, port, contract_tools(context), responds=how.responds)
    room = researcher.budget
    sentences = SentenceList(context, room)
    sentences.add_contracts(SHORT)
    sentences.add(
        context.material(each.document, each.span, tool="search") for each in found.snippets
    )
    response: dict[str, Value] = {"asked": started.question, "sentences": sentences.blocks}
    values = prompt_values(context, started, researcher.tools, [], may_ask=False)
    form = archivist_form(researcher.tools, may_ask=False)
    first = port.estimate("archivist", values, form)
    values = draft_values(context, started, researcher, sentences)
    draft = port.estimate("draft", values, draft_form(researcher.tools))
    each = [draft]
    each += [port.estimate("respond", response, PassageResponse)] if how.responds else []
    estimates = [first, *(one for one in each for _ in range(how.turns)), *[draft] * _MENDS]
    costs = [one.cost for one in estimates if one.cost is not None]
    # Each turn, and each correction of the report, reads the conversation again: what turns add,
    # and the contracts, which are shown whole from the second turn on if they are not too long.
    added = draft.tokens_out + round((room.exact + room.search) / BYTES_PER_TOKEN)
    again = added * how.turns * (how.turns + 1) // 2
    if not sentences.is_whole:
        whole = sum(len(str(each)) for each in sentences.add_contracts(room.whole))
        again += round(whole / BYTES_PER_TOKEN) * how.turns
    price = port.role_model(Role.INTERROGATOR).price
    costs += [price(again, 0)] if price else []
    return InquiryCost(
        calls=how.calls(),
        tokens_in=sum(one.tokens_in for one in estimates) + again,
        tokens_out=sum(one.tokens_out for one in estimates),
        cost=sum(costs) if len(costs) > len(estimates) else None,
        models=tuple(dict.fromkeys(each.model for each in estimates)),
    )
