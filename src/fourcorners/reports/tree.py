"""A report to send, as a tree that Word, HTML and PDF draw alike."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final, TypeAlias

_WORD: Final = 6  # characters of an English word, with the space after it


class Tone(StrEnum):
    """What a run of words is, for each format to draw in its own way."""

    PLAIN = "plain"
    STRONG = "strong"
    QUIET = "quiet"
    HIGH = "high"
    MEDIUM = "medium"
    TO_READ = "to_read"
    LOW = "low"
    WARNING = "warning"
    ADDED = "added"
    REMOVED = "removed"


class Kind(StrEnum):
    """What a paragraph is."""

    BODY = "body"
    NOTE = "note"
    LABEL = "label"


class ReportKind(StrEnum):
    """The reports a law firm sends."""

    DUE_DILIGENCE = "due-diligence"
    RED_FLAGS = "red-flags"
    SAMPLE = "quality-sample"
    ANSWER = "answer"
    LIST = "list"


@dataclass(frozen=True, slots=True)
class Run:
    """Words in a row; `link` is the anchor of the place in this report that they lead to."""

    text: str
    tone: Tone = Tone.PLAIN
    link: str = ""


@dataclass(frozen=True, slots=True)
class Note:
    """What a person should see with a paragraph: a comment in Word, a note elsewhere.

    Attributes:
        at: When, in UTC, ISO 8601; empty for the program's own.
    """

    by: str
    text: str
    at: str = ""


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Runs on lines of their own, with the notes that hang on them."""

    runs: tuple[Run, ...]
    kind: Kind = Kind.BODY
    notes: tuple[Note, ...] = ()


@dataclass(frozen=True, slots=True)
class QuoteBlock:
    """The exact words of a contract, and where they are.

    Attributes:
        verified: Whether the contract has the words, character for character.
        left_out: How many characters at the end are not shown here.
    """

    words: str
    source: tuple[Run, ...]
    verified: bool = True
    left_out: int = 0

    @property
    def omission_note(self) -> str:
        """Say about how many words are not shown here."""
        return f"some {max(1, round(self.left_out / _WORD)):,} more words, not shown here"


@dataclass(frozen=True, slots=True)
class BulletList:
    """A list without numbers."""

    items: tuple[tuple[Run, ...], ...]


@dataclass(frozen=True, slots=True)
class FactList:
    """Names with what they stand for."""

    pairs: tuple[tuple[str, tuple[Run, ...]], ...]


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a table: blocks by column; a group's row is one cell over all columns."""

    cells: tuple[tuple[Paragraph | QuoteBlock, ...], ...]
    anchor: str = ""
    group: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """Rows under heads that each page repeats.

    Attributes:
        caption: What the table shows: its alternative text too.
        widths: The columns' shares of the width; they add up to 1.
    """

    caption: str
    heads: tuple[str, ...]
    rows: tuple[Row, ...]
    widths: tuple[float, ...]

    def __post_init__(self) -> None:
        if abs(sum(self.widths) - 1) > 0.001 or len(self.widths) != len(self.heads):
            raise ValueError(f"{self.caption}: the widths do not fit the columns")
        if any(len(row.cells) != (1 if row.group else len(self.heads)) for row in self.rows):
            raise ValueError(f"{self.caption}: a row does not fit the columns")


Block: TypeAlias = Paragraph | QuoteBlock | BulletList | FactList | Table


@dataclass(frozen=True, slots=True)
class Section:
    """A heading with what is under it; its level is its depth in the tree.

    Attributes:
        anchor: ASCII letters, digits and `_`: the name that links use.
        schedule: Whether it is a schedule, counted by letters, instead of a numbered chapter.
        wide: Whether its pages lie on their side.
        numbered: Whether it is counted at all.
        new_page: Whether it begins on a new page.
    """

    anchor: str
    title: str
    blocks: tuple[Block, ...] = ()
    sections: tuple[Section, ...] = ()
    schedule: bool = False
    wide: bool = False
    numbered: bool = True
    new_page: bool = False


@dataclass(frozen=True, slots=True)
class Report:
    """A whole report.

    Attributes:
        title: What kind of report it is; `project` says of what.
        status: How far people have checked it, in a sentence.
        facts: What the cover says.
        notice: What whoever holds the report should know first.
        contents: Whether a table of contents comes first.
    """

    kind: ReportKind
    title: str
    project: str
    status: str
    facts: tuple[tuple[str, str], ...]
    notice: str
    sections: tuple[Section, ...]
    created: datetime
    prepared_by: str = ""
    language: str = "en-GB"
    contents: bool = True

    def walk(self) -> Iterator[tuple[int, str, Section]]:
        """Yield every section with its level, from 1, and its number, in the order of reading."""
        chapters = schedules = 0
        for section in self.sections:
            if section.schedule:
                schedules += 1
                number = f"Schedule {_letters(schedules)}"
            else:
                chapters += section.numbered
                number = str(chapters) if section.numbered else ""
            yield from _sections_below(section, 1, number)


def _sections_below(
    section: Section, level: int, number: str
) -> Iterator[tuple[int, str, Section]]:
    yield level, number, section
    count = 0
    for each in section.sections:
        count += each.numbered
        inside = f"{number.removeprefix('Schedule ')}.{count}" if number and each.numbered else ""
        yield from _sections_below(each, level + 1, inside)


def _letters(number: int) -> str:
    """Return 1 as A, 26 as Z, 27 as AA."""
    letters = ""
    while number:
        number, rest = divmod(number - 1, 26)
        letters = chr(ord("A") + rest) + letters
    return letters


def words(text: str, tone: Tone = Tone.PLAIN, link: str = "") -> tuple[Run, ...]:
    return (Run(text, tone, link),)


def body(*runs: Run | str, notes: tuple[Note, ...] = ()) -> Paragraph:
    """Return a paragraph of running text; a string is a plain run."""
    return Paragraph(_runs(runs), notes=notes)


def note(*runs: Run | str) -> Paragraph:
    """Return a paragraph of small print."""
    return Paragraph(_runs(runs), Kind.NOTE)


def label(*runs: Run | str) -> Paragraph:
    """Return a paragraph that heads the next one, and stays with it."""
    return Paragraph(_runs(runs), Kind.LABEL)


def row(*cells: str | Run | tuple[Paragraph | QuoteBlock, ...], anchor: str = "") -> Row:
    """Return a row; a string or a run is a cell of one paragraph."""
    return Row(tuple(_cell(each) for each in cells), anchor)


def group(*runs: Run | str) -> Row:
    """Return a row that heads the ones below it."""
    return Row(((body(*runs),),), group=True)


def _cell(
    content: str | Run | tuple[Paragraph | QuoteBlock, ...],
) -> tuple[Paragraph | QuoteBlock, ...]:
    return content if isinstance(content, tuple) else (body(content),)


def _runs(given: tuple[Run | str, ...]) -> tuple[Run, ...]:
    return tuple(Run(each) if isinstance(each, str) else each for each in given)
