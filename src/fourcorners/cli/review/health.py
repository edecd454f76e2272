"""`fourcorners health`: what is wrong with a data room's papers, before it is reviewed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated

import typer

from fourcorners.cli.output.console import CollectionOption, Json, JsonOption, LibraryOption
from fourcorners.review.finding import Severity

if TYPE_CHECKING:
    from rich.console import Console

    from fourcorners.review.health import Health, Symptom

_SHOWN = {Severity.HIGH: "bold red", Severity.MEDIUM: "yellow", Severity.LOW: "dim"}
_MOST_OTHERS = 5  # names; the rest is counted
_PASSAGES = 35_000  # characters of a contract that a model reads for one provision, at most


def health(
    library: LibraryOption = None,
    collection: CollectionOption = None,
    playbook: Annotated[
        str,
        typer.Option("--playbook", "-p", metavar="NAME", help="Whose review is estimated."),
    ] = "due-diligence",
    as_of: Annotated[
        str | None,
        typer.Option("--as-of", metavar="DATE", help="The day it is.", show_default="today"),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Check a data room before its review.

    Tells of unreadable files and pages, copies and versions, missing exhibits and contracts,
    blank signature lines, other languages, terms that ended, words addressed to a machine, hidden
    or in letters that look like others, and how much a review would read.
    The exit code is 0 if nothing grave was found, 1 if something was.
    """
    from fourcorners.cli.output import console
    from fourcorners.playbooks.load import load_playbook
    from fourcorners.review.health import check_documents

    book = load_playbook(playbook)
    today = console.as_of_date(as_of)
    with console.open_library(library, create=False) as store, console.progress() as bars:
        bar = bars.add_task("Examining", total=None)
        found = check_documents(
            store,
            collection,
            as_of=today,
            language=book.language,
            on_document=lambda done, total: bars.update(bar, completed=done, total=total),
        )
        reading = {
            "cells": found.documents * len(book.provisions),
            "tokens": sum(
                min(entry.characters, _PASSAGES) // 4 for entry in store.documents(collection)
            )
            * len(book.provisions)
            if found.documents
            else 0,
        }
    if as_json:
        console.print_json(_value(found, book.name, reading))
    else:
        _print(console.stdout_console(), found, book.name, reading)
    if any(each.severity is Severity.HIGH for each in found.symptoms):
        raise typer.Exit(1)


def _value(found: Health, playbook: str, reading: Mapping[str, int]) -> Json:
    return {
        "documents": found.documents,
        "unread": found.unread,
        "pages": found.pages,
        "characters": found.characters,
        "tokens": found.tokens,
        "review": {"playbook": playbook, **reading},
        "symptoms": [_symptom(each) for each in found.symptoms],
    }


def _symptom(each: Symptom) -> Json:
    return {
        "concern": each.concern.value,
        "severity": each.severity.value,
        "document": each.document,
        "name": each.name,
        "message": each.message,
        "remedy": each.remedy,
        "start": each.span.start if each.span else None,
        "end": each.span.end if each.span else None,
        "others": list(each.others),
    }


def _print(out: Console, found: Health, playbook: str, reading: Mapping[str, int]) -> None:
    from rich.text import Text

    from fourcorners.cli.output.console import count_noun, print_indented
    from fourcorners.text.invisible_characters import single_line

    for each in found.symptoms:
        head = Text.assemble((each.severity.value.ljust(8), _SHOWN[each.severity]))
        out.print(head.append(single_line(each.name), style="bold"), soft_wrap=True)
        print_indented(out, Text.assemble(single_line(each.message), " ", (each.remedy, "dim")), 8)
        for other in each.others[:_MOST_OTHERS]:
            print_indented(out, Text(single_line(other)), 10, "        • ")
        if len(each.others) > _MOST_OTHERS:
            more = f"and {len(each.others) - _MOST_OTHERS} more; --json names all"
            print_indented(out, Text(more, "dim"), 10)
    if found.symptoms:
        out.print()
    pages = f", {count_noun(found.pages, 'page')} in PDFs" if found.pages else ""
    out.print(
        f"{count_noun(found.documents, 'contract')}, "
        f"{count_noun(found.characters, 'character')}{pages}; "
        f"{count_noun(len(found.symptoms), 'thing')} to look at."
    )
    told = (
        f"A review by {single_line(playbook)} fills {count_noun(reading['cells'], 'cell')}. "
        "It costs nothing with the local models; a language model that is given the best passages "
        f"of each contract for each provision would read about {reading['tokens'] / 1e6:,.1f} "
        "million tokens."
    )
    print_indented(out, Text(told, "dim"), 0)
