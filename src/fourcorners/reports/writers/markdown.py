"""A report as Markdown: nothing in a contract's words is read as markup."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from fourcorners.errors import ConfigError
from fourcorners.reports.lines import text_lines
from fourcorners.reports.tree import (
    Block,
    BulletList,
    FactList,
    Kind,
    Paragraph,
    QuoteBlock,
    Report,
    Run,
    Table,
    Tone,
)
from fourcorners.text.invisible_characters import single_line

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~!&$^=])")
_OPENING = re.compile(r"^(\s*)(\d+)([.)])(?=\s|$)|^(\s*)([+-])(?=\s|$)")
_WEIGHTS = dict.fromkeys((Tone.STRONG, Tone.HIGH, Tone.MEDIUM, Tone.TO_READ, Tone.WARNING), "**")


def export_markdown(report: Report, path: Path, *, template: Path | None = None) -> None:
    """Write a report.

    Raises:
        ConfigError: If a template is given: there is none for this format.
    """
    if template is not None:
        raise ConfigError(f"{template}: Markdown has no templates.", remedy="Leave it out.")
    path.write_text(to_markdown(report), encoding="utf-8", newline="\n")


def to_markdown(report: Report) -> str:
    parts = [f"# {escape_markdown(report.project)}", escape_markdown(report.status)]
    parts += [_facts(FactList(tuple((name, (Run(value),)) for name, value in report.facts)))]
    for level, number, section in report.walk():
        head = f"{number} {section.title}".strip()
        parts.append(f"{'#' * min(level + 1, 6)} {escape_markdown(head)}")
        parts += [text for block in section.blocks if (text := _block(block))]
    parts.append(f"*{escape_markdown(report.notice)}*" if report.notice else "")
    return "\n\n".join(each for each in parts if each) + "\n"


def escape_markdown(text: str) -> str:
    """Return words on one line, with what Markdown or HTML would read in them escaped."""
    escaped = _SPECIAL.sub(r"\\\1", single_line(text))
    return _OPENING.sub(lambda m: f"{m[1]}{m[2]}\\{m[3]}" if m[2] else f"{m[4]}\\{m[5]}", escaped)


def _runs(runs: Iterable[Run]) -> str:
    return "".join(_run(each) for each in runs).strip()


def _run(run: Run) -> str:
    words = escape_markdown(run.text)
    mark = _WEIGHTS.get(run.tone, "")
    lead = " " if run.text[:1].isspace() else ""
    tail = " " if run.text[-1:].isspace() and words else ""
    return f"{lead}{mark}{words}{mark}{tail}" if words else lead


def _block(block: Block) -> str:
    match block:
        case Paragraph():
            text = _runs(block.runs)
            return f"**{text}**" if block.kind is Kind.LABEL and "**" not in text else text
        case QuoteBlock():
            return "\n".join(_quote_lines(block))
        case BulletList():
            return "\n".join(f"- {_runs(item)}" for item in block.items)
        case FactList():
            return _facts(block)
        case Table():
            return _table(block)


def _quote_lines(block: QuoteBlock) -> Iterator[str]:
    for each in text_lines(block.words) or [""]:
        yield f"> {escape_markdown(each)}  "
    if block.left_out:
        yield f"> *{escape_markdown(block.omission_note)}*  "
    mark = "" if block.verified else "**not verified** "
    yield f"> — {mark}{_runs(block.source)}"


def _facts(block: FactList) -> str:
    return "\n".join(
        f"- **{escape_markdown(name)}:** {_runs(value)}" for name, value in block.pairs
    )


def _table(block: Table) -> str:
    rows = [
        f"| {' | '.join(escape_markdown(head) for head in block.heads)} |",
        "| --- " * len(block.heads) + "|",
    ]
    for row in block.rows:
        cells = [" ".join(_cell(each) for each in cell) for cell in row.cells]
        cells += [""] * (len(block.heads) - len(cells))
        rows.append(f"| {' | '.join(cells)} |")
    return "\n".join(rows)


def _cell(block: Paragraph | QuoteBlock) -> str:
    if isinstance(block, Paragraph):
        return _runs(block.runs)
    return f"“{escape_markdown(block.words)}” {_runs(block.source)}".strip()
