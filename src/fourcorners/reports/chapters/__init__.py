"""The reports a law firm sends, as trees: due diligence whole, and its red flags in two pages."""

from __future__ import annotations

from fourcorners.reports.chapters import front, schedules
from fourcorners.reports.chapters.contracts import contract_chapter
from fourcorners.reports.chapters.material import ReportMaterial
from fourcorners.reports.chapters.notices import notice_schedule
from fourcorners.reports.chapters.red_flags import flag_blocks, to_read_sections
from fourcorners.reports.grid import Grid
from fourcorners.reports.tree import Report, ReportKind, Run, Section, Tone, body

BRIEF = 12  # contracts of a report that needs no table of contents


def compose(
    grid: Grid, kind: ReportKind, *, prepared_by: str = "", whole_quotes: bool = False
) -> Report:
    """Return the report of this kind on a review; red flags have no quotes to be whole."""
    if kind is ReportKind.ANSWER:
        raise ValueError("a review is no answer to a question: `reports.answer` writes those")
    if kind is ReportKind.RED_FLAGS:
        return red_flags(grid, prepared_by=prepared_by)
    if kind is ReportKind.SAMPLE:
        material = ReportMaterial(grid)
        sections = (front.sample_section(material),)
        return _report(material, kind, "Quality sample", sections, prepared_by)
    return due_diligence(grid, prepared_by=prepared_by, whole_quotes=whole_quotes)


def due_diligence(grid: Grid, *, prepared_by: str = "", whole_quotes: bool = False) -> Report:
    """Return the due-diligence report on a review: a summary, red flags, contracts, schedules.

    With `whole_quotes`, a schedule has all findings with all their words.
    """
    material = ReportMaterial(grid, whole_quotes=whole_quotes)
    elsewhere = (Run("The contracts’ own pages", link="contracts"), Run(" set them out."))
    flags = flag_blocks(material, elsewhere, with_notes=False)
    sections = (
        front.summary(material),
        Section("flags", "Red flags", tuple(flags), to_read_sections(material)),
        contract_chapter(material),
        *schedules.findings_schedule(material),
        *notice_schedule(material),
        schedules.open_schedule(material),
        schedules.documents_schedule(material),
    )
    return _report(
        material, ReportKind.DUE_DILIGENCE, "Due diligence report", sections, prepared_by
    )


def red_flags(grid: Grid, *, prepared_by: str = "") -> Report:
    """Return the red-flag report on a review.

    Two pages show what is of high or medium severity; all that is to be read follows.
    """
    material = ReportMaterial(grid)
    elsewhere = (Run("The due-diligence report sets them out."),)
    blocks = (
        *flag_blocks(material, elsewhere, with_notes=True),
        body(Run("Left to a person: ", Tone.STRONG), front.left_to_a_person(material)),
    )
    below = to_read_sections(material)
    sections = (Section("flags", "Red flags", blocks, below, numbered=False),)
    return _report(material, ReportKind.RED_FLAGS, "Red-flag report", sections, prepared_by)


def _report(
    material: ReportMaterial,
    kind: ReportKind,
    title: str,
    sections: tuple[Section, ...],
    prepared_by: str,
) -> Report:
    return Report(
        kind=kind,
        title=title,
        project=material.review.title,
        status="" if kind is ReportKind.RED_FLAGS else front.status(material),
        facts=front.cover(material, prepared_by),
        notice=front.NOTICE,
        sections=sections,
        created=material.review.created,
        prepared_by=prepared_by,
        contents=kind is ReportKind.DUE_DILIGENCE
        and (material.whole_quotes or len(material.review.documents) > BRIEF),
    )
