"""`fourcorners lint`: slips of drafting in one contract."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from fourcorners.cli import options
from fourcorners.cli.options import argument, option
from fourcorners.cli.output import console
from fourcorners.cli.output.contract import read_contract
from fourcorners.errors import ConfigError, FourcornersError
from fourcorners.review.finding import Severity
from fourcorners.text.invisible_characters import single_line
from fourcorners.text.span import Span

if TYPE_CHECKING:
    from fourcorners.documents.document import Document
    from fourcorners.operations.contracts.lint import LintResult

FOUND, UNCHECKED = 1, 2  # exit codes: something to look at; nothing could be checked
_SHOWN = {Severity.HIGH: "bold red", Severity.MEDIUM: "yellow", Severity.LOW: "dim"}


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
    from fourcorners.operations.contracts.lint import LEVELS, lint_read
    from fourcorners.outline.build import build_outline

    if least not in LEVELS:
        raise ConfigError(f"no check is {least}.", remedy="Give low, medium or high.")
    try:
        document = read_contract(contract, library, collection)
    except FourcornersError as error:
        console.print_error(error)
        raise typer.Exit(UNCHECKED) from error
    found = lint_read(document, build_outline(document), least)
    if as_json:
        console.print_json(_value(document, found))
    else:
        _print(document, found)
    if found.slips:
        raise typer.Exit(FOUND)


def _value(document: Document, found: LintResult) -> dict[str, object]:
    return {
        **console.attributes(document, "id name path"),
        "slips": [
            {
                **console.attributes(slip, "check severity message"),
                "start": slip.words.start,
                "end": slip.words.end,
                "page": slip.page,
                "words": slip.words.text,
                "around": slip.around.text,
                "places": slip.places,
            }
            for slip in found.slips
        ],
        "unchecked": found.unchecked,
    }


def _print(document: Document, found: LintResult) -> None:
    from fourcorners.cli.output.contract import highlight_quotes

    for slip in found.slips:
        where = f" (page {slip.page})" if slip.page is not None else ""
        times = f" {slip.places} places." if slip.places > 1 else ""
        summary = f"{single_line(slip.message)}{times}{where}"
        console.print_line((slip.severity.value.ljust(8), _SHOWN[slip.severity]), (summary, "bold"))
        around, own = (Span(each.start, each.end) for each in (slip.around, slip.words))
        words = highlight_quotes(document.text, around, [own], one_line=True)
        console.print_indented(8, words)
    for why in found.unchecked:
        console.print_indented(8, (single_line(why), "yellow"), head="note")
    total = console.count_noun(len(found.slips), "thing")
    summary = f"{total} to look at" if found.slips else "Nothing to look at"
    console.print_line((f"{single_line(document.name)}: {summary}.", "dim"))
