"""The review as one self-contained HTML file that runs no request and trusts no word of it."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from fourcorners.errors import ConfigError
from fourcorners.reports.chapters.finding import AUTHORS, compare_words
from fourcorners.reports.chapters.material import format_time, recommendation, review_run
from fourcorners.reports.excerpt import Excerpt, cut_excerpt
from fourcorners.reports.excerpt import Run as ExcerptRun
from fourcorners.reports.grid import (
    REVIEW_WORDS,
    SEVERITIES,
    SEVERITY_WORDS,
    STATE_WORDS,
    Cell,
    Grid,
    ocr_note,
    page_range,
    quote_place,
)
from fourcorners.reports.lines import BREAK
from fourcorners.reports.tree import QuoteBlock, Report, Run, Table
from fourcorners.reports.word.document import contents_entries
from fourcorners.review.finding import CellState, Evidence, ReviewState, Severity
from fourcorners.text.invisible_characters import shorten, show_invisible, split_invisible
from fourcorners.text.span import Span
from fourcorners.version import __version__

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

_HERE: Final = Path(__file__).parent
# Red flags of one severity that the summary shows at once; the rest opens on demand.
_SHOWN_AT_ONCE: Final = 12
# What people said, as a sign in a cell of the grid; the word follows it for screen readers.
_SIGNS: Final = {
    ReviewState.CONFIRMED: "✓",
    ReviewState.CORRECTED: "✎",
    ReviewState.REJECTED: "✗",
    ReviewState.SECOND_LOOK: "?",
}


@dataclass(frozen=True, slots=True)
class Block:
    """A clause and the quotes that one finding takes from it.

    A clause that several findings quote is shown once in the page, under its `owner`.
    """

    anchor: str
    owner: Cell
    excerpt: Excerpt
    evidence: tuple[Evidence, ...]


def export(grid: Grid, path: Path) -> None:
    """Write the review as one page: summary, grid, provisions, documents, and what it rests on."""
    style = load_asset("palette.css") + load_asset("report.css")
    script, early = load_asset("report.js"), "document.documentElement.className='js'"
    stream = (
        report_environment()
        .get_template("report.html.j2")
        .stream(
            grid=grid,
            review=grid.review,
            style=style,
            script=script,
            early=early,
            policy=content_security_policy(style, script, early),
            states=grid.states(),
            flags=grid.severities(),
            quotes=grid.quotes(),
            red_flags=grid.red_flags(),
            version=__version__,
            shown_at_once=_SHOWN_AT_ONCE,
        )
    )
    stream.enable_buffering(200)
    with path.open("w", encoding="utf-8", newline="\n") as page:
        for chunk in stream:
            page.write(chunk)


def _evidence_blocks(row: tuple[Cell, ...], number: int) -> dict[int, list[Block]]:
    """Return, by column, the clauses that the findings of one document quote, each cut once."""
    quotes: dict[Span, dict[int, list[Span]]] = {}
    owner: dict[Span, Cell] = {}
    for cell in row:
        for evidence in cell.finding.evidence:
            if evidence.quote.span:
                owner.setdefault(evidence.clause, cell)
                by_column = quotes.setdefault(evidence.clause, {})
                by_column.setdefault(cell.column, []).append(evidence.quote.span)
    cut = {
        clause: (f"c-{number}-{i}", cut_excerpt(owner[clause].document.text, clause, by_column))
        for i, (clause, by_column) in enumerate(quotes.items())
    }
    shown: dict[int, list[Block]] = {}
    for cell in row:
        verified = [each for each in cell.finding.evidence if each.quote.span]
        for clause in dict.fromkeys(each.clause for each in verified):
            anchor, whole = cut[clause]
            inside = tuple(each for each in verified if each.clause == clause)
            shown.setdefault(cell.column, []).append(Block(anchor, owner[clause], whole, inside))
    return shown


def report_environment() -> Environment:
    """Return what renders the pages: it escapes all, and names what is hidden."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined
    from markupsafe import Markup

    environment = Environment(
        loader=FileSystemLoader(_HERE / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        # Whatever a template prints has its hidden characters named, attributes included.
        finalize=lambda value: (
            show_invisible(value)
            if isinstance(value, str) and not isinstance(value, Markup)
            else value
        ),
    )
    environment.filters |= {
        "words": _words,
        "shortened": shorten,
        "place": quote_place,
        "pages": lambda span: page_range(span).replace("page", "Page", 1),
        "recognised": ocr_note,
        "day": lambda value: f"{value.day} {value:%b} {value.year}" if value else "",
        "raw_asset": Markup,
    }
    environment.globals |= {
        "blocks": _evidence_blocks,
        "clause": _clause,
        "SEVERITIES": SEVERITIES,
        "SEVERITY_WORDS": SEVERITY_WORDS,
        "STATE_WORDS": STATE_WORDS,
        "REVIEW_WORDS": REVIEW_WORDS,
        "State": CellState,
        "Severity": Severity,
        "look": _look,
        "risk": _risk,
        "at_a_glance": _summarise_cell,
        "types": lambda grid: sorted(
            {each.card.type.value for each in grid.documents if each.card.type}, key=str.casefold
        ),
        "identities": lambda grid: json.dumps([show_invisible(each.id) for each in grid.columns]),
        "verdict": lambda cell: review_run(cell.finding).text,
        "advice": recommendation,
        "moment": format_time,
        "outlier": _outlier,
        "AUTHORS": AUTHORS,
        "SIGNS": _SIGNS,
    }
    return environment


def load_asset(name: str) -> str:
    return (_HERE / "assets" / name).read_text(encoding="utf-8")


def content_security_policy(style: str, *scripts: str) -> str:
    """Return a content security policy that lets these very words run, and nothing else."""
    allowed = " ".join(_source(script) for script in scripts) or "'none'"
    return (
        f"default-src 'none'; style-src {_source(style)}; script-src {allowed}; "
        "base-uri 'none'; form-action 'none'"
    )


def _source(words: str) -> str:
    digest = hashlib.sha256(words.encode("utf-8")).digest()
    return f"'sha256-{base64.b64encode(digest).decode('ascii')}'"


_UNQUOTED = {CellState.NOT_FOUND: " absent", CellState.TO_READ: " apart"}


def _look(cell: Cell) -> str:
    """Return the class that draws a cell: its severity if it is flagged, else its state."""
    if cell.finding.state is CellState.FAILED:
        return "failed"
    if cell.flagged:
        missing = _UNQUOTED.get(cell.finding.state, "")
        return cell.finding.severity.value + missing
    return "found" if cell.finding.state is CellState.FOUND else "none"


def _outlier(grid: Grid, cell: Cell) -> tuple[int, tuple[Run, ...]] | None:
    """Return the row of the clause most like an outlier, and both word by word."""
    found, best = cell.finding.outlier, cell.finding.best
    if found is None or best is None:
        return None
    rows = [i for i, document in enumerate(grid.documents) if document.id == found.nearest]
    if not rows:
        return None
    theirs = found.clause.text_in(grid.documents[rows[0]].text)
    return rows[0], compare_words(best.clause.text_in(cell.document.text), theirs)


def _summarise_cell(cell: Cell) -> str:
    if cell.finding.state is CellState.FAILED:
        return STATE_WORDS[CellState.FAILED]
    if cell.flagged and cell.finding.state is CellState.NOT_FOUND:
        return STATE_WORDS[CellState.NOT_FOUND]
    if cell.flagged:
        return SEVERITY_WORDS[cell.finding.severity]
    return STATE_WORDS[cell.finding.state]


def _risk(row: tuple[Cell, ...]) -> int:
    """Weigh a row so that one graver finding outweighs any number of lesser ones."""
    flags = [cell.finding.severity for cell in row if cell.flagged]
    return sum(1_000**severity.rank for severity in flags)


def _words(text: str) -> Markup:
    """Return the text with hidden characters named and with its paragraphs apart.

    Apart from hidden characters, the text content of the markup is the text itself.
    """
    from markupsafe import Markup, escape

    parts: list[Markup] = []
    for hidden, shown in split_invisible(text):
        if hidden:
            parts.append(Markup('<span class="ctl">{}</span>').format(shown))
            continue
        at = 0
        for gap in BREAK.finditer(shown):
            parts.append(escape(shown[at : gap.end()]))
            parts.append(Markup('<span class="gap"></span>') if gap.group(1) else Markup("<br>"))
            at = gap.end()
        parts.append(escape(shown[at:]))
    return Markup("").join(parts)


def _clause(runs: tuple[ExcerptRun, ...], column: int) -> Markup:
    """Return a clause with its quotes marked; those of other columns than `column` fainter."""
    from markupsafe import Markup

    parts: list[Markup] = []
    for run in runs:
        if run.left_out:
            parts.append(
                Markup('<span class="cut">… {} characters not shown …</span>').format(
                    f"{run.left_out:,}"
                )
            )
        elif run.quoted:
            parts.append(
                Markup('<mark{} data-p="{}">{}</mark>').format(
                    Markup("") if column in run.quoted else Markup(' class="other"'),
                    " ".join(map(str, run.quoted)),
                    _words(run.words),
                )
            )
        else:
            parts.append(_words(run.words))
    return Markup("").join(parts)


def export_html(report: Report, path: Path, *, template: Path | None = None) -> None:
    """Write the page; a template is a style sheet that comes after ours.

    Raises:
        ConfigError: If the style sheet cannot be read, or would end the element that holds it.
    """
    style = (
        load_asset("palette.css") + load_asset("chapters.css") + _widths(report) + _house(template)
    )
    page = report_environment()
    page.globals["is_quoted"] = lambda block: isinstance(block, QuoteBlock)
    page.globals["numbers"] = {section.anchor: number for _, number, section in report.walk()}
    stream = page.get_template("chapters.html.j2").stream(
        report=report,
        entries=contents_entries(report),
        style=style,
        policy=content_security_policy(style),
        version=__version__,
    )
    stream.enable_buffering(200)
    with path.open("w", encoding="utf-8", newline="\n") as file:
        for chunk in stream:
            file.write(chunk)


def _widths(report: Report) -> str:
    """Return the widths of columns as classes: the policy allows no style in an element."""
    used = {
        round(width * 100)
        for _, _, section in report.walk()
        for block in section.blocks
        if isinstance(block, Table)
        for width in block.widths
    }
    return "".join(f".w{each} {{ width: {each}%; }}\n" for each in sorted(used))


def _house(template: Path | None) -> str:
    if template is None:
        return ""
    try:
        style = template.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(
            f"{template}: the style sheet cannot be read ({error}).", remedy="Give a .css file."
        ) from error
    if re.search(r"</style|@import", style, re.IGNORECASE):
        raise ConfigError(
            f"{template}: the style sheet holds `</style` or `@import`.",
            remedy="Put all its rules into the one file.",
        )
    return style
