"""`fourcorners playbook`: write, check and test what to look for."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fourcorners.cli import options
from fourcorners.cli.options import argument, option
from fourcorners.cli.output import console
from fourcorners.cli.playbook import learn
from fourcorners.errors import ConfigError
from fourcorners.text.invisible_characters import shorten, show_invisible, single_line
from fourcorners.work_folder import replace_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from fourcorners.library.store import Library
    from fourcorners.playbooks.file.checks import OfflineProvision
    from fourcorners.playbooks.playbook import Playbook
    from fourcorners.review.people.cases import Case, CaseOutcome
    from fourcorners.settings import Settings

app = typer.Typer(
    help="List the built-in playbooks; write, check and test your own.", no_args_is_help=True
)
app.command("learn")(learn.learn)

PlaybookArgument = Annotated[str, argument("FILE", "A playbook file, or a name.")]
_SHOWN = 60  # characters of the words of a case


@app.command("test")
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
    library: options.Library = None,
    jobs: options.Jobs = None,
    words_only: options.Words = False,
    as_json: options.Json = False,
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
            outcomes = _run(store, book, listed, settings, words_only=words_only)
    else:
        outcomes = _run(None, book, listed, settings, words_only=words_only)
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
    settings: Settings,
    *,
    words_only: bool,
) -> list[CaseOutcome]:
    from fourcorners.models import default_encoder
    from fourcorners.review.people.cases import run_cases

    by_words = words_only or (library is not None and library.encoder is None)
    encoder = None if by_words else default_encoder(settings.encoder, threads=settings.jobs)
    return list(run_cases(library, playbook, cases, encoder=encoder))


def _print(outcomes: Sequence[CaseOutcome]) -> None:
    for each in outcomes:
        mark = ("pass ", "green") if each.passed else ("FAIL ", "bold red")
        place = each.case.document or f"“{shorten(each.case.text, _SHOWN)}”"
        console.print_line(mark, single_line(f"{each.case.provision} in {place}"))
        for what in each.mismatches:
            console.print_indented(5, (single_line(what), "dim"))
    failed = sum(not each.passed for each in outcomes)
    line = f"{failed} of them failed." if failed else "All passed."
    console.print_text(f"{console.count_noun(len(outcomes), 'case')}. {line}")


@app.command("cases")
def write_cases(
    playbook: PlaybookArgument,
    out: Annotated[Path, option("--out FILE", "The file to write.")],
    library: options.Library = None,
) -> None:
    """Write cases from what people confirmed, corrected and rejected."""
    from fourcorners.playbooks.load import load_playbook
    from fourcorners.review.people.cases import cases_yaml, confirmed_cases

    console.require_place(out)
    book = load_playbook(playbook)
    with console.open_library(library) as store:
        listed = confirmed_cases(store, book)
    _write_judged(out, book, cases_yaml(listed), len(listed), "case")


@app.command("labels")
def write_labels(
    playbook: PlaybookArgument,
    out: Annotated[Path, option("--out FILE", "The file to write.")],
    words: Annotated[
        bool, option("--words", "With the clauses and the names of the contracts.")
    ] = False,
    library: options.Library = None,
    collection: options.Collection = None,
) -> None:
    """Write what people said of findings as labelled clauses."""
    from fourcorners.playbooks.load import load_playbook
    from fourcorners.review.people.labelled_clauses import clause_labels, format_labels

    console.require_place(out)
    book = load_playbook(playbook)
    with console.open_library(library) as store:
        listed = list(clause_labels(store, book, collection, words=words))
    _write_judged(out, book, format_labels(listed), len(listed), "clause")


def _write_judged(out: Path, book: Playbook, text: str, count: int, noun: str) -> None:
    """Write what people judged by a playbook; refuse to write nothing."""
    if not count:
        raise ConfigError(
            f"nobody has judged anything by the playbook {book.id} as it is now.",
            remedy="Confirm, correct or reject findings first.",
        )
    replace_text(out, text)
    console.print_line(f"Wrote {console.count_noun(count, noun)} to {single_line(str(out))}.")


@app.command("show")
def show(
    playbook: Annotated[
        str | None, argument("FILE", "A playbook file, or a name.", default="the built-in ones")
    ] = None,
    resolved: Annotated[
        bool, option("--resolved", "With all that it takes from the playbooks it extends.")
    ] = False,
    as_json: options.Json = False,
) -> None:
    """Print a playbook's YAML, or list the built-in playbooks.

    What the program cannot answer without a language model goes to standard error; with --json,
    only that is printed.
    """
    from fourcorners.playbooks.load import load_playbook, playbook_text
    from fourcorners.playbooks.write import resolved_yaml

    if playbook is None:
        _list_playbooks(as_json=as_json)
        return
    offline = _offline(load_playbook(playbook))
    if as_json:
        console.print_json(offline)
        return
    whole = resolved_yaml(playbook) if resolved else playbook_text(playbook)
    typer.echo(show_invisible(whole), nl=False)
    for line in _offline_lines(offline):
        console.print_note((single_line(line), "dim"))


def _list_playbooks(*, as_json: bool) -> None:
    from fourcorners.playbooks.load import builtin_names, load_playbook

    books = [load_playbook(name) for name in builtin_names()]
    if as_json:
        console.print_json(
            [
                {
                    **console.attributes(book, "id name version"),
                    "provisions": [provision.id for provision in book.provisions],
                }
                for book in books
            ]
        )
        return
    for book in books:
        names = ", ".join(provision.name for provision in book.provisions)
        count = console.count_noun(len(book.provisions), "provision")
        console.print_text((book.id, "bold"), f"  {book.name}, {count}")
        console.print_indented(2, (names, "dim"))


@app.command("new")
def new_playbook(
    name: Annotated[str, argument("NAME", "What the playbook is called.")],
    taken: Annotated[
        list[str] | None,
        option(
            "--from NAME", "Copy a playbook, or a provision by any of its names; may be repeated."
        ),
    ] = None,
    extends: Annotated[
        str | None,
        option("--extends NAME", "Extend this playbook: a name, or a path from the new file."),
    ] = None,
    out: Annotated[
        Path | None, option("--out FILE", "The file to write.", default="NAME.yaml")
    ] = None,
) -> None:
    """Write a playbook to start from, and its schema."""
    from fourcorners.playbooks.file.schema import json_schema
    from fourcorners.playbooks.load import parse_playbook
    from fourcorners.playbooks.write import provision_id, starter_yaml

    path = out or Path(f"{provision_id(name)}.yaml")
    console.require_place(path)
    if path.exists():
        raise ConfigError(f"{path} exists already.", remedy="Give another name with --out.")
    text = starter_yaml(name, taken=taken or (), extends=extends or "")
    book = parse_playbook(text, str(path), folder=path.parent)
    replace_text(path, text)
    replace_text(path.with_name("playbook.schema.json"), json_schema())
    count = console.count_noun(len(book.provisions), "provision")
    console.print_line(
        f"Wrote {single_line(str(path))}, a playbook of {count}, "
        "and playbook.schema.json next to it."
    )


@app.command("import")
def import_table(
    file: Annotated[Path, argument("FILE", "A Word file or an Excel workbook with a table.")],
    name: Annotated[
        str | None, option("--name NAME", "What the playbook is called.", default="as the file")
    ] = None,
    out: Annotated[
        Path | None, option("--out FILE", "The file to write.", default="NAME.yaml")
    ] = None,
) -> None:
    """Make a playbook of a table in Word or Excel.

    The table has a row for each clause and a heading over each column. What of it is not in the
    playbook goes to standard error, as do faults to correct.
    """
    from fourcorners.documents.tables import read_tables
    from fourcorners.errors import PlaybookError
    from fourcorners.playbooks.load import parse_playbook
    from fourcorners.playbooks.tables import join_tables, make_playbook, suggest_columns
    from fourcorners.playbooks.write import provision_id

    if not file.is_file():
        raise ConfigError(f"{file}: there is no such file.", remedy="Give a .docx or .xlsx file.")
    table, left = join_tables(read_tables(file))
    called = name or file.stem
    made = make_playbook(called, table.rows, suggest_columns(table.rows[0]))
    path = out or Path(f"{provision_id(called)}.yaml")
    console.require_place(path)
    if path.exists():
        raise ConfigError(f"{path} exists already.", remedy="Give another name with --out.")
    replace_text(path, made.text)
    for each in (*left, *made.left):
        console.print_note(single_line(f"Left out: {each}"))
    try:
        book = parse_playbook(made.text, str(path))
    except PlaybookError as error:
        console.print_note(show_invisible(error.message))
        raise typer.Exit(1) from error
    for line in _offline_lines(_offline(book)):
        console.print_note((single_line(line), "dim"))
    count = console.count_noun(len(book.provisions), "provision")
    console.print_line(f"Wrote {single_line(str(path))}, a playbook of {count}.")


@app.command("check")
def check(playbook: PlaybookArgument, as_json: options.Json = False) -> None:
    """Check a playbook: errors and doubts, each with its line and key.

    An error ends the command with a failure; what is only doubtful does not. Then follow the
    questions and severities that need a language model or a person.
    """
    from fourcorners.playbooks.file.checks import find_warnings, unknown_questions
    from fourcorners.playbooks.file.schema import PlaybookFileError
    from fourcorners.playbooks.load import builtin_names, open_playbook

    try:
        book, source = open_playbook(playbook)
    except PlaybookFileError as error:
        if not as_json:
            raise
        faults = [
            {
                "line": each.line,
                "character": each.character,
                "key": each.path,
                "what": each.what,
                "remedy": each.remedy,
            }
            for each in error.problems
        ]
        console.print_json({"valid": False, "errors": faults, "doubts": []})
        raise typer.Exit(1) from error
    offline = _offline(book)
    found = find_warnings(book, source)
    if playbook not in builtin_names():
        found = sorted(
            [*found, *unknown_questions(book, source, offline)], key=lambda each: each.line
        )
    if as_json:
        doubts = [{"line": each.line, "key": each.path, "what": each.what} for each in found]
        result = {"valid": True, "errors": [], "doubts": doubts, "offline": offline}
        console.print_json({**result, **console.attributes(book, "version hash")})
        return
    name = single_line(playbook)
    for each in found:
        where = f"{name}, line {each.line}, {single_line(each.path)}"
        console.print_line(f"{where}: {single_line(each.what)}")
    count = console.count_noun(len(book.provisions), "provision")
    above = f" {console.count_noun(len(found), 'doubt')} above." if found else ""
    console.print_line(
        f"{name}: a valid playbook of {count}, "
        f"version {single_line(book.version)}, hash {book.hash[:12]}.{above}"
    )
    for line in _offline_lines(offline):
        console.print_line(single_line(line))


def _offline(playbook: Playbook) -> list[OfflineProvision]:
    from fourcorners.models.registry import default_verdict_reader
    from fourcorners.playbooks.file.checks import offline_provisions

    return offline_provisions(playbook, default_verdict_reader())


def _offline_lines(offline: Sequence[OfflineProvision]) -> Iterator[str]:
    """Yield how much is answered and decided offline, then what is not, a provision a line."""
    questions, severities = (
        sum(each.questions for each in offline),
        sum(each.severities for each in offline),
    )
    left = sum(len(each.unsure) + len(each.unknown) for each in offline)
    undecided = sum(len(each.undecided) for each in offline)
    yield (
        f"Offline, {questions - left} of {questions} questions can be answered and "
        f"{severities - undecided} of {severities} severities decided."
    )
    if left:
        yield "These need a language model or a person:"
    for each in offline:
        names = ", ".join((*each.unsure, *each.unknown))
        rules = f"; severity {', '.join(each.undecided)}" if each.undecided else ""
        if names:
            yield f"{each.provision}: {names}{rules}"
