"""The chapter by contract: what was found in each, on a page at most."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date
from typing import Final

from fourcorners.reports.chapters.finding import finding_notes
from fourcorners.reports.chapters.material import (
    Entry,
    ReportMaterial,
    count_noun,
    format_date,
    key_block,
    key_place,
    lines_of,
    own_sentences,
    recommendation,
    sentences_without_dates,
    severity_reason,
    severity_run,
    status_runs,
)
from fourcorners.reports.tree import (
    Block,
    Paragraph,
    Row,
    Run,
    Section,
    Table,
    Tone,
    body,
    group,
    note,
    row,
)
from fourcorners.review.finding import CellState, Finding, ReviewedDocument, Severity
from fourcorners.text.invisible_characters import single_line

# Two thirds of a page: the cover, the contents and the red flags have the last third.
_LINES: Final = 38.0
# Characters of the words of a finding of high or medium severity, of low and of none, and whether
# it says what to do: the first of these with which all findings of a contract fit on its page.
_DETAILS: Final = (
    (260, 260, 200, True),
    (260, 180, 120, False),
    (200, 110, 80, False),
    (160, 80, 0, False),
    (110, 60, 0, False),
    (0, 0, 0, False),
)
_WIDTHS: Final = (0.19, 0.29, 0.38, 0.14)
_HEADS: Final = ("Provision", "In short", "The contract’s words", "Clause")


def contract_chapter(material: ReportMaterial) -> Section:
    sections = tuple(
        _contract(material, index, document)
        for index, document in enumerate(material.review.documents)
    )
    return Section("contracts", "Contract by contract", sections=sections, new_page=True)


def _contract(material: ReportMaterial, index: int, document: ReviewedDocument) -> Section:
    entries = material.of_row(index)
    blocks: list[Block] = [note(card_line(document, material.review.as_of))]
    if document.needs_ocr or document.windows or document.cautions:
        blocks.append(
            note(
                Run("To be read with care: ", Tone.WARNING),
                Run("Schedule B", link="schedule_open"),
                " says why.",
            )
        )
    if entries:
        blocks.append(_table(material, index, entries))
    absent = [
        cell.head.name
        for cell in material.grid.rows[index]
        if cell.finding.state is CellState.NOT_FOUND and not cell.flagged
    ]
    if absent:
        blocks.append(note(f"Not found: {', '.join(absent)}."))
    return Section(f"document_{index}", material.name(index), tuple(blocks))


def _table(material: ReportMaterial, index: int, entries: Sequence[Entry]) -> Table:
    rows: list[Row] = []
    for grave, low, unflagged, advice in _DETAILS:
        sizes = {Severity.TO_READ: low, Severity.LOW: low, Severity.NONE: unflagged}
        rows = [_row(each, sizes.get(each.severity, grave), advice=advice) for each in entries]
        if _lines(rows) <= _LINES:
            break
    left = 0
    while len(rows) > 1 and _lines(rows) > _LINES - 2:
        rows.pop()
        left += 1
    if left:
        rows.append(
            group(
                Run(f"{count_noun(left, 'more finding')}, in "),
                Run("Schedule A", link="schedule_findings"),
                Run("."),
            )
        )
    caption = f"Findings in {material.name(index)}"
    return Table(caption, _HEADS, tuple(rows), _WIDTHS)


def _lines(rows: Sequence[Row]) -> float:
    return sum(lines_of(each, _WIDTHS) for each in rows)


def _row(entry: Entry, characters: int, *, advice: bool) -> Row:
    finding = entry.finding
    name = [Run(entry.cell.head.name, link=entry.anchor)]
    if entry.severity is not Severity.NONE:
        name += [Run("  "), severity_run(entry)]
    blocks = [Paragraph(tuple(_short(entry)), notes=finding_notes(finding))]
    if advice and (step := recommendation(finding)):
        blocks.append(body(Run(step, Tone.QUIET)))
    return row(
        (Paragraph(tuple(name)),),
        tuple(blocks),
        key_block(finding, characters) if characters else "",
        key_place(finding),
    )


def _short(entry: Entry) -> Iterator[Run]:
    """Yield the value of a finding, else why it is flagged, and what a person said of it."""
    finding = entry.finding
    value, standing = _value(finding, entry.cell.headline), status_runs(finding)
    if value or not standing:
        yield Run(value or "–")
    yield from standing


def _value(finding: Finding, headline: str) -> str:
    if own := own_sentences(
        severity_reason(finding), sentences_without_dates(severity_reason(finding))
    ):
        return own
    if headline and finding.severity.rank > Severity.LOW.rank and finding.reason:
        return f"{headline}. {severity_reason(finding)}"
    return headline or (severity_reason(finding) if finding.reason else "")


def card_line(document: ReviewedDocument, as_of: date) -> str:
    """Return what a contract says of itself, in one line."""
    known = document.card
    parties = [
        single_line(party.value.name)
        + (f" ({single_line(party.value.role)})" if party.value.role else "")
        for party in known.parties
    ]
    dated = known.agreement_date.value if known.agreement_date else None
    parts = [
        single_line(known.type.value) if known.type else "",
        _party_line(parties),
        f"dated {format_date(dated)}" if dated else "",
        f"in effect from {format_date(known.effective_date.value)}"
        if known.effective_date and known.effective_date.value != dated
        else "",
        f"{'ended' if known.expiry_date.value < as_of else 'ends'} on "
        f"{format_date(known.expiry_date.value)}"
        if known.expiry_date
        else "",
        f"governed by the law of {single_line(known.governing_law.value)}"
        if known.governing_law
        else "",
        f"amends {single_line(known.amends.value)}" if known.amends else "",
    ]
    return " · ".join(filter(None, parts)) or "Neither its parties nor its date were recognised."


_PARTIES: Final = 6  # that a line names; of more, the rest are counted


def _party_line(parties: Sequence[str]) -> str:
    named = list(parties[:_PARTIES])
    if len(parties) > _PARTIES:
        named.append(f"{len(parties) - _PARTIES} more")
    return ", ".join(named)
