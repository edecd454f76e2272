"""What the chapters are made of: the findings numbered, and how each is named and placed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from pathlib import PurePath
from typing import Final

from fourcorners.reports.grid import (
    REVIEW_WORDS,
    SEVERITY_WORDS,
    STATE_WORDS,
    Cell,
    Grid,
    page_range,
)
from fourcorners.reports.tree import Run, Tone
from fourcorners.review.finding import (
    Annotation,
    CellState,
    Evidence,
    Finding,
    ReviewedDocument,
    ReviewState,
    Severity,
)
from fourcorners.text.invisible_characters import abridge, shorten, single_line

# Up to so many findings of high or medium severity are told in full in their chapters; of more,
# the chapters list them, and the schedule tells them.
MAX_IN_FULL: Final = 80
# Where there are more, the schedule shows so many characters of the quotes of a finding, by whether
# it is of high severity or a person asks to see it.
MAX_IN_SCHEDULE: Final = {True: 1_500, False: 500}
TONES: Final = {
    Severity.HIGH: Tone.HIGH,
    Severity.MEDIUM: Tone.MEDIUM,
    Severity.LOW: Tone.LOW,
    Severity.NONE: Tone.QUIET,
}
GRAVE_SEVERITIES: Final = (Severity.HIGH, Severity.MEDIUM)
CHECKED_STATES: Final = (ReviewState.CONFIRMED, ReviewState.CORRECTED, ReviewState.REJECTED)
_NAMED: Final = 3  # clauses of one finding that a line names
_NAME: Final = 44  # characters of a document's name in a table
_SHOWN: Final = 110  # characters of the words that stand for a finding in a line
# Such as `7.2(a)`, `Schedule 1 Part 2 3.1`, `Article IV`, `Twelfth(i)`, `(b)`.
_DATE: Final = re.compile(r"\b\d{4}-\d{2}-\d{2}\b")
_SENTENCE: Final = re.compile(r"(?<=[.!?])\s+")
_LABEL: Final = re.compile(
    r"(?:(?:Addendum|Annex|Annexure|Appendix|Article|Attachment|Clause|Exhibit|Paragraph|Part"
    r"|Recital|Schedule|Section|§)\s+\(?(?:\d[\w.]*|[A-Z]{1,5}[\d.]*)\)?(?=[\s,.:]|$)\s*)*"
    r"(?:(?:\d[\w.]*|[A-Z][a-z]+(?=\())?(?:\([\w.]{1,5}\))*)"
)


@dataclass(frozen=True, slots=True)
class Entry:
    """A finding of the report with its number: `F12` wherever the report speaks of it."""

    number: int
    cell: Cell

    @property
    def name(self) -> str:
        return f"F{self.number}"

    @property
    def anchor(self) -> str:
        return f"f{self.number}"

    @property
    def finding(self) -> Finding:
        return self.cell.finding

    @property
    def severity(self) -> Severity:
        return self.finding.severity

    def link(self) -> Run:
        return Run(self.name, link=self.anchor)


class ReportMaterial:
    """A grid with its findings numbered: what was found, and what is missing and should not be.

    What a person rejected is not among them, unless it should be there and is missing now: the
    schedule of what was not decided lists it.

    Attributes:
        whole_quotes: Whether the schedule quotes all words of all findings, however many they are.
    """

    def __init__(self, grid: Grid, *, whole_quotes: bool = False) -> None:
        self.grid = grid
        self.whole_quotes = whole_quotes
        self.review = grid.review
        reported = [cell for cell in grid.cells() if _is_reported(cell)]
        self.entries = tuple(Entry(n, cell) for n, cell in enumerate(reported, start=1))
        self._names = _short_names(grid.documents)

    def of_column(self, index: int) -> list[Entry]:
        return sort_by_severity(each for each in self.entries if each.cell.column == index)

    def of_row(self, index: int) -> list[Entry]:
        return sort_by_severity(each for each in self.entries if each.cell.row == index)

    def by_severities(self, *severities: Severity) -> list[Entry]:
        return sort_by_severity(each for each in self.entries if each.severity in severities)

    def display_name(self, document: ReviewedDocument) -> str:
        """Return the name of a document, without its suffix where no other has the same."""
        return self._names[document.id]

    def short_name(self, document: ReviewedDocument) -> str:
        return abridge(self._names[document.id], _NAME)

    def document_link(self, index: int) -> Run:
        """Return the short name of a document, leading to its chapter."""
        return Run(self.short_name(self.grid.documents[index]), link=f"document_{index}")

    def provision_link(self, column: int) -> Run:
        return Run(self.grid.columns[column].name, link=f"provision_{column}")

    def by_id(self, document: str) -> ReviewedDocument | None:
        return next((each for each in self.grid.documents if each.id == document), None)

    @cached_property
    def is_long(self) -> bool:
        return len(self.by_severities(*GRAVE_SEVERITIES)) > MAX_IN_FULL

    @cached_property
    def in_full(self) -> frozenset[int]:
        grave = [] if self.is_long else self.by_severities(*GRAVE_SEVERITIES)
        # What is missing has no words to tell: its line says all there is.
        grave = [each for each in grave if each.finding.state is CellState.FOUND]
        asked = [each for each in self.entries if needs_attention(each.finding)]
        return frozenset(each.number for each in [*grave, *asked])

    def in_schedule(self, entry: Entry) -> int:
        """Return how many characters of its quotes the schedule shows of a finding; 0 for all."""
        if self.whole_quotes or not self.is_long:
            return 0
        asked = needs_attention(entry.finding)
        return MAX_IN_SCHEDULE[asked or entry.severity is Severity.HIGH]

    @cached_property
    def checked(self) -> int:
        return sum(cell.finding.review in CHECKED_STATES for cell in self.grid.cells())

    @cached_property
    def rejected(self) -> list[Cell]:
        return [c for c in self.grid.cells() if c.finding.review is ReviewState.REJECTED]


def _is_reported(cell: Cell) -> bool:
    if cell.finding.state is CellState.FAILED:
        return False
    corrected = cell.finding.review is ReviewState.CORRECTED
    return cell.finding.state is CellState.FOUND or cell.flagged or corrected


def sort_by_severity(entries: Iterable[Entry]) -> list[Entry]:
    order = list(TONES)
    return sorted(entries, key=lambda each: (order.index(each.severity), each.number))


def needs_attention(finding: Finding) -> bool:
    is_marked = finding.review in (ReviewState.SECOND_LOOK, ReviewState.CORRECTED)
    return is_marked or any(remark.comment for remark in finding.remarks)


def clause_reference(evidence: Evidence) -> str:
    return ", ".join(filter(None, (clause_heading(evidence), page_range(evidence.pages))))


def clause_heading(evidence: Evidence) -> str:
    """Return the clause of some evidence: its label and heading."""
    if not evidence.path or evidence.path[-1] in ("paragraph", ""):
        return "unnumbered paragraph"
    return shorten(evidence.path[-1], 60)


def clause_label(evidence: Evidence) -> str:
    """Return the label of a clause without its heading, which stands for it where it has none."""
    whole = clause_heading(evidence)
    found = _LABEL.match(whole)
    heading = found.group().rstrip(".: ") if found else ""
    return heading or shorten(whole, 28)


def clause_references(finding: Finding) -> str:
    """Return the clauses of a finding by their labels; of many, the first and how many more."""
    if finding.state is CellState.NOT_FOUND:
        return "not found"
    first: dict[str, Evidence] = {}
    for evidence in finding.evidence:
        if evidence.quote.verified:
            first.setdefault(clause_label(evidence), evidence)
    named = [
        name + (f" (p. {each.pages[0]})" if each.pages else "") for name, each in first.items()
    ]
    more = [f"{len(named) - _NAMED} more"] if len(named) > _NAMED else []
    return "; ".join([*named[:_NAMED], *more])


def severity_run(entry: Entry) -> Run:
    """Return the severity of a finding in a word; a dash where it has none."""
    if entry.severity is Severity.NONE:
        return Run("–", Tone.QUIET)
    return Run(SEVERITY_WORDS[entry.severity], TONES[entry.severity])


def review_run(finding: Finding) -> Run:
    line = REVIEW_WORDS[finding.review]
    if finding.review is ReviewState.PROPOSED:
        return Run(line, Tone.QUIET)
    last = last_decision(finding)
    who = f" by {single_line(last.by)}, {format_time(last.at)}" if last else ""
    warn = finding.review is ReviewState.SECOND_LOOK
    return Run(line + who, Tone.WARNING if warn else Tone.STRONG)


def last_decision(finding: Finding) -> Annotation | None:
    fitting = (each for each in reversed(finding.remarks) if each.state is finding.review)
    return next(fitting, None)


def severity_reason(finding: Finding) -> str:
    return finding.reason or STATE_WORDS[finding.state]


def without_dates(reason: str) -> str:
    """Return a reason with its dates left open: what is one reason in many contracts."""
    return _DATE.sub("…", reason)


def shared_sentences(reasons: Sequence[str]) -> str:
    """Return the sentences that all of some reasons have, or the first where they share none."""
    sentences = [_SENTENCE.split(reason) for reason in reasons]
    common = [each for each in sentences[0] if all(each in others for others in sentences[1:])]
    return " ".join(common) or reasons[0]


def recommendation(finding: Finding) -> str:
    house_position = finding.position
    return finding.recommendation or (house_position.recommend if house_position else "")


def short_reason(finding: Finding) -> str:
    """Return the reason of a finding's severity, or where it has none its best words."""
    if finding.value or not finding.reason:
        return best_words(finding) or severity_reason(finding)
    return severity_reason(finding)


def best_words(finding: Finding) -> str:
    """Return the words that stand for a finding in a line: a person's, else its best quote."""
    if finding.value:
        return shorten(finding.value, _SHOWN)
    best = finding.best
    if best is None or not best.quote.verified:
        return ""
    return f"“{shorten(best.quote.words, _SHOWN)}”"


def format_date(value: date | None) -> str:
    """Return a date as people write it; empty for none."""
    return f"{value.day} {value:%B} {value.year}" if value else ""


def format_time(at: str) -> str:
    """Return the day of a time in ISO 8601; the words as they are if it is none."""
    try:
        return format_date(date.fromisoformat(at[:10]))
    except ValueError:
        return at


def count_noun(number: int, noun: str, many: str = "") -> str:
    return f"{number:,} {noun if number == 1 else many or noun + 's'}"


def join_words(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def _short_names(documents: Sequence[ReviewedDocument]) -> dict[str, str]:
    stems = [PurePath(document.name).stem for document in documents]
    return {
        document.id: single_line(stem if stem and stems.count(stem) == 1 else document.name)
        for document, stem in zip(documents, stems, strict=True)
    }
