"""A report as PDF, by Typst: contract text goes in as data and never as markup."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from datetime import UTC
from pathlib import Path
from typing import Final, TypeAlias

from fourcorners.errors import ConfigError
from fourcorners.reports.lines import is_right_to_left, text_lines
from fourcorners.reports.tree import (
    Block,
    BulletList,
    FactList,
    Paragraph,
    QuoteBlock,
    Report,
    Run,
    Section,
    Table,
)
from fourcorners.reports.word.document import is_short
from fourcorners.text.invisible_characters import show_invisible, single_line

Json: TypeAlias = "str | int | float | bool | Sequence[Json] | Mapping[str, Json] | None"

TEMPLATE: Final = Path(__file__).parent.parent / "assets" / "report.typ"
# Where a long word without spaces may be broken: after signs that join words, or anywhere at last.
_LONG: Final = re.compile(r"\S{19,}")
_LONG_IN_QUOTE: Final = re.compile(r"\S{61,}")
_JOINT: Final = re.compile(r"(?<=[_\-/.,])(?=\w)|(?<=[a-z])(?=[A-Z])")
_BREAK: Final = "\u200b"
_NO_GLYPH: Final = "could not be displayed"


def export_pdf(report: Report, path: Path, *, template: Path | None = None) -> None:
    """Write a report as a tagged PDF with its fonts in it.

    It follows PDF/UA-1 where the fonts have every character of the text. The same report and
    template make the same file, byte for byte.

    Raises:
        ConfigError: If the extra `pdf` is not installed, or the template does not compile.
    """
    try:
        import typst
    except ImportError as error:
        raise ConfigError(
            "PDF reports need the extra `pdf`.", remedy="Run: pip install 'fourcorners[pdf]'"
        ) from error
    source = template or TEMPLATE
    _check(source)
    data = json.dumps(_report(report), ensure_ascii=False)
    moment = int(report.created.astimezone(UTC).timestamp())

    def compiled(standards: list[typst.PDFStandard]) -> bytes:
        return typst.compile(
            source,
            root=source.parent,
            format="pdf",
            sys_inputs={"report": data},
            pdf_standards=standards,
            timestamp=moment,
        )

    try:
        try:
            made = compiled(["ua-1"])
        except typst.TypstError as error:
            if _NO_GLYPH not in str(error):
                raise
            made = compiled([])
    except typst.TypstError as error:
        raise ConfigError(
            f"{source}: the template does not compile: {single_line(str(error))}",
            remedy="Start from the template that comes with the program.",
        ) from error
    path.write_bytes(made)


def _check(source: Path) -> None:
    """Refuse a template that would have packages fetched from the network."""
    try:
        source_text = source.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(
            f"{source}: the template cannot be read ({error}).", remedy="Give a Typst file (.typ)."
        ) from error
    if re.search(r"[\"@]@?preview/", source_text):
        raise ConfigError(
            f"{source}: the template imports a package from the network.",
            remedy="Put what it needs next to it, and import that.",
        )


def _report(report: Report) -> Json:
    numbers = {section.anchor: number for _, number, section in report.walk()}
    return {
        "title": single_line(report.title),
        "project": single_line(report.project) or "Report",
        "author": single_line(report.prepared_by) or "Fourcorners",
        "created": [report.created.year, report.created.month, report.created.day],
        "status": single_line(report.status),
        "notice": single_line(report.notice),
        "contents": report.contents,
        "facts": [[single_line(name), _wrap(single_line(value))] for name, value in report.facts],
        "sections": [_section(each, numbers, schedule=each.schedule) for each in report.sections],
    }


def _section(section: Section, numbers: Mapping[str, str], *, schedule: bool) -> Json:
    return {
        "anchor": section.anchor,
        "number": numbers[section.anchor],
        "title": _wrap(single_line(section.title)),
        "schedule": schedule,
        "wide": section.wide,
        "new-page": section.new_page,
        "blocks": [_block(block) for block in section.blocks],
        "sections": [_section(each, numbers, schedule=schedule) for each in section.sections],
    }


def _block(block: Block) -> Json:
    if isinstance(block, Paragraph | QuoteBlock):
        return _block_json(block)
    if isinstance(block, BulletList):
        return {"type": "items", "items": [_runs(item) for item in block.items]}
    if isinstance(block, FactList):
        return {
            "type": "facts",
            "pairs": [[single_line(name), _runs(value)] for name, value in block.pairs],
        }
    return _table(block)


def _table(table: Table) -> Json:
    return {
        "type": "table",
        "caption": single_line(table.caption),
        "heads": [single_line(head) for head in table.heads],
        "widths": list(table.widths),
        "rows": [
            {
                "anchor": row.anchor,
                "group": row.group,
                "whole": is_short(row),
                "cells": [[_block_json(block) for block in cell] for cell in row.cells],
            }
            for row in table.rows
        ],
    }


def _block_json(block: Paragraph | QuoteBlock) -> Json:
    if isinstance(block, Paragraph):
        return {
            "type": "paragraph",
            "kind": block.kind.value,
            "runs": _runs(block.runs),
            "notes": [
                {
                    "by": single_line(note.by),
                    "at": note.at[:10],
                    "text": _wrap(show_invisible(note.text)),
                }
                for note in block.notes
            ],
        }
    return {
        "type": "quoted",
        "lines": [_wrap(each, _LONG_IN_QUOTE) for each in text_lines(block.words)] or [""],
        "rtl": is_right_to_left(block.words),
        "verified": block.verified,
        "source": _runs(block.source),
        "left-out": block.left_out,
        "omission-note": block.omission_note,
    }


def _runs(runs: Sequence[Run]) -> list[Json]:
    return [_run(each) for each in runs]


def _run(each: Run) -> Json:
    return {"text": _wrap(show_invisible(each.text)), "tone": each.tone.value, "link": each.link}


def _wrap(text: str, long: re.Pattern[str] = _LONG) -> str:
    """Return the text with places where its long words may be broken, so that none overflows."""
    return long.sub(_with_places, text)


def _with_places(found: re.Match[str]) -> str:
    pieces = [
        piece[at : at + 18]
        for piece in _JOINT.split(found.group())
        for at in range(0, len(piece), 18)
    ]
    return _BREAK.join(pieces)
