"""What happens while a question is answered, for those who watch; gone when the answer is there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from pydantic import TypeAdapter

from fourcorners.library.database import as_string, register_tables
from fourcorners.library.store import Library
from fourcorners.research import events
from fourcorners.research.events import Event
from fourcorners.research.tool import Material
from fourcorners.text.invisible_characters import shorten

TABLE_SET = "server_steps"
_WORDS = 280  # characters of a passage that are shown while the work goes on
_PASSAGES = 6  # passages of one look

register_tables(
    TABLE_SET,
    (
        """
        CREATE TABLE server_steps(
            task   TEXT NOT NULL,
            number INTEGER NOT NULL,
            told   TEXT NOT NULL,
            PRIMARY KEY (task, number)
        ) STRICT, WITHOUT ROWID;
        """,
    ),
)


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
        kind: `planned`, `asked`, `found`, `drafted` or `missing`.
        description: The question that is asked, the ruling of a draft, what is missing.
        with_: The tools that are looked with; the parts of the question.
        more: How many passages were found beside those listed.
    """

    kind: str
    turn: int = 0
    description: str = ""
    with_: tuple[str, ...] = ()
    passages: tuple[StepPassage, ...] = ()
    more: int = 0


_STEP = TypeAdapter(ProgressStep)


class ProgressSteps:
    def __init__(self, library: Library, task: str) -> None:
        self._library, self._task = library, task
        library.migrate(TABLE_SET)

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
    """Yield an event as a person who waits is told of it; nothing for what they need not know."""
    match event:
        case events.PlanEvent():
            yield ProgressStep("planned", description=event.question, with_=event.parts)
        case events.QuestionEvent():
            yield ProgressStep("asked", event.turn, event.question, event.tools)
        case events.EvidenceEvent():
            shown = tuple(_passage(each) for each in event.materials[:_PASSAGES])
            more = len(event.materials) - len(shown)
            yield ProgressStep("found", event.turn, passages=shown, more=more)
        case events.DraftEvent():
            yield ProgressStep("drafted", event.draft.turn, event.draft.answer.ruling.value)
        case events.GapEvent():
            yield ProgressStep("missing", event.turn, event.gap.what)
        case _:
            return


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
