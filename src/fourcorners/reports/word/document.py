"""A report as the XML of a Word document: written by a template, then given its comments."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final

from fourcorners.documents.docx.marks import NOT_XML
from fourcorners.reports.lines import is_right_to_left, text_lines
from fourcorners.reports.tree import (
    Block,
    Note,
    Paragraph,
    QuoteBlock,
    Report,
    Row,
    Run,
    Section,
    Table,
    Tone,
)
from fourcorners.text.invisible_characters import character_name, show_invisible, single_line

if TYPE_CHECKING:
    from docx.document import Document
    from lxml.etree import _Element

_TEMPLATES: Final = Path(__file__).parent.parent / "templates"
# The character style of each tone, by name.
_TONE_STYLES: Final[Mapping[Tone, str]] = {
    Tone.STRONG: "Strong",
    Tone.QUIET: "Quiet",
    Tone.HIGH: "Severity High",
    Tone.MEDIUM: "Severity Medium",
    Tone.TO_READ: "Severity To Be Read",
    Tone.LOW: "Severity Low",
    Tone.WARNING: "Warning Text",
    Tone.ADDED: "Added Words",
    Tone.REMOVED: "Removed Words",
}
_WHOLE_ROW: Final = 900  # characters of any cell of a row that stays on one page


def write_body(document: Document, styles: Mapping[str, str], report: Report) -> None:
    """Write the cover, the contents and the sections of a report into an empty document."""
    notes: list[Sequence[Note]] = []
    pages, body = document.sections[0], document.element.body
    margins = _twips(pages.left_margin), _twips(pages.right_margin)
    width, height = (_twips(each) - sum(margins) for each in (pages.page_width, pages.page_height))
    cover = [(name, (Run(value),)) for name, value in report.facts]
    write = _macro("body", styles, notes, cover=cover)
    made = write(report, contents_entries(report), width, height)
    for node in parse_elements(made):
        body.sectPr.addprevious(node)
    for place in list(body.iterfind(f"{word_tag('p')}/{word_tag('pPr')}/{word_tag('sectPr')}")):
        place.getparent().replace(
            place, _section_properties(body.sectPr, turned=bool(place.attrib))
        )
    for paragraph in list(body.iter(word_tag("p"))):
        number = paragraph.attrib.pop("notes", None)
        for note in notes[int(number)] if number else ():
            _comment(document, paragraph, note)


def page_number_runs(styles: Mapping[str, str]) -> list[_Element]:
    return parse_elements(_macro("footer", styles)())


def text_run(text: str) -> list[_Element]:
    return parse_elements(_macro("run", {})(text))


def parse_elements(xml: str) -> list[_Element]:
    """Return elements of the main namespace, written with the prefix `w`."""
    from docx.oxml.ns import nsdecls
    from docx.oxml.parser import parse_xml

    return list(parse_xml(f"<w:body {nsdecls('w')}>{xml}</w:body>".encode()))


def word_tag(tag: str) -> str:
    from docx.oxml.ns import qn

    return qn(f"w:{tag}")


def _macro(
    name: str,
    styles: Mapping[str, str],
    notes: list[Sequence[Note]] | None = None,
    **values: object,
) -> Callable[..., str]:
    """Return a macro of the template; the notes of paragraphs are put into `notes`."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined
    from markupsafe import Markup

    counts: dict[str, int] = {}

    def count(name: str) -> int:
        counts[name] = counts.get(name, 0) + 1
        return counts[name]

    known = [] if notes is None else notes

    def remember_notes(own: Sequence[Note]) -> int:
        known.append(own)
        return len(known) - 1

    environment = Environment(
        loader=FileSystemLoader(_TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "shown": _visible_text,
        "single_line": single_line,
        "lines": lambda words: "\n".join(text_lines(words)),
    }
    tests: dict[str, Callable[..., bool]] = {
        "right_to_left": is_right_to_left,
        "quoted": lambda block: isinstance(block, QuoteBlock),
        "short": is_short,
        "leading_to_table": _leads_to_table,
    }
    environment.tests |= tests
    environment.globals |= {
        "styles": styles,
        "TONE_STYLES": _TONE_STYLES,
        "KEEP": Markup("<w:keepNext/>"),
        "plain": Run,
        "strong": lambda text: Run(text, Tone.STRONG),
        "cited": _source_runs,
        "rounded": lambda width, shares: [round(width * share) for share in shares],
        "count": count,
        "remembered": remember_notes,
        **values,
    }
    made: Callable[..., str] = getattr(environment.get_template("document.xml.j2").module, name)
    return made


def contents_entries(report: Report) -> list[tuple[int, str, Section]]:
    """Return level, number and section of what the table of contents lists."""
    return [
        (level, number, section)
        for level, number, section in report.walk()
        if level == 1 or (level == 2 and not number[:1].isalpha())
    ]


def is_short(row: Row) -> bool:
    """Tell whether a row stays on one page: no cell has very many characters."""
    return all(
        sum(
            len(block.words)
            if isinstance(block, QuoteBlock)
            else sum(len(run.text) for run in block.runs)
            for block in cell
        )
        <= _WHOLE_ROW
        for cell in row.cells
    )


def _visible_text(text: str) -> str:
    # The net names what `show_invisible` has not named already: nothing known.
    return NOT_XML.sub(lambda found: character_name(found.group()), show_invisible(text))


def _source_runs(block: QuoteBlock) -> list[Run]:
    cited = list(block.source)
    if block.left_out:
        cited.append(Run(f" · {block.omission_note} ", Tone.WARNING))
    return cited


def _leads_to_table(blocks: Sequence[Block]) -> bool:
    """Tell whether a table comes next, but for paragraphs: those before stay on its page."""
    return isinstance(
        next((each for each in blocks if not isinstance(each, Paragraph)), None), Table
    )


def _comment(document: Document, paragraph: _Element, note: Note) -> None:
    from docx.oxml.text.run import CT_R
    from docx.text.run import Run as WordRun

    held = [WordRun(child, document._body) for child in paragraph if isinstance(child, CT_R)]
    if not held:
        return
    name = single_line(note.by)
    initials = "".join(part[0] for part in name.split())[:3].upper()
    comment = document.add_comment(
        [held[0], held[-1]], text=show_invisible(note.text), author=name, initials=initials
    )
    comment._comment_elm.set(word_tag("date"), _second(note.at))


def _section_properties(properties: _Element, *, turned: bool) -> _Element:
    """Return a copy of a section's properties, with its pages on their side if they are turned."""
    made = deepcopy(properties)
    if not turned:
        return made
    size, first = made.find(word_tag("pgSz")), made.find(word_tag("titlePg"))
    if size is not None:
        wide, high = size.get(word_tag("w")), size.get(word_tag("h"))
        size.set(word_tag("w"), str(high))
        size.set(word_tag("h"), str(wide))
        size.set(word_tag("orient"), "landscape")
    if first is not None:
        made.remove(first)
    return made


def _twips(length: int | None) -> int:
    return round((length or 0) / 635)  # 635 English metric units a twentieth of a point


def _second(at: str) -> str:
    """Return a time as Word writes it; the epoch where there is none, never the present."""
    try:
        moment = datetime.fromisoformat(at)
    except ValueError:
        moment = datetime(1970, 1, 1, tzinfo=UTC)
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")
