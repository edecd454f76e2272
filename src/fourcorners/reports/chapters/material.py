"""What the chapters are made of: the findings numbered, and how each is named and placed."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from typing import Final

from fourcorners.reports.grid import (
    REVIEW_WORDS,
    SEVERITY_WORDS,
    STATE_WORDS,
    Cell,
    Grid,
    page_range,
)
from fourcorners.reports.key_words import (
    AMENDING_LENGTH,
    deciding_quotes,
    evidence_of,
    whole_sentences,
    write_days,
)
from fourcorners.reports.tree import Paragraph, QuoteBlock, Row, Run, Tone, body
from fourcorners.review.finding import (
    Amendment,
    Annotation,
    CellState,
    Evidence,
    Finding,
    ReviewedDocument,
    ReviewState,
    Severity,
)
from fourcorners.review.overview.counts import FindingCounts, count_findings
from fourcorners.text.invisible_characters import shorten, single_line

TONES: Final = {
    Severity.HIGH: Tone.HIGH,
    Severity.MEDIUM: Tone.MEDIUM,
    Severity.TO_READ: Tone.TO_READ,
    Severity.LOW: Tone.LOW,
    Severity.NONE: Tone.QUIET,
}
GRAVE_SEVERITIES: Final = (Severity.HIGH, Severity.MEDIUM)
# Measured on A4 in the table text of our PDF and of our Word styles, which is the wider of the two.
_WIDTH: Final = 104  # characters of a line over the whole width
_INSET: Final = 2  # characters that the padding of a cell takes
_AROUND: Final = 0.7  # lines that the space above and below a row takes
_CLOSEST: Final = 160  # characters shown of words that are not a match
OPEN_TITLE: Final = "What is left to a person"
CLOSEST_WORDS: Final = "Closest words (not a match)"
# Such as `7.2(a)`, `Schedule 1 Part 2 3.1`, `Article IV`, `Twelfth(i)`, `(b)`.
_DATE: Final = re.compile(r"\b\d{1,2} [A-Z][a-z]+ \d{4}\b")
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

    def of_row(self, index: int) -> list[Entry]:
        return _sort_by_severity(each for each in self.entries if each.cell.row == index)

    def by_severities(self, *severities: Severity) -> list[Entry]:
        return _sort_by_severity(each for each in self.entries if each.severity in severities)

    @property
    def to_read(self) -> list[Entry]:
        """Return the findings that a person must read to know how grave they are."""
        return _sort_by_severity(
            each
            for each in self.entries
            if each.severity is Severity.TO_READ
            or each.finding.possible_severity.rank > each.severity.rank
        )

    def name(self, row: int) -> str:
        """Return what the contract of a row is called."""
        return self.grid.name(self.grid.documents[row])

    def document_link(self, index: int) -> Run:
        """Return the name of a contract, leading to where its findings are."""
        return Run(self.name(index), link=f"document_{index}")

    def family_runs(self, index: int) -> tuple[Run, ...]:
        """Return what a contract is to the one that it belongs to, after its name."""
        family = self.grid.family(self.grid.documents[index])
        return (Run(f"  {family}", Tone.QUIET),) if family else ()

    def by_id(self, document: str) -> ReviewedDocument | None:
        return next((each for each in self.grid.documents if each.id == document), None)

    @cached_property
    def counts(self) -> FindingCounts:
        """Return the numbers of the whole review, as the grid has them."""
        return count_findings(cell.finding for cell in self.grid.cells())

    @cached_property
    def rejected(self) -> list[Cell]:
        return [c for c in self.grid.cells() if c.finding.review is ReviewState.REJECTED]


def _is_reported(cell: Cell) -> bool:
    if cell.finding.state is CellState.FAILED:
        return False
    corrected = cell.finding.review is ReviewState.CORRECTED
    return cell.finding.state is CellState.FOUND or cell.flagged or corrected


def _sort_by_severity(entries: Iterable[Entry]) -> list[Entry]:
    order = list(TONES)
    return sorted(entries, key=lambda each: (order.index(each.severity), each.number))


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


def _clause_and_page(evidence: Evidence) -> str:
    return clause_label(evidence) + (f" (p. {evidence.pages[0]})" if evidence.pages else "")


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


def status_runs(finding: Finding) -> list[Run]:
    """Return what a person said of a finding."""
    runs: list[Run] = []
    if finding.review is not ReviewState.PROPOSED:
        runs += [Run(" "), review_run(finding), Run(".")]
    return runs


def last_decision(finding: Finding) -> Annotation | None:
    fitting = (each for each in reversed(finding.remarks) if each.state is finding.review)
    return next(fitting, None)


def severity_reason(finding: Finding) -> str:
    return write_days(finding.reason) or STATE_WORDS[finding.state]


def without_dates(reason: str) -> str:
    """Return a reason with its dates left open: what is one reason in many contracts."""
    return _DATE.sub("…", reason)


def shared_sentences(reasons: Sequence[str]) -> str:
    """Return the sentences that all of some reasons have, or the first where they share none."""
    sentences = [_SENTENCE.split(reason) for reason in reasons]
    common = [each for each in sentences[0] if all(each in others for others in sentences[1:])]
    return " ".join(common) or reasons[0]


def sentences_without_dates(reason: str) -> str:
    """Return the sentences of a reason that name no day, which is a contract's own."""
    return " ".join(each for each in _SENTENCE.split(reason) if not _DATE.search(each))


def own_sentences(reason: str, shared: str) -> str:
    """Return the sentences of a reason that are not among those shared."""
    common = _SENTENCE.split(shared)
    return " ".join(each for each in _SENTENCE.split(reason) if each not in common)


def recommendation(finding: Finding) -> str:
    house_position = finding.position
    return finding.recommendation or (house_position.recommend if house_position else "")


def key_block(finding: Finding, most: int = 0) -> tuple[Paragraph, ...]:
    """Return the words that carry a finding with their clauses, for a cell.

    Of long words the first sentences, about `most` characters of them; all where that is 0.
    """
    quotes = deciding_quotes(finding)
    if not quotes and finding.nearest:
        closest = shorten(finding.nearest.quote.words, _CLOSEST)
        where = _clause_and_page(finding.nearest)
        return (body(Run(f"{CLOSEST_WORDS}: “{closest}” {where}", Tone.QUIET)),)
    if not quotes:
        return (body(Run(STATE_WORDS[finding.state], Tone.QUIET)),)
    blocks = [
        body(
            f"“{whole_sentences(each.quote.words, most or AMENDING_LENGTH)}” "
            f"({each.describe(finding.document)}.) Before:"
        )
        for each in finding.amendments
        if each.replaces and each.old
    ]
    for quote in quotes:
        words, held = whole_sentences(quote.words, most), evidence_of(finding, quote)
        place = Run(f" {_clause_and_page(held)}" if held else "", Tone.QUIET)
        if quote.verified:
            blocks.append(body(Run(f"“{words}”"), place))
        else:
            blocks.append(body(Run("Not in the contract: ", Tone.WARNING), words))
    return tuple(blocks)


def key_place(finding: Finding) -> str:
    """Return the clauses and pages of the words that carry a finding, or are closest to one.

    Where all of them are an amendment's, so is the place.
    """
    if finding.nearest:
        return f"{CLOSEST_WORDS.lower()}: {_clause_and_page(finding.nearest)}"
    held = (evidence_of(finding, quote) for quote in deciding_quotes(finding))
    places = dict.fromkeys(_clause_and_page(each) for each in held if each)
    others = [each for each in finding.amendments if each.document != finding.document]
    return "; ".join(places or dict.fromkeys(map(_amending_place, others)))


def _amending_place(change: Amendment) -> str:
    name = single_line(change.name)
    return f"clause {change.place} of {name}" if change.place else f"in {name}"


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


def count_to_read(counts: FindingCounts) -> str:
    """Count what a person must read to know how grave it is."""
    parts = []
    if counts.to_read:
        graver = counts.to_read_possible_high
        which = f" ({graver:,} could be high)" if graver else ""
        parts.append(f"{count_noun(counts.to_read, 'finding')} to be read{which}")
    if graver := counts.medium_possible_high:
        parts.append(f"{count_noun(graver, 'finding')} of medium severity that could be high")
    return join_words(parts)


def join_words(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def lines_of(row: Row, widths: Sequence[float]) -> float:
    """Return the lines of a row, those of its longest cell, with the space around it."""
    shares = (1.0,) if row.group else widths
    return _AROUND + max(
        sum(
            max(
                1,
                math.ceil(len(_text(block)) / (_WIDTH * share - _INSET)),
            )
            for block in cell
        )
        for cell, share in zip(row.cells, shares, strict=True)
    )


def _text(block: Paragraph | QuoteBlock) -> str:
    runs = block.runs if isinstance(block, Paragraph) else block.source
    return "".join(run.text for run in runs) + (
        block.words if isinstance(block, QuoteBlock) else ""
    )
