"""An inquiry with language models: archivist, then interrogator and researcher; and its cost.

What it takes is known before it begins (PAKTON, appendix E.2): the archivist makes one call, and
one more if the person is asked back; each turn makes three (the question, the choice of tools, the
report), and a fourth if the researcher puts what it found into words. No model parses a contract.
An answer that has to be mended in its form makes a call of its own beside these.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, replace

from fourcorners.errors import BudgetExceeded, ConfigError, LlmError
from fourcorners.llm import Budget, Estimate, Port, Role
from fourcorners.llm.prompt import Value
from fourcorners.research.answer import Answer, Gap, Made
from fourcorners.research.archivist import Reply, understood, values_of
from fourcorners.research.desk import Desk
from fourcorners.research.events import Event, Finished, Planned
from fourcorners.research.interrogator import (
    MOST_SHOWN,
    Interrogator,
    Turn,
    draft_values,
    question_values,
)
from fourcorners.research.limits import MOST_TURNS, TURNS
from fourcorners.research.looking import look
from fourcorners.research.offline import report
from fourcorners.research.question import take_apart
from fourcorners.research.researcher import Researcher, numbered
from fourcorners.research.spending import Meter
from fourcorners.research.told import Chosen, DraftTold, NextQuestion, Response, Understood
from fourcorners.research.tool import Material, Tool
from fourcorners.research.tools import inside_tools

AGENTS = (Role.ARCHIVIST, Role.INTERROGATOR, Role.RESEARCHER)
PROMPTS = ("archivist", "interrogate", "research", "draft", "repair", "fence")


@dataclass(frozen=True, slots=True)
class Inquiring:
    """How an inquiry is led.

    Attributes:
        turns: How often the researcher is asked at most.
        responds: Whether the researcher puts what it found into words, too.
        budget: What it may spend; the port's own by default.
        job: What calls are charged to.
    """

    turns: int = TURNS
    responds: bool = False
    budget: Budget | None = None
    job: str = "ask"

    def __post_init__(self) -> None:
        if not 1 <= self.turns <= MOST_TURNS:
            raise ConfigError(f"an inquiry has 1 to {MOST_TURNS} turns, not {self.turns}.")

    def calls(self, replies: int = 0, turns: int | None = None) -> int:
        """Return how many calls some turns make, all by default; `replies` to the archivist."""
        depth = self.turns if turns is None else turns
        return replies + 1 + depth * (3 + self.responds)


@dataclass(frozen=True, slots=True)
class Foretold:
    """What an inquiry takes at most, before anything is sent.

    Attributes:
        calls: Exchanges, by the formula.
        cost: In the currency of the prices; None where one is not known.
    """

    calls: int
    tokens_in: int
    tokens_out: int
    cost: float | None
    models: tuple[str, ...]


def require_models(port: Port) -> None:
    """Refuse to begin where an agent has no model.

    Raises:
        LlmNotConfigured: If one has none.
    """
    for role in AGENTS:
        port.voice(role)


def inquire(
    desk: Desk,
    port: Port,
    started: Answer,
    how: Inquiring,
    *,
    tools: Sequence[Tool] = (),
    reply: Reply | None = None,
) -> Iterator[Event]:
    """Lead an inquiry; whatever fails, it ends with a report that says what was not done.

    `tools` are those from outside of the contracts, and `reply` answers what the archivist asks
    back.

    Yields:
        The events, the last of which is `Finished`.

    Raises:
        LlmNotConfigured: Before anything is sent, if an agent has no model.
    """
    require_models(port)
    own = port.for_job(how.job, how.budget)
    meter = Meter(replace(started, made=_made(own, started.made, how, tools)))
    stopped = ""
    try:
        yield from understood(desk, own, meter, meter.started, reply)
    except (LlmError, BudgetExceeded) as error:
        stopped = f"before the first turn: {error.message}"
    told = meter.started
    parts = tuple(part.text for part in take_apart(told.question))
    yield Planned(told.question, parts, how.turns, how.calls(), told.assumptions)
    answer = replace(told, stopped=stopped)
    if not stopped:
        researcher = Researcher(desk, own, [*inside_tools(desk), *tools], responds=how.responds)
        interrogator = Interrogator(desk, own, researcher, turns=how.turns)
        answer = yield from interrogator.inquire(meter)
    if not answer.drafts:
        answer = yield from _by_rules(desk, replace(answer, question=started.question))
    yield Finished(replace(answer, record=(*meter.steps, *answer.record), sources=desk.sources()))


def _by_rules(desk: Desk, answer: Answer) -> Generator[Event, None, Answer]:
    """Put the report together without the model that failed, and say so.

    The question is the person's own: what a model that fails made of it may be anything.
    """
    events = report(desk, answer)
    for event in events:
        if isinstance(event, Finished):
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


def _made(port: Port, made: Made, how: Inquiring, tools: Sequence[Tool]) -> Made:
    names = PROMPTS + (("respond",) if how.responds else ())
    by = "; ".join(f"{role.value}: {port.voice(role).name}" for role in AGENTS)
    settings = (
        *made.settings,
        ("turns", str(how.turns)),
        ("response", "yes" if how.responds else "no"),
        ("outside sources", ", ".join(tool.name for tool in tools)),
    )
    prompts = tuple((str(port.load_prompt(name).id), port.load_prompt(name).id.hash)
                    for name in names)  # fmt: skip
    return replace(made, by=by, prompts=prompts, settings=settings, calls=how.calls())


def foretell(desk: Desk, port: Port, started: Answer, how: Inquiring) -> Foretold:
    """Return what an inquiry takes at most; nothing is sent.

    Its tokens are those of the prompts filled with what a search for the question brings.

    Raises:
        LlmNotConfigured: If an agent has no model.
    """
    require_models(port)
    parts = tuple(part.text for part in take_apart(started.question))
    materials = _likely(desk, started.question)
    researcher = Researcher(desk, port, inside_tools(desk), responds=how.responds)
    response: dict[str, Value] = {"asked": started.question, "materials": numbered(materials)}
    first = port.estimate("archivist", values_of(desk, started, [], may_ask=False), Understood)
    each = [
        port.estimate(
            "interrogate", question_values(started, Turn(0, (), ()), parts, how.turns), NextQuestion
        ),
        port.estimate("research", researcher.values(started.question, started.question), Chosen),
        port.estimate("draft", draft_values(started, started.question, materials), DraftTold),
    ]
    each += [port.estimate("respond", response, Response)] if how.responds else []
    told = [first, *(one for one in each for _ in range(how.turns))]
    costs = [one.cost for one in told if one.cost is not None]
    again = each[2].tokens_out * 2 * (how.turns - 1)  # a draft is read by the next question, too
    return Foretold(
        calls=how.calls(),
        tokens_in=sum(one.tokens_in for one in told) + again,
        tokens_out=sum(one.tokens_out for one in told),
        cost=sum(costs) if len(costs) == len(told) else None,
        models=_models(told),
    )


def _models(told: Sequence[Estimate]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(each.model for each in told))


def _likely(desk: Desk, question: str) -> list[Material]:
    found = look(desk, question, limit=MOST_SHOWN)
    return [desk.material(each.document, each.span, tool="search") for each in found.snippets]
