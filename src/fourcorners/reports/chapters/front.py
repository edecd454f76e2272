"""The front of the reports: the cover, and how far people have checked what follows."""

from __future__ import annotations

from fourcorners.reports.chapters.material import (
    ReportMaterial,
    count_noun,
    format_date,
    join_words,
)
from fourcorners.review.finding import ReviewState
from fourcorners.text.invisible_characters import single_line

NOTICE = (
    "Made by a program from the contracts named in it, and from nothing else. It is not legal "
    "advice, and no finding in it is a lawyer’s opinion unless it is marked as confirmed or "
    "corrected by a named person."
)


def status(material: ReportMaterial) -> str:
    cells = list(material.grid.cells())
    total, checked = len(cells), material.checked
    if not checked:
        return "Draft: no lawyer has checked these findings yet."
    again = sum(cell.finding.review is ReviewState.SECOND_LOOK for cell in cells)
    late = f" {count_noun(again, 'needs', 'need')} a second look." if again else ""
    if checked == total:
        return f"All {total:,} findings were checked by a person.{late}"
    return f"{checked:,} of {total:,} findings were checked by a person.{late}"


def cover(material: ReportMaterial, prepared_by: str) -> tuple[tuple[str, str], ...]:
    review = material.review
    unread = len(review.unread)
    gaps = f"; {count_noun(unread, 'file')} could not be read" if unread else ""
    read_for = "; ".join(single_line(each) for each in review.read_for)
    return (
        *((("Prepared by", prepared_by),) if prepared_by else ()),
        *((("Read for", read_for),) if read_for else ()),
        ("Date of review", format_date(review.created)),
        ("Terms judged as of", format_date(review.as_of)),
        ("Playbook", review.playbook),
        ("Contracts", f"{len(review.documents):,}{gaps}"),
    )


def left_to_a_person(material: ReportMaterial) -> str:
    """Return in a few sentences what the red-flag report leaves to a person."""
    review = material.review
    images = sum(bool(document.needs_ocr) for document in review.documents)
    suspicious = sum(bool(document.suspicions) for document in review.documents)
    failed = len(material.grid.failures())
    counts = (
        (len(review.unread), "file", "files", "could not be read"),
        (images, "contract has", "contracts have", "pages without text"),
        (failed, "finding", "findings", "could not be made"),
        (suspicious, "contract holds", "contracts hold", "words that may mislead a review"),
    )
    gaps = [f"{count_noun(n, one, many)} {what}" for n, one, many, what in counts if n]
    missing = f" {join_words(gaps)}." if gaps else ""
    return (
        f"{status(material)}{missing} What the law makes of these words, and which of them are in "
        "force where a later document amends them, is for a lawyer to say. Schedule B of the "
        "due-diligence report lists the questions that the contracts’ words leave open."
    )
