"""The executive summary of red flags, and what the playbook recommends."""

from __future__ import annotations

from collections import Counter
from typing import Final

from fourcorners.reports.chapters.front import status
from fourcorners.reports.chapters.material import (
    TONES,
    Entry,
    ReportMaterial,
    clause_references,
    count_noun,
    recommendation,
    review_run,
    severity_reason,
    severity_run,
)
from fourcorners.reports.grid import SEVERITIES, SEVERITY_WORDS
from fourcorners.reports.tree import (
    Block,
    Paragraph,
    Row,
    Run,
    Section,
    Table,
    Tone,
    body,
    note,
    row,
)
from fourcorners.review.finding import Severity

# The summary lists so many findings of a severity one by one. More of high severity are listed by
# contract; of more of the others it says where they are listed.
LISTED: Final = {Severity.HIGH: 40, Severity.MEDIUM: 40, Severity.LOW: 15}
_NAMED: Final = 8  # contracts that a recommendation names one by one


def executive_summary(material: ReportMaterial) -> Section:
    flags = material.by_severities(*SEVERITIES)
    if not flags:
        none = body("No finding has a severity by the rules of this playbook.")
        return Section("summary", "Executive summary", (body(status(material)), none))
    blocks: list[Block] = [body(_opening(material)), body(status(material)), _matrix(material)]
    sections = [
        Section(
            f"summary_{severity.value}",
            f"{SEVERITY_WORDS[severity]} severity",
            _of_severity(material, severity),
        )
        for severity in SEVERITIES
        if material.by_severities(severity)
    ]
    return Section("summary", "Executive summary", tuple(blocks), tuple(sections))


def _opening(material: ReportMaterial) -> str:
    counts = Counter(each.severity for each in material.entries)
    lines = [
        f"{counts[severity]:,} of {SEVERITY_WORDS[severity].lower()} severity"
        for severity in SEVERITIES
        if counts[severity]
    ]
    high = material.by_severities(Severity.HIGH)
    concerned = len({each.cell.row for each in high})
    opening = (
        f"The playbook’s rules flag "
        f"{count_noun(len(material.by_severities(*SEVERITIES)), 'finding')} in "
        f"{count_noun(len(material.review.documents), 'contract')}: {', '.join(lines)}."
    )
    if high:
        opening += (
            f" Those of high severity concern {count_noun(concerned, 'contract')} and "
            f"{count_noun(len({each.cell.column for each in high}), 'provision')}."
        )
    return opening


def _matrix(material: ReportMaterial) -> Table:
    rows: list[Row] = []
    for index in range(len(material.review.columns)):
        entries = material.of_column(index)
        counts = Counter(each.severity for each in entries)
        if not any(counts[severity] for severity in SEVERITIES):
            continue
        cells = [
            Run(f"{counts[s]:,}" if counts[s] else "–", TONES[s] if counts[s] else Tone.QUIET)
            for s in SEVERITIES
        ]
        rows.append(row(material.provision_link(index), *cells))
    return Table(
        "Findings by provision and severity",
        ("Provision", *(SEVERITY_WORDS[severity] for severity in SEVERITIES)),
        tuple(rows),
        (0.55, 0.15, 0.15, 0.15),
        titled=True,
    )


def _of_severity(material: ReportMaterial, severity: Severity) -> tuple[Block, ...]:
    entries = material.by_severities(severity)
    if len(entries) <= LISTED.get(severity, len(entries)):
        return (flags_table(material, entries, f"Red flags of {severity.value} severity"),)
    if severity is Severity.HIGH:
        what = "The recommendations say what each means, and the chapters by provision which words."
        opening = body(f"{count_noun(len(entries), 'finding')}, by contract. {what}")
        return (opening, _by_contract(material, entries))
    several = Counter(each.cell.column for each in entries)
    runs: list[Run | str] = [f"{count_noun(len(entries), 'finding')}, listed in the chapters on "]
    for at, (column, count) in enumerate(sorted(several.items())):
        name = material.review.columns[column].name
        runs += [", " if at else "", Run(f"{name} ({count})", link=f"provision_{column}")]
    return (body(*runs, "."),)


def _by_contract(material: ReportMaterial, entries: list[Entry]) -> Table:
    contracts: dict[int, list[Entry]] = {}
    for entry in entries:
        contracts.setdefault(entry.cell.row, []).append(entry)
    rows: list[Row] = []
    for index, own in sorted(contracts.items(), key=lambda each: (-len(each[1]), each[0])):
        runs: list[Run] = []
        for at, entry in enumerate(own):
            runs += [Run(("; " if at else "") + f"{entry.cell.head.name} "), entry.link()]
        name = Run(
            material.display_name(material.review.documents[index]), link=f"document_{index}"
        )
        rows.append(row(name, f"{len(own)}", (Paragraph(tuple(runs)),)))
    heads = ("Contract", "Findings", "Of high severity")
    caption = "Findings of high severity by contract"
    return Table(caption, heads, tuple(rows), (0.38, 0.1, 0.52))


def flags_table(material: ReportMaterial, entries: list[Entry], caption: str) -> Table:
    rows = [
        row(
            entry.link(),
            material.document_link(entry.cell.row),
            material.provision_link(entry.cell.column),
            clause_references(entry.finding),
            severity_reason(entry.finding),
            review_run(entry.finding),
        )
        for entry in entries
    ]
    heads = ("No.", "Contract", "Provision", "Clause", "Why it matters", "Review")
    return Table(caption, heads, tuple(rows), (0.07, 0.22, 0.16, 0.18, 0.25, 0.12))


def recommendations(material: ReportMaterial) -> Section:
    flagged = material.by_severities(*SEVERITIES)
    grouped: dict[tuple[int, str], list[Entry]] = {}
    for entry in flagged:
        if recommendation(entry.finding):
            key = (entry.cell.column, recommendation(entry.finding))
            grouped.setdefault(key, []).append(entry)
    without = [each for each in flagged if not recommendation(each.finding)]
    blocks: list[Block] = []
    if grouped:
        blocks.append(
            body(
                "The playbook recommends the following; what it says fits the rule that flagged "
                "the finding, and the deal team decides."
            )
        )
        rows = [
            row(
                severity_run(entries[0]),
                material.provision_link(column),
                recommendation,
                (Paragraph(tuple(_concerned(material, entries))),),
            )
            for (column, recommendation), entries in grouped.items()
        ]
        blocks.append(
            Table(
                "Recommendations by the playbook",
                ("Severity", "Provision", "Recommendation", "Contracts"),
                tuple(rows),
                (0.11, 0.18, 0.37, 0.34),
            )
        )
    if without:
        counts = Counter(each.cell.head.name for each in without)
        names = ", ".join(f"{name} ({count})" for name, count in counts.items())
        blocks.append(
            note(
                f"For {count_noun(len(without), 'flagged finding')} the playbook names no step: "
                f"{names}."
            )
        )
    if not blocks:
        blocks.append(body("Nothing is flagged, so the playbook recommends nothing."))
    return Section("recommendations", "Recommendations", tuple(blocks))


def _concerned(material: ReportMaterial, entries: list[Entry]) -> list[Run]:
    """Return the contracts of a recommendation: by name, or of many by number."""
    runs: list[Run] = []
    few = len(entries) <= _NAMED
    if not few:
        runs.append(Run(f"{count_noun(len(entries), 'contract')}: "))
    for at, entry in enumerate(entries):
        if at:
            runs.append(Run("; " if few else ", "))
        if few:
            runs.append(Run(f"{material.short_name(entry.cell.document)} "))
        runs.append(entry.link())
    return runs
