"""`fourcorners compare`: two versions of a contract, or a contract and a template."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fourcorners.cli import options
from fourcorners.cli.options import argument, option, spread
from fourcorners.cli.output import console
from fourcorners.cli.output.contract import read_contract
from fourcorners.text.invisible_characters import shorten, show_invisible, single_line

if TYPE_CHECKING:
    from rich.text import Text

    from fourcorners.comparison.comparison import ClauseChange, Comparison
    from fourcorners.comparison.ranking import Section

NOT_TRACKED = 3  # exit code: a Word file was written that is not both versions in full
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
            "Write it: .html side by side, .docx with tracked changes, .json. May be given again.",
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
    before: Annotated[
        str,
        argument(
            "BEFORE",
            "The first version, or a template: a file, or a contract of the library by a unique "
            "part of its name or its id.",
        ),
    ],
    after: Annotated[str, argument("AFTER", "The second version.")],
    everything: Annotated[
        bool, option("--all", "Show every clause that was renumbered, too.")
    ] = False,
    files: _Files,
    source: options.LibraryOptions,
    as_json: options.Json = False,
) -> None:
    """Compare two versions of a contract, clause by clause.

    Clauses are aligned by their words, place and meaning, whatever their numbers say. What changed
    in amounts, periods, dates, parties and negations comes first; numbers and spaces come last.
    The comparison says which words differ, not what follows from it. The exit code is 3 if a Word
    file that was written lacks a tracked change, or does not become either version.
    """
    from fourcorners.comparison.compare import compare_documents
    from fourcorners.models import default_encoder
    from fourcorners.reports.comparison.values import comparison_value
    from fourcorners.reports.comparison.writers import comparison_writer
    from fourcorners.settings import Settings

    writers = [(path, comparison_writer(path)) for path in files.out or ()]
    console.require_place(*(path for path, _ in writers))
    read = [read_contract(each, source.library, source.collection) for each in (before, after)]
    encoder = None if source.words_only else default_encoder(Settings.load().encoder)
    comparison = compare_documents(*read, encoder=encoder)
    author = console.reviewer(files.by)
    written = [
        write(comparison, path, author=author, formatting=files.formatting)
        for path, write in writers
    ]
    untracked = [what for each in written for what in each.untracked]
    differences = [what for each in written for what in each.differences]
    if as_json:
        found = {
            "untracked": untracked,
            "differences": differences,
            "format_changes": max((each.format_changes for each in written), default=0),
        }
        console.print_value(comparison_value(comparison).model_copy(update=found))
    else:
        _print(comparison, everything=everything)
    for path, _ in writers:
        console.print_note((f"Wrote {single_line(str(path))}.", "dim"))
    for each in written:
        if each.format_changes:
            count = console.count_noun(each.format_changes, "change")
            console.print_note((f"Formatting only: {count}, tracked in the file.", "dim"))
    if untracked:
        count = console.count_noun(len(untracked), "change")
        console.print_note((f"Not tracked: {count}, in comments in the file.", "yellow"))
    for what in untracked:
        console.print_note((f"  {single_line(what)}", "yellow"))
    for what in differences:
        console.print_note((f"Wrong in the Word file: {single_line(what)}", "red"))
    if untracked or differences:
        raise typer.Exit(NOT_TRACKED)


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
        name_clauses,
    )

    name = single_line(name_clauses(comparison, change))
    facts = describe_values(comparison, change) if section is Section.VALUES else []
    relation = describe_relation(change)
    if relation and relation != "changed":
        facts.append(relation)
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
