"""`fourcorners obligations`: who must do what by when."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from fourcorners.cli import options
from fourcorners.cli.options import option
from fourcorners.cli.output import console
from fourcorners.errors import ConfigError
from fourcorners.text.invisible_characters import shorten, single_line

if TYPE_CHECKING:
    from fourcorners.review.obligations.listed import ContractObligation

_SHOWN, _CONDITION, _TIME, _WHERE = 220, 110, 44, 40  # characters that a terminal shows
_OURS = {"ours": " (ours)", "theirs": "", "": ""}


def obligations(
    library: options.Library = None,
    collection: options.Collection = None,
    contracts: options.Contracts = None,
    read_for: Annotated[
        list[str] | None,
        option(
            "--for PARTY",
            "For whom you read: what they must do comes first. May be given again, for a group.",
            default="as the review of the collection was for",
        ),
    ] = None,
    out: Annotated[
        list[Path] | None,
        option(
            "--out -o FILE",
            "Write a workbook (.xlsx), a list to send (.docx, .pdf, .html), or what has a day as a "
            "calendar (.ics). May be given again.",
        ),
    ] = None,
    as_json: options.Json = False,
) -> None:
    """List who must do what by when, and what nobody may do.

    Each obligation has its condition, the words that say when, and the contract's own words with
    their place. A day is given where the words name it, or count from a date or an end of the term
    that is sure. They are sorted by party and day.
    """
    from fourcorners.operations.contracts.obligations import (
        FORMS,
        ObligationsRequest,
        read_obligations,
        write_obligations,
    )
    from fourcorners.work_folder import replace_file

    targets = out or []
    for path in targets:
        if path.suffix.lower().removeprefix(".") not in FORMS:
            raise ConfigError(
                f"{path}: obligations are written as {', '.join(f'.{each}' for each in FORMS)}.",
                remedy="End the name in one of these.",
            )
    console.require_place(*targets)
    with (
        console.open_access(library) as access,
        console.progress_steps("Reading contracts") as step,
    ):
        asked = ObligationsRequest.from_fields(
            collection=collection,
            documents=[access.find(each, collection).id for each in contracts or ()],
            read_for=read_for or [],
        )
        found = read_obligations(
            access, asked, lambda done, total: step("Reading contracts", done, total)
        )
    for path in targets:
        replace_file(path, partial(write_obligations, found))
    if as_json:
        console.print_value(found)
    else:
        _print(found.obligations, found.contracts)
        for note in found.set_apart:
            console.print_indented(0, (single_line(note), "yellow"))


def _print(found: Sequence[ContractObligation], read: int) -> None:
    from fourcorners.review.obligations.table import RELIANCE

    several = len({each.document for each in found}) > 1
    for (party, whose), group in groupby(found, key=lambda each: (each.party, each.whose)):
        console.print_text((f"{single_line(party)}{_OURS[whose]}", "bold"))
        _print_party([*group], several=several)
        console.print_text()
    counts = Counter(each.kind for each in found)
    with_day = sum(each.day is not None for each in found)
    by_kind = ", ".join(
        f"{console.count_noun(counts[kind], noun)}"
        for kind, noun in zip(sorted(counts), sorted(counts), strict=True)
    ).replace("dutys", "duties")
    console.print_text(
        f"{console.count_noun(read, 'contract')}: {console.count_noun(len(found), 'obligation')}"
        f"{f' ({by_kind})' if by_kind else ''}, {with_day} with a day."
    )
    console.print_indented(0, (RELIANCE, "dim"))


def _print_party(group: Sequence[ContractObligation], *, several: bool) -> None:
    from rich.table import Table
    from rich.text import Text

    out = console.stdout_console()
    table = Table(box=None, pad_edge=False, show_header=False, width=min(out.width, 150))
    table.add_column(width=22, style="cyan")
    table.add_column(ratio=1)
    table.add_column(width=26 if several else 10, style="dim", overflow="fold")
    for each in group:
        what = Text(shorten(each.statement, _SHOWN))
        for condition in each.conditions:
            what.append(f" · {shorten(condition.in_force, _CONDITION)}", "italic")
        if each.changed_by:
            what.append(f" · changed by {', '.join(map(single_line, each.changed_by))}", "yellow")
        if each.proposed:
            what.append(f" · {console.proposed_by(each.proposed)}", "yellow")
        when = each.day.isoformat() if each.day else ""
        if each.unless:
            when += f", unless {each.unless}"
        if not when and each.time:
            when = shorten(each.time.in_force, _TIME)
        place = (each.where, shorten(each.title, _WHERE)) if several else (each.where,)
        table.add_row(Text(when), what, Text(single_line(", ".join(filter(None, place)))))
    out.print(table)
