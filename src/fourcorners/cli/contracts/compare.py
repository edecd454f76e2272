"""`fourcorners compare`: versions of a contract, or a contract and a template."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fourcorners.cli import options
from fourcorners.cli.options import argument, option, spread
from fourcorners.cli.output import console
from fourcorners.cli.output.contract import read_contract
from fourcorners.errors import ConfigError, InputError
from fourcorners.text.invisible_characters import shorten, show_invisible, single_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from rich.text import Text

    from fourcorners.comparison.comparison import ClauseChange, Comparison
    from fourcorners.comparison.ranking import Section
    from fourcorners.comparison.versions import Versions
    from fourcorners.documents.document import Document
    from fourcorners.reports.comparison.values import UnreadVersion
    from fourcorners.reports.comparison.writers import WrittenComparison

NOT_TRACKED = 3  # exit code: a file was written that is not both versions in full
_AROUND = 70  # characters of unchanged words that are shown around a change
_FIRST_WORDS = 90  # characters of a clause that has only moved
_LONGEST = 600  # characters that are shown of a clause that was added or removed
_LINES = 12  # lines of renumbered clauses; more are counted


@dataclass(frozen=True, slots=True)
class _Files:
    """The files that are written, and how."""

    out: Annotated[
        list[Path] | None,
        option(
            "--out -o FILE",
            "Write it: .docx with tracked changes, .pdf with the marked text, .html side by side, "
            ".json. May be given again. Of more than two versions, one file against each earlier "
            "one, with its number in the name.",
        ),
    ] = None
    formatting: Annotated[
        bool,
        option("--formatting", "Track words that only look otherwise in a Word file, too."),
    ] = False
    by: options.By = None


@spread
def compare(
    *,
    names: Annotated[
        list[str],
        argument(
            "VERSION",
            "Two versions or more, the oldest first: files, or contracts of the library by a "
            "unique part of the name or the id. The first may be a template.",
        ),
    ],
    against: Annotated[
        str | None,
        option(
            "--against VERSION",
            "The one earlier version that the last is marked against: its number or its name.",
            default="each of them",
        ),
    ] = None,
    everything: Annotated[
        bool, option("--all", "Show every clause that was renumbered, too.")
    ] = False,
    files: _Files,
    source: options.LibraryOptions,
    as_json: options.Json = False,
) -> None:
    """Compare two or more versions of a contract, clause by clause.

    Clauses are aligned by their words, place and meaning, whatever their numbers say. What changed
    in amounts, periods, dates, parties and negations comes first; numbers and spaces come last.
    The comparison says which words differ, not what follows from it. Of more than two versions it
    says what each one changed, and which of them brought each change of the last.

    The exit code is 3 if a Word file that was written lacks a tracked change, or does not become
    either version, or if a PDF lacks characters, and 1 if an earlier version could not be read.
    """
    from fourcorners.comparison.versions import compare_versions
    from fourcorners.models import default_encoder
    from fourcorners.reports.comparison.values import comparison_value, versions_value
    from fourcorners.reports.comparison.writers import comparison_writer, write_value
    from fourcorners.settings import Settings
    from fourcorners.work_folder import replace_file

    writers = {path: comparison_writer(path) for path in files.out or ()}
    console.require_place(*writers)
    is_pair = len(names) == 2
    base = _find_base(names, against)
    read, unread = _read_versions(names, base, source)
    bases = [base] if base else [*read][:-1]
    targets = [each for path in writers for each in _name_files(path, bases, is_pair=is_pair)]
    for _, target, _ in targets:
        console.require_other_file(target, [*names, *(each.path for each in read.values())])
    encoder = None if source.words_only else default_encoder(Settings.load().encoder)
    versions = compare_versions([*read.values()], [*read], encoder=encoder)
    comparisons = {number: versions.against(number) for number in bases}
    shown = comparisons[bases[0]]
    value = comparison_value(shown) if is_pair else versions_value(versions, shown, unread)
    written: dict[Path, WrittenComparison] = {}
    author = console.reviewer(files.by)
    for path, target, number in targets:
        if number:
            comparison, write = comparisons[number], writers[path]
            written[target] = write(comparison, target, author=author, formatting=files.formatting)
        else:
            replace_file(target, partial(write_value, value))
            written[target] = _join(())
    found = _join(written.values())
    if as_json:
        console.print_value(value.model_copy(update=asdict(found)))
    else:
        if not is_pair:
            _print_rounds(versions, everything=everything)
        _print(shown, everything=everything)
    for path in written:
        console.print_note((f"Wrote {single_line(str(path))}.", "dim"))
    _print_marks(found)
    if found.untracked or found.differences or found.missing:
        raise typer.Exit(NOT_TRACKED)
    if unread:
        raise typer.Exit(1)


def _name_files(path: Path, bases: list[int], *, is_pair: bool) -> Iterator[tuple[Path, Path, int]]:
    """Yield the files that are written for a path, each with the version that it starts from.

    The number is 0 for the one that has all versions.
    """
    if path.suffix.lower() == ".json" and not is_pair:
        yield path, path, 0
        return
    for number in bases:
        yield path, path if len(bases) == 1 else path.with_stem(f"{path.stem}-{number}"), number


def _join(written: Iterable[WrittenComparison]) -> WrittenComparison:
    """Return what is to be known of all files that were written, as of one."""
    from fourcorners.reports.comparison.writers import WrittenComparison

    made = list(written)
    return WrittenComparison(
        tuple(what for each in made for what in each.untracked),
        tuple(what for each in made for what in each.differences),
        max((each.format_changes for each in made), default=0),
        tuple(dict.fromkeys(what for each in made for what in each.missing)),
    )


def _print_marks(found: WrittenComparison) -> None:
    if found.format_changes:
        count = console.count_noun(found.format_changes, "change")
        console.print_note((f"Formatting only: {count}, tracked in the file.", "dim"))
    if found.untracked:
        count = console.count_noun(len(found.untracked), "change")
        console.print_note((f"Not tracked: {count}, in comments in the file.", "yellow"))
    for what in found.untracked:
        console.print_note((f"  {single_line(what)}", "yellow"))
    for what in found.differences:
        console.print_note((f"Wrong in the Word file: {single_line(what)}", "red"))
    for what in found.missing:
        console.print_note((f"The PDF is incomplete: {single_line(what)}", "red"))


def _find_base(names: list[str], against: str | None) -> int:
    """Return the number of the earlier version that is named; 0 if none is."""
    if against is None:
        return 0
    earlier = names[:-1]
    if against in earlier:
        return earlier.index(against) + 1
    if against.isdecimal() and 0 < int(against) <= len(earlier):
        return int(against)
    raise ConfigError(
        f"{against} is no earlier version.",
        remedy=f"Name one as you gave it, or by its number: 1 to {len(earlier)}.",
    )


def _read_versions(
    names: list[str], base: int, source: options.LibraryOptions
) -> tuple[dict[int, Document], list[UnreadVersion]]:
    """Return the versions by their numbers; an earlier one that cannot be read is reported.

    Raises:
        InputError: If the last, the one that is named or all but one cannot be read.
    """
    from fourcorners.comparison.compare import require_text
    from fourcorners.reports.comparison.values import UnreadVersion

    read: dict[int, Document] = {}
    unread: list[UnreadVersion] = []
    for number, name in enumerate(names, 1):
        try:
            document = read_contract(name, source.library, source.collection)
            require_text(document)
            read[number] = document
        except InputError as error:
            earlier = number < len(names) and number != base
            if not earlier or len(names) - len(unread) <= 2:
                raise
            unread.append(UnreadVersion.make(error, number=number, name=name, error=error.message))
            console.print_error(error)
            note = f"Version {number} is left out; its changes count to the next version."
            console.print_note((note, "yellow"))
    return read, unread


def _print_rounds(versions: Versions, *, everything: bool) -> None:
    """Print what each version changed, and a title for what follows."""
    numbers = versions.numbers
    for earlier, number, each in zip(numbers, numbers[1:], versions.rounds, strict=False):
        console.print_text((f"Version {number} after version {earlier}", "bold underline"))
        _print(each, everything=everything)
        console.print_text()
    title = f"Version {numbers[-1]}, and which version brought each change"
    console.print_text((title, "bold underline"))


def _print(comparison: Comparison, *, everything: bool) -> None:
    from fourcorners.comparison.ranking import Section, rank_changes
    from fourcorners.reports.comparison.phrases import (
        SECTION_TITLES,
        describe_no_change,
        describe_repeated,
    )

    ranked = rank_changes(comparison)
    _print_counts(comparison)
    if not any(ranked.sections.values()) and not ranked.repeated:
        console.print_text(describe_no_change(comparison))
    for section, changes in ranked.sections.items():
        repeated = [each for each in ranked.repeated if each.section is section]
        if not changes and not repeated:
            continue
        if section is Section.SPACING:
            count = console.count_noun(len(changes), "clause")
            console.print_text()
            console.print_text((f"{SECTION_TITLES[section]} only: {count}", "dim"))
            continue
        console.print_text()
        console.print_text((SECTION_TITLES[section], "bold"))
        for each in repeated:
            console.print_indented(2, ("Throughout: ", "dim"), describe_repeated(each))
        if section is Section.NUMBERING:
            _print_numbering(comparison, changes, everything=everything)
            continue
        for change in changes:
            _print_change(comparison, change, section)


def _print_counts(comparison: Comparison) -> None:
    from fourcorners.reports.comparison.phrases import count_changes

    names = [single_line(each.name) for each in (comparison.before, comparison.after)]
    console.print_line((" → ".join(names), "bold"))
    for warning in comparison.warnings:
        console.print_indented(6, (single_line(warning), "yellow"), head="Note")
    counts = [f"{count:,} {what}" for what, count in count_changes(comparison) if count]
    console.print_text((f"Clauses: {', '.join(counts)}", "dim"))


def _print_change(comparison: Comparison, change: ClauseChange, section: Section) -> None:
    from fourcorners.comparison.ranking import Section
    from fourcorners.reports.comparison.phrases import (
        describe_relation,
        describe_values,
        describe_versions,
        name_clauses,
    )

    name = single_line(name_clauses(comparison, change))
    facts = describe_values(comparison, change) if section is Section.VALUES else []
    relation = describe_relation(change)
    if relation and relation != "changed":
        facts.append(relation)
    if change.versions:
        facts.append(describe_versions(change.versions))
    detail = (f"  {'; '.join(map(single_line, facts))}", "yellow") if facts else ""
    console.print_indented(2, (name, "bold"), detail)
    if change.changes or not (change.before and change.after) or relation.startswith("replaced"):
        console.print_indented(6, _mark_clause(comparison, change))
    else:
        words = change.after[0].span.text_in(comparison.after.text)
        console.print_indented(6, (shorten(words, _FIRST_WORDS), "dim"))


def _mark_clause(comparison: Comparison, change: ClauseChange) -> Text:
    """Return a clause's words on one line with what went and what came, also without colours."""
    from rich.text import Text

    from fourcorners.comparison.marking import mark_words, shorten_marked
    from fourcorners.text.word_differences import EditKind

    marks = {
        EditKind.EQUAL: ("", "", "dim"),
        EditKind.DELETE: ("[-", "-]", "red strike"),
        EditKind.INSERT: ("{+", "+}", "green"),
    }
    shown = Text()
    for edit in shorten_marked(mark_words(comparison, change), _AROUND):
        opening, closing, style = marks[edit.kind]
        words = " ".join(show_invisible(f"|{edit.text}|").split())[1:-1]
        if edit.kind is not EditKind.EQUAL and len(words) > _LONGEST:
            words = f"{words[:_LONGEST].rsplit(' ', 1)[0]} …"
        shown.append(f"{opening}{words}{closing}", style)
    return shown


def _print_numbering(
    comparison: Comparison, changes: list[ClauseChange], *, everything: bool
) -> None:
    from fourcorners.comparison.comparison import Aspect
    from fourcorners.reports.comparison.phrases import describe_words, renumbered_lines

    lines = renumbered_lines([each for each in changes if each.is_renumbered])
    for line in lines if everything else lines[:_LINES]:
        console.print_indented(2, single_line(line))
    if len(lines) > _LINES and not everything:
        console.print_indented(2, (f"… and {len(lines) - _LINES} more; --all shows them", "dim"))
    references = [
        describe_words(comparison, word)
        for each in comparison.clauses
        for word in each.changes
        if word.aspect is Aspect.NUMBERING
    ]
    if references:
        noun = "reference follows" if len(references) == 1 else "references follow"
        listed = f": {', '.join(dict.fromkeys(references))}" if everything else ""
        console.print_indented(2, f"{len(references):,} {noun} the clause that is meant{listed}")
