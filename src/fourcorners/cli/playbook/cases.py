"""`fourcorners playbook test` and `cases`: a playbook against what people said is right."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fourcorners.cli.options import (
    JobsOption,
    JsonOption,
    LibraryOption,
    WordsOption,
    argument,
    option,
)
from fourcorners.cli.output import console
from fourcorners.errors import ConfigError
from fourcorners.text.invisible_characters import shorten, single_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fourcorners.library.store import Library
    from fourcorners.playbooks.playbook import Playbook
    from fourcorners.review.people.cases import Case, CaseOutcome

PlaybookArgument = Annotated[str, argument("FILE", "A playbook file, or a name.")]
_SHOWN = 60  # characters of the words of a case


def try_cases(
    playbook: PlaybookArgument,
    cases: Annotated[
        Path | None,
        option(
            "--cases FILE",
            "The cases, as YAML.",
            default="the playbook's file, ending in .cases.yaml",
        ),
    ] = None,
    library: LibraryOption = None,
    jobs: JobsOption = None,
    words_only: WordsOption = False,
    as_json: JsonOption = False,
) -> None:
    """Test a playbook on cases: what it must find, and what it must not."""
    from fourcorners.playbooks.load import load_playbook
    from fourcorners.review.people.cases import read_cases
    from fourcorners.settings import Settings

    book = load_playbook(playbook)
    path = cases or Path(playbook).with_suffix(".cases.yaml")
    if cases is None and not path.is_file():
        raise ConfigError(f"there is no file {path}.", remedy="Give the cases with --cases.")
    listed = read_cases(path)
    settings = Settings.load(library=library, jobs=jobs)
    if any(case.document for case in listed):
        with console.open_library(library) as store:
            outcomes = _run(store, book, listed, settings.jobs, words_only=words_only)
    else:
        outcomes = _run(None, book, listed, settings.jobs, words_only=words_only)
    if as_json:
        console.print_json(
            [
                {
                    **console.attributes(each.case, "document text provision"),
                    "passed": each.passed,
                    "wrong": each.mismatches,
                }
                for each in outcomes
            ]
        )
    else:
        _print(outcomes)
    if not all(each.passed for each in outcomes):
        raise typer.Exit(1)


def _run(
    library: Library | None,
    playbook: Playbook,
    cases: Sequence[Case],
    threads: int,
    *,
    words_only: bool,
) -> list[CaseOutcome]:
    from fourcorners.models import default_encoder
    from fourcorners.models.registry import default_clause_reader
    from fourcorners.review.extract.calibration import default_calibration
    from fourcorners.review.extract.reader import ProvisionReader
    from fourcorners.review.people.cases import run_cases
    from fourcorners.review.run import prepare_provisions

    by_words = words_only or (library is not None and library.encoder is None)
    encoder = None if by_words else default_encoder(threads=threads)
    reader = default_clause_reader()
    judge = ProvisionReader(reader, vectors=encoder is not None and encoder.name == reader.encoder)
    return list(
        run_cases(
            library,
            playbook,
            cases,
            encoder=encoder,
            prepared=prepare_provisions(playbook, encoder),
            calibration=default_calibration(),
            judge=judge,
        )
    )


def _print(outcomes: Sequence[CaseOutcome]) -> None:
    for each in outcomes:
        mark = ("pass ", "green") if each.passed else ("FAIL ", "bold red")
        place = each.case.document or f"“{shorten(each.case.text, _SHOWN)}”"
        console.print_line(mark, single_line(f"{each.case.provision} in {place}"))
        for what in each.mismatches:
            console.print_indented(5, (single_line(what), "dim"))
    failed = sum(not each.passed for each in outcomes)
    told = f"{failed} of them failed." if failed else "All passed."
    console.print_text(f"{console.count_noun(len(outcomes), 'case')}. {told}")


def write_cases(
    playbook: PlaybookArgument,
    out: Annotated[Path, option("--out FILE", "The file to write.")],
    library: LibraryOption = None,
) -> None:
    """Write cases from what people confirmed, corrected and rejected."""
    from fourcorners.playbooks.load import load_playbook
    from fourcorners.review.people.cases import cases_yaml, confirmed_cases

    console.require_place(out)
    book = load_playbook(playbook)
    with console.open_library(library) as store:
        listed = confirmed_cases(store, book)
    if not listed:
        raise ConfigError(
            f"nobody has judged a finding of the playbook {book.id} as it is now.",
            remedy="Confirm or correct findings first.",
        )
    out.write_text(cases_yaml(listed), encoding="utf-8")
    count = console.count_noun(len(listed), "case")
    console.print_line(f"Wrote {count} to {single_line(str(out))}.")
