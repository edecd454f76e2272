"""The files a comparison is written as, by their suffix."""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Final, Protocol, TypeAlias

from fourcorners.comparison.comparison import Clause, ClauseChange, Comparison, Relation
from fourcorners.comparison.marking import mark_side
from fourcorners.comparison.ranking import Section, change_section, rank_changes
from fourcorners.documents.document import Document
from fourcorners.documents.docx.marks import xml_text
from fourcorners.documents.docx.versions.authors import Round, name_versions
from fourcorners.documents.docx.versions.check import find_differences
from fourcorners.documents.docx.versions.merge import MergedFile, merge_versions
from fourcorners.documents.media_types import MediaType
from fourcorners.documents.office_package import OfficePackage
from fourcorners.errors import ConfigError
from fourcorners.reports.comparison.pdf import comparison_pdf
from fourcorners.reports.comparison.phrases import (
    SECTION_TITLES,
    count_changes,
    describe_no_change,
    describe_relation,
    describe_repeated,
    describe_values,
    describe_versions,
    describe_words,
    name_clauses,
    renumbered_lines,
)
from fourcorners.reports.comparison.values import comparison_value
from fourcorners.reports.html import content_security_policy, load_asset, report_environment
from fourcorners.reports.word.package import open_template
from fourcorners.text.word_differences import Edit
from fourcorners.value import Value
from fourcorners.version import __version__
from fourcorners.work_folder import replace_file


@dataclass(frozen=True, slots=True)
class WrittenComparison:
    """What a person should know of a file that was written.

    Attributes:
        untracked: What differs between the versions and is not tracked: Word has no mark for it.
        differences: Where the file does not become what it should when its changes are resolved.
        format_changes: How many runs of words and paragraphs stay and look otherwise.
        missing: Which characters of a PDF are empty boxes, and what to do.
    """

    untracked: tuple[str, ...] = ()
    differences: tuple[str, ...] = ()
    format_changes: int = 0
    missing: tuple[str, ...] = ()


class ComparisonWriter(Protocol):
    """Writes a comparison as one file; the author is whom Word names for its tracked changes."""

    def __call__(
        self, comparison: Comparison, path: Path, *, author: str, formatting: bool = False
    ) -> WrittenComparison:
        """Write it, and check it if it has tracked changes; of formatting, too, if asked."""
        ...


_PROPERTIES: Final = "docProps/core.xml"
_MODIFIED: Final = "{http://purl.org/dc/terms/}modified"
_Write: TypeAlias = Callable[[Comparison, Path, str, bool], WrittenComparison]


def comparison_writer(path: Path) -> ComparisonWriter:
    """Return what writes the format that the file's suffix names.

    Raises:
        ConfigError: If there is none.
    """
    write = _WRITERS.get(path.suffix.lower())
    if write is None:
        what = f"the suffix {path.suffix!r}" if path.suffix else "no suffix"
        raise ConfigError(
            f"{path}: no comparison has {what}.",
            remedy="End the name in .html, .docx, .pdf or .json.",
        )
    return partial(_replace, write)


def _replace(
    write: _Write,
    comparison: Comparison,
    path: Path,
    *,
    author: str,
    formatting: bool = False,
) -> WrittenComparison:
    written: list[WrittenComparison] = []
    replace_file(
        path,
        lambda scratch: written.append(write(comparison, scratch, author, formatting)),
    )
    return written[0]


def _write_page(comparison: Comparison, path: Path, *_: object) -> WrittenComparison:
    path.write_text(comparison_page(comparison), encoding="utf-8", newline="\n")
    return WrittenComparison()


def _write_pdf(comparison: Comparison, path: Path, *_: object) -> WrittenComparison:
    made = comparison_pdf(comparison, datetime.now().astimezone())
    path.write_bytes(made.data)
    return WrittenComparison(missing=(made.warning,) if made.warning else ())


def _write_json(comparison: Comparison, path: Path, *_: object) -> WrittenComparison:
    write_value(comparison_value(comparison), path)
    return WrittenComparison()


def write_value(value: Value, path: Path) -> None:
    """Write a value as JSON for people to read too."""
    text = json.dumps(value.model_dump(mode="json"), ensure_ascii=False, indent=2, allow_nan=False)
    path.write_text(f"{text}\n", encoding="utf-8", newline="\n")


def _write_word(
    comparison: Comparison, path: Path, author: str, formatting: bool
) -> WrittenComparison:
    """Track changes in the first version's own file; if one is no Word file, in a plain one."""
    before, after = _files(comparison)
    merged = _merge(comparison, author, formatting)
    data, authors = merged.data, frozenset({merged.author})
    if comparison.rounds:
        rounds = [
            Round(number, _saved_at(each.after), _merge(each, author, formatting))
            for number, each in comparison.rounds.items()
        ]
        data, authors = name_versions(merged, rounds)
    path.write_bytes(data)
    differences = find_differences(data, before, after, author=authors, formatting=formatting)
    return WrittenComparison(merged.untracked, tuple(map(str, differences)), merged.format_changes)


def _merge(comparison: Comparison, author: str, formatting: bool) -> MergedFile:
    paths = Path(comparison.before.path), Path(comparison.after.path)
    return merge_versions(
        *_files(comparison), paths, author=author, at=datetime.now(UTC), formatting=formatting
    )


def _files(comparison: Comparison) -> tuple[bytes, bytes]:
    """Return both versions as Word files: their own, or plain ones if one is no Word file."""
    before, after = _original_file(comparison.before), _original_file(comparison.after)
    if before is None or after is None:
        return _plain_files(comparison)
    return before, after


def _saved_at(document: Document) -> datetime | None:
    """Return when a Word file says that it was last saved."""
    data = _original_file(document)
    root = None if data is None else OfficePackage(data, Path(document.path)).xml_root(_PROPERTIES)
    moment = None if root is None else root.findtext(_MODIFIED)
    try:
        return datetime.fromisoformat(moment or "")
    except ValueError:
        return None


def _plain_files(comparison: Comparison) -> tuple[bytes, bytes]:
    """Return both versions with a paragraph for each clause, and nothing of how they were set.

    What is printed on every page is left out.
    """
    changes = comparison.clauses
    return (
        _plain_file((own for e in changes for own in e.before), comparison.before.text),
        _plain_file((own for e in changes for own in e.after), comparison.after.text),
    )


def _plain_file(clauses: Iterable[Clause], text: str) -> bytes:
    document = open_template(None)
    for clause in sorted(clauses, key=lambda each: each.span):
        document.add_paragraph(xml_text(" ".join(clause.span.text_in(text).split())))
    file = io.BytesIO()
    document.save(file)
    return file.getvalue()


def _original_file(document: Document) -> bytes | None:
    """Return the Word file that a document was read from; None if it is none or is gone."""
    path = Path(document.path)
    if document.media_type != MediaType.DOCX.value or not path.is_file():
        return None
    data = path.read_bytes()
    return data if hashlib.sha256(data).hexdigest() == document.sha256 else None


_WRITERS: Final[Mapping[str, _Write]] = {
    ".html": _write_page,
    ".docx": _write_word,
    ".pdf": _write_pdf,
    ".json": _write_json,
}


_FEW = 2  # clauses in a row that are the same and are shown all the same, for their place


@dataclass(frozen=True, slots=True)
class Row:
    """Clauses side by side, with the words that differ marked in either version."""

    anchor: str
    name: str
    kind: str
    facts: tuple[str, ...]
    before: list[Edit]
    after: list[Edit]
    minor: bool


@dataclass(frozen=True, slots=True)
class RowGroup:
    """Rows in a row; those where nothing changed are folded."""

    rows: list[Row]
    folded: bool


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of the summary, with the row that it is about; `anchor` is empty if it has none."""

    anchor: str
    name: str
    facts: tuple[str, ...]


def comparison_page(comparison: Comparison) -> str:
    """Return the page; it runs no script, asks for nothing, and shows all words as text."""
    style = load_asset("palette.css") + load_asset("comparison.css")
    return (
        report_environment()
        .get_template("comparison.html.j2")
        .render(
            comparison=comparison,
            style=style,
            policy=content_security_policy(style),
            counts=[(what, count) for what, count in count_changes(comparison) if count],
            sections=_summary(comparison),
            sameness=describe_no_change(comparison),
            groups=_groups(comparison),
            version=__version__,
        )
    )


def _summary(comparison: Comparison) -> list[tuple[str, list[Entry]]]:
    ranked = rank_changes(comparison)
    anchors = {id(each): f"c{at}" for at, each in enumerate(comparison.clauses)}
    sections = []
    for section, changes in ranked.sections.items():
        entries = [
            Entry(anchors[id(each.clauses[0])], "Throughout", (describe_repeated(each),))
            for each in ranked.repeated
            if each.section is section
        ]
        if section is Section.NUMBERING:
            lines = renumbered_lines([each for each in changes if each.is_renumbered])
            entries += [Entry("", line, ()) for line in lines]
        elif section is Section.SPACING and changes:
            noun = "clause" if len(changes) == 1 else "clauses"
            entries.append(Entry("", f"{len(changes):,} {noun}", ()))
        elif section is not Section.SPACING:
            entries += [
                Entry(anchors[id(each)], name_clauses(comparison, each), _facts(comparison, each))
                for each in changes
            ]
        if entries:
            sections.append((SECTION_TITLES[section], entries))
    return sections


def _facts(comparison: Comparison, change: ClauseChange) -> tuple[str, ...]:
    facts = describe_values(comparison, change)
    if not facts:
        facts = [
            describe_words(comparison, each)
            for each in change.changes[:2]
            if change.relation is Relation.CHANGED
        ]
    relation = describe_relation(change)
    facts += [relation] if relation != "changed" else []
    return tuple(filter(None, [*facts, describe_versions(change.versions)]))


def _groups(comparison: Comparison) -> list[RowGroup]:
    groups: list[RowGroup] = []
    for at, each in enumerate(comparison.clauses):
        section = change_section(each)
        folded = section in (None, Section.SPACING)
        row = Row(
            f"c{at}",
            name_clauses(comparison, each),
            "moved" if each.is_moved else each.relation.value,
            tuple(filter(None, [describe_relation(each), describe_versions(each.versions)])),
            mark_side(each, comparison.before.text, is_after=False),
            mark_side(each, comparison.after.text, is_after=True),
            section in (Section.NUMBERING, Section.SIGNS),
        )
        if groups and groups[-1].folded == folded:
            groups[-1].rows.append(row)
        else:
            groups.append(RowGroup([row], folded))
    return [RowGroup(each.rows, each.folded and len(each.rows) > _FEW) for each in groups]
