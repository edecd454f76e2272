"""`fourcorners status`: what the library holds, what failed, and what is unfinished."""

from __future__ import annotations

from fourcorners.cli import options
from fourcorners.cli.output import console
from fourcorners.text.invisible_characters import single_line


def status(
    library: options.Library = None,
    collection: options.Collection = None,
    as_json: options.Json = False,
) -> None:
    """Show what the library holds, what failed, what is unfinished."""
    from fourcorners.library.jobs import JobTable
    from fourcorners.library.tokens import fold_name

    with console.open_library(library) as store:
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
        console.print_json(
            {
                "library": where,
                **console.attributes(figures, "documents characters passages vectors bytes"),
                "encoder": encoder.name if encoder else None,
                "collections": parts,
                "failures": failures,
                "jobs": [
                    {
                        **console.attributes(job, "id kind spec"),
                        **console.attributes(progress, "done failed total"),
                    }
                    for job, progress in jobs
                ],
            }
        )
        return
    console.print_line((single_line(where), "bold"))
    console.print_text(
        f"{console.count_noun(figures.documents, 'contract')}, "
        f"{console.count_noun(figures.characters, 'character')}, "
        f"{console.count_noun(figures.passages, 'passage')}, {figures.bytes / 1e6:,.1f} MB"
    )
    meaning = "No vectors: search goes by words alone."
    if encoder is not None:
        meaning = f"Vectors of {figures.vectors:,} passages by {encoder.name}"
    console.print_text((meaning, "dim"))
    if parts:
        rows = [
            (single_line(each.name), f"{each.documents:,}", f"{each.characters:,}")
            for each in parts
        ]
        shown = console.plain_table(("Collection", "Contracts", "Characters"), rows)
        shown.header_style = "dim"
        console.print_text()
        console.stdout_console().print(shown)
    for job, progress in jobs:
        name = job.spec.get("collection")
        what = f"{job.kind} of {single_line(name)}" if name else job.kind
        console.print_text()
        console.print_line(
            (f"Unfinished: {what}, {progress.done} of {progress.total} done. ", "yellow"),
            ("Run the same command again to go on, or see `fourcorners jobs list`.", "dim"),
        )
    console.print_failures(failures)
