"""A report as a Word document: real styles, numbers, fields, comments, bookmarks and links."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from fourcorners.reports.tree import Report
from fourcorners.text.invisible_characters import single_line

if TYPE_CHECKING:
    from docx.document import Document
    from docx.section import Section as Pages

# The settings that the schema wants after the one that updates fields: of those, the common ones.
_AFTER_FIELDS = (
    "hdrShapeDefaults", "footnotePr", "endnotePr", "compat", "docVars", "rsids", "attachedSchema",
    "themeFontLang", "clrSchemeMapping", "shapeDefaults", "decimalSymbol", "listSeparator",
)  # fmt: skip


def export(report: Report, path: Path, *, template: Path | None = None) -> None:
    """Write a report; with a template, in the firm's styles and under its headers.

    The same report and template make the same file, byte for byte.

    Raises:
        ConfigError: If the template is not a Word document or template.
    """
    from fourcorners.reports.word.document import Writer
    from fourcorners.reports.word.package import save
    from fourcorners.reports.word.styles import install
    from fourcorners.reports.word.template import open_template

    document = open_template(template)
    styles = install(document, template=template is not None)
    if template is None:
        _lay_out(document)
    _describe(document, report)
    _head_and_foot(document, report, styles["header"], styles["footer"])
    writer = Writer(document, styles)
    writer.cover(report)
    if report.contents:
        writer.contents(report)
    for section in report.sections:
        writer.section(section)
    if not report.contents:
        writer.notice(report)
    save(document, path)


def _lay_out(document: Document) -> None:
    """Set the page: A4, with a first page of its own."""
    from docx.shared import Mm

    pages = document.sections[0]
    pages.page_width, pages.page_height = Mm(210), Mm(297)
    pages.left_margin = pages.right_margin = Mm(20)
    pages.top_margin, pages.bottom_margin = Mm(24), Mm(20)
    pages.header_distance = pages.footer_distance = Mm(11)


def _describe(document: Document, report: Report) -> None:
    from fourcorners.reports.word.elements import element

    told = document.core_properties
    told.title = single_line(f"{report.project}: {report.title}")[:255]
    told.subject = report.title
    told.author = single_line(report.prepared_by or "Fourcorners")[:255]
    told.last_modified_by = told.author
    told.created = told.modified = report.created.replace(tzinfo=None)
    told.language = report.language
    told.comments = report.notice
    told.keywords = "contract review; due diligence"
    told.revision = 1
    settings = document.settings.element
    if settings.find(_tag("updateFields")) is None:
        late = {_tag(name) for name in _AFTER_FIELDS}
        at = next((i for i, each in enumerate(settings) if each.tag in late), len(settings))
        settings.insert(at, element("updateFields", val="true"))


def _tag(name: str) -> str:
    from docx.oxml.ns import qn

    return qn(f"w:{name}")


def _head_and_foot(document: Document, report: Report, head: str, foot: str) -> None:
    from fourcorners.reports.word.elements import element, field, run

    pages = document.sections[0]
    if _is_empty(pages, "header"):
        paragraph = pages.header.paragraphs[0]._p
        paragraph.get_or_add_pPr().insert(0, element("pStyle", val=head))
        paragraph.append(run(f"{single_line(report.project)} · {report.title}"))
        pages.different_first_page_header_footer = report.contents
    if _is_empty(pages, "footer"):
        paragraph = pages.footer.paragraphs[0]._p
        paragraph.get_or_add_pPr().insert(0, element("pStyle", val=foot))
        paragraph.append(run("Page "))
        paragraph.extend(field("PAGE", "1"))
        paragraph.append(run(" of "))
        paragraph.extend(field("NUMPAGES", "1"))


def _is_empty(pages: Pages, which: str) -> bool:
    part = pages.header if which == "header" else pages.footer
    if part.is_linked_to_previous:
        return True
    inside = part._element
    return (
        not any(each.text for each in part.paragraphs)
        and not inside.findall(f".//{_tag('drawing')}")
        and not inside.findall(f".//{_tag('pict')}")
        and not part.tables
    )
