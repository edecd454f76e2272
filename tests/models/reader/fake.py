"""A reader of clauses whose answers a test gives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from fourcorners.models.reader.reader import Answer, Named, Reading
from fourcorners.text.span import Span

Chances = tuple[float, float, float, float]
SILENT: Chances = (0.02, 0.02, 0.02, 0.94)
LIMIT = 0.9


class FakeReader:
    """Answers questions by their words, with the chances given, or with others.

    Attributes:
        asked: The clauses and questions that it was given.
    """

    name = "fake"

    def __init__(
        self, answers: Mapping[str, Chances] | None = None, *, others: Chances = SILENT
    ) -> None:
        self._answers, self._others = answers or {}, others
        self.asked: list[tuple[str, tuple[str, ...]]] = []

    def read(self, clause: str, questions: Sequence[str]) -> list[Reading]:
        self.asked.append((clause, tuple(questions)))
        nothing = named(None)
        return [
            Reading(self._answers.get(each, self._others), nothing, nothing) for each in questions
        ]

    def is_asserted(self, reading: Reading) -> bool:
        return reading.answer in (Answer.YES, Answer.NO) and reading.probability >= LIMIT

    def is_verified(self, reading: Reading) -> bool:
        return reading.chance(Answer.YES) >= LIMIT

    def is_refused(self, reading: Reading) -> bool:
        return reading.chance(Answer.YES) <= 1 - LIMIT


def named(span: Span | None) -> Named:
    return Named(span, 0.0, 0.0 if span else 0.9)
