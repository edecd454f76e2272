"""`fourcorners status`: what the library holds, what failed, and what is unfinished."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from fourcorners.cli.output.console import CollectionOption, Json, JsonOption, LibraryOption

if TYPE_CHECKING:
    from rich.console import Console

    from fourcorners.library.entries import CollectionStats, EncoderRecord, Failure, Stats
    from fourcorners.library.jobs import Job, JobProgress


def status(
    library: LibraryOption = None,
    collection: CollectionOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show what the library holds, what failed, what is unfinished."""
    from fourcorners.cli.output import console
    from fourcorners.library.jobs import JobTable
    from fourcorners.library.tokens import fold_name

    with console.open_library(library, create=False) as store:
        figures = store.stats()
        failures = store.failures(collection)
        parts = list(figures.collections)
        if collection is not None:
            parts = [each for each in parts if fold_name(each.name) == fold_name(collection)]
            if not parts and not failures:
                store.documents(collection)  # says which collections there are
        encoder = store.encoder
        table = JobTable(store)
        jobs = [(job, table.progress(job)) for job in table.list(unfinished=True)]
        where = str(store.path)
    if as_json:
        console.print_json(_value(where, figures, parts, encoder, failures, jobs))
    else:
        _print(console.stdout_console(), where, figures, parts, encoder, jobs)
        console.print_failures(console.stdout_console(), failures)


def _value(
    where: str,
    figures: Stats,
    parts: Sequence[CollectionStats],
    encoder: EncoderRecord | None,
    failures: Sequence[Failure],
    jobs: Sequence[tuple[Job, JobProgress]],
) -> Json:
    return {
        "library": where,
        "documents": figures.documents,
        "characters": figures.characters,
        "passages": figures.passages,
        "vectors": figures.vectors,
        "bytes": figures.bytes,
        "encoder": encoder.name if encoder else None,
        "collections": [
            {
                "name": each.name,
                "documents": each.documents,
                "characters": each.characters,
                "passages": each.passages,
            }
            for each in parts
        ],
        "failures": [
            {"path": each.path, "reason": each.reason, "remedy": each.remedy} for each in failures
        ],
        "jobs": [
            {
                "id": job.id,
                "kind": job.kind,
                "spec": dict(job.spec),
                "done": progress.done,
                "failed": progress.failed,
                "total": progress.total,
            }
            for job, progress in jobs
        ],
    }


def _print(
    out: Console,
    where: str,
    figures: Stats,
    parts: Sequence[CollectionStats],
    encoder: EncoderRecord | None,
    jobs: Sequence[tuple[Job, JobProgress]],
) -> None:
    from rich.table import Table
    from rich.text import Text

    from fourcorners.cli.output.console import count_noun
    from fourcorners.text.invisible_characters import single_line

    out.print(Text(single_line(where), style="bold"), soft_wrap=True)
    out.print(
        f"{count_noun(figures.documents, 'contract')}, "
        f"{count_noun(figures.characters, 'character')}, "
        f"{count_noun(figures.passages, 'passage')}, {figures.bytes / 1e6:,.1f} MB"
    )
    if encoder is None:
        meaning = "No vectors: search goes by words alone."
    else:
        meaning = f"Vectors of {figures.vectors:,} passages by {encoder.name}"
    out.print(Text(meaning, style="dim"))
    if parts:
        shown = Table(box=None, pad_edge=False, header_style="dim")
        shown.add_column("Collection")
        shown.add_column("Contracts", justify="right")
        shown.add_column("Characters", justify="right")
        for each in parts:
            shown.add_row(
                Text(single_line(each.name)), f"{each.documents:,}", f"{each.characters:,}"
            )
        out.print()
        out.print(shown)
    for job, progress in jobs:
        name = job.spec.get("collection")
        what = f"{job.kind} of {single_line(name)}" if name else job.kind
        out.print()
        out.print(
            Text.assemble(
                (f"Unfinished: {what}, {progress.done} of {progress.total} done. ", "yellow"),
                ("Run the same command again to go on, or see `fourcorners jobs list`.", "dim"),
            ),
            soft_wrap=True,
        )
