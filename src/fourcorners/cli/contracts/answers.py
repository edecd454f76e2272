"""`fourcorners answers`: the reports that the library keeps, on the terminal."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from fourcorners.cli import options
from fourcorners.cli.options import argument, option
from fourcorners.cli.output import console
from fourcorners.text.invisible_characters import shorten, show_invisible, single_line

if TYPE_CHECKING:
    from rich.text import Text

    from fourcorners.reports.tree import Block, Run
    from fourcorners.research.answer import Answer
    from fourcorners.research.store import AnswerEntry

_SHOWN = 700  # characters of a quote; the report's file has it whole
_SKIPPED = frozenset({"record"})  # sections that the terminal leaves to the file


def answers(
    identity: Annotated[str | None, argument("ID", "An answer to show.", default="a list")] = None,
    out: Annotated[
        Path | None, option("--out -o FILE", "Write it: .md, .html, .docx, .pdf, .json.")
    ] = None,
    library: options.Library = None,
    as_json: options.Json = False,
) -> None:
    """List the answers that the library keeps, or show one."""
    from fourcorners.reports.answer import require_suffix, write_answer
    from fourcorners.research import store

    if out is not None:
        require_suffix(out)
        console.require_place(out)
    with console.open_library(library) as held:
        if identity is None:
            _print_answers(store.list_answers(held), as_json=as_json)
            return
        answer = store.load_answer(held, identity)
    if out is not None:
        write_answer(answer, out)
    elif as_json:
        console.print_json(json.loads(answer.to_json()))
    else:
        print_answer(answer, full=True)


def _print_answers(found: Sequence[AnswerEntry], *, as_json: bool) -> None:
    if as_json:
        console.print_json(found)
        return
    for each in found:
        console.print_line((each.id, "bold"), f"  {each.made}  ", shorten(each.question, 200))
        console.print_indented(3, (shorten(each.line, 200), "green"))
    if not found:
        console.print_text("The library keeps no answers. Ask: fourcorners ask QUESTION.")


def print_answer(answer: Answer, *, full: bool) -> None:
    from fourcorners.reports.answer import answer_report, answer_summary

    if not full:
        for block in answer_summary(answer):
            _print_block(block)
        return
    report = answer_report(answer)
    console.print_indented(0, (single_line(report.project), "bold"))
    console.print_indented(0, (f"{report.status} By {single_line(answer.made.by)}.", "dim"))
    for _, _, section in report.walk():
        if section.anchor in _SKIPPED:
            continue
        console.print_text()
        console.print_text((single_line(section.title), "bold underline"))
        for block in section.blocks:
            _print_block(block)


def _print_block(block: Block) -> None:
    from fourcorners.reports import tree

    match block:
        case tree.Paragraph():
            style = {tree.Kind.LABEL: "bold", tree.Kind.NOTE: "dim"}.get(block.kind, "")
            console.print_indented(0, _line(block.runs, style))
        case tree.QuoteBlock():
            quote = f"“{shorten(block.words, _SHOWN)}”"
            console.print_indented(3, (quote, "" if block.verified else "red"))
            console.print_indented(3, "— ", _line(block.source, "dim"))
        case tree.BulletList():
            for item in block.items:
                console.print_indented(2, _line(item), head="•")
        case tree.FactList():
            for name, value in block.pairs:
                console.print_indented(0, (f"{name}: ", "dim"), _line(value))
        case tree.Table():
            for each in block.rows:
                paragraphs = (one for cell in each.cells for one in cell)
                lines = [_line(one.runs) for one in paragraphs if isinstance(one, tree.Paragraph)]
                console.print_indented(0, *lines[:1])
                for line in filter(None, lines[1:]):
                    console.print_indented(3, shorten(line.plain, _SHOWN))


def _line(runs: Iterable[Run], style: str = "") -> Text:
    """Return runs on one line, in the colours of their tones and then in a style."""
    from rich.text import Text

    from fourcorners.reports.tree import Tone

    styles = {Tone.STRONG: "bold green", Tone.MEDIUM: "bold yellow", Tone.WARNING: "bold yellow",
              Tone.QUIET: "dim"}  # fmt: skip
    line = Text()
    for run in runs:
        line.append(" ".join(show_invisible(run.text).split("\n")), styles.get(run.tone, ""))
    line.stylize(style)
    return line
