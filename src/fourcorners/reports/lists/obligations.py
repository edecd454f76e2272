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
    note,
    row,
)
from fourcorners.review.obligations.table import ContractObligation

_HEADS = ("Day", "What must be done", "Contract", "The contract's words")
_WIDTHS = (0.12, 0.3, 0.2, 0.38)
_WHOSE = {"ours": " (ours)", "theirs": "", "": ""}


def obligations_report(
    found: Sequence[ContractObligation], contracts: int, reliance: str
) -> Report:
    by_party = groupby(found, key=lambda each: (each.party, each.whose))
    sections = tuple(
        _section(number, f"{party}{_WHOSE[whose]}", [*group])
        for number, ((party, whose), group) in enumerate(by_party)
    )
    titles = list(dict.fromkeys(each.title for each in found))
    return Report(
        kind=ReportKind.LIST,
        title="Obligations",
        project=titles[0] if len(titles) == 1 else f"{contracts:,} contracts",
        status="",
        facts=(
            ("Contracts", f"{contracts:,}"),
            ("Obligations", f"{len(found):,}"),
            ("With a day", f"{sum(each.day is not None for each in found):,}"),
        ),
        notice=reliance,
        sections=sections or (Section("none", "No obligations", numbered=False),),
        created=datetime.now(UTC),
        contents=False,
    )


def _section(number: int, title: str, group: Sequence[ContractObligation]) -> Section:
    table = Table(f"Obligations: {title}", _HEADS, tuple(map(_row, group)), _WIDTHS)
    return Section(f"party_{number}", title, (table,), wide=True, numbered=False)


def _row(each: ContractObligation) -> Row:
    when = each.day.isoformat() if each.day else each.time.text if each.time else ""
    what = [body(each.statement)]
    what += [note(f"Unless {each.unless}")] if each.unless else []
    what += [note(f"If: {condition.text}") for condition in each.conditions]
    what += [note(Run(f"Changed by {name}", Tone.WARNING)) for name in each.changed_by]
    what += [note(Run(f"Proposed by {name}, not accepted", Tone.WARNING)) for name in each.proposed]
    quote = QuoteBlock(each.source, (Run(each.where),))
    return row(" ".join(when.split()), tuple(what), each.title, (quote,))
