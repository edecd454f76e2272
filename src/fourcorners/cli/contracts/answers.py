"""What the commands share that answer questions: the port, progress, and the report."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from fourcorners.errors import ConfigError, FourcornersError

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

    from fourcorners.library.store import Library
    from fourcorners.llm import Port
    from fourcorners.models.encoder.protocol import Encoder
    from fourcorners.reports.tree import Block, Run
    from fourcorners.research.agents.inquiry import InquirySettings
    from fourcorners.research.answer import Answer
    from fourcorners.research.events import Event
    from fourcorners.research.store import AnswerSummary
    from fourcorners.settings import LlmSettings

_SHOWN = 700  # characters of a quote; the report's file has it whole
_SKIPPED = frozenset({"record"})  # sections that the terminal leaves to the file


@dataclass(frozen=True, slots=True)
class QuestionOptions:
    """What is asked, of what, and with what."""

    library: Library
    contracts: tuple[str, ...]
    collection: str | None
    turns: int
    instructions: str = ""
    rules: bool = False
    sources: tuple[str, ...] = ()
    record: Path | None = None
    replay: Path | None = None
    words_only: bool = False

    @contextmanager
    def events(self, question: str, context: str) -> Iterator[Iterator[Event]]:
        """Open what answers, and yield what happens."""
        from fourcorners.playbooks.concepts import default_concepts
        from fourcorners.research.run import ask
        from fourcorners.research.sources import external_tools

        with self._port() as port:
            yield ask(
                self.library,
                question,
                contracts=self.contracts,
                collection=self.collection,
                context=context,
                instructions=self.instructions,
                encoder=self.encoder,
                concepts=default_concepts(),
                port=port,
                how=self.how,
                tools=external_tools(self.sources),
                reply=_reply if sys.stdin.isatty() and sys.stderr.isatty() else None,
            )

    @property
    def encoder(self) -> Encoder | None:
        """Return the encoder of the library's vectors, if there is one and it is wanted."""
        from fourcorners.models import default_encoder

        return default_encoder() if self.library.encoder and not self.words_only else None

    @property
    def how(self) -> InquirySettings:
        """Return how the inquiry is led; what it spends is charged to this one run."""
        from datetime import UTC, datetime

        from fourcorners.research.agents.inquiry import InquirySettings

        return InquirySettings(turns=self.turns, job=f"ask {datetime.now(UTC).isoformat()}")

    @contextmanager
    def _port(self) -> Iterator[Port | None]:
        from fourcorners.library.llm_store import LibraryCache, LibraryLedger
        from fourcorners.llm import open_port

        settings = self._settings()
        if settings is None:
            yield None
            return
        cache, ledger = LibraryCache(self.library), LibraryLedger(self.library)
        with open_port(settings, cache=cache, ledger=ledger, job="ask") as port:
            yield port

    def _settings(self) -> LlmSettings | None:
        """Return the settings of the model, or None where the report is by rules."""
        from fourcorners.llm import is_configured
        from fourcorners.llm.port.port import NOT_CONFIGURED
        from fourcorners.settings import Settings

        settings = Settings.load().llm
        if self.rules or not is_configured(settings):
            if not self.rules and (self.record or self.replay):
                raise ConfigError("no language model is configured.", remedy=NOT_CONFIGURED)
            return None
        files = {"record": self.record, "replay": self.replay}
        return settings.model_copy(update={key: path for key, path in files.items() if path})

    def estimate(self, question: str, context: str) -> tuple[int, int, int, float | None, str]:
        """Return calls, tokens in and out, cost and models of what would be asked."""
        from fourcorners.llm.port.port import NOT_CONFIGURED
        from fourcorners.playbooks.concepts import default_concepts
        from fourcorners.research.agents.inquiry import estimate_cost
        from fourcorners.research.run import prepare_answer

        with self._port() as port:
            if port is None:
                raise ConfigError("no language model is configured.", remedy=NOT_CONFIGURED)
            desk, started = prepare_answer(
                self.library,
                question,
                contracts=self.contracts,
                collection=self.collection,
                context=context,
                instructions=self.instructions,
                encoder=self.encoder,
                concepts=default_concepts(),
            )
            told = estimate_cost(desk, port, started, self.how)
        return told.calls, told.tokens_in, told.tokens_out, told.cost, ", ".join(told.models)


def _reply(question: str) -> str:
    """Ask the person back."""
    from fourcorners.text.invisible_characters import single_line

    sys.stderr.write(f"{single_line(question)} (Enter to leave it open)\n> ")
    sys.stderr.flush()
    return sys.stdin.readline().strip()


def print_estimate(asked: QuestionOptions, question: str, context: str, *, as_json: bool) -> None:
    """Say what an inquiry takes at most; nothing is sent."""
    from fourcorners.cli.output import console

    calls, sent, got, cost, models = asked.estimate(question, context)
    if as_json:
        console.print_json(
            {"models": models, "calls": calls, "tokens_in": sent, "tokens_out": got, "cost": cost}
        )
        return
    price = "of an unknown price" if cost is None else f"about ${cost:,.4f}"
    console.stdout_console().print(
        f"{models}: at most {console.count_noun(calls, 'call')}, about {sent:,} tokens in, {got:,} "
        f"out, {price}. Nothing was sent.",
        soft_wrap=True,
    )


def print_answers(found: Sequence[AnswerSummary], *, as_json: bool) -> None:
    """Print the answers that a library keeps."""
    from dataclasses import asdict

    from rich.text import Text

    from fourcorners.cli.output import console
    from fourcorners.text.invisible_characters import shorten

    if as_json:
        console.print_json([asdict(each) for each in found])
        return
    out = console.stdout_console()
    for each in found:
        head = Text.assemble((each.id, "bold"), f"  {each.made}  ", (each.ruling.value, "green"))
        out.print(head, soft_wrap=True)
        console.print_indented(out, Text(shorten(each.question, 200)), 3)
    if not found:
        out.print("The library keeps no answers. Ask: fourcorners ask QUESTION.")


def show_progress(events: Iterator[Event]) -> Answer:
    """Say on standard error what happens, if a person looks at it, and return the report."""
    from fourcorners.cli.output import console
    from fourcorners.research.events import AnswerEvent

    err = console.err()
    for event in events:
        if isinstance(event, AnswerEvent):
            return event.answer
        if err.is_terminal and (told := _told(event)):
            err.print(told, style="dim", markup=False, soft_wrap=True)
    raise FourcornersError("the run ended without a report.", remedy="Please report this.")


def _told(event: Event) -> str:
    """Return an event in a line; nothing for those that need none."""
    from fourcorners.research import events as happened
    from fourcorners.text.invisible_characters import shorten

    match event:
        case happened.PlanEvent():
            turns = f", {event.turns} turns, {event.calls} calls at most" if event.turns else ""
            return f"Planned: {len(event.parts)} part(s){turns}"
        case happened.QuestionEvent():
            return f"{event.turn}. {shorten(event.question, 100)} ({', '.join(event.tools)})"
        case happened.EvidenceEvent():
            return f"   {len(event.materials)} passage(s) found"
        case happened.DraftEvent():
            return f"   drafted: {event.draft.answer.ruling.value}"
        case happened.GapEvent():
            return f"   gap: {shorten(event.gap.what, 100)}"
        case _:
            return ""


def print_answer(out: Console, answer: Answer) -> None:
    """Print a report for a person who reads it in a terminal."""
    from rich.text import Text

    from fourcorners.cli.output.console import print_indented
    from fourcorners.reports.answer import answer_report
    from fourcorners.text.invisible_characters import single_line

    report = answer_report(answer)
    print_indented(out, Text(single_line(report.project), "bold"), 0)
    print_indented(out, Text(f"{report.status} By {single_line(answer.made.by)}.", "dim"), 0)
    for _, _, section in report.walk():
        if section.anchor in _SKIPPED:
            continue
        out.print()
        out.print(Text(single_line(section.title), "bold underline"))
        for block in section.blocks:
            _print_block(out, block)


def _print_block(out: Console, block: Block) -> None:
    from rich.text import Text

    from fourcorners.cli.output.console import print_indented
    from fourcorners.reports import tree
    from fourcorners.text.invisible_characters import shorten

    match block:
        case tree.Paragraph():
            told = _line(block.runs)
            if block.kind is tree.Kind.LABEL:
                told.stylize("bold")
            elif block.kind is tree.Kind.NOTE:
                told.stylize("dim")
            print_indented(out, told, 0)
        case tree.QuoteBlock():
            quote = Text(f"“{shorten(block.words, _SHOWN)}”")
            if not block.verified:
                quote.stylize("red")
            source = _line(block.source)
            source.stylize("dim")
            print_indented(out, quote, 3)
            print_indented(out, Text.assemble("— ", source), 3)
        case tree.BulletList():
            for item in block.items:
                print_indented(out, _line(item), 2, "•")
        case tree.FactList():
            for name, value in block.pairs:
                print_indented(out, Text.assemble((f"{name}: ", "dim"), _line(value)), 0)
        case tree.Table():
            pass


def _line(runs: Iterable[Run]) -> Text:
    """Return runs on one line, in the colours of their tones."""
    from rich.text import Text

    from fourcorners.reports.tree import Tone
    from fourcorners.text.invisible_characters import show_invisible

    styles = {Tone.STRONG: "bold green", Tone.MEDIUM: "bold yellow", Tone.WARNING: "bold yellow",
              Tone.QUIET: "dim"}  # fmt: skip
    told = Text()
    for run in runs:
        told.append(" ".join(show_invisible(run.text).split("\n")), styles.get(run.tone, ""))
    return told
