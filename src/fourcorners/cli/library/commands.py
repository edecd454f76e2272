"""`fourcorners add`, `library`, `backup` and `restore`: what is done with a library as a whole."""

from __future__ import annotations

import itertools
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fourcorners.cli import options
from fourcorners.cli.library.deletion import delete
from fourcorners.cli.library.originals import app as originals_app
from fourcorners.cli.library.originals import print_waiting
from fourcorners.cli.library.retention import hold, retention
from fourcorners.cli.options import argument, option, spread
from fourcorners.cli.output import console
from fourcorners.errors import ConfigError, LibraryError
from fourcorners.text.invisible_characters import single_line

if TYPE_CHECKING:
    from fourcorners.library.add_report import AddReport
    from fourcorners.library.store import Library
    from fourcorners.server.store.backup import BackupSummary

app = typer.Typer(
    help="Copy a library, and decide how long it has contracts.", no_args_is_help=True
)
app.command("delete")(delete)
app.command("retention")(retention)
app.command("hold")(hold)
app.add_typer(originals_app, name="originals")
_MOST_LISTED = 20  # lines; the rest is counted
_QUERIES = 40  # that a copy and its original are both asked


@spread
def add(
    *,
    paths: Annotated[
        list[Path],
        argument("PATH", "Files and folders of contracts; with --on also s3://bucket/prefix."),
    ],
    collection: Annotated[
        str, option("--collection -c NAME", "The part of the library to add them to.")
    ] = "Contracts",
    library: options.Library = None,
    work: options.JobOptions,
    words_only: Annotated[
        bool, option("--words-only", "Store no vectors; add again without it to make them.")
    ] = False,
    ocr: Annotated[
        bool | None,
        option("--ocr/--no-ocr", "Recognise text on pages that have none, with Tesseract."),
    ] = None,
    as_json: options.Json = False,
) -> None:
    """Add contracts to the library; what it has already is skipped.

    It may be stopped at any moment: what was added is there, and the same command goes on. A file
    that cannot be read is reported with a remedy, and the others go on. The exit code is 1 if
    there was nothing that could be added.
    """
    from fourcorners.documents.ocr.recognition import OcrOptions, ocr_remedy
    from fourcorners.library.ingest import add_files
    from fourcorners.library.originals.files import Originals
    from fourcorners.models import default_encoder
    from fourcorners.search.graph import update_links
    from fourcorners.settings import Settings

    settings = Settings.load(library=library, jobs=work.jobs, ocr=ocr)
    encoder = None if words_only else default_encoder(settings.encoder, threads=settings.jobs)
    with (
        console.open_library(library, create=True) as store,
        console.worker_pool(work.on, work.jobs) as workers,
        console.progress_steps("Adding") as step,
    ):
        report = add_files(
            store,
            paths,
            collection=collection,
            encoder=encoder,
            settings=settings,
            worker_pool=workers,
            on_progress=lambda progress: step("Adding", progress.done, progress.total),
        )
        update_links(store)
        where = store.place
        stored = Originals(settings.originals).move_added(store, collection, report)
    if as_json:
        console.print_json(
            {
                "library": where,
                "collection": collection,
                **console.attributes(report, "found added already characters passages failed"),
                **console.attributes(report, "duplicates replaced warned needs_ocr"),
                "seconds": {name: round(spent, 2) for name, spent in report.seconds.items()},
                "originals_waiting": stored.failed,
            }
        )
    else:
        _print_added(
            report, where, collection, ocr_remedy(OcrOptions(settings.ocr, settings.ocr_seconds))
        )
        print_waiting(stored)
    if not report.added and not report.already:
        raise typer.Exit(1)


def _print_added(report: AddReport, where: str, collection: str, remedy: str) -> None:
    parts = [f"{report.added:,} added"] if report.added or not report.already else []
    if report.already:
        parts.append(f"{report.already:,} there already")
    if report.failed:
        parts.append(f"{len(report.failed):,} failed")
    found = f"{console.count_noun(report.found, 'file')}, {', '.join(parts)}. "
    none = ("no file is there. Name files, or folders that hold some. ", "red")
    size = f"{report.characters:,} characters, {report.passages:,} passages. "
    console.print_line(
        (f"{single_line(collection)}: ", "bold"),
        found if report.found else none,
        (size if report.added else "", "dim"),
        (f"Library: {single_line(where)}", "dim"),
    )
    notes = [
        f"{each.path}: the same content as {each.same_as}, kept once." for each in report.duplicates
    ]
    notes += [
        f"{each.path}: changed since it was added; the earlier version stays in the library."
        for each in report.replaced
    ]
    notes += [f"{each.path}: {warning}" for each in report.warned for warning in each.warnings]
    for note in notes[:_MOST_LISTED]:
        console.print_line(("! ", "yellow"), single_line(note))
    if len(notes) > _MOST_LISTED:
        more = f"  and {len(notes) - _MOST_LISTED} more notes; --json lists all."
        console.print_text((more, "dim"))
    if report.needs_ocr:
        console.print_line((f"  For pages without text: {remedy}", "dim"))
    console.print_failures(report.failed)


@app.command("copy")
def copy_library(
    source: Annotated[str, argument("FROM", "The library: a file or a URL.")],
    target: Annotated[str, argument("TO", "A file or URL where there is no library yet.")],
    as_json: options.Json = False,
) -> None:
    """Copy a library into another store, and prove that the copy is whole.

    Contracts, passages, vectors, findings, remarks, links, banks, jobs and the record of what was
    done are copied as they are. Then both are read and compared, and both are asked the same
    queries.
    """
    from fourcorners.library.copy import copy_library
    from fourcorners.library.store import Library

    with Library.open(source, create=False) as old, Library.open(target) as new:
        copied = copy_library(old, new)
        asked = _require_alike(old, new)
    if as_json:
        console.print_json({**asdict(copied), "queries": asked})
        return
    rows = sum(copied.tables.values())
    console.print_text(
        f"{copied.documents:,} contracts, {copied.passages:,} passages, {copied.vectors:,} vectors "
        f"and {rows:,} rows of {len(copied.tables)} tables copied and compared; "
        f"{asked} queries gave the same on both."
    )


@app.command("export")
def export(
    source: Annotated[str, argument("LIBRARY", "The library: a file or a URL.")],
    target: Annotated[Path, argument("OUT", "A file that is not there yet, such as firm.sqlite.")],
    as_json: options.Json = False,
) -> None:
    """Write a library as plain tables that other programs read.

    The file needs no recent SQLite: it has documents with their texts, clauses, findings, quotes
    with their places, marks and the audit trail.
    """
    from fourcorners.library.store import Library
    from fourcorners.review.overview.plain_tables import export_tables

    with Library.open(source, create=False) as library:
        counts = export_tables(library, target)
    if as_json:
        console.print_json(counts)
        return
    rows = ", ".join(f"{count:,} {name}" for name, count in counts.items() if name != "audit")
    console.print_text(f"{rows} and {counts['audit']:,} lines of the audit trail: {target}")
    console.print_note("The original files are not in it, wherever they are.")


@app.command("encode")
def encode(library: options.Library = None, as_json: options.Json = False) -> None:
    """Recompute the vectors of a library that an older encoder made.

    Texts, findings and remarks stay as they are. It may be stopped at any moment: the same command
    goes on, and until then what has no vectors is found by its words.
    """
    from fourcorners.library.prepare import reencode_library
    from fourcorners.models import default_encoder
    from fourcorners.settings import Settings

    settings = Settings.load(library=library)
    encoder = default_encoder(settings.encoder, threads=settings.jobs)
    with console.open_library(library) as store, console.progress_steps("Encoding") as step:
        count = reencode_library(store, encoder, lambda done, total: step("Encoding", done, total))
    if as_json:
        console.print_json({"encoder": encoder.name, "documents": count})
        return
    console.print_text(
        f"{console.count_noun(count, 'contract')} encoded by {encoder.name}."
        if count
        else f"All vectors are of {encoder.name}."
    )


def _require_alike(old: Library, new: Library) -> int:
    """Ask both the same queries; what differs is an error. Returns how many were asked."""
    from fourcorners.search.find import find_passages

    def hits(library: Library, query: str) -> list[tuple[object, ...]]:
        found = find_passages(library, query)
        return [(hit.document, hit.span, hit.matched, round(hit.score, 6)) for hit in found]

    queries = _queries(old)
    for query in queries:
        if hits(old, query) != hits(new, query):
            raise LibraryError(
                f"{new.place} answers {query} otherwise than {old.place}.",
                remedy="Delete the copy and copy again; if it happens again, report it.",
            )
    return len(queries)


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


def backup(
    library: Annotated[str, argument("LIBRARY", "The library: a file.")],
    target: Annotated[
        Path, argument("FILE", "The archive to write: a .zip; with --keep a folder of them.")
    ],
    keep: Annotated[
        int | None,
        option("--keep N", "Write a dated archive into the folder; keep the newest N.", least=1),
    ] = None,
    as_json: options.Json = False,
) -> None:
    """Write a library and its uploads into an archive.

    The archive is read back and checked. A server may go on using the library meanwhile.
    """
    from fourcorners.server.store.backup import add_backup, write_backup
    from fourcorners.system import private_files

    if keep is not None and not target.exists():
        private_files.make_folder(target)
    if (keep is not None) != target.is_dir():
        raise ConfigError(
            f"{target} is {'no ' if keep else 'a '}folder.",
            remedy="Name a file; or a folder, and with --keep how many archives it keeps.",
        )
    if keep is None:
        made = write_backup(library, target)
    else:
        target, made = add_backup(library, target, keep)
    _print(f"Written to {target}", made, as_json=as_json)


def restore(
    archive: Annotated[Path, argument("FILE", "What `backup` wrote.")],
    library: Annotated[str, argument("LIBRARY", "Where there is no library yet: a file.")],
    as_json: options.Json = False,
) -> None:
    """Put a library back from an archive.

    All hashes are compared first; nothing is overwritten.
    """
    from fourcorners.server.store.backup import restore_backup

    _print(f"Restored to {library}", restore_backup(archive, library), as_json=as_json)


def _print(what: str, held: BackupSummary, *, as_json: bool) -> None:
    if as_json:
        console.print_json(held)
        return
    console.print_line(
        f"{what}: {console.count_noun(held.documents, 'document')} and "
        f"{console.count_noun(held.files, 'uploaded file')}, {held.bytes:,} bytes, "
        f"as of {held.made}."
    )
    if held.missing:
        console.print_note(
            f"Of {console.count_noun(held.missing, 'uploaded document')} the original is not there."
        )
    if held.in_buckets:
        console.print_note(
            f"Of {console.count_noun(held.in_buckets, 'document')} the original is in a bucket, "
            "and not in the archive: the bucket needs a separate backup."
        )
