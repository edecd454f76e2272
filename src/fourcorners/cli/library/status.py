"""`fourcorners status` and `jobs`: what a library holds, what is unfinished, how to go on."""

from __future__ import annotations

import json
import shlex
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated

from fourcorners.cli import options
from fourcorners.cli.options import option
from fourcorners.cli.output import console
from fourcorners.errors import ConfigError
from fourcorners.text.invisible_characters import single_line

if TYPE_CHECKING:
    from fourcorners.library.jobs import Job, JobTable

_MANY = 6  # paths named in the command that goes on


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
        where = store.place
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
            (
                single_line(each.name),
                f"{each.documents:,}",
                f"{each.characters:,}",
                single_line("; ".join(each.read_for)) or "nobody",
            )
            for each in parts
        ]
        shown = console.plain_table(("Collection", "Contracts", "Characters", "Read for"), rows)
        shown.header_style = "dim"
        console.print_text()
        console.stdout_console().print(shown)
    for job, progress in jobs:
        far = f"{single_line(_what(job))}, {progress.done} of {progress.total} done. "
        how = "Run the same command again to go on, or see `fourcorners jobs`."
        console.print_text()
        console.print_line((f"Unfinished: {far}", "yellow"), (how, "dim"))
    console.print_failures(failures)


def jobs(
    every: Annotated[bool, option("--all", "Those that are finished, too.")] = False,
    cancel: Annotated[
        int | None, option("--cancel ID", "Leave the rest of this job undone; its results stay.")
    ] = None,
    force: Annotated[
        bool, option("--force", "Cancel a job although a process seems to work on it.")
    ] = False,
    library: options.Library = None,
    as_json: options.Json = False,
) -> None:
    """List unfinished jobs: how far, how old, how to go on."""
    from fourcorners.library.jobs import JobTable

    with console.open_library(library) as store:
        table = JobTable(store)
        if cancel is not None:
            _cancel(table, cancel, force=force, as_json=as_json)
            return
        found = [
            (job, table.progress(job), _machines(table, job), table.failed_steps(job))
            for job in table.list(unfinished=not every)
        ]
    if as_json:
        console.print_json(
            [
                {
                    **console.attributes(job, "id kind spec created finished"),
                    **console.attributes(far, "total done failed"),
                    "at_work": bool(machines),
                    "machines": machines,
                    "failures": [
                        dict(zip(("key", "reason", "remedy"), each, strict=True))
                        for each in failures
                    ],
                    "go_on": None if job.finished else _resume_command(job, library),
                }
                for job, far, machines, failures in found
            ]
        )
        return
    for job, far, machines, failures in found:
        at_work = f"at work on {', '.join(machines)}" if machines else "stopped"
        state = "finished" if job.finished else at_work
        failed = f", {far.failed:,} failed" if far.failed else ""
        line = f"{_what(job)}: {far.done:,} of {far.total:,} done{failed}, {state}, "
        line += f"begun {_age(job.created)} ago."
        console.print_indented(6, single_line(line), head=f"{job.id:>4}")
        for key, reason, _ in failures[:_MANY]:
            console.print_indented(6, single_line(f"{key}: {reason}"))
        if len(failures) > _MANY:
            console.print_indented(6, "Read all with `fourcorners jobs --json`.")
        if not job.finished and not machines:
            console.print_line((f"      {single_line(_resume_command(job, library))}", "dim"))
    if not found:
        console.print_text("Nothing is unfinished." if not every else "There were no jobs.")


def _cancel(table: JobTable, number: int, *, force: bool, as_json: bool) -> None:
    job = table.find(number)
    if job is None or job.finished:
        state = "is finished" if job else "is not there"
        raise ConfigError(f"job {number} {state}.", remedy="`fourcorners jobs` lists the jobs.")
    far = table.cancel(job, force=force)
    left = far.total - far.done - far.failed
    if as_json:
        console.print_json({"id": number, "done": far.done, "failed": far.failed, "left": left})
        return
    console.print_text(
        f"Job {number} is cancelled: {far.done:,} done and kept, {left:,} left undone."
    )


def _resume_command(job: Job, library: str | None) -> str:
    words = ["fourcorners", job.kind]
    spec = job.spec
    if job.kind == "add":
        paths = [str(each) for each in json.loads(spec.get("paths", "[]"))]
        words += [*paths[:_MANY], *(["…"] if len(paths) > _MANY else [])]
    options = {name: spec.get(name) for name in ("playbook", "collection")} | {"library": library}
    for name, value in options.items():
        words += [f"--{name}", value] if value else []
    return " ".join(each if each == "…" else shlex.quote(each) for each in words)


def _machines(table: JobTable, job: Job) -> list[str]:
    """Return the hosts on which a command works on a job."""
    return sorted({worker.split("/")[0] for worker in table.workers(job)})


def _what(job: Job) -> str:
    name = job.spec.get("collection")
    return f"{job.kind} of {name}" if name else job.kind


def _age(since: datetime) -> str:
    seconds = max(0, int((datetime.now(UTC) - since).total_seconds()))
    for size, unit in ((86_400, "day"), (3_600, "hour"), (60, "minute")):
        if seconds >= size:
            count = seconds // size
            return f"{count} {unit}{'' if count == 1 else 's'}"
    return "less than a minute"
