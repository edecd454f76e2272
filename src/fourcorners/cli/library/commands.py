"""`fourcorners library`: copying a library into another store, and tending one in a store."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Annotated

import typer

from fourcorners.cli.output.console import JsonOption, LibraryOption

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fourcorners.library.store import Library
    from fourcorners.search.hit import Hit

app = typer.Typer(
    help="Copy a library into another store; tend one on Lance tables.", no_args_is_help=True
)
_QUERIES = 40  # that a copy and its original are both asked


@app.command("copy")
def copy_library(
    source: Annotated[str, typer.Argument(metavar="FROM", help="The library: a file or a URL.")],
    target: Annotated[
        str, typer.Argument(metavar="TO", help="A file or URL where there is no library yet.")
    ],
    as_json: JsonOption = False,
) -> None:
    """Copy a library into another store, and prove that the copy is whole.

    Contracts, passages, vectors, findings, remarks, links, banks, jobs and the record of what was
    done are copied as they are. Then both are read and compared, and both are asked the same
    queries.
    """
    from dataclasses import asdict

    from fourcorners.cli.output import console
    from fourcorners.library.copy import copy_library
    from fourcorners.library.store import Library

    _know_all_tables()
    with Library.open(source, create=False) as old, Library.open(target) as new:
        copied = copy_library(old, new)
        asked = _require_alike(old, new)
    if as_json:
        console.print_json({**asdict(copied), "queries": asked})
        return
    rows = sum(copied.tables.values())
    console.stdout_console().print(
        f"{copied.documents:,} contracts, {copied.passages:,} passages, {copied.vectors:,} vectors "
        f"and {rows:,} rows of {len(copied.tables)} tables copied and compared; "
        f"{asked} queries gave the same on both.",
    )


@app.command("tend")
def maintain(library: LibraryOption = None, as_json: JsonOption = False) -> None:
    """Bring a library's indexes up to date, and clear away what nobody sees any more.

    For libraries on Lance tables; run it now and then, for example every night. It happens by
    itself after much was added. A library in one file needs no tending.
    """
    from fourcorners.cli.output import console

    with console.open_library(library, create=False) as store:
        tended = store.maintain(always=True)
        size = store.size()
    if as_json:
        console.print_json({"tended": tended, "bytes": size})
        return
    console.stdout_console().print(
        "Tended." if tended else "A library in one file needs no tending."
    )


def _know_all_tables() -> None:
    """Import the rooms that keep tables of their own in a library, so that they can be copied."""
    from contextlib import suppress
    from importlib import import_module

    for room in (
        "library.llm_store",
        "playbooks.bank",
        "precedents.adapters",
        "precedents.kept",
        "research.store",
        "review.remarks",
        "review.store",
        "search.graph.links",
        "server.accounts",
        "server.answers",
        "server.api.once",
        "server.books",
        "server.grid.glances",
        "server.steps",
        "server.tasks",
    ):
        with suppress(ModuleNotFoundError):  # an extra; if the library was used with it, it is told
            import_module(f"fourcorners.{room}")


def _require_alike(old: Library, new: Library) -> int:
    """Ask both the same queries; what differs is an error. Returns how many were asked."""
    from fourcorners.errors import LibraryError
    from fourcorners.search.find import find_passages

    queries = _queries(old)
    for query in queries:
        if _told(find_passages(old, query)) != _told(find_passages(new, query)):
            raise LibraryError(
                f"{new.path} answers {query} otherwise than {old.path}.",
                remedy="Delete the copy and copy again; if it happens again, report it.",
            )
    return len(queries)


def _told(hits: Iterable[Hit]) -> list[tuple[object, ...]]:
    return [(hit.document, hit.span, hit.matched, round(hit.score, 6)) for hit in hits]


def _queries(library: Library) -> list[str]:
    """Return queries made of the library's own words: pairs, phrases, proximities, starts."""
    from fourcorners.search.index import index_of

    index = index_of(library)
    words = [word for start in "abcdefghilmnoprstuw" for word in index.vocabulary(start)]
    if len(words) < 2:
        return []
    step = max(1, len(words) // _QUERIES)
    some = words[::step][: _QUERIES + 1]
    forms = ('"{0} {1}"~5^3', "{0} OR {1}", "{0}* AND {1}*", '"{0} {1}"')
    return [
        forms[at % len(forms)].format(left, right)
        for at, (left, right) in enumerate(itertools.pairwise(some))
    ]
