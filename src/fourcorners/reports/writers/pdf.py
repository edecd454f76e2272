"""A report as PDF, by Typst: contract text goes in as data and never as markup."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

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
from fourcorners.reports.typesetting import LONG_IN_QUOTE, Json, add_breaks, typeset
from fourcorners.reports.word.document import is_short
from fourcorners.text.invisible_characters import show_invisible, single_line

TEMPLATE: Final = Path(__file__).parent.parent / "assets" / "report.typ"


def export_pdf(report: Report, path: Path, *, template: Path | None = None) -> None:
    """Write a report as a tagged PDF with its fonts in it.

    It follows PDF/UA-1 where the fonts have every character of the text. The same report and
    template make the same file, byte for byte.

    Raises:
        ConfigError: If the extra `pdf` is not installed, or the template does not compile.
    """
    data = json.dumps(_report(report), ensure_ascii=False)
    path.write_bytes(typeset(template or TEMPLATE, {"report": data}, report.created).data)


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
        "facts": [
            [single_line(name), add_breaks(single_line(value))] for name, value in report.facts
        ],
        "sections": [_section(each, numbers, schedule=each.schedule) for each in report.sections],
    }


def _section(section: Section, numbers: Mapping[str, str], *, schedule: bool) -> Json:
    return {
        "anchor": section.anchor,
        "number": numbers[section.anchor],
        "title": add_breaks(single_line(section.title)),
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
                    "text": add_breaks(show_invisible(note.text)),
                }
                for note in block.notes
            ],
        }
    return {
        "type": "quoted",
        "lines": [add_breaks(each, LONG_IN_QUOTE) for each in text_lines(block.words)] or [""],
        "rtl": is_right_to_left(block.words),
        "verified": block.verified,
        "source": _runs(block.source),
        "left-out": block.left_out,
        "omission-note": block.omission_note,
    }


def _runs(runs: Sequence[Run]) -> list[Json]:
    return [_run(each) for each in runs]


def _run(each: Run) -> Json:
    return {
        "text": add_breaks(show_invisible(each.text)),
        "tone": each.tone.value,
        "link": each.link,
    }
