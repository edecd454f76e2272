"""The chapters by provision and by document."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from fourcorners.reports.chapters.finding import finding_section
from fourcorners.reports.chapters.material import (
    Entry,
    ReportMaterial,
    best_words,
    clause_references,
    count_noun,
    format_date,
    join_words,
    recommendation,
    review_run,
    severity_reason,
    severity_run,
    shared_sentences,
    short_reason,
    without_dates,
)
from fourcorners.reports.grid import SEVERITIES, SEVERITY_WORDS
from fourcorners.reports.tree import (
    Block,
    FactList,
    Row,
    Run,
    Section,
    Table,
    Tone,
    body,
    group,
    row,
    words,
)
from fourcorners.review.finding import CellState, ReviewedDocument, Severity
from fourcorners.text.invisible_characters import single_line


def provision_chapter(material: ReportMaterial) -> Section:
    sections = tuple(_provision(material, index) for index in range(len(material.review.columns)))
    return Section("provisions", "Findings by provision", sections=sections, new_page=True)


def _provision(material: ReportMaterial, index: int) -> Section:
    head = material.review.columns[index]
    entries = material.of_column(index)
    blocks: list[Block] = [body(head.definition)] if head.definition else []
    blocks.append(body(_tally(material, index)))
    if entries:
        heads = ("No.", "Contract", "Clause", "The contract’s words", "Review")
        widths = (0.07, 0.25, 0.19, 0.37, 0.12)
        rows = tuple(_rows(material, entries))
        blocks.append(Table(f"{head.name}: contracts", heads, rows, widths))
    found_rows = tuple(
        finding_section(material, entry, title=material.display_name(entry.cell.document))
        for entry in entries
        if entry.number in material.in_full
    )
    return Section(f"provision_{index}", head.name, tuple(blocks), found_rows)


def _rows(material: ReportMaterial, entries: list[Entry]) -> Iterator[Row]:
    by_reason: dict[tuple[str, str], list[Entry]] = {}
    for entry in entries:
        reason = without_dates(severity_reason(entry.finding))
        by_reason.setdefault((entry.severity.value, reason), []).append(entry)
    for alike in by_reason.values():
        yield _reason(alike)
        for entry in alike:
            yield row(
                entry.link(),
                material.document_link(entry.cell.row),
                clause_references(entry.finding),
                best_words(entry.finding),
                review_run(entry.finding),
            )


def _reason(alike: list[Entry]) -> Row:
    """Return what findings have in common: why they are flagged, and what to do if it is one."""
    first = alike[0]
    steps = {recommendation(each.finding) for each in alike}
    rows = [
        Run(f" {shared_sentences([severity_reason(each.finding) for each in alike])}", Tone.STRONG)
    ]
    if len(steps) == 1 and "" not in steps:
        rows.append(Run(f" {steps.pop()}"))
    if first.severity is Severity.NONE:
        return group(Run("Not flagged.", Tone.QUIET), *rows)
    return group(severity_run(first), *rows)


def _tally(material: ReportMaterial, index: int) -> str:
    cells = material.grid.column(index)
    states = Counter(cell.finding.state for cell in cells)
    parts = [f"Found in {states[CellState.FOUND]:,} of {count_noun(len(cells), 'contract')}"]
    flags = Counter(each.severity for each in material.of_column(index))
    named = [
        f"{flags[severity]:,} of {SEVERITY_WORDS[severity].lower()} severity"
        for severity in SEVERITIES
        if flags[severity]
    ]
    if named:
        parts.append(f"; flagged: {join_words(named)}")
    missing = sum(
        each.finding.state is CellState.NOT_FOUND and each.severity is not Severity.NONE
        for each in material.of_column(index)
    )
    if missing:
        parts.append(f" (of these, {missing:,} because it is missing)")
    if states[CellState.FAILED]:
        parts.append(f"; {states[CellState.FAILED]:,} failed")
    return "".join(parts) + "."


def document_chapter(material: ReportMaterial) -> Section:
    sections = tuple(
        _document(material, index, document)
        for index, document in enumerate(material.review.documents)
    )
    return Section("documents", "Findings by contract", sections=sections, new_page=True)


def _document(material: ReportMaterial, index: int, document: ReviewedDocument) -> Section:
    entries = material.of_row(index)
    blocks: list[Block] = [FactList(card_facts(material, document))]
    blocks += _gaps(document)
    if entries:
        blocks.append(_table(material, document, entries))
    absent = sum(
        cell.finding.state is CellState.NOT_FOUND and not cell.flagged
        for cell in material.grid.rows[index]
    )
    if absent:
        was = "was" if absent == 1 else "were"
        line = f"{count_noun(absent, 'other provision')} {was} not found: "
        place = Run("Schedule B", link="schedule_open")
        blocks.append(body(Run(line, Tone.QUIET), place, Run(".", Tone.QUIET)))
    return Section(f"document_{index}", material.display_name(document), tuple(blocks))


def _table(material: ReportMaterial, document: ReviewedDocument, entries: list[Entry]) -> Table:
    rows = [
        row(
            entry.link(),
            material.provision_link(entry.cell.column),
            severity_run(entry),
            clause_references(entry.finding),
            short_reason(entry.finding),
            review_run(entry.finding),
        )
        for entry in entries
    ]
    heads = ("No.", "Provision", "Severity", "Clause", "In short", "Review")
    caption = f"Findings in {material.display_name(document)}"
    return Table(caption, heads, tuple(rows), (0.07, 0.2, 0.11, 0.21, 0.29, 0.12))


def card_facts(
    material: ReportMaterial, document: ReviewedDocument
) -> tuple[tuple[str, tuple[Run, ...]], ...]:
    """Return what a document says of itself; what it does not say is left out or said to be."""
    known = document.card
    pairs: list[tuple[str, tuple[Run, ...]]] = []
    if known.title:
        pairs.append(("Title", words(single_line(known.title.value))))
    pairs.append(("Type", _or_none(known.type.value if known.type else "")))
    parties = [
        single_line(party.value.name)
        + (f" ({single_line(party.value.role)})" if party.value.role else "")
        for party in known.parties
    ]
    pairs.append(("Parties", _or_none("; ".join(parties))))
    dated = known.agreement_date.value if known.agreement_date else None
    pairs.append(("Dated", _or_none(format_date(dated))))
    if known.effective_date:
        pairs.append(("Effective", words(format_date(known.effective_date.value))))
    if known.expiry_date:
        over = known.expiry_date.value < material.review.as_of
        late = Run(f" (before {format_date(material.review.as_of)})", Tone.WARNING)
        day = Run(format_date(known.expiry_date.value))
        pairs.append(("Expires", (day, late) if over else (day,)))
    law = known.governing_law.value if known.governing_law else ""
    pairs.append(("Governing law", _or_none(law)))
    if known.amends:
        pairs.append(("Amends", words(single_line(known.amends.value))))
    if document.page_count:
        pairs.append(("Pages", words(f"{document.page_count:,}")))
    return tuple(pairs)


def _or_none(value: str) -> tuple[Run, ...]:
    return words(single_line(value)) if value else words("Not found", Tone.QUIET)


def _gaps(document: ReviewedDocument) -> list[Block]:
    blocks: list[Block] = []
    if document.needs_ocr:
        pages = ", ".join(map(str, document.needs_ocr))
        many = "page" if len(document.needs_ocr) == 1 else "pages"
        blocks.append(body(Run("Not read: ", Tone.WARNING), f"no text on {many} {pages}."))
    if document.windows:
        warning = "its clauses could not be told apart with confidence; passages stand for them."
        blocks.append(body(Run("No outline: ", Tone.WARNING), warning))
    blocks += [
        body(Run("Warning: ", Tone.WARNING), single_line(each)) for each in document.cautions
    ]
    return blocks
