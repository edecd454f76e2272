"""A report as a Word document: real styles, numbers, fields, comments, bookmarks and links."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING
from xml.sax.saxutils import quoteattr

from fourcorners.reports.tree import Report
from fourcorners.text.invisible_characters import single_line

if TYPE_CHECKING:
    from docx.document import Document
    from docx.section import _Footer, _Header
    from lxml.etree import _Element

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
    from fourcorners.reports.word.document import write_body
    from fourcorners.reports.word.package import open_template, save
    from fourcorners.reports.word.styles import install

    document = open_template(template)
    styles = install(document, template=template is not None)
    if template is None:
        _lay_out(document)
    _describe(document, report)
    _head_and_foot(document, report, styles)
    write_body(document, styles, report)
    save(document, path)


def _lay_out(document: Document) -> None:
    """Set the page: A4, with a different first page."""
    from docx.shared import Mm

    pages = document.sections[0]
    pages.page_width, pages.page_height = Mm(210), Mm(297)
    pages.left_margin = pages.right_margin = Mm(17)
    pages.top_margin, pages.bottom_margin = Mm(20), Mm(17)
    pages.header_distance = pages.footer_distance = Mm(11)


def _describe(document: Document, report: Report) -> None:
    from fourcorners.reports.word.document import parse_elements, word_tag

    properties = document.core_properties
    properties.title = single_line(f"{report.project}: {report.title}")[:255]
    properties.subject = report.title
    properties.author = single_line(report.prepared_by or "Fourcorners")[:255]
    properties.last_modified_by = properties.author
    properties.created = properties.modified = report.created.replace(tzinfo=None)
    properties.language = report.language
    properties.comments = report.notice
    properties.keywords = "contract review; due diligence"
    properties.revision = 1
    settings = document.settings.element
    if settings.find(word_tag("updateFields")) is None:
        late = {word_tag(name) for name in _AFTER_FIELDS}
        at = next((i for i, each in enumerate(settings) if each.tag in late), len(settings))
        settings[at:at] = parse_elements('<w:updateFields w:val="true"/>')


def _head_and_foot(document: Document, report: Report, styles: Mapping[str, str]) -> None:
    """Write the head and the foot of the pages, but not over those that a template has."""
    from fourcorners.reports.word.document import page_number_runs, text_run

    pages = document.sections[0]
    if _is_empty(pages.header):
        _fill(
            pages.header,
            styles["header"],
            text_run(f"{single_line(report.project)} · {report.title}"),
        )
        pages.different_first_page_header_footer = report.contents
    if _is_empty(pages.footer):
        _fill(pages.footer, styles["footer"], page_number_runs(styles))


def _fill(part: _Header | _Footer, style: str, runs: list[_Element]) -> None:
    from fourcorners.reports.word.document import parse_elements

    paragraph = part.paragraphs[0]._p
    paragraph.get_or_add_pPr()[0:0] = parse_elements(f"<w:pStyle w:val={quoteattr(style)}/>")
    paragraph.extend(runs)


def _is_empty(part: _Header | _Footer) -> bool:
    from fourcorners.reports.word.document import word_tag

    if part.is_linked_to_previous:
        return True
    inside = part._element
    return (
        not any(each.text for each in part.paragraphs)
        and not inside.findall(f".//{word_tag('drawing')}")
        and not inside.findall(f".//{word_tag('pict')}")
        and not part.tables
    )
