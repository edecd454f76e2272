"""`fourcorners report`: the reports a law firm sends, from a review that was done."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from fourcorners.cli import options
from fourcorners.cli.options import option, spread
from fourcorners.cli.output import console
from fourcorners.errors import ConfigError
from fourcorners.text.invisible_characters import single_line


@dataclass(frozen=True, slots=True)
class _ReportOptions:
    """How the report looks, and what it shows."""

    template: Annotated[
        list[Path] | None,
        option(
            "--template -t FILE",
            "The house's look: .docx or .dotx for Word, .css for HTML, .typ for PDF.",
        ),
    ] = None
    prepared_by: Annotated[str, option("--prepared-by NAME", "Whom the cover names.")] = ""
    whole_quotes: Annotated[
        bool,
        option(
            "--whole-quotes",
            "A schedule has all words of all findings, however many pages it takes.",
        ),
    ] = False
    since: Annotated[
        Path | None,
        option("--since FILE", "An earlier review as .json: what is new since then comes first."),
    ] = None


@spread
def report(
    *,
    out: Annotated[
        list[Path], option("--out -o FILE", "Write it as .docx, .html or .pdf. May be given again.")
    ],
    kind: Annotated[
        Literal["due-diligence", "red-flags", "red-flag", "quality-sample"],
        option("--kind -k KIND", "due-diligence, red-flags or quality-sample."),
    ] = "due-diligence",
    collection: options.Collection = None,
    playbook: options.Playbook = "due-diligence",
    look: _ReportOptions,
    as_of: Annotated[
        str | None,
        option(
            "--as-of DATE",
            "Terms that ended before it are shown as expired.",
            default="the day of the review",
        ),
    ] = None,
    library: options.Library = None,
) -> None:
    """Write the due-diligence or red-flag report.

    It can also be a sample of cells for a second reader to check. Nothing is reviewed here: the
    findings are those that are stored, with what people said of them. The same findings make the
    same file, byte for byte.
    """
    from fourcorners.cli.review import columns
    from fourcorners.playbooks.load import load_playbook
    from fourcorners.reports.chapters.earlier import read_earlier
    from fourcorners.reports.send import format_for, write_report
    from fourcorners.reports.tree import ReportKind
    from fourcorners.research.columns.report import add_columns
    from fourcorners.review.stored_review import load_review

    templates = _fitting(out, look.template or [])
    for path in out:
        format_for(path, templates[path])  # what is wrong is said before the work, not after
        console.require_place(path)
    earlier = read_earlier(look.since) if look.since else None
    day = console.as_of_date(as_of) if as_of else None
    book = load_playbook(playbook)
    command = ["fourcorners", "review", "--playbook", playbook]
    command += ["--collection", collection] if collection else []
    command += ["--library", library] if library else []
    with console.open_library(library) as store:
        command_line = shlex.join(command)
        grid = load_review(store, book, collection=collection, as_of=day, command=command_line)
        grid = add_columns(store, grid, columns.of_review(store, collection, book.id))
    for path in out:
        write_report(
            grid,
            ReportKind.RED_FLAGS if kind == "red-flag" else ReportKind(kind),
            path,
            template=templates[path],
            prepared_by=look.prepared_by,
            whole_quotes=look.whole_quotes,
            since=earlier,
        )
        console.print_note((f"Wrote {single_line(str(path))}", "dim"))


def _fitting(out: list[Path], templates: list[Path]) -> dict[Path, Path | None]:
    """Return the template of each file; each template must fit one."""
    from fourcorners.reports.send import FORMATS

    fitting: dict[Path, Path | None] = {}
    for path in out:
        known = FORMATS.get(path.suffix.lower())
        suits = [t for t in templates if known and t.suffix.lower() in known.templates]
        fitting[path] = suits[0] if suits else None
    if unused := [each for each in templates if each not in fitting.values()]:
        raise ConfigError(
            f"{unused[0]}: a template that fits no file of --out, or a second one for its format.",
            remedy="Give .docx or .dotx for Word, .css for HTML, .typ for PDF, one of each.",
        )
    return fitting
