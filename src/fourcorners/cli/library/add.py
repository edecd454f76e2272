"""`fourcorners add`: files and folders into a collection, resumable, with nothing lost."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fourcorners.cli.options import (
    JobsOption,
    JsonOption,
    LibraryOption,
    OnOption,
    argument,
    option,
)
from fourcorners.cli.output import console
from fourcorners.text.invisible_characters import single_line

if TYPE_CHECKING:
    from fourcorners.library.ingest import AddReport

_MOST_LISTED = 20  # lines; the rest is counted


def add(
    paths: Annotated[
        list[Path],
        argument("PATH", "Files and folders of contracts; with --on also s3://bucket/prefix."),
    ],
    collection: Annotated[
        str, option("--collection -c NAME", "The part of the library to add them to.")
    ] = "Contracts",
    library: LibraryOption = None,
    jobs: JobsOption = None,
    on: OnOption = None,
    words_only: Annotated[
        bool, option("--words-only", "Store no vectors; add again without it to make them.")
    ] = False,
    ocr: Annotated[
        bool | None,
        option("--ocr/--no-ocr", "Recognise text on pages that have none, with Tesseract."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Add contracts to the library; what it has already is skipped.

    It may be stopped at any moment: what was added is there, and the same command goes on. A file
    that cannot be read is reported with a remedy, and the others go on. The exit code is 1 if
    there was nothing that could be added.
    """
    from fourcorners.documents.ocr.recognition import OcrOptions, ocr_remedy
    from fourcorners.library.ingest import add_files
    from fourcorners.models import default_encoder
    from fourcorners.settings import Settings

    settings = Settings.load(library=library, jobs=jobs, ocr=ocr)
    encoder = None if words_only else default_encoder(threads=settings.jobs)
    with (
        console.open_library(library, create=True) as store,
        console.worker_pool(on, jobs) as crew,
        console.progress_steps("Adding") as step,
    ):
        report = add_files(
            store,
            paths,
            collection=collection,
            encoder=encoder,
            settings=settings,
            crew=crew,
            on_progress=lambda progress: step("Adding", progress.done, progress.total),
        )
        where = str(store.path)
    if as_json:
        console.print_json(
            {
                "library": where,
                "collection": collection,
                **console.attributes(report, "found added already characters passages failed"),
                **console.attributes(report, "duplicates replaced warned needs_ocr"),
                "seconds": {name: round(spent, 2) for name, spent in report.seconds.items()},
            }
        )
    else:
        _print(
            report, where, collection, ocr_remedy(OcrOptions(settings.ocr, settings.ocr_seconds))
        )
    if not report.added and not report.already:
        raise typer.Exit(1)


def _print(report: AddReport, where: str, collection: str, remedy: str) -> None:
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
