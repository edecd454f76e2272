"""The sheet Findings of the Excel report: evidence row by row, and what people say of it.

What is written in the columns of `Column` can be read back (`workbook_reading`). For that each row
carries hidden columns: whose it is, and which finding and remarks its writer saw; so rows may be
sorted, filtered and taken out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from fourcorners.reports.grid import (
    REVIEW_WORDS,
    SEVERITY_WORDS,
    STATE_WORDS,
    Cell,
    Grid,
    format_annotation,
    ocr_note,
    page_range,
)
from fourcorners.reports.workbook import Sheets, cell_tint
from fourcorners.review.annotations import finding_fingerprint
from fourcorners.review.finding import (
    Author,
    Evidence,
    Finding,
    Outlier,
    ReviewedDocument,
    Severity,
)
from fourcorners.text.invisible_characters import shorten
from fourcorners.version import __version__

if TYPE_CHECKING:
    from xlsxwriter.worksheet import Worksheet

SHEET: Final = "Findings"
KEY_SHEET: Final = "Fourcorners"
FORM: Final = "1"  # of what can be read back


class Column(StrEnum):
    """The heads of the columns that are read back; the last four are hidden."""

    STATE = "Review state"
    REVIEWER = "Reviewer"
    VALUE = "Corrected value"
    COMMENT = "New comment"
    DOCUMENT = "Document id"
    PROVISION = "Provision id"
    FINGERPRINT = "Finding seen"
    REMARKS = "Remarks seen"


class Key(StrEnum):
    """What the hidden sheet says of the whole workbook."""

    FORM = "form"
    PLAYBOOK = "playbook"
    VERSION = "playbook version"
    HASH = "playbook hash"
    PROGRAM = "program"


_HEADS: Final = (
    ("Document", 34), ("Type", 18), ("Provision", 22), ("State", 11), ("Severity", 10),
    ("Quote", 70), ("Heading path", 34), ("Page", 9), ("Start", 9), ("End", 9), ("Score", 8),
    ("Verification", 14), ("Reason", 44), (Column.STATE.value, 14), (Column.REVIEWER.value, 18),
    (Column.VALUE.value, 44), ("Place of that value", 20), (Column.COMMENT.value, 36),
    ("Said before", 44), ("Path of the document", 40),
    (Column.DOCUMENT.value, 10), (Column.PROVISION.value, 10), (Column.FINGERPRINT.value, 10),
    (Column.REMARKS.value, 10),
)  # fmt: skip
_AT: Final = {title: at for at, (title, _) in enumerate(_HEADS)}
_INPUT: Final = (Column.STATE, Column.REVIEWER, Column.VALUE, Column.COMMENT)
_FIRST_HIDDEN: Final = _AT[Column.DOCUMENT]


def write_findings(sheets: Sheets, grid: Grid) -> None:
    sheet = sheets.add(SHEET, _HEADS, frozen=3)
    documents = {document.id: document for document in grid.documents}
    row = 1
    for cell in grid.cells():
        for evidence in cell.finding.evidence or (None,):
            reason = [*_reasons(cell, evidence), *_unlike(cell.finding.outlier, documents)]
            _write_finding(sheets, sheet, row, cell, evidence, "\n".join(reason))
            row += 1
    sheet.set_column(_FIRST_HIDDEN, len(_HEADS) - 1, None, None, {"hidden": True})
    if row > 1:
        column = _AT[Column.STATE]
        sheet.data_validation(
            1, column, row - 1, column,
            {"validate": "list", "source": list(REVIEW_WORDS.values()), "ignore_blank": False,
             "error_title": "Review state", "error_message": "Choose one of the list."},
        )  # fmt: skip
    sheet.autofilter(0, 0, max(1, row - 1), _FIRST_HIDDEN - 1)


def write_key(sheets: Sheets, grid: Grid) -> None:
    sheet = sheets.add(KEY_SHEET, (("Key", 20), ("Value", 70)), frozen=0)
    review = grid.review
    facts = {
        Key.FORM: FORM,
        Key.PLAYBOOK: review.playbook_id,
        Key.VERSION: review.playbook_version,
        Key.HASH: review.playbook_hash,
        Key.PROGRAM: __version__,
    }
    for row, (name, value) in enumerate(facts.items(), start=1):
        sheets.put(sheet, row, 0, name.value)
        sheets.put(sheet, row, 1, value)
    sheet.very_hidden()


def _count_annotations(finding: Finding) -> int:
    """Return how many remarks people made on a finding: by it an import knows later ones."""
    return sum(each.author is Author.PERSON for each in finding.remarks)


def reviewer(finding: Finding) -> str:
    """Return who last gave the finding a state; empty if nobody did."""
    people = [each.by for each in finding.remarks if each.author is Author.PERSON and each.state]
    return people[-1] if people else ""


def _write_finding(
    sheets: Sheets,
    sheet: Worksheet,
    row: int,
    cell: Cell,
    evidence: Evidence | None,
    reason: str,
) -> None:
    finding, document = cell.finding, cell.document
    quote = evidence.quote if evidence else None
    pointer = document.path
    if quote and quote.span:
        pointer = f"characters {quote.span.start:,}–{quote.span.end:,} of {document.name}"
    tint = cell_tint(cell)
    severity = "" if finding.severity is Severity.NONE else SEVERITY_WORDS[finding.severity]
    texts = {
        "Document": document.name,
        "Type": document.card.type.value if document.card.type else "",
        "Provision": cell.head.name,
        "Quote": quote.words if quote else "",
        "Heading path": " › ".join(evidence.path) if evidence else "",
        "Page": page_range(evidence.pages).removeprefix("pages ").removeprefix("page ")
        if evidence
        else "",
        "Verification": quote.match.value if quote else "",
        "Reason": reason,
        Column.STATE: REVIEW_WORDS[finding.review],
        Column.REVIEWER: reviewer(finding),
        Column.VALUE: finding.value,
        "Place of that value": _place(finding),
        Column.COMMENT: "",
        "Said before": "\n".join(format_annotation(each) for each in finding.remarks),
        "Path of the document": document.path,
        Column.DOCUMENT: document.id,
        Column.PROVISION: cell.head.id,
        Column.FINGERPRINT: finding_fingerprint(finding),
        Column.REMARKS: str(_count_annotations(finding)),
    }
    for name, text in texts.items():
        look = "input" if name in _INPUT else "plain"
        sheets.put(sheet, row, _AT[name], text, tint=look, pointer=shorten(pointer, 400))
    sheets.put(sheet, row, _AT["State"], STATE_WORDS[finding.state], tint=tint)
    sheets.put(sheet, row, _AT["Severity"], severity, tint=tint if severity else "plain")
    span = quote.span if quote else None
    for name, number in (("Start", span and span.start), ("End", span and span.end)):
        if number is None:
            sheets.put(sheet, row, _AT[name], "")
        else:
            sheet.write_number(row, _AT[name], number, sheets.style("number"))
    if evidence and abs(evidence.score) <= 1:  # not so for a NaN
        sheet.write_number(row, _AT["Score"], evidence.score, sheets.style("score"))
    else:
        sheets.put(sheet, row, _AT["Score"], "")


def _unlike(outlier: Outlier | None, documents: Mapping[str, ReviewedDocument]) -> Iterator[str]:
    if outlier is None:
        return
    yield "Reads unlike the other clauses of this provision."
    nearest = documents.get(outlier.nearest)
    if nearest is not None:
        words = shorten(outlier.clause.text_in(nearest.text), 300)
        yield f"The nearest, in {nearest.name}: “{words}”"


def _place(finding: Finding) -> str:
    if not finding.value:
        return ""
    if finding.place is None:
        return "A person’s own words"
    return f"Characters {finding.place.start:,}–{finding.place.end:,}"


def _reasons(cell: Cell, evidence: Evidence | None) -> Iterator[str]:
    """Say why the cell is what it is: the reason, the error, the best that did not count."""
    finding = cell.finding
    read = f"{ocr_note(evidence.ocr)}." if evidence and evidence.ocr is not None else ""
    lines = [finding.reason, read, finding.error, finding.remedy]
    if finding.nearest:
        lines.append(f"Closest words (not a match): “{shorten(finding.nearest.quote.words, 600)}”")
    lines += [f"{each.question} {each.answer}" for each in finding.answers if not each.is_open]
    if finding.position:
        lines.append(f"House position, {finding.position.kind}: {finding.position.text}")
    if finding.recommendation:
        lines.append(f"Recommendation: {finding.recommendation}")
    for change in finding.amendments:
        effect = change.describe(finding.document)
        old = f" Before: “{shorten(change.old.words, 300)}”" if change.old else ""
        lines.append(f"{effect}: “{shorten(change.quote.words, 300)}”{old}")
    lines += [f"Not in the contract, though a model said so: “{each}”" for each in finding.claims]
    return (part for part in lines if part)
