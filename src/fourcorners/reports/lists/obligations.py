"""Obligations as a report to send: a table for each party, by day, with the contract's words."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from itertools import groupby

from fourcorners.reports.tree import (
    QuoteBlock,
    Report,
    ReportKind,
    Row,
    Run,
    Section,
    Table,
    Tone,
    body,
    group,
    note,
    row,
)
from fourcorners.review.obligations.listed import ContractObligation

_HEADS = ("Day", "What must be done", "Contract", "The contract's words")
_WIDTHS = (0.12, 0.3, 0.2, 0.38)
_WHOSE = {"ours": " (ours)", "theirs": "", "": ""}


def obligations_report(
    found: Sequence[ContractObligation], contracts: int, reliance: str, *, subject: str = ""
) -> Report:
    """Return the report on obligations in some contracts; `subject` is what these are called."""
    rows: list[Row] = []
    for (party, whose), listed in groupby(found, key=lambda each: (each.party, each.whose)):
        rows += [group(Run(f"{party}{_WHOSE[whose]}", Tone.STRONG)), *map(_row, listed)]
    table = Table("Obligations", _HEADS, tuple(rows), _WIDTHS)
    blocks = (note(reliance), table) if rows else (body("None were found."),)
    return Report(
        kind=ReportKind.LIST,
        title="Who must do what, by when",
        project=subject or f"{contracts:,} contract{'' if contracts == 1 else 's'}",
        status="",
        facts=(
            ("Contracts", f"{contracts:,}"),
            ("Obligations", f"{len(found):,}"),
            ("With a day", f"{sum(each.day is not None for each in found):,}"),
        ),
        notice="",
        sections=(Section("obligations", "Obligations", blocks, numbered=False),),
        created=datetime.now(UTC),
        contents=False,
    )


def _row(each: ContractObligation) -> Row:
    when = each.day.isoformat() if each.day else each.time.in_force if each.time else ""
    what = [body(_plain(each.statement))]
    what += [note(f"Unless {each.unless}")] if each.unless else []
    what += [note(_plain(condition.in_force)) for condition in each.conditions]
    what += [note(Run(f"Changed by {name}", Tone.WARNING)) for name in each.changed_by]
    what += [note(Run(f"Proposed by {name}, not accepted", Tone.WARNING)) for name in each.proposed]
    quote = QuoteBlock(each.source, (Run(each.where),))
    return row(_plain(when), tuple(what), each.title, (quote,))


def _plain(words: str) -> str:
    return " ".join(words.split())
