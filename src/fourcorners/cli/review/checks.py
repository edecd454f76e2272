"""`fourcorners health` and `fourcorners lint`: what is wrong with a data room, or a contract."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated

import typer

from fourcorners.cli import options
from fourcorners.cli.options import argument, option
from fourcorners.cli.output import console
from fourcorners.cli.output.contract import read_contract
from fourcorners.errors import ConfigError, FourcornersError
from fourcorners.review.finding import Severity
from fourcorners.text.invisible_characters import single_line

if TYPE_CHECKING:
    from fourcorners.documents.document import Document
    from fourcorners.review.health import Health, Symptom
    from fourcorners.review.lint import LintReport

_STYLES = {Severity.HIGH: "bold red", Severity.MEDIUM: "yellow", Severity.LOW: "dim"}
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
        _print_health(found, book.name, reading)
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


def _print_health(found: Health, playbook: str, reading: Mapping[str, int]) -> None:
    for each in found.symptoms:
        head = (each.severity.value.ljust(8), _STYLES[each.severity])
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


FOUND, UNCHECKED = 1, 2  # exit codes: something to look at; nothing could be checked
_RANK = (Severity.HIGH, Severity.MEDIUM, Severity.LOW)


def lint(
    contract: Annotated[
        str,
        argument(
            "CONTRACT",
            "A file, or a contract of the library by a unique part of its name or its id.",
        ),
    ],
    least: Annotated[
        Severity, option("--least SEVERITY", "Show this and graver: low, medium, high.")
    ] = Severity.LOW,
    library: options.Library = None,
    collection: options.Collection = None,
    as_json: options.Json = False,
) -> None:
    """Check a contract's references, terms and numbering.

    The exit code is 0 if there is nothing to look at, 1 if there is, 2 if nothing could be checked.
    """
    from fourcorners.outline.build import build_outline
    from fourcorners.review.lint import LintReport, lint_contract

    if least not in _RANK:
        raise ConfigError(f"no check is {least}.", remedy="Give low, medium or high.")
    try:
        document = read_contract(contract, library, collection)
    except FourcornersError as error:
        console.print_error(error)
        raise typer.Exit(UNCHECKED) from error
    found = lint_contract(document, build_outline(document))
    shown = tuple(slip for slip in found.issues if _RANK.index(slip.severity) <= _RANK.index(least))
    found = LintReport(shown, found.unchecked)
    if as_json:
        console.print_json(_lint_value(document, found))
    else:
        _print_lint(document, found)
    if found.issues:
        raise typer.Exit(FOUND)


def _lint_value(document: Document, found: LintReport) -> dict[str, object]:
    return {
        **console.attributes(document, "id name path"),
        "slips": [
            {
                **console.attributes(slip, "check severity message"),
                "start": slip.span.start,
                "end": slip.span.end,
                "page": slip.page,
                "words": slip.span.text_in(document.text),
                "around": slip.around.text_in(document.text),
                "places": slip.places,
            }
            for slip in found.issues
        ],
        "unchecked": found.unchecked,
    }


def _print_lint(document: Document, found: LintReport) -> None:
    from fourcorners.cli.output.contract import highlight_quotes

    for slip in found.issues:
        where = f" (page {slip.page})" if slip.page is not None else ""
        times = f" {slip.places} places." if slip.places > 1 else ""
        summary = f"{single_line(slip.message)}{times}{where}"
        console.print_line(
            (slip.severity.value.ljust(8), _STYLES[slip.severity]), (summary, "bold")
        )
        words = highlight_quotes(document.text, slip.around, [slip.span], one_line=True)
        console.print_indented(8, words)
    for why in found.unchecked:
        console.print_indented(8, (single_line(why), "yellow"), head="note")
    total = console.count_noun(len(found.issues), "thing")
    summary = f"{total} to look at" if found.issues else "Nothing to look at"
    console.print_line((f"{single_line(document.name)}: {summary}.", "dim"))
