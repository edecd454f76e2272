"""Obligations as an Excel workbook: a row each, by party and day, with words and place."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from fourcorners.reports.workbook import Sheets, open_workbook
from fourcorners.review.obligations.listed import AmendedWords, ContractObligation
from fourcorners.review.obligations.table import MODALS
from fourcorners.version import __version__

_HEADS: Final = (
    ("Party", 26), ("Whose", 8), ("Must", 9), ("What", 60), ("If", 34), ("When", 28), ("Day", 11),
    ("Unless", 22), ("Contract", 32), ("Clause", 9), ("The contract's words", 70),
    ("Clause changed by", 24), ("Document", 18), ("Start", 9), ("End", 9),
)  # fmt: skip
_TINTS: Final = {"ours": "medium"}


def write_workbook(obligations: Sequence[ContractObligation], note: str, path: Path) -> None:
    """Write obligations to a file; every word of a contract is a string cell.

    `note` says how far what is listed can be relied on.

    Raises:
        ConfigError: If the file cannot be written.
    """
    with open_workbook(path, {"title": "Obligations"}) as sheets:
        _write_rows(sheets, obligations)
        sheets.add_facts(_facts(obligations, note))


def _write_rows(sheets: Sheets, obligations: Sequence[ContractObligation]) -> None:
    sheet = sheets.add("Obligations", _HEADS, frozen=1)
    for row, each in enumerate(obligations, start=1):
        texts = (
            each.party,
            each.whose,
            MODALS[each.kind],
            _plain(each.statement.removeprefix(f"{MODALS[each.kind]} ")),
            _lines(each.conditions),
            _lines(each.times),
            each.day or "",
            each.unless or "",
            each.title,
            each.where,
            _plain(each.source),
            "\n".join(each.changed_by),
            each.document,
            f"{each.action.start}",
            f"{each.action.end}",
        )
        for column, text in enumerate(texts):
            tint = (
                "bold"
                if column == 0
                else _TINTS.get(each.whose, "plain")
                if column == 1
                else "plain"
            )
            sheets.put(sheet, row, column, text, tint=tint, pointer=f"{each.where} of {each.name}")
    sheet.autofilter(0, 0, max(1, len(obligations)), len(_HEADS) - 1)
    sheet.set_zoom(90)


def _facts(obligations: Sequence[ContractObligation], note: str) -> tuple[tuple[str, str], ...]:
    return (
        ("Obligations", f"{len(obligations):,}"),
        ("With a day", f"{sum(each.day is not None for each in obligations):,}"),
        ("Contracts", f"{len({each.document for each in obligations}):,}"),
        ("How sure", note),
        ("Start, End", "Where the words are in the text of the document, in characters."),
        ("Fourcorners", __version__),
    )


def _lines(words: Sequence[AmendedWords]) -> str:
    return "\n".join(_plain(each.in_force) for each in words)


def _plain(words: str) -> str:
    return " ".join(words.split())
