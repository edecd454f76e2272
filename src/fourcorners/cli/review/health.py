"""`fourcorners health`: what is wrong with a data room's papers, before it is reviewed."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated

import typer

from fourcorners.cli import options
from fourcorners.cli.options import option
from fourcorners.cli.output import console
from fourcorners.review.finding import Severity
from fourcorners.text.invisible_characters import single_line

if TYPE_CHECKING:
    from fourcorners.review.health import Health, Symptom

_SHOWN = {Severity.HIGH: "bold red", Severity.MEDIUM: "yellow", Severity.LOW: "dim"}
_MOST_OTHERS = 5  # names; the rest is counted
_PASSAGES = 35_000  # characters of a contract that a model reads for one provision, at most


def health(
    library: options.Library = None,
    collection: options.Collection = None,
    playbook: Annotated[
        str, option("--playbook -p NAME", "Whose review is estimated.")
    ] = "due-diligence",
    as_of: Annotated[str | None, option("--as-of DATE", "The day it is.", default="today")] = None,
    as_json: options.Json = False,
) -> None:
    """Check a data room before its review.

    Tells of unreadable files and pages, copies and versions, missing exhibits and contracts,
    blank signature lines, dates and words, other languages, terms that ended, words addressed to a
    machine, hidden or in letters that look like others, and how much a review would read.
    The exit code is 0 if nothing grave was found, 1 if something was.
    """
    from fourcorners.playbooks.load import load_playbook
    from fourcorners.review.health import check_documents

    book = load_playbook(playbook)
    today = datetime.now(UTC).date() if as_of is None else console.as_of_date(as_of)
    with console.open_library(library) as store, console.progress_steps("Examining") as step:
        found = check_documents(
            store,
            collection,
            as_of=today,
            language=book.language,
            on_document=lambda done, total: step("Examining", done, total),
        )
        entries = store.documents(collection) if found.documents else []
    provisions = len(book.provisions)
    reading = {
        "cells": found.documents * provisions,
        "tokens": sum(min(each.characters, _PASSAGES) // 4 for each in entries) * provisions,
    }
    if as_json:
        console.print_json(_value(found, book.name, reading))
    else:
        _print(found, book.name, reading)
    if any(each.severity is Severity.HIGH for each in found.symptoms):
        raise typer.Exit(1)


def _value(found: Health, playbook: str, reading: Mapping[str, int]) -> dict[str, object]:
    return {
        **console.attributes(found, "documents unread pages characters tokens"),
        "review": {"playbook": playbook, **reading},
        "symptoms": [_symptom(each) for each in found.symptoms],
    }


def _symptom(each: Symptom) -> dict[str, object]:
    return {
        **console.attributes(each, "concern severity document name message remedy"),
        "start": each.span.start if each.span else None,
        "end": each.span.end if each.span else None,
        "places": [[place.start, place.end] for place in each.places],
        "others": each.others,
    }


def _print(found: Health, playbook: str, reading: Mapping[str, int]) -> None:
    for each in found.symptoms:
        head = (each.severity.value.ljust(8), _SHOWN[each.severity])
        console.print_line(head, (single_line(each.name), "bold"))
        console.print_indented(8, single_line(each.message), " ", (each.remedy, "dim"))
        for other in each.others[:_MOST_OTHERS]:
            console.print_indented(10, single_line(other), head="        • ")
        if len(each.others) > _MOST_OTHERS:
            more = f"and {len(each.others) - _MOST_OTHERS} more; --json names all"
            console.print_indented(10, (more, "dim"))
    if found.symptoms:
        console.print_text()
    pages = f", {console.count_noun(found.pages, 'page')} in PDFs" if found.pages else ""
    console.print_text(
        f"{console.count_noun(found.documents, 'contract')}, "
        f"{console.count_noun(found.characters, 'character')}{pages}; "
        f"{console.count_noun(len(found.symptoms), 'thing')} to look at."
    )
    cells = console.count_noun(reading["cells"], "cell")
    line = (
        f"A review by {single_line(playbook)} fills {cells}. "
        "It costs nothing with the local models; a language model that is given the best passages "
        f"of each contract for each provision would read about {reading['tokens'] / 1e6:,.1f} "
        "million tokens."
    )
    console.print_indented(0, (line, "dim"))
