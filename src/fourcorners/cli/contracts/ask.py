"""`fourcorners ask`: questions to contracts, answered with reports."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import fourcorners
from fourcorners.cli import options
from fourcorners.cli.contracts.answers import print_answer
from fourcorners.cli.model_port import of_model
from fourcorners.cli.options import argument, option, spread
from fourcorners.cli.output import console
from fourcorners.errors import ConfigError, FourcornersError
from fourcorners.text.invisible_characters import shorten, single_line

if TYPE_CHECKING:
    from fourcorners.library.store import Library
    from fourcorners.llm import Port
    from fourcorners.operations.ask import AskRequest
    from fourcorners.operations.local_models import LocalModels
    from fourcorners.research.answer import Answer, Step
    from fourcorners.research.events import Event
    from fourcorners.research.tool import Material
    from fourcorners.settings import Settings

_PASSAGES = 6  # passages of one question that are shown while it is answered
_GLIMPSE = 120  # characters of each
_NEXT = {
    "PlanEvent": "Choosing what to look up",
    "QuestionEvent": "Looking it up",
    "EvidenceEvent": "Writing down what it tells",
    "DraftEvent": "Choosing what to ask next",
}  # what goes on after an event


@dataclass(frozen=True, slots=True)
class _QuestionOptions:
    """Of what a question is asked, and how it is answered."""

    documents: options.Contracts = None
    collection: options.Collection = None
    read_for: Annotated[
        list[str] | None,
        option(
            "--for PARTY",
            "Who asks: “we” is that party. May be given again, for a group.",
            default="as the review of the collection was for",
        ),
    ] = None
    turns: Annotated[
        int, option("--turns N", "How often the model looks things up, at most.", least=1, most=20)
    ] = 5
    context: Annotated[str, option("--context TEXT", "What else is known: what happened.")] = ""
    instructions: Annotated[str, option("--instructions TEXT", "How the report is to be.")] = ""
    rules: Annotated[
        bool, option("--rules", "Do without a language model, though one is configured.")
    ] = False
    sources: Annotated[
        list[str] | None,
        option("--source NAME", "An outside source to use, too. May be given again."),
    ] = None
    follows: Annotated[
        str, option("--follows ANSWER", "The kept answer that this question follows.")
    ] = ""
    words_only: options.Words = False
    library: options.Library = None


@dataclass(frozen=True, slots=True)
class _ExchangeOptions:
    """Where exchanges with the model are kept, or taken from."""

    record: Annotated[
        Path | None, option("--record FILE", "Write the exchanges with the model down.")
    ] = None
    replay: Annotated[Path | None, option("--replay FILE", "Answer from such a record.")] = None


@spread
def ask(
    *,
    question: Annotated[
        str | None, argument("QUESTION", "In your own words.", default="a conversation")
    ] = None,
    asked: _QuestionOptions,
    out: Annotated[
        list[Path] | None,
        option(
            "--out -o FILE",
            "Write the report: .md, .html, .docx, .pdf, .json; its table: .xlsx. May be repeated.",
        ),
    ] = None,
    estimate: Annotated[
        bool, option("--estimate", "Only say what it would cost; nothing is sent.")
    ] = False,
    exchanges: _ExchangeOptions,
    full: Annotated[bool, option("--full", "Show the whole report.")] = False,
    as_json: options.Json = False,
) -> None:
    """Answer a question, with the words behind it.

    First the answer in a line and the words that say so, then what changes it and what else may
    bear on it. The report (--full, --out) has the definitions and clauses that belong to it, too.
    Without a question, a conversation begins: each answer is context of the next question, and an
    empty line, or Ctrl-D, ends it. The library keeps every report.
    """
    from fourcorners.reports.answer import require_suffix, write_answer
    from fourcorners.settings import Settings

    paths = out or []
    console.require_place(*paths, exchanges.record)
    for path in paths:
        require_suffix(path)
    if question is None and (paths or estimate or full or as_json):
        raise ConfigError(
            "--out, --estimate, --full and --json are of one question.", remedy="Give the question."
        )
    settings = Settings.load()
    with console.open_library(asked.library) as held:
        if question is None:
            _converse(held, asked, settings, exchanges)
            return
        inquirer = _Inquirer(held, asked, settings, exchanges)
        if estimate:
            inquirer.print_estimate(question, as_json=as_json)
            return
        answer = inquirer.answer(question)
        identity = _save(held, answer)
    for path in paths:
        write_answer(answer, path)
    if as_json:
        console.print_json(json.loads(answer.to_json()))
        return
    print_answer(answer, full=full)
    where = f" Written to {' and '.join(map(str, paths))}." if paths else ""
    console.print_note((f"{_describe_saved(identity)}{where}", "dim"))


def _save(held: Library, answer: Answer) -> str:
    """Store an answer and return its id; empty where the library cannot be written."""
    from fourcorners.research.store import save_answer

    return "" if held.is_read_only else save_answer(held, answer)


def _describe_saved(identity: str) -> str:
    return f"Kept as {identity}." if identity else "Not kept: the library is read-only."


def _converse(
    held: Library, asked: _QuestionOptions, settings: Settings, exchanges: _ExchangeOptions
) -> None:
    while question := _prompt("Ask: "):
        try:
            answer = _Inquirer(held, asked, settings, exchanges).answer(question)
        except FourcornersError as error:
            console.print_error(error)
            continue
        identity = _save(held, answer)
        print_answer(answer, full=False)
        console.print_note((_describe_saved(identity), "dim"))
        asked = replace(asked, follows=identity)


def _prompt(prompt: str) -> str:
    """Return a line that a person types; nothing at the end of the input."""
    if sys.stdin.isatty():
        sys.stderr.write(prompt)
        sys.stderr.flush()
    return sys.stdin.readline().strip()


@dataclass(frozen=True, slots=True)
class _Inquirer:
    """Asks the contracts of a library as some options say."""

    library: Library
    options: _QuestionOptions
    settings: Settings
    exchanges: _ExchangeOptions

    def answer(self, question: str) -> Answer:
        """Answer a question, and show the progress."""
        from fourcorners.operations.ask import answer_question
        from fourcorners.settings import Settings

        with self._port() as port:
            events = answer_question(
                self.library,
                self._request(question),
                Settings.load(),
                job=_job(),
                engines=self.engines,
                port=port,
                reply=_reply if sys.stdin.isatty() and sys.stderr.isatty() else None,
            )
            return _show_progress(events)

    def _request(self, question: str) -> AskRequest:
        from fourcorners.operations.ask import AskRequest, fill_follow_up
        from fourcorners.research.store import load_answer

        names = AskRequest.model_fields.keys() - {"question"}
        given = {name: getattr(self.options, name) for name in names}
        filled = {name: value for name, value in given.items() if value is not None}
        asked = AskRequest.from_fields(question=question, **filled)
        if not asked.follows:
            return asked
        return fill_follow_up(asked, load_answer(self.library, asked.follows))

    @property
    def engines(self) -> LocalModels | None:
        from fourcorners.operations.local_models import LocalModels

        return None if self.options.words_only else LocalModels(self.settings)

    @contextmanager
    def _port(self) -> Iterator[Port | None]:
        """Open the port to the model; None where the report is by rules."""
        from fourcorners.library.llm_store import library_port
        from fourcorners.llm import is_configured
        from fourcorners.llm.port.port import NOT_CONFIGURED

        settings, files = self.settings.llm, self.exchanges
        if self.options.rules or not is_configured(settings):
            if not self.options.rules and (files.record or files.replay):
                raise ConfigError("no language model is configured.", remedy=NOT_CONFIGURED)
            yield None
            return
        with library_port(
            self.library, of_model(settings, "", files.replay, files.record), "ask"
        ) as port:
            yield port

    def print_estimate(self, question: str, *, as_json: bool) -> None:
        """Say what an inquiry takes at most; nothing is sent."""
        from fourcorners.llm.port.port import NOT_CONFIGURED
        from fourcorners.operations.ask import research_question
        from fourcorners.research.agents.inquiry import estimate_cost
        from fourcorners.research.run import prepare_answer

        with self._port() as port:
            if port is None:
                raise ConfigError("no language model is configured.", remedy=NOT_CONFIGURED)
            engines = self.engines
            asked = research_question(self._request(question), self.settings, _job())
            research_context, started = prepare_answer(
                self.library,
                asked,
                encoder=engines.encoder if engines and self.library.encoder else None,
                concepts=fourcorners.default_concepts(),
            )
            estimate = estimate_cost(research_context, port, started, asked.how)
        models = ", ".join(estimate.models)
        if as_json:
            figures = console.attributes(estimate, "calls tokens_in tokens_out cost")
            console.print_json({"models": models, **figures})
            return
        price = "of an unknown price" if estimate.cost is None else f"about ${estimate.cost:,.4f}"
        console.print_line(
            f"{models}: at most {console.count_noun(estimate.calls, 'call')}, about "
            f"{estimate.tokens_in:,} tokens in, {estimate.tokens_out:,} out, {price}. "
            "Nothing was sent."
        )


def _job() -> str:
    """Return what the calls of one run are charged to."""
    return f"ask {datetime.now(UTC).isoformat()}"


def _reply(question: str) -> str:
    return _prompt(f"{single_line(question)} (Enter to leave it open)\n> ")


def _show_progress(events: Iterator[Event]) -> Answer:
    """Say on standard error what happens, if a person looks at it, and return the report."""
    from rich.text import Text

    from fourcorners.research.events import AnswerEvent, ClarificationEvent

    err = console.err()
    status = err.status("The contracts are being laid out") if err.is_terminal else nullcontext()
    with status as shown:
        for event in events:
            if isinstance(event, AnswerEvent):
                answer = event.answer
                break
            if shown is None:
                continue
            for line in _event_lines(event):
                err.print(Text(line, "dim"), soft_wrap=True)
            if isinstance(event, ClarificationEvent):
                shown.stop()  # a person types
            else:
                shown.start()
                shown.update(_NEXT.get(type(event).__name__, shown.status))
        else:
            raise FourcornersError("the run ended without a report.", remedy="Please report this.")
    if shown is not None and answer.calls:
        console.print_note((_usage(answer), "dim"))
    return answer


def _event_lines(event: Event) -> list[str]:
    """Return an event as a person who waits reads it; nothing for those that need none."""
    from fourcorners.research import events

    match event:
        case events.PlanEvent():
            turns = console.count_noun(event.turns, "turn")
            turns = f", {turns}, {event.calls} calls at most" if event.turns else ""
            assumed = [f"   taken for granted: {single_line(each)}" for each in event.assumptions]
            return [f"Planned: {console.count_noun(len(event.parts), 'part')}{turns}", *assumed]
        case events.QuestionEvent():
            return [f"{event.turn}. {shorten(event.question, 200)} ({', '.join(event.tools)})"]
        case events.StepEvent():
            return _step_lines(event.step)
        case events.EvidenceEvent():
            found = [each for each in event.materials if not each.by_program]
            lines = [_found_line(each) for each in found[:_PASSAGES]]
            lines += [f"   and {len(found) - _PASSAGES} more"] if len(found) > _PASSAGES else []
            notes = [each for each in event.materials if each.by_program]
            lines += [
                f"   {single_line(each.source)}: {shorten(each.words, 200)}" for each in notes
            ]
            return lines or ["   nothing was found"]
        case events.DraftEvent():
            answer = event.draft.answer
            lines = [f"      {shorten(each.marked, 200)}" for each in answer.sentences]
            sure = f" ({answer.confidence:.0%})" if answer.confidence else ""
            return [f"   so far: {shorten(answer.line, 200)}{sure}", *lines]
        case events.GapEvent():
            return [f"   gap: {shorten(event.gap.what, 200)}"]
        case _:
            return []


def _step_lines(step: Step) -> list[str]:
    failed = "" if step.outcome in ("done", "kept") else f": {single_line(step.outcome)}"
    if not step.model:
        return [f"   {shorten(step.did, 200)}{failed}"]
    cached = ", from the cache" if step.outcome == "kept" else ""
    used = _used(step.tokens_in, step.tokens_out, [step.cost], step.seconds)
    return [f"   [{step.agent}, {step.did}: {used}{cached}]{failed}"]


def _found_line(material: Material) -> str:
    place = ", ".join(part for part in (material.source, material.where) if part)
    return f"   found {single_line(place)}: “{shorten(material.words, _GLIMPSE)}”"


def _usage(answer: Answer) -> str:
    steps = [step for step in answer.record if step.model]
    used = _used(
        sum(step.tokens_in for step in steps),
        sum(step.tokens_out for step in steps),
        [step.cost for step in steps],
        sum(step.seconds for step in answer.record),
    )
    return f"{console.count_noun(answer.calls, 'call')}, {used}."


def _used(tokens_in: int, tokens_out: int, costs: Sequence[float | None], seconds: float) -> str:
    known = [each for each in costs if each is not None]
    price = f"${sum(known):,.4f}" if len(known) == len(costs) else "price not known"
    return f"{tokens_in:,} tokens in, {tokens_out:,} out, {price}, {seconds:.1f} s"
