"""What happens while a question is answered, for those who watch; gone when the answer is there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from pydantic import TypeAdapter

from fourcorners.library.database import as_string
from fourcorners.library.store import Library
from fourcorners.research import events
from fourcorners.research.answer import Step
from fourcorners.research.events import Event
from fourcorners.research.tool import Material
from fourcorners.text.invisible_characters import shorten

_WORDS = 280  # characters of a passage that are shown while the work goes on
_PASSAGES = 6  # passages of one look


@dataclass(frozen=True, slots=True)
class StepPassage:
    """Words that a look brought; `document` is empty where they are from outside."""

    source: str
    where: str
    words: str
    document: str = ""
    start: int = 0
    end: int = 0


@dataclass(frozen=True, slots=True)
class ProgressStep:
    """Something that happened.

    Attributes:
        kind: `planned`, `asked`, `looked`, `called`, `found`, `drafted` or `missing`.
        description: The question that is asked, what is looked up or which model is asked for what,
            the ruling of a draft, what is missing.
        with_: The tools that are looked with; the parts of the question.
        more: How many passages were found besides those listed.
        says: What the program found, in its own words, or what the draft answers so far.
        tokens: Those of a call to a model, in and out.
        seconds: How long it took.
    """

    kind: str
    turn: int = 0
    description: str = ""
    with_: tuple[str, ...] = ()
    passages: tuple[StepPassage, ...] = ()
    more: int = 0
    says: tuple[str, ...] = ()
    tokens: int = 0
    seconds: float = 0.0


_STEP = TypeAdapter(ProgressStep)


class ProgressSteps:
    def __init__(self, library: Library, task: str) -> None:
        self._library, self._task = library, task

    def add(self, step: ProgressStep) -> None:
        self._library.execute(
            "INSERT INTO server_steps SELECT ?1, count(*) + 1, ?2 FROM server_steps "
            "WHERE task = ?1",
            (self._task, _STEP.dump_json(step).decode()),
        )

    def all(self) -> list[ProgressStep]:
        rows = self._library.execute(
            "SELECT told FROM server_steps WHERE task = ? ORDER BY number", (self._task,)
        )
        return [_STEP.validate_json(as_string(row[0])) for row in rows]

    def clear(self) -> None:
        """Forget the steps: they hold words of contracts, which the answer has in its own way."""
        self._library.execute("DELETE FROM server_steps WHERE task = ?", (self._task,))


def event_steps(event: Event) -> Iterator[ProgressStep]:
    """Yield an event as a waiting person sees it; nothing for what they need not know."""
    match event:
        case events.PlanEvent():
            yield ProgressStep(
                "planned", description=event.question, with_=event.parts, says=event.assumptions
            )
        case events.QuestionEvent():
            yield ProgressStep("asked", event.turn, event.question, event.tools)
        case events.EvidenceEvent():
            found = [each for each in event.materials if not each.by_program]
            says = tuple(
                f"{each.source}: {shorten(each.words, _WORDS)}"
                for each in event.materials
                if each.by_program
            )
            shown = tuple(_passage(each) for each in found[:_PASSAGES])
            more = len(found) - len(shown)
            yield ProgressStep("found", event.turn, passages=shown, more=more, says=says)
        case events.DraftEvent():
            answer = event.draft.answer
            says = tuple(shorten(each.marked, _WORDS) for each in answer.sentences)
            line = shorten(answer.line, _WORDS)
            yield ProgressStep("drafted", event.draft.turn, line, says=says)
        case events.StepEvent():
            yield _action_step(event.step)
        case events.GapEvent():
            yield ProgressStep("missing", event.turn, event.gap.what)
        case _:
            return


def _action_step(step: Step) -> ProgressStep:
    kind = "called" if step.model else "looked"
    failed = () if step.outcome in ("done", "kept") else (step.outcome,)
    tokens = step.tokens_in + step.tokens_out
    description = f"{step.agent}: {step.did}" if step.model else step.did
    return ProgressStep(
        kind, step.turn, description, says=failed, tokens=tokens, seconds=step.seconds
    )


def _passage(material: Material) -> StepPassage:
    span = material.span
    return StepPassage(
        source=material.source,
        where=material.where,
        words=shorten(material.words, _WORDS),
        document=material.document if span else "",
        start=span.start if span else 0,
        end=span.end if span else 0,
    )
