"""The changes of a mark-up as a report to send: a table of them, and what is left open."""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import groupby

from fourcorners.redline.proposal import (
    POINT_HEADINGS,
    OpenPoint,
    ProposedChange,
    Redline,
)
from fourcorners.redline.word import source_words
from fourcorners.reports.tree import (
    Report,
    ReportKind,
    Row,
    Run,
    Section,
    Table,
    Tone,
    body,
    note,
    row,
)

_HEADS = ("Clause", "Removed", "Added", "Why")
_OPEN_HEADS = ("Clause", "The contract says", "Why it is open", "Suggested wording")
_WIDTHS = (0.18, 0.28, 0.28, 0.26)


def redline_report(found: Redline, prepared_by: str = "") -> Report:
    changes = Table("Changes", _HEADS, tuple(map(_change, found.changes)), _WIDTHS)
    sections = [Section("changes", "Changes", (changes,), numbered=False)]
    by_kind = groupby(found.open_points, key=lambda each: each.is_recognised)
    for number, (is_recognised, points) in enumerate(by_kind):
        heading = POINT_HEADINGS[is_recognised]
        table = Table(heading, _OPEN_HEADS, tuple(map(_point, points)), _WIDTHS)
        sections.append(Section(f"open_{number}", heading, (table,), numbered=False))
    return Report(
        kind=ReportKind.LIST,
        title="Changes to a contract",
        project=found.name,
        status="",
        facts=(
            ("For", found.party),
            ("Playbook", f"{found.playbook} {found.playbook_version}"),
            ("Changes", f"{len(found.changes):,}"),
            ("Open questions", f"{len(found.open_points):,}"),
        ),
        notice="",
        sections=tuple(sections),
        created=datetime.now(UTC),
        prepared_by=prepared_by,
        contents=False,
    )


def _change(change: ProposedChange) -> Row:
    why = change.found or ("No such clause was found." if change.new_clause else "")
    notes = [note(each) for each in (change.reached, source_words(change.source)) if each]
    return row(
        (body(change.name), note(" › ".join(change.path))),
        Run(change.removed, Tone.REMOVED),
        Run(change.added, Tone.ADDED),
        (body(why), *notes),
    )


def _point(point: OpenPoint) -> Row:
    quoted = " … ".join(quote.words for quote in point.quotes)
    offered = point.offered.text if point.offered else ""
    where = (body(point.name), note(" › ".join(point.path)))
    return row(where, quoted, point.reason, offered)
