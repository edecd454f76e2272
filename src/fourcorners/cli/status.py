"""`fourcorners status`: what the library holds, what failed, and what is unfinished."""

from __future__ import annotations

from fourcorners.cli.console import CollectionOption, JsonOption, LibraryOption


def status(
    library: LibraryOption = None,
    collection: CollectionOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show what the library holds, the files that failed with their remedies, and open jobs."""
    from fourcorners.cli import console
    from fourcorners.library.jobs import Jobs

    with console.open_library(library, create=False) as store:
        figures = store.stats()
        failures = store.failures(collection)
        encoder = store.encoder
        table = Jobs(store)
        jobs = [(job, table.progress(job)) for job in table.list(unfinished=True)]
        where = str(store.path)
    if as_json:
        console.print_json(
            {
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
                    for each in figures.collections
                ],
                "failures": [
                    {"path": each.path, "reason": each.reason, "remedy": each.remedy}
                    for each in failures
                ],
                "jobs": [
                    {
                        "kind": job.kind,
                        "spec": dict(job.spec),
                        "done": progress.done,
                        "failed": progress.failed,
                        "total": progress.total,
                    }
                    for job, progress in jobs
                ],
            }
        )
        return
    from rich.table import Table
    from rich.text import Text

    out = console.out()
    out.print(Text(where, style="bold"), soft_wrap=True)
    out.print(
        f"{figures.documents:,} contracts, {figures.characters:,} characters, "
        f"{figures.passages:,} passages, {figures.bytes / 1e6:,.1f} MB"
    )
    out.print(Text(f"Encoder: {encoder.name if encoder else 'none'}", style="dim"))
    if figures.collections:
        shown = Table(box=None, pad_edge=False, header_style="dim")
        shown.add_column("Collection")
        shown.add_column("Contracts", justify="right")
        shown.add_column("Characters", justify="right")
        for each in figures.collections:
            shown.add_row(Text(each.name), f"{each.documents:,}", f"{each.characters:,}")
        out.print()
        out.print(shown)
    for job, progress in jobs:
        out.print()
        out.print(
            Text(f"Unfinished: {job.kind}, {progress.done} of {progress.total} done.", "yellow"),
            Text("Run the same command again to go on.", "dim"),
        )
    console.print_failures(out, failures)
