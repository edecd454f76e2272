"""The red-flag report: what is of high or medium severity, by document, in two pages."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from enum import IntEnum
from typing import Final

from fourcorners.reports.chapters.finding import finding_notes
from fourcorners.reports.chapters.front import status
from fourcorners.reports.chapters.material import (
    GRAVE_SEVERITIES,
    Entry,
    ReportMaterial,
    clause_references,
    count_noun,
    recommendation,
    review_run,
    severity_reason,
    severity_run,
    shared_sentences,
    without_dates,
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
    row,
)
from fourcorners.review.finding import ReviewState, Severity
from fourcorners.text.invisible_characters import shorten, single_line

# Measured on pages of A4 in 8.5 points: lines that two pages hold under the head of the first,
# characters of a line over their whole width, and the lines that the space around a row takes.
_LINES: Final = 116.0
_WIDTH: Final = 116  # characters of a line in a PDF
_AROUND: Final = 0.45  # lines that a row's margins take


class _Detail(IntEnum):
    """How much of a finding a line tells, so that two pages hold what they can."""

    ALL = 0
    MEDIUM_BRIEF = 1
    MEDIUM_COUNTED = 2
    HIGH_BRIEF = 3


def red_flags(material: ReportMaterial) -> tuple[Section, ...]:
    """Return the one section of the report.

    All findings are told with reason and recommendation where two pages hold them. Where they do
    not, those of medium severity are told in brief, then counted by provision; at last those of
    high severity too are told in brief, with their reasons once. The report says so.
    """
    flags = material.by_severities(*GRAVE_SEVERITIES)
    if not flags:
        nothing = body("No finding is of high or medium severity by the rules of this playbook.")
        return (Section("flags", "Red flags", (body(status(material)), nothing), numbered=False),)
    by_document: dict[int, list[Entry]] = {}
    for entry in flags:
        by_document.setdefault(entry.cell.row, []).append(entry)
    tables = {detail: _tables(material, by_document, detail) for detail in _Detail}
    fitting = (d for d, made in tables.items() if sum(map(_lines, made)) <= _LINES)
    detail = next(fitting, _Detail.HIGH_BRIEF)
    blocks: list[Block] = [body(_opening(material, flags)), *_left_out(material, detail)]
    blocks += tables[detail]
    return (Section("flags", "Red flags by contract", tuple(blocks), numbered=False),)


def _opening(material: ReportMaterial, flags: Sequence[Entry]) -> str:
    counts = Counter(each.severity for each in flags)
    concerned = len({each.cell.row for each in flags})
    missing = len(material.review.unread) + len(material.grid.failures())
    gaps = (
        f" {count_noun(len(material.review.unread), 'file')} could not be read and "
        f"{count_noun(len(material.grid.failures()), 'answer')} failed."
        if missing
        else ""
    )
    return (
        f"{counts[Severity.HIGH]:,} of high and {counts[Severity.MEDIUM]:,} of medium severity, in "
        f"{concerned:,} of {count_noun(len(material.review.documents), 'contract')}. "
        f"{status(material)}{gaps}"
    )


def _left_out(material: ReportMaterial, detail: _Detail) -> list[Block]:
    if detail < _Detail.MEDIUM_COUNTED:
        return []
    medium = Counter(each.cell.head.name for each in material.by_severities(Severity.MEDIUM))
    named = ", ".join(f"{name} ({count})" for name, count in medium.items())
    line = f"{named}. The due-diligence report lists each with its words."
    return [body(Run("Of medium severity, counted only: ", Tone.MEDIUM), line)] if named else []


def _tables(
    material: ReportMaterial, by_document: dict[int, list[Entry]], detail: _Detail
) -> list[Table]:
    if detail is _Detail.HIGH_BRIEF:
        return [_reasons(material), _contracts(material, by_document)]
    rows: list[Row] = []
    for index, entries in sorted(by_document.items(), key=lambda each: _rank(each[1])):
        full = [e for e in entries if detail is _Detail.ALL or e.severity is Severity.HIGH]
        brief = [e for e in entries if e not in full] if detail is _Detail.MEDIUM_BRIEF else []
        if full or brief:
            rows.append(_head(material, index))
            rows += [_row(entry) for entry in full]
            rows += [_brief(brief)] if brief else []
    heads = ("Flag", "Provision", "Clause", "Why it matters, and what to do")
    return [Table("Red flags by contract", heads, tuple(rows), (0.09, 0.18, 0.17, 0.56))]


def _reasons(material: ReportMaterial) -> Table:
    grouped: dict[tuple[int, str, str], list[str]] = {}
    for entry in material.by_severities(Severity.HIGH):
        reason = severity_reason(entry.finding)
        key = (entry.cell.column, without_dates(reason), recommendation(entry.finding))
        grouped.setdefault(key, []).append(reason)
    rows = [
        row(
            material.review.columns[column].name,
            f"{len(reasons):,}",
            (body(f"{shared_sentences(reasons)} ", Run(step, Tone.STRONG)),),
        )
        for (column, _, step), reasons in sorted(grouped.items())
    ]
    heads = ("Provision", "Contracts", "Why it matters, and what to do")
    caption = "What the flags of high severity mean"
    return Table(caption, heads, tuple(rows), (0.26, 0.1, 0.64))


def _contracts(material: ReportMaterial, by_document: dict[int, list[Entry]]) -> Table:
    rows: list[Row] = []
    for index, entries in sorted(by_document.items(), key=lambda each: _rank(each[1])):
        high = [each for each in entries if each.severity is Severity.HIGH]
        if high:
            name = material.short_name(material.review.documents[index])
            rows.append(row(Run(name, Tone.STRONG), (_name_contracts(high),)))
    heads = ("Contract", "Flags of high severity, with their clauses")
    return Table("Flags of high severity by contract", heads, tuple(rows), (0.36, 0.64))


def _head(material: ReportMaterial, index: int) -> Row:
    document = material.review.documents[index]
    known = document.card
    others = [single_line(party.value.name) for party in known.parties]
    facts = [*([single_line(known.type.value)] if known.type else []), *([", ".join(others)])]
    about = " · ".join(filter(None, facts))
    return group(
        Run(material.display_name(document), Tone.STRONG),
        Run(f"  {shorten(about, 90)}" if about else "", Tone.QUIET),
    )


def _rank(entries: Sequence[Entry]) -> tuple[int, int]:
    """Return where a document stands: the most findings of high severity first."""
    high = sum(entry.severity is Severity.HIGH for entry in entries)
    return (-high, entries[0].cell.row)


def _row(entry: Entry) -> Row:
    finding = entry.finding
    reason: list[Run] = [Run(severity_reason(finding))]
    if recommendation(finding):
        reason += [Run(" "), Run(recommendation(finding), Tone.STRONG)]
    if finding.review is not ReviewState.PROPOSED:
        reason += [Run(" "), review_run(finding)]
    reasons = (Paragraph(tuple(reason), notes=finding_notes(finding)),)
    return row(severity_run(entry), entry.cell.head.name, clause_references(finding), reasons)


def _brief(entries: Sequence[Entry]) -> Row:
    return row(
        severity_run(entries[0]),
        count_noun(len(entries), "finding"),
        "",
        (_name_contracts(entries),),
    )


def _name_contracts(entries: Sequence[Entry]) -> Paragraph:
    """Return findings in a row: their provisions and clauses."""
    runs: list[Run] = []
    for at, entry in enumerate(entries):
        runs.append(Run(("; " if at else "") + entry.cell.head.name))
        runs.append(Run(f" ({clause_references(entry.finding)})", Tone.QUIET))
    return Paragraph(tuple(runs), notes=tuple(n for e in entries for n in finding_notes(e.finding)))


def _lines(table: Table) -> float:
    """Estimate the lines of a table: for each row those of its longest cell, and its space."""
    return sum(_lines_of(each, table.widths) + _AROUND for each in table.rows)


def _lines_of(each: Row, widths: Sequence[float]) -> int:
    shares = (1.0,) if each.group else widths
    return max(
        sum(
            math.ceil(max(1, sum(len(run.text) for run in block.runs)) / (_WIDTH * share))
            for block in cell
            if isinstance(block, Paragraph)
        )
        for cell, share in zip(each.cells, shares, strict=True)
    )
