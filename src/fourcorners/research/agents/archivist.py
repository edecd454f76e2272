"""The archivist: turn what a person said into a question with its context and instructions.

It asks back at most once, when something is missing that changes the answer and that no contract
can say; otherwise it continues and reports its assumptions. It also names what to look up first, so
that this needs no separate call. (PAKTON, section 3.1)

Its question is used where it says what was said and no more: see `added_words`.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import replace

from fourcorners.llm import Port, QuotedText
from fourcorners.llm.prompt import Value
from fourcorners.research.agents.contract_maps import outline_map
from fourcorners.research.agents.figures import find_figures, unknown_figures
from fourcorners.research.agents.meter import Meter
from fourcorners.research.agents.ruling_check import denies_alike
from fourcorners.research.agents.schemas import ToolCall, UnderstoodQuestion, build_form
from fourcorners.research.answer import Answer
from fourcorners.research.context import ResearchContext
from fourcorners.research.events import ClarificationEvent, Event
from fourcorners.research.rewriting import add_legal_terms
from fourcorners.research.tool import Tool, cut_mark
from fourcorners.text.stems import content_tokens, stem_tokens, stems
from fourcorners.text.tokenization import tokenize

Reply = Callable[[str], str]
_MOST_ASSUMPTIONS = 5  # shown in a report
_LONGEST = 1_000  # characters of what it writes
_HEADINGS = 1_000  # characters shown of a contract
_ALL_HEADINGS = 4_000  # of all of them
_FEWEST = 200  # of a contract, where there are many
_NEUTRAL = frozenset(stem_tokens(["client", "side"]))  # what the prompt calls them


def understand_question(
    context: ResearchContext,
    port: Port,
    meter: Meter,
    tools: Sequence[Tool],
    reply: Reply | None,
) -> Generator[Event, None, list[ToolCall]]:
    """Ask the model what was meant; the generator returns what to look up first.

    What was understood becomes the head of the report: `meter.started`. A question to which the
    model added something is not used, and its step says so.

    Yields:
        What the step used, and `ClarificationEvent` where the person is asked back.

    Raises:
        LlmError: If the model fails.
        BudgetExceeded: If the budget does not allow it.
    """
    before = started = meter.started
    replies: list[Value] = []
    may_ask = reply is not None
    values = prompt_values(context, started, tools, replies, may_ask=may_ask)
    values["contracts"] = [*_earlier_words(meter), *quote_headings(context, started.question)]
    form = archivist_form(tools, may_ask=may_ask)
    value = (yield from meter.ask(port, "archivist", values, form)).value
    if reply is not None and value.ask_back.strip():
        asked = _short(value.ask_back)
        yield ClarificationEvent(asked)
        response = reply(asked).strip()
        if response:
            replies.append({"asked": asked, "said": response})
            meter.own_words += (response,)
            exchange = f"{started.context} {asked} “{response}”".strip()
            started = meter.started = replace(started, context=exchange)
            again = prompt_values(context, before, tools, replies, may_ask=False)
            values = {**again, "contracts": values["contracts"]}
            form = archivist_form(tools, may_ask=False)
            value = (yield from meter.ask(port, "archivist", values, form)).value
        else:
            value.assumptions.append(f"Left open: {asked}")
    question = _short(value.question)
    if added := question and added_words(
        context, started, question, meter.own_words, [each.words for each in meter.cited]
    ):
        question = ""
        did = f"{meter.steps[-1].did}: not used as the question, for it adds or omits {added}"
        meter.steps[-1] = replace(meter.steps[-1], did=did)
    meter.started = replace(
        started,
        question=question or started.question,
        assumptions=tuple(
            _short(each) for each in value.assumptions[:_MOST_ASSUMPTIONS] if each.strip()
        ),
    )
    return value.looks


def _earlier_words(meter: Meter) -> list[Value]:
    return [QuotedText(each.words, f"{each.source}, {each.where}") for each in meter.cited]


def added_words(
    context: ResearchContext,
    started: Answer,
    question: str,
    own_words: Sequence[str],
    cited: Sequence[str] = (),
) -> str:
    """Return what a question says beyond what was said, or omits of it; nothing if it is the same.

    It may have the words of the person and of their conversation, the words that the answer before
    cites, the law's words for these, what the contracts call the parties that they name, and the
    title of the one contract that they ask of. So it brings no name, collection, figure or
    assumption, and it leaves out no figure, no denial and not most of what was asked.
    """
    known = [*own_words, add_legal_terms(started.asked), context.scope(started.asked).question]
    if len(context.contracts) == 1:
        known.append(context.title(context.contracts[0].id).title)
    figures = [each for text in known for each in find_figures(text, with_counts=True)]
    known_stems = {*_NEUTRAL, *(stem for text in (*known, *cited) for stem in stems(text))}
    asked, rewritten = set(stems(started.asked)), set(stems(question))
    content = content_tokens(tokenize(question).tokens)
    new = [each for each in content if known_stems.isdisjoint(stem_tokens([each]))]
    new += unknown_figures(question, figures, exactly=True)
    if new:
        return ", ".join(f"“{each}”" for each in dict.fromkeys(new))
    omitted = unknown_figures(started.asked, find_figures(question, with_counts=True), exactly=True)
    if not denies_alike(question, started.asked):
        omitted.append("a denial")
    if len(asked & rewritten) * 2 < len(asked):
        omitted.append("most of it")
    common = asked & rewritten & _party_stems(context)
    orders = [[e for e in stems(text) if e in common] for text in (started.asked, question)]
    if orders[0] != orders[1]:
        omitted.append("who does what to whom")
    return ", ".join(omitted)


def _party_stems(context: ResearchContext) -> set[str]:
    """Return the stems of what the contract asked of calls its parties; none of several."""
    if len(context.contracts) != 1:
        return set()
    parties = [each.value for each in context.read_contract(context.contracts[0].id).card.parties]
    names = [name for each in parties for name in (each.name, each.short, each.role) if name]
    return {stem for name in names for stem in stems(name)}


def prompt_values(
    context: ResearchContext,
    started: Answer,
    tools: Sequence[Tool],
    replies: list[Value],
    *,
    may_ask: bool,
) -> dict[str, Value]:
    return {
        "said": started.asked,
        "context": known_before(started),
        "instructions": started.instructions,
        "replies": replies,
        "contracts": quote_headings(context, started.question),
        "tools": describe_tools(tools),
        "may_ask": may_ask,
    }


def known_before(started: Answer) -> str:
    """Return what was said besides the question: the question that it follows, and the context."""
    follows = f"This follows the question “{started.earlier}”." if started.earlier else ""
    return f"{follows} {started.context}".strip()


def archivist_form(tools: Sequence[Tool], *, may_ask: bool) -> type[UnderstoodQuestion]:
    names = [each.name for each in tools]
    return build_form(UnderstoodQuestion, names, () if may_ask else ("ask_back",))


def describe_tools(tools: Sequence[Tool]) -> list[Value]:
    return [{"name": each.name, "says": each.description} for each in tools]


def quote_headings(
    context: ResearchContext, question: str, *, longest: int = _HEADINGS
) -> list[Value]:
    """Return the contracts' types and headings as data; mark what does not fit."""
    maps = outline_map(context, question)
    longest = max(_FEWEST, min(longest, _ALL_HEADINGS // max(1, len(maps))))
    return [QuotedText(_whole_lines(text, longest), name) for name, text in maps]


def _whole_lines(text: str, longest: int) -> str:
    if len(text) <= longest:
        return text
    end = max(text.rfind("\n", 0, longest + 1), 0)
    mark = cut_mark(len(text[end:].strip()), "clauses by number or words")
    return f"{text[:end]}\n{mark}".strip()


def _short(text: str) -> str:
    return " ".join(text.split())[:_LONGEST]
