"""Questions that no head was learned for, such as a user's own: the reader of clauses answers them.

A question of yes or no is asked as it stands, one with options once with each of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from fourcorners.models.reader.reader import Answer, Reader, Reading
from fourcorners.models.verdict_reader.clause import MarkedClause
from fourcorners.models.verdict_reader.opinions import ALONE, option_asks, read_window
from fourcorners.models.verdict_reader.reader import Verdict


@dataclass(frozen=True, slots=True)
class AskedQuestion:
    """A question with its options, each in words; yes and no have none."""

    id: str
    words: str
    options: Mapping[str, str]

    @property
    def asks(self) -> dict[str, str]:
        """Return what the reader is asked, by option; alone by `ALONE`."""
        return option_asks(self.words, self.options)


def read_asked(
    reader: Reader, questions: Sequence[AskedQuestion], clause: MarkedClause
) -> dict[str, Verdict]:
    """Return a verdict on each question, by its id; silence says nothing.

    Raises:
        ModelError: If a file of the reader is missing or damaged.
    """
    asked = [(each.id, option, words) for each in questions for option, words in each.asks.items()]
    text = read_window(clause).text_in(clause.text)
    readings = reader.read(text, [words for _, _, words in asked]) if asked else []
    found: dict[str, dict[str, Reading]] = {}
    for (name, option, _), reading in zip(asked, readings, strict=True):
        found.setdefault(name, {})[option] = reading
    return {name: _verdict(reader, own) for name, own in found.items()}


def _verdict(reader: Reader, readings: Mapping[str, Reading]) -> Verdict:
    if ALONE in readings:
        reading = readings[ALONE]
        return Verdict(
            reading.answer,
            reading.probability,
            says=reading.answer in (Answer.YES, Answer.NO),
            is_asserted=reader.asserts(reading),
        )
    option, reading = max(readings.items(), key=lambda each: each[1].chance(Answer.YES))
    says = reading.answer is Answer.YES
    is_asserted = says and reader.asserts(reading)
    return Verdict(option, reading.chance(Answer.YES), says=says, is_asserted=is_asserted)
