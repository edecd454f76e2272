"""`fourcorners add`: files and folders into a collection, resumable, with nothing lost."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fourcorners.cli.output.console import JobsOption, Json, JsonOption, LibraryOption, OnOption

if TYPE_CHECKING:
    from rich.console import Console

    from fourcorners.library.ingest import AddReport

_MOST_LISTED = 20  # lines; the rest is counted


def add(
    paths: Annotated[
        list[Path],
        typer.Argument(
            metavar="PATH",
            help="Files and folders of contracts; with --on also s3://bucket/prefix.",
        ),
    ],
    collection: Annotated[
        str,
        typer.Option(
            "--collection", "-c", metavar="NAME", help="The part of the library to add them to."
        ),
    ] = "Contracts",
    library: LibraryOption = None,
    jobs: JobsOption = None,
    on: OnOption = None,
    words_only: Annotated[
        bool,
        typer.Option("--words-only", help="Store no vectors; add again without it to make them."),
    ] = False,
    ocr: Annotated[
        bool | None,
        typer.Option(
            "--ocr/--no-ocr", help="Recognise text on pages that have none, with Tesseract."
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Add contracts to the library; what it has already is skipped.

    It may be stopped at any moment: what was added is there, and the same command goes on. A file
    that cannot be read is reported with a remedy, and the others go on. The exit code is 1 if
    there was nothing that could be added.
    """
    from fourcorners.cli.output import console
    from fourcorners.documents.ocr.recognition import OcrOptions
    from fourcorners.documents.ocr.recognition import ocr_remedy as advice
    from fourcorners.library.ingest import Progress
    from fourcorners.library.ingest import add_files as run
    from fourcorners.models import default_encoder
    from fourcorners.settings import Settings

    settings = Settings.load(library=library, jobs=jobs, ocr=ocr)
    encoder = None if words_only else default_encoder(threads=settings.jobs)
    with (
        console.open_library(library, create=True) as store,
        console.worker_pool(on, jobs) as crew,
        console.progress() as bars,
    ):
        bar = bars.add_task("Adding", total=None)

        def show(progress: Progress) -> None:
            bars.update(bar, completed=progress.done, total=progress.total)

        report = run(
            store,
            paths,
            collection=collection,
            encoder=encoder,
            settings=settings,
            crew=crew,
            on_progress=show,
        )
        where = str(store.path)
    if as_json:
        console.print_json(_value(report, where, collection))
    else:
        remedy = advice(OcrOptions(settings.ocr, settings.ocr_seconds))
        _print(console.stdout_console(), report, where, collection, remedy)
    if not report.added and not report.already:
        raise typer.Exit(1)


def _print(out: Console, report: AddReport, where: str, collection: str, remedy: str) -> None:
    from rich.text import Text

    from fourcorners.cli.output.console import count_noun, print_failures
    from fourcorners.text.invisible_characters import single_line

    parts = [f"{report.added:,} added"] if report.added or not report.already else []
    if report.already:
        parts.append(f"{report.already:,} there already")
    if report.failed:
        parts.append(f"{len(report.failed):,} failed")
    told = Text.assemble((f"{single_line(collection)}: ", "bold"))
    if report.found:
        told.append(f"{count_noun(report.found, 'file')}, {', '.join(parts)}. ")
    else:
        told.append("no file is there. Name files, or folders that hold some. ", "red")
    if report.added:
        told.append(f"{report.characters:,} characters, {report.passages:,} passages. ", "dim")
    told.append(f"Library: {single_line(where)}", "dim")
    out.print(told, soft_wrap=True)
    notes = [
        f"{each.path}: the same content as {each.same_as}, kept once." for each in report.duplicates
    ]
    notes += [
        f"{each.path}: changed since it was added; the earlier version stays in the library."
        for each in report.replaced
    ]
    notes += [f"{each.path}: {warning}" for each in report.warned for warning in each.warnings]
    for note in notes[:_MOST_LISTED]:
        out.print(Text.assemble(("! ", "yellow"), single_line(note)), soft_wrap=True)
    if len(notes) > _MOST_LISTED:
        out.print(Text(f"  and {len(notes) - _MOST_LISTED} more notes; --json lists all.", "dim"))
    if report.needs_ocr:
        out.print(Text(f"  For pages without text: {remedy}", "dim"), soft_wrap=True)
    print_failures(out, report.failed)


def _value(report: AddReport, where: str, collection: str) -> Json:
    return {
        "library": where,
        "collection": collection,
        "found": report.found,
        "added": report.added,
        "already": report.already,
        "characters": report.characters,
        "passages": report.passages,
        "failed": [
            {"path": each.path, "reason": each.reason, "remedy": each.remedy}
            for each in report.failed
        ],
        "duplicates": [{"path": each.path, "same_as": each.same_as} for each in report.duplicates],
        "replaced": [{"path": each.path, "earlier": each.earlier} for each in report.replaced],
        "warned": [{"path": each.path, "warnings": list(each.warnings)} for each in report.warned],
        "needs_ocr": [{"path": each.path, "pages": list(each.pages)} for each in report.needs_ocr],
        "seconds": {name: round(spent, 2) for name, spent in report.seconds.items()},
    }
